"""A kernel of which Triton's autotuner chooses one of two configurations, launched twice."""

import numpy
import triton
import triton.language as tl
from lanescope_triton import arrays


@triton.autotune(configs=[triton.Config({"BLOCK": 64}, num_warps=1), triton.Config({"BLOCK": 256}, num_warps=2)], key=["n"])
@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


n = 1000
x, out = arrays.to_gpu(numpy.arange(n, dtype=numpy.float32)), arrays.zeros(n)
for _ in range(2):
    double[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
assert (out.numpy() == numpy.arange(n) * 2).all()
print(double.best_config.kwargs["BLOCK"])
