// A stream for both compute units of a work-group processor, and one for half of it, which the driver refuses.
#include <hip/hip_runtime.h>
#include <cstdint>
#include <cstdio>

__global__ void nothing() {}

static bool runs(uint32_t mask)
{
    hipStream_t stream;
    if (hipExtStreamCreateWithCUMask(&stream, 1, &mask))
        return false;
    nothing<<<1, 1, 0, stream>>>();
    return hipStreamSynchronize(stream) == hipSuccess;
}

int main()
{
    printf("whole %d\n", runs(3));
    printf("half %d\n", runs(1));
}
