"""out = x + y, 4000 elements in blocks of 1024."""

import sys

import numpy
import triton
import triton.language as tl
from lanescope_triton import arrays

N, BLOCK = 4000, 1024


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    a = tl.load(x + i, mask=inside)
    b = tl.load(y + i, mask=inside)
    tl.store(out + i, a + b, mask=inside)


x, y, out = numpy.arange(N, dtype=numpy.float32), numpy.full(N, 2, numpy.float32), arrays.zeros(N)
vector_add[(triton.cdiv(N, BLOCK),)](arrays.to_gpu(x), arrays.to_gpu(y), out, N, BLOCK=BLOCK)
right = numpy.array_equal(out.numpy(), x + y)
print("PASSED" if right else "FAILED", "vector_add")
sys.exit(not right)
