/* kernels.h - the kernels of kernels.c and of the generated random_kernels.c, for the driver. */
#ifndef TESTS_KERNELS_KERNELS_H
#define TESTS_KERNELS_KERNELS_H

#include "device.h"

#define KERNEL_LIST(X)                                                                                       \
    X(int_basic)                                                                                             \
    X(int_divide)                                                                                            \
    X(int_64)                                                                                                \
    X(float_basic)                                                                                           \
    X(float_divide)                                                                                          \
    X(double_basic)                                                                                          \
    X(half_basic)                                                                                            \
    X(divergence)                                                                                            \
    X(mandelbrot)                                                                                            \
    X(widths)                                                                                                \
    X(lds_reduce)                                                                                            \
    X(lds_mixed)                                                                                             \
    X(matmul)                                                                                                \
    X(histogram)                                                                                             \
    X(atomics)                                                                                               \
    X(scratch_array)                                                                                         \
    X(calls)                                                                                                 \
    X(indirect)                                                                                              \
    X(dynamic_index)                                                                                         \
    X(flat_pointers)                                                                                         \
    X(long_hash)

#endif
