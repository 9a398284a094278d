// A library of headers in the manner of Kokkos: views, and a kernel that calls the user's functor.
#pragma once
#include <hip/hip_runtime.h>

namespace mylib {

template <class T, int Stride> struct View {
    T *data;
    __device__ T get(int i) const { return data[i * Stride]; }
    __device__ void set(int i, T x) const { data[i * Stride] = x; }
};

template <class Functor, class... Traits> struct ParallelForImplementationOfTheLibrary {
    Functor functor;
    __device__ void execute(int i) const { functor(i); }
};

template <class Implementation> __global__ void launch_kernel_of_the_library(Implementation driver)
{
    driver.execute(blockIdx.x * blockDim.x + threadIdx.x);
}

template <class Functor> void parallel_for(int n, const Functor &functor)
{
    ParallelForImplementationOfTheLibrary<Functor, int, float, double, char> driver{functor};
    launch_kernel_of_the_library<<<n / 64, 64>>>(driver);
}

} // namespace mylib
