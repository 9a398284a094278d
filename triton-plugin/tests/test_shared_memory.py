"""What is said of shared memory, from texts as Triton 3.2 and newer write them."""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(next((pathlib.Path(os.environ["LANESCOPE_BUILD_DIR"]) / "stage").glob("lib*/**/python"))))
from lanescope_triton import shared_memory  # noqa: E402

CONVERSION = """
#blocked = #DIALECT.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #DIALECT.amd_mfma<{versionMajor = 2, warpsPerCTA = [4, 1], instrShape = [32, 32], isTransposed = true}>
#loc = loc("/triton-examples/matmul/matmul.py":4:0)
module attributes {"DIALECT.num-warps" = 4 : i32} {
  tt.func public @k(%arg0: !tt.ptr<f32> loc("/triton-examples/matmul/matmul.py":4:0)) {
    %3 = DIALECT.convert_layout %2 : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked> loc(#loc2)
    tt.store %1, %3 : tensor<64x64x!tt.ptr<f32>, #blocked> loc(#loc3)
    %4 = DIALECT.convert_layout %5 : tensor<64xf16, #blocked> -> tensor<64xf16, #DIALECT.dot_op<{opIdx = 1, parent = #mma}>> loc(#loc4)
    %6 = tt.dot %7, %4, %8 : tensor<64xf16, #mma> loc(#loc5)
    %9 = DIALECT.convert_layout %8 : tensor<64xf16, #blocked> -> tensor<64xf16, #mma> loc(#loc1)
  } loc(#loc)
} loc(#loc)
#loc1 = loc(unknown)
#loc2 = loc("/triton-examples/matmul/matmul.py":7:48)
#loc3 = loc("/triton-examples/matmul/matmul.py":8:4)
#loc4 = loc(callsite(#loc2 at #loc3))
#loc5 = loc("sums"(#loc3))
"""

OPERANDS = """
#shared = #DIALECT.SHARED<{vec = 4, perPhase = 2, maxPhase = 8, order = [1, 0]}>
#shared1 = #DIALECT.SHARED<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#shared2 = #DIALECT.padded_shared<[[32, 1]]>
    DIALECT.local_store %17, %39 : tensor<32x32xf16, #blocked> -> !DIALECT.memdesc<32x32xf16, #shared, #DIALECT.shared_memory, mutable> loc(#loc1)
    %20 = DIALECT.local_alloc %18 : (tensor<32x32xf16, #blocked>) -> !DIALECT.memdesc<32x32xf16, #shared1, #DIALECT.shared_memory> loc(#loc2)
    %21 = DIALECT.local_alloc : () -> !DIALECT.memdesc<1x32x32xf16, #shared, #DIALECT.shared_memory, mutable> loc(#loc2)
    %74 = DIALECT.local_load %39 : !DIALECT.memdesc<32x32xf16, #shared, #DIALECT.shared_memory, mutable> -> tensor<32x32xf16, #m> loc(#loc1)
    %75 = DIALECT.local_load %20 : !DIALECT.memdesc<32x32xf16, #shared1, #DIALECT.shared_memory> -> tensor<32x32xf16, #m> loc(#loc2)
    %76 = tt.dot %74, %75, %arg5 : tensor<32x32xf16, #m> * tensor<32x32xf16, #m> -> tensor<32x32xf32, #mma> loc(#loc3)
    DIALECT.local_store %17, %40 : tensor<32x32xf32, #blocked> -> !DIALECT.memdesc<32x32xf32, #shared2, #DIALECT.shared_memory> loc(#loc3)
#loc1 = loc("matmul.py":20:20)
#loc2 = loc("matmul.py":21:20)
#loc3 = loc("matmul.py":22:9)
"""


@pytest.mark.parametrize("dialect", ["ttg", "triton_gpu"])
def test_layout_conversions(dialect):
    blocked = "blocked (sizePerThread [1, 4], threadsPerWarp [8, 8], warpsPerCTA [4, 1], order [1, 0])"
    mma = "amd_mfma (versionMajor 2, warpsPerCTA [4, 1], instrShape [32, 32], isTransposed true)"
    assert shared_memory.words(CONVERSION.replace("DIALECT", dialect)) == [
        f"matmul.py:7:48:access layout conversion for tl.store at line 8: {mma} to {blocked}",
        f"matmul.py:7:48:access layout conversion for tl.dot at line 8: {blocked} to operand b of a dot",
    ]  # of %9 nobody knows where it is


@pytest.mark.parametrize("dialect, shared", [("ttg", "swizzled_shared"), ("triton_gpu", "shared")])
def test_operands(dialect, shared):
    swizzled = "swizzled (vec 4, perPhase 2, maxPhase 8, order [1, 0])"
    assert shared_memory.words(OPERANDS.replace("DIALECT", dialect).replace("SHARED", shared)) == [
        f"matmul.py:20:20:store shared memory for tl.dot at line 22: {swizzled}",
        "matmul.py:21:20:store shared memory for tl.dot at line 22: not swizzled",
        f"matmul.py:20:20:load shared memory for tl.dot at line 22: {swizzled}",
        "matmul.py:21:20:load shared memory for tl.dot at line 22: not swizzled",
        "matmul.py:22:9:store shared memory: padded",
    ]


@pytest.mark.parametrize("text", ["", "no module at all", "%1 = ttg.convert_layout loc(#loc1)\n#loc1 = loc(#loc1)", "#loc1 = loc(\"matmul.py\":1:2)\n"
                                  "%1 = ttg.local_load %2 : tensor<<< loc(#loc1)", "%1 = ttg.convert_layout %2 : tensor<4xf32, #a> -> tensor<"])
def test_what_cannot_be_read(text):
    assert shared_memory.words(text) == []


def test_bounded():
    text = "".join(f"%{i} = ttg.convert_layout %1 : tensor<4xf32, #a> -> tensor<4xf32, #{'b' * 999}> loc(#loc{i})\n#loc{i} = loc(\"matmul.py\":{i}:1)\n"
                   for i in range(1000))
    found = shared_memory.words(text)
    assert len(found) == shared_memory.MOST and max(map(len, found)) <= 400
