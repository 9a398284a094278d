; What the machine code of the device library is made from (device_code.c): the pass "lanescope-device" lets
; this kernel call all of the library. @__ls_empty shows what code generation begins every function with.
; CPU stands for the processor.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @driver() #0 {
  call void @__ls_empty()
  ret void
}

define internal void @__ls_empty() noinline norecurse nounwind "target-cpu"="CPU" {
  ret void
}

attributes #0 = { "target-cpu"="CPU" }
