"""Kernels whose wavefronts have not the size that is usual on their GPU."""

import pytest

import profiling
from profiling import Profile, marked_line


@pytest.mark.parametrize("lanes,flags", [(32, ()), (64, ("-mwavefrontsize64", "-U__gfx1030__"))])
@pytest.mark.parametrize("mode", [(), ("--summary-mode",)])
def test_rdna(lanes, flags, mode, programs, tmp_path):
    """256 work-items are 8 or 4 wavefronts. LDS serves 32 lanes of 4 bytes at once and wavefronts of 64 in two halves: 8
    cycles either way. RDNA has no counters of requests, so none are told."""
    program = programs("-g", "-O3", "--offload-arch=gfx1030", *flags, "wave64.hip")
    p = Profile(tmp_path, program, options=mode, gpu="soft:gfx1030")
    assert (p.done.returncode, p.done.stdout) == (0, f"{lanes} lanes\n"), p.done.stderr
    copy, turned = marked_line("wave64.hip", "// copy"), marked_line("wave64.hip", "// turned")
    waves = 256 // lanes
    for line, kind in (copy, "store"), (turned, "load"):
        assert p.metric("lds_bank_conflicts", "Executions", line=line, kind=kind) == waves
        assert p.metric("lds_bank_conflicts", "LDS Cycles", line=line, kind=kind) == 8
        assert p.metric("lds_bank_conflicts", "Bank Conflict", line=line, kind=kind) == 0
    for line, kind in (copy, "load"), (turned, "store"):
        assert p.metric("memory_coalescing", "Executions", line=line, kind=kind) == waves
        assert p.metric("memory_coalescing", "Active Lanes", line=line, kind=kind) == 256
        assert p.metric("memory_coalescing", "TA Requests", line=line, kind=kind) is None
        assert p.metric("memory_coalescing", "Cache Lines", line=line, kind=kind) == waves * lanes * 4 // 128
    assert p.query("SELECT lanes FROM kernel WHERE name LIKE 'turn(%'") == [(lanes,)]
    for verb in "report", "annotate":  # the size is said where it is not the usual one
        text = profiling.call(profiling.LANESCOPE, verb, p.database).stdout
        assert "idle" not in text and "Coalescing" not in text and "Line" in text, text
        assert ("wavefronts of 64 lanes; others on gfx1030 have 32" in text) == (lanes == 64 and verb == "report"), text
