"""On the software GPU there is no torch for ROCm. Triton's own HIP driver does without, where it only wants to ask torch
which device is current: with torch for the CPU its tensors travel around each launch, without any torch a program has the
arrays of `lanescope_triton.arrays`. On hardware, or with a torch for ROCm, nothing is replaced."""

import os
import sys
import threading

from . import messages

_creating = threading.RLock()
_STAND_IN = "_lanescope_stand_in"  # an attribute of the module that stands in for torch


def _torch():
    """The program's torch, or None."""
    try:
        import torch
    except ImportError:
        return None
    return None if hasattr(torch, _STAND_IN) else torch


def software_gpu():
    """As ls_is_software_gpu (lanescope/defaults.h); words that are none end the program elsewhere."""
    return os.environ.get("LANESCOPE_GPU", "").startswith("soft")


def _needed():
    if not software_gpu():
        return False
    torch = _torch()
    return torch is None or not torch.version.hip


def _stand_in_for_torch():
    """Some versions import torch to ask whether an argument is a tensor, which nothing is, or for statistics."""
    import types

    from . import clock

    stand_in = types.ModuleType("torch")
    stand_in.Tensor = type("Tensor", (), {})
    vars(stand_in).update(clock.STATISTICS)
    setattr(stand_in, _STAND_IN, True)
    sys.modules.setdefault("torch", stand_in)


def _create():
    """The driver that Triton would have made from torch's answers."""
    from . import hip

    stock, torch = hip.triton_driver(), _torch()
    if torch is None:
        from . import driver_plain

        _stand_in_for_torch()
        return driver_plain.make(stock)
    from . import driver_torch

    messages.say("Triton: torch has no ROCm here: its tensors are copied to the software GPU and back around each launch")
    return driver_torch.make(stock, torch)


def hook_names():
    """Called when torch or Triton has been imported: with both, device="cuda" means the software GPU."""
    torch = sys.modules.get("torch")
    if not software_gpu() or "triton.runtime.driver" not in sys.modules or not hasattr(torch, "overrides"):
        return
    if not torch.version.hip and not torch.cuda.is_available():
        from . import cuda_names

        cuda_names.allow()


def hook(module):
    """Called with triton.runtime.driver as soon as it is there; the choice is made when a driver is first asked for."""
    stock_create = module._create_driver

    def create():
        with _creating:  # several threads may ask first, and Triton's proxy lets them: the first one's stand-in is no torch for the next
            return _create() if _needed() else stock_create()

    if software_gpu():
        from . import hip

        hip.find_without_locks()
    module._create_driver = create
    config = module.driver
    lazy = getattr(module, "LazyProxy", None)
    if lazy is not None and isinstance(vars(config).get("default"), lazy):  # up to 3.3 made at once, from the function itself
        config.default = config.active = lazy(create)
