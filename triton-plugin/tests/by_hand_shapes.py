"""Kernels of shapes that the other files lack: grids of three dimensions, blocks of rank 3, functions that are not inlined, masks with
values of their own, atomics of each type and order, work by tickets, sorting, descriptors, cache policies, assembly, functions of
libraries, spilled registers, and what the AMD backend can be told. Text of a program like those of generated.py."""

import generated

KERNELS = '''
NUMBER = tuple(map(int, triton.__version__.split(".")[:2]))


@triton.jit
def solid(x, out, nx, ny, nz, X: tl.constexpr, Y: tl.constexpr, Z: tl.constexpr):
    i = tl.program_id(0) * X + tl.arange(0, X)[:, None, None]
    j = tl.program_id(1) * Y + tl.arange(0, Y)[None, :, None]
    k = tl.program_id(2) * Z + tl.arange(0, Z)[None, None, :]
    inside = (i < nx) & (j < ny) & (k < nz)
    v = tl.load(x + (k * ny + j) * nx + i, mask=inside, other=0)
    v += tl.load(x + (k * ny + j) * nx + i + 1, mask=inside & (i < nx - 1), other=7)
    v += tl.load(x + ((k - 1) * ny + j) * nx + i, mask=inside & (k > 0), other=-1)
    tl.store(out + (i * ny + j) * nz + k, v, mask=inside)


@triton.jit(noinline=True)
def row_sum(x, row, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    return tl.sum(tl.load(x + row * n + i, mask=i < n, other=0), axis=0)


@triton.jit(noinline=True)
def put_row(out, row, v, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + row * BLOCK + i, v + i)


@triton.jit
def called(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    put_row(out, row, row_sum(x, row, n, BLOCK), BLOCK)
    if row % 2 == 1:
        put_row(out, row + tl.num_programs(0), row_sum(x, row - 1, n, BLOCK), BLOCK)


@triton.jit
def filled(x, default, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    other = tl.load(default + i)
    a = tl.load(x + i, mask=(i < n) & (i % 3 != 1), other=other)
    b = tl.load(x + (i ^ 1), mask=(i % 7 == 2) & (i < n - 1), other=a)
    tl.store(out + i, a + b, mask=i % 5 != 4)


@triton.jit
def every_atomic(x, out, old, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(old + i, tl.atomic_add(out + i % 32, v, mask=i % 2 == 0, sem="relaxed"), mask=i < 0)
    tl.store(old + i, tl.atomic_xor(out + N + i, v, sem="acquire"))
    tl.store(old + N + i, tl.atomic_and(out + 2 * N + i, v, scope="cta"))
    tl.store(old + 2 * N + i, tl.atomic_or(out + 3 * N + i, v, mask=i % 4 == 3, sem="release", scope="sys"), mask=i % 4 == 3)
    tl.store(old + 3 * N + i, tl.atomic_max(out + 4 * N + i, v, sem="acq_rel"))
    tl.atomic_min(out + 5 * N + i, v, mask=i > 3)
    tl.store(old + 4 * N + i, tl.atomic_cas(out + 6 * N + i, v, v + 1, scope="cta"))


@triton.jit
def float_atomics(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(out + i, tl.load(x + i), mask=i % 3 != 0)


@triton.jit
def atomics_2d(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    tl.atomic_add(out + (i // 4) * N + j, tl.load(x + i * N + j))
    tl.atomic_max(out + M * N + i + 0 * j, tl.load(x + i * N + j), mask=j < N - 1)


@triton.jit
def tickets(x, next_one, out, n, BLOCK: tl.constexpr):
    t = tl.atomic_add(next_one, 1)
    while t * BLOCK < n:
        i = t * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n, other=0) * t, mask=i < n)
        t = tl.atomic_add(next_one, 1)


@triton.jit
def far(x, out, pitch, n, N: tl.constexpr):
    row, i = tl.program_id(0).to(tl.int64), tl.arange(0, N).to(tl.int64)
    a = tl.load(x + row * pitch + i, mask=i < n, other=0)
    b = tl.load(x + (1 - row) * pitch + (n - 1) - i, mask=i < n, other=0)
    tl.store(out + row * n + i, a - b, mask=i < n)


@triton.jit
def sorted_both(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    tl.store(out + at, tl.sort(v, descending=True) + tl.flip(tl.sort(v), 1))


@triton.jit
def times(a, b):
    return a * b


@triton.jit
def scans(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    tl.store(out + at, tl.cumsum(v, axis=1, reverse=True))
    tl.store(out + M * N + at, tl.associative_scan(v, 0, times))
    tl.store(out + 2 * M * N + at, tl.cumprod(v, axis=0))


@triton.jit
def woven(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    both = tl.interleave(tl.load(x + i), tl.load(y + i))
    tl.store(out + tl.arange(0, 2 * N), both)
    a, b = tl.split(tl.reshape(tl.load(out + tl.arange(0, 2 * N) % N), (N, 2)))
    tl.store(out + 2 * N + i, a - b)


@triton.jit
def policies(x, out, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(x + i, cache_modifier=".ca", eviction_policy="evict_last")
    b = tl.load(x + i + 1, cache_modifier=".cg", eviction_policy="evict_first")
    c = tl.load(x + i + 2, volatile=True) + tl.load(x + i + 3, cache_modifier=".cv")
    tl.store(out + i, a + b, cache_modifier=".cs")
    tl.store(out + 512 + i, c, cache_modifier=".wt")
    tl.store(out + 1024 + i, a - c, cache_modifier=".wb")


@triton.jit
def assembled(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.inline_asm_elementwise("v_sub_u32 $0, $1, $2", "=v,v,v", [tl.load(x + i), tl.load(y + i)], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + i, v)


@triton.jit
def functions(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out + i, tl.sin(v * 1e5) + tl.cos(v) + tl.erf(v) + tl.sqrt(v) + tl.exp2(v) - tl.floor(v * 0.3))


@triton.jit
def spilled(x, out, N: tl.constexpr, TURNS: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c = tl.load(x + i), tl.load(x + N + i), tl.load(x + 2 * N + (i ^ 3))
    for t in range(TURNS):
        a, b, c = b + tl.load(x + (t % 3) * N + i), c * tl.max(a, axis=0), a
    tl.store(out + i, a)
    tl.store(out + N + i, b)
    tl.store(out + 2 * N + i, c)


@triton.jit
def told(a, b, c, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr, OUT: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, STEP)
    sums = tl.zeros((M, N), OUT)
    for t in range(0, K, STEP):
        x = tl.load(a + i[:, None] * K + (t + k)[None, :])
        y = tl.load(b + (t + k)[:, None] + j[None, :] * K)
        sums = tl.dot(x, y, sums, out_dtype=OUT)
    tl.store(c + i[:, None] * N + j[None, :], sums)


@triton.jit
def nested(x, starts, out, N: tl.constexpr):
    i, s, t = tl.arange(0, N), tl.zeros((N,), tl.int32), 0
    for a in range(0, 3):
        first, last = tl.load(starts + a), tl.load(starts + a + 1)
        for b in range(first, last, N):
            at = b + i
            if a % 2 == 0:
                s += tl.load(x + at, mask=at < last, other=0)
            else:
                s -= tl.load(x + (last - 1 - at + first), mask=at < last, other=0)
            t += 1
        if t > 4:
            s += tl.load(x + i + t)
    tl.store(out + i, s)


@triton.jit
def truths(x, flags, out, N: tl.constexpr):
    i = tl.arange(0, N)
    f = tl.load(flags + i)
    v = tl.load(x + i, mask=f, other=3)
    tl.store(out + i, tl.where(f, v, v + 1), mask=f | (i % 2 == 0))


@triton.jit
def rows_by_pointer(x, out, M: tl.constexpr, N: tl.constexpr):
    p, q = x + tl.arange(0, N), out + tl.program_id(0) * N + tl.arange(0, N)
    p += tl.program_id(0) * M * N
    s = tl.zeros((N,), tl.float32)
    for _ in range(M):
        s += tl.load(p).to(tl.float32)
        p += N
    tl.store(q, s)


@triton.jit
def counted_masked(x, out, n, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    h = tl.histogram(tl.load(x + i, mask=i < n, other=BINS - 1), BINS)
    tl.atomic_add(out + tl.arange(0, BINS), h, mask=h > 0)


@triton.jit
def extremes(x, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M)[:, None, None], tl.arange(0, N)[None, :, None], tl.arange(0, K)[None, None, :]
    v = tl.load(x + (i * N + j) * K + k)
    at = tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :]
    tl.store(out + at, tl.argmax(v, axis=1) + tl.max(v, axis=1) * N)
    tl.store(out + M * K + tl.arange(0, N), tl.xor_sum(tl.xor_sum(v, axis=2), axis=0))


one = (1,)


def solid_expected(x, out):
    v = x.reshape(5, 6, 37)
    right = numpy.concatenate([v[:, :, 1:], numpy.full((5, 6, 1), 7)], axis=2)
    below = numpy.concatenate([numpy.full((1, 6, 37), -1), v[:-1]])
    return (v + right + below).transpose(2, 1, 0)


for kind, warps in (("int32", 1), ("int16", 2), ("float32", 8)):
    thrice(solid, (3, 2, 3), [data(kind, 37 * 6 * 5), data(kind, 37 * 6 * 5)], 37, 6, 5, X=16, Y=4, Z=2, num_warps=warps,
           expected=solid_expected)
for warps in 1, 4:
    sums = lambda x, o: [[s + i for i in range(128)] for s in (lambda r: [r[0], r[1], r[2], r[3], 0, r[0], 0, r[2]])(x.reshape(4, 100).sum(1))]
    if NUMBER != (3, 6) or warps == 1:  # with LDS it wants hidden arguments, which programs/hip6.c cannot give
        thrice(called, (4,), [data("int32", 400), (arrays.zeros(1024, numpy.int32), numpy.zeros(1024, "int32"))], 100, BLOCK=128, num_warps=warps)
for kind, warps in (("float32", 2), ("int8", 4), ("float16", 1), ("int64", 8)):
    thrice(filled, (2,), [data(kind, 500), data(kind, 512, 9), data(kind, 512)], 500, N=256, num_warps=warps)
for kind in "int32", "uint32", "int64", "uint64":
    thrice(every_atomic, one, [data(kind, 64), data(kind, 7 * 64), data(kind, 5 * 64)], N=64, num_warps=1)
for kind in "float32", "float16", "bfloat16", "float64":
    if not (kind == "bfloat16" and NUMBER < (3, 4)):
        thrice(float_atomics, one, [data(kind, 256), data(kind, 256)], N=256, num_warps=4)
thrice(atomics_2d, one, [data("int32", 512), data("int32", 1024)], M=16, N=32, num_warps=1)
thrice(tickets, one, [data("int32", 1000), data("int32", 1, 1), data("int32", 1000)], 1000, BLOCK=128, num_warps=2,
       expected=lambda x, t, o: x * (numpy.arange(1000) // 128))
thrice(far, (2,), [data("int32", 1 << 16), data("int32", 600)], 1 << 15, 300, N=512, num_warps=1,
       expected=lambda x, o: [x[:300] - x[(1 << 15) + 299 - numpy.arange(300)], x[(1 << 15):][:300] - x[299 - numpy.arange(300)]])
for kind, warps in (("int32", 4), ("float16", 1)):
    thrice(sorted_both, one, [data(kind, 256, 99), data(kind, 256)], M=4, N=64, num_warps=warps,
           expected=lambda x, o: -2 * numpy.sort(-x.reshape(4, 64)))
for warps in 1, 8:
    thrice(scans, one, [data("int32", 512, 3), data("int32", 1536)], M=8, N=64, num_warps=warps,
           expected=lambda x, o: [x.reshape(8, 64)[:, ::-1].cumsum(1)[:, ::-1], x.reshape(8, 64).cumprod(0), x.reshape(8, 64).cumprod(0)])
thrice(woven, one, [data("float16", 256), data("float16", 256), data("float16", 768)], N=256, num_warps=4)
for kind in "float32", "int8":
    thrice(policies, (2,), [data(kind, 520), data(kind, 1536)], N=256, num_warps=2,
           expected=lambda x, o: [x[:512] + x[1:513], x[2:514] + x[3:515], x[:512] - x[2:514] - x[3:515]])
thrice(assembled, one, [data("int32", 256), data("int32", 256), data("int32", 256)], N=256, num_warps=2, expected=lambda x, y, o: x - y)
thrice(functions, one, [data("float32", 256), data("float32", 256)], N=256, num_warps=2)
thrice(spilled, one, [data("float32", 3 * 8192, 2), data("float32", 3 * 8192)], N=8192, TURNS=2, num_warps=1)
backend = [dict(), dict(waves_per_eu=2), dict(matrix_instr_nonkdim=16), dict(matrix_instr_nonkdim=32, kpack=2)]
for n, options in enumerate(backend):
    for kind, of in (("int8", tl.int32), ("float16", tl.float32)):
        thrice(told, one, [data(kind, 64 * 128), data(kind, 64 * 128), data("int32" if kind == "int8" else "float32", 4096)], K=128, M=64, N=64,
               STEP=32, OUT=of, num_warps=(1, 2, 4, 8)[n], num_stages=(1, 2, 3, 4)[n] if NUMBER >= (3, 4) else 1 + n % 2,
               expected=lambda a, b, c: a.reshape(64, 128).astype("int64") @ b.reshape(64, 128).T.astype("int64"), **options)
thrice(nested, one, [data("int32", 400), (arrays.to_gpu(numpy.array([0, 100, 230, 390], "int32")), numpy.array([0, 100, 230, 390], "int32")),
                     data("int32", 64)], N=64, num_warps=1)
thrice(truths, one, [data("float32", 256), data("bool", 256, 2), data("float32", 256)], N=256, num_warps=2)
for kind, warps in (("int8", 1), ("float16", 8)):
    thrice(rows_by_pointer, (2,), [data(kind, 2 * 6 * 512), data("float32", 1024)], M=6, N=512, num_warps=warps,
           expected=lambda x, o: x.astype("float32").reshape(2, 6, 512).sum(1))
for warps in 1, 8:
    thrice(counted_masked, one, [data("int32", 512, 32), (arrays.zeros(32, numpy.int32), numpy.zeros(32, "int32"))], 500, N=512, BINS=32,
           num_warps=warps, expected=lambda x, o: numpy.bincount(numpy.concatenate([x[:500], [31] * 12]), minlength=32))
thrice(extremes, one, [data("int32", 4 * 16 * 8, 100), data("int32", 48)], M=4, N=16, K=8, num_warps=2)
'''

# With 3.4 and newer.
NEWER = '''
@triton.jit
def taken(x, at, out, M: tl.constexpr, N: tl.constexpr):
    p = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.gather(tl.load(x + p), tl.load(at + p) % M, 0)
    tl.store(out + p, tl.gather(v, tl.load(at + p), 1))


@triton.jit
def described(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [m, n], [n, 1], [M, N])
    b = tl.make_tensor_descriptor(out, [n, m], [m, 1], [N, M])
    i, j = tl.program_id(0) * M, tl.program_id(1) * N
    b.store([j, i], tl.trans(a.load([i, j])))


@triton.jit
def described_dot(x, y, out, K, M: tl.constexpr, STEP: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [M, K], [K, 1], [M, STEP])
    b = tl.make_tensor_descriptor(y, [K, M], [M, 1], [STEP, M])
    c = tl.make_tensor_descriptor(out, [M, M], [M, 1], [M, M])
    s = tl.zeros((M, M), tl.float32)
    for t in tl.range(0, K, STEP, num_stages=3):
        s = tl.dot(a.load([0, t]), b.load([t, 0]), s)
    c.store([0, 0], s)


@triton.jit
def unrolled(x, out, n, N: tl.constexpr):
    i, s = tl.arange(0, N), tl.zeros((N,), tl.float32)
    for t in tl.range(0, n, N, loop_unroll_factor=4):
        s += tl.load(x + t + i, mask=t + i < n, other=0.0)
    tl.store(out + i, s)


@triton.jit
def assumed(x, out, stride, n, N: tl.constexpr):
    tl.assume(stride > 0)
    tl.assume(n > 0)
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.load(x + i * stride, mask=i < n, other=-2.0), mask=i < n + 3)


thrice(taken, one, [data("float32", 512), data("int32", 512, 32), data("float32", 512)], M=16, N=32, num_warps=4)
for kind, warps in (("float16", 4), ("float32", 1)):
    thrice(described, (2, 2), [data(kind, 40 * 56), data(kind, 40 * 56)], 40, 56, M=32, N=32, num_warps=warps,
           expected=lambda x, o: x.reshape(40, 56).T)
thrice(described_dot, one, [data("float16", 32 * 128), data("float16", 128 * 32), data("float32", 1024)], 128, M=32, STEP=32, num_warps=2,
       expected=lambda a, b, o: a.reshape(32, 128).astype("int64") @ b.reshape(128, 32).astype("int64"))
thrice(unrolled, one, [data("float32", 1000), data("float32", 128)], 1000, N=128, num_warps=2)
for stride in 1, 5:
    thrice(assumed, (2,), [data("float32", 1024), data("float32", 260)], stride, 200, N=128, num_warps=1)
'''


def program(version="3.2.0", counted=True):
    """`counted`: as in by_hand_algorithms.py."""
    newer = tuple(map(int, version.split(".")[:2])) >= (3, 4)
    text = generated.HEAD.format(seed=17) + KERNELS + NEWER * newer + 'print("same")\n'
    return text if counted else text.replace("tl.num_programs(0)", "4")


def launches(version):
    """44 with 3.2; atomics of bfloat16, and what NEWER has, come with 3.4. One less with 3.6."""
    return 44 + 8 * (not version.startswith("3.2")) - version.startswith("3.6")
