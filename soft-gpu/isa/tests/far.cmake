# Code objects that lie far from each other.
set(SG_FAR_KERNELS)
sg_kernels(SG_FAR_KERNELS far-gfx90a gfx90a ${CMAKE_CURRENT_LIST_DIR}/kernels/far.hip -O3)
sg_kernel_test(far SG_FAR_KERNELS ${SG_FAR_KERNELS})
target_link_libraries(test_sg_far PRIVATE gcn_assemble)
