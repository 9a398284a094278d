"""A code object may be anybody's: names in it command no terminal, whoever prints them."""

import json
import re

import pytest

import profiling
from profiling import Profile

# The compiler takes such names of files from #line; C1 and the override of direction as UTF-8, a byte that is none.
NAME = b"n\x1b]0;title\x07\x7f\xc2\x9b31m\xff\xe2\x80\xae.hip"
SHOWN = r"n\x1b]0;title\x07\x7f\u009b31m\xff\u202e.hip"
SOURCE = b"""#include <hip/hip_runtime.h>
#include <stdlib.h>
#line 100 "%s"
__device__ float inner(const float *i) { return i[threadIdx.x]; }
__global__ void wild(float *o, const float *i) { o[0] = inner(i); }
__global__ void racy(float *o) { __shared__ float t[64]; t[threadIdx.x %% 64] = threadIdx.x; o[threadIdx.x] = t[63 - threadIdx.x %% 64]; }
int main(int argc, char **argv)
{
    float *a = NULL;
    if (argc > 1)
        wild<<<1, 64>>>(a, (const float *)0x1234000);
    else if (hipMalloc(&a, 4096) == hipSuccess)
        racy<<<1, 128>>>(a);
    return hipDeviceSynchronize() == hipSuccess ? 0 : 9;
}
"""
FORBIDDEN = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\udc80-\udcff\u202a-\u202e]")


def clean(text):
    found = FORBIDDEN.search(text)
    assert not found, text[max(found.start() - 100, 0):found.end() + 20]
    return text


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    directory = tmp_path_factory.mktemp("names")
    (directory / "names.hip").write_bytes(SOURCE % NAME.replace(b"\x1b", rb"\033").replace(b"\x07", rb"\007").replace(
        b"\x7f", rb"\177").replace(b"\xc2\x9b", rb"\302\233").replace(b"\xff", rb"\377").replace(b"\xe2\x80\xae", rb"\342\200\256"))
    return profiling.compile_hip(directory / "names", directory / "names.hip", "-g", "-O1", "--offload-arch=gfx90a")


def test_page_fault(program, tmp_path):
    text = profiling.call(profiling.LANESCOPE, "run", "--gpu", profiling.GPU, "-d", tmp_path, "--", program, "wild",
                          errors="surrogateescape").stderr
    ours = "".join(line + "\n" for line in text.split("\n") if line.startswith("lanescope:"))  # the runtime has its own
    assert SHOWN in clean(ours) and "page fault" in ours, text


def test_check_and_reports(program, tmp_path):
    p = Profile(tmp_path, program, options=("--check", "--handlers", f"address_log:format=csv:file={tmp_path}/log.csv"))
    assert SHOWN in clean(p.done.stderr), p.done.stderr
    for verb in (["report"], ["report", "--csv"], ["annotate"], ["summary"], ["report", "--json"]):
        text = clean(profiling.call(profiling.LANESCOPE, *verb, p.database, errors="surrogateescape").stdout)
        if "--json" in verb:
            json.loads(text)
    assert SHOWN in clean((tmp_path / "log.csv").read_text(errors="surrogateescape"))
    p = Profile(tmp_path / "json", program, options=("--handlers", f"address_log:format=json:file={tmp_path}/log.jsonl"))
    lines = [json.loads(line) for line in clean((tmp_path / "log.jsonl").read_text()).splitlines()]
    assert any(line["file"].endswith("31m\ufffd\u202e.hip") for line in lines)
