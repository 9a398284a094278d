/* Work-groups that find no place on the GPU, while those that have one wait: crowded MODE. Where the host can end that, it
 * does so after the software GPU has said on stderr that there is no progress, in as many lines as the second argument says. */
#include "check.h"
#include <unistd.h>
#include <vector>

/* count[0]: work-groups that have come. */
__global__ void meet(unsigned *count, volatile unsigned *go)
{
    if (threadIdx.x == 0) {
        atomicAdd(count, 1u);
        while (__atomic_load_n(count, __ATOMIC_RELAXED) < gridDim.x && !*go) // MEET
            __builtin_amdgcn_s_sleep(8);
    }
}

__global__ void waits(volatile unsigned *go, unsigned *here)
{
    if (threadIdx.x == 0)
        __hip_atomic_fetch_add(here, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    while (!*go) // WAITS
        __builtin_amdgcn_s_sleep(8);
}

__global__ void touch(unsigned *p)
{
    p[threadIdx.x] = threadIdx.x + 5;
}

static int messages = -1, terminal;

/* From here on stderr is a pipe, which hear() empties to the real one. */
static void listen()
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    messages = ends[0];
    terminal = dup(2);
    dup2(ends[1], 2);
}

static void hear(int lines)
{
    for (char byte; lines; lines -= byte == '\n')
        CHECK(read(messages, &byte, 1) == 1 && write(terminal, &byte, 1) == 1);
}

int main(int, char **argv)
{
    const char *mode = argv[1];
    const int lines = std::atoi(argv[2]);
    unsigned *device, *go, value;
    hipStream_t one, other;
    HIP(hipMalloc(&device, 4096));
    HIP(hipMemset(device, 0, 4096));
    HIP(hipHostMalloc(reinterpret_cast<void **>(&go), 4096, hipHostMallocCoherent));
    go[0] = go[1] = 0;
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    const unsigned units = properties.multiProcessorCount, full = units * 32;
    std::vector<uint32_t> half((units + 31) / 32);
    for (unsigned i = 0; i < units / 2; i++)
        half[i / 32] |= 1u << i % 32;
    const bool masked = !std::strcmp(mode, "mask");
    HIP(masked ? hipExtStreamCreateWithCUMask(&one, half.size(), half.data()) : hipStreamCreateWithFlags(&one, hipStreamNonBlocking));
    HIP(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    HIP(hipMemsetAsync(device + 1, 0, 4, other)); /* the queue of `other` is there */
    HIP(hipDeviceSynchronize());
    std::printf("launching\n");
    std::fflush(stdout);
    if (lines)
        listen();
    if (masked)
        meet<<<full, 64, 0, one>>>(device, go);
    else {
        waits<<<full, 64, 0, one>>>(go, go + 1);
        while (__atomic_load_n(go + 1, __ATOMIC_RELAXED) < full)
            usleep(1000);
        if (!std::strcmp(mode, "fill"))
            HIP(hipMemsetAsync(device + 2, 7, 4, other));
        else
            touch<<<1, 64, 0, other>>>(device);
    }
    hear(lines);
    *go = lines || !std::strcmp(mode, "launch"); /* that is: the launch has returned */
    hipError_t e = hipDeviceSynchronize();
    std::printf("synchronised: %s\n", hipGetErrorName(e));
    HIP(hipMemcpy(&value, device + (masked ? 0 : 2), sizeof value, hipMemcpyDeviceToHost));
    std::printf("%x\n", value);
    return e != hipSuccess;
}
