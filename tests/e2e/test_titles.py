"""Rows are called after the user's lines, whatever headers the accesses stand in (programs/titles); what is not exact
is marked."""

import json
import os
import re

import pytest

import profiling
from profiling import LANESCOPE, Profile, call, compile_hip, marked_line

PROGRAM = "titles/titles.hip"
LIBRARY = profiling.SOURCE / "programs" / "titles" / "library"
COMPILERS = ("hipcc", "clang++-19", "clang++-22")


def report(p, *options, kernel="launch_kernel"):
    done = call(LANESCOPE, "report", "--json", "--kernel", kernel, *options, p.database)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def titles(data):
    return {(os.path.basename(r["title_file"]), r["title_line"], r["access"])
            for k in data["kernels"] for t in k["tables"] for r in t["rows"]}


def line(mark):
    return marked_line(PROGRAM, mark)


@pytest.fixture(scope="module")
def users(request):
    return {("titles.hip", line("// VIEW"), "load"), ("titles.hip", line("// SET"), "store"),
            ("titles.hip", line("// ATOMIC"), "atomic")}


def record(directory, *options, compiler="hipcc", run=()):
    program = compile_hip(directory / "titles", "-O3", "--offload-arch=gfx90a", *options, PROGRAM, compiler=compiler)
    p = Profile(directory, program, options=run)
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    return p


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """By compiler, the program with the library's headers as the system's, as CMake gives them for imported libraries."""
    known = {}

    def get(compiler="hipcc"):
        if compiler not in known:
            known[compiler] = record(tmp_path_factory.mktemp("recorded"), "-isystem", LIBRARY, compiler=compiler)
        return known[compiler]

    return get


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_compiler_knows_its_folders(compiler, recorded, users):
    """The library's file is called a system's, the user's is not."""
    p = recorded(compiler)
    assert titles(report(p)) == users
    origins = {os.path.basename(path): origin  # of those that frames name
               for path, origin in p.query("SELECT path, origin FROM source_file WHERE id IN (SELECT file FROM frame)")}
    assert origins["titles.hip"] == 1 and origins["view.hpp"] == 2, origins
    # each of the row's places is kept: the accesses of the views, of HIP's atomicAdd
    rows = {(r["access"], os.path.basename(r["file"])) for t in report(p)["kernels"][0]["tables"] for r in t["rows"]}
    assert {f for a, f in rows if a != "atomic"} == {"view.hpp"}
    assert {f for a, f in rows if a == "atomic"} == {"amd_hip_atomic.h"}


def test_named_library(tmp_path, users):
    """With -I the library's headers are the user's own, until a report is told otherwise."""
    p = record(tmp_path, "-I", LIBRARY)
    own = titles(report(p))
    assert ("titles.hip", line("// ATOMIC"), "atomic") in own
    assert {f for f, n, a in own if a != "atomic"} == {"view.hpp"}
    assert titles(report(p, "--library", LIBRARY)) == users
    assert titles(report(p, "--library", os.path.relpath(LIBRARY))) == users


def test_device_code_optimised_when_linked(tmp_path, users):
    """With -fgpu-rdc the plugin works in the link command, which names no folders: the usual ones, and those that are
    named to the report, count."""
    rdc = ("-O3", "-fgpu-rdc", "--offload-arch=gfx90a", "-isystem", LIBRARY)
    compile_hip(tmp_path / "titles.o", *rdc, "-c", PROGRAM)
    compile_hip(tmp_path / "titles", *rdc, "--hip-link", tmp_path / "titles.o")
    p = Profile(tmp_path, tmp_path / "titles")
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    assert {o for o, in p.query("SELECT origin FROM source_file")} == {0}
    assert titles(report(p, "--library", LIBRARY)) == users


def test_a_folder_that_holds_the_program(tmp_path, users):
    """The project's own folder as -isystem: its source is still the user's."""
    p = record(tmp_path, "-I", LIBRARY, "-isystem", LIBRARY.parent)
    assert titles(report(p, "--library", LIBRARY)) == users


def test_text_and_annotate(recorded):
    p = recorded()
    text = call(LANESCOPE, "report", "--kernel", "launch_kernel", p.database,
                env=profiling.clean_environment(COLUMNS="80")).stdout
    assert f"titles.hip:{line('// ATOMIC')}:9 atomic 4 B" in " ".join(text.split())  # narrow: in two lines
    assert "in atomicAdd, amd_hip_atomic.h:" in text
    assert all(len(l) <= 80 for l in text.splitlines() if not l.startswith("/")), text
    assert "of software GPU time" in " ".join(text.split())
    text = call(LANESCOPE, "annotate", p.database).stdout
    assert not {"view.hpp", "amd_hip_atomic.h"} & set(text.splitlines())  # as heads of files
    numbers = next(l for l in text.splitlines() if "// ATOMIC" in l).split()
    assert numbers[0] == "4", numbers  # 256 work-items are 4 wavefronts
    assert f" {line('// VIEW')}  " in next(l for l in text.splitlines() if "// VIEW" in l)


def test_lines_that_one_instruction_merges(recorded):
    p = recorded()
    first, second = line("// FIRST"), line("// SECOND")
    merged = p.query("SELECT count(*) FROM site WHERE counted_at IS NOT NULL")[0][0]
    assert merged, "ds_read2_b32 reads both"
    text = call(LANESCOPE, "annotate", "--kernel", "pairs", p.database).stdout.splitlines()
    marks = [l for l in text if f"with line {first}" in l or f"with line {second}" in l]
    assert any(f"with line {first}" in l for l in marks) and any(f"with line {second}" in l for l in marks), text


def test_lines_that_the_compiler_merges(recorded):
    """Each two become one access of 8 bytes. What vectorisers make of the stores has no place of its own, or that of what follows."""
    p = recorded()
    load, loaded, store, stored = (line("// " + mark) for mark in ("THE FROM", "WITH FROM", "THE TO", "WITH TO"))
    rows = {(r["access"], r["title_line"], tuple(r["bytes"])) for k in report(p, kernel="parts")["kernels"] for t in k["tables"]
            for r in t["rows"]}
    assert rows == {("load", load, (8,)), ("store", store, (8,)), ("store", line("// BEHIND BOTH"), (4,))}, rows
    text = call(LANESCOPE, "annotate", "--kernel", "parts", p.database).stdout.splitlines()
    for lead, other in ((load, loaded), (store, stored)):
        assert any(f"with line {lead} " in l and f" {other}  " in l for l in text), text
        assert any(l.strip() == f"* with line {other}: one instruction" for l in text), text


def test_sampled_wavefronts_are_marked(tmp_path):
    p = record(tmp_path, "-isystem", LIBRARY, run=("--sample-waves", "1/2"))
    data = report(p)
    rows = [r for t in data["kernels"][0]["tables"] for r in t["rows"]]
    assert rows and all(not r["exact"] and "only 1 of 2 wavefronts" in r["reason"] for r in rows)
    assert "; but only 1 of 2 wavefronts reported" in data["exactness"]["text"]


def test_estimates_are_marked(recorded):
    """A copy of unknown length is not joined: estimated, in each form and at its line, and nothing else is."""
    p = recorded()
    copy = line("// COPY")
    data = report(p, kernel=".")
    rows = [r for k in data["kernels"] for t in k["tables"] for r in t["rows"]]
    estimated = [r for r in rows if not r["exact"]]
    assert {r["title_line"] for r in estimated} == {copy} and len(estimated) == 2, estimated
    assert all(r["reason"].startswith("estimated from width and alignment: ") for r in estimated)
    executed = p.query("SELECT count(DISTINCT site) FROM value")[0][0]
    e = data["exactness"]
    assert (e["executed"] - e["not_counted"], e["exact"], e["estimated"]) == (executed, executed - 2, 2)
    assert re.search(f"; 2 estimated: [^;,]*titles.hip:{copy}(;|$)", e["text"]), e["text"]
    assert "2 estimated: titles.hip:" in p.done.stderr
    text = call(LANESCOPE, "annotate", p.database).stdout.splitlines()
    assert {l.split("  //")[0] for l in text if l.lstrip().startswith("~") and "memcpy" not in l and "exact" not in l} == set()
    assert any(l.lstrip().startswith("~") and "// COPY" in l for l in text), text
    reasons = {r for r, in p.query("SELECT estimate FROM site WHERE estimate IS NOT NULL")}
    assert reasons == {"it is not clear which instructions do it"}, reasons
