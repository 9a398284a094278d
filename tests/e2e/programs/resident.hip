// As many work-groups as fit at once wait for each other, without a cooperative launch.
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void meet(unsigned *count)
{
    if (threadIdx.x == 0) {
        atomicAdd(count, 1u);
        while (__atomic_load_n(count, __ATOMIC_RELAXED) < gridDim.x)
            __builtin_amdgcn_s_sleep(8);
    }
}

int main()
{
    unsigned *count;
    int per_unit;
    hipDeviceProp_t properties;
    if (hipGetDeviceProperties(&properties, 0) || hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, meet, 64, 0))
        return 1;
    if (hipMallocManaged(&count, sizeof *count))
        return 1;
    *count = 0;
    meet<<<properties.multiProcessorCount * per_unit, 64>>>(count);
    if (hipDeviceSynchronize())
        return 1;
    printf("%u met\n", *count);
}
