"""Which accesses share a probe, and whose stands in front of a loop, against what was worked out by hand in shares.ll: the list in the
site table, and that there is a probe for each other access and for no more."""
import os
import re
import sys

import codeobject as co
import toolchain as tc

SOURCE = os.path.join(tc.SOURCES, "shares.ll")


def expected(major):
    """{kernel: [(access with the probe, distance, mark), ...]}"""
    entry = re.compile(r"(\d+)([+-]\d+)?([\^~=]?)")
    return {kernel: [(int(m[1]), int(m[2] or 0), m[3]) for m in map(entry.fullmatch, words)]
            for kernel, words in tc.expectations(SOURCE, major).items()}


def compiled(major):
    """The site table, and {kernel: numbers of calls of probes in its clone, in place and in front of loops}, from textual IR: no code
    generation is needed."""
    code, text = tc.run([tc.tool(major, "opt"), f"-load-pass-plugin={tc.plugin(major)}", "-passes=lanescope", "-S", SOURCE])
    found = re.findall(r'^@__ls_sites_\w+ = .*? c"(.*?)"', text, re.M)
    if code or len(found) != 1:
        sys.exit(f"opt-{major}: {code} {text[:2000]}")
    data = co.ir_bytes(found[0])
    bodies = {m[1]: m[0] for m in re.finditer(r"^define [^\n]*? @__ls_k_(\w+)\(.*?^}", text, re.M | re.S)}
    return co.SiteTable(data, 0, len(data)), {
        k: tuple(len(re.findall(rf"call .*@__ls_{probe}\w*\(", b)) for probe in ("access", "turns")) for k, b in bodies.items()}


def main():
    bad = 0
    for major in tc.clangs():
        want = expected(major)
        assert len(want) == open(SOURCE).read().count("define ") > 12
        table, probes = compiled(major)
        assert {k["name"] for k in table.kernels} == set(want)
        for kernel, accesses in want.items():
            sites = [i for i, s in enumerate(table.sites) if s["flags"] & co.OBSERVED
                     and s["kernel"] == [k["name"] for k in table.kernels].index(kernel)]
            got = [(sites.index(table.sites[i]["lead"][0]), table.sites[i]["lead"][1]) if table.sites[i]["lead"] else (n, 0)
                   for n, i in enumerate(sites)]
            own = [mark for n, (access, _, mark) in enumerate(accesses) if n == access]
            own = sum(mark not in ("^", "=") for mark in own), sum({"": 0, "=": 2}.get(mark, 1) for mark in own)
            if got != [a[:2] for a in accesses] or probes[kernel] != own:
                bad += 1
                print(f"opt {major} {kernel}: {got} with {probes[kernel]} probes, not {accesses} with {own}")
    print(f"{len(want)} kernels, LLVM {tc.clangs()}, {bad} differ")
    return bool(bad) or not tc.clangs()


sys.exit(main())
