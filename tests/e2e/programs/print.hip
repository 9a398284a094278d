// A kernel that prints: it calls what the compiler does not see through, and needs all hidden arguments.
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void speak(int value)
{
    printf("lane %d of %d\n", (int)threadIdx.x, value);
}

int main()
{
    speak<<<1, 3>>>(42);
    return hipDeviceSynchronize() != hipSuccess;
}
