# Loops that never end, and loops that do.
set(SG_STALL_KERNELS)
foreach(variant gfx90a-O0 gfx90a-O3 gfx942-O3)
  string(REPLACE "-" ";" parts ${variant})
  list(GET parts 0 arch)
  list(GET parts 1 level)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/stall-${variant}.co)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_C_COMPILER} -x hip -nogpuinc -nogpulib --cuda-device-only --no-gpu-bundle-output -w
            --offload-arch=${arch} -${level} ${CMAKE_CURRENT_LIST_DIR}/kernels/stall.hip -o ${object}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/kernels/stall.hip)
  list(APPEND SG_STALL_KERNELS ${object})
endforeach()
add_custom_target(sg-stall-kernels ALL DEPENDS ${SG_STALL_KERNELS})
add_executable(test_sg_stall ${CMAKE_CURRENT_LIST_DIR}/stall.c)
target_link_libraries(test_sg_stall PRIVATE sg_loader cmocka m)
add_dependencies(test_sg_stall sg-stall-kernels)
add_test(NAME soft-gpu-isa-stall COMMAND test_sg_stall ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(soft-gpu-isa-stall PROPERTIES TIMEOUT 120)
