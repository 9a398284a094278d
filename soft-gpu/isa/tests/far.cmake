# Code objects that lie far from each other.
set(far ${CMAKE_CURRENT_BINARY_DIR}/far-gfx90a.co)
add_custom_command(OUTPUT ${far}
  COMMAND ${CMAKE_C_COMPILER} -x hip -nogpuinc -nogpulib --cuda-device-only --no-gpu-bundle-output
          --offload-arch=gfx90a -O3 ${CMAKE_CURRENT_LIST_DIR}/kernels/far.hip -o ${far}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/kernels/far.hip)
add_custom_target(sg-far-kernel ALL DEPENDS ${far})
add_executable(test_sg_far ${CMAKE_CURRENT_LIST_DIR}/far.c)
target_link_libraries(test_sg_far PRIVATE sg_loader sg_assemble cmocka m)
add_dependencies(test_sg_far sg-far-kernel)
add_test(NAME soft-gpu-isa-far COMMAND test_sg_far ${far})
