; Accesses that one probe tells with a message each, for test_several.py. `expect:` lists a kernel's groups of such accesses by
; their sizes, with s where each has a stride of its own,
; l where all are made on each turn of a loop, a where lanes are scattered alike; - where there is none. Each access also has a probe behind that, for when the addresses lie otherwise.
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare void @llvm.amdgcn.s.barrier()
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)

@tile = internal addrspace(3) global [32 x [33 x i32]] undef

; expect: 3
; c[i] = a[i] + b[i]: the arrays lie the same distances apart in all lanes. What computes the last address stands behind the loads.
define amdgpu_kernel void @arrays(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %pb = getelementptr i32, ptr addrspace(1) %b, i64 %i
  %x = load volatile i32, ptr addrspace(1) %pa
  %y = load volatile i32, ptr addrspace(1) %pb
  %s = add i32 %x, %y
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %i
  store volatile i32 %s, ptr addrspace(1) %pc
  ret void
}

; expect: 6 2
; a[i * n], a[(i + 1) * n], ...: n bytes apart; six at most
define amdgpu_kernel void @multiples(ptr addrspace(1) %a, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %t1 = add i32 %t, 1
  %t2 = add i32 %t, 2
  %t3 = add i32 %t, 3
  %t4 = add i32 %t, 4
  %t5 = add i32 %t, 5
  %t6 = add i32 %t, 6
  %t7 = add i32 %t, 7
  %i0 = mul i32 %t, %n
  %i1 = mul i32 %t1, %n
  %i2 = mul i32 %t2, %n
  %i3 = mul i32 %t3, %n
  %i4 = mul i32 %n, %t4
  %i5 = mul i32 %n, %t5
  %i6 = mul i32 %n, %t6
  %i7 = mul i32 %n, %t7
  %p0 = getelementptr i8, ptr addrspace(1) %a, i32 %i0
  %p1 = getelementptr i8, ptr addrspace(1) %a, i32 %i1
  %p2 = getelementptr i8, ptr addrspace(1) %a, i32 %i2
  %p3 = getelementptr i8, ptr addrspace(1) %a, i32 %i3
  %p4 = getelementptr i8, ptr addrspace(1) %a, i32 %i4
  %p5 = getelementptr i8, ptr addrspace(1) %a, i32 %i5
  %p6 = getelementptr i8, ptr addrspace(1) %a, i32 %i6
  %p7 = getelementptr i8, ptr addrspace(1) %a, i32 %i7
  %v0 = load volatile i8, ptr addrspace(1) %p0
  %v1 = load volatile i8, ptr addrspace(1) %p1
  %v2 = load volatile i8, ptr addrspace(1) %p2
  %v3 = load volatile i8, ptr addrspace(1) %p3
  %v4 = load volatile i8, ptr addrspace(1) %p4
  %v5 = load volatile i8, ptr addrspace(1) %p5
  %v6 = load volatile i8, ptr addrspace(1) %p6
  %v7 = load volatile i8, ptr addrspace(1) %p7
  ret void
}

; expect: 2s
; 4 bytes from lane to lane, and 8
define amdgpu_kernel void @strides(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %pb = getelementptr i64, ptr addrspace(1) %b, i32 %t
  %x = load volatile i32, ptr addrspace(1) %pa
  store volatile i64 0, ptr addrspace(1) %pb
  ret void
}

; expect: 2a
; the second address is what the first access reads; then one that was read is where both begin
define amdgpu_kernel void @read(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %k = load volatile i32, ptr addrspace(1) %pa
  %p0 = getelementptr i32, ptr addrspace(1) %a, i32 %k
  %p1 = getelementptr i32, ptr addrspace(1) %b, i32 %k
  %x = load volatile i32, ptr addrspace(1) %p0
  %y = load volatile i32, ptr addrspace(1) %p1
  ret void
}

; expect: 2a
; Where lanes go is read: two of three, of as many bytes each; not one of another size.
define amdgpu_kernel void @scattered(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %k = load volatile i32, ptr addrspace(1) %pa
  call void @llvm.amdgcn.s.barrier()
  %p0 = getelementptr i32, ptr addrspace(1) %b, i32 %k
  %p1 = getelementptr i32, ptr addrspace(1) %c, i32 %k
  %p2 = getelementptr i32, ptr addrspace(1) %a, i32 %k
  %x = load volatile i32, ptr addrspace(1) %p0
  store volatile i32 %x, ptr addrspace(1) %p1
  %y = load volatile i16, ptr addrspace(1) %p2
  ret void
}

; expect: 2 2
; a barrier between
define amdgpu_kernel void @barrier(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %pb = getelementptr i32, ptr addrspace(1) %b, i32 %t
  %x = load volatile i32, ptr addrspace(1) %pa
  store volatile i32 %x, ptr addrspace(1) %pb
  call void @llvm.amdgcn.s.barrier()
  %y = load volatile i32, ptr addrspace(1) %pb
  store volatile i32 %y, ptr addrspace(1) %pa
  ret void
}

; expect: 2
; of one array at constant distances one message stands for both; that of the other array is one more
define amdgpu_kernel void @led(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %pc = getelementptr i32, ptr addrspace(1) %pa, i32 1
  %pb = getelementptr i32, ptr addrspace(1) %b, i32 %t
  %x = load volatile i32, ptr addrspace(1) %pa
  %y = load volatile i32, ptr addrspace(1) %pc
  store volatile i32 %x, ptr addrspace(1) %pb
  ret void
}

; expect: -
; an access between that is none of them
define amdgpu_kernel void @between(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %pb = getelementptr i32, ptr addrspace(1) %b, i32 %t
  %x = load volatile i32, ptr addrspace(1) %pa
  %pc = getelementptr i32, ptr addrspace(1) %c, i32 %x
  store volatile i32 0, ptr addrspace(1) %pc
  store volatile i32 %x, ptr addrspace(1) %pb
  ret void
}

; expect: 2s 2s
; into a tile in LDS and, by other strides, out of it
define amdgpu_kernel void @transpose(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %r = mul i32 %y, %n
  %i = add i32 %r, %x
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %i
  %v = load volatile i32, ptr addrspace(1) %pa
  %pt = getelementptr [32 x [33 x i32]], ptr addrspace(3) @tile, i32 0, i32 %y, i32 %x
  store volatile i32 %v, ptr addrspace(3) %pt
  call void @llvm.amdgcn.s.barrier()
  %pu = getelementptr [32 x [33 x i32]], ptr addrspace(3) @tile, i32 0, i32 %x, i32 %y
  %u = load volatile i32, ptr addrspace(3) %pu
  %pb = getelementptr i32, ptr addrspace(1) %b, i32 %i
  store volatile i32 %u, ptr addrspace(1) %pb
  ret void
}

; expect: 2
; LDS and memory, the same stride
define amdgpu_kernel void @line(ptr addrspace(1) %a) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %v = load volatile i32, ptr addrspace(1) %pa
  %pt = getelementptr [32 x [33 x i32]], ptr addrspace(3) @tile, i32 0, i32 0, i32 %t
  store volatile i32 %v, ptr addrspace(3) %pt
  ret void
}

; expect: 5
; five of one stride; the sixth has another one, so that no probe tells all of them
define amdgpu_kernel void @five(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %d = shl i32 %t, 1
  %k1 = add i32 %t, %n
  %k2 = add i32 %k1, %n
  %k3 = add i32 %k2, %n
  %p0 = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %p1 = getelementptr i32, ptr addrspace(1) %a, i32 %k1
  %p2 = getelementptr i32, ptr addrspace(1) %a, i32 %k2
  %p3 = getelementptr i32, ptr addrspace(1) %a, i32 %k3
  %p4 = getelementptr i32, ptr addrspace(1) %b, i32 %t
  %p5 = getelementptr i32, ptr addrspace(1) %b, i32 %d
  %v0 = load volatile i32, ptr addrspace(1) %p0
  %v1 = load volatile i32, ptr addrspace(1) %p1
  %v2 = load volatile i32, ptr addrspace(1) %p2
  %v3 = load volatile i32, ptr addrspace(1) %p3
  %v4 = load volatile i32, ptr addrspace(1) %p4
  store volatile i32 %v0, ptr addrspace(1) %p5
  ret void
}

; expect: 3s
; two of one stride, then one of another
define amdgpu_kernel void @mixed(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %d = shl i32 %t, 1
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %pb = getelementptr i32, ptr addrspace(1) %b, i32 %t
  %pc = getelementptr i32, ptr addrspace(1) %c, i32 %d
  %v = load volatile i32, ptr addrspace(1) %pa
  %u = load volatile i32, ptr addrspace(1) %pb
  store volatile i32 %v, ptr addrspace(1) %pc
  ret void
}

; expect: -
; neighbours lie at odd distances
define amdgpu_kernel void @uneven(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %d = xor i32 %t, 5
  %e = udiv i32 %t, 3
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %pb = getelementptr i32, ptr addrspace(1) %b, i32 %d
  %pc = getelementptr i32, ptr addrspace(1) %c, i32 %e
  %v = load volatile i32, ptr addrspace(1) %pa
  %u = load volatile i32, ptr addrspace(1) %pb
  store volatile i32 %v, ptr addrspace(1) %pc
  ret void
}

; expect: 3
; clamped indices, which are no others inside the bounds
define amdgpu_kernel void @clamped(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %d = sub i32 %t, 7
  %l = call i32 @llvm.smax.i32(i32 %d, i32 0)
  %u = add i32 %t, 9
  %r = call i32 @llvm.umin.i32(i32 %n, i32 %u)
  %p0 = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %p1 = getelementptr i32, ptr addrspace(1) %a, i32 %l
  %p2 = getelementptr i32, ptr addrspace(1) %b, i32 %r
  %v0 = load volatile i32, ptr addrspace(1) %p0
  %v1 = load volatile i32, ptr addrspace(1) %p1
  %v2 = load volatile i32, ptr addrspace(1) %p2
  ret void
}

; expect: -
; clamped by what is another bound in each lane
define amdgpu_kernel void @clamped_apart(ptr addrspace(1) %a) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %l = call i32 @llvm.smax.i32(i32 %t, i32 %y)
  %p0 = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %p1 = getelementptr i32, ptr addrspace(1) %a, i32 %l
  %v0 = load volatile i32, ptr addrspace(1) %p0
  %v1 = load volatile i32, ptr addrspace(1) %p1
  ret void
}

; expect: 4
; nothing outside of a picture: each in a block of its own, which most wavefronts execute with all lanes
define amdgpu_kernel void @outside(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = mul i32 %g, 64
  %x = add i32 %o, %t
  %p0 = getelementptr i32, ptr addrspace(1) %a, i32 %x
  %v0 = load volatile i32, ptr addrspace(1) %p0
  %c0 = icmp sgt i32 %x, 0
  br i1 %c0, label %left, label %middle
left:
  %p1 = getelementptr i32, ptr addrspace(1) %p0, i32 -1
  %v1 = load volatile i32, ptr addrspace(1) %p1
  br label %middle
middle:
  %s = phi i32 [ %v1, %left ], [ 0, %0 ]
  %e = sub i32 %n, 1
  %c1 = icmp sge i32 %x, %e
  br i1 %c1, label %last, label %right
right:
  %p2 = getelementptr i32, ptr addrspace(1) %p0, i32 1
  %v2 = load volatile i32, ptr addrspace(1) %p2
  br label %last
last:
  %u = phi i32 [ %v2, %right ], [ 0, %middle ]
  %w = add i32 %s, %u
  %p3 = getelementptr i32, ptr addrspace(1) %b, i32 %x
  store volatile i32 %w, ptr addrspace(1) %p3
  ret void
}

; expect: 4s
; the first one in such a block, too: tiles of matrices
define amdgpu_kernel void @bounds(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = mul i32 %g, 16
  %col = add i32 %o, %x
  %row = add i32 %o, %y
  %c0 = icmp slt i32 %col, %n
  %c1 = icmp ult i32 %row, %n
  %both = select i1 %c0, i1 %c1, i1 false
  br i1 %both, label %first, label %one
first:
  %r = mul i32 %row, %n
  %i = add i32 %r, %col
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %i
  %va = load volatile i32, ptr addrspace(1) %pa
  br label %one
one:
  %sa = phi i32 [ %va, %first ], [ 0, %0 ]
  %pt = getelementptr [32 x [33 x i32]], ptr addrspace(3) @tile, i32 0, i32 %y, i32 %x
  store volatile i32 %sa, ptr addrspace(3) %pt
  br i1 %c0, label %second, label %two
second:
  %pb = getelementptr i32, ptr addrspace(1) %b, i32 %col
  %vb = load volatile i32, ptr addrspace(1) %pb
  br label %two
two:
  %sb = phi i32 [ %vb, %second ], [ 0, %one ]
  %pu = getelementptr [32 x [33 x i32]], ptr addrspace(3) @tile, i32 0, i32 %x, i32 %y
  store volatile i32 %sb, ptr addrspace(3) %pu
  ret void
}

; expect: -
; few lanes do it; then one of which the condition was read
define amdgpu_kernel void @few(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = mul i32 %g, 64
  %x = add i32 %o, %t
  %p0 = getelementptr i32, ptr addrspace(1) %a, i32 %x
  %v0 = load volatile i32, ptr addrspace(1) %p0
  %c0 = icmp slt i32 %t, 3
  br i1 %c0, label %some, label %all
some:
  %p1 = getelementptr i32, ptr addrspace(1) %p0, i32 64
  %v1 = load volatile i32, ptr addrspace(1) %p1
  br label %all
all:
  %s = add i32 %o, %v0
  %c1 = icmp sgt i32 %s, 0
  br i1 %c1, label %read, label %done
read:
  %p2 = getelementptr i32, ptr addrspace(1) %p0, i32 128
  %v2 = load volatile i32, ptr addrspace(1) %p2
  br label %done
done:
  ret void
}

; expect: -
; a barrier in the block
define amdgpu_kernel void @waiting(ptr addrspace(1) %a, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = mul i32 %g, 64
  %x = add i32 %o, %t
  %p0 = getelementptr i32, ptr addrspace(1) %a, i32 %x
  %v0 = load volatile i32, ptr addrspace(1) %p0
  %c0 = icmp slt i32 %x, %n
  br i1 %c0, label %some, label %all
some:
  call void @llvm.amdgcn.s.barrier()
  %p1 = getelementptr i32, ptr addrspace(1) %p0, i32 64
  %v1 = load volatile i32, ptr addrspace(1) %p1
  br label %all
all:
  ret void
}

; expect: 4l
; five accesses of one loop's turns: four, and one by itself.
define amdgpu_kernel void @turns(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %d = mul i32 %t, %t
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %i = add i32 %t, %k
  %j = add i32 %d, %k
  %wide = zext i32 %i to i64
  %p0 = getelementptr i32, ptr addrspace(1) %a, i64 %wide
  %p1 = getelementptr i32, ptr addrspace(1) %b, i64 %wide
  %p2 = getelementptr i16, ptr addrspace(1) %a, i32 %j
  %p3 = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  %p4 = getelementptr i8, ptr addrspace(1) %b, i32 %j
  %v0 = load volatile i32, ptr addrspace(1) %p0
  %v1 = load volatile i32, ptr addrspace(1) %p1
  %v2 = load volatile i16, ptr addrspace(1) %p2
  store volatile i32 %v0, ptr addrspace(3) %p3
  %v4 = load volatile i8, ptr addrspace(1) %p4
  %next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; expect: 2l 2l
; each loop has a probe of its own
define amdgpu_kernel void @two_loops(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %i = add i32 %t, %k
  %p0 = getelementptr i32, ptr addrspace(1) %a, i32 %i
  %p1 = getelementptr i32, ptr addrspace(1) %b, i32 %i
  %v0 = load volatile i32, ptr addrspace(1) %p0
  store volatile i32 %v0, ptr addrspace(1) %p1
  %next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %next, 7
  br i1 %again, label %loop, label %second
second:
  %l = phi i32 [ 0, %loop ], [ %other, %second ]
  %p2 = getelementptr i32, ptr addrspace(1) %a, i32 %l
  %p3 = getelementptr i32, ptr addrspace(3) @tile, i32 %l
  %v2 = load volatile i32, ptr addrspace(1) %p2
  store volatile i32 %v2, ptr addrspace(3) %p3
  %other = add nuw nsw i32 %l, 1
  %more = icmp ult i32 %other, 9
  br i1 %more, label %second, label %done
done:
  ret void
}

attributes #0 = { "target-cpu"="gfx90a" "amdgpu-flat-work-group-size"="1,256" "uniform-work-group-size"="true" }
