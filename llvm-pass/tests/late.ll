; What shows only while probes are inserted: no machine code made beforehand does for it (test_ready.py). CALL: a call through a pointer.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @late(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %n, ptr %f) #0 {
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %n, i1 false)
  ;CALL call void %f()
  ret void
}

declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)

attributes #0 = { "target-cpu"="gfx90a" }
