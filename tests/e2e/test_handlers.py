"""heatmap, alignment, redundancy and address_log on a program whose accesses are counted by hand (programs/where.hip),
and each of them as text, JSON, CSV and rows of the database."""

import csv
import io
import json
import sys

import pytest

import profiling
from profiling import LANESCOPE, Profile

sys.path.insert(0, str(profiling.SOURCE.parent.parent / "python"))
import lanescope_reader  # noqa: E402

SOURCE = "where.hip"
LANES = 128  # two wavefronts, one work-group


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    where = tmp_path_factory.mktemp("where")
    program = profiling.compile_hip(where / "where", "-g", "-O3", "--offload-arch=gfx90a", SOURCE)
    p = Profile(where / "results", program, options=("--handlers", "heatmap,alignment,redundancy"))
    p.program = program
    assert p.done.returncode == 0, p.done.stderr
    return p


def pointers(profile):
    return [tuple(line.split()) for line in profile.done.stdout.splitlines()]


def observed(profile):
    return [n for (n,) in profile.query("SELECT number FROM dispatch WHERE observed ORDER BY number")]


def rows(profile, table, number):
    return [json.loads(r) for (r,) in profile.query(
        """SELECT r.json FROM handler_row r JOIN dispatch d ON d.id = r.dispatch
           WHERE r.table_name = ?1 AND d.number = ?2 ORDER BY r.id""", table, number)]


def test_heatmap_tells_allocations_apart(profile):
    """in: words 1, 3, ..., 127 by each wavefront, the bytes 4 to 512: 8 lines of 64 bytes. out: 512 bytes. table: one line, in
    memory that the program did not allocate. The second launch has another `in`, allocated where or after the first
    was freed; which allocation it was is told all the same."""
    dispatches = observed(profile)
    assert len(dispatches) == 2
    numbers = []
    for number, (source, target), size in zip(dispatches, pointers(profile), (12288, 20480), strict=True):
        found = {r["address"]: r for r in rows(profile, "allocations", number)}
        assert set(found) == {source, target, None}
        assert found[source] == {"address": source, "bytes": size, "number": found[source]["number"], "loads": LANES,
                                 "stores": 0, "atomics": 0, "lines": 8, "pages": 1}
        assert found[target] == {"address": target, "bytes": 8192, "number": found[target]["number"], "loads": 0,
                                 "stores": LANES, "atomics": 0, "lines": 8, "pages": 1}
        assert (found[None]["loads"], found[None]["lines"], found[None]["pages"]) == (LANES, 1, 1)
        numbers.append((found[target]["number"], found[source]["number"]))
    assert numbers[0][0] == numbers[1][0] < numbers[0][1] < numbers[1][1]


def test_alignment(profile):
    """Two launches of two wavefronts. in: the first lane at byte 4, lanes 8 bytes apart: never aligned to 16 nor to a line.
    out: lanes 4 bytes apart, the first at the start of a line."""
    load, table, store = (profiling.marked_line(SOURCE, m) for m in ("both wavefronts", "16 words", "16 words"))
    for line, kind, not_line in ((load, "load", 4), (store, "store", 0), (table, "load", 0)):
        assert profile.metric("alignment", "Executions", line=line, kind=kind) == 4
        assert profile.metric("alignment", "Unaligned", line=line, kind=kind) == 0
        assert profile.metric("alignment", "Not 16-Aligned", line=line, kind=kind) == 4
        assert profile.metric("alignment", "Not Line-Aligned", line=line, kind=kind) == not_line


def test_redundancy(profile):
    """The second wavefront of each launch loads the 256 bytes of the first, and the 64 bytes of the table."""
    load, table = (profiling.marked_line(SOURCE, m) for m in ("both wavefronts", "16 words"))
    assert profile.metric("redundancy", "Bytes Loaded", line=load) == 2 * 512
    assert profile.metric("redundancy", "Bytes Loaded Again", line=load) == 2 * 256
    assert profile.metric("redundancy", "Bytes Loaded", line=table) == 2 * 128
    assert profile.metric("redundancy", "Bytes Loaded Again", line=table) == 2 * 64


def test_every_form_of_report(profile):
    """Text, JSON and CSV have the numbers of the database."""
    text = profiling.call(LANESCOPE, "report", profile.database).stdout
    for word in ("heatmap: allocations", "heatmap: pages", "alignment", "redundancy", f"{SOURCE}:10:17 load 4 B"):
        assert word in text, text
    (kernel,) = [k for k in json.loads(profiling.call(LANESCOPE, "report", "--json", profile.database).stdout)["kernels"]
                 if k["name"].startswith("odd")]
    line = profiling.marked_line(SOURCE, "both wavefronts")
    found = {t["handler"]: r["metrics"] for t in kernel["tables"] for r in t["rows"]
             if (r["line"], r["access"]) == (line, "load")}
    assert found["redundancy"]["Bytes Loaded Again"] == 512 and found["alignment"]["Not Line-Aligned"] == 4
    table = csv.DictReader(io.StringIO(profiling.call(LANESCOPE, "report", "--csv", profile.database).stdout))
    (record,) = [r for r in table if r["Line"] == str(line) and r["Access"] == "load"]
    assert record["redundancy.Bytes Loaded Again"] == "512" and record["alignment.Executions"] == "4"
    allocations = csv.DictReader(io.StringIO(
        profiling.call(LANESCOPE, "report", "--rows", "allocations", profile.database).stdout))
    assert sum(int(r["loads"]) for r in allocations) == 4 * LANES


@pytest.mark.parametrize("form", ["csv", "json", "binary"])
def test_log_has_every_lane(profile, form):
    """The addresses that the source asks for, lane by lane."""
    log = profile.directory / form
    p = Profile(profile.directory / f"of-{form}", profile.program,
                options=("--handlers", f"address_log:format={form}:file={log}"))
    assert p.done.returncode == 0, p.done.stderr
    accesses = list(lanescope_reader.read_address_log(log))
    first, second = observed(p)
    for line, kind, address in (
            ("both wavefronts", 1, lambda source, target, wave, lane: source + 4 + 8 * lane),
            ("16 words", 2, lambda source, target, wave, lane: target + 256 * wave + 4 * lane)):
        found = {(a.dispatch, a.wave): a for a in accesses
                 if (a.line, a.kind) == (profiling.marked_line(SOURCE, line), kind)}
        assert set(found) == {(d, w) for d in (first, second) for w in (0, 1)}
        for (dispatch, wave), a in found.items():
            source, target = (int(x, 16) for x in pointers(p)[dispatch == second])
            assert a.addresses == {lane: address(source, target, wave, lane) for lane in range(64)}
            assert (a.bytes, a.workgroup, a.space, a.lengths) == (4, (0, 0, 0), 1, None)
            assert a.kernel == "odd(int const*, int*)" and a.file.endswith(SOURCE)
    assert len(accesses) == 2 * 2 * 3
    assert [json.loads(row) for (row,) in p.query("SELECT json FROM handler_row ORDER BY id")] == [
        {"file": str(log), "format": form, "accesses": 2 * 3, "complete": True}] * 2
    assert p.metric("address_log", "Accesses Logged") == 2 * 2 * 3
