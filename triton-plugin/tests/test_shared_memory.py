"""What is said of shared memory, from texts as Triton 3.2 and newer write them."""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(next((pathlib.Path(os.environ["LANESCOPE_BUILD_DIR"]) / "stage").glob("lib*/**/python"))))
from lanescope_triton import shared_memory  # noqa: E402


def said(text, key="shared="):
    return [words[len(key) :] for words in shared_memory.words(text) if words.startswith(key)]


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


# As 3.6 and newer write it: aliases of memory spaces, names of values, buffer instructions, copies, regions, places of values.
NEWER = """
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [32, 32, 16], isTransposed = true}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 4, maxPhase = 4, order = [1, 0]}>
#shared1 = #ttg.padded_shared<[512:+16, 4096:+32] {order = [1, 0], shape = [64, 64]}>
#shared2 = #ttg.padded_shared<[1024:+16] {offset = [[0, 1], [0, 2]], block = []}>
#shared3 = #ttg.amd_rotating_shared<{vec = 4, perPhase = 2, maxPhase = 8, order = [0, 1]}>
#smem = #ttg.shared_memory
    %x_1 = ttg.local_alloc %x : (tensor<64x64xf8E5M2, #blocked>) -> !ttg.memdesc<64x64xf8E5M2, #shared, #smem> loc(#loc21)
    %x_2 = ttg.local_load %x_1 token %t : !ttg.memdesc<64x64xf8E5M2, #shared, #smem, mutable> -> tensor<64x64xf8E5M2, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>> loc(#loc21)
    %y_1 = amdg.buffer_load_to_local %b[%y] mask = %m into %s#1 {contiguity = 8 : i32} : !tt.ptr<f16>[tensor<64x64xi32, #blocked>]  -> <64x64xf16, #shared1, #smem, mutable> loc(#loc22)
    %y_2 = ttg.local_load %s#1 : !ttg.memdesc<64x64xf16, #shared1, #smem, mutable> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 16}>> loc(#loc22)
    %z_1 = ttg.async_copy_global_to_local %p, %s#2 : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared2, #smem, mutable> loc(#loc3)
    ttg.local_store %q, %s#3 : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared3, #smem, mutable> loc(#loc3)
    %6 = tt.dot_scaled %x_2, %y_2, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<64x64xf8E5M2, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma> loc(#loc4)
    %7 = "tt.reduce"(%6) <{axis = 0 : i32}> ({
    ^bb0(%top_11: f32 loc(callsite(#loc9 at #loc30)), %top_12: f32 loc(callsite(#loc9 at #loc30))):
      %8 = arith.maxnumf %top_11, %top_12 : f32 loc(#loc9)
      tt.reduce.return %8 : f32 loc(#loc9)
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> loc(#loc6)
    %9 = ttg.convert_layout %7 : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<64xf32, #blocked> loc(#loc6)
    amdg.buffer_store %9, %out[%at], %m {contiguity = 4 : i32} : !tt.ptr<f32> -> tensor<64xf32, #blocked> loc(#loc7)
    %10 = tt.atomic_cas acq_rel, gpu, %lock, %zero, %one : (!tt.ptr<i32>, i32, i32) -> i32 loc(#loc8)
    %11 = tt.atomic_rmw fadd, acq_rel, gpu, %at, %9, %m : (tensor<64x!tt.ptr<f32>, #blocked>, tensor<64xf32, #blocked>, tensor<64xi1, #blocked>) -> tensor<64xf32, #blocked> loc(#loc8)
#loc2 = loc("matmul.py":20:20)
#loc3 = loc("matmul.py":21:20)
#loc4 = loc("matmul.py":22:9)
#loc5 = loc("/site-packages/triton/language/standard.py":216:12)
#loc6 = loc(callsite(#loc5 at #loc4))
#loc7 = loc("matmul.py":23:5)
#loc8 = loc("matmul.py":24:5)
#loc21 = loc("x"(#loc2))
#loc22 = loc("y"(#loc3))
"""


def test_newer_texts():
    swizzled = "swizzled (vec 8, perPhase 4, maxPhase 4, order [1, 0])"
    padded = "padded (16 behind each 512 elements, 32 behind each 4096 elements, order [1, 0], shape [64, 64])"
    assert said(NEWER) == [
        f"matmul.py:20:20:store shared memory for tl.dot at line 22: {swizzled}",
        f"matmul.py:20:20:load shared memory for tl.dot at line 22: {swizzled}",
        f"matmul.py:21:20:LDS DMA write shared memory for tl.dot at line 22: {padded}",
        f"matmul.py:21:20:load shared memory for tl.dot at line 22: {padded}",
        "matmul.py:21:20:LDS DMA write shared memory: padded (16 behind each 1024 elements)",
        "matmul.py:21:20:store shared memory: rotating (vec 4, perPhase 2, maxPhase 8, order [0, 1])",
        "standard.py:216:12:access warps put together what they have of a reduction",
        "standard.py:216:12:access layout conversion for tl.store at line 23: slice (dim 0) of "
        "amd_mfma (version 4, warpsPerCTA [4, 1], instrShape [32, 32, 16], isTransposed true) to "
        "blocked (sizePerThread [1], threadsPerWarp [64], warpsPerCTA [4], order [0])",
        "matmul.py:24:5:access one lane tells the others what an atomic has returned",
    ]


def test_tiles():
    """Rows, bytes of a row and of an element, and whether nothing is moved in it; of a part and of the turn of a loop those of the whole tile."""
    tile = "matmul.py:20:20:"
    assert said(NEWER, "tile=") == [f"{tile}store 64 64 1 0", f"{tile}load 64 64 1 0", "matmul.py:21:20:LDS DMA write 64 128 2 0",
                                    "matmul.py:21:20:load 64 128 2 0", "matmul.py:21:20:LDS DMA write 0 0 0 0", "matmul.py:21:20:store 64 128 2 0", "standard.py:216:12:access 0 0 0 0",
                                    "matmul.py:24:5:access 0 0 0 0"]
    for memory, layout, expected in (("32x64xf16, #shared, #smem, mutable, 128x64", "vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]", "128 128 2 1"),
                                     ("3x32x64xf32, #shared, #smem", "vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]", "64 128 4 1"),
                                     ("32x64xbf16, #shared", "vec = 8, perPhase = 1, maxPhase = 16, order = [1, 0]", "32 128 2 0")):
        text = (f"#shared = #ttg.swizzled_shared<{{{layout}}}>\n%1 = ttg.local_load %2 : !ttg.memdesc<{memory}> -> tensor<4xf32, #a> loc(#loc1)\n"
                '#loc1 = loc("matmul.py":1:2)')
        assert said(text, "tile=") == [f"matmul.py:1:2:load {expected}"]


def test_gluon():
    """Whose functions are those of another module."""
    assert shared_memory.words(NEWER, "gl.")[0].startswith("shared=matmul.py:20:20:store shared memory for gl.dot at line 22:")


def test_scales_and_places_in_triton_itself():
    """tl.dot_scaled is the author's where it has scales; a user of a library's function is named by the author's line."""
    text = NEWER.replace("%y_2, %c lhs", "%y_2 scale %s, %c lhs")
    assert "for tl.dot_scaled at line 22" in said(text)[0]
    text = NEWER.replace("#loc7 = loc(\"matmul.py\":23:5)", "#loc7 = loc(callsite(#loc5 at #loc4))")
    assert any("layout conversion for tl.store at line 22:" in words for words in said(text))


@pytest.mark.parametrize("dialect", ["ttg", "triton_gpu"])
def test_layout_conversions(dialect):
    blocked = "blocked (sizePerThread [1, 4], threadsPerWarp [8, 8], warpsPerCTA [4, 1], order [1, 0])"
    mma = "amd_mfma (versionMajor 2, warpsPerCTA [4, 1], instrShape [32, 32], isTransposed true)"
    assert said(CONVERSION.replace("DIALECT", dialect)) == [
        f"matmul.py:7:48:access layout conversion for tl.store at line 8: {mma} to {blocked}",
        f"matmul.py:7:48:access layout conversion for tl.dot at line 8: {blocked} to operand b of a dot",
    ]  # of %9 nobody knows where it is


@pytest.mark.parametrize("dialect, shared", [("ttg", "swizzled_shared"), ("triton_gpu", "shared")])
def test_operands(dialect, shared):
    swizzled = "swizzled (vec 4, perPhase 2, maxPhase 8, order [1, 0])"
    assert said(OPERANDS.replace("DIALECT", dialect).replace("SHARED", shared)) == [
        f"matmul.py:20:20:store shared memory for tl.dot at line 22: {swizzled}",
        "matmul.py:21:20:store shared memory for tl.dot at line 22: not swizzled",
        f"matmul.py:20:20:load shared memory for tl.dot at line 22: {swizzled}",
        "matmul.py:21:20:load shared memory for tl.dot at line 22: not swizzled",
        "matmul.py:22:9:store shared memory: padded",
    ]


@pytest.mark.parametrize("text", ["", "no module at all", "%1 = ttg.convert_layout loc(#loc1)\n#loc1 = loc(#loc1)", "#loc1 = loc(\"matmul.py\":1:2)\n"
                                  "%1 = ttg.local_load %2 : tensor<<< loc(#loc1)", "%1 = ttg.convert_layout %2 : tensor<4xf32, #a> -> tensor<"])
def test_what_cannot_be_read(text):
    assert said(text) == []


def test_bounded():
    text = "".join(f"%{i} = ttg.convert_layout %1 : tensor<4xf32, #a> -> tensor<4xf32, #{'b' * 999}> loc(#loc{i})\n#loc{i} = loc(\"matmul.py\":{i}:1)\n"
                   for i in range(1000))
    found = said(text)
    assert len(found) == shared_memory.MOST and max(map(len, found)) <= 400 and len(said(text, "tile=")) == shared_memory.MOST
