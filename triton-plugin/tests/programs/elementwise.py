"""Vector add, a strided copy and a softmax, with arrays in the GPU's memory."""

import numpy
import triton
import triton.language as tl
from lanescope_triton import arrays


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    a = tl.load(x + i, mask=m)  # add: load
    b = tl.load(y + i, mask=m)
    tl.store(out + i, a + b, mask=m)  # add: store


@triton.jit
def strided(x, out, S: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i * S)  # strided: load
    tl.store(out + i, a)  # strided: store


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + c, mask=c < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    total = tl.sum(e, axis=0)  # softmax: sum
    tl.store(out + row * columns + c, e / total, mask=c < columns)


def main():
    n = 4000
    x, y, out = (arrays.to_gpu(numpy.arange(n, dtype=numpy.float32)), arrays.to_gpu(numpy.ones(n, numpy.float32)),
                 arrays.zeros(n))
    add[(4,)](x, y, out, n, BLOCK=1024)
    assert (out.numpy() == numpy.arange(n) + 1).all()

    x, out = arrays.to_gpu(numpy.arange(16 * 1024, dtype=numpy.float32)), arrays.zeros(1024)
    strided[(4,)](x, out, S=16, BLOCK=256)
    assert (out.numpy() == numpy.arange(1024) * 16).all()

    values = numpy.random.default_rng(1).standard_normal((8, 781)).astype(numpy.float32)
    x, out = arrays.to_gpu(values), arrays.zeros(values.shape)
    softmax[(8,)](out, x, 781, BLOCK=1024)
    e = numpy.exp(values - values.max(1, keepdims=True))
    assert numpy.allclose(out.numpy(), e / e.sum(1, keepdims=True), atol=1e-6)
    print("right")


main()
