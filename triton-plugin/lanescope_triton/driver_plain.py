"""Triton's HIP driver, asking HIP instead of torch."""

from . import clock


def make(stock, launcher=None):
    """An instance. `stock`: the module of the stock HIPDriver; `launcher`: what makes launchers in place of its own."""

    class Driver(stock.HIPDriver):
        def __init__(self):  # the stock one imports torch, for these questions alone
            self.utils = stock.HIPUtils()
            self.launcher_cls = launcher or stock.HIPLauncher
            self.get_current_device = lambda: 0
            self.set_current_device = lambda device: None
            self.get_current_stream = lambda device: 0
            self.get_device_capability = lambda device=0: (9, 4)

        @staticmethod
        def is_active():
            return True

        def get_device_interface(self):
            return clock

        def get_benchmarker(self):
            return clock.bench

        def get_empty_cache_for_benchmark(self):
            return clock.Cache()

        def clear_cache(self, cache):
            cache.zero_()

    return Driver()
