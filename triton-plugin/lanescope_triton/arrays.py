"""Arrays in the GPU's memory for Triton kernels, where there is no torch:

    from lanescope_triton import arrays
    x = arrays.to_gpu(numpy.arange(1024, dtype=numpy.float32))
    kernel[(4,)](x, out, 1024, BLOCK=256)
    print(out.numpy())
"""

import numpy

from . import hip


class Array:
    """Device memory with the type and shape of a NumPy array; what Triton asks of an argument."""

    def __init__(self, shape, dtype, triton_type=None):
        self.shape, self._kind = tuple(shape) if hasattr(shape, "__iter__") else (shape,), numpy.dtype(dtype)
        self.nbytes = int(numpy.prod(self.shape, dtype=numpy.int64)) * self._kind.itemsize
        self._triton_type = triton_type or str(self._kind)
        self._address = hip.allocate(self.nbytes)

    @property
    def dtype(self):
        """The type's name, as torch has it."""
        return self._triton_type

    def data_ptr(self):
        """Address in the GPU's memory."""
        return self._address

    def ptr_range(self):
        """Bytes behind the address: Triton may use buffer instructions below 2 GiB."""
        return self.nbytes

    def set(self, values):
        values = numpy.ascontiguousarray(numpy.broadcast_to(values, self.shape), dtype=self._kind)
        hip.copy(self._address, values.ctypes.data, self.nbytes, hip.TO_DEVICE)
        return self

    def numpy(self):
        """The contents, when all kernels launched so far have ended."""
        out = numpy.empty(self.shape, self._kind)
        hip.copy(out.ctypes.data, self._address, self.nbytes, hip.FROM_DEVICE)
        return out

    def __del__(self):
        if getattr(self, "_address", None):
            try:
                hip.free(self._address)
            except Exception:  # noqa: BLE001 - the runtime may be gone at exit
                pass


def to_gpu(values, triton_type=None):
    """A copy of a NumPy array in the GPU's memory. `triton_type`: what kernels shall see in its bits, for types that NumPy
    lacks ("bfloat16", "float8_e5m2")."""
    values = numpy.asarray(values)
    return Array(values.shape, values.dtype, triton_type).set(values)


def zeros(shape, dtype=numpy.float32):
    return Array(shape, dtype).set(0)
