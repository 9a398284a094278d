# End-to-end tests under the installed, unmodified ROCr.
find_library(HSA_RUNTIME hsa-runtime64)
find_path(HSA_INCLUDE hsa/hsa_ext_amd.h)
find_program(ROCMINFO rocminfo)
if(ROCMINFO)
  add_test(NAME soft-gpu-rocminfo
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tests/check_rocminfo.sh $<TARGET_FILE:lanescope-softgpu>)
endif()
if(HSA_RUNTIME AND HSA_INCLUDE)
  add_executable(test_rocr tests/test_rocr.c tests/rocr.c tests/rocr_work.c tests/rocr_errors.c tests/rocr_processes.c)
  target_link_libraries(test_rocr PRIVATE lanescope_flags ${HSA_RUNTIME} pthread)
  target_include_directories(test_rocr SYSTEM PRIVATE ${HSA_INCLUDE})
  set(code_object ${CMAKE_CURRENT_BINARY_DIR}/kernels-gfx90a.co)
  set(other_code_object ${CMAKE_CURRENT_BINARY_DIR}/kernels-gfx90a-2.co)
  # -g: the fault reports name source lines.
  set(kernel_compiler ${CMAKE_C_COMPILER} --target=amdgcn-amd-amdhsa -mcpu=gfx90a -x cl -cl-std=CL2.0 -nogpulib -O2 -g
      -mcode-object-version=5 ${CMAKE_CURRENT_SOURCE_DIR}/tests/kernels.cl)
  add_custom_command(OUTPUT ${code_object} ${other_code_object}
    COMMAND ${kernel_compiler} -o ${code_object}
    COMMAND ${kernel_compiler} -DVERSION=2 -o ${other_code_object}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/kernels.cl)
  add_custom_target(rocr_test_kernels ALL DEPENDS ${code_object} ${other_code_object})
  foreach(name agent barrier copy rect lock reuse profile kernel reload error-illegal error-trap error-page error-jump error-packet
               exit-while-running quick-exit-while-running destroy-while-running fork-before fork-after again
               idle idle-without-userfaultfd stress)
    add_test(NAME soft-gpu-rocr-${name} COMMAND test_rocr ${name} ${code_object} ${other_code_object})
    set_tests_properties(soft-gpu-rocr-${name} PROPERTIES TIMEOUT 120
      ENVIRONMENT "LD_PRELOAD=$<TARGET_FILE:lanescope-softgpu>;HSA_ENABLE_INTERRUPT=1")
  endforeach()
  # Signals without interrupts, copies by shader: the other two modes of the runtime.
  add_test(NAME soft-gpu-rocr-polling COMMAND test_rocr stress ${code_object})
  add_test(NAME soft-gpu-rocr-shader-copy COMMAND test_rocr copy ${code_object})
  set_tests_properties(soft-gpu-rocr-polling PROPERTIES TIMEOUT 120
    ENVIRONMENT "LD_PRELOAD=$<TARGET_FILE:lanescope-softgpu>;HSA_ENABLE_INTERRUPT=0")
  set_tests_properties(soft-gpu-rocr-shader-copy PROPERTIES TIMEOUT 120
    ENVIRONMENT "LD_PRELOAD=$<TARGET_FILE:lanescope-softgpu>;HSA_ENABLE_SDMA=0")
  add_test(NAME soft-gpu-rocr-two-gpus COMMAND test_rocr two-gpus ${code_object})
  set_tests_properties(soft-gpu-rocr-two-gpus PROPERTIES TIMEOUT 120
    ENVIRONMENT "LD_PRELOAD=$<TARGET_FILE:lanescope-softgpu>;LANESCOPE_GPU=soft:gfx90ax2")
  set_tests_properties(soft-gpu-rocr-idle soft-gpu-rocr-idle-without-userfaultfd PROPERTIES RUN_SERIAL ON)
else()
  message(STATUS "libhsa-runtime-dev not found: no end-to-end tests of the software GPU")
endif()
