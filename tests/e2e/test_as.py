"""`run --as` and `report --as`: the same accesses, priced on other GPUs."""

import json

import profiling
from profiling import Profile


def report(p, *options):
    done = profiling.call(profiling.LANESCOPE, "report", "--json", *options, p.database)
    return json.loads(done.stdout)


def values(p, handler):
    rows = p.query("SELECT m.name, v.site, d.number, v.value FROM value v JOIN metric m ON m.id = v.metric"
                   " JOIN dispatch d ON d.id = v.dispatch WHERE m.handler = ?", handler)
    return {row[:3]: row[3] for row in rows}


def test_prices(tmp_path):
    p = Profile(tmp_path, profiling.EXAMPLES / "transpose", options=("--as", "gfx90a,gfx942,gfx950"))
    assert p.done.returncode == 0, p.done.stderr
    # As on the GPU that ran it: the same numbers, from the same accesses.
    for handler in ("lds_bank_conflicts", "memory_coalescing"):
        own = values(p, handler)
        assert own and own == values(p, handler + "@gfx90a")
    # A wavefront is two rows of 32 lanes that store 512 bytes apart, the second row 4 bytes beside the first: 32 lines, whatever
    # their size. Its 256 bytes need 4 lines of 64 bytes on gfx90a, 2 of 128 on gfx942.
    assert p.metric("memory_coalescing@gfx942", "Cache Lines", "transpose_naive(%", None, "store") == 256 * 32
    assert p.metric("memory_coalescing", "Cache Lines Needed", "transpose_naive(%", None, "store") == 256 * 4
    assert p.metric("memory_coalescing@gfx942", "Cache Lines Needed", "transpose_naive(%", None, "store") == 256 * 2
    # Reads of 32 x 32 floats by columns: 2 rows of 32 lanes, all in one of 32 banks: 2 x 31 conflicts; of 64 banks, in which the
    # 32 addresses, 128 bytes apart, are in two: 64 lanes at once, the second 32 lanes 4 bytes further: 15 conflicts.
    assert p.metric("lds_bank_conflicts@gfx942", "Bank Conflict", "transpose_lds(%", None, "load") == 256 * 62
    assert p.metric("lds_bank_conflicts@gfx950", "Bank Conflict", "transpose_lds(%", None, "load") == 256 * 15


def test_labels(tmp_path):
    p = Profile(tmp_path, profiling.EXAMPLES / "transpose", options=("--as", "gfx950,gfx1100"))
    assert p.done.returncode == 0, p.done.stderr
    own, other = report(p), report(p, "--as", "gfx950")
    assert own["as"] is None
    assert other["as"]["gpu"] == "gfx950" and other["as"]["recorded_on"] == "gfx90a" and other["as"]["measured"] is False
    titles = {t["title"] for k in other["kernels"] for t in k["tables"]}
    assert titles == {"LDS bank conflicts, as on gfx950", "Memory coalescing, as on gfx950"}
    assert not any("as on" in t["title"] or "@" in t["handler"] for k in own["kernels"] for t in k["tables"])
    text = profiling.call(profiling.LANESCOPE, "report", "--as", "gfx950", p.database).stdout
    assert "AS ON gfx950" in text and "Nothing here was measured on gfx950" in text
    head = profiling.call(profiling.LANESCOPE, "report", "--csv", "--as", "gfx950", p.database).stdout.splitlines()[0]
    assert "lds_bank_conflicts@gfx950.Bank Conflict" in head and "lds_bank_conflicts.Bank" not in head
    # Wavefronts of another size cannot be priced, and that is said, once for all handlers.
    assert sum(l.startswith("lanescope: warning: gfx1100 runs wavefronts of 32") for l in p.done.stderr.splitlines()) == 1, p.done.stderr
    done = profiling.call(profiling.LANESCOPE, "report", "--as", "gfx1100", p.database)
    assert done.returncode == 1 and "wavefronts of 32 lanes, and those that were recorded have 64" in done.stderr


def test_wavefronts_of_64_lanes_on_rdna(programs, tmp_path):
    """A kernel that has them on one GPU of RDNA has them on another. 4 wavefronts: each copies 64 dwords into LDS, in two halves of 32
    on either GPU, and stores 256 bytes, two lines of 128. GPUs that have 64 lanes anyway are priced as before."""
    program = programs("-g", "-O3", "--offload-arch=gfx1030", "-mwavefrontsize64", "-U__gfx1030__", "wave64.hip")
    p = Profile(tmp_path, program, options=("--as", "gfx1100,gfx90a"), gpu="soft:gfx1030")
    assert p.done.returncode == 0 and "are not priced" not in p.done.stderr, p.done.stderr
    copy, turned = (profiling.marked_line("wave64.hip", "// " + mark) for mark in ("copy", "turned"))
    assert p.metric("lds_bank_conflicts@gfx1100", "LDS Cycles", line=copy, kind="store") == 8
    assert p.metric("memory_coalescing@gfx1100", "Cache Lines", line=turned, kind="store") == 8
    assert p.metric("memory_coalescing@gfx90a", "Cache Lines", line=turned, kind="store") == 16
    told = profiling.call(profiling.LANESCOPE, "report", "--as", "gfx1100", p.database)
    assert told.returncode == 0 and "AS ON gfx1100" in told.stdout, told.stderr


def test_summary_mode_prices_the_same(tmp_path):
    first = Profile(tmp_path / "a", profiling.EXAMPLES / "transpose", options=("--as", "gfx950"))
    counted = Profile(tmp_path / "b", profiling.EXAMPLES / "transpose", options=("--as", "gfx950", "--summary-mode"))
    for handler in ("lds_bank_conflicts@gfx950", "memory_coalescing@gfx950"):
        assert values(first, handler) and values(first, handler) == values(counted, handler)


def test_what_is_missing_is_named(tmp_path):
    p = Profile(tmp_path, profiling.EXAMPLES / "transpose")
    done = profiling.call(profiling.LANESCOPE, "report", "--as", "gfx950", p.database)
    assert done.returncode == 1
    assert "holds no prices as on gfx950" in done.stderr and "lanescope run --as gfx950 --" in done.stderr
    done = profiling.call(profiling.LANESCOPE, "report", "--as", "gfx000", p.database)
    assert done.returncode == 2 and "give one of: gfx90a" in done.stderr
