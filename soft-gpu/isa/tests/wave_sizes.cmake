# gfx1030 in both wavefront sizes.
add_executable(test_sg_wave_sizes ${CMAKE_CURRENT_SOURCE_DIR}/tests/wave_sizes.c)
target_link_libraries(test_sg_wave_sizes PRIVATE sg_isa gcn_assemble cmocka m)
add_test(NAME soft-gpu-isa-wave-sizes COMMAND test_sg_wave_sizes)
