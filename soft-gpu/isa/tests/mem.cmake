# Tests of memory and LDS instructions.
foreach(part global private lds atomic fast log coverage once whole image image_formats image_samples image_rdna)
  add_executable(test_sg_mem_${part} ${CMAKE_CURRENT_LIST_DIR}/mem_${part}.c)
  target_link_libraries(test_sg_mem_${part} PRIVATE sg_isa gcn_assemble cmocka m)
  if(LANESCOPE_SANITIZE MATCHES thread)
    target_compile_definitions(test_sg_mem_${part} PRIVATE SG_THREADS_ALONE)
  endif()
  # "whole" looks at the engine's single instructions, which sanitizers replace.
  if(NOT (LANESCOPE_SANITIZE AND part STREQUAL "whole"))
    add_test(NAME soft-gpu-isa-mem-${part} COMMAND test_sg_mem_${part})
  endif()
endforeach()
