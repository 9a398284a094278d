"""Each rule of text.py on a line that needs it, and on its neighbours, which it must leave alone."""

import pathlib
import random
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lanescope_triton import text  # noqa: E402

# (type, newer literal, what LLVM 22 reads). 1.0 is 0x3F800000 in float and 0x3FF0000000000000 in double; LLVM 22 writes
# float as the double of the same value. Half 1.0 is 0x3C00, bfloat 1.0 0x3F80 (the upper half of float's).
LITERALS = [
    ("float", "f0x3F800000", "0x3FF0000000000000"),
    ("float", "1.0", "0x3FF0000000000000"),
    ("float", "-1.5", "0xBFF8000000000000"),
    ("float", "0.1", "0x3FB99999A0000000"),  # nearest float: 0x3DCCCCCD
    ("float", "+inf", "0x7FF0000000000000"),
    ("float", "-inf", "0xFFF0000000000000"),
    ("float", "+qnan", "0x7FF8000000000000"),
    ("float", "nan(0x1)", "0x7FF8000020000000"),  # payload bit 0 moves up by 52 - 23 = 29
    ("float", "snan(0x1)", "0x7FF0000020000000"),
    ("double", "0.1", "0x3FB999999999999A"),
    ("double", "-inf", "0xFFF0000000000000"),
    ("half", "f0x3C00", "0xH3C00"),
    ("half", "-inf", "0xHFC00"),
    ("half", "1.0", "0xH3C00"),
    ("bfloat", "1.0", "0xR3F80"),
    ("bfloat", "+inf", "0xR7F80"),
    ("bfloat", "1.00390625", "0xR3F80"),  # 1 + 2^-8 lies halfway between 3F80 and 3F81: to even
]


@pytest.mark.parametrize("kind, literal, expected", LITERALS)
def test_literal(kind, literal, expected):
    assert text.old_literal(kind, literal) == expected


LINES = [
    ("  %3 = fadd float %1, 1.0", "  %3 = fadd float %1, 0x3FF0000000000000"),
    ("  %3 = select i1 %c, float -inf, float %1", "  %3 = select i1 %c, float 0xFFF0000000000000, float %1"),
    ("  %4 = fmul <2 x half> %1, splat (half 2.0)", "  %4 = fmul <2 x half> %1, splat (half 0xH4000)"),
    ("  %5 = fcmp ogt double %1, 0.5", "  %5 = fcmp ogt double %1, 0x3FE0000000000000"),
    # names, numbers and metadata that look like literals
    ("  %x.1 = add i32 %inf, 10", "  %x.1 = add i32 %inf, 10"),
    ("  call void @f1.5(float %1)", "  call void @f1.5(float %1)"),
    ('!7 = !{!"1.0", float 1.0}', '!7 = !{!"1.0", float 1.0}'),
    ('attributes #0 = { "a"="1.0" }', 'attributes #0 = { "a"="1.0" }'),
]


@pytest.mark.parametrize("line, expected", LINES)
def test_float_literals_rule(line, expected):
    assert text.for_plugin(line, (3, 8)) == expected
    assert text.for_plugin(line, (3, 6)) == line  # LLVM 22 already: untouched


def test_triple_goes_there_and_back():
    stock = 'target triple = "amdgpu9.42-amd-amdhsa"\ndefine amdgpu_kernel void @k() {\n'
    there = text.for_plugin(stock, (3, 9))
    assert there.startswith('target triple = "amdgcn-amd-amdhsa"')
    assert text.for_triton(there, (3, 9), stock).startswith('target triple = "amdgpu9.42-amd-amdhsa"')
    assert text.for_plugin(stock, (3, 8)) == stock


def test_target_memory_rule():
    """Of a kernel that loads pointers and stores through them, as 3.9 writes it."""
    line = "attributes #0 = { nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem: none) }"
    read = line.replace("target_mem: none", "target_mem0: none, target_mem1: none")
    assert text.for_plugin(line, (3, 9)) == text.for_plugin(read, (3, 9)) == read
    assert text.for_plugin(line, (3, 6)) == line


def test_nocreateundeforpoison_rule():
    line = "attributes #1 = { nocallback nocreateundeforpoison nofree }"
    assert text.for_triton(line, (3, 6), "") == "attributes #1 = { nocallback nofree }"
    assert text.for_triton(line, (3, 7), "") == line


def test_noinline_rule():
    probe = "define internal void @__ls_access(ptr %0) local_unnamed_addr #4 !dbg !3 {"
    assert "@__ls_access(ptr %0) local_unnamed_addr noinline #4" in text.for_triton(probe, (3, 9), "")
    for line in ("define void @users(ptr %0) #4 {", "define internal void @__ls_access(ptr %0) noinline #4 {",
                 "  call void @__ls_access(ptr %0) #4"):
        assert text.for_triton(line, (3, 9), "") == line


def test_one_kernel_rule():
    both = "define amdgpu_kernel void @k(ptr %0) #0 {\n}\ndefine protected amdgpu_kernel void @__ls_k_k(ptr %0) #1 {\n}"
    for clone in ("define protected amdgpu_kernel void", "define amdgpu_kernel void"):
        made = text.for_triton(both.replace("define protected amdgpu_kernel void", clone), (3, 9), "")
        assert made.count("define amdgpu_kernel void @") == 1 and "@__ls_k_k(" in made


COPIES = [
    ("raw.ptr.buffer.load.async.lds", "raw.ptr.buffer.load.lds"),
    ("global.load.async.lds", "global.load.lds"),
    ("load.async.to.lds.p1", "load.to.lds.p1"),
]


@pytest.mark.parametrize("stock, read", COPIES)
def test_async_copies_rule(stock, read):
    line = "  call void @llvm.amdgcn.%s(ptr addrspace(1) %%1, ptr addrspace(3) %%2, i32 16)"
    assert text.for_plugin(line % stock, (3, 9)) == line % read
    assert text.for_triton(line % read, (3, 9), line % stock) == line % stock
    # those that were none stay what they are; both kinds in one text cannot be told apart afterwards
    assert text.for_triton(line % read, (3, 9), line % read) == line % read
    with pytest.raises(text.Unreadable, match="both ways"):
        text.for_plugin(line % stock + "\n" + line % read, (3, 9))


def test_marks_are_no_copies():
    for line in ("  call void @llvm.amdgcn.asyncmark()", "  call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %1)"):
        assert text.for_plugin(line, (3, 9)) == line


RESOURCES = [  # 3.2's form, and 3.4's, which says the result's kind of pointer, too
    ("p1(ptr addrspace(1) %12, i16 0, i32 2147483646, i32 159744)", "p8.p1(ptr addrspace(1) %12, i16 0, i64 2147483646, i32 159744)"),
    ("p8.p1(ptr addrspace(1) nonnull %12, i16 4, i32 -1, i32 7)", "p8.p1(ptr addrspace(1) nonnull %12, i16 4, i64 4294967295, i32 7)"),
    ("p1(ptr addrspace(1) readnone, i16, i32, i32) #1", "p8.p1(ptr addrspace(1) readnone, i16, i64, i32) #1"),
]


@pytest.mark.parametrize("stock, read", RESOURCES)
def test_buffer_sizes_rule(stock, read):
    """LLVM 22 has the size of a buffer in 64 bits, unsigned; its predecessors in 32."""
    line = "ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.%s"
    assert text.for_plugin(line % stock, (3, 4)) == line % read
    assert text.for_triton(line % read, (3, 4), line % stock) == line % stock
    # from 3.5 on it is in 64 bits already; with one whose size is no constant LLVM 22 cannot do anything
    assert text.for_plugin(line % read, (3, 6)) == text.for_triton(line % read, (3, 6), line % read) == line % read
    with pytest.raises(text.Unreadable, match="size"):
        text.for_plugin(line % "p8.p1(ptr addrspace(1) %1, i16 0, i32 %9, i32 7)", (3, 4))


def test_every_rule_says_why():
    rules = text.READ + text.WRITE
    assert len({r.name for r in rules}) == len(rules) and all(len(r.reason) > 10 for r in rules)


# Everything that a rule looks at, in one text.
WHOLE = """target triple = "amdgpu9.42-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) inreg nocreateundeforpoison %0, float %1) #0 {
  %3 = fadd float %1, f0x3F800000, !dbg !7
  %4 = select i1 %c, float -inf, float +qnan
  %5 = fmul <2 x half> %1, splat (half 2.0)
  %6 = fcmp ogt double %1, nan(0x1)
  %7 = fadd bfloat %1, 1.00390625e+3
  %8 = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %0, i16 0, i32 2147483646, i32 159744)
  call void @llvm.amdgcn.raw.ptr.buffer.load.async.lds(ptr addrspace(8) %8, ptr addrspace(3) @s, i32 4, i32 %o, i32 0, i32 0, i32 0)
  ret void
}
define internal void @__ls_f(i64 %0) #1 {
declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), ptr addrspace(3), i32, i32, i32)
attributes #0 = { memory(argmem: readwrite, target_mem: none) "a"="1.0" }
!7 = !DILocation(line: 1, scope: !8)
"""
BITS = ["(", ")", ",", '"', "!", "\\n", "\\0", "i32 ", "i64 ", "float ", "half ", "1e999", "f0x", "nan(0x", "-inf", "0.", ".async", "p8.", "\\ud800",
        "é", " " * 50, "(" * 50, "%__ls_", "target triple = ", "9" * 40]


def test_damaged_texts():
    """Whatever a text is like (files of TRITON_KERNEL_OVERRIDE are anybody's), the rules end, with a text or with Unreadable."""
    chance = random.Random(8)
    for _ in range(300):
        damaged = WHOLE
        for _ in range(chance.randint(1, 6)):
            a, b = sorted(chance.randrange(len(damaged) + 1) for _ in range(2))
            damaged = chance.choice([damaged[:a] + chance.choice(BITS) + damaged[a:], damaged[:a] + damaged[min(b, a + 40):],
                                     damaged[:b] + damaged[a:b][:200] + damaged[b:]])
        for version in ((3, 2), (3, 7), (3, 9)):
            for change in (lambda: text.for_plugin(damaged, version), lambda: text.for_triton(damaged, version, WHOLE),
                           lambda: text.for_triton(WHOLE, version, damaged)):
                try:
                    assert isinstance(change(), str)
                except text.Unreadable as why:
                    assert str(why)
