"""A product of two matrices of 64 x 64 halves, in blocks of 32."""

import sys

import numpy
import triton
import triton.language as tl
from lanescope_triton import arrays

N, BLOCK = 64, 32


@triton.jit
def matmul(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    k = tl.arange(0, BLOCK)
    sums = tl.zeros((BLOCK, BLOCK), tl.float32)
    for t in range(0, n, BLOCK):
        x = tl.load(a + i[:, None] * n + (t + k)[None, :])
        y = tl.load(b + (t + k)[:, None] * n + j[None, :])
        sums += tl.dot(x, y)
    tl.store(c + i[:, None] * n + j[None, :], sums)


r = numpy.random.default_rng(1)
a, b = r.integers(-4, 5, (N, N)).astype(numpy.float16), r.integers(-4, 5, (N, N)).astype(numpy.float16)
c = arrays.zeros((N, N))
matmul[(N // BLOCK, N // BLOCK)](arrays.to_gpu(a), arrays.to_gpu(b), c, N, BLOCK=BLOCK)
right = numpy.array_equal(c.numpy(), a.astype(numpy.float32) @ b.astype(numpy.float32))
print("PASSED" if right else "FAILED", "matmul")
sys.exit(not right)
