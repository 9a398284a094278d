class DriverConfig:
    def __init__(self):
        self._active = None

    @property
    def active(self):
        if self._active is None:
            self._active = _create_driver()
        return self._active


def _create_driver():
    return "stock driver"


driver = DriverConfig()
