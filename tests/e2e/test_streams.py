"""The HIP stream of each kernel and copy (programs/hip_streams.hip says what it does), and that the library which finds it out is there
for nobody else."""

import csv
import io
import json
import re

import pytest

import profiling
from profiling import LANESCOPE, Profile

MIB = 1 << 20
NULL, CREATED, OWN = 1, 2, 3
KERNELS = [("held", 1, CREATED), ("touch<3>", 3, CREATED), ("touch<0>", 0, NULL), ("touch<40>", 2, CREATED), ("touch<41>", 2, CREATED),
           ("touch<50>", 5, OWN), ("touch<6>", 6, CREATED), ("touch<7>", 7, CREATED), ("touch<4>", 4, CREATED)]
COPIES = [(MIB - 4096, 2, CREATED), (3000, 3, CREATED), (100, 0, NULL), (4000, 2, CREATED), (5000, 5, OWN)]


def compiled(directory, *options):
    return profiling.compile_hip(directory / "streams", "--offload-arch=gfx90a", "-O1", *options, "hip_streams.hip", "-ldl", "-pthread")


def check_streams(p):
    kernels = p.query("SELECT k.name, s.number, s.kind FROM dispatch d JOIN kernel k ON k.id = d.kernel JOIN stream s ON s.id = d.stream"
                      " WHERE k.name NOT LIKE '\\_\\_amd%' ESCAPE '\\' ORDER BY d.number")
    assert [(re.sub(r"^void |\(.*", "", name), number, kind) for name, number, kind in kernels] == KERNELS
    # the last one fetches the sum: a few bytes, which HIP may have no engine copy
    copies = p.query("SELECT c.bytes, s.number, s.kind FROM copy c JOIN stream s ON s.id = c.stream WHERE bytes > 4 ORDER BY c.number")
    assert copies == COPIES
    # hipMemset is a kernel of HIP's, on the null stream
    assert p.query("SELECT DISTINCT s.number FROM dispatch d JOIN kernel k ON k.id = d.kernel JOIN stream s ON s.id = d.stream"
                   " WHERE k.name LIKE '\\_\\_amd%' ESCAPE '\\'") == [(0,)]
    assert p.query("SELECT count(*) FROM dispatch WHERE stream IS NULL") == p.query("SELECT count(*) FROM copy WHERE stream IS NULL") \
        == [(0,)]
    # the thread of its own stream is the one that launched, not the main one
    (thread,), = p.query("SELECT thread FROM stream WHERE kind = 3")
    assert p.query("SELECT DISTINCT d.thread FROM dispatch d JOIN stream s ON s.id = d.stream WHERE s.kind = 3") == [(thread,)]
    assert thread not in [t for t, in p.query("SELECT d.thread FROM dispatch d JOIN stream s ON s.id = d.stream WHERE s.kind = 2")]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("streams"))


def test_streams(program, tmp_path):
    plain = profiling.run_plain(program)
    assert (plain.returncode, plain.stdout) == (0, "PASSED\n"), plain.stderr
    p = Profile(tmp_path, program)
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    check_streams(p)
    assert profiling.call(LANESCOPE, "check", p.database).returncode == 0

    # the copy of stream 2 ran while `held` of stream 1 did, all of it and nothing else
    (copy,), = p.query(f"SELECT end_ns - start_ns FROM copy WHERE bytes = {MIB - 4096}")
    times = json.loads(profiling.call(LANESCOPE, "report", "--json", p.database).stdout)["times"]
    found = {s["stream"]: s for s in times["streams"]}
    assert sorted(found) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert [(n, s["kernels_while_copies_ns"]) for n, s in found.items() if s["kernels_while_copies_ns"]] == [(1, copy)]
    assert [(n, s["copies_while_kernels_ns"]) for n, s in found.items() if s["copies_while_kernels_ns"]] == [(2, copy)]
    assert (found[3]["kernels"], found[3]["copies"], found[2]["copies"]) == (1, 1, 2)
    assert all(q["streams_known"] for q in times["queues"])
    text = profiling.call(LANESCOPE, "report", "--stats", p.database).stdout
    assert re.search(r"stream 3, on queue \d: kernels .* never while copies ran; copies .* never while kernels ran\n", text), text
    assert "kernels ran at the same time as those of 1 of 4 streams" in profiling.call(LANESCOPE, "summary", p.database).stdout
    table = csv.DictReader(io.StringIO(profiling.call(LANESCOPE, "report", "--stats", "--csv", p.database).stdout))
    overlaps = [(int(r["TotalDurationNs"]), "queue" in r["Name"]) for r in table if r["Domain"] == "COPY_KERNEL_OVERLAP"]
    assert sorted(overlaps, reverse=True)[:2] == [(copy, True), (0, True)] and len(overlaps) == 8


def test_per_thread_default(tmp_path):
    """-fgpu-default-stream=per-thread: what went to the null stream is the thread's own."""
    program = compiled(tmp_path, "-fgpu-default-stream=per-thread")
    p = Profile(tmp_path, program)
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    main, = p.query("SELECT s.number, s.kind FROM dispatch d JOIN kernel k ON k.id = d.kernel JOIN stream s ON s.id = d.stream"
                    " WHERE k.name LIKE '%touch<0>%'")
    other, = p.query("SELECT s.number, s.kind FROM dispatch d JOIN kernel k ON k.id = d.kernel JOIN stream s ON s.id = d.stream"
                     " WHERE k.name LIKE '%touch<50>%'")
    assert main[1] == other[1] == OWN and main[0] != other[0]


def test_threads_that_share_queues(tmp_path):
    """Whoever rings first hands over the packets of others: each kernel is still its own thread's."""
    program = profiling.compile_hip(tmp_path / "threads", "--offload-arch=gfx90a", "-O1", "-std=c++17", "hip_streams_threads.hip", "-pthread")
    p = Profile(tmp_path, program, options=["--handlers", "memory_coalescing"])
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    rows = p.query("SELECT k.name, s.number, count(*), count(DISTINCT d.thread) FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                   " JOIN stream s ON s.id = d.stream WHERE k.name LIKE '%mine%' GROUP BY 1, 2 ORDER BY 1")
    assert rows == [(f"void mine<{i}>(int*)", i + 1, 60, 1) for i in range(8)]
    assert p.query("SELECT count(DISTINCT d.queue), count(DISTINCT d.thread) FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                   " WHERE k.name LIKE '%mine%'") == [(4, 8)]


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    program = tmp_path_factory.mktemp("host") / "host"
    done = profiling.call("clang-22", "-O1", "-Wall", "-Wno-address", "-o", program, profiling.SOURCE / "programs" / "hip_streams_weak.c", "-ldl")
    assert done.returncode == 0, done.stderr
    return program


def test_programs_without_hip(host):
    """Nobody finds functions of HIP where there are none."""
    assert profiling.call(host).stdout == "0 0 0 0 0\n"
    done = profiling.call(LANESCOPE, "run", "--gpu", profiling.GPU, "-d", host.parent, "--", host)
    assert (done.returncode, done.stdout) == (0, "0 0 0 0 0\n"), done.stderr


def test_functions_of_others(tmp_path):
    """Functions of HIP's names in a library that is not HIP have arguments of their own."""
    source, library, program = profiling.SOURCE / "programs" / "hip_streams_others.c", tmp_path / "libothers.so", tmp_path / "asks"
    for out, options in ((library, ("-shared", "-fPIC")), (program, ("-DPROGRAM", "-ldl"))):
        done = profiling.call("clang-22", "-O1", "-Wall", "-o", out, source, *options)
        assert done.returncode == 0, done.stderr
    done = profiling.call(LANESCOPE, "run", "--gpu", profiling.GPU, "-d", tmp_path, "--", program, library)
    assert (done.returncode, done.stdout) == (0, "10\n"), done.stderr  # 2 * 3 + 4


def test_hip_that_a_library_brings(host, tmp_path):
    """dlopen with RTLD_LOCAL: HIP stands in no scope but the library's."""
    library = compiled(tmp_path, "-shared", "-fPIC", "-Dmain=entry")
    p = Profile(tmp_path, host, library)
    assert (p.done.returncode, p.done.stdout) == (0, "0 0 0 0 0\nPASSED\n"), p.done.stderr
    check_streams(p)


def test_local_hip_is_found_once(tmp_path):
    """A HIP that only one library sees is not looked for at every call; and a stream that HIP does not destroy keeps its number."""
    source, hip, plugin, program = (profiling.SOURCE / "programs" / "hip_streams_local.c", tmp_path / "libamdhip64.so",
                                    tmp_path / "libplugin.so", tmp_path / "opens")
    (tmp_path / "map").write_text("hip_4.2 { hip*; };\n")
    for out, options in ((hip, ("-DHIP", "-shared", "-fPIC", f"-Wl,--version-script={tmp_path}/map,-soname,libamdhip64.so")),
                         (plugin, ("-DPLUGIN", "-shared", "-fPIC", hip, f"-Wl,-rpath,{tmp_path}")), (program, ("-rdynamic", "-ldl"))):
        done = profiling.call("clang-22", "-O1", "-Wall", "-o", out, source, *options)
        assert done.returncode == 0, done.stderr
    preload, = (profiling.BUILD / "stage").glob("lib*/**/liblanescope-preload.so")
    done = profiling.call(program, plugin, env=profiling.clean_environment(LD_PRELOAD=str(preload)))
    assert (done.returncode, done.stdout) == (0, "stream 1\ndestroyed: 1\nstream 1\ndestroyed: 0\nstream 2\nfew questions: 1\n"), done.stderr


def test_unknown_streams(program, tmp_path):
    """Without the preloaded library nobody knows streams: then queues are told, as ever."""
    soft, tool = (next((profiling.BUILD / "stage").glob(f"lib*/**/liblanescope-{n}.so")) for n in ("softgpu", "hsa"))
    env = profiling.clean_environment(LANESCOPE_GPU=profiling.GPU, LANESCOPE_OUTPUT=str(tmp_path / "x.db"), HSA_TOOLS_LIB=str(tool),
                                      LANESCOPE_MODULE_DIR=str(tool.parent / "handlers"), LD_PRELOAD=str(soft))
    done = profiling.call(program, env=env)
    assert (done.returncode, done.stdout) == (0, "PASSED\n"), done.stderr
    p = Profile.__new__(Profile)
    p.done, p.databases = done, [tmp_path / "x.db"]
    assert p.query("SELECT count(*) FROM stream") == [(0,)]
    times = json.loads(profiling.call(LANESCOPE, "report", "--json", p.database).stdout)["times"]
    assert times["streams"] == [] and times["queues"] and not any(q["streams_known"] for q in times["queues"])
    assert re.search(r"GPU 1, queue 2: kernels ", profiling.call(LANESCOPE, "report", "--stats", p.database).stdout)
