"""Advice speaks of the same accesses as the tables, and comes true where an example has the advised layout."""

import json

import pytest

import profiling
from profiling import Profile

EXAMPLES = ["strided_copy", "transpose", "matmul", "reduction", "histogram", "aos_soa"]


def rows(p, table, kernel="%"):
    found = p.query("SELECT r.dispatch, r.site, r.json FROM handler_row r JOIN dispatch d ON d.id = r.dispatch"
                    " JOIN kernel k ON k.id = d.kernel WHERE r.handler = 'advice' AND r.table_name = ? AND k.name LIKE ?",
                    table, kernel)
    return {(dispatch, site): json.loads(text) for dispatch, site, text in found}


def values(p, handler, metric):
    found = p.query("SELECT v.dispatch, v.site, v.value FROM value v JOIN metric m ON m.id = v.metric"
                    " WHERE m.handler = ? AND m.name = ?", handler, metric)
    return {(dispatch, site): value for dispatch, site, value in found}


def compare(p):
    lines, needed = (values(p, "memory_coalescing", n) for n in ("Cache Lines", "Cache Lines Needed"))
    said = rows(p, "global")
    assert set(said) == {k for k in lines if lines[k] > needed[k]}
    for key, row in said.items():
        assert row["executions"] == row["replayed"], row
        assert (row["lines"], row["needed"]) == (lines[key], needed[key]), row
        assert row["needed"] <= row["after"] <= row["lines"], row
    conflicts = {k: v for k, v in values(p, "lds_bank_conflicts", "Bank Conflict").items() if v}
    waits = {k: v for k, v in values(p, "lds_bank_conflicts", "Addr Conflict").items() if v}
    cycles, said = values(p, "lds_bank_conflicts", "LDS Cycles"), rows(p, "lds")
    assert {k: row["conflicts"] for k, row in said.items() if row["conflicts"]} == conflicts
    assert {k: row["address"] for k, row in said.items() if "address" in row} == waits
    # Accesses that cost what they must are there, too: what a change makes of a line is said of all that is on it.
    assert {k: row["cycles"] for k, row in said.items()} == {k: cycles[k] for k in said}
    assert said.keys() >= conflicts.keys() | waits.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_same_numbers_as_the_tables(name, tmp_path):
    p = Profile(tmp_path, profiling.EXAMPLES / name)
    assert p.done.returncode == 0, p.done.stderr
    compare(p)


def test_what_instructions_merge_is_advised_once(programs, tmp_path):
    """An array of three floats per lane that one store of 12 bytes fills is as good as it gets."""
    p = Profile(tmp_path, programs("advice.hip", "-O3"))
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    compare(p)
    assert rows(p, "global", "merged(%") == {}
    assert len([r for r in rows(p, "lds", "columns(%").values() if r["conflicts"]]) == 1
    # Rows of 5 work-items, 20 bytes of each 32: no alignment mends that. 64 lanes are 12 rows and 4 lanes, 1 lane, 12 rows
    # and 3 lanes, 2 + 12 rows + 2, 3 + 12 rows + 1: 13 + 14 + 14 + 14 pieces of 1024 bytes.
    (row,) = rows(p, "global", "short_rows(%").values()
    assert (row["kind"], row["pieces"]) == ("pieces", 55)
    report = profiling.call(profiling.LANESCOPE, "report", "--kernel", "short_rows", p.database)
    assert "side by side in pieces of 18 B" in report.stdout, report.stdout


def test_it_comes_true(tmp_path):
    """Both layouts are in the examples: the numbers advised for the bad one are those of the good one."""
    p = Profile(tmp_path / "transpose", profiling.EXAMPLES / "transpose")
    (row,) = [r for r in rows(p, "lds", "transpose_lds(%").values() if r["conflicts"]]
    pad, = [c for c in row["changes"] if (c["kind"], c["pitch"], c["to"]) == ("pad", 32 * 4, 33 * 4)]
    assert pad["conflicts"] == p.metric("lds_bank_conflicts", "Bank Conflict", "transpose_lds_padded(%") == 0
    p = Profile(tmp_path / "aos_soa", profiling.EXAMPLES / "aos_soa")
    said = rows(p, "global", "move_aos(%").values()
    assert {row["kind"] for row in said} == {"structures"}
    assert sum(row["after"] for row in said) == p.metric("memory_coalescing", "Cache Lines", "move_soa(%")
