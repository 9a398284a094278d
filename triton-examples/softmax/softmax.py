"""Softmax of 8 rows of 781 floats, a row in a program."""

import sys

import numpy
import triton
import triton.language as tl
from lanescope_triton import arrays

ROWS, COLUMNS = 8, 781


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    inside = c < columns
    v = tl.load(x + row * columns + c, mask=inside, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    total = tl.sum(e, axis=0)
    tl.store(out + row * columns + c, e / total, mask=inside)


x, out = numpy.random.default_rng(1).standard_normal((ROWS, COLUMNS)).astype(numpy.float32), arrays.zeros((ROWS, COLUMNS))
softmax[(ROWS,)](out, arrays.to_gpu(x), COLUMNS, BLOCK=1024)
e = numpy.exp(x - x.max(1, keepdims=True))
right = numpy.allclose(out.numpy(), e / e.sum(1, keepdims=True), atol=1e-6)
print("PASSED" if right else "FAILED", "softmax")
sys.exit(not right)
