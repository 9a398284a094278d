# How often threads meet at the engine's lock.
set(SG_SHARES_KERNELS)
sg_kernels(SG_SHARES_KERNELS shares gfx90a ${CMAKE_CURRENT_LIST_DIR}/kernels/shares.hip -O2)
sg_kernel_test(shares SG_SHARES_KERNELS ${SG_SHARES_KERNELS})
