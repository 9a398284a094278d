# The wavefront size as a parameter.
add_executable(test_sg_wave_lanes ${CMAKE_CURRENT_LIST_DIR}/wave_lanes.c)
target_link_libraries(test_sg_wave_lanes PRIVATE sg_isa gcn_assemble cmocka m)
add_test(NAME soft-gpu-isa-wave-lanes COMMAND test_sg_wave_lanes)
# Handlers for the lower half of rows.
add_executable(test_sg_low ${CMAKE_CURRENT_LIST_DIR}/low.c)
target_link_libraries(test_sg_low PRIVATE sg_isa cmocka m)
target_compile_options(test_sg_low PRIVATE -march=x86-64-v3)
add_test(NAME soft-gpu-isa-low COMMAND test_sg_low)
