"""Triton's HIP driver for programs whose torch knows only the CPU: tensors are copied to the GPU before each launch and
back afterwards, storage by storage, so that views of one storage stay views of one."""

from . import driver_plain, hip


class _Copies:
    """Storages of one launch and where they are on the GPU."""

    def __init__(self, torch):
        self._torch, self._storages = torch, {}

    def argument(self, value):
        """What the launcher gets: tensors become addresses; tuples are looked into."""
        if isinstance(value, tuple):
            values = [self.argument(v) for v in value]
            return type(value)(*values) if hasattr(value, "_fields") else tuple(values)
        if not isinstance(value, self._torch.Tensor):
            return value
        storage = value.untyped_storage() if hasattr(value, "untyped_storage") else value.storage()  # torch 1
        start, size = storage.data_ptr(), storage.nbytes()
        if start not in self._storages:
            device = hip.allocate(size)
            hip.copy(device, start, size, hip.TO_DEVICE)
            self._storages[start] = device, storage
        return self._storages[start][0] + value.data_ptr() - start

    def back(self):
        for start, (device, storage) in self._storages.items():
            hip.copy(start, device, storage.nbytes(), hip.FROM_DEVICE)

    def free(self):
        for device, _ in self._storages.values():
            hip.free(device)


def _complete(torch):
    """What scripts ask of getattr(torch, DEVICE.type), as of torch.cuda, and torch.cpu may lack."""
    cpu = getattr(torch, "cpu", None)
    if cpu is not None and not hasattr(cpu, "set_stream"):
        cpu.set_stream = lambda stream: None  # the processor has but one


# Values that a launcher gets before the kernel's own: grid, stream, function, metadata, hooks.
_BEFORE_ARGUMENTS = 9


def make(stock, torch):
    """An instance; `stock`: the module of the stock HIPDriver."""

    def launcher(source, metadata):
        launch = stock.HIPLauncher(source, metadata)

        def with_copies(*values):
            copies = _Copies(torch)
            try:
                launch(*values[:_BEFORE_ARGUMENTS], *map(copies.argument, values[_BEFORE_ARGUMENTS:]))
                hip.wait()
                copies.back()
            finally:
                copies.free()

        return with_copies

    driver = driver_plain.make(stock, launcher)
    # Tensors say "cpu" and never "cpu:0", and scripts compare; so DEVICE.index, by which they ask for properties, is None.
    driver.get_active_torch_device = lambda: torch.device("cpu")
    properties = driver.utils.get_device_properties
    driver.utils.get_device_properties = lambda device: properties(device or 0)
    _complete(torch)
    return driver
