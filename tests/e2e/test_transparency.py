"""The profiled program behaves as if it ran alone, and nothing of it is lost, whichever way it ends."""

import pytest

import profiling
from profiling import Profile

EXAMPLES = ["vector_add", "strided_copy", "transpose", "matmul", "reduction", "histogram", "aos_soa"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_unchanged(name, tmp_path):
    plain = profiling.run_plain(profiling.EXAMPLES / name)
    p = Profile(tmp_path, profiling.EXAMPLES / name)
    assert plain.returncode == 0, plain.stderr
    assert (p.done.returncode, p.done.stdout) == (plain.returncode, plain.stdout)
    assert p.query("SELECT count(*) FROM dispatch WHERE observed")[0][0] >= 1
    assert p.query("SELECT count(*) FROM dispatch WHERE dropped OR bad")[0][0] == 0


@pytest.mark.parametrize(
    "how,code", [("return", 3), ("exit", 5), ("_exit", 6), ("never_sync", 7), ("reset", 8), ("daemon", 0)]
)
def test_ways_out(how, code, programs, tmp_path):
    p = Profile(tmp_path, programs("ways_out.hip", "-O3"), how)
    assert p.done.returncode == code, p.done.stderr
    assert p.done.stdout == ("" if how == "never_sync" else "done\n")
    # the kernel's 4 wavefronts stored once each
    assert p.metric("memory_coalescing", "Executions", "fill(%", None, "store") == 4
    assert p.query("SELECT value FROM meta WHERE key = 'state'") == [("complete",)]


@pytest.mark.parametrize("options", [(), ("--summary-mode",)])
def test_stores_beside_the_programs_memory(options, programs, tmp_path):
    # ROCr puts one allocation directly after the other: the page after `buffer` is free, the one before `later` is
    # `buffer`'s last. None of them may be ours. 0 + 1 + ... + 16383, less the last 1024 of them, plus -1024 to -1
    total = 16384 * 16383 // 2 - 1024 * (15360 + 16383) // 2 - 1024 * 1025 // 2
    expected = (0, f"1024 16384 {total}\n")
    program = programs("beside.hip", "-O3")
    plain = profiling.run_plain(program)
    assert (plain.returncode, plain.stdout) == expected, plain.stderr
    p = Profile(tmp_path, program, options=options)
    assert (p.done.returncode, p.done.stdout) == expected, p.done.stderr
    # 64 ints per store of the one wavefront: 16384 + 2 * 1024 by the first launch, 1024 + 2 * 1024 by the second
    assert p.metric("memory_coalescing", "Executions", "number(%", None, "store") == 288 + 48


def test_float_environment_stays_on_the_host(programs, tmp_path):
    # 0 / 0; 1 / 0; 2^127 squared; 2^-128 + 2^-129; 1 + 3/4 of its last place, rounded to the nearest
    expected = (0, "nan 7f800000 7f800000 00300000 3f800001\n")
    program = programs("float_environment.hip", "-O3")
    plain = profiling.run_plain(program)
    assert (plain.returncode, plain.stdout) == expected, plain.stderr
    p = Profile(tmp_path, program)
    assert (p.done.returncode, p.done.stdout) == expected, p.done.stderr
    assert p.query("SELECT observed FROM dispatch") == [(1,)]


def test_killed_by_signal(programs, tmp_path):
    p = Profile(tmp_path, programs("ways_out.hip", "-O3"), "abort")
    assert p.done.returncode in (128 + 6, -6)
    assert p.done.stdout == "done\n"


@pytest.mark.parametrize("flags", ["-O0", "-O1", "-O3"])
def test_kernel_shapes(flags, programs, tmp_path):
    program = programs("kernels.hip", "kernels2.hip", flags)
    p = Profile(tmp_path, program)
    plain = profiling.run_plain(program)
    assert plain.returncode == 0, plain.stdout + plain.stderr
    assert (p.done.returncode, p.done.stdout) == (0, plain.stdout), p.done.stderr
    observed = {n for (n,) in p.query("SELECT k.name FROM dispatch d JOIN kernel k ON k.id = d.kernel WHERE observed")}
    for name in ("static_kernel", "anonymous_kernel", "template_kernel", "no_parameters", "dynamic_lds", "calls",
                 "shape_of_grid"):
        assert any(name in k for k in observed), (name, observed)
    # both static kernels of that name, one per file
    assert p.query("SELECT count(*) FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                   " WHERE observed AND k.name LIKE '%static_kernel%'") == [(2,)]
    # the load in the function that calls() calls: one wavefront
    line = profiling.marked_line("kernels.hip", "// CALLEE")
    assert p.metric("memory_coalescing", "Executions", "calls(%", line, "load") >= 1


def test_streams_and_threads(programs, tmp_path):
    p = Profile(tmp_path, programs("streams.hip", "-O3"))
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    # 4 threads x 10 launches x 16 wavefronts (1000 work-items), one load and one store each
    assert p.metric("memory_coalescing", "Executions", "scale(%", None, "load") == 640
    assert p.metric("memory_coalescing", "Executions", "scale(%", None, "store") == 640


@pytest.mark.parametrize("options", [("--ring-size", "64K", "--chunk-size", "1K"), ("--ring-size", "1K", "--chunk-size", "1K")])
def test_small_rings_lose_nothing(options, tmp_path):
    p = Profile(tmp_path, profiling.EXAMPLES / "transpose", options=options)
    assert p.done.returncode == 0, p.done.stderr
    assert p.metric("lds_bank_conflicts", "Bank Conflict", "transpose_lds(%") == 256 * 62
    assert p.query("SELECT sum(dropped), sum(bad) FROM dispatch") == [(0, 0)]


def test_not_compiled_with_the_plugin(programs, tmp_path):
    p = Profile(tmp_path, programs("ways_out.hip", "-O3", plugin=False))
    assert (p.done.returncode, p.done.stdout) == (3, "done\n"), p.done.stderr
    rows = p.query("SELECT observed, not_observed FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                   " WHERE k.name LIKE 'fill%'")
    assert len(rows) == 1 and rows[0][0] == 0 and rows[0][1]


def test_no_gpu_code(tmp_path):
    program = tmp_path / "no_gpu"
    assert profiling.call("clang-22", profiling.SOURCE / "programs" / "no_gpu.c", "-o", program).returncode == 0
    p = Profile(tmp_path / "out", program)
    assert (p.done.returncode, p.done.stdout) == (4, "no GPU here\n")


def test_leaves_no_files_behind(tmp_path):
    """Without an access log or an output name nothing is written where the program runs, for one GPU or two."""
    soft = next((profiling.BUILD / "stage").glob("lib*/**/liblanescope-softgpu.so"))
    for gpu in ("soft:gfx90a", "soft:gfx90ax2"):
        env = profiling.clean_environment(LD_PRELOAD=str(soft), LANESCOPE_GPU=gpu)
        done = profiling.call(profiling.EXAMPLES / "vector_add", env=env, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, "vector_add: PASSED\n"), done.stderr
        assert list(tmp_path.iterdir()) == []
