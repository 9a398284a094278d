/* Work-groups, kernels and the host that wait for each other; cooperative groups. */
#include "check.h"
#include <hip/hip_cooperative_groups.h>
#include <vector>

namespace cg = cooperative_groups;

/* ---- Whole grid ---- */

__global__ void rotate(int *p, int *out, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        int value = p[(i + blockDim.x) % n];
        grid.sync();
        p[i] = value + 1;
        grid.sync();
    }
    out[i] = p[(i + 7) % n];
}

static void run_rotate(int groups, int size, int rounds)
{
    int n = groups * size, *p, *out;
    std::vector<int> host(n);
    HIP(hipMalloc(&p, n * 4));
    HIP(hipMalloc(&out, n * 4));
    for (int i = 0; i < n; i++)
        host[i] = i;
    HIP(hipMemcpy(p, host.data(), n * 4, hipMemcpyHostToDevice));
    void *arguments[] = {&p, &out, &rounds};
    HIP(hipLaunchCooperativeKernel(reinterpret_cast<void *>(rotate), dim3(groups), dim3(size), arguments, 0,
                                   nullptr));
    HIP(hipDeviceSynchronize());
    HIP(hipMemcpy(host.data(), out, n * 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(host[i] == (i + 7 + rounds * size) % n + rounds);
    HIP(hipFree(p));
    HIP(hipFree(out));
}

static void grid_sync()
{
    int cooperative = 0;
    HIP(hipDeviceGetAttribute(&cooperative, hipDeviceAttributeCooperativeLaunch, 0));
    CHECK(cooperative == 1);
    run_rotate(8, 128, 5);
    run_rotate(1, 64, 2);
    run_rotate(33, 256, 3);
    /* more than fit on the GPU at once */
    int *p = nullptr, rounds = 1;
    void *arguments[] = {&p, &p, &rounds};
    CHECK(hipLaunchCooperativeKernel(reinterpret_cast<void *>(rotate), dim3(1 << 20), dim3(64), arguments, 0,
                                     nullptr) == hipErrorCooperativeLaunchTooLarge);
    (void)hipGetLastError();
}

/* ---- Parts of a work-group ---- */

__global__ void tiles(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int sum = block.thread_rank(), t = block.thread_rank();
    for (int d = tile.size() / 2; d; d /= 2)
        sum += tile.shfl_down(sum, d);
    out[t] = tile.shfl(sum, 0);
    out[t + blockDim.x] = tile.shfl_xor(t, 5);
    out[t + 2 * blockDim.x] = __popcll(__ballot(t % 3 == 0));
    out[t + 3 * blockDim.x] = __shfl_up(t, 2, 32);
    out[t + 4 * blockDim.x] = __any(t == 70) + 2 * __all(t < 128);
    block.sync();
}

static void partitions()
{
    const int n = 128;
    int *out, host[5 * n];
    HIP(hipMalloc(&out, sizeof host));
    tiles<<<1, n>>>(out);
    HIP(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    for (int t = 0; t < n; t++) {
        int first = t / 16 * 16;
        CHECK(host[t] == 16 * first + 120); /* first + ... + first+15 */
        CHECK(host[n + t] == (t ^ 5));
        CHECK(host[2 * n + t] == (t < 64 ? 22 : 21)); /* multiples of 3 in 0..63 and 64..127 */
        CHECK(host[3 * n + t] == (t % 32 < 2 ? t : t - 2));
        CHECK(host[4 * n + t] == (t < 64 ? 2 : 3));
    }
    HIP(hipFree(out));
}

/* ---- Work-groups that wait for each other ---- */

/* Prefix sum with decoupled look-back, one number per work-item: a work-group publishes its sum (flag 1),
   then adds those of the groups before it until it meets an inclusive prefix (flag 2). */
__global__ void look_back(const unsigned *in, unsigned *out, unsigned long long *state, unsigned *ticket)
{
    __shared__ unsigned group, scan[256], before;
    unsigned t = threadIdx.x;
    if (t == 0)
        group = atomicAdd(ticket, 1);
    __syncthreads();
    scan[t] = in[group * 256 + t];
    __syncthreads();
    for (unsigned d = 1; d < 256; d *= 2) {
        unsigned add = t >= d ? scan[t - d] : 0;
        __syncthreads();
        scan[t] += add;
        __syncthreads();
    }
    if (t == 0) {
        unsigned sum = 0;
        __hip_atomic_store(&state[group], 1ull << 32 | scan[255], __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        for (int g = (int)group - 1; g >= 0; g--) {
            unsigned long long s;
            while (!(s = __hip_atomic_load(&state[g], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)))
                ;
            sum += (unsigned)s;
            if (s >> 32 == 2)
                break;
        }
        __hip_atomic_store(&state[group], 2ull << 32 | (sum + scan[255]), __ATOMIC_RELEASE,
                           __HIP_MEMORY_SCOPE_AGENT);
        before = sum;
    }
    __syncthreads();
    out[group * 256 + t] = before + scan[t];
}

static void decoupled_look_back()
{
    const unsigned groups = 64, n = groups * 256;
    std::vector<unsigned> host(n);
    unsigned *in, *out, *ticket, sum = 0;
    unsigned long long *state;
    HIP(hipMalloc(&in, n * 4));
    HIP(hipMalloc(&out, n * 4));
    HIP(hipMalloc(&state, groups * 8));
    HIP(hipMalloc(&ticket, 4));
    HIP(hipMemset(state, 0, groups * 8));
    HIP(hipMemset(ticket, 0, 4));
    for (unsigned i = 0; i < n; i++)
        host[i] = i * 2654435761u >> 24;
    HIP(hipMemcpy(in, host.data(), n * 4, hipMemcpyHostToDevice));
    look_back<<<groups, 256>>>(in, out, state, ticket);
    HIP(hipMemcpy(host.data(), out, n * 4, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < n; i++)
        CHECK(host[i] == (sum += i * 2654435761u >> 24));
}

/* The first lane of each wavefront takes a lock that all work-groups share, and counts without atomics. */
__global__ void locked_count(int *lock, volatile int *count, int rounds)
{
    if (threadIdx.x % 64)
        return;
    for (int r = 0; r < rounds; r++) {
        while (atomicCAS(lock, 0, 1) != 0)
            __builtin_amdgcn_s_sleep(1);
        __threadfence();
        *count = *count + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

static void spin_lock()
{
    int *words, host;
    HIP(hipMalloc(&words, 128));
    HIP(hipMemset(words, 0, 128));
    locked_count<<<16, 256>>>(words, words + 16, 20);
    HIP(hipMemcpy(&host, words + 16, 4, hipMemcpyDeviceToHost));
    CHECK(host == 16 * 4 * 20);
}

/* Work-group 0 waits for what the last one writes. */
__global__ void first_waits_for_last(int *flag, int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != 77)
            ;
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        __hip_atomic_store(flag, 77, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(out, 1);
}

static void later_work_group()
{
    int *words, host;
    HIP(hipMalloc(&words, 8));
    HIP(hipMemset(words, 0, 8));
    first_waits_for_last<<<300, 64>>>(words, words + 1);
    HIP(hipMemcpy(&host, words + 1, 4, hipMemcpyDeviceToHost));
    CHECK(host == 300);
}

/* Stream-K: equal shares of all steps of all tiles. A tile's first work-group adds what the later ones, which
 * may not even run yet, have summed of their parts. */
__global__ void stream_k(const int *in, int *out, int *partial, int *ready, int tiles, int steps)
{
    int all = tiles * steps, share = (all + gridDim.x - 1) / gridDim.x;
    int at = blockIdx.x * share, end = min(at + share, all);
    while (at < end) {
        int tile = at / steps, stop = min(end, (tile + 1) * steps), sum = 0;
        bool owns = at % steps == 0;
        for (; at < stop; at++)
            sum += in[at * blockDim.x + threadIdx.x];
        if (!owns) {
            partial[blockIdx.x * blockDim.x + threadIdx.x] = sum;
            __syncthreads();
            if (threadIdx.x == 0)
                __hip_atomic_store(&ready[blockIdx.x], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
            continue;
        }
        for (int other = blockIdx.x + 1; other * share < (tile + 1) * steps; other++) {
            while (!__hip_atomic_load(&ready[other], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
                ;
            sum += partial[other * blockDim.x + threadIdx.x];
        }
        out[tile * blockDim.x + threadIdx.x] = sum;
    }
}

static void stream_k_sums()
{
    const int tiles = 5, steps = 13, groups = 17,
              width = 64; /* 65 steps, 4 for each work-group but the last */
    std::vector<int> host(tiles * steps * width);
    int *in, *out, *partial, *ready;
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (int)(i * 2654435761u >> 20);
    HIP(hipMalloc(&in, host.size() * 4));
    HIP(hipMalloc(&out, tiles * width * 4));
    HIP(hipMalloc(&partial, groups * width * 4));
    HIP(hipMalloc(&ready, groups * 4));
    HIP(hipMemset(ready, 0, groups * 4));
    HIP(hipMemcpy(in, host.data(), host.size() * 4, hipMemcpyHostToDevice));
    stream_k<<<groups, width>>>(in, out, partial, ready, tiles, steps);
    std::vector<int> sums(tiles * width);
    HIP(hipMemcpy(sums.data(), out, tiles * width * 4, hipMemcpyDeviceToHost));
    for (int t = 0; t < tiles; t++)
        for (int i = 0; i < width; i++) {
            int want = 0;
            for (int k = 0; k < steps; k++)
                want += host[(t * steps + k) * width + i];
            CHECK(sums[t * width + i] == want);
        }
}

/* ---- Kernels and the host that wait for each other ---- */

__global__ void ping_pong(int *ball, int mine, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        while (__hip_atomic_load(ball, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) != 2 * r + mine)
            __builtin_amdgcn_s_sleep(1);
        __hip_atomic_store(ball, 2 * r + mine + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
    }
}

static void two_streams()
{
    hipStream_t a, b;
    int *ball, host;
    HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    HIP(hipMalloc(&ball, 4));
    HIP(hipMemset(ball, 0, 4));
    HIP(hipDeviceSynchronize());
    ping_pong<<<1, 1, 0, a>>>(ball, 1, 50); /* the later one serves */
    ping_pong<<<1, 1, 0, b>>>(ball, 0, 50);
    HIP(hipStreamSynchronize(a));
    HIP(hipStreamSynchronize(b));
    HIP(hipMemcpy(&host, ball, 4, hipMemcpyDeviceToHost));
    CHECK(host == 100);
    HIP(hipStreamDestroy(a));
    HIP(hipStreamDestroy(b));
}

static void host_flag()
{
    int *ball;
    HIP(hipHostMalloc(reinterpret_cast<void **>(&ball), 4, hipHostMallocMapped | hipHostMallocCoherent));
    *ball = 1; /* the host's turn */
    ping_pong<<<1, 1>>>(ball, 0, 20);
    for (int r = 0; r < 20; r++) {
        __atomic_store_n(ball, 2 * r, __ATOMIC_RELEASE);
        while (__atomic_load_n(ball, __ATOMIC_ACQUIRE) != 2 * r + 1)
            ;
    }
    HIP(hipDeviceSynchronize());
    CHECK(*ball == 39);
    HIP(hipHostFree(ball));
}

int main(int argc, char **argv)
{
    static const Test tests[] = {
        {"grid_sync", grid_sync},
        {"partitions", partitions},
        {"decoupled_look_back", decoupled_look_back},
        {"spin_lock", spin_lock},
        {"stream_k", stream_k_sums},
        {"later_work_group", later_work_group},
        {"two_streams", two_streams},
        {"host_flag", host_flag},
    };
    return run_tests(tests, argc, argv);
}
