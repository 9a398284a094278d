"""Kernels that need Triton 3.6 and newer: Gluon's with layouts that their author chose (blocked, swizzled, padded, for MFMA), buffers and
copies to LDS among them, and those of `tl` of shapes that the other files lack. Text of a program like those of generated.py; the
program asks the GPU that it runs on what it can do."""

import generated

KERNELS = '''
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna3
from triton.experimental.gluon.language.amd.cdna4 import async_copy

NUMBER = tuple(map(int, triton.__version__.split(".")[:2]))
GPU = triton.runtime.driver.active.get_current_target().arch.split(":")[0]


@gluon.jit
def through_lds(x, out, N: gl.constexpr, SHARED: gl.constexpr, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    i = gl.arange(0, N, layout=gl.SliceLayout(1, ROWS))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, ROWS))
    tile = gl.allocate_shared_memory(x.dtype.element_ty, [N, N], SHARED)
    tile.store(gl.load(x + i[:, None] * N + j[None, :]))
    value = tile.load(COLUMNS)
    i = gl.arange(0, N, layout=gl.SliceLayout(1, COLUMNS))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, COLUMNS))
    gl.store(out + j[None, :] * N + i[:, None], value)


@gluon.jit
def converted(x, out, M: gl.constexpr, N: gl.constexpr, A: gl.constexpr, B: gl.constexpr):
    i = gl.arange(0, M, layout=gl.SliceLayout(1, A))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, A))
    v = gl.load(x + i[:, None] * N + j[None, :])
    w = gl.convert_layout(v, B)
    total = gl.sum(w, axis=0)
    gl.store(out + gl.arange(0, N, layout=gl.SliceLayout(0, B)), total)
    gl.store(out + N + gl.arange(0, M, layout=gl.SliceLayout(1, A)), gl.max(v, axis=1))


@gluon.jit
def two_buffers(x, out, turns, N: gl.constexpr, L: gl.constexpr, S: gl.constexpr):
    i = gl.arange(0, N, layout=L)
    buffers = gl.allocate_shared_memory(x.dtype.element_ty, [2, N], S)
    buffers.index(0).store(gl.load(x + i))
    sums = gl.zeros([N], gl.float32, L)
    for t in range(1, turns):
        buffers.index(t % 2).store(gl.load(x + t * N + i))
        sums += buffers.index((t + 1) % 2).load(L)
    half: gl.constexpr = N // 2
    gl.store(out + i, sums)
    gl.store(out + N + gl.arange(0, half, layout=L), buffers.index(0).slice(half, half).load(L))


@gluon.jit
def with_buffers(x, out, n, N: gl.constexpr, L: gl.constexpr):
    i = gl.program_id(0) * N + gl.arange(0, N, layout=L)
    a = cdna3.buffer_load(x, i, mask=i < n, other=3)
    b = cdna3.buffer_load(ptr=x, offsets=i // 2)
    cdna3.buffer_store(a + b, out, i, mask=i % 5 != 0)


@gluon.jit
def added_to_buffers(x, out, n, N: gl.constexpr, L: gl.constexpr):
    i = gl.arange(0, N, layout=L)
    cdna3.buffer_atomic_add(out, i % 32, gl.load(x + i), mask=i < n)
    gl.atomic_add(out + 32 + i // 4, gl.load(x + i), mask=i % 3 == 0)


@gluon.jit
def product(a, b, c, M: gl.constexpr, K: gl.constexpr, LOAD: gl.constexpr, RESULT: gl.constexpr, WIDTH: gl.constexpr, SHARED: gl.constexpr):
    i, j = gl.arange(0, M, layout=gl.SliceLayout(1, LOAD)), gl.arange(0, K, layout=gl.SliceLayout(0, LOAD))
    left = gl.allocate_shared_memory(a.dtype.element_ty, [M, K], SHARED)
    right = gl.allocate_shared_memory(a.dtype.element_ty, [M, K], SHARED)
    left.store(gl.load(a + i[:, None] * K + j[None, :]))
    right.store(gl.load(b + i[:, None] * K + j[None, :]))
    x = left.load(gl.DotOperandLayout(0, RESULT, WIDTH))
    y = right.permute([1, 0]).load(gl.DotOperandLayout(1, RESULT, WIDTH))
    sums = cdna3.mfma(x, y, gl.zeros([M, M], gl.float32, RESULT))
    i, j = gl.arange(0, M, layout=gl.SliceLayout(1, RESULT)), gl.arange(0, M, layout=gl.SliceLayout(0, RESULT))
    gl.store(c + i[:, None] * M + j[None, :], sums)


@gluon.jit
def copied(x, out, turns, M: gl.constexpr, N: gl.constexpr, L: gl.constexpr, S: gl.constexpr, BUFFER: gl.constexpr):
    i, j = gl.arange(0, M, layout=gl.SliceLayout(1, L)), gl.arange(0, N, layout=gl.SliceLayout(0, L))
    at = i[:, None] * N + j[None, :]
    tiles = gl.allocate_shared_memory(x.dtype.element_ty, [2, M, N], S)
    async_copy.global_load_to_shared(tiles.index(0), x + at)
    async_copy.commit_group()
    sums = gl.zeros([M, N], gl.float32, L)
    for t in range(1, turns):
        if BUFFER:
            async_copy.buffer_load_to_shared(tiles.index(t % 2), x, t * M * N + at)
        else:
            async_copy.global_load_to_shared(tiles.index(t % 2), x + t * M * N + at)
        async_copy.commit_group()
        async_copy.wait_group(1)
        sums += async_copy.load_shared_relaxed(tiles.index((t + 1) % 2), L).to(gl.float32)
        gl.barrier()
    async_copy.wait_group(0)
    sums += async_copy.load_shared_relaxed(tiles.index((turns + 1) % 2), L).to(gl.float32)
    gl.store(out + at, sums)


@gluon.jit
def copied_rows(x, out, rows, M: gl.constexpr, N: gl.constexpr, L: gl.constexpr, S: gl.constexpr):
    i, j = gl.arange(0, M, layout=gl.SliceLayout(1, L)), gl.arange(0, N, layout=gl.SliceLayout(0, L))
    at = i[:, None] * N + j[None, :]
    inside = (i < rows)[:, None] & (j >= 0)[None, :]
    tile = gl.allocate_shared_memory(x.dtype.element_ty, [M, N], S)
    async_copy.buffer_load_to_shared(tile, x, at, mask=inside)
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(out + at, tile.load(L), mask=inside)


@triton.jit
def cube(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, A)[:, None, None] * (B * C) + tl.arange(0, B)[None, :, None] * C + tl.arange(0, C)[None, None, :]
    to = tl.arange(0, C)[:, None, None] * (B * A) + tl.arange(0, A)[None, :, None] * B + tl.arange(0, B)[None, None, :]
    v = tl.permute(tl.load(x + at), (2, 0, 1))
    tl.store(out + to, v)
    tl.store(out + A * B * C + tl.arange(0, A)[:, None] * B + tl.arange(0, B)[None, :], tl.sum(tl.load(x + at), axis=2))


@triton.jit
def pair_step(a, i, b, j):
    first = (a > b) | ((a == b) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def running_best(x, values, places, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    v, p = tl.associative_scan((tl.load(x + i * N + j), j + 0 * i), 1, pair_step, reverse=True)
    tl.store(values + i * N + j, v)
    tl.store(places + i * N + j, p)


@triton.jit
def counted(x, flags, out, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(out + tl.arange(0, BINS), tl.histogram(tl.load(x + i), BINS, mask=tl.load(flags + i) != 0))


@triton.jit
def best(x, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    tl.store(out + i * K + tl.arange(0, K)[None, :], tl.topk(tl.load(x + i * N + tl.arange(0, N)[None, :]), K))


@triton.jit
def over_all_tiles(a, b, c, M, N, K, S: tl.constexpr, PROGRAMS: tl.constexpr):
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, S) * tl.cdiv(N, S), PROGRAMS, flatten=True):
        i, j, k = tile // tl.cdiv(N, S) * S + tl.arange(0, S), tile % tl.cdiv(N, S) * S + tl.arange(0, S), tl.arange(0, S)
        sums = tl.zeros((S, S), tl.float32)
        for t in tl.range(0, K, S, num_stages=2):
            x = tl.load(a + i[:, None] * K + (t + k)[None, :], mask=(i < M)[:, None], other=0.0)
            y = tl.load(b + (t + k)[:, None] * N + j[None, :], mask=(j < N)[None, :], other=0.0)
            sums = tl.dot(x, y, sums)
        tl.store(c + i[:, None] * N + j[None, :], sums, mask=(i < M)[:, None] & (j < N)[None, :])


@triton.jit
def scaled_product(a, a_scale, b, b_scale, c, M: tl.constexpr, K: tl.constexpr, KIND: tl.constexpr):
    i, k, s = tl.arange(0, M), tl.arange(0, K), tl.arange(0, K // 32)
    x, y = tl.load(a + i[:, None] * K + k[None, :]), tl.load(b + k[:, None] + i[None, :] * K)
    p, q = tl.load(a_scale + i[:, None] * (K // 32) + s[None, :]), tl.load(b_scale + i[:, None] * (K // 32) + s[None, :])
    tl.store(c + i[:, None] * M + i[None, :], tl.dot_scaled(x, p, KIND, y, q, KIND))


@triton.jit
def eight_bits(a, b, c, M: tl.constexpr, K: tl.constexpr):
    i, k = tl.arange(0, M), tl.arange(0, K)
    x, y = tl.load(a + i[:, None] * K + k[None, :]), tl.load(b + k[:, None] + i[None, :] * K)
    tl.store(c + i[:, None] * M + i[None, :], tl.dot(x, y))


one = (1,)
ROWS, COLUMNS = gl.BlockedLayout([1, 1], [2, 32], [4, 1], [1, 0]), gl.BlockedLayout([1, 1], [32, 2], [1, 4], [0, 1])
WIDE = gl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
turned = lambda x, o: x.reshape(64, 64).T
for shared in (gl.SwizzledSharedLayout(4, 2, 8, [1, 0]), gl.SwizzledSharedLayout(2, 1, 16, [0, 1]),
               gl.PaddedSharedLayout.with_identity_for([[64, 1]], [64, 64], [1, 0]),
               gl.PaddedSharedLayout.with_identity_for([[32, 2], [256, 4]], [64, 64], [1, 0])):
    for kind in "float32", "float16":
        thrice(through_lds, one, [data(kind, 4096), data(kind, 4096)], N=64, SHARED=shared, ROWS=ROWS, COLUMNS=COLUMNS, num_warps=4, expected=turned)
        thrice(through_lds, one, [data(kind, 4096), data(kind, 4096)], N=64, SHARED=shared, ROWS=WIDE, COLUMNS=COLUMNS, num_warps=4, expected=turned)
thrice(converted, one, [data("float32", 4096, 99), data("float32", 128)], M=64, N=64, A=ROWS, B=COLUMNS, num_warps=4,
       expected=lambda x, o: [x.reshape(64, 64).sum(0), x.reshape(64, 64).max(1)])
for warps in 1, 8:
    line = gl.BlockedLayout([2], [64], [warps], [0])
    thrice(two_buffers, one, [data("float32", 5 * 1024), data("float32", 1536)], 5, N=1024, L=line, S=gl.SwizzledSharedLayout(1, 1, 1, [0]),
           num_warps=warps, expected=lambda x, o: numpy.concatenate([x.reshape(5, 1024)[:4].sum(0), x[4 * 1024 + 512:]]))
    if GPU != "gfx90a":
        thrice(with_buffers, (2,), [data("int32", 2048), data("int32", 2048)], 1500, N=1024, L=line, num_warps=warps)
        thrice(added_to_buffers, one, [data("uint32", 256), data("uint32", 96)], 200, N=256, L=line, num_warps=warps)
matrix = {"gfx90a": (2, 16), "gfx942": (3, 16), "gfx950": (4, 32)}[GPU]
for width, shared in ((4, gl.SwizzledSharedLayout(4, 1, 16, [1, 0])), (8, gl.PaddedSharedLayout.with_identity_for([[64, 8]], [32, 64], [1, 0]))):
    thrice(product, one, [data("float16", 2048), data("float16", 2048), data("float32", 1024)], M=32, K=64, LOAD=WIDE,
           RESULT=gl.amd.AMDMFMALayout(matrix[0], [16, 16, matrix[1]], True, [2, 2]), WIDTH=width, SHARED=shared, num_warps=4,
           expected=lambda a, b, c: a.reshape(32, 64).astype("int64") @ b.reshape(32, 64).T.astype("int64"))
if GPU == "gfx950":
    lanes = gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0])
    for buffer in False, True:
        thrice(copied, one, [data("float16", 4 * 4096), data("float32", 4096)], 4, M=64, N=64, L=lanes, S=gl.SwizzledSharedLayout(1, 1, 1, [1, 0]),
               BUFFER=buffer, num_warps=4, expected=lambda x, o: x.reshape(4, 4096).astype("float32").sum(0))
    thrice(copied, one, [data("float32", 3 * 4096), data("float32", 4096)], 3, M=64, N=64, L=gl.BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0]),
           S=gl.PaddedSharedLayout.with_identity_for([[256, 16]], [64, 64], [1, 0]), BUFFER=False, num_warps=4,
           expected=lambda x, o: x.reshape(3, 4096).sum(0))
    thrice(copied_rows, one, [data("float16", 4096), data("float16", 4096)], 50, M=64, N=64, L=lanes, S=gl.SwizzledSharedLayout(1, 1, 1, [1, 0]),
           num_warps=4, expected=lambda x, o: numpy.concatenate([x[:3200], o[3200:]]))
for kind, warps in (("int32", 1), ("float16", 8)):
    thrice(cube, one, [data(kind, 1024), data(kind, 1024 + 64)], A=8, B=8, C=16, num_warps=warps,
           expected=lambda x, o: numpy.concatenate([x.reshape(8, 8, 16).transpose(2, 0, 1).reshape(-1), x.reshape(64, 16).sum(1)]))
for warps in 1, 4:
    thrice(running_best, one, [data("int32", 1024, 50), data("int32", 1024), data("int32", 1024)], M=8, N=128, num_warps=warps)
    thrice(counted, one, [data("int32", 512, 32), data("int32", 512, 2), (arrays.zeros(32, numpy.int32), numpy.zeros(32, "int32"))], N=512, BINS=32,
           num_warps=warps, expected=lambda x, f, o: numpy.bincount(x[f != 0], minlength=32))
    thrice(best, one, [data("int32", 1024, 999), data("int32", 8 * 16)], M=8, N=128, K=16, num_warps=warps,
           expected=lambda x, o: -numpy.sort(-x.reshape(8, 128))[:, :16])
thrice(over_all_tiles, (3,), [data("float16", 80 * 64), data("float16", 64 * 96), data("float32", 80 * 96)], 80, 96, 64, S=32, PROGRAMS=3, num_warps=4,
       expected=lambda a, b, c: a.reshape(80, 64).astype("int64") @ b.reshape(64, 96).astype("int64"))
bits = lambda kind, n: (lambda v: (arrays.to_gpu(v, kind), v))(rng.integers(0x28, 0x40, n).astype(numpy.uint8))  # small numbers above 0
scales = lambda n: (lambda v: (arrays.to_gpu(v), v))(rng.integers(126, 129, n).astype(numpy.uint8))
if GPU != "gfx90a":
    fp8 = "float8_e4m3fnuz" if GPU == "gfx942" else "float8_e4m3fn"
    for warps in 1, 4:
        thrice(eight_bits, one, [bits(fp8, 2048), bits(fp8, 2048), data("float32", 1024)], M=32, K=64, num_warps=warps)
types = 2 if GPU == "gfx950" else NUMBER > (3, 6)  # which 3.6 cannot compile for older GPUs
for kind, name in (("float8_e5m2", "e5m2"), ("float8_e4m3fn", "e4m3"))[:types]:
    thrice(scaled_product, one, [bits(kind, 4096), scales(128), bits(kind, 4096), scales(128), data("float32", 1024)], M=32, K=128, KIND=name,
           num_warps=4)
'''


def program(version):
    text = generated.HEAD.format(seed=23) + KERNELS + 'print("same")\n'
    return text.replace("gl.barrier", "gl.thread_barrier") if version.startswith("3.6") else text


def launches(version, gpu):
    """31 everywhere: 16 through LDS, 3 of the next two kernels, 2 products, 9 of tl alone, 1 product with scales. gfx942 adds 4 with buffers
    and 2 of fp8; gfx950 these, 4 copies, and scales of the other type. One less with 3.6 before gfx950."""
    return 31 + {"gfx90a": 0, "gfx942": 6, "gfx950": 11}[gpu] - (version.startswith("3.6") and gpu != "gfx950")
