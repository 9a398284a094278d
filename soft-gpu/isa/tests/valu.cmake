# Unit tests of vector instructions.
foreach(subject division modifiers matrix pairs)
  add_executable(test_sg_valu_${subject} ${CMAKE_CURRENT_LIST_DIR}/valu_${subject}.c)
  target_link_libraries(test_sg_valu_${subject} PRIVATE sg_isa gcn_assemble cmocka m)
  # The expected quotients are the host's.
  target_compile_options(test_sg_valu_${subject} PRIVATE -ffp-contract=off -fno-fast-math)
  add_test(NAME soft-gpu-isa-valu-${subject} COMMAND test_sg_valu_${subject})
endforeach()
