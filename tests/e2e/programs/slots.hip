// Launches one after the other, each with arguments and a grid of its own, between which nothing is asked of the runtime: the
// host sees by its own memory that one is done. So nothing but their own packets acquires, and what Lanescope keeps for a launch
// is used again by the next one.
#include "check.h"

#include <unistd.h>

__global__ void put(int *out, int i, int value)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        __hip_atomic_store(&out[i], value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

int main()
{
    enum { N = 60, LOOKS = 100, NAP_US = 1000, REST_US = 3000 };
    int *out, wrong = 0;
    HIP(hipHostMalloc((void **)&out, N * sizeof *out));
    for (int i = 0; i < N; i++)
        out[i] = 0;
    for (int i = 0; i < N; i++) {
        put<<<1 + i % 3, 64>>>(out, i, 7 * i + 1);
        for (int looks = 0; looks < LOOKS && !__atomic_load_n(&out[i], __ATOMIC_ACQUIRE); looks++)
            usleep(NAP_US);
        usleep(REST_US); // until Lanescope has taken back what the launch used
    }
    for (int i = 0; i < N; i++)
        wrong += out[i] != 7 * i + 1;
    printf("%d wrong\n", wrong);
    return 0;
}
