"""Advice on the layout of LDS, applied to the source as it is written, gives the numbers that it tells."""

import json
import os
import re

import pytest

import profiling
from profiling import Profile

ALL = os.environ.get("LANESCOPE_TEST_ALL")
FLAGS = ["--offload-arch=gfx90a", "-std=c++17", "-g", "-O3"]
COMPILERS = {"hipcc": ["hipcc", *FLAGS], "hipcc, only lines": ["hipcc", *[f for f in FLAGS if f != "-g"]],
             "clang 22": ["clang++-22", *FLAGS, "-lamdhip64"]}
SOME = COMPILERS if ALL else ["clang 22"]

# A work-group of one wavefront writes rows, and reads columns: lanes are a row apart. `DECLARATION` and `READ` are the
# source that advice is about.
COLUMNS = """
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <cstdio>
#define SWIZZLE(row, column) (column)
{types}
__global__ void columns({out} *out, {type} value, int c)
{{
    __shared__ {type} {declaration}; // declared
    int t = threadIdx.x;
    for (int r = 0; r < 64; r++)
        {write}; // write
    __syncthreads();
    out[t] = {read}; // read
}}
int main()
{{
    {out} *out;
    if (hipMalloc(&out, 64 * sizeof *out))
        return 1;
    columns<<<1, 64>>>(out, {type}(), 3);
    return hipDeviceSynchronize();
}}
"""
STRUCTURE = "struct P { float x, y, z, w; };"
# type, declaration, elements of a row that are written, what is read
PLAIN = {
    "float": ("float", "tile[64][32]", 32),
    "half": ("__half", "tile[64][64]", 64),
    "_Float16": ("_Float16", "tile[64][64]", 64),
    "short": ("short", "tile[64][64]", 64),
    "double": ("double", "tile[64][16]", 16),
    "char": ("char", "tile[64][128]", 128),
    "float2": ("float2", "tile[64][16]", 16),
    "float4": ("float4", "tile[64][8]", 8),
    "structure": ("P", "tile[64][8]", 8),
}


def measure(tmp_path, name, source, compiler):
    """What every marked line with LDS accesses costs and is advised: {mark: (conflicts, cycles, [advice])}."""
    file = tmp_path / f"{name}.hip"
    file.write_text(source)
    program = profiling.compile_hip(tmp_path / name, file, "-w", *COMPILERS[compiler][1:],
                                    compiler=COMPILERS[compiler][0])
    p = Profile(tmp_path / f"run-{name}", program)
    assert p.done.returncode == 0, p.done.stderr
    report = json.loads(profiling.call(profiling.LANESCOPE, "report", "--json", "--top", "0", p.database).stdout)
    marks = {i: re.search(r"// (\w+)$", line) for i, line in enumerate(source.splitlines(), 1)}
    out = {}
    for row in [r for k in report["kernels"] for t in k["tables"] if t["handler"] == "lds_bank_conflicts"
                for r in t["rows"]]:
        line = [place["line"] for place in [row, *row["inlined_at"]] if place["file"] == str(file)][-1]
        assert marks[line], row
        m = row["metrics"]
        conflicts, cycles, advice = out.get(marks[line][1], (0, 0, []))
        out[marks[line][1]] = conflicts + m["Bank Conflict"], cycles + m["LDS Cycles"], advice + row["advice"]
    return out


def number(text):
    return int(text.replace(",", ""))


CHANGES = {
    # what the sentence begins with, and how it is applied to the source
    "pad": re.compile(r"\+\d+ .* a row, (?P<from>\d+) -> (?P<to>\d+)(?:, .*)?(?: \((?P<declaration>.*)\))?$"),
    "dimension": re.compile(r"\+\d+ in dimension \d+, \d+ -> \d+ \((?P<declaration>.*)\)$"),
    "xor": re.compile(r"column \^ (?P<xor>row % \d+(?: \* \d+)?) in each row of (?P<from>\d+) "),
    "grow": re.compile(r"\+(?P<bytes>\d+) B in each P, 16 -> (?P<to>\d+) B$"),
    "split": re.compile(r"an array per field of the structures of (?P<from>\d+) B \(structure of arrays\)$"),
}
PREDICTION = re.compile(r"(.*): ([\d,]+) -> ([\d,]+) conflict cycles, ([\d,]+) -> ([\d,]+) LDS cycles$")


def changes(advice):
    """{kind: (match of the change, conflicts before and after, LDS cycles before and after)}"""
    out = {}
    for sentence in advice:
        said = PREDICTION.match(sentence)
        for kind, form in CHANGES.items() if said else ():
            if form.match(said[1]):
                out[kind] = form.match(said[1]), *map(number, said.groups()[1:])
    return out


def apply(kind, said, source):
    """The source with the change that was advised."""
    if kind in ("pad", "dimension") and said["declaration"]:
        name = said["declaration"].split("[")[0]
        assert re.search(rf" {name}(\[\w*\])+; // declared", source), source
        return re.sub(rf" {name}(\[\w*\])+; // declared", f" {said['declaration']}; // declared", source)
    if kind == "pad":  # rows that the source computes
        assert f"PITCH {said['from']}\n" in source
        return source.replace(f"PITCH {said['from']}\n", f"PITCH {said['to']}\n")
    if kind == "grow":
        more = int(said["bytes"]) // 4
        return source.replace("float x, y, z, w;", f"float x, y, z, w, more[{more}];")
    assert kind == "xor"
    assert "SWIZZLE(row, column) (column)" in source
    return source.replace("SWIZZLE(row, column) (column)", f"SWIZZLE(row, column) ((column) ^ (row) {said['xor'][4:]})")


def comes_true(tmp_path, source, compiler, mark, kinds, expected):
    """The named line has so many conflicts; what is advised is at least of these kinds, and comes true everywhere."""
    before = measure(tmp_path, "before", source, compiler)
    assert before[mark][0] == expected, before
    advised = changes(before[mark][2])
    assert set(kinds) <= set(advised), before
    for kind, (said, c_before, c_after, all_before, all_after) in advised.items():
        assert (c_before, all_before) == before[mark][:2]
        if kind == "split":
            continue  # another program, see test_advice.py
        after = measure(tmp_path, kind, apply(kind, said, source), compiler)
        assert after[mark][:2] == (c_after, all_after), (kind, said.string, before, after)
    return advised


# All lanes of a phase are on one bank, or two or four: of 4 bytes and less two phases of 32 lanes, 2 * 31; of 8 bytes
# four of 16 lanes, 4 * 15; of 16 bytes eight of 8 lanes, 8 * 7 (docs/hardware.md, gfx90a).
CONFLICTS = dict.fromkeys(PLAIN, 62) | {"double": 60, "float2": 60, "float4": 56}


@pytest.mark.parametrize("name,compiler", [(n, c) for n in PLAIN for c in COMPILERS
                                           if c == "hipcc" or n in ("half", "structure")[c == "clang 22":] or ALL])
def test_columns_of_a_tile(name, compiler, tmp_path):
    type, declaration, n = PLAIN[name]
    read = f"tile[t][SWIZZLE(t, c)]{'.y' if name == 'structure' else ''}"
    source = COLUMNS.format(types=STRUCTURE, type=type, declaration=declaration, out="float" if name == "structure" else type,
                            write=f"tile[r][SWIZZLE(r, t % {n})] = value" if name != "structure" else
                            f"tile[r][SWIZZLE(r, t % {n})].y = t", read=read)
    comes_true(tmp_path, source, compiler, "read", ["pad", "xor"], CONFLICTS[name])


PLANES = """
#include <hip/hip_runtime.h>
#define SWIZZLE(row, column) (column)
__global__ void planes(float *out, int c)
{{
    __shared__ float cube[8][16][16]; // declared
    int x = threadIdx.x, y = threadIdx.y, t = y * 8 + x;
    cube[{place}][SWIZZLE({row}, c)] = t; // write
    __syncthreads();
    out[t] = cube[{place}][SWIZZLE({row}, c ^ 1)]; // read
}}
int main()
{{
    float *out;
    if (hipMalloc(&out, 256))
        return 1;
    planes<<<1, dim3(8, 8)>>>(out, 3);
    return hipDeviceSynchronize();
}}
"""


# A phase is 32 lanes: 8 x and 4 y. Planes are 1024 bytes apart and rows 64, half of the banks: 2 banks hold all 32
# dwords, 16 on each: 2 * 15 conflicts.
@pytest.mark.parametrize("compiler", SOME)
@pytest.mark.parametrize("place", ["x][y", "y][x"] if ALL else ["x][y"])
def test_three_dimensions(place, compiler, tmp_path):
    advised = comes_true(tmp_path, PLANES.format(place=place, row=place[-1]), compiler, "read", ["pad"], 30)
    assert advised["pad"][0]["declaration"].startswith("cube[8][16][1"), advised


ROWS = """
#include <hip/hip_runtime.h>
#define PITCH {pitch}
#define SWIZZLE(row, column) (column)
__global__ void rows({type} *out, int c)
{{
    {array}
    int t = threadIdx.x;
    for (int r = 0; r < 64; r++)
        tile[r * PITCH + SWIZZLE(r, t % {n})] = t; // write
    __syncthreads();
    out[t] = tile[t * PITCH + SWIZZLE(t, c)]; // read
}}
int main()
{{
    {type} *out;
    if (hipMalloc(&out, 64 * sizeof *out))
        return 1;
    rows<<<1, 64, 64 * 256>>>(out, 3);
    return hipDeviceSynchronize();
}}
"""


@pytest.mark.parametrize("compiler", SOME)
@pytest.mark.parametrize("array,type,pitch,conflicts", [
    ("extern __shared__ {type} tile[];", "_Float16", 64, 62), ("extern __shared__ {type} tile[];", "double", 16, 60),
    ("__shared__ {type} tile[64 * (PITCH + 16)];", "float", 32, 62)])
def test_rows_that_the_source_computes(array, type, pitch, conflicts, compiler, tmp_path):
    source = ROWS.format(type=type, array=array.format(type=type), pitch=pitch, n=pitch)
    comes_true(tmp_path, source, compiler, "read", ["pad", "xor"], conflicts)


STRUCTURES = """
#include <hip/hip_runtime.h>
struct P { float x, y, z, w; };
__global__ void structures(float *out, int c)
{
    __shared__ P tile[64]; // declared
    int t = threadIdx.x;
    tile[t].y = t; // write
    __syncthreads();
    out[t] = tile[t ^ c].y; // read
}
int main()
{
    float *out;
    if (hipMalloc(&out, 256))
        return 1;
    structures<<<1, 64>>>(out, 1);
    return hipDeviceSynchronize();
}
"""


# 16 bytes apart: 8 of 32 banks, 4 lanes on each, 3 conflicts in each of two phases.
@pytest.mark.parametrize("compiler", SOME)
def test_structures(compiler, tmp_path):
    comes_true(tmp_path, STRUCTURES, compiler, "read", ["grow", "split"], 6)


# Of a structure with a double the size grows by 8: 16 -> 24 B. Lanes 6 dwords apart are on 16 of 32 banks, 2 on each, 1
# conflict in each of two phases; by 16, 8 dwords apart: 8 banks. No addition of 4 is possible, and none is advised.
@pytest.mark.parametrize("compiler", SOME)
def test_structures_with_a_wider_field(compiler, tmp_path):
    source = STRUCTURES.replace("float x, y, z, w;", "float x, y; double z;")
    advised = changes(measure(tmp_path, "before", source, compiler)["read"][2])
    said, *numbers = advised["grow"]
    assert (said["bytes"], said["to"]) == ("8", "24") and numbers == [6, 2, 8, 4], said.string
    after = measure(tmp_path, "after", source.replace("double z;", "double z; char more[8];"), compiler)
    assert after["read"][:2] == (2, 4)


PITCHES = """
#include <hip/hip_runtime.h>
#ifndef MORE
#define MORE 0
#endif
__global__ void pitches(double *o, int pitch)
{
    extern __shared__ char s[];
    int t = threadIdx.x;
    *(double *)(s + t * pitch) = t; // write
    __syncthreads();
    o[t] = *(double *)(s + (t ^ 1) * pitch); // read
}
int main()
{
    double *d;
    if (hipMalloc(&d, 4096))
        return 1;
    for (int p : {16, 48, 80, 112})
        pitches<<<1, 64, 64 * 128>>>(d, p + MORE);
    return hipDeviceSynchronize();
}
"""


@pytest.mark.parametrize("compiler", ["hipcc", "clang 22"])
def test_each_dispatch_has_its_pitch(compiler, tmp_path):
    """Lanes 4, 12, 20, 28 dwords apart: 16 lanes of a phase on 8 pairs of banks, one conflict, four phases, four
    dispatches. One double more in each row makes the distance 6, 14, 22, 30 dwords: 16 pairs."""
    before = measure(tmp_path, "before", PITCHES, compiler)
    for mark in "read", "write":
        assert before[mark][:2] == (16, 32)
        assert changes(before[mark][2]).keys() == {"pad"}, before
        text = [a for a in before[mark][2] if " a row, " in a]
        assert text == ["+8 chars a row, 16 -> 24, 48 -> 56, 80 -> 88, 112 -> 120: 16 -> 0 conflict cycles, "
                        "32 -> 16 LDS cycles"]
    after = measure(tmp_path, "after", PITCHES.replace("#define MORE 0", "#define MORE 8"), compiler)
    assert after == {"read": (0, 16, []), "write": (0, 16, [])}
