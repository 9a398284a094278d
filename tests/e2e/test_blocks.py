"""Block probes: executions of blocks derived by hand, and times that hold together."""

import json

import pytest

import profiling
from profiling import Profile

OPTIONS = ("--handlers", "block_executions,block_timing")


@pytest.fixture(scope="module")
def recorded(programs, tmp_path_factory):
    found = {}
    for how in ("", "=only"):
        program = programs("blocks.hip", "-O3", f"--lanescope-blocks{how}")
        found[how] = Profile(tmp_path_factory.mktemp("blocks"), program, options=OPTIONS)
        assert (found[how].done.returncode, found[how].done.stdout) == (0, "PASSED\n"), found[how].done.stderr
    return found


@pytest.mark.parametrize("how", ["", "=only"])
def test_executions(recorded, how):
    """4 work-groups of 2 wavefronts. The loop runs 10 times in each of 8; threadIdx.x < 16 holds in the first
    wavefront of each group, for 16 lanes; blockIdx.x == 1 for both wavefronts of one group."""
    p = recorded[how]
    for mark, executions, lanes in (("LOOP", 80, 80 * 64), ("SOME", 4, 4 * 16), ("ONE", 2, 128)):
        line = profiling.marked_line("blocks.hip", mark)
        rows = p.query(
            """SELECT e.value, l.value FROM value e JOIN value l ON l.site = e.site AND l.dispatch = e.dispatch
               JOIN metric me ON me.id = e.metric JOIN metric ml ON ml.id = l.metric
               JOIN site_view s ON s.site = e.site
               WHERE me.handler = 'block_executions' AND me.name = 'Executions' AND ml.handler = 'block_executions'
               AND ml.name = 'Active Lanes' AND s.line = ?""", line)
        assert (executions, lanes) in rows, (mark, rows)


def test_times(recorded):
    """Every wavefront leaves every block that it entered; times add up to no more than the wavefronts' lives."""
    p = recorded["=only"]
    executions, timed = p.metric("block_timing", "Executions"), p.metric("block_timing", "Timed")
    assert executions == p.metric("block_executions", "Executions")
    # the wavefront's first message takes a chunk; it is that of the calibration, so no block loses its time
    assert timed == executions
    rows = [json.loads(r) for (r,) in p.query("SELECT json FROM handler_row WHERE handler = 'block_timing'")]
    assert sum(r["count"] for r in rows) == timed
    for r in rows:
        assert r["min"] <= r["median"] <= r["p90"] <= r["p99"] <= r["max"]
        assert r["probe_cost"] > 0 and r["memory_probes"] is False
    # 80 times round the loop: 9 times from itself to itself in each wavefront
    assert any(r["count"] == 72 for r in rows), rows


def test_not_compiled_for_it(tmp_path):
    p = Profile(tmp_path, profiling.EXAMPLES / "vector_add", options=OPTIONS)
    assert p.done.returncode == 0
    assert "compile with --lanescope-blocks" in p.done.stderr


def test_wrong_value(programs, tmp_path):
    done = profiling.call(profiling.LANESCOPE, "hipcc", "--lanescope-blocks=some", "-c", "x.hip")
    assert done.returncode == 2 and "--lanescope-blocks=only" in done.stderr


def test_words_of_the_environment(tmp_path):
    """The variables of the compiler take the words that all settings take."""
    (tmp_path / "k.hip").write_text("__attribute__((global)) void k(int *a) { a[__builtin_amdgcn_workitem_id_x()] += 1; }\n")

    def compiled(word):
        env = profiling.clean_environment(LANESCOPE_PROBE_BLOCKS=word)
        done = profiling.call(profiling.LANESCOPE, "hipcc", "-O1", "-nogpuinc", "--offload-arch=gfx90a", "--cuda-device-only", "-c",
                              tmp_path / "k.hip", "-o", tmp_path / "k.o", env=env)
        assert done.returncode == 0, done.stderr
        return (tmp_path / "k.o").read_bytes(), done.stderr

    with_blocks, without = (compiled(word)[0] for word in ("1", "0"))
    assert with_blocks != without
    for word in ("true", "Yes", "on"):
        assert compiled(word) == (with_blocks, ""), word
    for word in ("false", "no", "OFF", ""):
        assert compiled(word) == (without, ""), word
    assert "LANESCOPE_PROBE_BLOCKS: 'some' is not accepted; give true, false or only" in compiled("some")[1]
    for word, printed, code in (("1", True, 0), ("yes", True, 0), ("false", False, 0), ("no", False, 0), ("0", False, 0), ("x", False, 2)):
        done = profiling.call(profiling.LANESCOPE, "clang++-22", "--version", env=profiling.clean_environment(LANESCOPE_VERBOSE=word))
        assert (done.returncode, "--version" in done.stderr) == (code, printed), (word, done.stderr)
