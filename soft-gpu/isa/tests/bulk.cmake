# Dispatches done as a whole against the interpreter.
set(SG_BULK_KERNELS)
foreach(arch gfx90a gfx942 gfx950)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/bulk-${arch}.co)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_C_COMPILER} -x hip -nogpuinc -nogpulib --cuda-device-only --no-gpu-bundle-output
            --offload-arch=${arch} -O2 ${CMAKE_CURRENT_LIST_DIR}/kernels/bulk.hip -o ${object}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/kernels/bulk.hip)
  list(APPEND SG_BULK_KERNELS ${object})
endforeach()
add_custom_target(sg-bulk-kernels ALL DEPENDS ${SG_BULK_KERNELS})
add_executable(test_sg_bulk ${CMAKE_CURRENT_LIST_DIR}/bulk.c)
target_link_libraries(test_sg_bulk PRIVATE sg_loader cmocka m)
add_dependencies(test_sg_bulk sg-bulk-kernels)
add_test(NAME soft-gpu-isa-bulk COMMAND test_sg_bulk ${CMAKE_CURRENT_BINARY_DIR})
