# Results that nobody reads.
set(SG_UNREAD_KERNELS)
sg_kernels(SG_UNREAD_KERNELS far-gfx1030 gfx1030 ${CMAKE_CURRENT_LIST_DIR}/kernels/far.hip -O3)
sg_kernel_test(unread SG_UNREAD_KERNELS ${SG_UNREAD_KERNELS})
target_link_libraries(test_sg_unread PRIVATE gcn_assemble)
