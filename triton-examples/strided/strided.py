"""Every 16th float, and all of them."""

import sys

import numpy
import triton
import triton.language as tl
from lanescope_triton import arrays

N, BLOCK = 1024, 256


@triton.jit
def strided(x, out, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i * STRIDE)
    tl.store(out + i, a)


failed = 0
for stride in 16, 1:
    x, out = numpy.arange(N * stride, dtype=numpy.float32), arrays.zeros(N)
    strided[(N // BLOCK,)](arrays.to_gpu(x), out, STRIDE=stride, BLOCK=BLOCK)
    right = numpy.array_equal(out.numpy(), x[::stride])
    print("PASSED" if right else "FAILED", f"strided by {stride}")
    failed |= not right
sys.exit(failed)
