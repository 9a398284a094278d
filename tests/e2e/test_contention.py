"""Atomics whose lanes wait for each other, and lanes that are idle: they are seen, named, and what is advised comes true."""

import json
import os
import re

import pytest

import profiling
from profiling import Profile, marked_line

COMPILERS = {"hipcc": [], "clang++-22": ["-lamdhip64"]}
# Of what is the same code of the host for both, one by default.
BOTH = list(COMPILERS)[: None if os.environ.get("LANESCOPE_TEST_ALL") else 1]


def build(programs, source, compiler, *flags):
    return programs("-g", "-O3", *flags, source, *COMPILERS[compiler], compiler=compiler)


def rows_at(p, handler, line, access=None):
    """The report's rows whose access was written in that line of the test program."""
    report = json.loads(profiling.call(profiling.LANESCOPE, "report", "--json", "--top", "0", p.database).stdout)
    return [r for k in report["kernels"] for t in k["tables"] if t["handler"] == handler for r in t["rows"]
            if line in [place["line"] for place in [r, *r["inlined_at"]] if place["file"].endswith(".hip")] and
            access in (None, r["access"])]


def histogram(programs, compiler, directory, *flags, options=()):
    p = Profile(directory, build(programs, "contention.hip", compiler, *flags), options=options)
    assert p.done.returncode == 0, p.done.stderr
    return p


def cycles(p):
    row = [r for line in add_lines() for r in rows_at(p, "lds_bank_conflicts", line, "atomic")]
    assert len(row) == 1, row
    return row[0]["metrics"]["Addr Conflict"], row[0]["metrics"]["LDS Cycles"], row[0]["advice"]


def add_lines():
    text = (profiling.SOURCE / "programs" / "contention.hip").read_text().splitlines()
    return [i for i, line in enumerate(text, 1) if "// add" in line]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_few_bins(programs, compiler, tmp_path):
    """16384 bytes are 256 wavefronts. Of 32 lanes in a phase 16 add to each of two dwords: 15 wait in each of two phases,
    30 * 256 = 7,680, besides 2 * 256 cycles for the phases. With 256 bins and bytes that count up nobody waits."""
    many = histogram(programs, compiler, tmp_path / "many")
    few = histogram(programs, compiler, tmp_path / "few", "-DBINS=2")
    assert cycles(many)[:2] == (0, 512)
    assert cycles(few)[:2] == (7680, 8192)
    assert "LDS bank conflicts: none" in many.done.stderr
    assert "LDS bank conflicts: worst" in few.done.stderr and "Addr Conflict 7,680" in few.done.stderr, few.done.stderr
    worse = profiling.call(profiling.LANESCOPE, "diff", many.database, few.database)
    assert worse.returncode == 1 and re.search(r"Addr Conflict +0 +7,680 +worse", worse.stdout), worse.stdout
    better = profiling.call(profiling.LANESCOPE, "diff", few.database, many.database)
    assert better.returncode == 0 and "better" in better.stdout, better.stdout
    narrow = profiling.call(profiling.LANESCOPE, "report", few.database,
                            env=profiling.clean_environment(COLUMNS="80")).stdout
    table = narrow[narrow.index("LDS bank conflicts"):]
    first = re.search(r"atomic 4 B +256 +64\.00 +512 +0 +7,680 +8,192\n", table)
    assert first and " store 4 B" not in table[:first.start()], narrow  # worst first
    assert all(len(l) <= 80 for l in narrow.splitlines() if not l.startswith("/")), narrow
    assert "7,680" in profiling.call(profiling.LANESCOPE, "annotate", few.database).stdout


def test_one_bin(programs, tmp_path):
    """All 64 lanes add to one dword: 31 wait in each phase, 62 * 256. (Later compilers have one lane do it.)"""
    assert cycles(histogram(programs, "hipcc", tmp_path, "-DBINS=1"))[:2] == (15872, 16384)


@pytest.mark.parametrize("compiler", BOTH)
def test_advice_comes_true(programs, compiler, tmp_path):
    before = cycles(histogram(programs, compiler, tmp_path / "before", "-DBINS=4"))
    aggregated, = [re.search(r"aggregated .*: ([\d,]+) -> ([\d,]+), ([\d,]+) -> ([\d,]+) LDS cycles$", a)
                   for a in before[2] if "aggregated" in a]
    copied, = [re.match(r"privatised: (\d+) copies of the array, (\d+) B .*: ([\d,]+) -> ([\d,]+) cycles of Addr "
                        r"Conflict, ([\d,]+) -> ([\d,]+) LDS cycles$", a) for a in before[2] if "privatised" in a]
    numbers = lambda m, first: tuple(int(n.replace(",", "")) for n in m.groups()[first:])
    # 4 bins: each phase of 32 lanes has 8 on each, of which 7 wait; 2 phases, 256 wavefronts
    assert before[:2] == (3584, 4096)
    assert numbers(aggregated, 0)[::2] == numbers(copied, 2)[::2] == before[:2]
    after = cycles(histogram(programs, compiler, tmp_path / "aggregated", "-DBINS=4", "-DWAYS=2"))
    assert after[:2] == numbers(aggregated, 0)[1::2]
    after = cycles(histogram(programs, compiler, tmp_path / "copied", "-DBINS=4", "-DWAYS=3",
                             f"-DCOPIES={copied[1]}", f"-DPITCH={int(copied[2]) // 4}"))
    assert after[:2] == numbers(copied, 2)[1::2]


def diff(*arguments):
    return profiling.call(profiling.LANESCOPE, "diff", *arguments)


@pytest.mark.parametrize("compiler", BOTH)
def test_parts_of_a_cost(programs, compiler, tmp_path):
    """Spread atomics wait less, and cause bank conflicts and touch more lines instead: of LDS cycles, and of what is beyond
    need, there are fewer. Both directions are judged by that, and single metrics alone where they are named."""
    few, many = [Profile(tmp_path / str(n), build(programs, "scatter.hip", compiler, f"-DBINS={n}")) for n in (4, 256)]
    totals = [{m: p.metric(h, m) for h, m in (("lds_bank_conflicts", "Bank Conflict"), ("lds_bank_conflicts", "LDS Cycles"),
                                              ("memory_coalescing", "Cache Lines"), ("memory_coalescing", "Atomic Addresses"))}
              for p in (few, many)]
    assert totals[0]["Bank Conflict"] < totals[1]["Bank Conflict"] and totals[0]["LDS Cycles"] > totals[1]["LDS Cycles"]
    # more lines by fewer than there are more addresses
    more = {m: totals[1][m] - totals[0][m] for m in totals[0]}
    assert 0 < more["Cache Lines"] < more["Atomic Addresses"]
    better, worse = diff(few.database, many.database), diff(many.database, few.database)
    assert (better.returncode, worse.returncode) == (0, 1), better.stdout
    assert re.search(r"Bank Conflict .* changed\n", better.stdout) and re.search(r"Cache Lines .* changed\n", better.stdout)
    assert not re.search(r" worse\n", better.stdout)
    assert better.stdout.endswith("no cost is worse than before as a whole; parts of costs are: Bank Conflict, Cache Lines\n")
    assert re.search(r"Lanes/Address .* worse\n", worse.stdout) and re.search(r"LDS Cycles .* worse\n", worse.stdout)
    assert diff("-m", "Bank Conflict", few.database, many.database).returncode == 1


@pytest.mark.parametrize("compiler", BOTH)
def test_full_coalescing_of_needed_lines(programs, compiler, tmp_path):
    """Lanes of a quad stay in one line, and no line is touched in vain: nothing needs an explanation, though lanes wait."""
    p = Profile(tmp_path, build(programs, "scatter.hip", compiler, "-DBINS=4"))
    lines = [p.metric("memory_coalescing", m) for m in ("Cache Lines", "Cache Lines Needed")]
    assert lines[0] == lines[1]
    assert "of requests" not in p.done.stderr and "Lanes/Address 16.00" in p.done.stderr, p.done.stderr
    assert "requests only" not in profiling.call(profiling.LANESCOPE, "report", p.database).stdout


# Lanes and distinct addresses of each of 3 * 4 wavefronts: l / 4; the squares modulo 16: 0, 1, 4, 9; all; 7 of 32 lanes.
ATOMICS = {"quarters": (64, 16), "squares": (64, 4), "apart": (64, 64), "half": (32, 7)}


def of_site(p):
    return p.query("SELECT s.number, d.number, h.name, v.value FROM value v JOIN metric h ON h.id = v.metric JOIN site s ON"
                   " s.id = v.site JOIN dispatch d ON d.id = v.dispatch WHERE h.handler = 'memory_coalescing'"
                   " ORDER BY 1, 2, 3")


@pytest.mark.parametrize("compiler", COMPILERS)
def test_atomics_in_global_memory(programs, compiler, tmp_path):
    program = build(programs, "global_atomics.hip", compiler)
    streamed = Profile(tmp_path / "streamed", program)
    summary = Profile(tmp_path / "summary", program, options=("--summary-mode",))
    assert (streamed.done.returncode, summary.done.returncode) == (0, 0), summary.done.stderr
    for p in streamed, summary:
        for kernel, (lanes, addresses) in ATOMICS.items():
            found = [p.metric("memory_coalescing", f"Atomic {m}", f"{kernel}(%") for m in ("Lanes", "Addresses")]
            assert found == [12 * lanes, 12 * addresses], kernel
        report = json.loads(profiling.call(profiling.LANESCOPE, "report", "--json", p.database).stdout)
        told = {k["name"].split("(")[0]: [a for t in k["tables"] for r in t["rows"] for a in r["advice"] if "Atomic Lanes" in a or "lanes for each" in a]
                for k in report["kernels"]}
        assert [told[k][1].split("): ")[1] for k in ("quarters", "squares")] == ["Atomic Lanes 768 -> 192", "Atomic Lanes 768 -> 48"], told
        assert (told["apart"], told["half"]) == ([], ["lanes update one address one after the other: 4.57 lanes for each"]), told
    assert of_site(streamed) == of_site(summary)
    assert "Lanes/Address 16.00" in streamed.done.stderr, streamed.done.stderr


def advice(p, mark, source="idle.hip"):
    rows = rows_at(p, "memory_coalescing", marked_line(source, f"// {mark}"), "load")
    assert len(rows) == 1, rows
    return rows[0]["advice"]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_idle_lanes(programs, compiler, tmp_path):
    p = Profile(tmp_path, build(programs, "idle.hip", compiler))
    assert p.done.returncode == 0, p.done.stderr
    line = lambda text: marked_line("idle.hip", text)
    no_layout = "no layout helps: the idle lanes' data lie between those of the active ones"
    assert advice(p, "eighth") == [f"8 of 64 lanes active: line {line('if (i % 8')} `if (i % 8 == 0)`", no_layout]
    assert advice(p, "nested") == [f"16 of 64 lanes active: line {line('if (a[i] ==')} `if (a[i] == 0)`, "
                                   f"in line {line('if (i % 4')} `if (i % 4 == 0)`", no_layout]
    assert advice(p, "leaves") == [f"4 of 64 lanes active: line {line('if (i % 16')} `if (i % 16)`", no_layout]
    # Every other lane, 16 bytes from lane to lane: 1024 bytes less the first lane's are 16 lines; side by side with those
    # of the idle lanes 4.
    assert advice(p, "strided") == [f"32 of 64 lanes active: line {line('if (t % 2')} `if (t % 2)`",
                                    "neighbouring lanes are 16 B apart; side by side: 16 -> 4 cache lines"]
    assert advice(p, "small") == ["16 of 64 lanes active: work-groups of 16 work-items leave 48 lanes of each wavefront empty"]
    narrow = profiling.call(profiling.LANESCOPE, "report", p.database,
                            env=profiling.clean_environment(COLUMNS="80")).stdout
    assert re.search(rf"idle\.hip:{line('// eighth')}:.* load 4 B +128 +8\.00 ", narrow), narrow
    annotated = profiling.call(profiling.LANESCOPE, "annotate", p.database).stdout
    assert re.search(r" 128 +8\.00 .*// eighth", annotated) and "> 8 of 64 lanes active: line" in annotated, annotated


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("debug", [[], ["-g"]])
def test_reasons_of_idle_lanes(programs, compiler, debug, tmp_path):
    """The condition, wherever it stands on its line; a guard that all lanes pass is none: 32 and 48 work-items are 40 of 64
    lanes on average, 100 are 50 of 64, of which every second one passes."""
    source = "idle_reasons.hip"
    p = Profile(tmp_path, programs("-O3", *debug, source, *COMPILERS[compiler], compiler=compiler))
    assert p.done.returncode == 0, p.done.stderr
    says = lambda mark: [a.removeprefix("no layout helps") for a in advice(p, mark, source)][0]
    line = lambda text: marked_line(source, text)
    assert says("guarded") == "40 of 64 lanes active: work-groups leave lanes of their last wavefronts empty"
    assert says("both") == (f"25 of 64 lanes active: line {line('if (i % 2 == n)')} `if (i % 2 == n)`; "
                            "work-groups of 100 work-items leave 28 lanes of their last wavefront empty")
    assert says("one line") == f"8 of 64 lanes active: line {line('// one line')} `if (i % 8 == 0)`"
    assert says("ternary") == f"16 of 64 lanes active: line {line('// ternary')} `i % 4 == 0 ? a[i * 3 + 512] : 1.0f`"
    # two loads of one line: its mean is 36 lanes
    assert says("together") == (f"8 of 64 lanes active in 1 of the line's 2 executions: line {line('// together')} "
                                "`if (i % 8 == 0)`")
    assert says("chain") == (f"23 of 64 lanes active: line {line('if (a[i + 900]')} "
                             "`if (a[i + 900] == 0 && i > 40 && a[i + 964] == 0)`")
