"""Kernels of forms that the other files lack: recurrences and segmented scans, histograms, overlapping loads on one line, sparse
rows, gathers by tables, quantisation, state that a loop carries, and kernels that stand in closures, classes, behind heuristics or
call functions of another file. Text of a program like those of generated.py, and of that other file."""

import generated

HELPER = '''
import triton
import triton.language as tl

WIDTH = tl.constexpr(3)


@triton.jit
def scaled(x, i, mask, by: tl.constexpr = 2):
    return tl.load(x + i, mask=mask, other=0) * by


@triton.jit
def neighbours(x, i, n):
    s = scaled(x, i, i < n, 1)
    for d in tl.static_range(1, WIDTH):
        s += scaled(x, i + d, i + d < n, 1) + scaled(x, i - d, i >= d, 1)
    return s
'''

KERNELS = '''
from helper import neighbours, scaled


@triton.jit
def recurrence_step(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def recurrence(a, b, out, T: tl.constexpr, D: tl.constexpr):
    at = tl.program_id(0) * T * D + tl.arange(0, T)[:, None] * D + tl.arange(0, D)[None, :]
    _, h = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 0, recurrence_step)
    tl.store(out + at, h)


@triton.jit
def segment_step(sum_a, head_a, sum_b, head_b):
    return tl.where(head_b > 0, sum_b, sum_a + sum_b), head_a | head_b


@triton.jit
def segmented(x, heads, out, N: tl.constexpr):
    i = tl.arange(0, N)
    s, _ = tl.associative_scan((tl.load(x + i), tl.load(heads + i)), 0, segment_step)
    tl.store(out + i, s)


@triton.jit
def counted(x, out, N: tl.constexpr, BINS: tl.constexpr):
    tl.store(out + tl.program_id(0) * BINS + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.program_id(0) * N + tl.arange(0, N)), BINS))


@triton.jit
def five_points(x, out, h, w, H: tl.constexpr, W: tl.constexpr):
    i, j = tl.program_id(0) * H + tl.arange(0, H)[:, None], tl.program_id(1) * W + tl.arange(0, W)[None, :]
    inside, at = (i > 0) & (i < h - 1) & (j > 0) & (j < w - 1), i * w + j
    v = tl.load(x + at, inside) * -4 + tl.load(x + at - 1, inside) + tl.load(x + at + 1, inside) + tl.load(x + at - w, inside) + tl.load(x + at + w, inside)
    tl.store(out + at, v, inside)


@triton.jit
def sparse_rows(values, at, starts, x, out, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    k, end = tl.load(starts + row), tl.load(starts + row + 1)
    s = tl.zeros((BLOCK,), tl.float32)
    while k < end:
        m = k + i < end
        s += tl.load(values + k + i, m, 0.0) * tl.load(x + tl.load(at + k + i, m, 0), m, 0.0)
        k += BLOCK
    tl.store(out + row, tl.sum(s, axis=0))


@triton.jit
def bags(table, which, out, n, D: tl.constexpr, BLOCK: tl.constexpr):
    j, s = tl.arange(0, D), tl.zeros((D,), tl.float32)
    for t in range(0, n):
        row = tl.load(which + tl.program_id(0) * n + t)
        if row >= 0:
            s += tl.load(table + row * D + j).to(tl.float32)
    tl.store(out + tl.program_id(0) * D + j, s)


@triton.jit
def rotated(x, cos, sin, out, D: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, D // 2)
    c, s = tl.load(cos + row * (D // 2) + j), tl.load(sin + row * (D // 2) + j)
    a, b = tl.load(x + row * D + j), tl.load(x + row * D + D // 2 + j)
    tl.store(out + row * D + j, a * c - b * s)
    tl.store(out + row * D + D // 2 + j, b * c + a * s)


@triton.jit
def quantised(x, scales, out, n, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=0.0)
    top = tl.max(tl.abs(v), axis=0) + 1
    tl.store(scales + row, top)
    tl.store(out + row * n + i, (v / top * 127).to(tl.int8), mask=i < n)


@triton.jit
def packed(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    low, high = tl.load(x + 2 * i), tl.load(x + 2 * i + 1)
    tl.store(out + i, (low & 15) | (high << 4))


@triton.jit
def loss(x, labels, out, n, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    label = tl.load(labels + row)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf")).to(tl.float32)
    top = tl.max(v, axis=0)
    tl.store(out + row, tl.log(tl.sum(tl.exp(v - top), axis=0)) + top - tl.load(x + row * n + label).to(tl.float32))


@triton.jit
def state(q, k, v, out, T: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    i, j = tl.arange(0, C), tl.arange(0, D)
    s = tl.zeros((D, D), tl.float32)
    for t in range(0, T, C):
        at = (t + i)[:, None] * D + j[None, :]
        qs, ks, vs = tl.load(q + at), tl.load(k + at), tl.load(v + at)
        inner = tl.where(i[:, None] >= i[None, :], tl.dot(qs, tl.trans(ks)), 0.0)
        tl.store(out + at, tl.dot(inner.to(vs.dtype), vs) + tl.dot(qs, s.to(qs.dtype)))
        s += tl.dot(tl.trans(ks), vs)


@triton.jit
def turned(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    v = tl.load(x + i[:, None] * n + j[None, :], mask=(i < m)[:, None] & (j < n)[None, :])
    tl.store(out + j[:, None] * m + i[None, :], tl.trans(v), mask=(j < n)[:, None] & (i < m)[None, :])


@triton.jit
def along_both(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.cumsum(tl.cumsum(tl.load(x + at), axis=0), axis=1))


@triton.jit
def either(x, y, which, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(tl.where(tl.load(which + i) > 0, x + i, y + (N - 1 - i))))


@triton.jit
def swapped(x, out):
    p = tl.program_id(0)
    if p % 3 != 1:
        tl.atomic_cas(out + p * 2, tl.load(x + p), p, sem="relaxed")


@triton.jit
def spread(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    tl.atomic_add(out + i * 0 + j, tl.load(x + i * N + j), mask=(i + j) % 3 != 0)


@triton.jit
def few(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i) + tl.load(x))


@triton.jit
def piped(x, y, out, n, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    i, s = tl.arange(0, BLOCK), tl.zeros((BLOCK,), tl.float32)
    for t in tl.range(0, n, BLOCK, num_stages=STAGES):
        s += tl.load(x + t + i, mask=t + i < n, other=0.0) * tl.load(y + (n - 1 - t - i), mask=t + i < n, other=0.0)
    tl.store(out + i, s)


@triton.jit
def least_of_rows(x, out, places, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    low, place = tl.min(tl.load(x + at), axis=1, return_indices=True)
    tl.store(out + tl.arange(0, M), low)
    tl.store(places + tl.arange(0, M), place)


@triton.jit
def of_another_file(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, neighbours(x, i, n) + scaled(x, n - 1 - i, i < n, 3), mask=i < n)


@triton.jit
def absent(x, bias, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    if bias is not None:
        v += tl.load(bias + i % 8)
    tl.store(out + i, v)


@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def ruled(x, out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(out + i, tl.load(x + i) + 1)
    else:
        tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


def closure(times):
    @triton.jit
    def inner(x, out, N: tl.constexpr, TIMES: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + i, tl.load(x + i) * TIMES)

    return lambda grid: lambda *args, **options: inner[grid](*args, TIMES=times, **options)


class Named:
    """Called like a kernel; has it inside."""

    __name__ = "Named"

    @staticmethod
    @triton.jit
    def kernel(x, out, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + (i ^ 5), tl.load(x + i))

    def __getitem__(self, grid):
        return self.kernel[grid]


class Closure:
    __name__ = "Closure"

    def __init__(self, times):
        self.launch = closure(times)

    def __getitem__(self, grid):
        return self.launch(grid)


def ints(*values):
    return arrays.to_gpu(numpy.array(values, "int32")), numpy.array(values, "int32")


one = (1,)
thrice(recurrence, (2,), [data("float32", 2 * 32 * 16, 2), data("float32", 2 * 32 * 16), data("float32", 2 * 32 * 16)], T=32, D=16)
thrice(segmented, one, [data("int32", 512), data("int32", 512, 2), data("int32", 512)], N=512, num_warps=8)
for warps in 1, 4:
    thrice(counted, (2,), [data("int32", 512, 16), data("int32", 32)], N=256, BINS=16, num_warps=warps,
           expected=lambda x, o: numpy.stack([numpy.bincount(half, minlength=16) for half in x.reshape(2, 256)]))
thrice(five_points, (2, 2), [data("float32", 30 * 50), data("float32", 30 * 50)], 30, 50, H=16, W=32)
thrice(sparse_rows, (4,), [data("float32", 150), data("int32", 150, 90), ints(0, 3, 3, 80, 150), data("float32", 90), data("float32", 4)],
       BLOCK=32, num_warps=1)
thrice(bags, (3,), [data("float16", 10 * 64), ints(1, -1, 9, 0, 0, 5, -1, -1, 3, 2, 8, 8), data("float32", 192)], 4, D=64, BLOCK=1, num_warps=2)
for kind in "float32", "float16":
    thrice(rotated, (3,), [data(kind, 3 * 128), data(kind, 3 * 64), data(kind, 3 * 64), data(kind, 3 * 128)], D=128, num_warps=1)
thrice(quantised, (3,), [data("float32", 300), data("float32", 3), data("int8", 300)], 100, BLOCK=128, num_warps=2)
thrice(packed, one, [data("uint8", 512, 16), data("uint8", 256)], N=256, num_warps=2, expected=lambda x, o: x[::2] | x[1::2] << 4)
thrice(loss, (3,), [data("bfloat16", 300), ints(5, 0, 99), data("float32", 3)], 100, BLOCK=128, num_warps=4)
for kind, warps in (("float16", 4), ("bfloat16", 1)):
    thrice(state, one, [data(kind, 64 * 32, 2), data(kind, 64 * 32, 2), data(kind, 64 * 32, 2), data("float32", 64 * 32)], T=64, C=16, D=32,
           num_warps=warps, num_stages=2)
for kind, warps in (("int8", 4), ("float16", 2), ("float32", 8)):
    thrice(turned, (2, 2), [data(kind, 50 * 70), data(kind, 50 * 70)], 50, 70, M=32, N=64, num_warps=warps,
           expected=lambda x, o: x.reshape(50, 70).T)
thrice(along_both, one, [data("int32", 512), data("int32", 512)], M=16, N=32, expected=lambda x, o: x.reshape(16, 32).cumsum(0).cumsum(1))
if not triton.__version__.startswith("3.6"):  # which ends with an assertion of its own
    thrice(either, one, [data("float32", 256), data("float32", 256), data("int32", 256, 2), data("float32", 256)], N=256, num_warps=2,
           expected=lambda x, y, w, o: numpy.where(w > 0, x, y[::-1]))
thrice(swapped, (8,), [data("int32", 8, 2), data("int32", 16, 2)], num_warps=1)
for warps, kind in (1, "float32"), (4, "int32"):  # of float32 it is a loop of compare-and-swap: wavefronts beside each other vary its rounds
    thrice(spread, one, [data(kind, 1024), data(kind, 64)], M=16, N=64, num_warps=warps)
thrice(few, one, [data("float32", 16), data("float32", 16)], num_warps=8, expected=lambda x, o: x + x[0])
for stages in 1, 2, 3:
    thrice(piped, one, [data("float32", 500), data("float32", 500), data("float32", 128)], 500, BLOCK=128, STAGES=stages, num_warps=2)
thrice(least_of_rows, one, [data("float32", 512, 100), data("float32", 16), data("int32", 16)], M=16, N=32, num_warps=4,
       expected=lambda x, o, p: x.reshape(16, 32).argmin(1))
thrice(of_another_file, (2,), [data("int32", 200), data("int32", 200)], 200, BLOCK=128, num_warps=2,
       expected=lambda x, o: numpy.convolve(x, numpy.ones(5, "int32"), "same") + 3 * x[::-1])
thrice(Named(), one, [data("float16", 256), data("float16", 256)], N=256, num_warps=1,
       expected=lambda x, o: put(o, numpy.arange(256) ^ 5, x))
closures = Closure(3), Closure(5)  # both stay: the log tells kernels apart by their addresses, which an unloaded one leaves to the next
thrice(closures[0], one, [data("float32", 256), data("float32", 256)], N=256, expected=lambda x, o: 3 * x)
thrice(closures[1], one, [data("float32", 256), data("float32", 256)], N=256, expected=lambda x, o: 5 * x)
for n in 256, 200:
    thrice(ruled, (2,), [data("float32", n), data("float32", n)], n, BLOCK=128, num_warps=1, expected=lambda x, o: x + 1)
with_bias = [data("float32", 256), data("float32", 8), data("float32", 256)]
thrice(absent, one, with_bias, N=256, num_warps=2, expected=lambda x, b, o: x + numpy.tile(b, 32))
print("same")
'''


def launches(version):
    """Those of loops stand once in the text; 3.6 has one less."""
    return KERNELS.count("\nthrice(") + 2 + 2 + 2 + 3 + 2 + 3 + 2 + (not version.startswith("3.6"))


def program():
    return generated.HEAD.format(seed=13) + KERNELS
