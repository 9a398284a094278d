"""wave_timeline: every wavefront once, where the software GPU says that it ran, inside the dispatch's time."""

import json
import re

import pytest

import profiling
from profiling import Profile

UNITS = 104  # of gfx90a


def rows(p, table, number):
    return [json.loads(r) for (r,) in p.query(
        """SELECT r.json FROM handler_row r JOIN dispatch d ON d.id = r.dispatch
           WHERE r.handler = 'wave_timeline' AND r.table_name = ? AND d.number = ? ORDER BY r.id""", table, number)]


def value(p, name, number):
    return p.query("""SELECT v.value FROM dispatch_value v JOIN metric m ON m.id = v.metric JOIN dispatch d ON d.id = v.dispatch
                      WHERE m.handler = 'wave_timeline' AND m.name = ? AND d.number = ?""", name, number)[0][0]


@pytest.mark.parametrize("options", [(), ("--summary-mode",), ("--ring-size", "4K")])
def test_matmul(tmp_path, options):
    p = Profile(tmp_path, profiling.EXAMPLES / "matmul", options=("--handlers", "wave_timeline:rows=1000", *options))
    assert p.done.returncode == 0, p.done.stderr
    dispatches = p.query("""SELECT number, grid_x, grid_y, workgroup_x, workgroup_y, end_ns - start_ns FROM dispatch
                            WHERE observed""")
    assert dispatches
    for number, gx, gy, wx, wy, duration in dispatches:
        waves = wx * wy // 64
        found = rows(p, "waves", number)
        assert {(r["workgroup"], r["wave"]) for r in found} == {
            (f"{x},{y},0", w) for x in range(gx // wx) for y in range(gy // wy) for w in range(waves)}
        assert len(found) == gx // wx * (gy // wy) * waves == value(p, "Wavefronts", number)
        for r in found:
            # work-groups are dealt round robin over the compute units, eight engines in turn (soft-gpu/isa)
            x, y, _ = map(int, r["workgroup"].split(","))
            unit = (x + y * (gx // wx)) % UNITS
            assert (r["xcc"], r["engine"], r["array"], r["unit"]) == (0, unit % 8, 0, unit // 8)
            assert (r["simd"], r["slot"]) == (r["wave"] % 4, r["wave"] // 4)
        starts = [r["start_ns"] for r in found]
        ends = [r["start_ns"] + r["duration_ns"] for r in found]
        assert starts == sorted(starts) and starts[0] == 0 and max(ends) == value(p, "Span", number)
        assert max(ends) <= duration + 10  # one tick: both ends are cut off
        assert sum(r["duration_ns"] for r in found) == value(p, "Wavefront Time", number)
        units = rows(p, "units", number)
        assert len(units) == min(UNITS, gx // wx * (gy // wy)) == value(p, "Compute Units", number)
        assert sum(u["wavefronts"] for u in units) == len(found)
        for u in units:
            assert u["busy_ns"] <= u["wavefront_ns"] <= u["peak"] * u["busy_ns"]
            assert u["first_ns"] + u["busy_ns"] <= u["last_ns"]
    # each time says whose it is
    report = profiling.call(profiling.LANESCOPE, "report", p.database).stdout
    for name in "Wavefront Time", "Span":
        assert re.search(rf"{name}, whole kernel: [\d,.]+ (?:ns|us|ms|s) of software GPU time\n", report), report


def test_sampled(tmp_path):
    """Only wavefronts that report have a row: of 4 in each group of matmul every second one."""
    p = Profile(tmp_path, profiling.EXAMPLES / "matmul",
                options=("--handlers", "wave_timeline:rows=1000", "--sample-waves", "1/2"))
    found = rows(p, "waves", 1)
    assert found and {r["wave"] for r in found} == {0, 2}
