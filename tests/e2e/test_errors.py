"""Kernels that fail: the error names kernel, instruction, address and line, and reaches the program as on hardware."""

import re

import pytest

import profiling
from profiling import Profile

ABORTED = (-6, 128 + 6)
MEMORY_FAULT = "Memory access fault by GPU node-1 .* on address {}. Reason: Page not present or supervisor privilege"
QUEUE_ERROR = "Device::callbackQueue aborting with error : HSA_STATUS_ERROR_{}:"
COOPERATIVE_ERROR = "Queue at .* inactivated due to async error:\n.*HSA_STATUS_ERROR_{}:"

# mode: what the line on stderr says, mark of its line in errors.hip, kernel, instruction, what ROCr or HIP says then
CASES = {
    "page": ("page fault", "// PAGE", r"write_to\(int\*\)", "global_store_dword", MEMORY_FAULT.format("0x123456000")),
    "null": ("page fault", "// PAGE", r"write_to\(int\*\)", "global_store_dword", MEMORY_FAULT.format(r"\(nil\)")),
    "host": ("page fault", "// READ", r"read_from\(int const\*, int\*\)", "global_load_dword", MEMORY_FAULT.format("0x10000")),
    "freed": ("page fault", "// PAGE", r"write_to\(int\*\)", "global_store_dword", MEMORY_FAULT.format("0x[0-9a-f]+000")),
    "lds": ("aperture violation", "// FLAT", r"beyond_aperture\(int\*, int\)", "flat_load_dword",
            QUEUE_ERROR.format("MEMORY_APERTURE_VIOLATION")),
    "private": ("aperture violation", "// FLAT", r"beyond_private\(int\*, long\)", "flat_load_dword",
                QUEUE_ERROR.format("MEMORY_APERTURE_VIOLATION")),
    "illegal": ("illegal instruction", "// ILLEGAL", r"illegal\(int\*\)", ".long 0xbfff0000",
                QUEUE_ERROR.format("ILLEGAL_INSTRUCTION")),
    "unimplemented": ("unimplemented instruction", "// IMAGE", r"unimplemented\(int\*\)", "image_load",
                      QUEUE_ERROR.format("ILLEGAL_INSTRUCTION")),
    "grid": ("deadlock", "// GRID", r"leaves_the_grid\(int\*\)", "ds_gws_barrier", COOPERATIVE_ERROR.format("EXCEPTION")),
}
ADDRESS = {"page": "write to address 0x123456000;", "null": "write to address 0x0;", "host": "read from address 0x10040;",
           # LDS stands at 1 << 48, private memory at 2 << 48; 1 MiB and 2 GiB further are no LDS and no stack
           "lds": "read from address 0x1000000100000;", "private": "read from address 0x20000800000[0-9a-f]{2};"}


def execute(how, program, mode, directory):
    if how == "plain":
        return profiling.run_plain(program, mode)
    return Profile(directory, program, mode).done


def the_line(done):
    lines = [text for text in done.stderr.splitlines() if text.startswith("lanescope: GPU 0: ")]
    assert len(lines) == 1, done.stderr
    return lines[0]


@pytest.mark.parametrize("how", ["plain", "profiled"])
@pytest.mark.parametrize("mode", CASES)
def test_error(mode, how, programs, tmp_path):
    what, mark, kernel, instruction, then = CASES[mode]
    done = execute(how, programs("errors.hip", "-O3", "-g"), mode, tmp_path)
    assert done.returncode in ABORTED and done.stdout == "launching\n", done.stdout + done.stderr
    line = the_line(done)
    assert line.startswith(f"lanescope: GPU 0: {what}: "), line
    name = kernel + (r" \(instrumented\)" if how == "profiled" else "")
    place = rf"errors\.hip:{profiling.marked_line('errors.hip', mark)}:\d+"
    assert re.search(rf"; kernel {name} at [^;]*{place}[^;]*; instruction {re.escape(instruction)}\b", line), line
    assert re.search(ADDRESS.get(mode, "; pc 0x"), line), line
    group = r"\d" if mode == "grid" else "0"  # any of those that wait may be the one that is named
    assert re.search(rf"; work-group \({group},0,0\) wave 0 lane 0; queue \d+ packet \d+$", line), line
    assert re.search(then, done.stderr), done.stderr


@pytest.mark.parametrize("how", ["plain", "profiled"])
@pytest.mark.parametrize("mode,mark", [("assert", None), ("abort", "// ABORT"), ("trap", "// TRAP")])
def test_stops_of_the_kernel(mode, mark, how, programs, tmp_path):
    done = execute(how, programs("errors.hip", "-O3", "-g"), mode, tmp_path)
    assert done.returncode in ABORTED and done.stdout == "launching\n", done.stdout + done.stderr
    line = the_line(done)
    assert "; instruction s_trap" in line and line.rsplit("lane ", 1)[1].startswith("5;"), line
    assert re.search(QUEUE_ERROR.format("EXCEPTION"), done.stderr), done.stderr
    if mark:
        assert f"errors.hip:{profiling.marked_line('errors.hip', mark)}:" in line
    if mode == "assert":
        assert re.search(r"errors\.hip:\d+: void asserts\(const int \*\): Device-side assertion "
                         r"`p\[threadIdx\.x\] != 5' failed\.", done.stderr), done.stderr


@pytest.mark.parametrize("how", ["plain", "profiled"])
def test_launch_errors(how, programs, tmp_path):
    """What HIP refuses by itself, with the codes of HIP 5.2; the GPU is usable afterwards."""
    done = execute(how, programs("errors.hip", "-O3", "-g"), "launch", tmp_path)
    assert (done.returncode, done.stdout.splitlines()) == (0, [
        "2048 work-items: hipErrorInvalidConfiguration",
        "no work-group: hipErrorInvalidValue",
        "no work-item: hipErrorInvalidValue",
        "65 KiB of LDS: hipErrorOutOfMemory",
        "huge: hipErrorOutOfMemory",
        "device 7: hipErrorInvalidDevice",
        "PASSED",
    ]), done.stderr


def test_much_scratch(programs, tmp_path):
    """More scratch memory than the runtime can map: it runs fewer wavefronts at a time."""
    for how in ("plain", "profiled"):
        done = execute(how, programs("errors.hip", "-O3", "-g"), "scratch", tmp_path)
        assert (done.returncode, done.stdout) == (0, "launching\nsynchronised: hipSuccess\n"), done.stderr


def test_no_scratch(programs):
    """No memory is left for a single wavefront's scratch."""
    done = profiling.run_plain(programs("errors.hip", "-O3", "-g"), "no_scratch")
    assert done.returncode in ABORTED and done.stdout == "launching\n", done.stdout + done.stderr
    assert re.search(QUEUE_ERROR.format("OUT_OF_RESOURCES"), done.stderr), done.stderr
