"""Where a module accesses memory (module_text.py), in text written by hand."""

import module_text

TEXT = """
target triple = "amdgcn-amd-amdhsa"

declare <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(ptr addrspace(8) readonly captures(none), i32, i32, i32 immarg)

define amdgpu_kernel void @k(ptr addrspace(1) inreg %0, ptr addrspace(3) %1, i64 %2) !dbg !4 {
  %4 = ptrtoint ptr addrspace(1) %0 to i64, !dbg !6
  tail call void @llvm.amdgcn.s.barrier(), !dbg !6
  %5 = load <1 x i8>, ptr addrspace(3) %1, align 1, !dbg !7
  %6 = shufflevector <1 x i8> %5, <1 x i8> %5, <8 x i32> <i32 0, i32 1, i32 0, i32 1, i32 0, i32 1, i32 0, i32 1>, !dbg !8
  %7 = bitcast <8 x i8> %6 to i64, !dbg !8
  %8 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x16.i8(i64 %7, i64 %2, <16 x i32> zeroinitializer, i32 0, i32 0, i32 0), !dbg !8
  %9 = tail call <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(ptr addrspace(8) %3, i32 0, i32 0, i32 0), !dbg !9, !range !2
  %10 = atomicrmw add ptr addrspace(1) %0, i32 1 syncscope("agent") monotonic, align 4, !dbg !10
  store i64 %7, ptr addrspace(1) %0, align 8, !dbg !11
  %11 = tail call <4 x half> @llvm.amdgcn.ds.read.tr16.b64.v4f16(ptr addrspace(3) %1), !dbg !14, !alias.scope !2
  ret void, !dbg !12
}

!1 = !DIFile(filename: "dot.py", directory: "/home/a")
!2 = !{i32 0, i32 8}
!3 = !DIFile(filename: "/usr/lib/standard.py", directory: "")
!4 = distinct !DISubprogram(name: "k", linkageName: "k", scope: !1, file: !1, line: 1, type: !2, unit: !2)
!5 = distinct !DILexicalBlockFile(scope: !4, file: !3, discriminator: 0)
!6 = !DILocation(line: 2, column: 5, scope: !4)
!7 = !DILocation(line: 3, column: 5, scope: !4)
!8 = !DILocation(line: 4, column: 5, scope: !4)
!9 = !DILocation(line: 5, column: 5, scope: !4)
!10 = !DILocation(line: 6, column: 5, scope: !13, inlinedAt: !12)
!11 = !DILocation(line: 7, column: 5, scope: !5)
!12 = !DILocation(line: 8, column: 5, scope: !4)
!14 = !DILocation(line: 9, column: 5, scope: !4)
!13 = distinct !DILexicalBlock(scope: !4, line: 5, column: 1)
"""


def test_lines():
    """Loads, stores, atomics and what has a buffer; not a barrier, a matrix product, or what makes its operand of bytes."""
    assert module_text.accessed(TEXT) == {("dot.py", 3, 5, True), ("dot.py", 5, 5, False), ("dot.py", 6, 5, False), ("standard.py", 7, 5, False),
                                          ("dot.py", 9, 5, "transposed")}


def test_no_lines():
    assert module_text.accessed("define void @k() {\n  ret void\n}\n") == set()
