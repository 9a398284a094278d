"""The check for races and unwritten LDS: it names the lines that are wrong, and no others."""

import json
import re

import pytest

import profiling

# kernel: (kind, marks of the lines). Unwritten bytes are read where nobody has waited for the writer, too.
EXPECTED = {
    "missing_barrier": [("race", "write", "read"), ("uninit", "read")],
    "missing_second_barrier": [("race", "write", "read")],
    "two_writers": [("race", "write", "write")],
    "early_histogram": [("race", "atomic", "read")],
    "late_zero": [("race", "write", "atomic")],
    "inlined": [("race", "put", "get"), ("uninit", "get")],
    "half_written": [("uninit", "read")],
    "lanes_contradict": [("lanes", "write", "write")],
}


@pytest.fixture(scope="module", params=["-O0", "-O3"])
def racy(programs, request):
    return programs(request.param, "racy.hip", "-g", "-lamdhip64", compiler="clang++-22"), request.param


@pytest.fixture(scope="module")
def checked(racy, tmp_path_factory):
    program, level = racy
    profile = profiling.Profile(tmp_path_factory.mktemp("check"), program, options=["--check"])
    report = profiling.call(profiling.LANESCOPE, "report", "--json", profile.database)
    assert report.returncode == 0, report.stderr
    return profile, json.loads(report.stdout)["findings"], level


def place(access, level):
    """Line of the test program: where the access stands, or where the function that makes it was inlined."""
    if access["file"].endswith("racy.hip"):
        inner, calls = access["line"], re.findall(r"racy\.hip:(\d+)", access["inlined"])
        return int(calls[-1]) if calls else inner
    calls = re.findall(r"racy\.hip:(\d+)", access["inlined"])
    if calls:
        return int(calls[-1])
    assert level == "-O0", access  # nothing is inlined there: the line of the header is all there is
    return access["file"].rsplit("/", 1)[1]


def expected_place(kernel, mark, level):
    if level == "-O0" and mark == "atomic":
        return "amd_hip_atomic.h"
    if level == "-O0" and kernel == "inlined":
        mark = {"put": "write", "get": "read"}[mark]
    return profiling.marked_line("racy.hip", f"// {kernel}: {mark}")


def test_names_the_lines(checked):
    _, findings, level = checked
    found, wanted = set(), set()
    for f in findings:
        if f["severity"] == "error":
            kernel = f["kernel"].split("(")[0]
            found.add((kernel, f["kind"], *sorted(map(str, (place(a, level) for a in f["accesses"])))))
    for kernel, entries in EXPECTED.items():
        for kind, *marks in entries:
            wanted.add((kernel, kind, *sorted(str(expected_place(kernel, m, level)) for m in marks)))
    assert found == wanted


def test_same_value_is_a_note(checked):
    _, findings, level = checked
    line = profiling.marked_line("racy.hip", "good_flag: write")
    notes = {(f["kernel"], f["kind"], *(place(a, level) for a in f["accesses"]))
             for f in findings if f["severity"] == "note"}
    assert notes == {("good_flag(int*)", "race", line, line), ("good_flag(int*)", "lanes", line, line)}


def test_counts_and_example(checked):
    """missing_barrier: 3 work-groups of 256 lanes. The wavefronts run one after the other up to a barrier, the
    first of them reads unwritten values of the second, and so on to the fourth, which reads those of the first."""
    _, findings, _ = checked
    race, unwritten = [f for f in findings if f["kernel"] == "missing_barrier(int*)"]
    assert (race["kind"], race["count"], unwritten["count"]) == ("race", 3 * 256, 3 * 192)
    assert (race["workgroup"], race["address"], race["space"]) == ([0, 0, 0], 256, "LDS")
    assert [a["wave"] for a in race["accesses"]] == [1, 0]


def test_the_program_is_not_disturbed(racy, checked):
    program, _ = racy
    profile, _, _ = checked
    plain = profiling.run_plain(program)
    assert (profile.done.returncode, profile.done.stdout) == (plain.returncode, plain.stdout) == (3, "done\n")


def test_says_it_on_stderr(checked):
    profile, findings, _ = checked
    lines = profile.done.stderr.splitlines()
    at = next(i for i, line in enumerate(lines) if "check: race" in line and "missing_barrier" in line)
    write, read = (profiling.marked_line("racy.hip", f"// missing_barrier: {m}") for m in ("write", "read"))
    assert re.search(rf"write by wavefront 1 lane 0 at \S*racy\.hip:{write}:\d+; \w+_(write|store)", lines[at + 1])
    assert re.search(rf"read by wavefront 0 lane 0 at \S*racy\.hip:{read}:\d+; \w+_(read|load)", lines[at + 2])
    assert "LDS byte 256 of work-group (0,0,0)" in lines[at + 3]
    assert "6 races, 1 store whose lanes contradict each other, 3 reads of unwritten LDS" in profile.done.stderr


def test_shuffled_order_finds_the_same_lines(checked, racy, tmp_path):
    """What races does not depend on which wavefront came first; only what was unwritten may."""
    program, level = racy
    shuffled = profiling.Profile(tmp_path, program, options=["--check=races", "--soft-shuffle=5"])
    report = profiling.call(profiling.LANESCOPE, "report", "--json", shuffled.database)

    def lines(findings):
        return {(f["kernel"], f["kind"], f["severity"], *sorted(str(place(a, level)) for a in f["accesses"]))
                for f in findings if f["kind"] != "uninit"}

    again = json.loads(report.stdout)["findings"]
    assert lines(again) == lines(checked[1])
    assert not [f for f in again if f["kind"] == "uninit"]


def test_exit_code(racy, tmp_path):
    """A program that succeeds fails when something was found, and only then; its own failure stays."""
    program, _ = racy
    done = profiling.Profile(tmp_path / "a", program, "good_rotate", options=["--check", "--check-exit-code=9"]).done
    assert done.returncode == 3, "the program's own exit code"
    example = profiling.EXAMPLES / "reduction"
    done = profiling.Profile(tmp_path / "b", example, options=["--check", "--check-exit-code=9"]).done
    assert (done.returncode, "nothing found" in done.stderr) == (0, True), done.stderr
    done = profiling.Profile(tmp_path / "c", program, "two_writers", "0",
                             options=["--check=races", "--check-exit-code=9"]).done
    assert (done.returncode, "1 race in 1 dispatch" in done.stderr) == (9, True), done.stderr


@pytest.mark.parametrize("name", ["vector_add", "strided_copy", "transpose", "matmul", "reduction", "histogram", "aos_soa"])
def test_examples_are_clean(name, tmp_path):
    done = profiling.Profile(tmp_path, profiling.EXAMPLES / name, options=["--check"]).done
    assert done.returncode == 0 and "check (races,uninit): nothing found" in done.stderr, done.stderr


@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_global_memory(programs, level, tmp_path):
    program = programs(level, "racy_global.hip", "-g", "-lamdhip64", compiler="clang++-22")
    profile = profiling.Profile(tmp_path, program, options=["--check=global"])
    assert (profile.done.returncode, profile.done.stdout) == (0, "done\n"), profile.done.stderr
    report = profiling.call(profiling.LANESCOPE, "report", "--json", profile.database)
    findings = json.loads(report.stdout)["findings"]
    assert {f["space"] for f in findings} == {"global"}

    def line(mark):
        """Image instructions stand in functions of the device library, not inlined without optimisation: no lines."""
        if "image" in mark and level == "-O0":
            return None
        return profiling.marked_line("racy_global.hip", f"// {mark}")

    def place(access):
        calls = re.findall(r"racy_global\.hip:(\d+)", access["inlined"])
        return int(calls[-1]) if calls else access["file"] and access["line"]

    def found(severity):
        return {(f["kernel"].split("(")[0], *map(place, f["accesses"])) for f in findings if f["severity"] == severity}

    assert found("error") == {
        ("plain_sum", line("plain_sum: write"), line("plain_sum: read")),
        ("plain_sum", line("plain_sum: write"), line("plain_sum: write")),
        ("neighbour", line("neighbour: write"), line("neighbour: read")),
        ("uniform_neighbour", line("uniform_neighbour: write"), line("uniform_neighbour: read")),
        ("image_neighbour", line("image_neighbour: write"), line("image_neighbour: read")),
        ("image_corner", line("image_corner: write"), line("image_corner: write"))}
    assert found("note") == {
        (kernel, *[line(f"{kernel}: write")] * 2) for kernel in ("good_flag", "good_image_flag")}
    assert re.search(r"write by work-group \(1,0,0\) wavefront 0 lane 0 at \S*racy_global", profile.done.stderr)
    # Why nothing was counted is what was asked for, and no filter that nobody gave.
    assert set(profile.query("SELECT DISTINCT not_observed FROM dispatch JOIN kernel k ON k.id = kernel WHERE k.not_instrumented IS NULL")) == {
        ("--check of global memory runs the original kernels",)}
    assert "no dispatch was observed" not in profile.done.stderr


@pytest.mark.parametrize("name", ["reduction", "histogram"])
def test_examples_are_clean_in_global_memory(name, tmp_path):
    done = profiling.Profile(tmp_path, profiling.EXAMPLES / name, options=["--check=global"]).done
    assert done.returncode == 0 and "check (global): nothing found" in done.stderr, done.stderr


def test_waiting_work_groups_are_clean(programs, tmp_path):
    """Look-back, locks, grid barriers, ping-pong through flags: ordered in ways that leave few traces."""
    done = profiling.Profile(tmp_path, programs("progress.hip", "-O3", "-g"), options=["--check=races,global"]).done
    assert done.returncode == 0 and "check (races,global): nothing found" in done.stderr, done.stderr


def test_sources_of_another_folder(tmp_path):
    """Compiled as "../src/race.hip", whose line table has the path as it is: machine code, findings and lines have one file. What is printed
    while the program runs is named as one types it."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "race.hip").write_text(
        "#include <hip/hip_runtime.h>\n__global__ void race(int *o)\n{\n    __shared__ int s[256];\n    int t = threadIdx.x;\n    s[t] = t;\n"
        "    o[t] = s[255 - t];\n}\nint main()\n{\n    int *o;\n    hipMalloc(&o, 4096);\n    race<<<1, 256>>>(o);\n    return hipDeviceSynchronize();\n}\n")
    folder = tmp_path / "build"
    folder.mkdir()
    run = lambda *command: profiling.call(*command, cwd=folder)
    done = run(profiling.LANESCOPE, "hipcc", "-O3", "--offload-arch=gfx90a", "../src/race.hip", "-o", "race")
    assert done.returncode == 0, done.stderr
    done = run(profiling.LANESCOPE, "run", "--gpu", "soft:gfx90a", "--check", "-o", "r.db", "--", "./race")
    assert f" at {tmp_path}/src/race.hip:6:" in done.stderr and "../src" not in done.stderr.split("check (races")[0], done.stderr
    report = json.loads(run(profiling.LANESCOPE, "report", "--json", "r.db").stdout)
    kernel, = report["kernels"]
    own = f"{folder}/../src/race.hip"
    assert {r["file"] for t in kernel["tables"] for r in t["rows"]} == {own}
    assert {i["file"] for i in kernel["instructions"] if i["file"].endswith("race.hip")} == {own}
    assert {a["file"] for f in report["findings"] for a in f["accesses"]} == {own}
    assert " race.hip:6:10  " in run(profiling.LANESCOPE, "report", "r.db").stdout
