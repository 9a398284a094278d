"""Lanescope for Triton: kernels that Triton compiles for AMD GPUs get a clone with probes, and, on the software GPU,
scripts run without ROCm's torch. `lanescope run` puts this package in front; programs need not know of it."""

from . import importing


def install():
    """Arranges that Triton is hooked when, and if, the program imports it. Imports nothing of Triton itself."""
    importing.after("triton.backends", _backends)
    importing.after("triton.compiler.compiler", _compiler)
    importing.after("triton.runtime.driver", _driver)
    importing.after("triton.runtime.autotuner", _autotuner)
    importing.after("torch", _torch)


def _backends(module):
    from . import stages

    stages.hook(module.backends)


def _compiler(module):
    from . import stages

    stages.hook_compile(module)


def _driver(module):
    from . import drivers

    drivers.hook(module)
    drivers.hook_names()


def _torch(module):
    from . import drivers

    drivers.hook_names()


def _autotuner(module):
    from . import autotuning

    autotuning.hook(module)
