"""Kernels of shapes that generated.py has none of: scans of pairs, joins and splits, atomics with scope and order, loops that end
when they end, functions that are called, barriers, grids of three dimensions. Text of a program like those of generated.py."""

import generated

KERNELS = '''
@triton.jit
def add_pairs(a, b, c, d):
    return a + c, tl.maximum(b, d)


@triton.jit
def scan_pairs(x, sums, tops, N: tl.constexpr):
    i = tl.arange(0, N)
    s, m = tl.associative_scan((tl.load(x + i), tl.load(x + i) % 3), 0, add_pairs)
    tl.store(sums + i, s)
    tl.store(tops + i, m)


@triton.jit
def scan_backwards(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.cumsum(tl.load(x + at), axis=1, reverse=True))


@triton.jit
def product(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.cumprod(tl.load(x + i) % 2 + 1, axis=0))


@triton.jit
def joined(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    both = tl.join(tl.load(x + i), tl.load(y + i))
    tl.store(out + i[:, None] * 2 + tl.arange(0, 2)[None, :], both)


@triton.jit
def interleaved(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + tl.arange(0, 2 * N), tl.interleave(tl.load(x + i), tl.load(y + i)))


@triton.jit
def behind_each_other(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + tl.arange(0, 2 * N), tl.cat(tl.load(x + i), tl.load(y + i), can_reorder=True))


@triton.jit
def split(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.split(tl.load(x + i[:, None] * 2 + tl.arange(0, 2)[None, :]))
    tl.store(out + i, a - b)


@triton.jit
def cube(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    i, j, k = tl.program_id(0) * A + tl.arange(0, A), tl.program_id(1) * B + tl.arange(0, B), tl.program_id(2) * C + tl.arange(0, C)
    at = (i[:, None, None] * 2 * B + j[None, :, None]) * 2 * C + k[None, None, :]
    v = tl.load(x + at)
    tl.store(out + at, tl.permute(tl.permute(v, 2, 0, 1), 1, 2, 0) + tl.sum(v, axis=1)[:, None, :])


@triton.jit
def add_where(counts, x, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.atomic_add(counts + v, 1, mask=v != 2, sem="relaxed", scope="cta")


@triton.jit
def least(out, x, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    # a loop of compare-and-swap: two workgroups at one address would go round it as often as chance has it
    tl.atomic_min(out + tl.program_id(0) * 8 + i % 8, tl.load(x + i), mask=i % 5 != 0, sem="acq_rel", scope="sys")


@triton.jit
def exclusive(out, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_xor(out + i, tl.load(x + i), sem="release")


@triton.jit
def halves(out, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(out + i, tl.load(x + i), mask=i < N - 7)


@triton.jit
def collatz(x, out, N: tl.constexpr):
    i = tl.program_id(0)
    v, steps = tl.load(x + i) + 1, 0
    while v != 1:
        v = tl.where(v % 2 == 0, v // 2, 3 * v + 1)
        steps += 1
        tl.store(out + i * N + steps, v)
    tl.store(out + i * N, steps)


@triton.jit(noinline=True)
def called(x, i, n):
    v = tl.load(x + i)
    if i < n - 1:
        v += tl.load(x + i + 1)
    return v


@triton.jit
def calls(x, out, n, N: tl.constexpr):
    p, i = tl.program_id(0), tl.arange(0, N)
    tl.store(out + p * N + i, called(x, p, n) + called(x, p + 1, n) + i)


@triton.jit
def between_barriers(out, x, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out + i, v)
    tl.debug_barrier()
    tl.store(out + i, tl.load(out + (i + 1) % N) + 1)


@triton.jit
def assembly(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.inline_asm_elementwise("v_add_u32 $0, $1, $2", "=v,v,v", [tl.load(x + i), i], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + i, v)


@triton.jit
def staged(a, b, c, K: tl.constexpr, STEP: tl.constexpr, STAGES: tl.constexpr):
    i, j, k = tl.arange(0, 32), tl.arange(0, 32), tl.arange(0, STEP)
    sums = tl.zeros((32, 32), tl.float32)
    for t in tl.range(0, K, STEP, num_stages=STAGES):
        sums = tl.dot(tl.load(a + i[:, None] * K + (t + k)[None, :]), tl.load(b + (t + k)[:, None] * 32 + j[None, :]), sums)
    tl.store(c + i[:, None] * 32 + j[None, :], sums)


@triton.jit
def unrolled(x, out, N: tl.constexpr, ROUNDS: tl.constexpr):
    i = tl.arange(0, N)
    s = tl.zeros((N,), tl.int64)
    for t in tl.static_range(ROUNDS):
        s += tl.load(x + i * ROUNDS + t)
    tl.store(out + i, s)


@triton.jit
def hints(x, out, n, N: tl.constexpr):
    i = tl.max_contiguous(tl.multiple_of(tl.program_id(0) * N + tl.arange(0, N), 16), 16)
    v = tl.load(x + i, mask=i < n, other=7, cache_modifier=".cg", eviction_policy="evict_first", volatile=True)
    tl.store(out + i, tl.where(v > 2, v, tl.flip(v)), mask=i < n, cache_modifier=".cs")


@triton.jit
def bits(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i).to(tl.int32, bitcast=True)
    tl.store(out + i, (v >> 23) ^ tl.xor_sum(v, axis=0), mask=v != 0)


@triton.jit
def two_rows(x, out, n, N: tl.constexpr):
    row = tl.program_id(0)
    a = tl.make_block_ptr(x, (2 * n, N), (N, 1), (row, 0), (1, N), (1, 0))
    for t in range(0, 2 * n, n):
        tl.store(out + row * N + tl.arange(0, N) + t * N, tl.reshape(tl.load(a), (N,)) + t)
        a = tl.advance(a, (n, 0))


one = (1,)
thrice(scan_pairs, one, [data("int32", 256), data("int32", 256), data("int32", 256)], N=256,
       expected=lambda x, s, t: numpy.maximum.accumulate(x % 3))
thrice(scan_backwards, one, [data("int32", 512), data("int32", 512)], M=4, N=128, num_warps=2,
       expected=lambda x, o: numpy.cumsum(x.reshape(4, 128)[:, ::-1], axis=1)[:, ::-1])
thrice(product, one, [data("int32", 64), data("int32", 64)], N=64, num_warps=1, expected=lambda x, o: numpy.cumprod(x % 2 + 1))
thrice(joined, one, [data("float16", 256), data("float16", 256), data("float16", 512)], N=256,
       expected=lambda x, y, o: numpy.stack([x, y], axis=1))
thrice(interleaved, one, [data("int8", 512), data("int8", 512), data("int8", 1024)], N=512, num_warps=8,
       expected=lambda x, y, o: numpy.stack([x, y], axis=1))
thrice(behind_each_other, one, [data("int32", 128), data("int32", 128), data("int32", 256)], N=128)
thrice(split, one, [data("float32", 512), data("float32", 256)], N=256, expected=lambda x, o: x[::2] - x[1::2])
thrice(cube, (2, 2, 2), [data("float32", 4096), data("float32", 4096)], A=8, B=8, C=8)
thrice(add_where, one, [data("int32", 8), data("int32", 256)], N=256, num_warps=1)
thrice(least, (2,), [data("int32", 16), data("int32", 512)], N=256, num_warps=1)
thrice(exclusive, one, [data("int32", 256), data("int32", 256)], N=256)
thrice(halves, one, [data("float16", 256), data("float16", 256)], N=256, num_warps=1)
thrice(collatz, (5,), [data("int32", 5), data("int32", 5 * 64)], N=64)
thrice(calls, (4,), [data("int32", 6), data("int32", 256)], 6, N=64,
       expected=lambda x, o: (x[:4] + 2 * x[1:5] + numpy.append(x[2:5], x[5]))[:, None] + numpy.arange(64))
thrice(between_barriers, one, [data("int32", 256), data("int32", 256)], N=256, num_warps=1)
thrice(assembly, one, [data("int32", 128), data("int32", 128)], N=128, expected=lambda x, o: x + numpy.arange(128))
for stages in (1, 2, 3, 4):
    for kind in ("float16", "bfloat16"):
        thrice(staged, one, [data(kind, 32 * 128), data(kind, 32 * 128), data("float32", 1024)], K=128, STEP=32, STAGES=stages,
               num_warps=stages if stages != 3 else 8)
thrice(unrolled, one, [data("int64", 1024), data("int64", 256)], N=256, ROUNDS=4, expected=lambda x, o: x.reshape(256, 4).sum(1))
thrice(hints, (2,), [data("float32", 500), data("float32", 500)], 500, N=256)
thrice(bits, one, [data("float32", 256), data("int32", 256)], N=256)
thrice(two_rows, (3,), [data("float16", 6 * 64), data("float16", 6 * 64)], 3, N=64)
print("same")
'''
LAUNCHES = 28


def program():
    return generated.HEAD.format(seed=7) + KERNELS
