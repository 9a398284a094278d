# Work-groups that wait for each other: as many as fit on the GPU, and one more.
set(SG_RESIDENT_KERNELS)
foreach(arch gfx90a gfx942 gfx950 gfx1030)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/resident-${arch}.co)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_C_COMPILER} -x hip -nogpuinc -nogpulib --cuda-device-only --no-gpu-bundle-output -w
            --offload-arch=${arch} -O3 ${CMAKE_CURRENT_LIST_DIR}/kernels/resident.hip -o ${object}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/kernels/resident.hip)
  list(APPEND SG_RESIDENT_KERNELS ${object})
endforeach()
add_custom_target(sg-resident-kernels ALL DEPENDS ${SG_RESIDENT_KERNELS})
add_executable(test_sg_resident ${CMAKE_CURRENT_LIST_DIR}/resident.c)
target_link_libraries(test_sg_resident PRIVATE sg_loader cmocka m)
add_dependencies(test_sg_resident sg-resident-kernels)
add_test(NAME soft-gpu-isa-resident COMMAND test_sg_resident ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(soft-gpu-isa-resident PROPERTIES TIMEOUT 300)
