// Says where each work-group ran, as the kernel itself reads it from the hardware registers: HW_ID and, on GPUs of several dies,
// XCC_ID (CDNA3 ISA document, "Hardware Registers").
#include <hip/hip_runtime.h>
#include <cstdio>
#include <set>
#include <vector>

__global__ void where(unsigned *id, unsigned *xcc)
{
#ifdef __GFX10__
    id[blockIdx.x] = __builtin_amdgcn_s_getreg(23 | 31 << 11);
#else
    id[blockIdx.x] = __builtin_amdgcn_s_getreg(4 | 31 << 11);
#endif
#if defined(__gfx942__) || defined(__gfx950__)
    xcc[blockIdx.x] = __builtin_amdgcn_s_getreg(20 | 31 << 11);
#else
    xcc[blockIdx.x] = 0;
#endif
}

#ifdef __GFX10__
/* HW_ID1 of each of four wavefronts of a work-group (RDNA 2 ISA document, "Hardware Registers"). */
__global__ void waves(unsigned *id)
{
    id[blockIdx.x * 4 + threadIdx.x / 32] = __builtin_amdgcn_s_getreg(23 | 31 << 11);
}
#endif

int main()
{
    constexpr unsigned groups = 700;
    unsigned *id, *xcc;
    hipDeviceProp_t properties;
    if (hipGetDeviceProperties(&properties, 0) || hipMallocManaged(&id, groups * 4) || hipMallocManaged(&xcc, groups * 4))
        return 1;
    where<<<groups, 64>>>(id, xcc);
    if (hipDeviceSynchronize())
        return 1;
    std::set<std::vector<unsigned>> units;
    for (unsigned i = 0; i < groups; i++)
        units.insert({xcc[i], id[i] >> 13 & 7, id[i] >> 12 & 1, id[i] >> 8 & 15});
    printf("properties %d kernel %zu\n", properties.multiProcessorCount, units.size());
    for (auto &u : units)
        printf("unit %u %u %u %u\n", u[0], u[1], u[2], u[3]);
}
