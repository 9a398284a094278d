/* A program that writes beside its own memory, where without a profiler nothing is: before and after a
 * buffer. */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>

enum { BEYOND = 1024, N = 16384, LATER = 1024 }; /* ints; whole pages, so that allocations touch */

__global__ void number(int *p, int from, int to)
{
    for (int i = from + static_cast<int>(threadIdx.x); i < to; i += 64)
        static_cast<volatile int *>(p)[i] = i; // STORE
}

#define CHECK(x)                                                                                             \
    if ((x) != hipSuccess)                                                                                   \
    return std::printf("failed: %s\n", #x), 1

int main()
{
    int *first, *buffer, *later;
    std::vector<int> host(N);
    CHECK(hipMalloc(&first, LATER * sizeof *first));
    CHECK(hipMalloc(&buffer, N * sizeof *buffer));
    number<<<1, 64>>>(buffer, -BEYOND, N + BEYOND);
    CHECK(hipDeviceSynchronize());
    CHECK(hipMalloc(&later, LATER * sizeof *later));
    CHECK(hipMemset(later, 0, LATER * sizeof *later));
    number<<<1, 64>>>(later, -BEYOND, LATER + BEYOND);
    CHECK(hipDeviceSynchronize());
    CHECK(hipMemcpy(host.data(), buffer, N * sizeof *buffer, hipMemcpyDeviceToHost));
    long sum = 0;
    for (int i = 0; i < N; i++)
        sum += host[i];
    std::printf("%td %td %ld\n", buffer - first, later - buffer, sum);
    return 0;
}
