# Dispatches done as a whole against the interpreter: kernels written for it, and random ones.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(random ${CMAKE_CURRENT_BINARY_DIR}/bulk-random.hip)
add_custom_command(OUTPUT ${random}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/bulk_random.py 1 60 > ${random}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/bulk_random.py)
set(SG_BULK_KERNELS)
# On gfx9 dispatches are done as a whole; on gfx10 none are.
set(bulk_gpus ${LANESCOPE_GPUS_SETS})
list(FILTER bulk_gpus INCLUDE REGEX "^gfx9")
foreach(arch IN LISTS bulk_gpus)
  foreach(source ${CMAKE_CURRENT_LIST_DIR}/kernels/bulk.hip ${random})
    get_filename_component(name ${source} NAME_WE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}-${arch}.co)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_C_COMPILER} -x hip -nogpuinc -nogpulib --cuda-device-only --no-gpu-bundle-output -w
              --offload-arch=${arch} -O2 ${source} -o ${object}
      DEPENDS ${source})
    list(APPEND SG_BULK_KERNELS ${object})
  endforeach()
endforeach()
add_custom_target(sg-bulk-kernels ALL DEPENDS ${SG_BULK_KERNELS})
add_executable(test_sg_bulk ${CMAKE_CURRENT_LIST_DIR}/bulk.c)
target_link_libraries(test_sg_bulk PRIVATE sg_loader cmocka m)
add_dependencies(test_sg_bulk sg-bulk-kernels)
add_test(NAME soft-gpu-isa-bulk COMMAND test_sg_bulk ${CMAKE_CURRENT_BINARY_DIR} ${bulk_gpus})
