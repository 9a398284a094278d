# What gfx12 has beside gfx11.
add_executable(test_sg_wmma_gfx12 ${CMAKE_CURRENT_SOURCE_DIR}/tests/wmma_gfx12.c)
target_link_libraries(test_sg_wmma_gfx12 PRIVATE sg_isa gcn_assemble cmocka m)
add_test(NAME soft-gpu-isa-wmma-gfx12 COMMAND test_sg_wmma_gfx12)
add_executable(test_sg_gfx12 ${CMAKE_CURRENT_SOURCE_DIR}/tests/gfx12.c)
target_link_libraries(test_sg_gfx12 PRIVATE sg_isa gcn_assemble cmocka m)
add_test(NAME soft-gpu-isa-gfx12 COMMAND test_sg_gfx12)
