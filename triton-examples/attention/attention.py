"""One head of attention: 64 queries, 128 keys in blocks of 32, 32 elements each."""

import sys

import numpy
import triton
import triton.language as tl
from lanescope_triton import arrays

QUERIES, KEYS, D = 64, 128, 32


@triton.jit
def attention(q, k, v, out, keys, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    i, j, d = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    x = tl.load(q + i[:, None] * D + d[None, :])
    top, total = tl.full((M,), -1e6, tl.float32), tl.zeros((M,), tl.float32)
    sums = tl.zeros((M, D), tl.float32)
    for t in range(0, keys, N):
        y = tl.load(k + (t + j)[None, :] * D + d[:, None])
        s = tl.dot(x, y)
        m = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - m[:, None])
        shrink = tl.exp(top - m)
        total = total * shrink + tl.sum(p, 1)
        z = tl.load(v + (t + j)[:, None] * D + d[None, :])
        sums = sums * shrink[:, None] + tl.dot(p.to(tl.float16), z)
        top = m
    tl.store(out + i[:, None] * D + d[None, :], sums / total[:, None])


r = numpy.random.default_rng(1)
q, k, v = ((r.standard_normal(shape) * 0.5).astype(numpy.float16) for shape in ((QUERIES, D), (KEYS, D), (KEYS, D)))
out = arrays.zeros((QUERIES, D))
attention[(QUERIES // 32,)](arrays.to_gpu(q), arrays.to_gpu(k), arrays.to_gpu(v), out, KEYS, M=32, N=32, D=D)
p = numpy.exp(q.astype(numpy.float32) @ k.astype(numpy.float32).T)
right = numpy.allclose(out.numpy(), p / p.sum(1, keepdims=True) @ v.astype(numpy.float32), atol=2e-2)
print("PASSED" if right else "FAILED", "attention")
sys.exit(not right)
