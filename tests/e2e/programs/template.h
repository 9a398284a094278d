/* A kernel that two files of a program define; the linker keeps one. */
#pragma once
#include <hip/hip_runtime.h>

template <int N> __global__ void scale(float *p)
{
    p[threadIdx.x * N] *= 2; // SCALE
}
