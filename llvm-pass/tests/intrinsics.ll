; Accesses that HIP sources do not reach; test_sites.py knows them in this order.
target triple = "amdgcn-amd-amdhsa"

@lds = internal addrspace(3) global [512 x i32] undef, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8), i32, i32, i32)
declare <4 x i32> @llvm.amdgcn.struct.buffer.load.v4i32(<4 x i32>, i32, i32, i32, i32)
declare void @llvm.amdgcn.raw.ptr.buffer.store.v2i32(<2 x i32>, ptr addrspace(8), i32, i32, i32)
declare i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32, ptr addrspace(8), i32, i32, i32)
declare i32 @llvm.amdgcn.struct.ptr.buffer.atomic.cmpswap.i32(i32, i32, ptr addrspace(8), i32, i32, i32, i32)
declare void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8), ptr addrspace(3), i32, i32, i32, i32, i32)
declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), ptr addrspace(3), i32, i32, i32)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
declare void @llvm.memcpy.p1.p3.i64(ptr addrspace(1), ptr addrspace(3), i64, i1)
declare i32 @llvm.amdgcn.ds.append.p3(ptr addrspace(3), i1)
declare void @llvm.amdgcn.ds.gws.init(i32, i32)
declare void @llvm.amdgcn.ds.gws.barrier(i32, i32)
declare void @llvm.amdgcn.ds.gws.sema.v(i32)
declare void @llvm.amdgcn.ds.gws.sema.p(i32)
declare void @llvm.amdgcn.s.sendmsg(i32, i32)
declare void @llvm.amdgcn.s.sleep(i32)
declare void @llvm.amdgcn.s.dcache.inv()
declare i64 @llvm.amdgcn.s.memrealtime()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i1 @llvm.amdgcn.is.shared(ptr)
declare ptr @llvm.launder.invariant.group.p0(ptr)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare void @llvm.prefetch.p1(ptr addrspace(1), i32, i32, i32)
declare i32 @llvm.amdgcn.s.buffer.load.i32(<4 x i32>, i32, i32)

define amdgpu_kernel void @intrinsics(ptr addrspace(8) inreg %r, <4 x i32> inreg %v, ptr addrspace(1) %p, i64 %n, ptr %f) #0 {
  %private = alloca i32, addrspace(5)
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = shl i32 %t, 2
  %a = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 %o, i32 0, i32 0)
  %b = call <4 x i32> @llvm.amdgcn.struct.buffer.load.v4i32(<4 x i32> %v, i32 %t, i32 8, i32 0, i32 0)
  %b2 = shufflevector <4 x i32> %b, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  call void @llvm.amdgcn.raw.ptr.buffer.store.v2i32(<2 x i32> %b2, ptr addrspace(8) %r, i32 %o, i32 16, i32 0)
  %c = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 %a, ptr addrspace(8) %r, i32 %o, i32 0, i32 0)
  %d = call i32 @llvm.amdgcn.struct.ptr.buffer.atomic.cmpswap.i32(i32 %a, i32 %c, ptr addrspace(8) %r, i32 %t, i32 0, i32 0, i32 0)
  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %r, ptr addrspace(3) @lds, i32 4, i32 %o, i32 0, i32 16, i32 0)
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %p, ptr addrspace(3) @lds, i32 4, i32 0, i32 0)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 %n, i1 false)
  %e = call i32 @llvm.amdgcn.s.buffer.load.i32(<4 x i32> %v, i32 16, i32 0)
  store i32 %d, ptr %f, align 4
  %x = call i32 asm sideeffect "global_load_dword $0, $1, off", "=v,v"(ptr addrspace(1) %p)
  call void asm sideeffect "ds_max_u32 $0, $1", "v,v"(i32 %o, i32 %t)
  %loaded = call i32 asm "v_mov_b32 $0, $1", "=v,v"(i32 %t)
  %other = call i32 asm "ds_bpermute_b32 $0, $1, $2", "=v,v,v"(i32 %o, i32 %loaded)
  store volatile i32 %e, ptr addrspace(5) %private, align 4
  %q = getelementptr [512 x i32], ptr addrspace(3) @lds, i32 0, i32 %o
  %g = load <2 x i32>, ptr addrspace(3) %q, align 8
  %fat = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)
  %at = getelementptr i8, ptr addrspace(7) %fat, i32 %o
  %h = load i32, ptr addrspace(7) %at, align 4
  store <2 x i32> %g, ptr addrspace(7) %at, align 4
  %i = atomicrmw add ptr addrspace(7) %fat, i32 %h monotonic
  call void @llvm.memcpy.p1.p3.i64(ptr addrspace(1) align 16 %p, ptr addrspace(3) align 8 %q, i64 16, i1 false)
  call void @llvm.memcpy.p1.p3.i64(ptr addrspace(1) align 16 %p, ptr addrspace(3) align 2 %q, i64 16, i1 false)
  call void @llvm.memcpy.p1.p3.i64(ptr addrspace(1) align 16 %p, ptr addrspace(3) align 16 %q, i64 32, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %p, i8 0, i64 8, i1 false)
  ; one that accesses memory, and what accesses none of the program's
  %app = call i32 @llvm.amdgcn.ds.append.p3(ptr addrspace(3) @lds, i1 false)
  call void @llvm.amdgcn.ds.gws.init(i32 %app, i32 1)
  call void @llvm.amdgcn.ds.gws.barrier(i32 %app, i32 1)
  call void @llvm.amdgcn.ds.gws.sema.v(i32 1)
  call void @llvm.amdgcn.ds.gws.sema.p(i32 1)
  call void @llvm.amdgcn.s.sendmsg(i32 1, i32 0)
  call void @llvm.amdgcn.s.sleep(i32 1)
  call void @llvm.amdgcn.s.dcache.inv()
  %now = call i64 @llvm.amdgcn.s.memrealtime()
  %swap = call i32 @llvm.amdgcn.ds.bpermute(i32 %o, i32 %app)
  %is = call i1 @llvm.amdgcn.is.shared(ptr %f)
  %la = call ptr @llvm.launder.invariant.group.p0(ptr %f)
  %ma = call ptr @llvm.ptrmask.p0.i64(ptr %la, i64 -16)
  call void @llvm.prefetch.p1(ptr addrspace(1) %p, i32 0, i32 3, i32 1)
  ret void
}

attributes #0 = { "target-cpu"="gfx942" "amdgpu-flat-work-group-size"="1,256" }
