// Work-groups that tell each other something, rightly and wrongly. `weak KERNEL` prints how many results are wrong;
// one group of kernels for each mistake, whose right form has the same name with `good_`.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>

constexpr int GROUPS = 24, THREADS = 64, ROUNDS = 8;

#define AGENT __HIP_MEMORY_SCOPE_AGENT
#define WORKGROUP __HIP_MEMORY_SCOPE_WORKGROUP

// The last work-group to arrive adds up what all have written.
template <bool FENCE> static __device__ void last_block(int *part, unsigned *arrived, int *result)
{
    __shared__ bool last;
    part[blockIdx.x * THREADS + threadIdx.x] = blockIdx.x + 1; // write: last block
    if (FENCE)
        __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = __hip_atomic_fetch_add(arrived, 1u, __ATOMIC_RELAXED, AGENT) == GROUPS - 1;
    __syncthreads();
    if (!last)
        return;
    if (FENCE)
        __threadfence();
    int sum = 0;
    for (int i = 0; i < GROUPS; i++)
        sum += part[i * THREADS + threadIdx.x]; // read: last block
    result[threadIdx.x] = sum;
}

__global__ void last_block_no_fence(int *part, unsigned *arrived, int *result)
{
    last_block<false>(part, arrived, result);
}

__global__ void good_last_block(int *part, unsigned *arrived, int *result)
{
    last_block<true>(part, arrived, result);
}

// Each work-group but the first waits for a flag of the one before it, and goes on with its data.
template <int LOAD, int STORE, int SCOPE_LOAD, int SCOPE_STORE>
static __device__ void chain(int *part, unsigned *flag, int *result)
{
    int *mine = part + blockIdx.x * THREADS, *before = mine - THREADS, seen = 0;
    if (blockIdx.x)
        seen = before[threadIdx.x] * 0; // so that its line is in the caches
    if (blockIdx.x) {
        while (__hip_atomic_load(&flag[16 * (blockIdx.x - 1)], LOAD, SCOPE_LOAD) == 0) // read: link flag
            __builtin_amdgcn_s_sleep(1);
        seen += before[threadIdx.x]; // read: chain
    }
    mine[threadIdx.x] = seen + 1; // write: chain
    __syncthreads();
    if (threadIdx.x == 0)
        __hip_atomic_store(&flag[16 * blockIdx.x], 1u, STORE, SCOPE_STORE); // write: link flag
    if (blockIdx.x == GROUPS - 1)
        result[threadIdx.x] = seen + 1;
}

__global__ void flag_polled_plainly(int *part, unsigned *flag, int *result)
{
    chain<__ATOMIC_RELAXED, __ATOMIC_RELEASE, WORKGROUP, AGENT>(part, flag, result);
}

__global__ void workgroup_scope(int *part, unsigned *flag, int *result)
{
    chain<__ATOMIC_ACQUIRE, __ATOMIC_RELEASE, WORKGROUP, WORKGROUP>(part, flag, result);
}

// What the kernel writes must not be constant to it: no fence invalidates the scalar cache.
__global__ void constant_written(int *part, unsigned *flag, int *result)
{
    auto *constant = (const int __attribute__((address_space(4))) *)(unsigned long long)part;
    int seen = 0;
    if (blockIdx.x) {
        __asm__ volatile("" ::"s"(constant[(blockIdx.x - 1) * 16]));
        while (__hip_atomic_load(&flag[16 * (blockIdx.x - 1)], __ATOMIC_ACQUIRE, AGENT) == 0)
            __builtin_amdgcn_s_sleep(1);
        __asm__ volatile("" : "+s"(constant));
        seen = constant[(blockIdx.x - 1) * 16]; // read: constant
    }
    part[blockIdx.x * 16] = seen + 1; // write: constant
    if (threadIdx.x == 0)
        __hip_atomic_store(&flag[16 * blockIdx.x], 1u, __ATOMIC_RELEASE, AGENT);
    if (blockIdx.x == GROUPS - 1)
        result[threadIdx.x] = seen + 1;
}

// Nothing but the flag: who polls it plainly waits for a line that stays in its L1.
template <int SCOPE> static __device__ void wait_for_flag(unsigned *flag, int *result)
{
    if (blockIdx.x == 0) {
        for (int i = 0; i < 200; i++)
            __builtin_amdgcn_s_sleep(1);
        __hip_atomic_store(flag, 1u, __ATOMIC_RELAXED, AGENT); // write: flag
    }
    while (__hip_atomic_load(flag, __ATOMIC_RELAXED, SCOPE) == 0) // read: flag
        __builtin_amdgcn_s_sleep(1);
    result[threadIdx.x] = GROUPS;
}

__global__ void flag_alone_polled_plainly(int *part, unsigned *flag, int *result)
{
    wait_for_flag<WORKGROUP>(flag, result);
}

__global__ void good_flag_alone(int *part, unsigned *flag, int *result)
{
    wait_for_flag<AGENT>(flag, result);
}

// Right where all units share one L2 and the line has not been in the L1; wrong between dies.
__global__ void producer_consumer(int *part, unsigned *flag, int *result)
{
    int seen = 0;
    if (blockIdx.x) {
        while (__hip_atomic_load(&flag[16 * (blockIdx.x - 1)], __ATOMIC_RELAXED, AGENT) == 0)
            __builtin_amdgcn_s_sleep(1);
        seen = __hip_atomic_load(&part[(blockIdx.x - 1) * THREADS + threadIdx.x], __ATOMIC_RELAXED, AGENT);
    }
    part[blockIdx.x * THREADS + threadIdx.x] = seen + 1; // write: producer
    __builtin_amdgcn_s_waitcnt(0);
    __syncthreads();
    if (threadIdx.x == 0)
        __hip_atomic_store(&flag[16 * blockIdx.x], 1u, __ATOMIC_RELAXED, AGENT);
    if (blockIdx.x == GROUPS - 1)
        result[threadIdx.x] = seen + 1;
}

__global__ void good_chain(int *part, unsigned *flag, int *result)
{
    chain<__ATOMIC_ACQUIRE, __ATOMIC_RELEASE, AGENT, AGENT>(part, flag, result);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*kernel)(int *, unsigned *, int *);
        int expected;
    } kernels[] = {
        {"last_block_no_fence", last_block_no_fence, GROUPS * (GROUPS + 1) / 2},
        {"good_last_block", good_last_block, GROUPS * (GROUPS + 1) / 2},
        {"flag_polled_plainly", flag_polled_plainly, GROUPS},
        {"workgroup_scope", workgroup_scope, GROUPS},
        {"producer_consumer", producer_consumer, GROUPS},
        {"good_chain", good_chain, GROUPS},
        {"flag_alone_polled_plainly", flag_alone_polled_plainly, GROUPS},
        {"good_flag_alone", good_flag_alone, GROUPS},
        {"constant_written", constant_written, GROUPS},
    };
    int *part, *result, out[THREADS], wrong = 0, known = 0;
    unsigned *words;
    if (hipMalloc(&part, GROUPS * THREADS * sizeof(int)) || hipMalloc(&words, GROUPS * 64) ||
        hipMalloc(&result, sizeof out))
        return 1;
    for (auto &k : kernels)
        for (int round = 0; round < ROUNDS && argc > 1 && !strcmp(k.name, argv[1]); round++, known++) {
            if (hipMemset(part, 0, GROUPS * THREADS * sizeof(int)) || hipMemset(words, 0, GROUPS * 64))
                return 1;
            k.kernel<<<GROUPS, THREADS>>>(part, words, result);
            if (hipMemcpy(out, result, sizeof out, hipMemcpyDeviceToHost))
                return 1;
            for (int value : out)
                wrong += value != k.expected;
        }
    printf("%d wrong\n", wrong);
    return known ? 0 : 2;
}
