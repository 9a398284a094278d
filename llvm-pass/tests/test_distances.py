"""Constant distances of accesses in the site table, against those worked out by hand in distances.ll."""
import os
import re
import sys

import codeobject as co
import toolchain as tc

SOURCE = os.path.join(tc.SOURCES, "distances.ll")


def expected(major):
    """{kernel: [(group, distance, variable), ...]}"""
    entry = re.compile(r"([a-z])([+-]\d+)(?::([a-z]))?")
    return {kernel: [(m[1], int(m[2]), m[3]) for m in map(entry.fullmatch, words)]
            for kernel, words in tc.expectations(SOURCE, major).items()}


def table(major):
    """The site table as it stands in the textual IR: no code generation is needed."""
    code, text = tc.run([tc.tool(major, "opt"), f"-load-pass-plugin={tc.plugin(major)}", "-passes=lanescope", "-S", SOURCE])
    found = re.findall(r'^@__ls_sites_\w+ = .*? c"(.*?)"', text, re.M)
    if code or len(found) != 1:
        sys.exit(f"opt-{major}: {code} {text[:2000]}")
    data = co.ir_bytes(found[0])
    return co.SiteTable(data, 0, len(data))


def letters(numbers, none):
    """Numbers as letters in the order of their appearance."""
    seen = {}
    return [none if n == 0 else seen.setdefault(n, len(seen)) for n in numbers]


def same(sites, want):
    """Groups and variables have other numbers in each version of LLVM: only which are the same counts."""
    order = {c: i for i, c in enumerate(dict.fromkeys(w[0] for w in want))}
    variables = {c: i for i, c in enumerate(dict.fromkeys(w[2] for w in want if w[2]))}
    return (letters([s["group"] for s in sites], None) == [order[w[0]] for w in want]
            and [s["distance"] for s in sites] == [w[1] for w in want]
            and letters([s["variable"] for s in sites], None) == [variables.get(w[2]) for w in want])


def main():
    assert co.ir_bytes(r"a\\22\5C\22\00") == b'a\\22\\"\0'  # by hand: a, a backslash before 22, a backslash, a quote, zero
    bad = 0
    for major in tc.clangs():
        want = expected(major)
        assert len(want) == open(SOURCE).read().count("define ") > 15
        t = table(major)
        assert {k["name"] for k in t.kernels} == set(want)
        for kernel, accesses in want.items():
            sites = [s for s in t.of_kernel(kernel) if s["flags"] & co.OBSERVED]
            if not same(sites, accesses):
                bad += 1
                got = [(s["group"], s["distance"], s["variable"]) for s in sites]
                print(f"opt {major} {kernel}: {got}, not {accesses}")
    print(f"{len(want)} kernels, LLVM {tc.clangs()}, {bad} differ")
    return bool(bad) or not tc.clangs()


sys.exit(main())
