"""Nothing lost, nothing broken: tiny rings, slow hosts, many streams, kill -9, full disks, other tools, fork and exec."""

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

import profiling
from profiling import Profile

ADDED = "SELECT count(*), sum(messages), sum(bad), sum(dropped) FROM dispatch d JOIN kernel k ON k.id = d.kernel" \
        " WHERE observed AND k.mangled LIKE '%add%'"
STATE = "SELECT value FROM meta WHERE key = 'state'"


@pytest.fixture(scope="module")
def robust(programs):
    return programs("robust.hip", "-O3")


def build_shared(out, source, *flags):
    done = profiling.call("clang-22", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", *flags,
                          profiling.SOURCE / "programs" / source, "-o", out)
    assert done.returncode == 0, done.stderr
    return out


def passed(p, code=3):
    assert (p.done.returncode, p.done.stdout) == (code, "PASSED\n"), p.done.stderr


COUNT = "#include <hip/hip_runtime_api.h>\nint main() { int n; return hipGetDeviceCount(&n) != hipSuccess; }\n"


def test_program_without_dispatches(tmp_path):
    """It only counts GPUs: the recording, which then starts as the program ends, must not use what has been torn down by then. HIP has
    loaded comgr, in whose LLVM it span for ever. Limited are seconds of the processor."""
    (tmp_path / "count.cpp").write_text(COUNT)
    done = profiling.call("clang++-22", "-D__HIP_PLATFORM_AMD__", "-w", tmp_path / "count.cpp", "-o", tmp_path / "count", "-lamdhip64")
    assert done.returncode == 0, done.stderr
    done = profiling.call("bash", "-c", 'ulimit -t 20; exec "$@"', "bash", profiling.LANESCOPE, "run", "-o", tmp_path / "count.db", "--",
                          tmp_path / "count")
    assert done.returncode == 0, done.stderr
    with sqlite3.connect(tmp_path / "count.db") as db:
        assert db.execute(STATE).fetchone() == ("complete",)
        assert db.execute("SELECT count(*) FROM dispatch").fetchone() == (0,)


@pytest.mark.parametrize("ring,chunk", [("1K", "1K"), ("4K", "4K"), ("16K", "1K")])
def test_ring_of_one_chunk(ring, chunk, robust, tmp_path):
    """16 wavefronts with 40 stores each take turns with a single chunk, which none of them may keep."""
    p = Profile(tmp_path, robust, "stores", "16", "40", options=("--ring-size", ring, "--chunk-size", chunk))
    passed(p)
    assert p.metric("memory_coalescing", "Executions", "flood(%", None, "store") == 16 * 40
    assert p.query("SELECT sum(dropped), sum(bad) FROM dispatch") == [(0, 0)]


def test_slow_host(robust, tmp_path):
    """The handler stands still for 1.5 s, longer than a wavefront waits for a host that is dead, and then takes a
    millisecond for each batch; 4 chunks do not hold what 16 wavefronts have to say."""
    slow = build_shared(tmp_path / "slow.so", "slow_handler.c", f"-I{profiling.SOURCE.parents[1] / 'include'}")
    p = Profile(tmp_path / "out", robust, "stores", "16", "20",
                options=("--handlers", slow, "--ring-size", "4K", "--chunk-size", "1K"))
    passed(p)
    assert p.query("SELECT value FROM dispatch_value") == [(16 * 20,)]
    assert p.query("SELECT sum(dropped), sum(bad) FROM dispatch") == [(0, 0)]


def test_the_end_waits_for_what_is_computed(robust, tmp_path):
    """Kernel and copy are through when the program ends, and their recording is not: it is waited for longer than for kernels."""
    busy = build_shared(tmp_path / "busy.so", "slow_handler.c", "-DBUSY=3", f"-I{profiling.SOURCE.parents[1] / 'include'}")
    p = Profile(tmp_path / "out", robust, "stores", "16", "20", options=("--handlers", busy, "--finish-timeout", "1"))
    passed(p)
    assert p.query("SELECT value FROM dispatch_value") == [(16 * 20,)] and "complete" not in p.done.stderr, p.done.stderr
    assert p.query("SELECT bytes FROM copy") == [(256,)]


def test_the_end_waits_for_a_handler_that_sleeps(robust, tmp_path):
    """That takes no processor time; the kernel is through all the same, and nothing is partial."""
    asleep = build_shared(tmp_path / "asleep.so", "slow_handler.c", "-DASLEEP=3", f"-I{profiling.SOURCE.parents[1] / 'include'}")
    p = Profile(tmp_path / "out", robust, "stores", "16", "20", options=("--handlers", asleep, "--finish-timeout", "1"))
    passed(p)
    assert p.query("SELECT value FROM dispatch_value") == [(16 * 20,)] and p.query(STATE) == [("complete",)]
    assert "did not complete" not in p.done.stderr and "handlers have not got on for 1 s" in p.done.stderr, p.done.stderr


@pytest.mark.parametrize("what, messages", [("floods", 1), ("copies", 4)])
def test_what_is_dropped_is_counted(robust, tmp_path, what, messages):
    """Each of 12 concurrent dispatches has 4 wavefronts that do 30 times what `messages` tell; what a full ring drops is charged
    to whom it belongs."""
    slow = build_shared(tmp_path / "slow.so", "slow_handler.c", f"-I{profiling.SOURCE.parents[1] / 'include'}")
    p = Profile(tmp_path / "out", robust, what, "4", "30",
                options=("--handlers", slow, "--ring-size", "4K", "--chunk-size", "1K", "--on-full", "drop"))
    passed(p)
    rows = p.query("SELECT messages, dropped FROM dispatch WHERE observed")
    assert len(rows) == 12 and {m + d for m, d in rows} == {120 * messages} and any(d for _, d in rows), rows
    assert "messages dropped" in p.done.stderr


def test_foreign_stores_into_the_ring_are_told(programs, tmp_path):
    """The program hands over a chunk that there is none of; its own messages come all the same."""
    include = profiling.SOURCE.parent.parent / "include"
    p = Profile(tmp_path, programs("foreign_stores.hip", "-O1", f"-I{include}"))
    assert p.done.returncode == 0, p.done.stdout + p.done.stderr
    assert p.done.stderr.count("1 time something else than Lanescope's probes wrote into its memory on the GPU") == 1, p.done.stderr
    assert p.query(ADDED) == [(2, 2, 0, 0)]


def test_eight_streams(robust, tmp_path):
    p = Profile(tmp_path, robust, "streams", "8", "25")
    passed(p)
    assert p.query(ADDED) == [(200, 200, 0, 0)]
    # HIP shares four hardware queues among streams unless told otherwise; ours see at least those
    assert p.query("SELECT count(DISTINCT queue) FROM dispatch")[0][0] >= 4


def holds_ten(database):
    """Whether the dispatches before the one that does not end are in the file, which is being written."""
    try:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=1) as db:
            return db.execute(ADDED).fetchone()[0] == 10
    except sqlite3.Error:
        return False


def test_kill_9_in_the_middle_of_a_kernel(robust, tmp_path):
    command = [profiling.LANESCOPE, "run", "--gpu", profiling.GPU, "-d", tmp_path, "-o", "run", "--", robust, "forever"]
    with subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=profiling.clean_environment()) as run:
        pid = int(run.stdout.readline())
        while not holds_ten(tmp_path / "run_srclines.db.partial"):
            time.sleep(0.02)
        os.kill(pid, signal.SIGKILL)
        _, err = run.communicate(timeout=profiling.TIMEOUT)
    assert run.returncode in (-9, 137), err
    found = [f for f in tmp_path.iterdir() if not f.name.endswith("-journal")]
    assert [f.name for f in found] == ["run_srclines.db.partial"], err
    assert "partial" in err and "was killed" in err, err
    check = profiling.call(profiling.LANESCOPE, "check", found[0])
    assert check.returncode == 0, check.stdout + check.stderr
    with sqlite3.connect(found[0]) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute(STATE).fetchall() == [("partial",)]
        assert db.execute(ADDED).fetchall() == [(10, 10, 0, 0)]
        assert db.execute("SELECT end_ns FROM process").fetchall() == [(None,)]
    report = profiling.call(profiling.LANESCOPE, "report", found[0])
    assert report.returncode == 0 and "partial" in report.stdout and "add(" in report.stdout, report.stdout


# ---- places where nothing can be written ----


def in_small_place(tmp_path, mount, program, *arguments, tool_only=False):
    """Runs with a file system of its own as output directory, and copies what is left there to tmp_path/left."""
    place, left = tmp_path / "place", tmp_path / "left"
    place.mkdir()
    left.mkdir()
    unshare = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--user", "--map-root-user"])
    if profiling.call(*unshare, "sh", "-c", f"mount -t tmpfs -o size=64k none {place}").returncode:
        pytest.skip("file systems cannot be mounted here, not even in a namespace of one's own")
    run = [profiling.LANESCOPE, "run", "--gpu", profiling.GPU, "-d", place, "-o", "run", "--", program, *arguments]
    env = profiling.clean_environment()
    if tool_only:
        stage = profiling.BUILD / "stage"
        soft, preload, tool = (next(stage.glob(f"lib*/**/liblanescope-{n}.so")) for n in ("softgpu", "preload", "hsa"))
        run = ["env", f"LD_PRELOAD={preload}:{soft}", f"HSA_TOOLS_LIB={tool}", f"LANESCOPE_GPU={profiling.GPU}",
               f"LANESCOPE_OUTPUT={place}/run_srclines.db", program, *arguments]
    script = f'mount -t tmpfs {mount} none {place} || exit 77; "$@"; code=$?; cp -r {place}/. {left}; exit $code'
    done = profiling.call(*unshare, "sh", "-c", script, "sh", *run, env=env)
    assert done.returncode != 77, done.stderr
    return done, sorted(left.iterdir())


# The schema alone takes 45 pages of 4096 bytes; 200 dispatches of this program do not fit into 256K.
@pytest.mark.parametrize("size", ["16k", "100k", "256k"])
def test_full_disk(size, robust, tmp_path):
    done, left = in_small_place(tmp_path, f"-o size={size}", robust, "launch", "1000", tool_only=True)
    assert (done.returncode, done.stdout) == (3, "PASSED\n"), done.stderr
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    assert len(errors) == 1 and ("full" in errors[0] or "No space" in errors[0]), done.stderr
    for file in left:
        if file.suffix in (".db", ".partial") and file.stat().st_size:
            with sqlite3.connect(file) as db:
                assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
                assert db.execute(STATE).fetchall() in ([], [("partial",)])


def test_file_size_limit(robust, tmp_path):
    """As `ulimit -f`: the signal that the kernel sends for it would end the program."""
    p = Profile(tmp_path, robust, "limited", "200", "1000")  # KiB, launches; the schema alone takes 180 KiB
    assert (p.done.returncode, p.done.stdout) == (3, "PASSED\n"), p.done.stderr
    told = [line for line in p.done.stderr.splitlines() if "lanescope: error:" in line]
    assert len(told) == 1 and "file-size limit" in told[0], p.done.stderr
    assert "or its results could not be written" in p.done.stderr, p.done.stderr
    with sqlite3.connect(tmp_path / "run_srclines.db.partial") as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute(STATE).fetchall() == [("partial",)]


def test_file_size_limit_of_a_handlers_file(robust, tmp_path):
    """The signal does not reach the program either when a handler writes too much; the handler says so."""
    log = tmp_path / "log.csv"
    p = Profile(tmp_path, robust, "limited", "600", "8000", options=("--handlers", f"address_log:file={log}"))
    assert (p.done.returncode, p.done.stdout) == (3, "PASSED\n"), p.done.stderr
    assert f"writing {log} failed" in p.done.stderr and log.stat().st_size <= 600 * 1024, p.done.stderr


def test_software_gpu_that_cannot_start_says_so_once(tmp_path):
    """A program that does not look at errors tries again with each call."""
    program = tmp_path / "tries.py"
    program.write_text("import ctypes\nhip = ctypes.CDLL('libamdhip64.so')\np = ctypes.c_void_p()\n"
                       "print(sum(hip.hipMalloc(ctypes.byref(p), 64) != 0 for _ in range(4)))\n")
    done = profiling.call("bash", "-c", 'ulimit -f 20; exec "$@"', "bash", profiling.LANESCOPE, "run", "--gpu", profiling.GPU, "-o", tmp_path / "a.db",
                          "--", sys.executable, program)
    assert (done.returncode, done.stdout) == (0, "4\n"), done.stderr
    assert done.stderr.count("the software GPU cannot start: File too large") == 1, done.stderr


def test_read_only_directory(robust, tmp_path):
    done, left = in_small_place(tmp_path, "-o ro", robust, "launch", "5", tool_only=True)
    assert (done.returncode, done.stdout) == (3, "PASSED\n"), done.stderr
    assert "nothing will be recorded" in done.stderr and "run_srclines.db" in done.stderr, done.stderr
    assert "Read-only file system" in done.stderr, done.stderr
    assert left == []


def test_read_only_directory_is_told_before_the_program_starts(robust, tmp_path):
    done, left = in_small_place(tmp_path, "-o ro", robust, "launch", "5")
    assert done.returncode == 2 and done.stdout == "", (done.stdout, done.stderr)
    assert "cannot write to the output directory" in done.stderr and "-d" in done.stderr, done.stderr


# ---- other tools, other processes ----


@pytest.mark.parametrize("first", ["ours", "other"])
def test_two_tools(first, robust, tmp_path):
    """Both see all dispatches, whichever ROCr loads first."""
    other = build_shared(tmp_path / "other.so", "other_tool.c")
    stage = profiling.BUILD / "stage"
    soft, preload, tool = (next(stage.glob(f"lib*/**/liblanescope-{n}.so")) for n in ("softgpu", "preload", "hsa"))
    tools = [tool, other] if first == "ours" else [other, tool]
    out = tmp_path / "x.db"
    env = profiling.clean_environment(LANESCOPE_GPU=profiling.GPU, LANESCOPE_OUTPUT=str(out),
                                      HSA_TOOLS_LIB=" ".join(map(str, tools)), LD_PRELOAD=f"{preload}:{soft}")
    done = profiling.call(robust, "launch", "20", env=env)
    assert (done.returncode, done.stdout) == (3, "PASSED\n"), done.stderr
    p = Profile.__new__(Profile)
    p.databases = [out]
    assert p.query(ADDED) == [(20, 20, 0, 0)]
    # and what hipMemset launches
    assert f"other tool: {p.query('SELECT count(*) FROM dispatch')[0][0]} dispatches" in done.stderr, done.stderr


def test_fork_and_exec(robust, tmp_path):
    """The parent's database holds its 15 dispatches; the executed child has one of its own; the forked one none."""
    p = Profile(tmp_path, robust, "fork")
    assert (p.done.returncode, p.done.stdout) == (3, "PASSED\nPASSED\n"), p.done.stderr
    assert len(p.databases) == 2, p.databases
    counts = []
    for file in p.databases:
        with sqlite3.connect(file) as db:
            assert db.execute(STATE).fetchall() == [("complete",)]
            counts.append(db.execute(ADDED).fetchone())
    assert sorted(counts) == [(7, 7, 0, 0), (15, 15, 0, 0)]
    assert list(tmp_path.glob("**/*.partial")) == []


# ---- handlers that misbehave ----


@pytest.mark.parametrize("how", ["accesses=crash", "end=abort"])
def test_handler_that_crashes(how, robust, tmp_path):
    """It is named once on stderr, in the database and in the report; the other handler's numbers are complete."""
    source = profiling.SOURCE.parents[1] / "host-handlers" / "tests" / "bad_handler.c"
    bad = build_shared(tmp_path / "bad.so", source, f"-I{profiling.SOURCE.parents[1] / 'include'}")
    p = Profile(tmp_path / "out", robust, "launch", "6", options=("--handlers", f"{bad}:{how},memory_coalescing"))
    passed(p)
    assert p.metric("memory_coalescing", "Executions", "add(%") == 6
    told = [line for line in p.done.stderr.splitlines() if "error:" in line and "bad" in line]
    assert told and len([line for line in told if line.startswith("lanescope: error:")]) == 1, p.done.stderr
    notes = p.query("SELECT text FROM note WHERE level = 0")
    assert len(notes) == 1 and "bad" in notes[0][0] and how.split("=")[1] in notes[0][0], notes
    report = profiling.call(profiling.LANESCOPE, "report", "--json", p.database)
    assert report.returncode == 0 and [n["text"] for n in json.loads(report.stdout)["notes"]] == [notes[0][0]]


# ---- sources that change ----


def test_source_edited_since_the_run(robust, programs, tmp_path):
    """The compiler plugin keeps a sum of each source: a run tells which are not what was compiled. One that is edited after the
    run is told when the report is made, which shows the text of then."""
    source = tmp_path / "edited.hip"
    text = (profiling.SOURCE / "programs" / "robust.hip").read_text()
    source.write_text(text)
    program = profiling.compile_hip(tmp_path / "edited", "--offload-arch=gfx90a", "-O1", source)
    p = Profile(tmp_path / "first", program, "stores", "1", "1")
    assert p.query("SELECT md5 FROM source_file WHERE path = ?", str(source)) == [(hashlib.md5(text.encode()).hexdigest(),)]
    report = profiling.call(profiling.LANESCOPE, "report", p.database)
    assert "edited since" not in report.stderr
    os.utime(source)  # a change of the time alone, as a checkout makes it, is none of the text
    assert profiling.call(profiling.LANESCOPE, "report", p.database).stderr == report.stderr
    later = Profile(tmp_path / "second", program, "stores", "1", "1")
    for told in (p.done.stderr, later.done.stderr):
        assert "newer than the program" not in told and "that was compiled" not in told
    source.write_text("// one line more\n" + text)
    os.utime(source, (1, 1))  # an older time does not hide it
    other = Profile(tmp_path / "third", program, "stores", "1", "1")
    what = f"{source} is not the file that was compiled"
    assert what in other.done.stderr
    assert what in profiling.call(profiling.LANESCOPE, "report", other.database).stdout
    assert what in profiling.call(profiling.LANESCOPE, "annotate", other.database).stderr
    assert what in profiling.call(profiling.LANESCOPE, "diff", p.database, other.database).stderr
    source.write_text("// gone\n")
    for verb in ("report", "annotate"):
        done = profiling.call(profiling.LANESCOPE, verb, p.database)
        assert f"{source}: edited since the run" in done.stderr, (verb, done.stderr)
    assert "= i; // FLOOD" in done.stdout


def test_llvm_is_set_up_by_one_thread(tmp_path, programs):
    """comgr's LLVM registers its targets on first use and without a lock, and HIP's first use comes with its first launch: none of our
    threads may be in it at that time."""
    log = tmp_path / "log"
    slow = build_shared(tmp_path / "slow.so", "slow_targets.c")
    p = Profile(tmp_path, programs("filters.hip", "-O3"), env=profiling.clean_environment(LD_PRELOAD=str(slow), SLOW_TARGETS_LOG=str(log)))
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    calls = log.read_text().split()
    assert calls and "together" not in calls


def test_cooperative_queue_by_rocr(tmp_path):
    """ROCr's own rules for the GPU's one cooperative queue, to the runtime's end; destroying ours had freed it under ROCr's hands."""
    program = tmp_path / "cooperative_queue"
    done = profiling.call("clang-22", "-O1", "-Wall", "-Werror", profiling.SOURCE / "programs/cooperative_queue.c", "-o", program,
                          "-lhsa-runtime64")
    assert done.returncode == 0, done.stderr
    told = "one queue, works\n" * 3 + "ended\n"
    assert profiling.run_plain(program).stdout == told
    p = Profile(tmp_path / "run", program)
    assert (p.done.returncode, p.done.stdout) == (0, told), p.done.stderr
