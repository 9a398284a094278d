# Work-groups that wait for each other: as many as fit on the GPU, and one more.
set(SG_RESIDENT_KERNELS)
foreach(arch gfx90a gfx942 gfx950 gfx1030)
  sg_kernels(SG_RESIDENT_KERNELS resident-${arch} ${arch} ${CMAKE_CURRENT_LIST_DIR}/kernels/resident.hip -O3)
endforeach()
sg_kernel_test(resident SG_RESIDENT_KERNELS ${CMAKE_CURRENT_BINARY_DIR})
if(LANESCOPE_SANITIZE) # how many there are is arithmetic: few show what many do
  target_compile_definitions(test_sg_resident PRIVATE SG_FEW_PLACES)
endif()
set_tests_properties(soft-gpu-isa-resident PROPERTIES TIMEOUT 300)
