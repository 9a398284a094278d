"""Generates HIP programs of many small kernels with memory accesses of all widths, alignments, strides and neighbours.

The addresses of a generated kernel do not depend on what is in memory, so every launch of it does the same accesses.
Everything follows from the seed."""

import random

# name, bytes, C++ type; packed structures are less aligned than their size: the back end splits them
TYPES = {
    "byte": (1, "unsigned char"), "half": (2, "unsigned short"), "word": (4, "unsigned"), "real": (4, "float"),
    "long": (8, "unsigned long long"), "pair": (8, "uint2"), "quad": (16, "uint4"), "double2": (16, "double2"),
    "p8a4": (8, "Packed<2, 4>"), "p12a4": (12, "Packed<3, 4>"), "p16a4": (16, "Packed<4, 4>"),
    "p16a8": (16, "Packed<4, 8>"), "p24a8": (24, "Packed<6, 8>"), "p32a16": (32, "Packed<8, 16>"),
    "p8a2": (8, "Packed<2, 2>"), "p4a1": (4, "Packed<1, 1>"), "p20a4": (20, "Packed<5, 4>"),
}
ATOMICS = ["atomicAdd", "atomicMax", "atomicXor", "atomicExch"]
LDS_BYTES = 16384
N_THREADS = 128
N_GROUPS = 2

PRELUDE = """#include <hip/hip_runtime.h>
#include <cstdio>

template <int N, int A> struct __attribute__((packed, aligned(A))) Packed { unsigned v[N]; };
template <int N, int A> __device__ inline unsigned fold(const Packed<N, A> &p)
{
    unsigned sum = 0;
    for (int i = 0; i < N; i++)
        sum += p.v[i] * (i + 1);
    return sum;
}
__device__ inline unsigned fold(unsigned char x) { return x; }
__device__ inline unsigned fold(unsigned short x) { return x; }
__device__ inline unsigned fold(unsigned x) { return x; }
__device__ inline unsigned fold(float x) { return __float_as_uint(x); }
__device__ inline unsigned fold(unsigned long long x) { return x ^ x >> 32; }
__device__ inline unsigned fold(uint2 x) { return x.x + 3 * x.y; }
__device__ inline unsigned fold(uint4 x) { return x.x + 3 * x.y + 5 * x.z + 7 * x.w; }
__device__ inline unsigned fold(double2 x) { return __double2uint_rz(x.x) + __double2uint_rz(x.y); }
template <typename T> struct Make { __device__ static T of(unsigned x) { return (T)x; } };
template <int N, int A> struct Make<Packed<N, A>> {
    __device__ static Packed<N, A> of(unsigned x)
    {
        Packed<N, A> p;
        for (int i = 0; i < N; i++)
            p.v[i] = x + i;
        return p;
    }
};
template <> struct Make<uint2> { __device__ static uint2 of(unsigned x) { return make_uint2(x, x + 1); } };
template <> struct Make<uint4> { __device__ static uint4 of(unsigned x) { return make_uint4(x, x + 1, x + 2, x + 3); } };
template <> struct Make<double2> { __device__ static double2 of(unsigned x) { return make_double2(x, x + 1); } };
"""

# Functions that are not inlined, one of them recursive, one with LDS of its own; buffer instructions through the names that
# the intrinsics have in every version of LLVM. A raw resource has 2^19 bytes, a structured one elements of 16 bytes.
EXTRAS = """
#define FAR __device__ __attribute__((noinline))
FAR unsigned far_load(const unsigned *p, unsigned i) { return p[i] + p[i + 8]; }
FAR void far_store(unsigned *p, unsigned i, unsigned x) { p[i] = x; }
FAR unsigned far_sum(const unsigned *p, unsigned i) { return i ? p[i] + far_sum(p, i >> 3) : 0; }
FAR unsigned far_lds(unsigned i)
{
    __shared__ unsigned own[256];
    own[i & 255] = i;
    return own[(i * 3) & 255] + own[(i * 3 & 255) ^ 1];
}

typedef int Resource __attribute__((ext_vector_type(4)));
typedef unsigned Quad __attribute__((ext_vector_type(4)));
__device__ unsigned raw_load(Resource r, int v, int s, int aux) __asm("llvm.amdgcn.raw.buffer.load.i32");
__device__ Quad raw_load4(Resource r, int v, int s, int aux) __asm("llvm.amdgcn.raw.buffer.load.v4i32");
__device__ void raw_store(unsigned x, Resource r, int v, int s, int aux) __asm("llvm.amdgcn.raw.buffer.store.i32");
__device__ unsigned struct_load(Resource r, int i, int v, int s, int aux) __asm("llvm.amdgcn.struct.buffer.load.i32");
/* The last word: format and how lanes out of range are told ("RDNA 2 Instruction Set Architecture", "Buffer Resource
 * Descriptor": OOB_SELECT 3 by bytes, 0 by index and stride, RESOURCE_LEVEL is 1; gfx9 tells them by the stride alone). */
#ifdef __GFX10__
enum { RAW = 0x31014000, STRUCTURED = 0x01014000 };
#else
enum { RAW = 0x27000, STRUCTURED = RAW };
#endif
__device__ inline Resource raw(const void *p)
{
    unsigned long long a = (unsigned long long)p;
    return Resource{(int)a, (int)(a >> 32 & 0xffff), 1 << 19, RAW};
}
__device__ inline Resource structured(const void *p)
{
    unsigned long long a = (unsigned long long)p;
    return Resource{(int)a, (int)(a >> 32 & 0xffff) | 16 << 16, 1 << 15, STRUCTURED};
}
"""

MAIN = """
int main()
{
    unsigned char *a, *b;
    unsigned *c;
    if (hipMalloc(&a, 1 << 20) || hipMalloc(&b, 1 << 20) || hipMalloc(&c, 1 << 16))
        return 1;
    for (int round = 0; round < 3; round++) {
        (void)hipMemset(a, 0, 1 << 20);
        (void)hipMemset(b, 1, 1 << 20);
        (void)hipMemset(c, 0, 1 << 16);
%s        if (hipDeviceSynchronize())
            return 2;
    }
    return 0;
}
"""


class Kernel:
    def __init__(self, rng, number, gathers, extras):
        self.gathers = gathers  # share of the addresses that follow no formula
        self.extras = extras
        self.dynamic = extras and rng.random() < 0.3
        self.rng, self.number, self.depth, self.lines, self.names = rng, number, 1, [], 0

    def add(self, text):
        self.lines.append("    " * self.depth + text)

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def index(self, limit, variable="t"):
        """An element number below `limit`, by thread."""
        r = self.rng
        stride = r.choice([0, 1, 1, 1, 2, 3, 4, 8, 17, 32, 33])
        form = f"{variable} * {stride}" if stride else variable
        if r.random() < 0.15:
            form = f"({variable} ^ {r.randrange(1, 64)})"
        if self.gathers and r.random() < self.gathers:
            form = f"(({variable} * {r.randrange(1, 1 << 32) | 1}u + {r.randrange(64)}) >> {r.randrange(12, 20)})"
        mask = 1
        while mask * 2 <= limit // 2:
            mask *= 2
        return f"(({form}) & {mask - 1})", limit - mask

    def pointer(self, where, kind):
        size, ctype = TYPES[kind]
        if where == "lds":
            return f"(({ctype} *)lds)", LDS_BYTES // size
        if where == "in":
            return f"((const {ctype} *)b)", (1 << 19) // size
        return f"(({ctype} *)a)", (1 << 19) // size

    def load(self):
        r = self.rng
        kind, where = r.choice(list(TYPES)), r.choice(["lds", "lds", "in", "out"])
        base, limit = self.pointer(where, kind)
        index, room = self.index(limit)
        offsets = [0]
        for _ in range(r.choice([0, 0, 1, 1, 2, 3])):
            offsets.append(r.choice([1, 2, 3, 4, 16, 33, 64, 200]) + offsets[-1] * r.choice([0, 1]))
        offsets = [o for o in dict.fromkeys(offsets) if o < room]
        terms = [f"fold({base}[{index} + {o}])" for o in offsets]
        if r.random() < 0.5:
            self.add(f"sum += {' + '.join(terms)};")
        else:
            for t in terms:
                self.add(f"sum += {t};")

    def store(self):
        r = self.rng
        kind, where = r.choice(list(TYPES)), r.choice(["lds", "lds", "out"])
        base, limit = self.pointer(where, kind)
        index, room = self.index(limit)
        ctype = TYPES[kind][1]
        offsets = {0} | {r.choice([1, 2, 3, 8, 40, 128]) for _ in range(r.choice([0, 0, 1, 2]))}
        words = [f"{base}[{index} + {o}] = Make<{ctype}>::of(sum + {o});" for o in sorted(offsets) if o < room]
        if r.random() < 0.3:
            self.add(" ".join(words))
        else:
            for w in words:
                self.add(w)

    def atomic(self):
        r = self.rng
        where = r.choice(["lds", "out"])
        base, limit = self.pointer(where, "word")
        index, _ = self.index(limit)
        use = r.choice(["", "sum += "])
        if r.random() < 0.2:
            self.add(f"{use}atomicCAS({base} + {index}, 1u, sum);")
        else:
            self.add(f"{use}{r.choice(ATOMICS)}({base} + {index}, 5u);")

    def uniform(self):
        r = self.rng
        kind = r.choice(["word", "pair", "quad", "long", "byte", "p12a4"])
        base, limit = self.pointer(r.choice(["in", "in", "out"]), kind)
        terms = [f"fold({base}[(blockIdx.x * {r.choice([1, 2, 8])} + {r.randrange(100)})])" for _ in range(r.choice([1, 1, 2]))]
        self.add(f"sum += {' + '.join(terms)};")

    def copy(self):
        r = self.rng
        kind = r.choice(list(TYPES))
        to, to_limit = self.pointer(r.choice(["lds", "out"]), kind)
        source, source_limit = self.pointer(r.choice(["lds", "in"]), kind)
        left, _ = self.index(to_limit)
        right, _ = self.index(source_limit)
        self.add(f"{to}[{left}] = {source}[{right}];")

    def generic(self):
        r = self.rng
        v = self.name()
        choose = r.choice(["n > 3", "t & 1", "n > 9"])
        self.add(f"unsigned *{v} = {choose} ? (unsigned *)lds : (unsigned *)a;")
        self.add(f"sum += {v}[t * {r.choice([1, 2, 3])}];")
        if r.random() < 0.5:
            self.add(f"{v}[t] = sum;")

    def loop(self):
        r = self.rng
        v = self.name()
        unroll = r.choice(["", "", "#pragma unroll", "#pragma unroll 1", "#pragma unroll 4", "#pragma unroll 2"])
        if unroll:
            self.add(unroll)
        self.add(f"for (int {v} = 0; {v} < {r.choice(['n', 'n + 3', '2', '4', '6', '7'])}; {v}++) {{")
        self.depth += 1
        kind, where = r.choice(["word", "real", "long", "quad", "p8a4", "p16a8"]), r.choice(["lds", "lds", "in"])
        base, limit = self.pointer(where, kind)
        index, _ = self.index(limit // 4)
        self.add(f"sum += fold({base}[{index} + {v} * {r.choice([1, 4, 16, 64])}]);")
        if r.random() < 0.4:
            self.statement(2)
        self.depth -= 1
        self.add("}")

    def branch(self):
        r = self.rng
        self.add(f"if ({r.choice(['t & 1', 't < 40', 'n > 3', 'n > 9', '(t & 63) == 5', 't >= 64'])}) {{")
        self.depth += 1
        self.statement(2)
        self.depth -= 1
        if r.random() < 0.5:
            self.add("} else {")
            self.depth += 1
            self.statement(2)
            self.depth -= 1
        self.add("}")

    def far(self):
        r = self.rng
        base, limit = self.pointer(r.choice(["lds", "in", "out"]), "word")
        index, _ = self.index(limit // 2)
        kind = r.choice(["load", "load", "store", "sum", "lds"])
        if kind == "lds":
            self.add(f"sum += far_lds(t + {r.randrange(9)});")
        elif kind == "store":
            base, _ = self.pointer(r.choice(["lds", "out"]), "word")
            self.add(f"far_store({base}, {index}, sum);")
        else:
            self.add(f"sum += far_{kind}({base}, {index});")

    def buffer(self):
        r = self.rng
        index, _ = self.index((1 << 19) // 16 // 2)
        offset = r.choice([0, 0, 4, 64, 4092])
        kind = r.choice(["load", "load", "load4", "store", "struct"])
        if kind == "struct":
            self.add(f"sum += struct_load(structured(b), {index}, {r.choice([0, 4, 12])}, {offset & ~15}, 0);")
        elif kind == "load4":
            v = self.name()
            self.add(f"Quad {v} = raw_load4(raw(b), {index} * 16, {offset & ~15}, 0);")
            self.add(f"sum += {v}.x ^ {v}.y ^ {v}.z ^ {v}.w;")
        elif kind == "load":
            self.add(f"sum += raw_load(raw(b), {index} * 4, {offset}, 0);")
        else:
            self.add(f"raw_store(sum, raw(a), {index} * 4, {offset}, 0);")

    def second_array(self):
        r = self.rng
        self.add(f"other[t * {r.choice([1, 2, 4])} & 1023] = sum;")
        self.add("__syncthreads();")
        self.add(f"sum += other[(t ^ {r.randrange(64)}) & 1023] + ((unsigned *)lds)[t * {r.choice([1, 3])} & 1023];")

    def statement(self, level=1):
        choices = [self.load] * 5 + [self.store] * 4 + [self.atomic, self.uniform, self.copy]
        if level < 2:
            choices += [self.loop] * 2 + [self.branch, self.generic]
        if level < 2 and self.extras:
            choices += [self.far, self.buffer] * 4 + [self.second_array] * 2
        self.rng.choice(choices)()

    def text(self):
        r = self.rng
        restrict = r.choice(["", "__restrict__ "])
        head = (f"__global__ void k{self.number}(unsigned char *{restrict}a, const unsigned char *{restrict}b,"
                f" unsigned *{restrict}c, int n)")
        lds = f"    __shared__ __attribute__((aligned({r.choice([4, 8, 16, 16])}))) unsigned char lds[{LDS_BYTES}];"
        if self.dynamic:
            lds = "    extern __shared__ __attribute__((aligned(16))) unsigned char lds[];"
        if self.extras:
            lds += "\n    __shared__ unsigned other[1024];"
        body = ["{", lds,
                "    unsigned t = threadIdx.x, sum = n;", "    ((unsigned *)lds)[t] = sum;", "    __syncthreads();"]
        for _ in range(r.choice([1, 2, 3, 4])):
            self.statement()
            if r.random() < 0.2:
                self.add("__syncthreads();")
        return "\n".join([head, *body, *self.lines, "    c[blockIdx.x * blockDim.x + t] = sum;", "}", ""])


def program(seed, kernels, gathers=0, extras=False):
    """extras: also dynamic LDS, a second array, functions that are not inlined, and buffer instructions."""
    rng = random.Random(seed)
    made = [Kernel(rng, i, gathers, extras) for i in range(kernels)]
    texts = [k.text() for k in made]
    launches = "".join(f"        k{i}<<<{N_GROUPS}, {N_THREADS}, {LDS_BYTES if k.dynamic else 0}>>>(a, b, c, 5);\n"
                       for i, k in enumerate(made))
    return PRELUDE + (EXTRAS if extras else "") + "\n".join(texts) + MAIN % launches
