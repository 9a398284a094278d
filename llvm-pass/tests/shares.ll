; Accesses that share a probe, for test_shares.py. `expect:` lists a kernel's observed accesses in order, counted from 0: which
; one has the probe, and how many bytes behind its address this one lies. An access that has a probe of its own is named by
; its own number. With ^ its probe stands in front of a loop, for all turns; with ~ there is one there and one in the loop, of
; which the loop's start chooses; with = there are two in front of it, for every second turn each. %i is any number.
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

@x = internal addrspace(3) global [64 x i32] undef, align 16
@y = internal addrspace(3) global [64 x i32] undef, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.sleep(i32)
declare i32 @llvm.amdgcn.readfirstlane(i32)
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @outside()

; expect: 0 0+16 0-8 0
; 4 * 4 and -2 * 4 behind the first; the last is the first element again
define amdgpu_kernel void @constants(ptr addrspace(1) %p) #0 {
  %a = getelementptr i32, ptr addrspace(1) %p, i64 4
  %c = getelementptr i32, ptr addrspace(1) %p, i64 -2
  %u = load volatile i32, ptr addrspace(1) %p
  store volatile i64 7, ptr addrspace(1) %a
  %w = load volatile i8, ptr addrspace(1) %c
  store volatile i32 %u, ptr addrspace(1) %p
  ret void
}

; expect: 0 1 0+4 1+8
; two arrays side by side: nothing is known of how far they lie apart
define amdgpu_kernel void @two_arrays(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %a = getelementptr i32, ptr addrspace(1) %p, i64 1
  %b = getelementptr i32, ptr addrspace(1) %q, i64 2
  %t = load volatile i32, ptr addrspace(1) %p
  %u = load volatile i32, ptr addrspace(1) %q
  %v = load volatile i32, ptr addrspace(1) %a
  %w = load volatile i32, ptr addrspace(1) %b
  ret void
}

; expect: 0 1 0+8 1+8
; addresses in LDS are none in global memory, and where @x and @y lie is not known yet
define amdgpu_kernel void @lds_and_global(ptr addrspace(1) %p) #0 {
  %a = getelementptr i32, ptr addrspace(1) %p, i64 2
  %t = load volatile i32, ptr addrspace(1) %p
  %u = load volatile i32, ptr addrspace(3) @x
  %v = load volatile i32, ptr addrspace(1) %a
  %w = load volatile i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @x, i32 2)
  ret void
}

; expect: 0 1 0+4 1+4
; each variable for itself
define amdgpu_kernel void @two_variables() #0 {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr [64 x i32], ptr addrspace(3) @x, i32 0, i32 %i
  %b = getelementptr [64 x i32], ptr addrspace(3) @y, i32 0, i32 %i
  %c = getelementptr i32, ptr addrspace(3) %a, i32 1
  %d = getelementptr i32, ptr addrspace(3) %b, i32 1
  %t = load volatile i32, ptr addrspace(3) %a
  %u = load volatile i32, ptr addrspace(3) %b
  %v = load volatile i32, ptr addrspace(3) %c
  %w = load volatile i32, ptr addrspace(3) %d
  ret void
}

; expect: 0 0+4 2 2+4
; what others see orders the two halves
define amdgpu_kernel void @barrier(ptr addrspace(1) %p) #0 {
  %a = getelementptr i32, ptr addrspace(1) %p, i64 1
  %t = load volatile i32, ptr addrspace(1) %p
  %u = load volatile i32, ptr addrspace(1) %a
  call void @llvm.amdgcn.s.barrier()
  store volatile i32 %t, ptr addrspace(1) %p
  store volatile i32 %u, ptr addrspace(1) %a
  ret void
}

; expect: 0 1 2 2+4
; an atomic access has a probe of its own, and nothing goes past it
define amdgpu_kernel void @atomic(ptr addrspace(1) %p) #0 {
  %a = getelementptr i32, ptr addrspace(1) %p, i64 1
  %t = load volatile i32, ptr addrspace(1) %p
  %u = atomicrmw add ptr addrspace(1) %a, i32 %t monotonic
  store volatile i32 %t, ptr addrspace(1) %p
  store volatile i32 %u, ptr addrspace(1) %a
  ret void
}

; expect: 0 1 2
; nor past an atomic load, or a fence
define amdgpu_kernel void @fence(ptr addrspace(1) %p) #0 {
  %t = load volatile i32, ptr addrspace(1) %p
  %u = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  fence syncscope("workgroup") acq_rel
  store volatile i32 %t, ptr addrspace(1) %p
  ret void
}

; expect: 0 1 2
; a function may not come back; a wavefront that sleeps waits for somebody
define amdgpu_kernel void @calls(ptr addrspace(1) %p) #0 {
  %t = load volatile i32, ptr addrspace(1) %p
  call void @outside()
  store volatile i32 %t, ptr addrspace(1) %p
  call void @llvm.amdgcn.s.sleep(i32 1)
  store volatile i32 %t, ptr addrspace(1) %p
  ret void
}

; expect: 0 0
; a value of another lane orders nothing
define amdgpu_kernel void @lanes(ptr addrspace(1) %p) #0 {
  %t = load volatile i32, ptr addrspace(1) %p
  %u = call i32 @llvm.amdgcn.readfirstlane(i32 %t)
  store volatile i32 %u, ptr addrspace(1) %p
  ret void
}

; expect: 0 1 1+4
; other lanes execute another block
define amdgpu_kernel void @blocks(ptr addrspace(1) %p, i32 %i) #0 {
  %a = getelementptr i32, ptr addrspace(1) %p, i64 1
  %t = load volatile i32, ptr addrspace(1) %p
  %c = icmp eq i32 %t, %i
  br i1 %c, label %yes, label %no
yes:
  store volatile i32 %t, ptr addrspace(1) %p
  store volatile i32 %t, ptr addrspace(1) %a
  br label %no
no:
  ret void
}

; expect: 0 1
; expect 22: 0 0+12
; i + 3 may wrap, so that it lies 2^34 - 12 bytes below. LLVM 22 does not care: llc makes `offset:12` of it.
define amdgpu_kernel void @wraps(ptr addrspace(1) %p, i32 %i) #0 {
  %plus = add i32 %i, 3
  %s = sext i32 %i to i64
  %s.plus = sext i32 %plus to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s
  %b = getelementptr i32, ptr addrspace(1) %p, i64 %s.plus
  %u = load volatile i32, ptr addrspace(1) %a
  %v = load volatile i32, ptr addrspace(1) %b
  ret void
}

; expect: 0 1 0+1073741820
; 2^32 bytes are too many for the list; 2^30 - 4 are not
define amdgpu_kernel void @far(ptr addrspace(1) %p) #0 {
  %a = getelementptr i8, ptr addrspace(1) %p, i64 4294967296
  %b = getelementptr i8, ptr addrspace(1) %p, i64 1073741820
  %u = load volatile i32, ptr addrspace(1) %p
  %v = load volatile i32, ptr addrspace(1) %a
  %w = load volatile i32, ptr addrspace(1) %b
  ret void
}

; expect: 0 0+16 0+8 3
; both sides of a copy of 20 bytes; one of 100 bytes is no single access
define amdgpu_kernel void @copies(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %a = getelementptr i8, ptr addrspace(1) %p, i64 16
  %b = getelementptr i8, ptr addrspace(1) %p, i64 8
  %t = load volatile i32, ptr addrspace(1) %p
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %b, ptr addrspace(1) %a, i64 20, i1 true)
  store volatile [25 x i32] zeroinitializer, ptr addrspace(1) %p
  ret void
}

; expect: 0~
; a stride that nobody knows: it may be 0, and the sum may wrap; lanes leave the loop one by one
define amdgpu_kernel void @grid(ptr addrspace(1) %p, i32 %n, i32 %i) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %enter = icmp slt i32 %t, %n
  br i1 %enter, label %before, label %end
before:
  br label %loop
loop:
  %k = phi i32 [ %t, %before ], [ %next, %loop ]
  %s = sext i32 %k to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s
  %u = load volatile i32, ptr addrspace(1) %a
  %next = add i32 %k, %i
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; expect: 0~
; where the sum cannot wrap, either
define amdgpu_kernel void @grid_nsw(ptr addrspace(1) %p, i32 %n, i32 %i) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %enter = icmp slt i32 %t, %n
  br i1 %enter, label %before, label %end
before:
  br label %loop
loop:
  %k = phi i32 [ %t, %before ], [ %next, %loop ]
  %s = sext i32 %k to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s
  %u = load volatile i32, ptr addrspace(1) %a
  %next = add nsw i32 %k, %i
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; expect: 0~
; the same with all lanes
define amdgpu_kernel void @steps(ptr addrspace(1) %p, i32 %n, i32 %i) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %enter = icmp ult i32 0, %n
  br i1 %enter, label %before, label %end
before:
  br label %loop
loop:
  %k = phi i32 [ 0, %before ], [ %next, %loop ]
  %s = sext i32 %k to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s
  %u = load volatile i32, ptr addrspace(1) %a
  %next = add i32 %k, %i
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; expect: 0^
; each lane's turns are known, and differ by one at most
define amdgpu_kernel void @stride(ptr addrspace(1) %p, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %enter = icmp slt i32 %t, %n
  br i1 %enter, label %before, label %end
before:
  br label %loop
loop:
  %k = phi i32 [ %t, %before ], [ %next, %loop ]
  %s = sext i32 %k to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s
  %u = load volatile i32, ptr addrspace(1) %a
  %next = add nsw i32 %k, 256
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; expect: 0
; they are known, but differ from lane to lane: a message for each number would be no fewer
define amdgpu_kernel void @each(ptr addrspace(1) %p, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %enter = icmp slt i32 %t, %n
  br i1 %enter, label %before, label %end
before:
  br label %loop
loop:
  %k = phi i32 [ %t, %before ], [ %next, %loop ]
  %s = sext i32 %k to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s
  %u = load volatile i32, ptr addrspace(1) %a
  %next = add nsw i32 %k, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; expect: 0
; each lane has a bound of its own
define amdgpu_kernel void @own_bound(ptr addrspace(1) %p, i32 %i) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %enter = icmp slt i32 0, %t
  br i1 %enter, label %before, label %end
before:
  br label %loop
loop:
  %k = phi i32 [ 0, %before ], [ %next, %loop ]
  %s = sext i32 %k to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s
  %u = load volatile i32, ptr addrspace(1) %a
  %next = add i32 %k, %i
  %again = icmp slt i32 %next, %t
  br i1 %again, label %loop, label %end
end:
  ret void
}

; expect: 0
; some lanes may have left when the others come to the barrier
define amdgpu_kernel void @waits(ptr addrspace(1) %p, i32 %n, i32 %i) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %enter = icmp slt i32 %t, %n
  br i1 %enter, label %before, label %end
before:
  br label %loop
loop:
  %k = phi i32 [ %t, %before ], [ %next, %loop ]
  %s = sext i32 %k to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s
  %u = load volatile i32, ptr addrspace(1) %a
  call void @llvm.amdgcn.s.barrier()
  %next = add i32 %k, %i
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; expect: 0^ 1^
; of a tile, row by row: made on the first turns, up to one that each lane knows, and by lanes whose row there is
define amdgpu_kernel void @bounds(ptr addrspace(1) %p, i32 %n, i32 %rows) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %column = and i32 %t, 15
  %row = lshr i32 %t, 4
  %has = icmp slt i32 %row, %rows
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %end ]
  %i = phi i32 [ %column, %0 ], [ %j, %end ]
  %less = icmp slt i32 %i, %n
  %both = select i1 %has, i1 %less, i1 false
  br i1 %both, label %then, label %end
then:
  %s = sext i32 %i to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %s
  %u = load volatile i32, ptr addrspace(1) %a
  br label %end
end:
  %c = getelementptr i32, ptr addrspace(1) %p, i32 %k
  %v = load volatile i32, ptr addrspace(1) %c
  %j = add nsw i32 %i, 16
  %next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %next, 100
  br i1 %again, label %loop, label %done
done:
  ret void
}

; expect: 0~
; the number may wrap, and the condition hold again
define amdgpu_kernel void @bounds_wrap(ptr addrspace(1) %p, i32 %n, i32 %from) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %start = add i32 %t, %from
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %end ]
  %i = phi i32 [ %start, %0 ], [ %j, %end ]
  %less = icmp slt i32 %i, %n
  br i1 %less, label %then, label %end
then:
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %k
  %u = load volatile i32, ptr addrspace(1) %a
  br label %end
end:
  %j = add i32 %i, 16
  %next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %next, 100
  br i1 %again, label %loop, label %done
done:
  ret void
}

; expect: 0^ 1^
; a condition inside of another one that does not hold on the last turns, and in its other branch nothing
define amdgpu_kernel void @inner_condition(ptr addrspace(1) %p, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = trunc i32 %t to i1
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %end ]
  %last = icmp uge i32 %k, 90
  br i1 %last, label %end, label %then
then:
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %k
  %u = load volatile i32, ptr addrspace(1) %a
  br i1 %odd, label %inner, label %end
inner:
  %b = getelementptr i16, ptr addrspace(1) %p, i32 %t
  %v = load volatile i32, ptr addrspace(1) %b
  br label %end
end:
  %next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %next, 100
  br i1 %again, label %loop, label %done
done:
  ret void
}

; expect: 0= 1= 2
; two buffers in turn; two pointers that change places; what goes on, too
define amdgpu_kernel void @two_buffers(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %end ]
  %at = phi i32 [ 1, %0 ], [ %other, %end ]
  %from = phi ptr addrspace(1) [ %p, %0 ], [ %to, %end ]
  %to = phi ptr addrspace(1) [ %q, %0 ], [ %from, %end ]
  %other = xor i32 %at, 1
  %row = mul i32 %other, 32
  %i = add i32 %row, %t
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %u = load volatile i32, ptr addrspace(1) %a
  %some = icmp slt i32 %k, %n
  br i1 %some, label %then, label %end
then:
  %b = getelementptr i16, ptr addrspace(1) %from, i32 %t
  %v = load volatile i32, ptr addrspace(1) %b
  br label %end
end:
  %j = add i32 %row, %k
  %c = getelementptr i32, ptr addrspace(1) %p, i32 %j
  %w = load volatile i32, ptr addrspace(1) %c
  %next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %next, 100
  br i1 %again, label %loop, label %done
done:
  ret void
}

; expect: 0 1 2
; conditions that do not hold on the first turns, that lanes stop to hold on a turn each, and that nobody knows before
define amdgpu_kernel void @other_conditions(ptr addrspace(1) %p, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %end ]
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %k
  %late = icmp ugt i32 %k, 10
  br i1 %late, label %then, label %second
then:
  %u = load volatile i32, ptr addrspace(1) %a
  br label %second
second:
  %i = add nuw nsw i32 %k, %t
  %each = icmp slt i32 %i, %n
  br i1 %each, label %also, label %third
also:
  %v = load volatile i32, ptr addrspace(1) %a
  br label %third
third:
  %bit = and i32 %k, 1
  %even = icmp eq i32 %bit, 0
  br i1 %even, label %at_last, label %end
at_last:
  %w = load volatile i32, ptr addrspace(1) %a
  br label %end
end:
  %next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %next, 100
  br i1 %again, label %loop, label %done
done:
  ret void
}

; expect: 0 1 0+4
; a flat address may be one in global memory, but is told by other probes
define amdgpu_kernel void @flat(ptr addrspace(1) %p) #0 {
  %f = addrspacecast ptr addrspace(1) %p to ptr
  %a = getelementptr i32, ptr addrspace(1) %p, i64 1
  %t = load volatile i32, ptr addrspace(1) %p
  %u = load volatile i32, ptr %f
  %v = load volatile i32, ptr addrspace(1) %a
  ret void
}

attributes #0 = { "target-cpu"="gfx90a" }
