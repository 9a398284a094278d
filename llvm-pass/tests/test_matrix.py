"""Every version, processor and optimisation level, with and without the plugin.

Originals: each function's bytes are the same with and without the plugin, except for literals that are relative to the
program counter, which differ because the clones follow in the same section; so are kernel descriptors and metadata.
So they are where a second process generates the clones' code (`-beside`). Clones: the extra pointer lies at H, hidden arguments move by 8 and stay the same, LDS is the original's. Site tables
parse. LLVM's verifier, which clang runs before it generates code, accepts the modules.
"""
import concurrent.futures
import re
import sys

import toolchain as tc
from codeobject import CodeObject, mask

INDIRECT, LEFT_OUT = 1, 4  # LS_KERNEL_INDIRECT_CALLS, LS_KERNEL_LEFT_OUT
# Two of the kernels that reach one variable in LDS by functions, one of two that reach others, and one of one template's.
CHOICE = r"^(callee[12]|uses_ab|void tmpl<float>)\("
CHOSEN = {"_Z7callee1Pi", "_Z7callee2Pi", "_Z7uses_abPi", "_Z4tmplIfEvPT_S0_"}


def originals(plain, probed):
    flags = {k["name"]: k["flags"] for t in probed.site_tables() for k in t.kernels}
    for name in plain.functions():
        a, b = mask(plain.contents(name)), mask(probed.contents(name))
        if a != b:
            where = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            yield f"{name}: {len(a)} and {len(b)} words, first difference at word {where}"
    for name, kernel in plain.kernels.items():
        other = dict(probed.kernels[name])
        if flags[name] & INDIRECT:
            # The kernel gets as many registers as any function of the module needs: the clones' count, too.
            for key in (".sgpr_count", ".vgpr_count", ".agpr_count"):
                if key in other:
                    assert other[key] >= kernel[key]
                    other[key] = kernel[key]
        elif plain.contents(name + ".kd")[:16] != probed.contents(name + ".kd")[:16] or (
            # bytes 16..23: distance to the code
            plain.contents(name + ".kd")[24:] != probed.contents(name + ".kd")[24:]
        ):
            yield f"{name}: kernel descriptors differ"
        if other != kernel:
            yield f"{name}: metadata differ: {[k for k in kernel if kernel[k] != other.get(k)]}"


def clones(probed, level, chosen):
    tables = probed.site_tables()
    if len(tables) != 1:
        yield f"{len(tables)} site tables"
        return
    listed = {k["name"] for k in tables[0].kernels}
    if listed != {k for k in probed.kernels if not k.startswith("__ls_k_")}:
        yield f"kernels in the table: {listed}"
    made = {k["name"] for k in tables[0].kernels if not k["flags"] & LEFT_OUT}
    if chosen and made != chosen:
        yield f"chosen kernels: {made}"
    for k in tables[0].kernels:
        if k["flags"] & LEFT_OUT:
            if k["clone"] in probed.symbols:
                yield f"{k['clone']} is there"
            continue
        a, b, h = probed.kernels[k["name"]], probed.kernels[k["clone"]], k["ctx_offset"]
        hidden = lambda kernel: [x for x in kernel.get(".args", []) if x[".value_kind"].startswith("hidden_")]
        explicit = lambda kernel: [x for x in kernel.get(".args", []) if not x[".value_kind"].startswith("hidden_")]
        end = max([x[".offset"] + x[".size"] for x in explicit(a)], default=0)
        if h != (end + 7) // 8 * 8:
            yield f"{k['name']}: H is {h}, the arguments end at {end}"
        extra = explicit(b)[-1]
        if (extra[".offset"], extra[".size"]) != (h, 8) or len(explicit(b)) != len(explicit(a)) + 1:
            yield f"{k['name']}: the extra argument is {extra}"
        shifted = [dict(x, **{".offset": x[".offset"] + 8}) for x in hidden(a)]
        if shifted != hidden(b):
            yield f"{k['name']}: hidden arguments differ: {shifted} {hidden(b)}"
        if a[".group_segment_fixed_size"] != b[".group_segment_fixed_size"]:
            yield f"{k['name']}: LDS {a['.group_segment_fixed_size']} and {b['.group_segment_fixed_size']}"
        if level != "-O0" and b.get(".vgpr_spill_count", 0):
            yield f"{k['name']}: {b['.vgpr_spill_count']} spilled registers"
        for symbol in (k["clone"], k["clone"] + ".kd"):
            if not probed.symbols[symbol]["dynamic"]:
                yield f"{symbol} is not in .dynsym"
    table_symbol = f"__ls_sites_{tables[0].hash:016x}"
    s = probed.symbols.get(table_symbol)
    if not s or not s["dynamic"] or s["visibility"] != 3:
        yield f"{table_symbol}: {s}"


def reached(calls, roots):
    """Functions that some functions call, and what these call."""
    found, new = set(), set(roots)
    while new:
        found |= new
        new = {callee for caller in new for callee in calls[caller]} - found
    return found - set(roots)


def separate(major):
    """Originals and clones share no function: code generation deduces attributes across calls, in both directions."""
    name = f"modes-{major}.ll"
    path = tc.compile_device(major, "modes.hip", name, "-O1", "--offload-arch=gfx90a", "-S", "-emit-llvm")
    calls, kernels, function = {}, [], None
    for line in open(path, encoding="utf-8"):
        if line.startswith("define "):
            function = re.search(r"@([\w.$]+)\(", line).group(1)
            calls[function] = set()
            if " amdgpu_kernel " in line:
                kernels.append(function)
        elif called := re.search(r"\bcall .*?@([\w.$]+)\(", line):
            calls[function].add(called.group(1))
    for callees in calls.values():
        callees &= set(calls)  # not the intrinsics
    clones = [k for k in kernels if k.startswith("__ls_k_")]
    ours = reached(calls, [k for k in kernels if k not in clones])
    theirs = reached(calls, clones)
    library = "_Z7libraryPii"
    if library not in ours or f"__ls_f_{library}" not in theirs:
        yield f"{library} is not called where it is expected"
    yield from (f"{f}: originals and clones call it" for f in ours & theirs)


def one(major, arch, level, cov, chosen=None, beside=False):
    name = f"modes-{major}-{arch}{level}{cov}{'-chosen' if chosen else ''}{'-beside' if beside else ''}"
    flags = [level, f"--offload-arch={arch}", "-c"] + ([f"-mcode-object-version={cov}"] if cov else [])
    flags += ["-DDIRECT"] if beside else []
    plain = CodeObject(tc.compile_plain(major, "modes.hip", name + ".plain", *flags))
    choice = [f"--lanescope-kernels={CHOICE}"] if chosen else []
    probed = CodeObject(tc.compile_device(major, "modes.hip", name + ".probed", *choice, *flags,
                                          LANESCOPE_PROBE_BESIDE="always" if beside else "false"))
    assert plain.kernels and not plain.site_tables()
    assert len(plain.notes) == 1 and len(probed.notes) == (2 if beside else 1), f"{name}: made of {len(probed.notes)} objects"
    found = list(originals(plain, probed)) + list(clones(probed, level, chosen))
    return [f"{name}: {x}" for x in found], len(plain.functions())


def main():
    jobs = []
    for major in tc.clangs():
        for arch in tc.archs(major):
            for level in ("-O0", "-O1", "-O3") if (major, arch) == (22, "gfx90a") else ("-O1", "-O3") if major == 15 else ("-O3",):
                jobs.append((major, arch, level, ""))
    jobs += [(max(tc.clangs()), "gfx90a", "-O3", cov) for cov in ("56" if max(tc.clangs()) >= 19 else "5")]  # 4 by itself here
    jobs += [(max(tc.clangs()), arch, "-O3", "") for arch in ("gfx803", "gfx950", "gfx1030", "gfx1100", "gfx1200")
             if max(tc.clangs()) >= 19]
    jobs += [(major, "gfx90a", "-O3", "", CHOSEN) for major in (15, max(tc.clangs())) if major in tc.clangs()]
    jobs += [(major, arch, level, "", None, True) for major in tc.clangs() for arch in tc.archs(major) for level in ("-O0", "-O3")]
    jobs += [(max(tc.clangs()), arch, "-O3", "", None, True) for arch in ("gfx1030", "gfx1200") if max(tc.clangs()) >= 19]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda j: one(*j), jobs))
    bad = [line for found, _ in results for line in found]
    bad += [f"clang {major}: {x}" for major in tc.clangs() for x in separate(major)]
    print("\n".join(bad))
    print(f"{len(jobs)} compilations, {sum(n for _, n in results)} functions compared, {len(bad)} differences")
    return bool(bad) or not jobs


sys.exit(main())
