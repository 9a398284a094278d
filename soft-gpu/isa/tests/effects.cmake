# What gcn/ says of instructions against what the engine does.
add_executable(test_sg_effects ${CMAKE_CURRENT_SOURCE_DIR}/tests/effects.c)
target_link_libraries(test_sg_effects PRIVATE sg_isa cmocka m)
add_test(NAME soft-gpu-isa-effects COMMAND test_sg_effects)
