# How often threads meet at the engine's lock.
set(object ${CMAKE_CURRENT_BINARY_DIR}/shares.co)
add_custom_command(OUTPUT ${object}
  COMMAND ${CMAKE_C_COMPILER} -x hip -nogpuinc -nogpulib --cuda-device-only --no-gpu-bundle-output
          --offload-arch=gfx90a -O2 ${CMAKE_CURRENT_LIST_DIR}/kernels/shares.hip -o ${object}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/kernels/shares.hip)
add_custom_target(sg-shares-kernels ALL DEPENDS ${object})
add_executable(test_sg_shares ${CMAKE_CURRENT_LIST_DIR}/shares.c)
target_link_libraries(test_sg_shares PRIVATE sg_loader cmocka m)
add_dependencies(test_sg_shares sg-shares-kernels)
add_test(NAME soft-gpu-isa-shares COMMAND test_sg_shares ${object})
