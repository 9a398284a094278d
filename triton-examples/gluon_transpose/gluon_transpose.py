"""Transposition of 32 x 32 floats through LDS, without a swizzle and with one. Gluon: Triton 3.6 and newer."""

import sys

import numpy
from lanescope_triton import arrays
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

N = 32


@gluon.jit
def transpose(x, out, PHASES: gl.constexpr, N: gl.constexpr):
    ROWS: gl.constexpr = gl.BlockedLayout([1, 1], [2, 32], [4, 1], [1, 0])
    COLUMNS: gl.constexpr = gl.BlockedLayout([1, 1], [32, 2], [1, 4], [0, 1])
    i = gl.arange(0, N, layout=gl.SliceLayout(1, ROWS))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, ROWS))
    tile = gl.allocate_shared_memory(gl.float32, [N, N], gl.SwizzledSharedLayout(1, 1, PHASES, [1, 0]))
    tile.store(gl.load(x + i[:, None] * N + j[None, :]))
    value = tile.load(COLUMNS)
    i = gl.arange(0, N, layout=gl.SliceLayout(1, COLUMNS))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, COLUMNS))
    gl.store(out + j[None, :] * N + i[:, None], value)


failed = 0
for phases in 1, 32:
    x, out = numpy.arange(N * N, dtype=numpy.float32).reshape(N, N), arrays.zeros((N, N))
    transpose[(1,)](arrays.to_gpu(x), out, PHASES=phases, N=N, num_warps=4)
    right = numpy.array_equal(out.numpy(), x.T)
    print("PASSED" if right else "FAILED", f"transpose, {phases} phases")
    failed |= not right
sys.exit(failed)
