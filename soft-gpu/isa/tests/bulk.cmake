# Dispatches done as a whole against the interpreter: kernels written for it, and random ones.
set(random ${CMAKE_CURRENT_BINARY_DIR}/bulk-random.hip)
add_custom_command(OUTPUT ${random}
  COMMAND ${LANESCOPE_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/bulk_random.py 1 60 > ${random}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/bulk_random.py)
set(SG_BULK_KERNELS)
# On gfx9 dispatches are done as a whole; on gfx10 none are.
set(bulk_gpus ${LANESCOPE_GPUS_SETS})
list(FILTER bulk_gpus INCLUDE REGEX "^gfx9")
if(LANESCOPE_SANITIZE) # the same code of ours
  set(bulk_gpus gfx90a)
endif()
foreach(arch IN LISTS bulk_gpus)
  foreach(source ${CMAKE_CURRENT_LIST_DIR}/kernels/bulk.hip ${random})
    get_filename_component(name ${source} NAME_WE)
    sg_kernels(SG_BULK_KERNELS ${name}-${arch} ${arch} ${source} -O2)
  endforeach()
endforeach()
sg_kernel_test(bulk SG_BULK_KERNELS ${CMAKE_CURRENT_BINARY_DIR} ${bulk_gpus})
if(LANESCOPE_SANITIZE MATCHES thread)
  target_compile_definitions(test_sg_bulk PRIVATE SG_THREADS_ALONE)
endif()
