; Reads of LDS that exchange values between lanes, for test_sites.py: where each stands in its clone is where llc has it in the
; original's machine code, behind the first branch or in front of it.
target triple = "amdgcn-amd-amdhsa"

declare <4 x half> @llvm.amdgcn.ds.read.tr16.b64.v4f16(ptr addrspace(3))

; as Triton's software pipelining leaves the turn behind a loop
define amdgpu_kernel void @branch(ptr addrspace(3) %p, ptr addrspace(1) %q, i32 %n) #0 {
  %v = call <4 x half> @llvm.amdgcn.ds.read.tr16.b64.v4f16(ptr addrspace(3) %p)
  %c = icmp sgt i32 %n, 5
  br i1 %c, label %yes, label %no
yes:
  store <4 x half> %v, ptr addrspace(1) %q
  br label %no
no:
  ret void
}

; the address of the second is the first one's value
define amdgpu_kernel void @chain(ptr addrspace(3) %p, ptr addrspace(1) %q, i32 %n) #0 {
  %u = call <4 x half> @llvm.amdgcn.ds.read.tr16.b64.v4f16(ptr addrspace(3) %p)
  %w = bitcast <4 x half> %u to <2 x i32>
  %a = extractelement <2 x i32> %w, i32 0
  %r = inttoptr i32 %a to ptr addrspace(3)
  %v = call <4 x half> @llvm.amdgcn.ds.read.tr16.b64.v4f16(ptr addrspace(3) %r)
  %c = icmp sgt i32 %n, 5
  br i1 %c, label %yes, label %no
yes:
  store <4 x half> %v, ptr addrspace(1) %q
  br label %no
no:
  ret void
}

; nothing is moved past what writes
define amdgpu_kernel void @store(ptr addrspace(3) %p, ptr addrspace(1) %q, i32 %n) #0 {
  %v = call <4 x half> @llvm.amdgcn.ds.read.tr16.b64.v4f16(ptr addrspace(3) %p)
  store i32 %n, ptr addrspace(1) %q
  %c = icmp sgt i32 %n, 5
  br i1 %c, label %yes, label %no
yes:
  store <4 x half> %v, ptr addrspace(1) %q
  br label %no
no:
  ret void
}

; both ways need it
define amdgpu_kernel void @both(ptr addrspace(3) %p, ptr addrspace(1) %q, i32 %n) #0 {
  %v = call <4 x half> @llvm.amdgcn.ds.read.tr16.b64.v4f16(ptr addrspace(3) %p)
  %c = icmp sgt i32 %n, 5
  br i1 %c, label %yes, label %no
yes:
  store <4 x half> %v, ptr addrspace(1) %q
  br label %end
no:
  %r = getelementptr i8, ptr addrspace(1) %q, i32 64
  store <4 x half> %v, ptr addrspace(1) %r
  br label %end
end:
  ret void
}

; the second condition is behind both ways of the first one, of which none writes
define amdgpu_kernel void @further(ptr addrspace(3) %p, ptr addrspace(1) %q, i32 %n, i32 %m) #0 {
  %v = call <4 x half> @llvm.amdgcn.ds.read.tr16.b64.v4f16(ptr addrspace(3) %p)
  %c = icmp sgt i32 %n, 5
  br i1 %c, label %yes, label %no
yes:
  %x = load i32, ptr addrspace(1) %q
  br label %no
no:
  %f = phi i32 [ %x, %yes ], [ 1, %0 ]
  %d = icmp sgt i32 %m, 7
  br i1 %d, label %use, label %end
use:
  %r = getelementptr i8, ptr addrspace(1) %q, i32 64
  store i32 %f, ptr addrspace(1) %r
  store <4 x half> %v, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; here one does
define amdgpu_kernel void @further_store(ptr addrspace(3) %p, ptr addrspace(1) %q, i32 %n, i32 %m) #0 {
  %v = call <4 x half> @llvm.amdgcn.ds.read.tr16.b64.v4f16(ptr addrspace(3) %p)
  %c = icmp sgt i32 %n, 5
  br i1 %c, label %yes, label %no
yes:
  store volatile i32 %m, ptr addrspace(1) %q
  br label %no
no:
  %d = icmp sgt i32 %m, 7
  br i1 %d, label %use, label %end
use:
  store <4 x half> %v, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; in front of the loop that needs it, not in each turn
define amdgpu_kernel void @loop(ptr addrspace(3) %p, ptr addrspace(1) %q, i32 %n) #0 {
  %v = call <4 x half> @llvm.amdgcn.ds.read.tr16.b64.v4f16(ptr addrspace(3) %p)
  %c = icmp sgt i32 %n, 5
  br i1 %c, label %before, label %end
before:
  br label %turn
turn:
  %i = phi i32 [ 0, %before ], [ %next, %turn ]
  %a = getelementptr i64, ptr addrspace(1) %q, i32 %i
  store <4 x half> %v, ptr addrspace(1) %a
  %next = add nuw nsw i32 %i, 1
  %again = icmp ne i32 %next, %n
  br i1 %again, label %turn, label %end
end:
  ret void
}

; one of two values, by the way that was taken
define amdgpu_kernel void @chosen(ptr addrspace(3) %p, ptr addrspace(1) %q, i32 %n) #0 {
  %v = call <4 x half> @llvm.amdgcn.ds.read.tr16.b64.v4f16(ptr addrspace(3) %p)
  %c = icmp sgt i32 %n, 5
  br i1 %c, label %yes, label %no
yes:
  %x = load volatile i32, ptr addrspace(1) %q
  br label %no
no:
  %w = phi <4 x half> [ zeroinitializer, %0 ], [ %v, %yes ]
  store <4 x half> %w, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "target-cpu"="gfx950" }
