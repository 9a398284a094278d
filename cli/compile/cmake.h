/*
 * cmake.h - the compiler that stands behind "lanescope" in a CMake project.
 */
#ifndef CLI_CMAKE_H
#define CLI_CMAKE_H

#include "cli/common/arguments.h"

/*
 * Where CXX="lanescope hipcc", CMake takes "lanescope" for the compiler and the rest for its first arguments.
 * It keeps both, but projects ask ${CMAKE_CXX_COMPILER} alone: Kokkos for --version, hip-config.cmake for the
 * compiler's libraries. Appends the words behind ours and returns true when this process was started by CMake
 * in such a project.
 */
bool cmake_compiler(struct arguments *words);

#endif
