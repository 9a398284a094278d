# Kernel arguments that start in registers: written by hand, and as the compiler asks for them.
set(SG_PRELOAD_KERNELS)
# On gfx9 arguments are preloaded; on gfx10 none are.
set(preload_gpus ${LANESCOPE_GPUS_SETS})
list(FILTER preload_gpus INCLUDE REGEX "^gfx9")
foreach(arch IN LISTS preload_gpus)
  set(by_hand ${CMAKE_CURRENT_BINARY_DIR}/preload-${arch}.co)
  add_custom_command(OUTPUT ${by_hand}
    COMMAND ${CMAKE_C_COMPILER} -target amdgcn-amd-amdhsa -mcpu=${arch} ${CMAKE_CURRENT_LIST_DIR}/kernels/preload.s
            -o ${by_hand}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/kernels/preload.s)
  list(APPEND SG_PRELOAD_KERNELS ${by_hand})
  sg_kernels(SG_PRELOAD_KERNELS preload-compiled-${arch} ${arch} ${CMAKE_CURRENT_LIST_DIR}/kernels/preload.hip
             -O3 -mllvm -amdgpu-kernarg-preload-count=8)
endforeach()
sg_kernel_test(preload SG_PRELOAD_KERNELS ${CMAKE_CURRENT_BINARY_DIR} ${preload_gpus})
