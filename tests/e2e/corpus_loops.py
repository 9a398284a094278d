"""Generates HIP programs of kernels with loops: accesses that each turn makes a step further on, beside others.

Trip counts are the same in all lanes or not, 0, 1, odd; counters go up and down and have 32 and 64 bits, with sign and
without; steps are constants or arguments; loops lie in each other, and have barriers, atomics, conditions, `break` and
`continue`. No address depends on what is in memory. Everything follows from the seed."""

import random

import corpus

ARGUMENTS = "int n, int zero, int one, int many, int step, unsigned far"  # 5, 0, 1, 11, 3, 2^32 - 4
VALUES = "5, 0, 1, 11, 3, 0xfffffffcu"
UNIFORM = ["n", "zero", "one", "many", "n + 2", "many - n", "3", "8", "(int)blockIdx.x + 2"]
DIVERGENT = ["(int)(t & 7)", "(int)(t % 3)", "n + (int)(t & 1)", "(t < 40 ? 4 : 0)"]
# Steps that nobody knows, as a grid's: head, counter from 0, whether all lanes leave together. In the first two they do not; at the
# end of the last one the counter could wrap, by the rules that a probe in front of it has.
RISING = [("for (unsigned {v} = t & 3; {v} < (unsigned)many; {v} += (unsigned)step) {{", "{v}", False),
          ("for (int {v} = (int)(t & 1); {v} < many; {v} += step) {{", "{v}", False),
          ("for (unsigned {v} = far; {v} < far + 3u; {v} += (unsigned)step) {{", "(int)({v} - far)", True)]
RISING_SEED = 20  # programs of lower seeds have none
# Conditions of which it is known before the loop on which turns {v} they hold: the first ones. The last four wrap, or may.
GUARDS = ["(int){v} + 1 < n", "(int){v} * 3 < many", "(int){v} * 16 + (int)(t & 15) < n * 16 - 5", "(long){v} * 16 + (long)(t & 15) < (long)n * 16 + 7",
          "(int)(t >> 4) + (int){v} * 8 <= n * 4", "t < 70 && (int){v} * 8 + (int)(t & 7) < 20", "many > n && 100 - (int){v} * 16 - (int)(t & 7) > n * 5",
          "!((int){v} >= n || (t & 8))", "n * 30 >= (int)(t & 31) + (int){v} * 32", "(t & 15) + 16u * (unsigned){v} < (unsigned)n * 8u",
          "far - 40u + (t & 7) + (unsigned){v} * 8u < far", "(int)(far / 2 - 30u + (t & 7) + (unsigned){v} * 8u) < (int)(far / 2)",
          "(t & 15) - 16u + 16u * (unsigned){v} < 40u", "(int)(t - 8u * (unsigned){v}) >= n"]
GUARD_SEED = 60  # programs of lower seeds have none
FLIP_SEED = 70  # from here on loops change between two buffers
MOST = 13  # turns


class Kernel(corpus.Kernel):
    """Statements of corpus.Kernel occur in the loops, too."""

    def __init__(self, rng, number, rising, guards, flips):
        super().__init__(rng, number, 0.1, False)
        self.rising = rising
        self.guards = guards
        self.flips = flips
        self.level = 0
        self.uniform_control = True
        self.signed = rng.random() < 0.5

    def start(self, elements):
        """Where a lane begins: on a line, in rows, all at one place, or anywhere. Leaves room for MOST turns."""
        r = self.rng
        most = elements // 2
        forms = [(f"t * {s}", 128 * s) for s in (1, 1, 1, 2, 3, 8, 9, 33)]
        forms += [("((t & 15) + (t >> 4) * 40)", 512), ("((t & 7) * 2 + (t >> 3) * 64)", 1200), ("(t >> 3)", 16), ("0", 1),
                  ("(int)blockIdx.x * 64", 128), ("((t * 29) & 127)", 128), ("(t ^ 5)", 128), ("(127 - (int)t)", 128)]
        return r.choice([form for form, room in forms if room <= most])

    def moving(self):
        """An access whose address the loop's counter moves, by a constant or an argument, forwards or backwards."""
        r = self.rng
        kind, where = r.choice(["word", "real", "half", "byte", "long", "quad", "p8a4", "p12a4"]), r.choice(["lds", "in", "in", "out"])
        size, ctype = corpus.TYPES[kind]
        base, elements = self.pointer(where, kind)
        steps = [1, 1, 1, 2, 4, 16, 5] + ([32, 128, "step", "step * 4"] if where != "lds" else [])
        room = elements // 2 // MOST
        by = r.choice([s for s in steps if (12 if isinstance(s, str) else s) <= room])
        counter = self.counters[-1] if r.random() < 0.85 else self.counters[0]
        way = r.choice(["{} * {}", "{} * {}", "{} * {}", "(14 - {}) * {}", "0 * {} * {}"]) if where != "lds" else "{} * {}"
        form = r.choice(["int", "int", "unsigned", "long"])
        index = f"({form})({self.start(elements)}) + ({form})({way.format(f'(int){counter}', by)})"
        element = f"{base}[{index}]"
        if where == "in" or r.random() < 0.6:
            self.add(f"sum += fold({element});")
            if r.random() < 0.3:
                self.add(f"sum += fold({base}[{index} + {r.choice([1, 2, 7])}]);")
        else:
            self.add(f"{element} = Make<{ctype}>::of(sum);")

    def wrapping(self):
        """An index of 32 bits that wraps on the fourth turn; `wide` has room on both sides, 4 GiB apart."""
        r = self.rng
        counter = self.counters[-1]
        unsigned, signed = f"far - 60u + t / 8 * 8 + (unsigned){counter} * 16u", f"(int)(far / 2 + 1u + t / 32 + (unsigned){counter} * 2u)"
        self.add(f"sum += wide[{signed if self.signed else unsigned}];")

    def conditional(self):
        r = self.rng
        counter = self.counters[-1]
        uniform = r.random() < 0.4
        self.add(f"if ({r.choice([f'{counter} & 1', f'(int){counter} < n', 'many > n']) if uniform else r.choice(['t & 1', 't < 70', '(t >> 3) & 1'])}) {{")
        self.inside(uniform, self.moving if r.random() < 0.6 else self.load)
        self.add("}")

    def guarded(self):
        r = self.rng
        self.add(f"if ({r.choice(GUARDS).format(v=self.counters[-1])}) {{")
        for _ in range(r.choice([1, 1, 2])):
            self.inside(False, self.guarded if r.random() < 0.2 else self.alternating if self.flips and r.random() < 0.5 else self.moving)
        self.add("}")

    def alternating(self):
        r = self.rng
        kind, where = r.choice(["word", "quad", "half"]), r.choice(["lds", "lds", "in", "out"])
        base, elements = self.pointer(where, kind)
        flip = f"f{self.level - 1}" if r.random() < 0.7 else f"(f{self.level - 1} ^ 1u)"
        element = f"{base}[({self.start(elements)}) + {flip} * {r.choice([1, 16, 64])}]"
        self.add(f"sum += fold({element});" if where == "in" or r.random() < 0.5 else f"{element} = Make<{corpus.TYPES[kind][1]}>::of(sum);")

    def inside(self, uniform, statement):
        before, self.uniform_control = self.uniform_control, self.uniform_control and uniform
        self.depth += 1
        statement()
        self.depth -= 1
        self.uniform_control = before

    def leave(self):
        counter = self.counters[-1]
        self.add(self.rng.choice([f"if ((int){counter} == n - 1) break;", f"if ((int){counter} > (int)(t & 3)) break;",
                                  f"if ((int){counter} == 2) continue;", f"if (t & (unsigned){counter}) continue;"]))
        self.uniform_control = False

    def head(self, v, turns):
        r = self.rng
        kind = r.choice(["int", "int", "unsigned", "size_t", "short"])
        if turns == "variable":  # counts in steps
            return f"for (int {v} = 0; {v} < many; {v} += {r.choice(['step', '2', 'one'])}) {{"
        if r.random() < 0.25:
            return f"for (int {v} = {turns}; {v}-- > 0;) {{"
        return f"for ({kind} {v} = 0; {v} < ({kind})({turns}); {v}++) {{"

    def turns(self):
        r = self.rng
        v = self.name()
        uniform = r.random() < 0.75
        turns = r.choice(UNIFORM + ["variable"]) if uniform else r.choice(DIVERGENT)
        self.add(r.choice(["#pragma unroll 1", "#pragma unroll 1", "#pragma unroll 2", ""]))
        head, counter = self.head(v, turns), v
        if self.rising and r.random() < 0.25:
            head, counter, uniform = r.choice(RISING)
            head, counter = head.format(v=v), counter.format(v=v)
        if self.flips:
            self.lines.insert(0, f"unsigned f{self.level};") if f"unsigned f{self.level};" not in self.lines else None
            self.lines.insert(len(self.lines) - 1, f"f{self.level} = {r.choice(['0', '1', 't & 1'])};")
        self.add(head)
        self.counters.append(counter)
        self.level += 1
        self.inside(uniform, self.body)
        self.level -= 1
        if self.flips:
            self.add(f"    f{self.level} ^= 1u;")
        self.counters.pop()
        self.add("}")

    def body(self):
        r = self.rng
        for _ in range(r.choice([1, 2, 2, 3, 4])):
            choices = [self.moving] * 10 + [self.conditional] * 2 + [self.atomic, self.load, self.store, self.uniform]
            choices += [self.turns] * 3 if self.level < 3 else []
            choices += [self.leave] if r.random() < 0.4 else []
            choices += [self.alternating] * (10 if self.flips else 0)
            choices += [self.wrapping] + [self.guarded] * (10 if self.guards else 0)
            choices += [self.barrier] * 2 if self.uniform_control else []
            r.choice(choices)()

    def barrier(self):
        self.add("__syncthreads();")

    def text(self):
        r = self.rng
        self.counters = []
        restrict = r.choice(["", "__restrict__ "])
        for _ in range(r.choice([1, 2, 3])):
            self.turns()
        return "\n".join([
            f"__global__ void k{self.number}(unsigned char *{restrict}a, const unsigned char *{restrict}b, const unsigned char *wide,",
            f"    unsigned *{restrict}c, {ARGUMENTS})", "{",
            f"    __shared__ __attribute__((aligned(16))) unsigned char lds[{corpus.LDS_BYTES}];",
            "    unsigned t = threadIdx.y * blockDim.x + threadIdx.x, sum = n;", "    ((unsigned *)lds)[t] = sum;", "    __syncthreads();",
            *self.lines, f"    c[blockIdx.x * {corpus.N_THREADS} + t] = sum;", "}", ""])


# The middle of `wide` is where an index that is read with sign is 0.
MAIN = corpus.MAIN.replace("    unsigned *c;\n", "    unsigned *c;\n    unsigned char *wide;\n").replace(
    "        return 1;", "        return 1;\n    if (hipMalloc(&wide, (1ull << 32) + (1 << 20)))\n        return 3;").replace(
    "    for (int round", "    const unsigned char *middle = wide + (1ull << 31);\n    (void)middle;\n    for (int round")


def program(seed, kernels):
    rng = random.Random(seed)
    made = [Kernel(rng, i, seed >= RISING_SEED, seed >= GUARD_SEED, seed >= FLIP_SEED) for i in range(kernels)]
    texts = [k.text() for k in made]
    launches = "".join(
        f"        k{i}<<<{corpus.N_GROUPS}, {rng.choice(['128', 'dim3(16, 8)', 'dim3(32, 4)', '100'])}>>>(a, b, "
        f"{'middle' if 'wide[(int)' in text else 'wide'}, c, {VALUES});\n" for i, text in enumerate(texts))
    return corpus.PRELUDE + "\n".join(texts) + MAIN % launches
