"""Generates HIP programs of kernels in the forms that programs have and corpus.py lacks: private arrays with indices of the
lane, structures and vectors of every layout copied by assignment and by memcpy, atomics of all operations and widths in nested
conditions and loops, floating-point atomics, loads in both branches of an if, in a switch, before and behind an early end, in
loops with break and continue, with remainders, one round ahead; pointers of unknown memory, dynamic LDS, functions that are
not inlined, recursion, lambdas, templates, calls through pointers.

Neither addresses nor conditions depend on what kernels write; memory of atomics that may become loops belongs to one
wavefront. Everything follows from the seed."""

import random

SCALARS = {"char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "_Float16": 2, "int": 4, "unsigned": 4, "float": 4,
           "long": 8, "double": 8}
VECTORS = ["uchar4", "char3", "char2", "short3", "ushort2", "short4", "int3", "float2", "float3", "float4", "double2", "double3",
           "long3", "double4"]
CONDITIONS = ["t & 1", "t % 3 == 0", "t < 40", "t > 63", "(t & 63) == 5", "n > 3", "n > 9", "b[t] & 1", "b[blockIdx.x] > 2",
              "b[n] > 2", "(t ^ n) & 4"]
INDICES = ["t", "t", "t", "t", "t * 2", "(t ^ 1)", "(t & 15)", "(t + n)", "t / 4", "blockIdx.x", "(63 - (t & 63))", "n", "b[t]",
           "t * 3"]
PRELUDE = """#include <hip/hip_runtime.h>

#define FAR __device__ __attribute__((noinline))
#define AGENT __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT
template <typename T> __device__ inline unsigned fold(T v)
{
    if constexpr (__is_class(T))
        return v.fold();
    else
        return (unsigned)v;
}
template <typename T> struct Make {
    __device__ static T of(unsigned x)
    {
        if constexpr (__is_class(T))
            return T::make(x);
        else
            return (T)x;
    }
};
#define OF2(T, E) __device__ inline unsigned fold(T v) { return (unsigned)v.x + 3 * (unsigned)v.y; } \
    template <> struct Make<T> { __device__ static T of(unsigned x) { return T{(E)x, (E)(x + 1)}; } };
#define OF3(T, E) __device__ inline unsigned fold(T v) { return (unsigned)v.x + 3 * (unsigned)v.y + 5 * (unsigned)v.z; } \
    template <> struct Make<T> { __device__ static T of(unsigned x) { return T{(E)x, (E)(x + 1), (E)(x + 2)}; } };
#define OF4(T, E) __device__ inline unsigned fold(T v) \
    { return (unsigned)v.x + 3 * (unsigned)v.y + 5 * (unsigned)v.z + 7 * (unsigned)v.w; } \
    template <> struct Make<T> { __device__ static T of(unsigned x) { return T{(E)x, (E)(x + 1), (E)(x + 2), (E)(x + 3)}; } };
OF4(uchar4, unsigned char) OF3(char3, char) OF2(char2, char) OF3(short3, short) OF2(ushort2, unsigned short) OF4(short4, short)
OF2(int2, int) OF3(int3, int) OF2(float2, float) OF3(float3, float) OF4(float4, float) OF2(double2, double) OF3(double3, double)
OF3(long3, long) OF4(double4, double)
template <typename T> FAR unsigned far_read(const T *p, unsigned i) { return fold(p[i]); }
template <typename T> FAR void far_copy(T *p, const T *q, unsigned i) { p[i] = q[i ^ 1]; }
FAR unsigned tree(const int *p, unsigned i, int depth)
{
    return depth ? tree(p, i * 2 + 1, depth - 1) + p[i & 255] : p[(i + 1) & 255];
}
template <typename T, typename F> __device__ inline unsigned each(const T *p, unsigned i, F f) { return f(p[i]) + f(p[i + 4]); }
struct Shape {
    __device__ virtual unsigned area(const int *p, unsigned i) const { return p[i]; }
};
struct Square : Shape {
    int k;
    __device__ Square(int k) : k(k) {}
    __device__ unsigned area(const int *p, unsigned i) const override { return p[i * 2] * k; }
};
"""
MAIN = """int main()
{
    static int h[65536];
    char *a, *f;
    int *b;
    unsigned *c;
    for (int i = 0; i < 65536; i++)
        h[i] = (i * 2654435761u >> 7) %% 11;
    if (hipMalloc(&a, 1 << 18) || hipMalloc(&b, sizeof h) || hipMalloc(&c, 65536) || hipMalloc(&f, 1 << 17))
        return 1;
    (void)hipMemcpy(b, h, sizeof h, hipMemcpyHostToDevice);
    for (int round = 0; round < 3; round++) {
        (void)hipMemset(a, 1, 1 << 18);
        (void)hipMemset(f, 0, 1 << 17);
%s    }
    return hipDeviceSynchronize() ? 2 : 0;
}
"""


def folding(name, members):
    """The functions of a class with these members, as triples of a type, a name and a number of elements (0: no array)."""
    elements = [(kind, f"{m}[{i}]" if n else m) for kind, m, n in members for i in range(n or 1)]
    sums = "".join(f" sum = sum * 5 + ::fold<{kind}>({e});" for kind, e in elements)
    values = "".join(f" v.{e} = Make<{kind}>::of(x + {i});" for i, (kind, e) in enumerate(elements))
    return (f"    __device__ unsigned fold() const {{ unsigned sum = 0;{sums} return sum; }}\n"
            f"    __device__ static {name} make(unsigned x) {{ {name} v;{values} return v; }}\n")


class Structures:
    """By members of mixed alignment; some packed, some aligned more than they need be."""

    def __init__(self, rng):
        self.names = ["half3", "half2"]
        self.text = ""
        for name in self.names:
            members = [("_Float16", m, 0) for m in "xyz"[:int(name[-1])]]
            self.text += f"struct {name} {{ _Float16 {', '.join(m for _, m, _ in members)};\n{folding(name, members)}}};\n"
        for i in range(6):
            members = [(rng.choice([*SCALARS, "half3", "half2"]), f"m{k}", rng.choice([0, 0, rng.randint(2, 4)]))
                       for k in range(rng.randint(2, 5))]
            declared = "".join(f" {kind} {name}{f'[{n}]' if n else ''};" for kind, name, n in members)
            mark = rng.choice(["", "", "", "__attribute__((packed)) ", "__attribute__((packed, aligned(4))) ", "alignas(16) "])
            self.text += (f"struct {mark}S{i} {{{declared}\n{folding('S' + str(i), members)}}};\n"
                          f"static_assert(sizeof(S{i}) <= 160, \"\");\n")
            self.names.append(f"S{i}")


class Kernel:
    def __init__(self, rng, number, structures, calls):
        self.rng, self.number, self.structures, self.calls = rng, number, structures, calls
        self.names, self.arrays = 0, []
        self.threads = rng.choice([64, 64, 128])
        self.dynamic = rng.random() < 0.3

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def kind(self):
        r = self.rng
        return r.choice([r.choice(list(SCALARS)), r.choice(VECTORS), r.choice(self.structures)])

    def index(self):
        return self.rng.choice(INDICES)

    def base(self, kind, write=False):
        r = self.rng
        places = ["a", "lds"] if write else ["a", "lds", "b", "in"]
        return f"(({'' if write else 'const '}{kind} *){r.choice(places)})"

    def limited(self, base, index):
        """LDS has 16 KiB and the structures up to 160 bytes."""
        return f"({index}) % 96" if "lds" in base else index

    def read(self):
        kind = self.kind()
        base = self.base(kind)
        return f"fold({base}[{self.limited(base, self.index())}])"

    def word(self):
        """A load of 4 bytes that is likely to be moved."""
        r = self.rng
        return r.choice([f"in[{self.index()}]", f"b[{self.index()}]", f"((int *)lds)[({self.index()}) & 1023]",
                         f"((int *)a)[{self.index()}]"])

    # Each of these gives lines of text.

    def add(self):
        return [f"sum += {' + '.join(self.read() for _ in range(self.rng.choice([1, 1, 2, 3])))};"]

    def store(self):
        kind = self.kind()
        base = self.base(kind, True)
        return [f"{base}[{self.limited(base, self.index())}] = Make<{kind}>::of(sum);"]

    def copy(self):
        r, kind = self.rng, self.kind()
        to, source = self.base(kind, True), self.base(kind)
        left, right = self.limited(to, self.index()), self.limited(source, self.index())
        form = r.randrange(4)
        if form == 0:
            return [f"__builtin_memcpy(&{to}[{left}], &{source}[{right}], sizeof({kind}));"]
        if form == 1:
            v = self.name()
            return [f"{kind} {v} = {source}[{right}];", f"sum += fold({v});", f"{to}[{left}] = {v};"]
        if form == 2:
            v = self.name()
            step = r.choice([4, 8, 12, 16, 20])
            return [f"{kind} {v};", f"__builtin_memcpy(&{v}, (const char *)b + ({right}) * {step}, sizeof {v});",
                    f"{to}[{left}] = {v};"]
        return [f"{to}[{left}] = {source}[{right}];"]

    def array(self):
        r, v = self.rng, self.name()
        kind = r.choice([*SCALARS, "int2", "float3", "float4", "uchar4", r.choice(self.structures)])
        size = r.choice([2, 3, 4, 4, 5, 8, 12, 16])
        fill = r.choice([f"Make<{kind}>::of({self.word()} + i)", f"((const {kind} *)in)[i]", f"((const {kind} *)a)[t + i]",
                         f"Make<{kind}>::of(t * i)"])
        lines = [f"{kind} {v}[{size}];", f"for (int i = 0; i < {r.choice([str(size), 'n'])}; i++)",
                 f"    {v}[i % {size}] = {fill};"]
        for _ in range(r.randint(1, 3)):
            lines.append(r.choice([
                f"sum += fold({v}[(t + n) % {size}]);", f"sum += fold({v}[b[t] % {size}]);",
                f"{v}[(t * 3 + n) % {size}] = Make<{kind}>::of(sum);",
                f"if ({r.choice(CONDITIONS)}) {v}[n % {size}] = {v}[(t & 7) % {size}];",
                f"for (int i = 0; i < n; i++) sum += fold({v}[(i * 3 + t) % {size}]);"]))
        # One line, for code generation gives a load that it makes narrow the place of what takes the element.
        return [" ".join([*lines, f"sum += fold({v}[t % {size}]);"])]

    def atomic(self):
        r = self.rng
        kind = r.choice(["int", "unsigned", "unsigned long long", "long long"])
        at = r.choice(["0", "n", "(blockIdx.x & 1)", "t", "(t & 3)", "(t % 5)", "(t & 31) * 2"])
        place = f"&(({kind} *)lds)[({at}) & 255]" if r.random() < 0.5 else f"&(({kind} *)f)[{at}]"
        value = r.choice(["1", "n", "t", "(t & 1)"])
        op = r.choice(["add", "sub", "or", "and", "xor", "min", "max", "exchange", "cas", "inc"])
        if op == "cas":
            word = "unsigned long long" if "long" in kind else kind
            call = f"atomicCAS(({word} *){place}, 0, {value})"
        elif op == "inc":
            call = f"atomicInc((unsigned *){place}, 7)"
        elif op == "sub":  # clang 15 has no __hip_atomic_fetch_sub
            call = f"__atomic_fetch_sub({place}, ({kind}){value}, __ATOMIC_RELAXED)"
        elif op == "exchange":
            call = f"__hip_atomic_exchange({place}, ({kind}){value}, AGENT)"
        else:
            call = f"__hip_atomic_fetch_{op}({place}, ({kind}){value}, AGENT)"
        line = f"sum += (unsigned){call};" if r.random() < 0.4 else f"(void){call};"
        for _ in range(r.choice([0, 0, 1, 1, 2])):
            line = r.choice([f"if ({r.choice(CONDITIONS)}) {{ {line} }}",
                             f"for (int i = 0; i < {r.choice(['n', '3', 't % 4'])}; i++) {{ {line} }}"])
        return [line]

    def real_atomic(self):
        """In memory of the wavefront's own, for how often a loop goes round depends on who else is at it."""
        r = self.rng
        kind = r.choice(["float", "float", "double"])
        at = r.choice(["0", "n", "(t & 3)", "(t & 63)", "(t % 5)"])
        base = r.choice([f"((({kind} *)f) + 4096 + (blockIdx.x * 2 + threadIdx.x / 64) * 64)",
                         f"((({kind} *)reals) + threadIdx.x / 64 * 64)"])
        op = r.choice(["add", "add", "min", "max", "swap"])
        if op == "swap":
            v = self.name()
            word = "unsigned" if kind == "float" else "unsigned long long"
            lines = [f"{word} *{v} = ({word} *)&{base}[{at}], {v}o = *{v}, {v}s;",
                     f"do {{ {v}s = {v}o; {v}o = atomicCAS({v}, {v}s, {v}s * 3 + 1); }} while ({v}s != {v}o);"]
        else:
            value = r.choice(["1", f"({kind})(t + 1)", "3"])
            call = f"__hip_atomic_fetch_{op}(&{base}[{at}], ({kind}){value}, AGENT)"
            if op == "add" and r.random() < 0.5:
                call = f"atomicAdd(&{base}[{at}], ({kind}){value})"
            lines = [f"sum += (unsigned){call};" if r.random() < 0.4 else f"{call};"]
        if r.random() < 0.4:
            lines = [f"if ({r.choice(CONDITIONS)}) {{", *["    " + line for line in lines], "}"]
        return lines

    def both_ways(self):
        r, w = self.rng, self.word()
        other = r.choice([w, self.word(), "7"])
        return [f"if ({r.choice(CONDITIONS)})", f"    sum += {w} * 3;", "else", f"    sum ^= {other};"]

    def switch(self):
        r = self.rng
        on = r.choice(["n & 3", "t & 3", "b[t] & 3", "b[blockIdx.x] & 3"])
        shared = self.word()
        cases = []
        for k in range(3):
            cases += [f"case {k}:", f"    sum += {r.choice([shared, shared, self.word(), self.read()])};"]
            cases += r.choice([["    break;"], ["    break;"], []])
        return [f"switch ({on}) {{", *cases, "default:", f"    sum -= {self.word()};", "}"]

    def loop(self):
        r, v = self.rng, self.name()
        forms = [self.add, self.add, self.atomic, self.both_ways, self.store, self.copy]
        body = [line for _ in range(r.randint(1, 2)) for line in r.choice(forms)()]
        w = r.choice(["in", "b"]) + f"[{self.index()}]"
        way = r.choice([[], [], [f"if ({w} > 8) break;"], [f"if (({v} ^ t) & 1) continue;"], [f"if ({v} == n - 1) break;"]])
        pragma = r.choice([[], [], ["#pragma unroll 1"], ["#pragma unroll 4"], ["#pragma unroll 3"], ["#pragma unroll"]])
        bound = r.choice(["n", "n + 3", "(int)(t & 7)", "5", "b[blockIdx.x] + 2", "n * 3"])
        where, step = r.choice(["lds", "b", "in", "a"]), r.choice([1, 4, 32, 64])
        return [*pragma, f"for (int {v} = 0; {v} < {bound}; {v}++) {{", *["    " + x for x in way + body],
                f"    sum += ((const int *){where})[(t + {v} * {step}) & 1023];", "}"]

    def pipelined(self):
        r, v = self.rng, self.name()
        kind = r.choice(["int", "float", "float4", "double", "short3"])
        p = f"((const {kind} *){r.choice(['in', 'b', 'a'])})"
        return [f"{kind} {v} = {p}[t];", "for (int i = 1; i < n + 2; i++) {",
                f"    {kind} next = {p}[t + i * {r.choice([16, 64])}];", f"    sum += fold({v}) * i;", f"    {v} = next;", "}",
                f"sum ^= fold({v});"]

    def grid_stride(self):
        r, kind = self.rng, self.kind()
        return [f"for (unsigned i = t; i < {r.choice(['200', '300u + n', '(unsigned)n * 30'])}; i += blockDim.x)",
                f"    (({kind} *)a)[i] = ((const {kind} *)in)[i % 97];"]

    def early(self):
        way = self.rng.choice(["t % 7 == 6", "n > 100", "t > 100", "b[t] == 10"])
        return [f"if ({way}) {{", f"    c[t] = {self.read()};", "    return;", "}"]

    def generic(self):
        r, v = self.rng, self.name()
        kind = r.choice(["int", "long", "float4", "uchar4", "short", r.choice(self.structures)])
        choose = r.choice(["n > 3", "t & 1", "n > 9", "b[t] & 1"])
        use = r.choice([[], [f"{v}[(t ^ 1) & 63] = Make<{kind}>::of(sum);"], [f"if (t & 2) {v}[t & 63] = {v}[(t + 1) & 63];"]])
        return [f"{kind} *{v} = {choose} ? ({kind} *)lds : ({kind} *)a;", f"sum += fold({v}[t & 63]);", *use]

    def call(self):
        r, kind = self.rng, self.kind()
        base, to = self.base(kind), self.base(kind, True)
        choose = r.choice(["n > 3", "t & 1"])
        return r.choice([
            [f"sum += far_read({base}, {self.limited(base, self.index())});"], [f"far_copy({to}, {base}, t % 64);"],
            ["sum += tree(b, t, 4);"], ["sum += tree(in, t, n & 3);"],
            ["Square square(n);", "Shape plain;", f"const Shape *shape = {choose} ? &plain : &square;",
             "sum += shape->area(b, t);"]])

    def lambdas(self):
        r = self.rng
        where, at = r.choice(["b", "in", "(const short *)b", "(const double *)in"]), r.choice(["t", "blockIdx.x", "t * 2"])
        return [f"sum += each({where}, {at}, [&](auto x) {{ return fold(x) + {self.word()}; }});"]

    def uniform(self):
        r = self.rng
        at = r.choice(["n", "blockIdx.x + 3", "t", "5"])
        return [f"sum += in[blockIdx.x * {r.choice([1, 4])} + {r.randrange(9)}] * b[{at}] + {self.read()};"]

    def barrier(self):
        return ["__syncthreads();"]

    def statement(self):
        r = self.rng
        forms = [self.copy, self.atomic] * 3 + [self.array, self.real_atomic, self.both_ways, self.switch, self.loop] * 2
        forms += [self.add, self.store, self.pipelined, self.grid_stride, self.generic, self.lambdas, self.uniform, self.barrier]
        if self.calls:
            forms += [self.call] * 5
        lines = r.choice(forms)()
        if r.random() < 0.15 and lines != self.barrier():
            lines = [f"if ({r.choice(CONDITIONS)}) {{", *["    " + line for line in lines], "}"]
        return lines

    def text(self):
        r = self.rng
        lines = [line for _ in range(r.randint(2, 5)) for line in ["{", *self.statement(), "}"]]
        if r.random() < 0.2:
            lines += self.early()
        restrict = [r.choice(["", "__restrict__ "]) for _ in range(2)]
        lds = "extern __shared__ __attribute__((aligned(16))) char lds[];" if self.dynamic else \
            "__shared__ __attribute__((aligned(16))) char lds[16384];"
        return "\n".join([
            f"__global__ __launch_bounds__({self.threads}) void k{self.number}(char *a, const int *{restrict[0]}b,",
            f"    const int *{restrict[1]}in, char *f, unsigned *c, int n)",
            "{", f"    {lds}", "    __shared__ double reals[128];", "    unsigned t = threadIdx.x, sum = n;",
            "    ((int *)lds)[t] = t;", "    reals[t] = t;", "    __syncthreads();", *["    " + x for x in lines],
            "    c[blockIdx.x * blockDim.x + t] = sum;", "}", ""])


def program(seed, kernels, calls=False):
    """calls: also functions that are not inlined, recursion and calls through pointers."""
    rng = random.Random(seed)
    structures = Structures(rng)
    made = [Kernel(rng, i, structures.names, calls) for i in range(kernels)]
    texts = "\n".join(k.text() for k in made)
    launches = "".join(f"        k{k.number}<<<2, {k.threads}, {16384 if k.dynamic else 0}>>>"
                       f"(a, b, b + 4096, f, c, {k.number % 6 + 2});\n" for k in made)
    return PRELUDE + structures.text + texts + MAIN % launches
