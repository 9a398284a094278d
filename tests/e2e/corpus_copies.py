"""Generates HIP programs of kernels that copy: structures of all lengths and alignments, several of them in one line or one structure,
by assignment, `__builtin_memcpy` and member by member, between memory, LDS and registers, in loops and conditions. Neither addresses nor
conditions depend on what kernels write. Everything follows from the seed."""

import random

SCALARS = {"char": 1, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8}
UNITS = {"unsigned char": 1, "short": 2, "int": 4, "float": 4, "double": 8}
PACKED = ["", "__attribute__((packed)) ", "__attribute__((packed, aligned(2))) ", "__attribute__((packed, aligned(4))) "]
LENGTHS = [3, 5, 6, 7, 9, 10, 12, 12, 14, 15, 18, 20, 20, 24, 24, 28, 30, 36, 36, 40, 40, 44, 48, 52, 56, 60, 64]
CONDITIONS = ["t & 1", "t < 40", "n > 3", "n > 9", "(t ^ n) & 4", "b[t] & 1", "b[n] > 2"]

PRELUDE = """#include <hip/hip_runtime.h>

"""
MAIN = """int main()
{
    static int h[8192];
    char *m, *w;
    int *b;
    for (int i = 0; i < 8192; i++)
        h[i] = (i * 2654435761u >> 7) %% 11;
    if (hipMalloc(&m, 1 << 20) || hipMalloc(&w, 1 << 20) || hipMalloc(&b, sizeof h))
        return 1;
    (void)hipMemcpy(b, h, sizeof h, hipMemcpyHostToDevice);
    (void)hipMemset(m, 1, 1 << 20);
    for (int round = 0; round < 3; round++) {
        (void)hipMemset(w, 1, 1 << 20);
%s    }
    return hipDeviceSynchronize() ? 2 : 0;
}
"""


class Type:
    """`members`: what an expression of the type may be followed by."""

    def __init__(self, name, text, size, members):
        self.name, self.text, self.size, self.members = name, text, size, members


def types_of(rng):
    """Arrays, structures of several members, and structures of these."""
    found = []
    for i in range(7):
        name = f"T{i}"
        form = rng.randrange(4)
        if form == 0:
            align = rng.choice([1, 2, 4, 4, 8])
            size = rng.choice(LENGTHS)
            size = max(align, size // align * align)
            unit = rng.choice([u for u, n in UNITS.items() if size % n == 0 and n <= align])
            width = UNITS[unit]
            found.append(Type(name, f"struct __attribute__((aligned({align}))) {name} {{ {unit} m[{size // width}]; }};", size,
                              [f"m[{k}]" for k in range(size // width)]))
        elif form == 3 and found:
            inner = [rng.choice(found) for _ in range(2)]
            if sum(t.size for t in inner) > 72:
                inner = [min(found, key=lambda t: t.size)] * 2
            packed = rng.choice(PACKED)
            found.append(Type(name, f"struct {packed}{name} {{ {inner[0].name} a; {inner[1].name} b; int c; }};", 80,
                              ["c"] if packed else ["c", *[f"a.{m}" for m in inner[0].members[:3]]]))
        else:
            mark = rng.choice(["", *PACKED])
            members = [(rng.choice(list(SCALARS)), rng.choice([1, 1, 1, 2, 3, 4])) for _ in range(rng.randint(2, 5))]
            while sum(SCALARS[k] * n for k, n in members) > 64:
                members.pop()
            text = " ".join(f"{k} m{i}[{n}];" for i, (k, n) in enumerate(members))
            found.append(Type(name, f"struct {mark}{name} {{ {text} }};", 64,
                              [f"m{i}[{j}]" for i, (_, n) in enumerate(members) for j in range(n)]))
    return found


class Kernel:
    def __init__(self, rng, number, types):
        self.rng, self.number, self.types, self.names = rng, number, types, 0
        self.lines = []
        self.counters = []
        self.used = 0  # of LDS

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def index(self):
        r = self.rng
        forms = ["t", "t", "t", "(t ^ 1)", "(63 - t)", "(t + 64)", "t * 2", "(t + n)", "n", "blockIdx.x", "(t & 15)"]
        if self.counters:
            forms += [f"(t + {self.counters[-1]} * 64)", f"(t + {self.counters[-1]})", f"{self.counters[-1]}"] * 4
        return r.choice(forms)

    def place(self, kind, write=False):
        """An element of memory or LDS."""
        r = self.rng
        where = r.choice(["p", "p", "l"]) if not write else r.choice(["o", "o", "l"])
        index = self.index()
        if where == "l":
            index = f"({index}) % 64"
            return f"(({kind.name} *)lds)[{index}]" if r.random() < 0.5 or self.used > 2 else self.own(kind, index)
        far = r.choice([0, 0, 4096, 8192])
        base = f"{where}{f' + {far}' if far else ''}"
        return f"(({'' if write else 'const '}{kind.name} *)({base}))[{index}]"

    def own(self, kind, index):
        self.used += 1
        v = self.name()
        self.head.append(f"__shared__ {kind.name} {v}[64];")
        # LLVM 22 reads what nobody writes by scalar loads, also in LDS
        self.begin.append(f"__builtin_memset(&{v}[threadIdx.x], 1, 1);")
        return f"{v}[{index}]"

    def copy(self):
        kind = self.rng.choice(self.types)
        return f"{self.place(kind, True)} = {self.place(kind)};"

    def memcpy(self):
        r = self.rng
        n = r.choice(LENGTHS)
        step = n + r.choice([0, 0, 0, 1, 2, 4])
        align = r.choice([1, 1, 2, 4, 8])
        sides = []
        for base in ("o", "p"):
            own = r.choice([align, align, 1, 4])
            stride = (step + own - 1) // own * own
            sides.append(f"__builtin_assume_aligned({base} + ({self.index()}) * {stride}, {own})")
        return f"__builtin_memcpy({sides[0]}, {sides[1]}, {n});"

    def change(self):
        r = self.rng
        kind, v = r.choice(self.types), self.name()
        m = r.choice(kind.members)
        return f"{kind.name} {v} = {self.place(kind)}; {v}.{m} += {r.choice(['1', 'n', 't'])}; {self.place(kind, True)} = {v};"

    def change_in_place(self):
        r = self.rng
        kind = r.choice(self.types)
        v = self.name()
        return f"{kind.name} *{v} = &{self.place(kind, True)}; {v}->{r.choice(kind.members)} = {v}->{r.choice(kind.members)} + n;"

    def swap(self):
        kind, v, w = self.rng.choice(self.types), self.name(), self.name()
        return (f"{kind.name} *{v} = &{self.place(kind, True)}, *{w} = &{self.place(kind, True)}, {v}t = *{v}; *{v} = *{w}; *{w} = {v}t;")

    def two(self):
        return f"{self.copy()} {self.copy()}"

    def three(self):
        return f"{self.copy()} {self.memcpy()} {self.copy()}"

    def same(self):
        """Several copies from one base."""
        r = self.rng
        kind, i = r.choice(self.types), r.choice(["t", "t * 4", "(t ^ 1)"])
        far = r.choice([1, 2, 3, 64])
        return (f"(({kind.name} *)o)[{i}] = ((const {kind.name} *)p)[{i}]; (({kind.name} *)o)[{i} + {far}] = "
                f"((const {kind.name} *)p)[{i} + {r.choice([1, far])}];")

    def fill(self):
        kind = self.rng.choice(self.types)
        return f"__builtin_memset(&{self.place(kind, True)}, {self.rng.choice(['0', '0', '255', '1'])}, sizeof({kind.name}));"

    def fold(self):
        r = self.rng
        kind, v = r.choice(self.types), self.name()
        some = r.sample(kind.members, min(len(kind.members), r.randint(1, 4)))
        return f"{kind.name} {v} = {self.place(kind)}; sum += {' + '.join(f'(int){v}.{m}' for m in some)};"

    def loop(self):
        r, v = self.rng, self.name()
        head = r.choice(["#pragma unroll 1\n", "#pragma unroll\n", "", "#pragma unroll 2\n"])
        bound = r.choice(["n", "4", "3", "2"])
        self.counters.append(v)
        body = " ".join(self.simple() for _ in range(r.choice([1, 1, 2])))
        self.counters.pop()
        return f"{head}    for (int {v} = 0; {v} < {bound}; {v}++) {{ {body} }}"

    def simple(self):
        r = self.rng
        return r.choice([self.copy, self.copy, self.copy, self.memcpy, self.change, self.change_in_place, self.swap, self.two, self.three, self.same,
                         self.fill, self.fold])()

    def statement(self):
        r = self.rng
        x = r.random()
        if x < 0.2:
            return self.loop()
        if x < 0.35:
            return f"if ({r.choice(CONDITIONS)}) {{ {self.simple()} }}" + (f"\n    else {{ {self.simple()} }}" if r.random() < 0.4 else "")
        if x < 0.45:
            return "__syncthreads();"
        return self.simple()

    def text(self):
        r = self.rng
        self.head, self.begin = [], []
        body = [f"    {{\n    {self.statement()} }}" for _ in range(r.randint(1, 4))]
        restrict = r.choice(["", "__restrict__ "])
        return "\n".join([
            f"__global__ void k{self.number}(char *{restrict}o, const char *{restrict}p, const int *b, int n)", "{",
            "    __shared__ __attribute__((aligned(16))) char lds[8192];", *["    " + h for h in self.head],
            "    int t = threadIdx.x, sum = n;", "    ((int *)lds)[t] = t;", *["    " + x for x in self.begin], "    __syncthreads();", *body,
            "    ((int *)o)[200000 + t] = sum;", "}", ""])


def program(seed, kernels):
    rng = random.Random(seed)
    texts = []
    for i in range(kernels):
        if i % 5 == 0:
            types = types_of(rng)
            texts.append(f"namespace n{i // 5} {{")
            texts += [t.text for t in types]
        texts.append(Kernel(rng, i, types).text())
        if i % 5 == 4 or i == kernels - 1:
            texts.append("}")
    launches = "".join(f"        n{i // 5}::k{i}<<<2, 64>>>(w, m, b, {i % 4 + 2});\n" for i in range(kernels))
    return PRELUDE + "\n".join(texts) + "\n" + MAIN % launches
