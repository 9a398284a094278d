# What gfx1100 has beside gfx1030.
add_executable(test_sg_gfx11 ${CMAKE_CURRENT_SOURCE_DIR}/tests/gfx11.c)
target_link_libraries(test_sg_gfx11 PRIVATE sg_isa sg_assemble cmocka m)
add_test(NAME soft-gpu-isa-gfx11 COMMAND test_sg_gfx11)
add_executable(test_sg_wmma ${CMAKE_CURRENT_SOURCE_DIR}/tests/wmma.c)
target_link_libraries(test_sg_wmma PRIVATE sg_isa sg_assemble cmocka m)
add_test(NAME soft-gpu-isa-wmma COMMAND test_sg_wmma)
