"""`lanescope selftest`, on the software GPU: each step, the page, the file, and what files say together."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest

import profiling

ALL = bool(os.environ.get("LANESCOPE_TEST_ALL"))  # also what runs all steps once more to see one way of it
more = pytest.mark.skipif(not ALL, reason="LANESCOPE_TEST_ALL=1 asks for it")
STEPS = ["identity", "atomic operations", "rates", "clocks", "ring", "small ring", "ring of one chunk", "ring that drops", "summary",
         "ring at full speed", "launches", "1000 launches", "launches by HIP", "LDS phases", "coalescing"]


def selftest(folder, *arguments, code=0, environment=(), stdout=subprocess.PIPE):
    done = subprocess.run([profiling.LANESCOPE, "selftest", *map(str, arguments)], cwd=folder, stdout=stdout, stderr=subprocess.PIPE,
                          text=True, env={**os.environ, **dict(environment)}, timeout=900)
    assert done.returncode == code, (done.stdout or "") + done.stderr
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("selftest")


@pytest.fixture(scope="module")
def page(folder):
    return selftest(folder, "--gpu", "soft:gfx90a").stdout


@pytest.fixture(scope="module")
def results(folder, page):
    return json.loads((folder / "lanescope-selftest-gfx90a.json").read_text())


def test_page(page):
    assert [re.search(rf"^  ok +{re.escape(step)}( |$)", page, re.M) for step in STEPS].count(None) == 0
    assert "FAIL" not in page
    assert "not on the software GPU" in page


def step_of(results, name):
    return next(s for s in results["steps"] if s["step"] == name)


def test_file(results):
    assert [s["step"] for s in results["steps"]] == STEPS
    assert results["gpu"] == "gfx90a" and results["software_gpu"] is True
    assert not [p for s in results["steps"] for p in s["problems"]]


def test_counts(results):
    """24 work-groups of 256 are 96 wavefronts; three launches each of 1, 3, 218 and 1000 stores of each work-item."""
    stores = 3 * (1 + 3 + 218 + 1000)
    for step in ["ring", "small ring"]:
        observed = step_of(results, step)["observed"]
        assert sum(o["accesses"] for o in observed) == 96 * stores
        assert sum(o["lanes"] for o in observed) == 64 * 96 * stores
        assert {o["waves"] for o in observed} == {96}
    assert step_of(results, "summary")["seen"] == 96 * stores
    dropping = step_of(results, "ring that drops")
    assert dropping["seen"] + dropping["dropped"] == 96 * stores + 12 * 96


def test_partial_groups(results):
    """37 x 11 x 5 work-items in groups of 16 x 4 x 2: in x 16, 16, 5; in y 4, 4, 3; in z 2, 2, 1. Groups of 128, 96, 64 or 48
    and, in the last column, 40, 30, 20 or 15 work-items; 64 lanes a wavefront."""
    waves = sum(-(-x * y * z // 64) for x in (16, 16, 5) for y in (4, 4, 3) for z in (2, 2, 1))
    observed = step_of(results, "launches")["observed"]
    assert (observed[1]["waves"], observed[1]["lanes"]) == (waves, 37 * 11 * 5 * 5)


def test_cooperative_queue(results):
    """8 work-groups of 256 are 32 wavefronts of 64 lanes, with 5 stores each. The queue is destroyed before the runtime ends."""
    launches = step_of(results, "launches")
    assert launches["launches"][4] == "cooperative launch"
    assert (launches["observed"][4]["waves"], launches["observed"][4]["accesses"]) == (32, 32 * 5)


def test_arguments_in_device_memory(results):
    """4 work-groups of 256 are 16 wavefronts with 5 stores each. The software GPU's memory is visible to the host."""
    launches = step_of(results, "launches")
    assert launches["launches"][5] == "arguments in device memory"
    assert (launches["observed"][5]["waves"], launches["observed"][5]["accesses"]) == (16, 16 * 5)


def test_thousand_launches(results):
    """One wavefront of 64 lanes each, with one store."""
    observed, = step_of(results, "1000 launches")["observed"]
    assert {**observed, "sum": ""} == {"launches": 1000, "accesses": 1000, "lanes": 64000, "waves": 1000, "sum": ""}


def test_launches_by_hip(results):
    """16 wavefronts each: 3 stores into managed memory, then three times a graph of 2 stores and of 5."""
    observed = step_of(results, "launches by HIP")["observed"]
    assert [(o["waves"], o["accesses"]) for o in observed] == [(16, 16 * n) for n in (3, 2, 5, 2, 5, 2, 5)]


def test_no_rates_of_software(page, results):
    """What the software GPU takes is no measurement of hardware: neither the page nor the file has it."""
    assert "Rates, clocks and coalescing\n  not on the software GPU" in page
    assert not [s for s in results["steps"] if "figures" in s]


def test_nothing_private(results):
    text = json.dumps(results)
    for secret in [os.uname().nodename, os.environ.get("HOME", "/root"), os.getcwd(), "/tmp"]:
        assert secret not in text


@more
def test_json_alone(tmp_path):
    results = json.loads(selftest(tmp_path, "--gpu", "soft:gfx90a", "--json").stdout)
    assert results["gpu"] == "gfx90a" and not list(tmp_path.iterdir())


def test_files_of_others_are_left_alone(tmp_path, results):
    mine = tmp_path / "mine.json"
    mine.write_text('{"precious": 1}')
    done = selftest(tmp_path, "--gpu", "soft:gfx90a", "-o", mine, code=2)
    assert "mine.json: is no result of a self-test" in done.stderr
    assert mine.read_text() == '{"precious": 1}'


# ---- parts that answer at once ----

QUICK = """#include <stdio.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void choose(int argc, char **argv)
{
    if (argc < 2 || !strstr(argv[0], "lanescope-selftest") || strstr(REAL, argv[1]))
        return;
    printf("{\\"part\\":\\"%s\\",\\"problems\\":[]}\\n", argv[1]);
    fflush(stdout);
    _exit(0);
}
"""


def quick(folder, *real, code=""):
    """A library to preload: all parts but `real` ones, which have nothing to do with the test, end at once without problems."""
    (folder / "quick.c").write_text(QUICK + code)
    subprocess.run(["clang-22", "-shared", "-fPIC", f'-DREAL="{" ".join(real)}"', "quick.c", "-o", "quick.so"], cwd=folder, check=True)
    return str(folder / "quick.so")


# ---- surroundings ----

NOISE = """#include <stdio.h>
__attribute__((constructor)) static void noise(void) { puts("noise"); fflush(stdout); fputs("noise\\n", stderr); }
"""
SETTINGS = {"handlers": "heatmap", "kernel_exclude_regex": ".*", "kernel_iteration_range": "[1]", "sample_waves": "1/4",
            "output_file": "elsewhere.db", "summary_mode": True, "on_full": "drop", "decode_threads": 1, "preset": "quick"}
VARIABLES = {"LANESCOPE_HANDLERS": "heatmap", "LANESCOPE_KERNELS_EXCLUDE": ".*", "LANESCOPE_SAMPLE_WAVES": "1/4",
             "LANESCOPE_OUTPUT_DIRECTORY": "/nowhere", "LANESCOPE_SUMMARY_MODE": "true", "LANESCOPE_MISSPELT": "1"}


def test_surroundings_change_nothing(tmp_path):
    """Settings of both kinds, another tool for ROCr, a library that writes to stdout, which is full: the steps are the same as
    without; that the page was lost is told, and is all that the exit code is for."""
    (tmp_path / "noise.c").write_text(NOISE)
    subprocess.run(["clang-22", "-shared", "-fPIC", "noise.c", "-o", "noise.so"], cwd=tmp_path, check=True)
    (tmp_path / "lanescope").mkdir()
    (tmp_path / "lanescope" / "config.json").write_text(json.dumps(SETTINGS))
    work, temporary = tmp_path / "work", tmp_path / "temporary"
    work.mkdir(), temporary.mkdir()
    with open("/dev/full", "w") as full:
        done = selftest(work, "--gpu", "soft:gfx90ax2", "-o", "results.json", code=1, stdout=full, environment={
            **VARIABLES, "XDG_CONFIG_HOME": str(tmp_path), "HSA_TOOLS_LIB": "/nowhere/libtool.so", "TMPDIR": str(temporary),
            "LD_PRELOAD": str(tmp_path / "noise.so")})
    results = json.loads((work / "results.json").read_text())
    assert [(s["step"], s["problems"]) for s in results["steps"]] == [(step, []) for step in STEPS]
    test_counts(results)
    assert done.stderr.count("LANESCOPE_MISSPELT") == 1 and done.stderr.count("stdout: cannot write") == 1
    assert [f.name for f in work.iterdir()] == ["results.json"] and not list(temporary.iterdir())


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_stopped(tmp_path, sig):
    """The children and the temporary directory are gone, the exit status is the signal's."""
    work, temporary = tmp_path / "work", tmp_path / "temporary"
    work.mkdir(), temporary.mkdir()
    with subprocess.Popen([profiling.LANESCOPE, "selftest", "--gpu", "soft:gfx90a"], cwd=work, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(temporary)}) as process:
        step = None
        while not step or not list(temporary.glob("*/lanescope-run-*")):  # `run` of a step is at work
            assert process.poll() is None
            found = re.search(r"\d+", open(f"/proc/{process.pid}/task/{process.pid}/children").read())
            step = int(found[0]) if found else step
        process.send_signal(sig)
        assert "was stopped at step" in process.communicate(timeout=300)[1]
    assert process.returncode == -sig
    with pytest.raises(ProcessLookupError):
        os.killpg(step, 0)
    assert not list(temporary.iterdir()) and not list(work.iterdir())


@pytest.mark.parametrize("output, reason", [("folder", "Is a directory"), ("none/x.json", "No such file"), ("link", "symbolic link"),
                                            ("", "empty name")])
def test_no_place_for_the_results(tmp_path, output, reason):
    """Said before the two minutes, not after them."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("target")
    done = selftest(tmp_path, "--gpu", "soft:gfx90a", "-o", output, code=2, environment={"TMPDIR": "/nowhere"})
    assert reason in done.stderr and "/nowhere" not in done.stderr


def test_directory_that_cannot_be_written(tmp_path):
    """Root may write everywhere, so it asks as somebody else."""
    tmp_path.chmod(0o555)
    done = subprocess.run([profiling.LANESCOPE, "selftest", "--gpu", "soft:gfx90a"], cwd=tmp_path, capture_output=True, text=True,
                          user=65534 if os.geteuid() == 0 else None, timeout=300)
    tmp_path.chmod(0o755)
    assert done.returncode == 2 and "the results cannot be written there: Permission denied" in done.stderr


def test_full_temporary_directory(tmp_path):
    """It is the disk's fault, not the GPU's: no step runs, no file tells of failures."""
    (tmp_path / "small").mkdir()
    enter = ["unshare", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs small && exec \"$@\"", "sh"]
    if subprocess.run([*enter, "true"], cwd=tmp_path, capture_output=True).returncode:
        pytest.skip("no mounts in a namespace of its own here")
    done = subprocess.run([*enter, profiling.LANESCOPE, "selftest", "--gpu", "soft:gfx90a"], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "TMPDIR": str(tmp_path / "small")}, timeout=300)
    assert done.returncode == 1 and "No space left on device; TMPDIR names another place" in done.stderr
    assert not done.stdout and [f.name for f in tmp_path.iterdir()] == ["small"]


@more
def test_a_reader_that_leaves(tmp_path):
    """It costs no results."""
    subprocess.run(f"{profiling.LANESCOPE} selftest --gpu soft:gfx90a -o a.json | true", shell=True, cwd=tmp_path, timeout=300)
    assert len(json.loads((tmp_path / "a.json").read_text())["steps"]) == len(STEPS)


def test_lost_output(tmp_path):
    """A closed stdout and a full disk are told."""
    done = subprocess.run(f"exec {profiling.LANESCOPE} selftest --gpu soft:gfx90a -o /dev/full >&-", shell=True, cwd=tmp_path,
                          capture_output=True, text=True, timeout=300, env={**os.environ, "LD_PRELOAD": quick(tmp_path, "identity")})
    assert done.returncode == 1 and "stdout: cannot write" in done.stderr and "/dev/full: cannot write" in done.stderr


@more
def test_to_a_pipe(tmp_path):
    done = selftest(tmp_path, "--gpu", "soft:gfx90a", "-o", "/dev/stdout")
    assert '"lanescope_selftest": 1' in done.stdout


@pytest.mark.parametrize("gpu, code", [("soft:gfx950", 4), ("hw", 4), ("soft:gfx1", 2)])
def test_no_such_gpu(tmp_path, gpu, code):
    """Debian 12's runtime knows no gfx950; nobody here has hardware."""
    done = selftest(tmp_path, "--gpu", gpu, code=code)
    assert gpu in done.stderr and not list(tmp_path.iterdir())


# ---- counters of rocprofv3 ----

# The counters of 256 instructions of one wavefront, in the order of the patterns: conflict cycles, all cycles. Reads: MI300X at
# these strides, 64 reads (amd-shark-ai, docs/empirical-lds/cdna3info.md), times 4. All cycles: 2, 4 and 8 phases for 4, 8 and 16
# bytes, and the conflicts. Writes by hand, 32 banks of 4 bytes: 4 bytes as reads; 8 bytes, 16 apart: of 16 lanes each second meets
# another, 4 phases with 1; 16 bytes in 8 phases of 8 lanes: side by side none, 64 apart 4 lanes meet, 3 each.
LDS_COUNTS = [(0, 2), (2, 2), (14, 2), (30, 2), (0, 4), (4, 4), (28, 4), (0, 8), (8, 8), (24, 8), (0, 2), (30, 2), (4, 4), (0, 8), (24, 8),
              (0, 2)]
# Requests of four lanes each: one where they are side by side, else one for each lane (ROCm Compute Profiler, Coalescing: 16 to 64).
GLOBAL_COUNTS = [16, 64, 16, 64]
COUNTS = {"SQ_LDS_BANK_CONFLICT": [256 * c for c, _ in LDS_COUNTS] + [0] * 4,
          "SQ_LDS_IDX_ACTIVE": [256 * (c + phases) for c, phases in LDS_COUNTS] + [0] * 4,
          "TCP_TOTAL_ACCESSES_sum": [2] * 16 + [256 * c for c in GLOBAL_COUNTS]}
WAYS = ["read_b32"] * 4 + ["read_b64"] * 3 + ["read_b128"] * 3 + ["write_b32"] * 2 + ["write_b64"] + ["write_b128"] * 2 + ["atomic_b32"]
KERNELS = [f"lds_{way}" for way in WAYS] + ["global_read_b32"] * 2 + ["global_read_b128", "global_write_b32"]

FAKE = """#!{python}
import csv, subprocess, sys
words = sys.argv[1:]
end = words.index("--")
names = words[words.index("--pmc") + 1:words.index("--output-format")]
folder, file = words[words.index("--output-directory") + 1], words[words.index("--output-file") + 1]
assert words[words.index("--output-format") + 1] == "csv"
done = subprocess.run([{lanescope!r}, "run", "--gpu", "soft:gfx90a", "--no-summary", "-o", folder + "/fake.db", "--", *words[end + 1:]])
counts, kernels = {counts!r}, {kernels!r}
with open(f"{{folder}}/{{file}}_counter_collection.csv", "w", newline="") as f:
    w = csv.writer(f, quoting=csv.QUOTE_NONNUMERIC)
    w.writerow(["Correlation_Id", "Dispatch_Id", "Agent_Id", "Queue_Id", "Process_Id", "Thread_Id", "Grid_Size", "Kernel_Id", "Kernel_Name",
                "Workgroup_Size", "LDS_Block_Size", "Scratch_Size", "VGPR_Count", "Accum_VGPR_Count", "SGPR_Count", "Counter_Name",
                "Counter_Value", "Start_Timestamp", "End_Timestamp"])
    for name in reversed(names):
        for k in range(len(kernels)):
            w.writerow([k + 1, k + 1, "Agent 4", 1, 7, 7, 64, 9, kernels[k], 64, 4096, 0, 8, 0, 16, name, float(counts[name][k]), 10, 20])
sys.exit({code})
"""


def counted(folder, counts=COUNTS, kernels=KERNELS, code=0, status=0, environment=()):
    fake = folder / "rocprofv3"
    fake.write_text(FAKE.format(python=sys.executable, lanescope=str(profiling.LANESCOPE), counts=counts, kernels=kernels, code=status))
    fake.chmod(0o755)
    done = selftest(folder, "--gpu", "soft:gfx90a", "--rocprofv3", fake, "-o", "counted.json", code=code, environment=environment)
    return done.stdout, json.loads((folder / "counted.json").read_text())


def changed(*changes):
    counts = {name: list(values) for name, values in COUNTS.items()}
    for counter, k, value in changes:
        counts[counter][k] = value
    return counts


@more
def test_counters(tmp_path):
    page, results = counted(tmp_path)
    assert "Counters of rocprofv3: 36 of 36 as our model has them\n" in page
    assert {c["pattern"] for s in results["steps"] for c in s.get("counts", [])} >= {"lds_read_b32, 4 bytes apart", "global_write_b32, 64 bytes apart"}
    assert [s["step"] for s in results["steps"]][-2:] == ["counters of LDS", "counters of vL1D"]


def test_counters_that_differ(tmp_path):
    """Reads of 4 bytes were measured on MI250, so that another count is a fault; of 16 bytes are assumed there."""
    page, results = counted(tmp_path, changed(("SQ_LDS_BANK_CONFLICT", 9, 5120), ("SQ_LDS_IDX_ACTIVE", 1, 1025)), code=1,
                            environment={"LD_PRELOAD": quick(tmp_path, "identity", "counters")})
    assert "34 of 36" in page and "FAIL  counters of LDS" in page and "ok    counters of vL1D" in page
    assert re.search(r"lds_read_b128, 64 bytes apart +SQ_LDS_BANK_CONFLICT +5120, by our model 6144, which is assumed", page)
    assert step_of(results, "counters of LDS")["problems"] == [
        "lds_read_b32, 8 bytes apart: SQ_LDS_IDX_ACTIVE is 1025, not 1024 as was measured on this GPU"]


@pytest.mark.parametrize("kernels, status, reason", [
    pytest.param(KERNELS, 5, "rocprofv3: it ended with exit code 5", marks=more),
    pytest.param(["other"] + KERNELS[:-1], 0, "rocprofv3 counted other dispatches than the patterns", marks=more)])
def test_no_counters(tmp_path, kernels, status, reason):
    """Not the GPU's fault: said, and nothing fails."""
    page, results = counted(tmp_path, kernels=kernels, status=status)
    assert f"  -     counters of LDS     not counted: {reason}" in page and "FAIL" not in page and "Counters of" not in page
    assert step_of(results, "counters of vL1D")["skipped"] == reason


def test_no_rocprofv3(tmp_path):
    done = selftest(tmp_path, "--gpu", "soft:gfx90a", "--rocprofv3", tmp_path / "none", code=2)
    assert "none: No such file" in done.stderr


def test_compare_counts(tmp_path):
    files = []
    for name, value in [("a", 512), ("b", 512), ("c", 600)]:
        f = made_up(tmp_path / f"{name}.json")
        o = json.loads(f.read_text())
        count = {"pattern": "lds_read_b32, 8 bytes apart", "counter": "SQ_LDS_BANK_CONFLICT", "model": 512.0, "counted": value}
        o["steps"].append({"step": "counters of LDS", "part": "counters", "problems": [], "counts": [count, "x", {"pattern": 4}]})
        f.write_text(json.dumps(o))
        files.append(f)
    assert ("lds_read_b32, 8 bytes apart, SQ_LDS_BANK_CONFLICT counted by 3, 2 as the first file has it, 2 as our model has it"
            in selftest(tmp_path, "--compare", *files).stdout)


# ---- a step that hangs ----

def test_a_step_that_hangs(tmp_path):
    """It is ended and named with what it was at; the steps behind it run."""
    hang = quick(tmp_path, "identity", "launches", code="int hsa_amd_queue_set_priority(void *q, int p) { for (;;) pause(); }\n")
    done = selftest(tmp_path, "--gpu", "soft:gfx90a", "--step-seconds", 20, "-o", "a.json", code=1,
                    environment={"LD_PRELOAD": hang})
    results = json.loads((tmp_path / "a.json").read_text())
    assert step_of(results, "launches")["problems"] == ["the part gave no answer; it was at: high priority", "it took too long and was ended"]
    assert [s["step"] for s in results["steps"]] == STEPS and re.search("^  ok +coalescing *$", done.stdout, re.M)


@pytest.mark.parametrize("seconds", ["0", "-1", "x", "", "99999999999999999999"])
def test_no_step_seconds(tmp_path, seconds):
    assert "--step-seconds: '" in selftest(tmp_path, "--step-seconds", seconds, code=2).stderr


# ---- what hardware alone does ----

# The software GPU is taken for hardware: parts measure until a launch takes long enough, and tell figures.
HARDWARE = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
int hsa_init(void)
{
    int status = ((int (*)(void))dlsym(RTLD_NEXT, "hsa_init"))();
    unsetenv("LANESCOPE_GPU");
    return status;
}
"""
FIGURES = {
    "rates": {"stores to the host, 16 bytes each": "GB/s", "stores to the host, 64 bytes each": "GB/s",
              "stores to the host, whole wavefronts": "GB/s", **{
                  f"tickets of the {where}, {which}": "million/s"
                  for where in ("host", "device") for which in ("one counter for all", "a counter each")}},
    "clocks": {"launches begin after they are submitted, at least": "us", "launches end before the host knows, at least": "us",
               "clock of wavefronts": "MHz", "counter of cycles": "MHz"},
    "coalescing": {**{f"read_b32, {apart} bytes apart": "cycles" for apart in (0, 4, 8, 16, 32, 64, 128)},
                   **{f"read_b128, {apart} bytes apart": "cycles" for apart in (16, 32, 64, 128)},
                   **{f"write_b32, {apart} bytes apart": "cycles" for apart in (4, 64)}},
}


@pytest.mark.parametrize("part", FIGURES)
def test_figures(part, tmp_path):
    """What they are is no measurement; that they are there can be seen here."""
    (tmp_path / "hardware.c").write_text(HARDWARE)
    subprocess.run(["clang-22", "-shared", "-fPIC", "hardware.c", "-o", "hardware.so"], cwd=tmp_path, check=True)
    soft, program = (next((profiling.BUILD / "stage").glob(f"lib*/**/{name}")) for name in ("liblanescope-softgpu.so", "lanescope-selftest"))
    done = profiling.call(program, part, env=profiling.clean_environment(
        LD_PRELOAD=f"{tmp_path}/hardware.so:{soft}", LANESCOPE_GPU="soft:gfx90a"))
    results = json.loads(done.stdout.splitlines()[-1])
    assert results["problems"] == [] and {f["name"]: f["unit"] for f in results["figures"]} == FIGURES[part]
    assert all(f["value"] > 0 for f in results["figures"])


# ---- files of others together ----

HALVES = ["00000000ffffffff", "ffffffff00000000"]


def made_up(path, gpu="gfx942", groups=HALVES, banks=32, table="same", problems=()):
    row = {"way": "read_b32", "what": "read", "bytes": 4, "verdict": "found", "banks": banks, "groups": groups, "table": table}
    path.write_text(json.dumps({"lanescope_selftest": 1, "version": "0.2.0", "gpu": gpu, "software_gpu": False, "steps": [
        {"step": "ring", "part": "ring", "problems": list(problems)},
        {"step": "LDS phases", "part": "lds", "problems": [], "rows": [row]}]}))
    return path


def test_compare(tmp_path):
    files = [made_up(tmp_path / "a.json"), made_up(tmp_path / "b.json", problems=["bad", "bad"]),
             made_up(tmp_path / "c.json", groups=HALVES[::-1], table="same"),
             made_up(tmp_path / "d.json", gpu="gfx90a", groups=["ffffffffffffffff"], table="differs")]
    text = selftest(tmp_path, "--compare", *files).stdout
    assert "gfx942, hardware: 3 files, 2 without problems" in text
    assert "1 x  ring: bad" in text  # of one file, though it says so twice
    assert "read_b32     found by 3, 2 as the first file has it, 3 as our table has it" in text
    assert "gfx90a, hardware: 1 file, 1 without problems" in text
    assert "found by 1, 1 as the first file has it, 0 as our table has it" in text


def test_compare_partitions_and_figures(tmp_path):
    files = []
    for name, mode, rate in [("a", "SPX", 3), ("b", "CPX", 1), ("c", "SPX", 2)]:
        f = made_up(tmp_path / f"{name}.json")
        o = json.loads(f.read_text())
        o["steps"] += [{"part": "identity", "problems": [], "partition": {"compute": mode, "memory": "NPS1", "number": 0}},
                       {"part": "rates", "problems": [], "figures": [{"name": "stores", "value": rate, "unit": "GB/s"}]}]
        f.write_text(json.dumps(o))
        files.append(f)
    text = selftest(tmp_path, "--compare", *files).stdout
    assert "  2 in mode SPX, NPS1\n  1 in mode CPX, NPS1\n" in text
    assert re.search(r"^  stores +1 to 3 GB/s, half of 3 up to 2$", text, re.M)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"lanescope_selftest": 1}', '{"lanescope_selftest": 99}', '{"a": 1}',
                                  '{"lanescope_selftest": 1, "gpu": 7, "steps": []}', "\x00\x01"])
def test_compare_refuses(tmp_path, text):
    bad, good = tmp_path / "bad.json", made_up(tmp_path / "good.json")
    bad.write_text(text)
    done = selftest(tmp_path, "--compare", good, bad, tmp_path / "none.json", code=3)
    assert "bad.json: " in done.stderr and "none.json: " in done.stderr
    assert "gfx942, hardware: 1 file" in done.stdout


@pytest.mark.parametrize("steps", [[1], [{"step": 1, "part": [], "problems": {}}], [{"part": "lds", "rows": 5}],
                                   [{"part": "lds", "rows": [1, {"way": None, "groups": 3}]}], [{"step": "\x1b[31m", "problems": ["\x1b]0;x\x07", 4]}]])
def test_compare_of_hostile_files(tmp_path, steps):
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"lanescope_selftest": 1, "gpu": "g\x1b[2J", "steps": steps}))
    text = selftest(tmp_path, "--compare", path).stdout
    assert "\x1b" not in text and "\x07" not in text


def test_compare_of_files_without_answers(tmp_path):
    """A file that has lost what a step says of its problems is none without problems."""
    paths = [made_up(tmp_path / f"{i}.json") for i in range(4)]
    for path, problems in zip(paths[1:], [{}, None, "none"]):
        o = json.loads(path.read_text())
        o["steps"][0].pop("problems") if problems is None else o["steps"][0].update(problems=problems)
        path.write_text(json.dumps(o))
    paths.append(tmp_path / "empty.json")
    paths[-1].write_text(json.dumps({"lanescope_selftest": 1, "gpu": "gfx942", "software_gpu": False, "steps": []}))
    text = selftest(tmp_path, "--compare", *paths).stdout
    assert "gfx942, hardware: 5 files, 1 without problems\n" in text
    assert "3 x  ring: the file does not say which problems it had\n" in text and "1 x  no step is in the file\n" in text


def test_compare_is_not_led_astray(tmp_path):
    """A way that one file has twice counts once; a text longer than most, and a number that is no number, are taken as they are."""
    twice = made_up(tmp_path / "twice.json")
    o = json.loads(twice.read_text())
    o["steps"][1]["rows"] *= 2
    o["steps"][0]["problems"] = ["x" * 630 + "\u20ac" * 9]
    twice.write_text(json.dumps(o))
    other = made_up(tmp_path / "other.json", banks="\u20ac")
    text = selftest(tmp_path, "--compare", twice, other).stdout
    assert "found by 2, 1 as the first file has it, 2 as our table has it" in text
    assert "1 x  ring: " + "x" * 630 in text


@pytest.mark.parametrize("text", ["[" * 100000, '{"lanescope_selftest": 1, "gpu": "g", "steps": ' + "[" * 3000 + "]" * 3000 + "}",
                                  '{"lanescope_selftest": 1e999, "gpu": "g", "steps": []}',
                                  '{"lanescope_selftest": 99999999999999999999999999, "gpu": "g", "steps": []}',
                                  '{"lanescope_selftest": 1, "gpu": "g", "steps": []}' + " " * (1 << 18)])
def test_compare_refuses_what_has_no_end(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    assert "x.json: " in selftest(tmp_path, "--compare", path, code=3).stderr


def test_compare_of_many(tmp_path):
    """300 files of three GPUs with 200 ways each."""
    rows = [{"way": f"read_b{i}", "verdict": "found", "groups": HALVES, "banks": 32} for i in range(200)]
    text = [json.dumps({"lanescope_selftest": 1, "gpu": f"gfx{gpu}", "steps": [{"part": "lds", "rows": rows, "problems": []}]})
            for gpu in range(3)]
    files = [tmp_path / f"{i}.json" for i in range(300)]
    for i, f in enumerate(files):
        f.write_text(text[i % 3])
    out = selftest(tmp_path, "--compare", *files).stdout
    assert out.count("100 files, 100 without problems") == 3
    assert out.count("found by 100, 100 as the first file has it, 0 as our table has it") == 3 * 200


def test_compare_reads_no_device(tmp_path):
    done = selftest(tmp_path, "--compare", tmp_path, "/dev/zero", code=3)
    assert done.stderr.count("lanescope: ") == 2
