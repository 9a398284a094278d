"""Advice on the layout of LDS, applied to the source as it is written, gives the numbers that it tells.

A case is a small kernel. It gives sources by name, gets what they cost and what is advised, and gives the changed ones.
Cases of one compiler are compiled into one program in each of these rounds: most of the time compilers read HIP's headers.
Left to LANESCOPE_TEST_ALL: each kernel with each compiler, and each type of a width; one stands for it by default."""

import functools
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
CASES = {}  # name: (compiler, what starts it)


def case(*parameters, compilers=("clang 22",), default=None):
    """Of a generator one case with each of the tuples `parameters` and each of the compilers; `default`: how many of these
    tuples there are without LANESCOPE_TEST_ALL. It yields {name: source}, and gets {name: what measure() tells}."""
    def add(steps):
        for p in (parameters or [()])[:None if ALL else default]:
            for compiler in COMPILERS if ALL else compilers:
                title = ", ".join([steps.__name__.replace("_", " "), *map(str, p[:2]), compiler])
                assert title not in CASES
                CASES[title] = compiler, functools.partial(steps, *p)
        return steps
    return add


def together(directory, sources):
    """Writes each source to a file of its own, and the program that calls their main functions, each in a namespace."""
    directory.mkdir()
    text, calls = "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#include <cstdio>\n", []
    for i, source in enumerate(sources):
        (directory / f"case{i}.hip").write_text(source)
        text += f'namespace case{i} {{\n#include "case{i}.hip"\n}}\n'
        text += "".join(f"#undef {macro}\n" for macro in dict.fromkeys(re.findall(r"#define (\w+)", source)))
        calls.append(f"case{i}::main()")
    program = directory / "program.hip"
    program.write_text(f"{text}int main()\n{{\n    return {' || '.join(calls)};\n}}\n")
    return program


def measure(directory, sources, compiler):
    """What lines with LDS accesses cost and are advised, of each source: {mark: (conflicts, cycles, [advice])}. Accesses that
    the compiler moved to a line without mark have mark None."""
    words = COMPILERS[compiler]
    program = profiling.compile_hip(directory / "program", together(directory, sources), "-w", *words[1:], compiler=words[0])
    p = Profile(directory / "run", program)
    assert p.done.returncode == 0, p.done.stderr
    report = json.loads(profiling.call(profiling.LANESCOPE, "report", "--json", "--top", "0", p.database).stdout)
    files = {str(directory / f"case{i}.hip"): i for i in range(len(sources))}
    marks = [[re.search(r"// (\w+)$", line) for line in source.splitlines()] for source in sources]
    out = [{} for _ in sources]
    for row in [r for k in report["kernels"] for t in k["tables"] if t["handler"] == "lds_bank_conflicts"
                for r in t["rows"]]:
        i, line = [(files[place["file"]], place["line"]) for place in [row, *row["inlined_at"]] if place["file"] in files][-1]
        mark, m = marks[i][line - 1], row["metrics"]
        mark = mark and mark[1]
        conflicts, cycles, advice = out[i].get(mark, (0, 0, []))
        out[i][mark] = conflicts + m["Bank Conflict"], cycles + m["LDS Cycles"], advice + row["advice"]
    return out


def rounds(directory, compiler, running):
    """Runs generators to their end: {name: what it raised}."""
    raised, answers = {}, dict.fromkeys(running)
    for number in range(9):
        asked = {}
        for name in answers:
            try:
                asked[name] = running[name].send(answers[name])
            except StopIteration:
                raised[name] = None
            except Exception as e:  # the case's own test shows it
                raised[name] = e
        if not asked:
            return raised
        sources = [source for of_case in asked.values() for source in of_case.values()]
        measured = iter(measure(directory / str(number), sources, compiler))
        answers = {name: {key: next(measured) for key in of_case} for name, of_case in asked.items()}
    raise AssertionError(f"no end: {answers.keys()}")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory, request):
    """{name of a selected case: None, or what it raised}"""
    wanted = {i.callspec.params["name"] for i in request.session.items if i.path == request.path and hasattr(i, "callspec")}
    out = {}
    for compiler in COMPILERS:
        running = {name: CASES[name][1]() for name in CASES if name in wanted and CASES[name][0] == compiler}
        out |= rounds(tmp_path_factory.mktemp("literally"), compiler, running)
    return out


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


def number(text):
    return int(text.replace(",", ""))


CHANGES = {
    # what the sentence begins with, and how it is applied to the source
    "pad": re.compile(r"\+\d+ .* a row, (?P<from>\d+) -> (?P<to>\d+)(?:, .*)?(?: \((?:index (?P<index>.*)|(?P<declaration>.*))\))?$"),
    "dimension": re.compile(r"\+\d+ in dimension \d+, \d+ -> \d+ \((?P<declaration>.*)\)$"),
    "xor": re.compile(r"column \^ (?P<xor>row % \d+(?: \* \d+)?) in each row of (?P<from>\d+) "),
    "grow": re.compile(r"\+(?P<bytes>\d+) B in each P, 16 -> (?P<to>\d+) B$"),
    "split": re.compile(r"an array for each (?P<unit>\d+) B of the structures of (?P<from>\d+) B \(structure of arrays\)$"),
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
    if kind == "pad" and "INDEX(i) (i)" in source:  # the source has no rows
        return source.replace("INDEX(i) (i)", f"INDEX(i) ({said['index'].replace('i', '(i)')})")
    if kind == "pad":  # rows that the source computes
        assert f"PITCH {said['from']}\n" in source
        return source.replace(f"PITCH {said['from']}\n", f"PITCH {said['to']}\n")
    if kind == "grow":
        more = int(said["bytes"]) // 4
        return source.replace("float x, y, z, w;", f"float x, y, z, w, more[{more}];")
    assert kind == "xor"
    assert "SWIZZLE(row, column) (column)" in source
    return source.replace("SWIZZLE(row, column) (column)", f"SWIZZLE(row, column) ((column) ^ (row) {said['xor'][4:]})")


def comes_true(source, mark, kinds, expected):
    """The named line has so many conflicts; what is advised is at least of these kinds, and comes true everywhere."""
    before = (yield {"before": source})["before"]
    assert before[mark][0] == expected, before
    advised = changes(before[mark][2])
    assert set(kinds) <= set(advised), before
    done = [kind for kind in advised if kind != "split"]  # see structures_become_arrays
    after = yield {kind: apply(kind, advised[kind][0], source) for kind in done}
    for kind in done:
        said, c_before, c_after, all_before, all_after = advised[kind]
        assert (c_before, all_before) == before[mark][:2]
        assert after[kind][mark][:2] == (c_after, all_after), (kind, said.string, before, after)
    return advised


# All lanes of a phase are on one bank, or two or four: of 4 bytes and less two phases of 32 lanes, 2 * 31; of 8 bytes
# four of 16 lanes, 4 * 15; of 16 bytes eight of 8 lanes, 8 * 7 (docs/hardware.md, gfx90a).
CONFLICTS = dict.fromkeys(PLAIN, 62) | {"double": 60, "float2": 60, "float4": 56}


def columns_of(name):
    type, declaration, n = PLAIN[name]
    read = f"tile[t][SWIZZLE(t, c)]{'.y' if name == 'structure' else ''}"
    source = COLUMNS.format(types=STRUCTURE, type=type, declaration=declaration, out="float" if name == "structure" else type,
                            write=f"tile[r][SWIZZLE(r, t % {n})] = value" if name != "structure" else
                            f"tile[r][SWIZZLE(r, t % {n})].y = t", read=read)
    return comes_true(source, "read", ["pad", "xor"], CONFLICTS[name])


# Of each width one.
@case(("char",), ("half",), ("float",), ("double",), ("float4",), ("structure",), ("_Float16",), ("short",), ("float2",), default=6)
def columns_of_a_tile(name):
    yield from columns_of(name)


@case(("half",), ("float",), ("double",), compilers=("hipcc",), default=0 if ALL else 3)
def columns_of_a_tile_by_hipcc(name):
    yield from columns_of(name)


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
@case(("x][y",), ("y][x",), default=1)
def three_dimensions(place):
    advised = yield from comes_true(PLANES.format(place=place, row=place[-1]), "read", ["pad"], 30)
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


@case(("_Float16", "extern __shared__ {type} tile[];", 64, 62), ("float", "__shared__ {type} tile[64 * (PITCH + 16)];", 32, 62),
      ("double", "extern __shared__ {type} tile[];", 16, 60))
def rows_that_the_source_computes(type, array, pitch, conflicts):
    source = ROWS.format(type=type, array=array.format(type=type), pitch=pitch, n=pitch)
    yield from comes_true(source, "read", ["pad", "xor"], conflicts)


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
@case()
def structures():
    yield from comes_true(STRUCTURES, "read", ["grow", "split"], 6)


# Of a structure with a double the size grows by 8: 16 -> 24 B. Lanes 6 dwords apart are on 16 of 32 banks, 2 on each, 1
# conflict in each of two phases; by 16, 8 dwords apart: 8 banks. No addition of 4 is possible, and none is advised.
@case()
def structures_with_a_wider_field():
    source = STRUCTURES.replace("float x, y, z, w;", "float x, y; double z;")
    advised = changes((yield {"": source})[""]["read"][2])
    said, *numbers = advised["grow"]
    assert (said["bytes"], said["to"]) == ("8", "24") and numbers == [6, 2, 8, 4], said.string
    after = yield {"": source.replace("double z;", "double z; char more[8];")}
    assert after[""]["read"][:2] == (2, 4)


LINEAR = """
#include <hip/hip_runtime.h>
#define INDEX(i) (i)
__global__ void linear(float *out, const float *in)
{
    __shared__ float s[1088];
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += 256)
        s[INDEX(i)] = in[i]; // write
    __syncthreads();
    out[t] = s[INDEX(STRIDE * t)]; // read
}
int main()
{
    float *in, *out;
    if (hipMalloc(&in, 4096) || hipMalloc(&out, 4096))
        return 1;
    linear<<<1, 256>>>(out, in);
    return hipDeviceSynchronize();
}
"""


# A phase of 32 lanes reaches 16 or 8 banks, 2 or 4 lanes on each: 1 or 3 conflicts, in 8 phases.
@case((2, 8), (4, 24))
def an_array_without_rows(stride, conflicts):
    """Its index is told; and its elements have no fields that could be arrays of their own."""
    source = LINEAR.replace("STRIDE", str(stride))
    before = (yield {"": source})[""]
    assert before["read"][0] == conflicts
    advised = changes(before["read"][2])
    assert "pad" in advised and "split" not in advised, before
    said, *numbers = advised["pad"]
    after = (yield {"": apply("pad", said, source)})[""]
    assert after["read"][:2] == (numbers[1], numbers[3]), (said.string, after)


ARRAYS = """
#include <hip/hip_runtime.h>
__global__ void arrays(float *out, const float *in, int n)
{
    __shared__ float a[32][32]; // declared
    __shared__ float b[64][64]; // declared
    int t = threadIdx.x;
    for (int r = 0; r < 32; r++)
        a[r][t % 32] = in[r]; // fill
    for (int r = 0; r < 64; r++)
        b[r][t] = in[r]; // write
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[t % 32][k] * b[t][k] + b[k][t]; // read
    out[t] = sum;
}
int main()
{
    float *in, *out;
    if (hipMalloc(&in, 4096) || hipMalloc(&out, 4096))
        return 1;
    arrays<<<1, 64>>>(out, in, 15);
    return hipDeviceSynchronize();
}
"""


@case(compilers=("hipcc", "clang 22"))
def two_arrays_of_one_line():
    """Each has its own advice, which names it and counts its accesses only; together they account for all
    conflicts and cycles of the line, and both applied leave what they tell."""
    conflicts, cycles, advice = (yield {"": ARRAYS})[""]["read"]
    source, saved, left, conflicts_left = ARRAYS, 0, 0, 0
    for name in "a", "b":
        said, c_before, c_after, all_before, all_after = changes([s[3:] for s in advice if s.startswith(f"{name}: ")])["pad"]
        assert said["declaration"].startswith(f"{name}[") and c_after < c_before, advice
        source, saved, left = apply("pad", said, source), saved + all_before - all_after, left + all_after
        conflicts, conflicts_left = conflicts - c_before, conflicts_left + c_after
    assert conflicts == 0 and cycles - saved == left, advice
    assert (yield {"": source})[""]["read"][:2] == (conflicts_left, left)


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


@case(compilers=("hipcc", "clang 22"))
def each_dispatch_has_its_pitch():
    """Lanes 4, 12, 20, 28 dwords apart: 16 lanes of a phase on 8 pairs of banks, one conflict, four phases, four
    dispatches. One double more in each row makes the distance 6, 14, 22, 30 dwords: 16 pairs."""
    before = (yield {"": PITCHES})[""]
    for mark in "read", "write":
        assert before[mark][:2] == (16, 32)
        assert changes(before[mark][2]).keys() == {"pad"}, before
        text = [a for a in before[mark][2] if " a row, " in a]
        assert text == ["+8 chars a row, 16 -> 24, 48 -> 56, 80 -> 88, 112 -> 120: 16 -> 0 conflict cycles, "
                        "32 -> 16 LDS cycles"]
    after = yield {"": PITCHES.replace("#define MORE 0", "#define MORE 8")}
    assert after[""] == {"read": (0, 16, []), "write": (0, 16, [])}


# Fields; what is written and read of element t and t ^ c; bytes for which there is an array, and of a structure.
SPLITS = {
    "one of four": ("float x, y, z, w;", "tile[t].y = t;", "tile[t ^ c].y", 4, 16),
    "two of four": ("float x, y, z, w;", "tile[t].y = t; tile[t].w = t + 1;", "tile[t ^ c].y + tile[t ^ c].w", 4, 16),
    "three of six": ("float x, y, z, w, a, b;", "tile[t].x = t; tile[t].y = t; tile[t].z = t;",
                     "tile[t ^ c].x + tile[t ^ c].y + tile[t ^ c].z", None, 24),
    "shorts": ("short x, y, z, w, a, b, c, d;", "tile[t].b = t;", "tile[t ^ c].b", 4, 16),
    "doubles": ("double x, y, z, w;", "tile[t].z = t;", "tile[t ^ c].z", 8, 32),
    "two widths": ("double x, y; float z, w;", "tile[t].y = t; tile[t].w = t + 1;", "tile[t ^ c].y + tile[t ^ c].w", 4, 24),
    "pairs": ("float2 x, y;", "tile[t].y.x = t;", "tile[t ^ c].y.x", 4, 16),
    "arrays": ("float m[8];", "tile[t].m[3] = t;", "tile[t ^ c].m[3]", 4, 32),
    "one of eight": ("float x, y, z, w, a, b, c, d;", "tile[t].b = t;", "tile[t ^ c].b", 4, 32),
    "two of eight": ("float x, y, z, w, a, b, c, d;", "tile[t].x = t; tile[t].y = t;", "tile[t ^ c].x + tile[t ^ c].y", None, 32),
}


def with_fields(fields, write, read):
    return STRUCTURES.replace("float x, y, z, w;", fields).replace("tile[t].y = t;", write).replace("tile[t ^ c].y;", f"{read};")


def as_arrays(source):
    """Each number of the structures in an array of its own, in their order; x.y for [x].y."""
    fields = re.search(r"struct P {(.*)};", source)[1]
    source = source.replace(fields, fields := fields.replace("float2 x, y;", "float xx, xy, yx, yy;"))
    source = re.sub(r"struct P {.*};", "struct P {" + re.sub(r"(\w+)(\[\w+\])?([,;])", r"\1\2[64]\3", fields) + "};", source)
    source = re.sub(r"(tile\S*( \^ c\])?\.y)\.x", r"\1x", source.replace("P tile[64];", "P tile;"))
    return re.sub(r"tile\[([^\]]*)\]\.(\w+(\[\w+\])?)", r"tile.\2[\1]", source)


@case(*[(name,) for name in SPLITS], default=8)
def structures_become_arrays(name):
    """What an array for each number promises is what the program with these arrays costs. Of numbers that one instruction
    takes from a structure the advice makes one array: it costs the same as one for each of them."""
    *words, unit, bytes = SPLITS[name]
    source = with_fields(*words)
    answers = yield {"before": source, "after": as_arrays(source)}
    before, after = answers["before"], answers["after"]
    for mark in "read", "write":
        assert "split" in changes(before[mark][2]), before
        said, *numbers = changes(before[mark][2])["split"]
        assert int(said["from"]) == bytes and unit in (None, int(said["unit"])), said.string
        assert [before[mark][:2], after[mark][:2]] == [tuple(numbers[::2]), tuple(numbers[1::2])], (said.string, after)


@case()
def whole_structures():
    """All four fields are one access of 16 bytes without conflicts: nothing is advised, and arrays cost the same."""
    source = with_fields("float x, y, z, w;", " ".join(f"tile[t].{f} = t;" for f in "xyzw"),
                         " + ".join(f"tile[t ^ c].{f}" for f in "xyzw"))
    answers = yield {"before": source, "after": as_arrays(source)}
    for of in answers.values():
        assert list(of.values()) == [(0, 8, []), (0, 8, [])], answers


HISTOGRAM = """
#include <hip/hip_runtime.h>
#define BINS {bins}
#define COPIES 1
#define PITCH BINS
__global__ void histogram({type} *out, const int *in)
{{
    __shared__ {type} local[COPIES * PITCH]; // declared
    int t = threadIdx.x;
    for (int i = t; i < COPIES * PITCH; i += 256)
        local[i] = 0; // clear
    __syncthreads();
    for (int i = t; i < 1024; i += 256)
        {add}(&local[in[i] % BINS + (threadIdx.x % 64) % COPIES * PITCH], ({type})1); // count
    __syncthreads();
    for (int i = t; i < BINS; i += 256) {{
        {type} sum = 0;
        for (int k = 0; k < COPIES; k++)
            sum += local[k * PITCH + i]; // sum
        out[i] = sum;
    }}
}}
int main()
{{
    {type} *out, counts[BINS];
    int *in, values[1024];
    for (int i = 0; i < 1024; i++)
        values[i] = {value};
    if (hipMalloc(&in, sizeof values) || hipMalloc(&out, sizeof counts) || hipMemcpy(in, values, sizeof values, hipMemcpyHostToDevice))
        return 1;
    histogram<<<1, 256>>>(out, in);
    if (hipMemcpy(counts, out, sizeof counts, hipMemcpyDeviceToHost))
        return 1;
    for (int v : values)
        counts[v % BINS]--;
    for ({type} c : counts)
        if (c != 0)
            return 1;
    return 0;
}}
"""
PRIVATE = re.compile(r"privatised: (\d+) copies of the array, (\d+) B from one to the next, by lane % (\d+): "
                     r"([\d,]+) -> ([\d,]+) cycles of Addr Conflict, ([\d,]+) -> ([\d,]+) LDS cycles$")


# Type, bins, value of element i, cycles before. 16 wavefronts add; of 4 bytes in two phases of 32 lanes, of 8 in four of 16.
# A phase takes a cycle, one for each further dword of a bank, and one for each further lane on a dword (docs/hardware.md): 8
# lanes on each of four; 16 on one; 32 on one; 8 on each of four; 11, 11, 10 on three dwords of bank 0. What the squares modulo
# 7 take is not counted out here.
@case(("unsigned", 4, "i", 16 * 2 * 8), ("unsigned long long", 16, "i / 16", 16 * 4 * 16), ("unsigned", 256, "i / 64", 16 * 2 * 32),
      ("int", 64, "i / 8 * 8", 16 * 2 * 8), ("float", 512, "i % 3 * 32", 16 * 2 * (1 + 2 + 10)), ("unsigned", 7, "i * i", None), default=5)
def copies_of_an_array(type, bins, value, cycles):
    source = HISTOGRAM.format(bins=bins, type=type, value=value, add="unsafeAtomicAdd" if type == "float" else "atomicAdd")
    before = (yield {"": source})[""]["count"]
    said = next(filter(None, map(PRIVATE.search, before[2])), None)
    assert said and cycles in (None, before[1]), before
    size = 8 if "long" in type else 4
    assert said[1] == said[3] and int(said[2]) % size == 0
    changed = source.replace("COPIES 1\n", f"COPIES {said[1]}\n").replace("PITCH BINS\n", f"PITCH {int(said[2]) // size}\n")
    after = (yield {"": changed})[""]["count"]
    assert (number(said[6]), number(said[7])) == (before[1], after[1]), (said[0], before, after)


@pytest.mark.parametrize("name", CASES)
def test_literally(name, outcomes):
    if outcomes[name]:
        raise outcomes[name]
