"""Generates HIP programs of small kernels whose accesses have one address in all lanes, or look as if: pointers and indices
from arguments, from LDS, from other loads, from readfirstlane; const, volatile and nontemporal; hoisted out of loops; and
atomics under all kinds of conditions, with and without result.

Neither addresses nor conditions depend on what kernels write. Everything follows from the seed."""

import random

PRELUDE = """#include <hip/hip_runtime.h>
struct S { int a; short s; long b; float c[3]; unsigned char d[5]; };
__constant__ int table[64];
__device__ S globals[8];
template <typename T> __device__ inline unsigned fold(const T &x) { return (unsigned)x; }
__device__ inline unsigned fold(const int4 &x) { return x.x + 3 * x.y + 5 * x.z + 7 * x.w; }
__device__ inline unsigned fold(const int2 &x) { return x.x + 3 * x.y; }
"""
HEAD = """__global__ void k%d(const int *%sa, const int *%sb, const S *%ss, unsigned *%so, int *q, int n)
{
    __shared__ int lds[256], cells[64], shared_base;
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        lds[i] = i;
    if (threadIdx.x < 64)
        cells[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        shared_base = b[n + blockIdx.x] & 3;
    __syncthreads();
    int base = shared_base, first = __builtin_amdgcn_readfirstlane(threadIdx.x >> 6), loaded = b[blockIdx.x + 2] & 7;
    int other = __shfl((int)(t & 7), 3);
    (void)first, (void)loaded, (void)other;
"""
MAIN = """int main()
{
    static int h[16384];
    int *a, *b, *q;
    S *s;
    unsigned *o;
    for (int i = 0; i < 16384; i++)
        h[i] = (i * 2654435761u >> 7) %% 11;
    if (hipMalloc(&a, 65536) || hipMalloc(&b, 65536) || hipMalloc(&s, 65536) || hipMalloc(&q, 65536) || hipMalloc(&o, 1 << 17))
        return 1;
    (void)hipMemcpy(a, h, 65536, hipMemcpyHostToDevice);
    (void)hipMemcpy(b, h, 65536, hipMemcpyHostToDevice);
    (void)hipMemcpy(s, h, 65536, hipMemcpyHostToDevice);
    (void)hipMemset(q, 0, 65536);
    (void)hipMemset(o, 0, 1 << 17);
    for (int round = 0; round < 3; round++) {
%s    }
    return hipDeviceSynchronize() ? 2 : 0;
}
"""
TYPES = ["int", "unsigned short", "unsigned char", "long", "int4", "int2", "float", "double"]
UNIFORM = ["n", "blockIdx.x", "base", "(base + 1)", "first", "loaded", "(n & 7)", "(blockIdx.x * 3 + n)", "3",
           "first * 2 + 1", "(int)(gridDim.x + blockIdx.x)", "other"]
DIVERGENT = ["t", "t * 2", "(t ^ 5)", "(t & 3)", "(t + n)", "t / 64", "(t >> 2) + base", "t % 3"]
CONDITIONS = ["t % 3 == 0", "t < (unsigned)n + 9", "(b[t] & 1)", "threadIdx.x == 0", "(threadIdx.x & 63) == 5", "n > 3",
              "b[blockIdx.x] > 0", "base > 0", "((t + n) & 7) == 0 || t > 40", "b[t * 2] == n"]
BOUNDS = ["n", "n + base", "4", "(int)(t & 3) + 1", "(b[blockIdx.x] & 3)"]
ATOMICS = ["atomicAdd", "atomicAdd", "atomicMax", "atomicMin", "atomicOr", "atomicAnd", "atomicXor", "atomicSub", "atomicExch"]


class Kernel:
    def __init__(self, rng, number):
        self.rng, self.number = rng, number

    def index(self):
        return self.rng.choice(UNIFORM if self.rng.random() < 0.7 else DIVERGENT)

    def load(self):
        r = self.rng
        kind, scalar, i = r.choice(TYPES), r.choice(["int", "long", "float"]), self.index()
        return r.choice([
            f"fold(((const {kind} *)a)[{i}])", f"fold(((const {kind} *)a)[{i}])", f"fold(((const {kind} *)b)[{i}])",
            f"fold(((volatile const {scalar} *)a)[{i}])", f"fold(__builtin_nontemporal_load((const {scalar} *)b + {i}))",
            f"fold(((const {kind} *)q)[{i}])", f"table[({i}) & 63]", f"fold(s->{r.choice(['a', 's', 'b', 'c[1]', 'd[2]', 'c[n & 1]'])})",
            f"fold(s[{i}].{r.choice(['a', 'b', 'c[2]', 'd[n & 3]'])})",
            f"fold(globals[{r.choice(UNIFORM)} & 7].{r.choice(['a', 'b', 'c[0]'])})", f"fold(((const {kind} *)lds)[({i}) & 31])"])

    def loads(self):
        return " + ".join(f"{self.load()} * {self.rng.choice([1, 3, 7])}" for _ in range(self.rng.randint(1, 3)))

    def atomic(self):
        r = self.rng
        op = r.choice(ATOMICS)
        kind = r.choice(["int", "unsigned", "unsigned long long"]) if op in ("atomicAdd", "atomicMax") else "int"
        at = r.choice(["base", "3", "n", "(blockIdx.x & 1)"]) if r.random() < 0.75 else r.choice(["t", "(t & 3)", "(t % 5)"])
        place = f"&(({kind} *)cells)[({at}) & 15]" if r.random() < 0.5 else f"&(({kind} *)(o + 4096))[{at}]"
        call = f"{op}({place}, ({kind})({r.choice(['1', 'n', 't', 'b[t]', '(t & 1)'])}))"
        return f"sum += (unsigned){call};" if r.random() < 0.4 else f"{call};"

    def statement(self, depth):
        r, indent = self.rng, "    " * (depth + 1)
        choice = r.randrange(13)
        if choice == 0 and depth < 3:
            return f"{indent}if ({r.choice(CONDITIONS)}) {{\n{self.block(depth + 1)}{indent}}}\n"
        if choice == 1 and depth < 3:
            i = f"i{depth}"
            return (f"{indent}for (int {i} = 0; {i} < {r.choice(BOUNDS)}; {i}++) {{\n{self.block(depth + 1)}"
                    f"{indent}    if ({i} > 20)\n{indent}        break;\n{indent}}}\n")
        if choice == 2 and depth < 3:
            return f"{indent}if ({r.choice(CONDITIONS)})\n{indent}    {self.atomic()}\n"
        if choice == 3 and depth < 2:
            i = f"j{depth}"
            return (f"{indent}{{\n{indent}    const auto x = {self.load()};\n{indent}    for (int {i} = 0; {i} < n; {i}++)\n"
                    f"{indent}        if (x != fold(a[{i}]))\n{indent}            sum += {self.load()};\n{indent}}}\n")
        if choice == 4 and depth == 0:
            return (f"{indent}for (unsigned w = 64; w; w >>= 1) {{\n{indent}    __syncthreads();\n"
                    f"{indent}    if (threadIdx.x < w)\n{indent}        lds[threadIdx.x] += lds[threadIdx.x + w];\n{indent}}}\n")
        if choice == 5 and depth == 0:
            return f"{indent}__syncthreads();\n"
        return indent + r.choice([f"sum += {self.loads()};"] * 5 + [
            f"o[t + {r.randrange(4) * 256}] = sum;", "lds[t & 127] = sum;", f"((long *)o)[2000 + {r.choice(UNIFORM)}] = sum;",
            self.atomic()]) + "\n"

    def block(self, depth):
        return "".join(self.statement(depth) for _ in range(self.rng.randint(1, 2)))

    def text(self):
        restrict = ["__restrict__ " if self.rng.random() < 0.6 else "" for _ in range(4)]
        body = "".join(self.statement(0) for _ in range(self.rng.randint(4, 9)))
        return f"{HEAD % (self.number, *restrict)}{body}    o[t] = sum;\n}}\n"


def program(seed, kernels):
    rng = random.Random(seed)
    texts = "".join(Kernel(rng, i).text() for i in range(kernels))
    return PRELUDE + texts + MAIN % "".join(f"        k{i}<<<2, 128>>>(a, b, s, o, q, {i % 6 + 2});\n" for i in range(kernels))
