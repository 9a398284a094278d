; Accesses and how far apart they are, for test_distances.py. `expect:` lists a kernel's accesses in order: a letter for the
; group, the distance from the group's first access in bytes, and behind a colon a letter for the variable in LDS.
; Accesses are volatile so that they are not merged. %i and %j are any numbers.
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

%pair = type { i32, [5 x i64] }
@x = internal addrspace(3) global [64 x i32] undef, align 16
@y = internal addrspace(3) global [64 x i32] undef, align 16

declare i32 @llvm.amdgcn.workitem.id.x()

; expect: a+0 a+16 a+4 a-8
; an i32 at %p; 4 * 4; 1 * 4; -2 * 4. (An exchange: sums at one address are done by one lane, behind a branch.)
define amdgpu_kernel void @constants(ptr addrspace(1) %p) #0 {
  %a = getelementptr i32, ptr addrspace(1) %p, i64 4
  %b = getelementptr i32, ptr addrspace(1) %p, i64 1
  %c = getelementptr i32, ptr addrspace(1) %p, i64 -2
  %u = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %u, ptr addrspace(1) %a
  %v = load volatile i32, ptr addrspace(1) %b
  %w = atomicrmw xchg ptr addrspace(1) %c, i32 %v monotonic
  ret void
}

; expect: a+0 a+72
; element 2 of the array in the second pair, from the start: 48 + 8 + 2 * 8 = 72 (the array begins at 8, a pair has 8 + 40 bytes)
define amdgpu_kernel void @structures(ptr addrspace(1) %p, i64 %i) #0 {
  %a = getelementptr %pair, ptr addrspace(1) %p, i64 %i
  %b = getelementptr %pair, ptr addrspace(1) %a, i64 1, i32 1, i64 2
  %u = load volatile i64, ptr addrspace(1) %a
  %v = load volatile i64, ptr addrspace(1) %b
  ret void
}

; expect: a+0 a+12 a-8
; sext(i + 3) = sext(i) + 3, since i + 3 does not wrap; times 4. So with i - 2.
define amdgpu_kernel void @signed_sums(ptr addrspace(1) %p, i32 %i) #0 {
  %plus = add nsw i32 %i, 3
  %minus = sub nsw i32 %i, 2
  %s = sext i32 %i to i64
  %s.plus = sext i32 %plus to i64
  %s.minus = sext i32 %minus to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s
  %b = getelementptr i32, ptr addrspace(1) %p, i64 %s.plus
  %c = getelementptr i32, ptr addrspace(1) %p, i64 %s.minus
  %u = load volatile i32, ptr addrspace(1) %a
  %v = load volatile i32, ptr addrspace(1) %b
  %w = load volatile i32, ptr addrspace(1) %c
  ret void
}

; expect: a+0 b+0 b+0
; expect 22: a+0 a+12 a+12
; i + 3 may wrap: with i = 2^31 - 1 it is 2^34 - 12 bytes below. That it does not as an unsigned number does not help. The
; second and the third are one number. LLVM 22 does not care: llc makes `offset:12` of both.
define amdgpu_kernel void @sums_that_wrap(ptr addrspace(1) %p, i32 %i) #0 {
  %plus = add i32 %i, 3
  %other = add nuw i32 %i, 3
  %s = sext i32 %i to i64
  %s.plus = sext i32 %plus to i64
  %s.other = sext i32 %other to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s
  %b = getelementptr i32, ptr addrspace(1) %p, i64 %s.plus
  %c = getelementptr i32, ptr addrspace(1) %p, i64 %s.other
  %u = load volatile i32, ptr addrspace(1) %a
  %v = load volatile i32, ptr addrspace(1) %b
  %w = load volatile i32, ptr addrspace(1) %c
  ret void
}

; expect: a+0 a+24 b+0
; zext(i + 6) = zext(i) + 6 only where i + 6 does not wrap as an unsigned number; times 4
define amdgpu_kernel void @unsigned_sums(ptr addrspace(1) %p, i32 %i) #0 {
  %plus = add nuw i32 %i, 6
  %other = add nsw i32 %i, 6
  %z = zext i32 %i to i64
  %z.plus = zext i32 %plus to i64
  %z.other = zext i32 %other to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %z
  %b = getelementptr i32, ptr addrspace(1) %p, i64 %z.plus
  %c = getelementptr i32, ptr addrspace(1) %p, i64 %z.other
  %u = load volatile i32, ptr addrspace(1) %a
  %v = load volatile i32, ptr addrspace(1) %b
  %w = load volatile i32, ptr addrspace(1) %c
  ret void
}

; expect: a+0 a+20
; addresses have 64 bits, so all of them wrap alike: 5 * 4
define amdgpu_kernel void @full_width(ptr addrspace(1) %p, i64 %i) #0 {
  %plus = add i64 %i, 5
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %i
  %b = getelementptr i32, ptr addrspace(1) %p, i64 %plus
  %u = load volatile i32, ptr addrspace(1) %a
  %v = load volatile i32, ptr addrspace(1) %b
  ret void
}

; expect: a+0 b+0 b+0
; expect 22: a+0 a+42 a+42
; bytes: 7 * (i + 6) - 7 * i = 42; without nsw, 7 * i may wrap. LLVM 15 and 19 make 7 * i + 42 of the second, which may wrap, too, and
; is the third: llc loads both from the same registers, other ones than the first. That of LLVM 22 makes `offset:42` of both.
define amdgpu_kernel void @products(ptr addrspace(1) %p, i32 %i) #0 {
  %plus = add nsw i32 %i, 6
  %one = mul nsw i32 %i, 7
  %two = mul nsw i32 %plus, 7
  %three = mul i32 %plus, 7
  %s1 = sext i32 %one to i64
  %s2 = sext i32 %two to i64
  %s3 = sext i32 %three to i64
  %a = getelementptr i8, ptr addrspace(1) %p, i64 %s1
  %b = getelementptr i8, ptr addrspace(1) %p, i64 %s2
  %c = getelementptr i8, ptr addrspace(1) %p, i64 %s3
  %u = load volatile i8, ptr addrspace(1) %a
  %v = load volatile i8, ptr addrspace(1) %b
  %w = load volatile i8, ptr addrspace(1) %c
  ret void
}

; expect: a+0 a+48 a+12
; i << 2 are 4 elements of 4 bytes for each i: 3 * 16; and 3, whose bits (i << 2) does not have, is a sum with it: 3 * 4
define amdgpu_kernel void @shifts(ptr addrspace(1) %p, i32 %i) #0 {
  %plus = add nsw i32 %i, 3
  %one = shl nsw i32 %i, 2
  %two = shl nsw i32 %plus, 2
  %three = or i32 %one, 3
  %s1 = sext i32 %one to i64
  %s2 = sext i32 %two to i64
  %s3 = sext i32 %three to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s1
  %b = getelementptr i32, ptr addrspace(1) %p, i64 %s2
  %c = getelementptr i32, ptr addrspace(1) %p, i64 %s3
  %u = load volatile i32, ptr addrspace(1) %a
  %v = load volatile i32, ptr addrspace(1) %b
  %w = load volatile i32, ptr addrspace(1) %c
  ret void
}

; expect: a+0 b+0
; (i << 2) may have the bits of 5
define amdgpu_kernel void @other_bits(ptr addrspace(1) %p, i32 %i) #0 {
  %one = shl nsw i32 %i, 2
  %two = or i32 %one, 5
  %s1 = sext i32 %one to i64
  %s2 = sext i32 %two to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s1
  %b = getelementptr i32, ptr addrspace(1) %p, i64 %s2
  %u = load volatile i32, ptr addrspace(1) %a
  %v = load volatile i32, ptr addrspace(1) %b
  ret void
}

; expect: a+0 a+8
; sext(zext(i) + 2 as i32) = zext(i) + 2, for a byte and 2 do not reach 2^31; times 4
define amdgpu_kernel void @nested_extensions(ptr addrspace(1) %p, i8 %i) #0 {
  %z = zext i8 %i to i32
  %plus = add nsw i32 %z, 2
  %direct = zext i8 %i to i64
  %s = sext i32 %plus to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %direct
  %b = getelementptr i32, ptr addrspace(1) %p, i64 %s
  %u = load volatile i32, ptr addrspace(1) %a
  %v = load volatile i32, ptr addrspace(1) %b
  ret void
}

; expect: a+0 b+0
; a negative i: one address is 2^32 * 4 behind the other
define amdgpu_kernel void @different_extensions(ptr addrspace(1) %p, i32 %i) #0 {
  %s = sext i32 %i to i64
  %z = zext i32 %i to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s
  %b = getelementptr i32, ptr addrspace(1) %p, i64 %z
  %u = load volatile i32, ptr addrspace(1) %a
  %v = load volatile i32, ptr addrspace(1) %b
  ret void
}

; expect: a+0 b+0 a+4 b+8
define amdgpu_kernel void @two_pointers(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %a = getelementptr i32, ptr addrspace(1) %p, i64 1
  %b = getelementptr i32, ptr addrspace(1) %q, i64 2
  %u = load volatile i32, ptr addrspace(1) %p
  %v = load volatile i32, ptr addrspace(1) %q
  %w = load volatile i32, ptr addrspace(1) %a
  store volatile i32 %w, ptr addrspace(1) %b
  ret void
}

; expect: a+0 b+0
; 2 * i and 3 * i
define amdgpu_kernel void @other_factor(ptr addrspace(1) %p, i64 %i) #0 {
  %one = mul i64 %i, 2
  %two = mul i64 %i, 3
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %one
  %b = getelementptr i32, ptr addrspace(1) %p, i64 %two
  %u = load volatile i32, ptr addrspace(1) %a
  %v = load volatile i32, ptr addrspace(1) %b
  ret void
}

; expect: a+0 b+0
; the same address in two blocks, which need not be executed together
define amdgpu_kernel void @two_blocks(ptr addrspace(1) %p, i1 %c) #0 {
  %u = load volatile i32, ptr addrspace(1) %p
  br i1 %c, label %then, label %end
then:
  %v = load volatile i32, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; expect: a+0 a+1073741820 b+0
; 2^30 - 4; 2^30 has no room in the 31 bits, with sign, that distances have
define amdgpu_kernel void @far(ptr addrspace(1) %p) #0 {
  %a = getelementptr i8, ptr addrspace(1) %p, i64 1073741820
  %b = getelementptr i8, ptr addrspace(1) %p, i64 1073741824
  %u = load volatile i32, ptr addrspace(1) %p
  %v = load volatile i32, ptr addrspace(1) %a
  %w = load volatile i32, ptr addrspace(1) %b
  ret void
}

; expect: a+0 a+12
; scalar evolution: below 1024, nothing wraps; 3 * 4
define amdgpu_kernel void @ranges(ptr addrspace(1) %p) #0 {
  %i = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %plus = add i32 %i, 3
  %s = sext i32 %i to i64
  %s.plus = sext i32 %plus to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s
  %b = getelementptr i32, ptr addrspace(1) %p, i64 %s.plus
  %u = load volatile i32, ptr addrspace(1) %a
  %v = load volatile i32, ptr addrspace(1) %b
  ret void
}

; expect: a+0:x a+12:x a+8:y a+0:y
; addresses in LDS have 32 bits: i + 3 wraps as the address does, 3 * 4. Into the other variable, distances count from its own
; start: (i + 2) * 4, and i * 4.
define amdgpu_kernel void @lds(i32 %i) #0 {
  %plus = add i32 %i, 3
  %two = add i32 %i, 2
  %a = getelementptr [64 x i32], ptr addrspace(3) @x, i32 0, i32 %i
  %b = getelementptr [64 x i32], ptr addrspace(3) @x, i32 0, i32 %plus
  %c = getelementptr [64 x i32], ptr addrspace(3) @y, i32 0, i32 %two
  %d = getelementptr [64 x i32], ptr addrspace(3) @y, i32 0, i32 %i
  %u = load volatile i32, ptr addrspace(3) %a
  %v = load volatile i32, ptr addrspace(3) %b
  store volatile i32 %u, ptr addrspace(3) %c
  store volatile i32 %v, ptr addrspace(3) %d
  ret void
}

; expect: a+0:x b+0:x b+4:x c+0 c+4
; i and j are not related; a pointer into LDS that is given is in no known variable
define amdgpu_kernel void @lds_unrelated(i32 %i, i32 %j, ptr addrspace(3) %given) #0 {
  %plus = add i32 %j, 1
  %a = getelementptr i32, ptr addrspace(3) @x, i32 %i
  %b = getelementptr i32, ptr addrspace(3) @x, i32 %j
  %c = getelementptr i32, ptr addrspace(3) @x, i32 %plus
  %d = getelementptr i32, ptr addrspace(3) %given, i32 1
  %u = load volatile i32, ptr addrspace(3) %a
  %v = load volatile i32, ptr addrspace(3) %b
  %w = load volatile i32, ptr addrspace(3) %c
  store volatile i32 %u, ptr addrspace(3) %given
  store volatile i32 %v, ptr addrspace(3) %d
  ret void
}

; expect: a+0:x a+16:x
; of a 64-bit index only the low 32 bits count: they wrap as the address does; 4 * 4
define amdgpu_kernel void @lds_wide_index(i64 %i) #0 {
  %plus = add i64 %i, 4
  %a = getelementptr i32, ptr addrspace(3) @x, i64 %i
  %b = getelementptr i32, ptr addrspace(3) @x, i64 %plus
  %u = load volatile i32, ptr addrspace(3) %a
  %v = load volatile i32, ptr addrspace(3) %b
  ret void
}

; expect: a+0:x b+0
; global memory and LDS
define amdgpu_kernel void @two_memories(ptr addrspace(1) %p) #0 {
  %u = load volatile i32, ptr addrspace(3) @x
  %v = load volatile i32, ptr addrspace(1) %p
  ret void
}

attributes #0 = { "target-cpu"="gfx90a" }
!0 = !{i32 0, i32 1024}
