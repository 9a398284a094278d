"""On the software GPU, for a torch that knows only the processor: scripts that say device="cuda" get tensors of the processor,
which travel around each launch as all others do (driver_torch.py)."""

import functools
import sys

from . import clock


def _is_gpu(torch, value):
    if isinstance(value, str):
        return value.split(":")[0] == "cuda"
    return isinstance(value, torch.device) and value.type == "cuda"


def _copied(torch, call):
    """Tensor.cuda, .cpu and .to between devices copy; here both are the same memory, so a copy has to be made."""

    def copy(tensor, *arguments, **keywords):
        result = call(tensor, *arguments, **keywords)
        same = isinstance(result, torch.Tensor) and result.data_ptr() == tensor.data_ptr()
        return result.clone() if same else result

    return copy


def _mode(torch):
    """What torch asks before each of its functions."""
    processor = torch.device("cpu")

    def named(value):
        return processor if _is_gpu(torch, value) else value

    def moves(function, arguments, keywords):
        """Whether this is a Tensor.to that names a device."""
        values = [*arguments[1:2], keywords.get("device")]
        return function is torch.Tensor.to and any(isinstance(v, (str, torch.device)) for v in values)

    class Cuda(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            if function is torch.device:  # torch 2.14 asks for its constructor, too; whoever gets the device is asked for again
                return function(*args, **kwargs)
            if function is torch.Tensor.cuda:
                return args[0].clone()
            if function is torch.Tensor.cpu or moves(function, args, kwargs):
                function = _copied(torch, function)
            return function(*map(named, args), **{k: named(v) if k == "device" else v for k, v in kwargs.items()})

    return Cuda()


def _complete(torch):
    """What scripts around kernels ask for. All tensors are the GPU's, and the processor's: kernels take every one."""
    torch.Tensor.is_cuda = property(lambda tensor: True)
    for name in ("synchronize", "current_device", "Event", "Stream", "current_stream", "set_stream", "stream"):
        setattr(torch.cuda, name, getattr(clock, name))
    torch.cuda.set_device, torch.cuda.device_count = lambda device: None, lambda: 1


@functools.lru_cache(maxsize=None)
def _install():
    torch = sys.modules["torch"]
    _mode(torch).__enter__()  # for good, as torch.set_default_device does
    _complete(torch)


def allow():
    """Called when torch and Triton have both been imported, on the software GPU, for a torch without ROCm and CUDA."""
    _install()
