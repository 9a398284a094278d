"""Layer normalisation of 8 rows of 1024 floats, and of 1000."""

import sys

import numpy
import triton
import triton.language as tl
from lanescope_triton import arrays

ROWS = 8


@triton.jit
def layernorm(x, w, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    c = tl.arange(0, BLOCK)
    inside = c < columns
    v = tl.load(x + row + c, mask=inside, other=0.0)
    mean = tl.sum(v, axis=0) / columns
    apart = tl.where(inside, v - mean, 0.0)
    variance = tl.sum(apart * apart, axis=0) / columns
    scale = tl.load(w + c, mask=inside)
    tl.store(out + row + c, apart / tl.sqrt(variance + 1e-5) * scale, mask=inside)


failed = 0
for columns in 1024, 1000:
    r = numpy.random.default_rng(columns)
    x, w = r.standard_normal((ROWS, columns)).astype(numpy.float32), r.standard_normal(columns).astype(numpy.float32)
    out = arrays.zeros((ROWS, columns))
    layernorm[(ROWS,)](arrays.to_gpu(x), arrays.to_gpu(w), out, columns, BLOCK=1024)
    expected = (x - x.mean(1, keepdims=True)) / numpy.sqrt(x.var(1, keepdims=True) + 1e-5) * w
    right = numpy.allclose(out.numpy(), expected, atol=1e-4)
    print("PASSED" if right else "FAILED", f"layernorm of {columns}")
    failed |= not right
sys.exit(failed)
