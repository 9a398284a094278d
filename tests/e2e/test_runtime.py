"""HIP's runtime on the software GPU: device calls, progress, graphs, memory, copies, several GPUs; with and without probes."""

import re
import shutil
import sys

import pytest

import profiling
from profiling import Profile

PROGRESS = ["grid_sync", "partitions", "decoupled_look_back", "spin_lock", "stream_k", "later_work_group", "two_streams", "host_flag"]
RUNTIME = ["graph_capture", "graph_explicit", "managed", "symbols", "host_memory", "memset_patterns", "copies",
           "callbacks", "events", "many_streams", "queries", "peers", "multi_grid", "reset",
           "pools"]


def passed(names):
    return "".join(f"PASSED {name}\n" for name in names)


@pytest.fixture(params=["plain", "profiled"])
def run(request, programs, tmp_path):
    """run(source, *arguments): the finished process, and its Profile when it ran under `lanescope run`."""

    def go(source, *arguments, gpu=profiling.GPU):
        program = programs(source, "-O3", "-g")
        if request.param == "plain":
            return profiling.run_plain(program, *arguments, options={"LANESCOPE_GPU": gpu}), None
        p = Profile(tmp_path, program, *arguments, gpu=gpu)
        return p.done, p

    return go


def nothing_lost(profile, *kernels):
    """The named kernels were observed in each of their dispatches, and no message was lost."""
    if not profile:
        return
    assert profile.query("SELECT count(*) FROM dispatch WHERE dropped OR bad") == [(0,)]
    for kernel in kernels:
        rows = profile.query("SELECT count(*), sum(observed) FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                             " WHERE k.name LIKE ?1 || '(%' OR k.name = ?1", kernel)
        assert rows[0][0] and rows[0][0] == rows[0][1], (kernel, rows)


def test_printf(run):
    done, profile = run("device_calls.hip", "print")
    # 7+1 +5+1 +5+1 +5+1 +2+1 +13+1 +1+1 +1+1 +5+1 +11 +1 = 65 characters
    assert (done.returncode, done.stdout) == (0, "".join(f"lane {i} of 64\n" for i in range(3)) +
        "literal|   42|-42  |00007|ff|1099511627776|z|%|2.500|from memory\nwritten 65\nPASSED print\n"), done.stderr
    nothing_lost(profile, "formats")


def test_printf_from_many_waves(run):
    done, _ = run("device_calls.hip", "print_many")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert sorted(lines[:8]) == [f"group {g} wave {w}" for g in range(4) for w in range(2)]
    assert lines[8:] == [f"round {i}" for i in range(20)] + ["PASSED print_many"]


def test_progress(run):
    done, profile = run("progress.hip")
    assert (done.returncode, done.stdout) == (0, passed(PROGRESS)), done.stderr
    nothing_lost(profile, "rotate", "look_back", "locked_count", "first_waits_for_last", "ping_pong")


@pytest.mark.parametrize("options", [{"LANESCOPE_SOFT_THREADS": "1"},
                                     {"LANESCOPE_SOFT_SHUFFLE": "11", "LANESCOPE_SOFT_POISON": "11"}])
def test_progress_with_other_schedules(options, programs):
    done = profiling.run_plain(programs("progress.hip", "-O3", "-g"), options=options)
    assert (done.returncode, done.stdout) == (0, passed(PROGRESS)), done.stderr


@pytest.mark.parametrize("threads", ["2", "4"])
def test_elements_do_not_tear(threads, programs):
    """4 work-groups read what 4 others write, 64 lanes, 5000 times: 1,280,000 reads of each form, none of half an element."""
    done = profiling.run_plain(programs("torn.hip", "-O3"), options={"LANESCOPE_SOFT_THREADS": threads})
    assert (done.returncode, done.stdout) == (
        0, "".join(f"{name}: 0 of 1280000 torn\n" for name in ("global2", "global4", "flat2", "flat4"))), done.stderr


def test_runtime(run):
    done, profile = run("runtime.hip")
    assert (done.returncode, done.stdout) == (0, passed(RUNTIME)), done.stderr
    nothing_lost(profile, "add", "scale", "use_symbols", "spin")
    if profile:
        # graph_capture: 4 replays of 16 wavefronts; host_memory, peers do not scale
        assert profile.metric("memory_coalescing", "Executions", "scale(%", None, "load") == 64


def test_two_gpus(run):
    done, profile = run("runtime.hip", "peers", "multi_grid", "reset", gpu="soft:gfx90ax2")
    assert (done.returncode, done.stdout) == (0, "peer access 1\n" + passed(["peers", "multi_grid", "reset"])), done.stderr
    nothing_lost(profile, "add", "scale")


def test_processes(programs):
    """Children made by fork and exec, and device memory that they share by an IPC handle."""
    done = profiling.run_plain(programs("processes.hip", "-O3", "-g"))
    assert (done.returncode, done.stdout) == (0, passed(["fork_of_parent", "exec", "ipc", "ipc_freed"])), done.stderr


def test_memory_of_other_processes(programs):
    """Many handles at once, one opened twice and a hundred times, owners that end first, four processes at a time."""
    tests = ["several", "twice", "owner_ends", "owner_killed", "together", "crossed", "peer"]
    done = profiling.run_plain(programs("ipc.hip", "-O3", "-g"), *tests, options={"LANESCOPE_GPU": "soft:gfx90ax2"})
    assert (done.returncode, done.stdout) == (0, passed(tests)), done.stderr


def test_gpu_outlives_destructors(tmp_path):
    """A library's destructor launches a kernel and waits for it."""
    profiling.compile_hip(tmp_path / "liblate.so", "-O3", "-fPIC", "-shared", "--offload-arch=gfx90a", "late.hip")
    program = profiling.compile_hip(tmp_path / "late", "-O3", "-DPROGRAM", "--offload-arch=gfx90a", "late.hip",
                                    f"-L{tmp_path}", "-llate", f"-Wl,-rpath,{tmp_path}")
    plain = profiling.run_plain(program)
    observed = Profile(tmp_path / "profile", program)
    for done in (plain, observed.done):
        assert (done.returncode, done.stdout) == (0, passed(["main", "destructor"])), done.stderr


def test_modules(run, tmp_path):
    device = profiling.compile_hip(tmp_path / "module.co", "--genco", "--offload-arch=gfx90a", "-O3", "-g", "module_device.hip")
    done, profile = run("module.hip", device)
    assert (done.returncode, done.stdout) == (0, "PASSED\n"), done.stderr
    nothing_lost(profile, "fill")


def test_target_that_the_runtime_does_not_know(programs, tmp_path):
    """ROCr 5.2.3 goes up to gfx90a; the message is one line, and a process that is started nevertheless
    runs as without a GPU."""
    library = re.search(r"\S*libhsa-runtime64\S*", profiling.call("ldd", "/usr/bin/rocminfo").stdout)
    if not library or not shutil.which("rocminfo") or b"gfx942" in open("/usr/lib/x86_64-linux-gnu/libhsa-runtime64.so.1", "rb").read():
        pytest.skip("the installed ROCr knows gfx942")
    program = programs("progress.hip", "-O3", "-g")
    plain = profiling.run_plain(program, "partitions", options={"LANESCOPE_GPU": "soft:gfx942"})
    without = profiling.call(program, "partitions")
    assert (plain.returncode, plain.stdout) == (without.returncode, without.stdout) and plain.returncode == 1
    assert re.fullmatch(r"lanescope: \S*/libhsa-runtime64\.so\S* does not know gfx942: .*\n", plain.stderr)
    # `run` knows it before, unless the program that it starts is another one
    p = Profile(tmp_path, program, "partitions", gpu="soft:gfx942")
    assert (p.done.returncode, p.done.stdout) == (2, "") and "does not know gfx942" in p.done.stderr
    p = Profile(tmp_path, "/bin/sh", "-c", f"{program} partitions", gpu="soft:gfx942")
    assert (p.done.returncode, p.done.stdout) == (1, without.stdout) and "does not know gfx942" in p.done.stderr


def test_code_stays_when_the_runtime_closes_it():
    """ROCr closes its tools when it is shut down, before the process ends. The handlers' watchdog still runs then, and signal
    handlers of ours are in place: the library must not go."""
    library = next((profiling.BUILD / "stage").glob("lib*/**/liblanescope-hsa.so"))
    code = ("import _ctypes, ctypes, os, sys\n"
            "_ctypes.dlclose(ctypes.CDLL(sys.argv[1])._handle)\n"
            "ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW | os.RTLD_NOLOAD)  # fails where the library is gone\n")
    done = profiling.call(sys.executable, "-c", code, library)
    assert done.returncode == 0, done.stderr
