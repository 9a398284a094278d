"""Coalescing numbers of the examples, from the arithmetic in their READMEs."""

import profiling
from profiling import Profile


def coalescing(p, name, *where):
    return p.metric("memory_coalescing", name, *where)


def test_vector_add(tmp_path):
    p = Profile(tmp_path, profiling.EXAMPLES / "vector_add")
    assert p.done.returncode == 0, p.done.stderr
    # 10,000 floats: 156 full wavefronts and one with 16 lanes; the load line has two accesses of 4 bytes
    for kind, accesses in (("load", 2), ("store", 1)):
        assert coalescing(p, "Executions", "vector_add(%", None, kind) == accesses * 157
        assert coalescing(p, "Active Lanes", "vector_add(%", None, kind) == accesses * 10000
        assert coalescing(p, "Cache Lines", "vector_add(%", None, kind) == accesses * 625
        assert coalescing(p, "Cache Lines Needed", "vector_add(%", None, kind) == accesses * 625
        assert coalescing(p, "TA Requests", "vector_add(%", None, kind) == accesses * 157 * 16


def test_strided_copy(tmp_path):
    p = Profile(tmp_path, profiling.EXAMPLES / "strided_copy")
    assert p.done.returncode == 0, p.done.stderr
    # stride: lines of 64 bytes and quad requests per wavefront (see the example's README); 64 wavefronts
    for stride, lines, requests in ((1, 4, 16), (2, 8, 16), (8, 32, 32), (32, 64, 64)):
        kernel = f"%strided_copy<{stride}>(%"
        assert coalescing(p, "Cache Lines", kernel, None, "load") == 64 * lines
        assert coalescing(p, "Cache Lines Needed", kernel, None, "load") == 64 * 4
        assert coalescing(p, "TA Requests", kernel, None, "load") == 64 * requests
        assert coalescing(p, "Cache Lines", kernel, None, "store") == 64 * 4


def test_structures(tmp_path):
    p = Profile(tmp_path, profiling.EXAMPLES / "aos_soa")
    assert p.done.returncode == 0, p.done.stderr
    # structures of 32 bytes: 64 lanes span 2048 bytes, 32 lines of 64, whatever part of the structure is touched
    executions = coalescing(p, "Executions", "move_aos(%")
    assert coalescing(p, "Cache Lines", "move_aos(%") == 32 * executions
    # arrays: 6 loads and 3 stores of 4 bytes by 64 wavefronts, 4 lines each, none wasted
    assert coalescing(p, "Executions", "move_soa(%") == 9 * 64
    assert coalescing(p, "Cache Lines", "move_soa(%") == 9 * 64 * 4
    assert coalescing(p, "Cache Lines Needed", "move_soa(%") == 9 * 64 * 4
