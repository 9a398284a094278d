"""Kernels that were compiled without Lanescope, observed by their machine instructions (--uninstrumented isa)."""

import json
import os
import pathlib
import re
import sqlite3
import struct

import pytest

import hardware
import instructions
import profiling

ISA = ("--uninstrumented", "isa")
EXAMPLES, BOTH_WAYS = ["matmul", "aos_soa"], ["transpose", "histogram"]
if os.environ.get("LANESCOPE_TEST_ALL"):
    EXAMPLES += ["vector_add", "strided_copy", "transpose", "reduction", "histogram"]
    BOTH_WAYS += ["reduction"]


def build(source, out, *flags, plugin=False):
    return profiling.compile_hip(out, "--offload-arch=gfx90a", "-std=c++17", *flags, source, plugin=plugin)


def observe(program, directory, *options):
    log = directory / "access.log"
    p = profiling.Profile(directory / "out", program, options=(*ISA, "--access-log", log, *options))
    assert p.done.returncode == 0, p.done.stdout + p.done.stderr
    return p, log


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_without_lanescope(name, tmp_path):
    program = build(profiling.EXAMPLE_SOURCES / name / f"{name}.hip", tmp_path / name, "-O3")
    p, log = observe(program, tmp_path)
    kernels, numbers = instructions.check(p.database, log, hardware.Code.of_program(program, tmp_path))
    assert kernels and numbers
    assert p.done.stdout == profiling.run_plain(program).stdout


@pytest.mark.parametrize("name, flags", [("accesses", "-O3"), ("odd_accesses", "-O2"), ("device_calls", "-O0"), ("spills", "-O3"), ("textures", "-O3")])
def test_every_kind_of_instruction(name, flags, tmp_path):
    """Loads to LDS, flat and buffer instructions, atomics, odd forms; functions; stacks and images, which are not priced."""
    program = build(f"{name}.hip", tmp_path / name, flags)
    p, log = observe(program, tmp_path)
    kernels, numbers = instructions.check(p.database, log, hardware.Code.of_program(program, tmp_path))
    assert kernels and numbers
    assert not p.query("SELECT 1 FROM dispatch WHERE dropped OR bad")
    # What is not priced is named: SMEM, scratch, images.
    assert p.query("SELECT count(*) FROM site WHERE reason = 8 AND NOT flags & 1 AND space = 4")[0][0]
    if name == "spills":
        assert p.query("SELECT count(*) FROM site WHERE reason = 1 AND NOT flags & 1 AND space = 5")[0][0]
    if name == "textures":
        assert p.query("SELECT count(*) FROM site WHERE reason = 2 AND NOT flags & 1 AND kind = 11")[0][0]


def by_line(p):
    """{(kernel, handler, metric, kind, line): value} of what both ways count."""
    kinds = {"compare and swap": "atomic"}
    found = {}
    for kernel, handler, metric, kind, line, value in p.query(
            """SELECT k.mangled, m.handler, m.name, s.kind, s.line, sum(v.value) FROM value v
               JOIN dispatch d ON d.id = v.dispatch JOIN kernel k ON k.id = d.kernel JOIN site_view s ON s.site = v.site
               JOIN metric m ON m.id = v.metric WHERE m.handler IN ('lds_bank_conflicts', 'memory_coalescing')
               AND k.mangled NOT LIKE '%rocclr%' GROUP BY 1, 2, 3, 4, 5"""):
        key = kernel, handler, metric, kinds.get(kind, kind), line
        found[key] = found.get(key, 0) + value
    return {key: value for key, value in found.items() if value}


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_equal_to_probes(name, tmp_path):
    """The numbers of each line are those of the instrumented program, whose originals are the same machine code."""
    source = profiling.EXAMPLE_SOURCES / name / f"{name}.hip"
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    plain = build(source, tmp_path / "a" / name, "-O3", "-g")
    probed = build(source, tmp_path / "b" / name, "-O3", "-g", plugin=True)
    alone = profiling.Profile(tmp_path / "alone", plain, options=ISA)
    joined = profiling.Profile(tmp_path / "joined", probed)
    assert by_line(alone) == by_line(joined) != {}
    assert alone.query("SELECT DISTINCT by_instructions FROM dispatch WHERE observed") == [(1,)]
    assert joined.query("SELECT DISTINCT by_instructions FROM dispatch WHERE observed") == [(0,)]


def test_with_clones_both_kinds_stay_apart(tmp_path):
    """The program's kernels have clones; only the runtime's fill kernel is observed by its instructions."""
    program = profiling.EXAMPLES / "transpose"
    p = profiling.Profile(tmp_path, program, options=ISA)
    assert p.done.returncode == 0, p.done.stderr
    kinds = dict(p.query("SELECT k.name, max(d.by_instructions) FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                         " WHERE d.observed GROUP BY 1"))
    assert {name.startswith("__amd_rocclr"): kind for name, kind in kinds.items()} == {True: 1, False: 0}
    assert p.query("SELECT count(*) FROM site s JOIN kernel k ON k.id = s.kernel"
                   " WHERE (s.code_offset IS NOT NULL) <> (k.name LIKE '__amd_rocclr%')") == [(0,)]


def test_prebuilt_library(tmp_path):
    """Debian's librocrand: kernels that nobody here has compiled."""
    library = next(pathlib.Path("/usr/lib").glob("*/librocrand.so.1"), None)
    if not library or not pathlib.Path("/usr/include/rocrand/rocrand.h").exists():
        pytest.skip("librocrand-dev is not installed")
    program = build("prebuilt.cpp", tmp_path / "prebuilt", "-O2", "-lrocrand")
    p, log = observe(program, tmp_path)
    kernels, numbers = instructions.check(p.database, log, hardware.Code.of_program(library, tmp_path))
    assert kernels >= 4 and numbers > 50, (kernels, numbers)
    assert p.done.stdout == profiling.run_plain(program).stdout
    report = profiling.call(profiling.LANESCOPE, "report", p.database).stdout
    assert "compiled without Lanescope: each machine instruction is a row" in report
    assert re.search(r"0x[0-9a-f]+: ds_(read|write)_b32 v", report), report


@pytest.mark.parametrize("mode", [("--summary-mode",), ("--sample-waves", "1/2"), ("--chunk-size", "1K", "--ring-size", "64K")])
def test_transport_settings(mode, tmp_path):
    """Summary mode has no effect on kernels without probes; half of the wavefronts are half of the executions; a ring that is
    too small to hold chunks loses nothing."""
    program = build(profiling.EXAMPLE_SOURCES / "transpose" / "transpose.hip", tmp_path / "transpose", "-O3")
    p = profiling.Profile(tmp_path / "out", program, options=(*ISA, *mode))
    # 128 x 128 elements, of which a wavefront loads 64 (README of the example)
    wavefronts = 128 * 128 // 64 // (2 if mode[0] == "--sample-waves" else 1)
    assert p.metric("memory_coalescing", "Executions", "transpose_naive%", kind="load") == wavefronts
    assert not p.query("SELECT 1 FROM dispatch WHERE dropped OR bad")


def test_the_hint_names_what_can_be_done(tmp_path):
    program = build(profiling.EXAMPLE_SOURCES / "transpose" / "transpose.hip", tmp_path / "transpose", "-O3")
    hint = "compiled without Lanescope (--uninstrumented isa observes its instructions)"
    plain = profiling.Profile(tmp_path / "plain", program)
    assert hint in plain.done.stderr
    assert hint[:-1] + "; --kernel . shows them)" in " ".join(profiling.call(profiling.LANESCOPE, "report", plain.database).stdout.split())
    isa = profiling.Profile(tmp_path / "isa", program, options=ISA)
    assert "--uninstrumented" not in isa.done.stderr + profiling.call(profiling.LANESCOPE, "report", isa.database).stdout
    assert "lanescope hipcc" not in isa.done.stderr
    # Without line tables the overview names the worst instruction, as the table below it does.
    report = profiling.call(profiling.LANESCOPE, "report", isa.database).stdout
    worst, = re.findall(r"^ +\d\S* .* (0x[0-9a-f]+) +transpose_naive", report, re.M)
    assert re.search(rf"^transpose_naive\(.*?Coalescing\n  {worst} store 4 B ", report, re.M | re.S), report
    with sqlite3.connect(plain.database) as db:  # the same recording, as if made on hardware
        db.execute("UPDATE process SET gpu = 'hw'")
    report = profiling.call(profiling.LANESCOPE, "report", plain.database).stdout
    assert "compiled without Lanescope" in report and "observes its instructions" not in report


def test_hardware_refuses(tmp_path):
    done = profiling.call(profiling.LANESCOPE, "run", "--gpu", "hw", "--uninstrumented=isa", "--", "/bin/true")
    assert done.returncode == 2
    assert "--uninstrumented isa: only the software GPU can observe instructions" in done.stderr


@pytest.fixture(scope="module")
def reached(tmp_path_factory):
    return build("reached.hip", tmp_path_factory.mktemp("reached") / "reached", "-O2")


def coverage(profile, kernel):
    report = json.loads(profiling.call(profiling.LANESCOPE, "report", "--json", profile.database).stdout)
    found, = [k for k in report["kernels"] if k["name"].startswith(kernel)]
    return found["coverage"]["text"], found


def test_only_functions_that_calls_reach_are_counted(reached, tmp_path):
    p, _ = observe(reached, tmp_path)
    assert p.done.stdout == profiling.run_plain(reached).stdout
    functions = {}
    for kernel, function in p.query("SELECT DISTINCT k.name, s.function FROM site s JOIN kernel k ON k.id = s.kernel"):
        functions.setdefault(kernel.split("(")[0], set()).add(re.sub(r"^_Z(L?)\d+(\w+?)P?[KP].*", r"\2", function))
    assert functions["calls_none"] == {"calls_none"}
    assert functions["calls_directly"] == {"calls_directly", "by_another", "near_by"}
    # A pointer may lead to any, and the report says that this is why they are counted.
    assert functions["calls_pointers"] >= {"calls_pointers", "near_by", "elsewhere", "by_another"}
    why = "some calls go where only registers say: all functions of its code object count"
    assert why in coverage(p, "calls_pointers")[0]
    assert "pointer" not in coverage(p, "calls_directly")[0] + coverage(p, "calls_none")[0]


def test_code_without_a_symbol_is_no_full_ring(reached, tmp_path):
    p, _ = observe(reached, tmp_path)
    # One wavefront, one load.
    assert p.query("SELECT k.name, d.unlisted, d.dropped FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                   " WHERE d.unlisted OR d.dropped") == [("calls_unnamed(int const*, int*)", 1, 0)]
    text = "1 access was made by code without a symbol"
    found = coverage(p, "calls_unnamed")[1]
    assert found["reason"] == text and found["transport"]["unlisted"] == 1
    report = profiling.call(profiling.LANESCOPE, "report", p.database).stdout
    assert text in report and "ring" not in report
    assert "1 access by code without a symbol: the numbers are too small" in p.done.stderr


def without_sizes(image):
    """The code object with functions that do not say how long they are, as those of Tensile in rocBLAS."""
    image = bytearray(image)
    sections, = struct.unpack_from("<Q", image, 40)
    size, n = struct.unpack_from("<HH", image, 58)
    for header in range(sections, sections + n * size, size):
        kind, = struct.unpack_from("<I", image, header + 4)
        offset, length = struct.unpack_from("<QQ", image, header + 24)
        for symbol in range(offset, offset + length, 24) if kind in (2, 11) else ():  # .symtab, .dynsym
            if image[symbol + 4] & 15 == 2:  # a function
                struct.pack_into("<Q", image, symbol + 16, 0)
    return bytes(image)


def test_functions_that_do_not_tell_their_size(tmp_path):
    """Each ends where the next one begins: the numbers are those of the log, and of the program as it was compiled."""
    compiled, program = build("odd_accesses.hip", tmp_path / "sized", "-O2"), tmp_path / "unsized"
    content = compiled.read_bytes()
    for image in hardware.code_objects(compiled):
        assert content.count(image) == 1 and without_sizes(image) != image
        content = content.replace(image, without_sizes(image))
    program.write_bytes(content)
    program.chmod(0o755)
    p, log = observe(program, tmp_path)
    kernels, numbers = instructions.check(p.database, log, hardware.Code.of_program(program, tmp_path))
    (tmp_path / "other").mkdir()
    sized, _ = observe(compiled, tmp_path / "other")
    assert kernels and numbers and instructions.rows(p.database) == instructions.rows(sized.database)


def test_two_functions_of_one_name(reached, tmp_path):
    """Static functions of two files have one name when their objects are linked: here, it is written into the program."""
    content = reached.read_bytes()
    assert content.count(b"_ZL8twin_two") and content.count(b"_ZL8twin_one")
    program = tmp_path / "twins"
    program.write_bytes(content.replace(b"_ZL8twin_two", b"_ZL8twin_one"))
    program.chmod(0o755)
    p = profiling.Profile(tmp_path / "out", program, options=ISA)
    assert p.done.returncode == 0, p.done.stderr
    assert p.metric("memory_coalescing", "Executions", "calls_twins%", kind="load") == 5 + 1  # of the one, of the other
    bytes_loaded = p.query("""SELECT sum(v.value) FROM value v JOIN site s ON s.id = v.site JOIN metric m ON m.id = v.metric
                              WHERE m.name = 'Executions' AND m.handler = 'memory_coalescing'
                              AND s.isa LIKE '%_load_ubyte'""")
    assert bytes_loaded == [(1,)]  # only the other one has such an instruction


def test_nobody_is_asked_to_compile_a_library_with_blocks(reached, tmp_path):
    """Nor is the user where all kernels have no probes; what a kernel with a clone lacks is still said."""
    handlers = ("--handlers", "block_executions,instruction_mix,block_timing,memory_coalescing")
    alone = profiling.Profile(tmp_path / "alone", reached, options=(*ISA, *handlers))
    said = alone.done.stderr + profiling.call(profiling.LANESCOPE, "report", alone.database).stdout
    assert alone.done.returncode == 0 and "--lanescope-blocks" not in said
    for handler in ("block_executions", "instruction_mix", "block_timing"):
        assert said.count(f"{handler}: nothing on kernels that were compiled without Lanescope") >= 1
    probed = profiling.Profile(tmp_path / "probed", profiling.EXAMPLES / "transpose", options=handlers)
    assert "block_executions: no block probes: compile with --lanescope-blocks" in probed.done.stderr + profiling.call(
        profiling.LANESCOPE, "report", probed.database).stdout


A_FILE = """#include <hip/hip_runtime.h>
static __global__ void k(int *p)
{
    p[threadIdx.x * %d] += 1;
}
void %s(int *p) { k<<<1, 64>>>(p); }
"""
MAIN = """#include <hip/hip_runtime.h>
void a(int *);
void b(int *);
int main()
{
    int *p;
    if (hipMalloc(&p, 65536) != hipSuccess)
        return 1;
    a(p), b(p), b(p);
    return (int)hipDeviceSynchronize();
}
"""


@pytest.mark.parametrize("flags", [["-O2"], ["-O2", "-g"]])
def test_two_files_with_one_name(flags, tmp_path):
    """Static functions of two files are two kernels, told apart by their files, or by their code where no file is known."""
    texts = {"a": A_FILE % (1, "a"), "b": A_FILE % (32, "b"), "main": MAIN}
    for name, text in texts.items():
        (tmp_path / f"{name}.hip").write_text(text)
    p, _ = observe(build(tmp_path / "main.hip", tmp_path / "program", *flags, tmp_path / "a.hip", tmp_path / "b.hip"), tmp_path)
    data = json.loads(profiling.call(profiling.LANESCOPE, "report", p.database, "--json").stdout)
    kernels = [k for k in data["kernels"] if k["name"].startswith("k(")]
    # A wavefront's 64 lanes of 4 B touch 256 B, 4 lines of 64 B; 128 B apart each lane has a line of its own. Loads and stores:
    lines = {(k["dispatches"]["count"], sum(line["metrics"]["memory_coalescing"]["Cache Lines"] for line in k["lines"])) for k in kernels}
    assert len(kernels) == 2 and lines == {(1, 2 * 4), (2, 2 * 2 * 64)}
    assert len({k.get("kernel_code") for k in kernels}) == (1 if "-g" in flags else 2)
    where = {(k["file"].rpartition("/")[2], k["line"]) for k in kernels}
    assert where == ({("a.hip", 2), ("b.hip", 2)} if "-g" in flags else {("", 0)})
    text = profiling.call(profiling.LANESCOPE, "report", p.database).stdout
    headings = set(re.findall(r"^k\(int\*\) \[(.*?)\]", text, re.M))
    assert len(headings) == 2 and all(re.fullmatch(r"(\S*/)?[ab]\.hip:2" if "-g" in flags else "code [0-9a-f]+", h) for h in headings), headings
