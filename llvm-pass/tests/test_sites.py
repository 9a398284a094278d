"""Lines, inline chains and kinds of a source with known lines; what is listed but not observed; several targets in one
compilation; calls between files with -fgpu-rdc; whose a file is; running twice; and the refusal by another LLVM."""
import os
import re
import shlex
import shutil
import subprocess
import sys

import codeobject as co
import toolchain as tc
from codeobject import CodeObject

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED", what)


def table(path):
    blocks = CodeObject(path).site_tables()
    assert len(blocks) == 1, f"{path}: {len(blocks)} blocks"
    return blocks[0]


def find(t, kind, function):
    return [s for s in t.sites if s["kind"] == co.KINDS[kind] and s["function"] == function]


def lines(major):
    """lines.hip, by reading the file: `p[i * 7]` is at 7:12, inlined at 10:12, inlined at 18:14."""
    t = table(tc.compile_device(major, "lines.hip", f"lines-{major}.co", "-O3", "--offload-arch=gfx90a", "-c"))
    what = f"clang {major} lines.hip"
    check(t.llvm == major and t.target == "gfx90a", f"{what}: head")
    kernels = {k["name"]: k for k in t.kernels}
    check({n: k["line"] for n, k in kernels.items()} == dict(chain=16, two=20, calls=24), f"{what}: {kernels}")
    check(all(k["file"].endswith("/llvm-pass/tests/lines.hip") for k in t.kernels), f"{what}: file")
    # chain(int *, const int *): 16; two(int *, int): 12 -> 16
    check(all(k["ctx_offset"] == 16 and k["flags"] == 0 for k in t.kernels), f"{what}: H")
    load, store = find(t, "load", "chain"), find(t, "store", "chain")
    check(len(load) == len(store) == 1, f"{what}: sites of chain")
    check(t.chain(load[0]) == [("inner", 7, 12), ("outer", 10, 12), ("chain", 18, 14)], f"{what}: {t.chain(load[0])}")
    check(t.chain(store[0]) == [("chain", 18, 12)], f"{what}: {t.chain(store[0])}")
    check((load[0]["bytes"], load[0]["align"], load[0]["space"]) == (4, 4, 1), f"{what}: {load[0]}")
    # `kept` is reached by two kernels, so its site belongs to none of them alone.
    kept = find(t, "store", "_Z4keptPii")
    check(len(kept) == 1 and kept[0]["kernel"] == co.LS_NONE, f"{what}: kept")
    check(t.chain(kept[0]) == [("kept", 13, 10)], f"{what}: {t.chain(kept[0])}")
    rmw = find(t, "rmw", "two")
    check(len(rmw) == 1 and rmw[0]["flags"] & co.ATOMIC and t.chain(rmw[0])[-1][:2] == ("two", 22), f"{what}: rmw")


def kinds(major):
    """What an optimised kernel does, and what is not observed: every entry has a probe or a reason (checked by the
    parser)."""
    t = table(tc.compile_device(major, "modes.hip", f"kinds-{major}.co", "-O3", "--offload-arch=gfx90a", "-c"))
    what = f"clang {major} modes.hip"
    of = lambda name: [s for s in t.of_kernel(name)]
    # The compiler may widen a copy; four neighbouring stores become one of 16 bytes.
    adjacent = of("_Z8adjacentPf")
    check([(s["kind"], s["bytes"]) for s in adjacent] == [(co.KINDS["store"], 16)], f"{what}: {adjacent}")
    vec4 = [(s["kind"], s["bytes"]) for s in of("_Z4vec4P15HIP_vector_typeIfLj4EEPKS0_")]
    check(vec4 == [(co.KINDS["load"], 16), (co.KINDS["store"], 16)], f"{what}: {vec4}")
    copies = {(s["kind"], s["bytes"]) for s in of("_Z6copiesPcPKcm") if s["kind"] in (5, 6)}
    check(copies == {(5, 0), (6, 0)}, f"{what}: {copies}")
    uniform = [s for s in of("_Z3uniPiPKii") if s["kind"] == co.KINDS["load"]]
    check(len(uniform) == 1 and uniform[0]["flags"] & co.UNIFORM, f"{what}: {uniform}")
    hidden = [s for s in of("_Z3dynPf") if s["reason"] == co.KERNARG]
    check(hidden and hidden[0]["kind"] == 1, f"{what}: {of('_Z3dynPf')}")  # blockDim
    check(any(s["space"] == 3 for s in of("_Z3dynPf")), f"{what}: dynamic LDS")
    check(any(s["kind"] == co.KINDS["cmpxchg"] for s in of("_ZN12_GLOBAL__N_14anonEPi")), f"{what}: cmpxchg")
    indirect = [k for k in t.kernels if k["flags"] & 1]
    check([k["name"] for k in indirect] == ["_Z8indirectPii"], f"{what}: {indirect}")
    calls = [(s["flags"], s["reason"], t.chain(s)) for s in t.sites if s["kind"] == co.KINDS["call"]]
    check(calls == [(co.OBSERVED, 0, [("indirect", 30, 97)])], f"{what}: {calls}")


def details(major):
    """details.hip: what is declared, with and without debug information of variables; branches by their lines."""
    for debug in "-g", "-gline-tables-only":
        t = table(tc.compile_device(major, "details.hip", f"details-{major}{debug}.co", "-O3", "--offload-arch=gfx90a", "-c",
                                    debug))
        what = f"clang {major} {debug} details.hip"
        found = {v["name"]: (v["element"], v["bytes"], v["structure"], v["dimensions"]) for v in t.variables}
        expected = dict(tile=(4, 528, 0, [4, 33]), halves=(2, 768, 1, [2, 3, 64]), pairs=(8, 512, 1, [64]),
                        wide=(16, 1024, 0, [8, 8]), dynamic=(8, 0, 0, [0]))
        check(found == expected, f"{what}: {t.variables}")
        types = {v["name"]: v["type"] for v in t.variables}
        check((types["tile"], types["pairs"], types["dynamic"]) == ("float", "pair", "double"), f"{what}: {types}")
        check(types["wide"] == ("float4" if debug == "-g" else ""), f"{what}: {types}")
        around = {t.chain(s)[-1][1]: t.around(s) for s in t.of_kernel("branches") if s["kind"] == co.KINDS["store"]}
        line = lambda text: 1 + next(i for i, l in enumerate(open(os.path.join(tc.SOURCES, "details.hip")).read().splitlines()) if text in l)
        eighth = (line("if (i % 8"), 0)
        check(around[line("out[i] = 1")] == around[line("out[i + 64]")] == [], f"{what}: {around}")
        check(around[line("out[i + 128]")] == [eighth], f"{what}: {around}")
        check(around[line("out[i + 192]")] == [(line("if (in[i]"), 0), eighth], f"{what}: {around}")
        loop = around[line("__hip_atomic_store(")]
        check({l for l, _ in loop} == {line("for (int k")} and 1 in {e for _, e in loop}, f"{what}: {around}")
        check(around[line("out[i + 320]")] == [(line("if (i > 60)"), 0)], f"{what}: {around}")


def merged(major):
    """merged.hip: each access has 4 bytes and a line, so a site of n bytes has n / 4 of them, and together they have all."""
    with open(os.path.join(tc.SOURCES, "merged.hip"), encoding="utf-8") as file:
        marks = [text.rpartition("// ")[2].strip() for text in file]
    t = table(tc.compile_device(major, "merged.hip", f"merged-{major}.co", "-O3", "--offload-arch=gfx90a", "-c"))
    merges = 0
    for name in ("loads", "equal", "other", "called", "shared"):
        found = []
        for site in t.of_kernel(name):
            frames = site["parts"] + ([] if site["flags"] & co.BORROWED else [site["frame"]])
            lines = {t.chain_of(f)[-1][1] for f in frames}
            check(len(lines) == site["bytes"] // 4, f"clang {major} {name}: {site['bytes']} bytes, lines {lines}")
            merges += len(lines) > 1
            found += lines
        expected = [i for i, mark in enumerate(marks, 1) if mark == name]
        check(sorted(found) == expected, f"clang {major} {name}: {found}, not {expected}")
    check(merges >= 5, f"clang {major}: nothing was merged")
    lines = lambda site, k: {t.chain_of(f)[k][1] for f in site["parts"] + ([] if site["flags"] & co.BORROWED else [site["frame"]])}
    for name, k in (("ways", -1), ("through", -1), ("unrolled", -1), ("hoisted", -1), ("turns", -1), ("known", -1), ("atomics", -1),
                    ("copies", -1), ("within", 0)):
        found = set().union(*(lines(site, k) for site in t.of_kernel(name) if site["flags"] & co.OBSERVED))
        expected = {i for i, mark in enumerate(marks, 1) if mark == name}
        check(found == expected, f"clang {major} {name}: {found}, not {expected}")
    pairs = [{i for i, mark in enumerate(marks, 1) if mark == name} for name in ("apart out", "apart other")]
    found = [lines(site, -1) for site in t.of_kernel("apart") if site["kind"] == co.KINDS["store"]]
    check(len(found) >= 2 and all(f in pairs for f in found), f"clang {major} apart: {found}, not {pairs}")


def unoptimised(major):
    t = table(tc.compile_device(major, "lines.hip", f"o0-{major}.co", "-O0", "--offload-arch=gfx90a", "-c"))
    private = [s for s in t.sites if s["reason"] == co.PRIVATE]
    seen = [s for s in find(t, "load", "_Z5innerPKii") if s["flags"] & co.OBSERVED]
    check(len(private) > 5 and len(seen) == 1, f"clang {major} -O0: {len(private)} private, {seen}")
    check(seen and t.chain(seen[0]) == [("inner", 7, 12)], f"clang {major} -O0 chain")


def of_assembly(major, source, gpu, *flags):
    """Site table of LLVM assembly."""
    name = os.path.basename(source)
    out = os.path.join(tc.WORK, f"{name}-{major}")
    code, text = tc.run([tc.tool(major, "opt"), f"-load-pass-plugin={tc.plugin(major)}", "-passes=lanescope,verify",
                         source, "-o", out + ".bc"])
    check(code == 0, f"opt-{major}: {text}")
    code, text = tc.run([tc.compiler(major), "-x", "ir", "-Wno-override-module", "-target", "amdgcn-amd-amdhsa", f"-mcpu={gpu}", "-nogpulib",
                         "-O3", *flags, out + ".bc", "-o", out + ".co"])
    check(code == 0, f"clang {major} {name}: {text}")
    return table(out + ".co")


TRANSPOSING = """target triple = "amdgcn-amd-amdhsa"
declare <%(n)s x i16> @llvm.amdgcn.global.load.tr.b128.v%(n)si16(ptr addrspace(1))
define amdgpu_kernel void @transposing(ptr addrspace(1) %%p, ptr addrspace(1) %%q) #0 {
  %%x = call <%(n)s x i16> @llvm.amdgcn.global.load.tr.b128.v%(n)si16(ptr addrspace(1) %%p)
  store <%(n)s x i16> %%x, ptr addrspace(1) %%q, align 16
  ret void
}
attributes #0 = { "target-cpu"="gfx1201" "target-features"="+wavefrontsize%(lanes)s" }
"""


def transposing(major):
    """In wavefronts of 64 lanes only the addresses of 32 count ("RDNA4 Instruction Set Architecture", 11.6.2): what probes would send is wrong."""
    if major < 22:
        return
    for lanes in 32, 64:
        source = os.path.join(tc.WORK, f"transposing{lanes}.ll")
        with open(source, "w", encoding="utf-8") as file:
            file.write(TRANSPOSING % {"n": 256 // lanes, "lanes": lanes})
        t = of_assembly(major, source, "gfx1201", f"-mwavefrontsize{lanes}" if lanes == 64 else "-mno-wavefrontsize64")
        got = [(s["kind"], s["bytes"], bool(s["flags"] & co.OBSERVED)) for s in t.sites]
        kinds = co.KINDS["load"], co.KINDS["store"]
        want = [(kinds[0], 16 if lanes == 32 else 0, lanes == 32), (kinds[1], 512 // lanes, True)]
        check(got == want, f"clang {major} transposing, {lanes} lanes: {got}")


def sunk(major):
    """sinks.ll: reads that machine code moves into a condition. What is executed as often as the function has the number 1."""
    if major < 22:
        return  # which lack gfx950 or these reads of it
    source = os.path.join(tc.SOURCES, "sinks.ll")
    code, text = tc.run([tc.tool(major, "llc"), "-O3", source, "-o", "-"])
    check(code == 0, f"llc-{major} sinks.ll: {text}")
    bodies = {m[1]: m[2] for m in re.finditer(r"^(\w+): *; @.*?$(.*?)^\.Lfunc_end", text, re.M | re.S)}
    t = of_assembly(major, source, "gfx950")
    want, got = {}, {}
    for name in (k["name"] for k in t.kernels):
        behind = bodies[name].partition("s_cbranch")[2]
        reads = bodies[name].count("ds_read_b64_tr")
        want[name] = reads, behind.count("ds_read_b64_tr")
        sites = [s for s in t.of_kernel(name) if s["space"] == 3]
        got[name] = len(sites), sum(s["together"] != 1 for s in sites)
    check(got == want and {n for _, n in want.values()} == {0, 1, 2}, f"clang {major} sinks.ll: {got}, not {want}")


def special(major):
    """Buffer intrinsics, loads to LDS and others that no HIP source reaches: from LLVM assembly."""
    if major < 22:
        return  # older code generators lack some of these intrinsics, or crash on the original
    t = of_assembly(major, os.path.join(tc.SOURCES, "intrinsics.ll"), "gfx942")
    names = {v: k for k, v in co.KINDS.items()}
    got = [(names[s["kind"]], s["space"], s["bytes"], bool(s["flags"] & co.OBSERVED)) for s in t.sites]
    want = [("load", 8, 4, True), ("load", 8, 16, True), ("store", 8, 8, True), ("rmw", 8, 4, True),
            ("cmpxchg", 8, 4, True), ("lds_dma_read", 8, 4, True), ("lds_dma_write", 3, 4, True),
            ("lds_dma_read", 1, 4, True), ("lds_dma_write", 3, 4, True), ("copy_write", 1, 0, True),
            ("load", 8, 4, False), ("store", 0, 4, True), ("other", 0, 0, False), ("other", 0, 0, False), ("store", 5, 4, False),
            ("load", 3, 8, True), ("load", 7, 4, True), ("store", 7, 8, True), ("rmw", 7, 4, True),
            # copies: one instruction a side where length and alignment allow it
            ("load", 3, 16, True), ("store", 1, 16, True), ("copy_read", 3, 16, True), ("copy_write", 1, 16, True),
            ("copy_read", 3, 32, True), ("copy_write", 1, 32, True), ("store", 1, 8, True),
            ("rmw", 3, 4, True)]  # nothing of those behind ds.append accesses the program's memory
    check(got == want, f"clang {major} intrinsics.ll:\n{got}\n{want}")
    check([s["align"] for s in t.sites[-8:-1]] == [8, 16, 2, 16, 16, 16, 4], f"alignments: {t.sites[-8:]}")


def packet(major):
    """packet.hip: of the packet of the dispatch, only what the program itself loads is an access. Nobody wrote those two words
    by which a lane finds its part of an array in LDS."""
    for level in ("-O1", "-O2", "-O3"):
        t = table(tc.compile_device(major, "packet.hip", f"packet-{major}.co", level, "-g", "--offload-arch=gfx90a", "-c"))
        loads = lambda name: [(s["bytes"], s["reason"], t.chain(s)) for s in t.of_kernel(name) if s["space"] == 4]
        what = f"clang {major} packet.hip {level}"
        check(all(any(s["space"] == 3 for s in t.of_kernel(k["name"])) for k in t.kernels), f"{what}: no array in LDS")
        check(loads("_Z3onePii") == loads("_Z3twoPii") == [], f"{what}: {loads('_Z3onePii')} {loads('_Z3twoPii')}")
        check(loads("_Z5otherPii") == [(4, co.KERNARG, [("other", 33, 42)])], f"{what}: {loads('_Z5otherPii')}")
        check(loads("_Z4samePii") == [(4, co.KERNARG, [("same", 43, 43)])], f"{what}: {loads('_Z4samePii')}")


def several_targets(major):
    """Two targets, host code, two files in one program without -fgpu-rdc: each code object has its table."""
    if not os.path.exists(tc.tool(major, "clang-offload-bundler")):
        print(f"clang {major}: clang-offload-bundler is not installed; no test of fat objects")
        return
    out = os.path.join(tc.WORK, f"fat-{major}.o")
    archs = [f"--offload-arch={a}" for a in tc.archs(major)]
    code, text = tc.run([tc.VERB, tc.compiler(major), *tc.old_rocm(major), "-O1", *archs, "-c",
                         os.path.join(tc.SOURCES, "lines.hip"), "-o", out])
    check(code == 0, f"clang {major}, several targets: {text}")
    blob = open(out, "rb").read()
    check(blob.count(b"LSSITE01") == len(archs), f"clang {major}: {blob.count(b'LSSITE01')} tables in the fat object")


def rdc(major):
    """A call into another file is cloned when the plugin runs at the device link; doing both does not clone clones."""
    if not os.path.exists(tc.tool(major, "clang-offload-bundler")):
        return
    objects = []
    for name in ("rdc_a", "rdc_b"):
        objects.append(os.path.join(tc.WORK, f"{name}-{major}.o"))
        code, text = tc.run([tc.VERB, tc.compiler(major), *tc.old_rocm(major), "-O2", "-fgpu-rdc",
                             "--offload-arch=gfx90a", "-c", os.path.join(tc.SOURCES, name + ".hip"), "-o", objects[-1]])
        check(code == 0, f"clang {major} rdc compile: {text}")
    out = os.path.join(tc.WORK, f"rdc-{major}.out")
    code, text = tc.run([tc.VERB, tc.compiler(major), *tc.old_rocm(major), "-fgpu-rdc", "--hip-link",
                         "--offload-arch=gfx90a", *objects, "-o", out])
    check(code == 0, f"clang {major} rdc link: {text}")
    blob = open(out, "rb").read() if code == 0 else b""
    for symbol in (b"\0__ls_k_in_a\0", b"\0__ls_k_in_b\0"):
        check(symbol in blob, f"clang {major} rdc: no {symbol}")
    check(b"other_file" in blob and blob.count(b"LSSITE01") == 1, f"clang {major} rdc: {blob.count(b'LSSITE01')} tables")


HEADERS = ("own/own", "own/quoted", "lib/library", "inc/named", "below/lib/deep", "before/first")
ORIGIN_SOURCE = "".join(f'#include {q[0]}{h}.h{q[1]}\n' for q, h in (('""', "quoted"), ("<>", "own"), ("<>", "library"), ("<>", "named"),
                                                                    ("<>", "deep"))) + """
__attribute__((global)) void k(int *p) { quoted(p); own(p); library(p); named(p); deep(p); first(p); p[6] = 1; }
"""
USER, SYSTEM = 1, 2
ORIGINS = {"origins.hip": USER, "own.h": USER, "quoted.h": USER, "named.h": USER, "library.h": SYSTEM, "deep.h": SYSTEM, "first.h": USER}
# The source's folder as one of the system's: its files are the user's all the same. Relative folders, and one with "..".
ORIGIN_WORDS = ["-isystem", "own", "-isystem", "lib", "-I", "inc", "-isystem", "inc/../below/lib", "-isystem", "before", "-include",
                "before/first.h"]


def origin_files(folder):
    """A source with headers in folders of several kinds."""
    for i, header in enumerate(HEADERS):
        path = os.path.join(folder, f"{header}.h")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        name = os.path.basename(header)
        open(path, "w").write(f"static inline __attribute__((device)) void {name}(int *p) {{ p[{i} * 16] = {i}; }}\n")
    open(os.path.join(folder, "own", "origins.hip"), "w").write(ORIGIN_SOURCE)


def origins_of(tables, what):
    check(len(tables) == 1, f"{what}: {len(tables)} tables")
    found = {os.path.basename(f["file"]): f["origin"] for t in tables for f in t.frames if f["file"]}
    check(found == ORIGINS, f"{what}: {found}")


def origins(major):
    """Whose a file is, by the command of the compiler proper, and by the environment where that says nothing."""
    folder = os.path.join(tc.WORK, f"origins-{major}")
    origin_files(folder)
    source = os.path.join("own", "origins.hip")
    plugin = ["-Xarch_device", f"-fpass-plugin={tc.plugin(major)}", "-Xarch_device", "-gline-tables-only"]
    long = [f"-DNAME{i}={'x' * 1000}" for i in range(200)]  # the compiler hands it on in a response file

    def compiled(ways, words):
        done = subprocess.run([*ways, "-x", "hip", "-nogpuinc", "-nogpulib", "-O1", "--offload-arch=gfx90a", "--cuda-device-only",
                               *ORIGIN_WORDS, *words, source], capture_output=True, text=True, cwd=folder,
                              env={k: v for k, v in os.environ.items() if k != "LANESCOPE_SYSTEM_FOLDERS"})
        check(done.returncode == 0, f"clang {major} {words}: {done.stderr}")

    for name, ways, words in (("alone", [tc.compiler(major), *plugin], []), ("long", [tc.compiler(major), *plugin], long),
                              ("saved", [tc.VERB, tc.compiler(major)], ["-save-temps"])):
        compiled(ways, [*words, "--no-gpu-bundle-output", "-c", "-o", f"{name}.o"])
        origins_of(CodeObject(os.path.join(folder, f"{name}.o")).site_tables(), f"clang {major}, {name}")
    compiled([tc.VERB, tc.compiler(major)], ["-S", "-emit-llvm", "-o", "one.ll"])  # in one process
    text = next(line for line in open(os.path.join(folder, "one.ll")) if "LSSITE01" in line)
    block = co.ir_bytes(re.search(r'c"(LSSITE01.*)", section', text)[1])
    origins_of([co.SiteTable(block, 0, len(block))], f"clang {major}, in one process")


def twice(major):
    source = os.path.join(tc.WORK, f"twice-{major}.ll")
    tc.compile_device(major, "lines.hip", source, "-O1", "--offload-arch=gfx90a", "-S", "-emit-llvm")
    out = os.path.join(tc.WORK, f"twice-{major}.again.ll")
    code, text = tc.run([tc.tool(major, "opt"), f"-load-pass-plugin={tc.plugin(major)}", "-passes=lanescope", "-S",
                         source, "-o", out])
    functions = lambda path: sorted(re.findall(r"^define .*?@([\w$.]+)\(", open(path).read(), re.M))
    check(code == 0 and functions(source) == functions(out), f"clang {major}: the second run changed something {text}")
    check("__ls_k_chain" in functions(source), f"clang {major}: no clone in the IR")


def refusal():
    """A plugin of another version says so; the compilation goes on without it."""
    majors = tc.clangs()
    for running in majors:
        for built in majors:
            if running == built:
                continue
            out = os.path.join(tc.WORK, f"refused-{running}-{built}.o")
            if os.path.exists(out):
                os.unlink(out)
            code, text = tc.run([tc.compiler(running), "-x", "c", "-c", "-", f"-fpass-plugin={tc.plugin(built)}", "-o",
                                 out, "-O1"], input="int f(void) { return 1; }\n")
            check(code == 0 and os.path.exists(out), f"clang {running} with the plugin for {built}: {code} {text}")
            check(f"this plugin is for LLVM {built}, the compiler is LLVM {running}" in text, f"message: {text}")


def verb():
    run = lambda *a, **k: tc.run([tc.VERB, *a], **k)
    code, text = run("/no-such-folder/clang++", "-c", "x.hip")
    # 2: the whole command, which has other verbs
    check(code in (2, 127) and "no-such-folder" in text, f"missing compiler: {code} {text}")
    code, text = run("clang++-22", "--lanescope-help")
    check(code == 0 and "LANESCOPE_VERBOSE" in text, "help")
    if shutil.which("clang++-14"):
        code, text = run("clang++-14", "--offload-arch=gfx90a", "-c", "x.hip")
        check(code == 4 and "LLVM 14" in text and "22" in text, f"version without plugin: {code} {text}")
    compiler = tc.compiler(max(tc.clangs()))
    bad = os.path.join(tc.WORK, "bad.hip")
    open(bad, "w").write("this is no C++\n")
    code, text = run(compiler, *tc.old_rocm(max(tc.clangs())), "--offload-arch=gfx90a", "-c", bad)
    check(code == 1 and "error:" in text, f"errors of the compiler: {code} {text}")
    code, text = run(compiler, "-###", "-c", "host.c", env=dict(os.environ, LANESCOPE_VERBOSE="1"))
    check("lanescope-pass" not in text, f"host code: {text}")


def main():
    majors = tc.clangs()
    for major in majors:
        for part in (lines, kinds, special, sunk, transposing, rdc, origins, twice):
            part(major)
    for major in {majors[0], majors[-1]} if majors else ():  # what is alike in those between
        for part in (details, merged, unoptimised, packet, several_targets):
            part(major)
    refusal()
    verb()
    print(f"{len(failures)} failures")
    return bool(failures) or not tc.clangs()


sys.exit(main())
