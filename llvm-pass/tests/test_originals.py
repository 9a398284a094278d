"""The plugin does not change original kernels and functions: each one's bytes are the same with and without it, except
for literals that are relative to the program counter, which differ because the clones follow in the same section."""
import struct
import sys

import toolchain as tc
from codeobject import CodeObject

S_GETPC = 0xBE801C00  # SOP1 opcode 28, sdst in bits 22:16 (MI200 ISA document, table 62)
LITERAL_SRC1 = 0xFF00  # SOP2 with a literal as second source


def mask(code):
    """Zeroes the literals of s_add_u32 and s_addc_u32 that follow s_getpc_b64 on the same registers."""
    words = list(struct.unpack(f"<{len(code) // 4}I", code))
    for i, w in enumerate(words):
        if w & 0xFF80FFFF != S_GETPC:
            continue
        low = w >> 16 & 0x7F
        for j in range(i + 1, min(i + 24, len(words) - 1)):
            for opcode, register in ((0, low), (4, low + 1)):  # SOP2: s_add_u32 0, s_addc_u32 4
                if words[j] == 0x80000000 | opcode << 23 | register << 16 | LITERAL_SRC1 | register:
                    words[j + 1] = 0
    return words


def compare(plain, probed, what):
    bad = 0
    for name in plain.functions():
        a, b = mask(plain.contents(name)), mask(probed.contents(name))
        if a != b:
            where = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            print(f"{what}: {name}: {len(a)} and {len(b)} words, first difference at word {where}")
            bad += 1
    for name, kernel in plain.kernels.items():
        if probed.kernels[name] != kernel:
            print(f"{what}: {name}: metadata differ\n  {kernel}\n  {probed.kernels[name]}")
            bad += 1
        a, b = (o.contents(name + ".kd") for o in (plain, probed))
        if a[:16] + a[24:] != b[:16] + b[24:]:  # bytes 16..23: distance to the code
            print(f"{what}: {name}: kernel descriptors differ")
            bad += 1
    return bad


def main():
    bad = checked = 0
    for major in tc.clangs():
        for source in ("modes.hip", "lines.hip"):
            for arch in tc.archs(major):
                for level in ("-O0", "-O1", "-O3"):
                    what = f"clang {major} {source} {arch} {level}"
                    name = f"originals-{major}-{source}-{arch}{level}"
                    flags = [level, f"--offload-arch={arch}", "-c"]
                    plain = CodeObject(tc.compile_plain(major, source, name + ".plain", *flags))
                    probed = CodeObject(tc.compile_device(major, source, name + ".probed", *flags))
                    assert plain.kernels and not plain.site_tables() and probed.site_tables()
                    bad += compare(plain, probed, what)
                    checked += len(plain.functions())
    print(f"{checked} functions compared, {bad} differ")
    return bad != 0 or not checked


sys.exit(main())
