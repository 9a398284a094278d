"""Prints random kernels that fill and copy, for tests/bulk.c: `bulk_random.py SEED COUNT > out.hip`.

No two work-items write the same word: each store has a region of `to` of its own, and its index grows with the
work-item. Nothing that is written is read. So every order of execution gives the same memory.
"""

import random
import sys

REGION = 1 << 15  # words that one store may reach
STORES = 8  # regions of `to`

HEADER = """/* Made by bulk_random.py. */
typedef unsigned u32;
typedef unsigned long u64;
typedef unsigned char u8;
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define ITEM __builtin_amdgcn_workitem_id_x()
"""


class Kernel:
    def __init__(self, rng):
        self.rng, self.stores, self.lines = rng, 0, []

    def emit(self, depth, text):
        self.lines.append("    " * (depth + 1) + text)

    def condition(self, depth=0):
        r = self.rng
        if depth < 2 and r.random() < 0.25:
            a, b = self.condition(depth + 1), self.condition(depth + 1)
            return r.choice([f"({a} && {b})", f"({a} || {b})", f"!({a})"])
        bound = r.choice([r.randrange(5200), r.randrange(20) * 256, r.randrange(80) * 64, 0, "p", "p + q"])
        return r.choice([
            f"id < {bound}", f"id >= {bound}", f"id == {bound}", f"id != {bound}", f"wide < (u64){bound}",
            f"GROUP < {r.randrange(22)}", f"GROUP != {r.randrange(22)}", f"ITEM < {r.randrange(300)}",
            f"(int)id - {r.randrange(5000)} > 0", f"p > {r.randrange(60)}"])

    def index(self, size):
        """An index that grows with the work-item by at least `size` elements, and its greatest value."""
        r = self.rng
        step = size + r.randrange(2)
        gap = r.randrange(40)
        offset = r.randrange(100)
        return r.choice([
            (f"id * {step} + {offset}", 5120 * step + offset),
            (f"wide * {step} + {offset}", 5120 * step + offset),
            (f"(GROUP * {256 * step + gap} + ITEM * {step} + {offset})", 20 * (256 * step + gap) + offset),
            (f"({5120 * step + offset} - id * {step})", 5120 * step + offset),
            (f"((u64)GROUP * {256 * step} + (ITEM * {step} + {offset}u))", 5120 * step + offset)])

    def source(self, index):
        return self.rng.choice(["a", "b"]) + f"[{index}]"

    def store(self, depth):
        r = self.rng
        if self.stores == STORES:
            return
        region = self.stores * REGION
        self.stores += 1
        count = r.choice([1, 1, 2, 3])
        index, most = self.index(count)
        assert most + count < REGION
        from_index = self.index(1)[0]
        kind = r.choice(["fill", "copy", "copy", "bytes", "wide", "loop", "select"])
        if kind == "fill":
            self.emit(depth, f"to[{region} + {index}] = {r.choice(['0x12345678', 'q', 'p * 3'])};")
        elif kind == "copy":
            self.emit(depth, f"to[{region} + {index}] = {self.source(from_index)};")
        elif kind == "bytes":
            self.emit(depth, f"((u8 *)to)[{4 * region} + {index}] = ((const u8 *)a)[{from_index}];")
        elif kind == "wide":
            self.emit(depth, f"((u64 *)(to + {region}))[{self.index(1)[0]}] = ((const u64 *)b)[{from_index}];")
        elif kind == "loop":
            self.emit(depth, f"for (u32 k = 0; k < {count}; k++)")
            self.emit(depth + 1, f"to[{region} + {index} + k] = {r.choice(['q', self.source(from_index + ' + k')])};")
        else:
            self.emit(depth, f"to[{region} + {index}] = {self.condition(1)} ? {self.source(from_index)} : "
                             f"{self.source(from_index)};")

    def block(self, depth):
        r = self.rng
        for _ in range(r.randrange(1, 4)):
            choice = r.random()
            if choice < 0.55 or depth > 2:
                self.store(depth)
            elif choice < 0.9:
                self.emit(depth, f"if ({self.condition()}) {{")
                self.block(depth + 1)
                if r.random() < 0.5:
                    self.emit(depth, "} else {")
                    self.block(depth + 1)
                self.emit(depth, "}")
            elif self.stores < STORES:
                region = self.stores * REGION
                self.stores += 1
                self.emit(depth, "for (u32 i = id; i < 9000 + p; i += 5120)")
                self.emit(depth + 1, f"to[{region} + i] = {r.choice(['q', 'a[i + q]'])};")

    def text(self, name):
        self.block(0)
        return (f'extern "C" __attribute__((global)) void {name}(const u32 *a, const u32 *b, u32 *to, u32 p, u32 q)\n'
                "{\n    const u32 id = GROUP * 256 + ITEM;\n    const u64 wide = (u64)GROUP * 256 + ITEM;\n"
                "    (void)wide;\n" + "\n".join(self.lines) + "\n}\n")


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    print(HEADER)
    for i in range(count):
        print(Kernel(random.Random(seed * 1000 + i)).text(f"random{i}"))


main()
