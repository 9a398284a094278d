#!/usr/bin/env python3
"""Writes random kernels for the comparison of host and GPU execution.

  generate.py SEED COUNT random_kernels.c random_kernels.h

Integer arithmetic wraps and is exact everywhere; floats use only operations that IEEE 754 defines to the last bit
(compiled without contraction) and every NaN becomes the same one. Loops are bounded, array indices are reduced, and
shifts are masked, so that every program is defined. The same seed gives the same text."""
import random
import sys

INT, FLT, I64 = "u32", "float", "u64"


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names = {INT: [], FLT: [], I64: []}
        self.n = 0
        self.depth = 0
        self.loops = 0

    def pick(self, kind):
        return self.r.choice(self.names[kind])

    def expr(self, kind, depth):
        r = self.r
        if depth <= 0 or r.random() < 0.12:
            return self.leaf(kind)
        if kind == INT:
            return self.int_expr(depth)
        if kind == I64:
            return self.i64_expr(depth)
        return self.float_expr(depth)

    def leaf(self, kind):
        r = self.r
        if kind == INT:
            if r.random() < 0.3:
                return "%du" % r.choice([0, 1, 2, 3, 7, 31, 64, 255, 0xFFFF, 0x7FFFFFFF, 0x80000000, r.getrandbits(32)])
            return self.pick(INT)
        if kind == I64:
            if r.random() < 0.3:
                return "%dull" % r.choice([0, 1, 5, r.getrandbits(32), r.getrandbits(64)])
            return self.pick(I64)
        if r.random() < 0.3:
            return r.choice(["0.5f", "1.0f", "-2.0f", "3.25f", "-0.0f", "1e-3f", "7e5f"])
        return self.pick(FLT)

    def int_expr(self, d):
        r, e = self.r, lambda: self.expr(INT, d - 1)
        kind = r.randrange(22)
        if kind < 8:
            return "(%s %s %s)" % (e(), r.choice(["+", "-", "*", "^", "&", "|"]), e())
        if kind < 10:
            return "(%s %s (%s & 31))" % (e(), r.choice(["<<", ">>"]), e())
        if kind == 10:
            return "(u32)((i32)%s >> (%s & 31))" % (e(), e())
        if kind == 11:
            return "(%s %s (%s | 1u))" % (e(), r.choice(["/", "%"]), e())
        if kind == 12:
            return "(u32)((i32)%s / (i32)((%s & 0x7ffffu) + 1u))" % (e(), e())
        if kind == 13:
            return "(%s ? %s : %s)" % (self.cond(d - 1), e(), e())
        if kind == 14:
            return "(u32)(%s)%s" % (r.choice(["u8", "i8", "u16", "i16"]), e())
        if kind == 15:
            return "(u32)(%s >> (%s & 63))" % (self.expr(I64, d - 1), e())
        if kind == 16:
            return "float_bits(%s)" % self.expr(FLT, d - 1)
        if kind == 17:
            return "(u32)__builtin_popcount(%s)" % e()
        if kind == 18:
            return "%s[%s %% ITEMS]" % (r.choice("ab"), e())
        if kind == 19:
            return "mem[%s %% 16u]" % e()
        if kind == 20:
            return "helper%d(%s, %s)" % (r.randrange(3), e(), e())
        return "(u32)(((u64)%s * %s) >> 32)" % (e(), e())

    def i64_expr(self, d):
        r, e = self.r, lambda: self.expr(I64, d - 1)
        kind = r.randrange(10)
        if kind < 5:
            return "(%s %s %s)" % (e(), r.choice(["+", "-", "*", "^", "&", "|"]), e())
        if kind < 7:
            return "(%s %s (%s & 63))" % (e(), r.choice(["<<", ">>"]), self.expr(INT, d - 1))
        if kind == 7:
            return "(u64)(i64)(i32)%s" % self.expr(INT, d - 1)
        if kind == 8:
            return "(%s ? %s : %s)" % (self.cond(d - 1), e(), e())
        return "((u64)%s << 32 | %s)" % (self.expr(INT, d - 1), self.expr(INT, d - 1))

    def float_expr(self, d):
        r, e = self.r, lambda: self.expr(FLT, d - 1)
        kind = r.randrange(12)
        if kind < 6:
            return "(%s %s %s)" % (e(), r.choice(["+", "-", "*"]), e())
        if kind == 6:
            return "(float)(i32)%s" % self.expr(INT, d - 1)
        if kind == 7:
            return "(float)%s" % self.expr(INT, d - 1)
        if kind == 8:
            return "__builtin_fabsf(%s)" % e()
        if kind == 9:
            return "(%s ? %s : %s)" % (self.cond(d - 1), e(), e())
        if kind == 10:
            return "__builtin_fmaf(%s, %s, %s)" % (e(), e(), e())
        return "(%s / %s)" % (e(), e())

    def cond(self, d):
        r = self.r
        kind = r.choice([INT, INT, FLT, I64])
        cast = "(i32)" if kind == INT and r.random() < 0.4 else "(i64)" if kind == I64 and r.random() < 0.5 else ""
        return "(%s%s %s %s%s)" % (cast, self.expr(kind, d), r.choice(["<", ">", "<=", ">=", "==", "!="]), cast,
                                   self.expr(kind, d))

    def statements(self, count, indent):
        out = []
        for _ in range(count):
            out += self.statement(indent)
        return out

    def scoped(self, count, indent):
        saved = {k: list(v) for k, v in self.names.items()}
        out = self.statements(count, indent)
        self.names = saved
        return out

    def statement(self, indent):
        r, pad = self.r, "    " * indent
        kind = r.randrange(20)
        if kind < 6:
            t = r.choice([INT, INT, INT, FLT, I64])
            name = "v%d" % self.n
            self.n += 1
            line = "%s%s %s = %s;" % (pad, t, name, self.expr(t, 3))
            self.names[t].append(name)
            return [line]
        if kind < 12:
            t = r.choice([INT, INT, FLT, I64])
            mutable = [v for v in self.names[t] if v.startswith("v")]
            if mutable:
                return ["%s%s = %s;" % (pad, r.choice(mutable), self.expr(t, 3))]
            return ["%smem[%s %% 16u] = %s;" % (pad, self.expr(INT, 1), self.expr(INT, 3))]
        if kind < 14:
            return ["%smem[%s %% 16u] %s= %s;" % (pad, self.expr(INT, 2), r.choice(["", "+", "^"]), self.expr(INT, 3))]
        if indent > 3 or self.loops > 2:
            return ["%smem[%d] ^= %s;" % (pad, r.randrange(16), self.expr(INT, 2))]
        if kind < 17:
            out = ["%sif (%s) {" % (pad, self.cond(2))] + self.scoped(r.randrange(1, 4), indent + 1)
            if r.random() < 0.5:
                out += ["%s} else {" % pad] + self.scoped(r.randrange(1, 4), indent + 1)
            return out + ["%s}" % pad]
        self.loops += 1
        i = "at%d" % self.n  # not i%d: i8 and i16 are types
        self.n += 1
        bound = r.choice(["%d" % r.randrange(2, 7), "(%s & 7)" % self.pick(INT)])
        self.names[INT].append(i)
        body = self.scoped(r.randrange(1, 4), indent + 1)
        if r.random() < 0.4:
            body.append("%s    if (%s)\n%s        %s;" % (pad, self.cond(1), pad, r.choice(["break", "continue"])))
        self.names[INT].remove(i)
        self.loops -= 1
        return ["%sfor (u32 %s = 0, %s_end = %s; %s < %s_end; %s++) {" % (pad, i, i, bound, i, i, i)] + body + \
               ["%s}" % pad]

    def kernel(self, name):
        self.names = {INT: ["x", "y", "i", "n"], FLT: ["f", "g"], I64: ["w"]}
        self.n = 0
        body = ["    u32 i = item(), x = a[i], y = b[i], mem[16];",
                "    float f = (float)(i32)x * 0.01f, g = float_of(y);",
                "    u64 w = (u64)x << 32 | y;",
                "    for (u32 k = 0; k < 16; k++)",
                "        mem[k] = x * k + y;"]
        body += self.statements(self.r.randrange(8, 16), 1)
        body += ["    for (u32 k = 0; k < 10; k++)", "        out[16 * i + k] = mem[k] + mem[15 - k % 5];"]
        finals = {INT: "%s", FLT: "float_bits(%s)", I64: "(u32)(%s ^ %s >> 32)"}
        slot = 10
        for t in (INT, FLT, I64):
            for v in self.names[t][-2:]:
                text = finals[t] % ((v, v) if t == I64 else v)
                body.append("    out[16 * i + %d] = %s;" % (slot, text))
                slot += 1
        return "KERNEL %s(PARAMETERS)\n{\n%s\n}\n" % (name, "\n".join(body))


HEAD = """/* Written by generate.py. */
#include "device.h"

static NOINLINE u32 helper0(u32 x, u32 y)
{
    return x * 17 + (y ^ (x >> 3));
}
static NOINLINE u32 helper1(u32 x, u32 y)
{
    u32 keep[4] = {x, y, x ^ y, x + y};
    return keep[(x + y) & 3] + keep[x & 3];
}
static inline u32 helper2(u32 x, u32 y)
{
    return x < y ? x - y : y / (x | 1);
}

"""


def main():
    seed, count, source, header = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    names = ["random_%d_%d" % (seed, k) for k in range(count)]
    with open(source, "w") as f:
        f.write(HEAD + "\n".join(Gen(seed * 1000 + k).kernel(n) for k, n in enumerate(names)))
    with open(header, "w") as f:
        f.write("/* Written by generate.py. */\n#define RANDOM_LIST(X) %s\n" % " ".join("X(%s)" % n for n in names))


main()
