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
  set(compiled ${CMAKE_CURRENT_BINARY_DIR}/preload-compiled-${arch}.co)
  add_custom_command(OUTPUT ${compiled}
    COMMAND ${CMAKE_C_COMPILER} -x hip -nogpuinc -nogpulib --cuda-device-only --no-gpu-bundle-output
            --offload-arch=${arch} -O3 -mllvm -amdgpu-kernarg-preload-count=8
            ${CMAKE_CURRENT_LIST_DIR}/kernels/preload.hip -o ${compiled}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/kernels/preload.hip)
  list(APPEND SG_PRELOAD_KERNELS ${by_hand} ${compiled})
endforeach()
add_custom_target(sg-preload-kernels ALL DEPENDS ${SG_PRELOAD_KERNELS})
add_executable(test_sg_preload ${CMAKE_CURRENT_LIST_DIR}/preload.c)
target_link_libraries(test_sg_preload PRIVATE sg_loader cmocka m)
add_dependencies(test_sg_preload sg-preload-kernels)
add_test(NAME soft-gpu-isa-preload COMMAND test_sg_preload ${CMAKE_CURRENT_BINARY_DIR} ${preload_gpus})
