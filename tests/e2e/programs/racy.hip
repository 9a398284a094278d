// Kernels with mistakes for the check to find, and kernels without. Lines that a finding must name are marked;
// arguments: the name of the only kernel to run, the exit code, and "sum" to print the sum of its results.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { THREADS = 256, GROUPS = 3 };

// The neighbouring wavefront's value, and nobody has waited for it.
__global__ void missing_barrier(int *out)
{
    __shared__ int a[THREADS];
    int t = threadIdx.x;
    a[t] = t;                       // missing_barrier: write
    int x = a[(t + 64) % THREADS];  // missing_barrier: read
    out[blockIdx.x * THREADS + t] = x;
}

// The barrier at the end of the loop is missing: the next turn overwrites what others still read.
__global__ void missing_second_barrier(int *out)
{
    __shared__ int a[THREADS];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 4; i++) {
        a[t] = t + i;                   // missing_second_barrier: write
        __syncthreads();
        sum += a[(t + 64) % THREADS];   // missing_second_barrier: read
    }
    out[blockIdx.x * THREADS + t] = sum;
}

__global__ void two_writers(int *out)
{
    __shared__ int a[64];
    int t = threadIdx.x;
    a[t % 64] = t;                  // two_writers: write
    __syncthreads();
    out[blockIdx.x * THREADS + t] = a[t % 64];
}

__global__ void early_histogram(int *out)
{
    __shared__ int bin[THREADS];
    int t = threadIdx.x;
    bin[t] = 0;
    __syncthreads();
    atomicAdd(&bin[t * 7 % THREADS], 1);           // early_histogram: atomic
    out[blockIdx.x * THREADS + t] = bin[t];        // early_histogram: read
}

__global__ void late_zero(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;                  // late_zero: write
    int before = atomicAdd(&count, 1);  // late_zero: atomic
    out[blockIdx.x * THREADS + threadIdx.x] = before >= 0;
}

__device__ inline void put(short *a, int i, short value)
{
    a[i] = value;                   // inlined: write
}
__device__ inline short get(const short *a, int i)
{
    return a[i];                    // inlined: read
}
__global__ void inlined(int *out)
{
    __shared__ short a[THREADS];
    put(a, threadIdx.x, (short)threadIdx.x);                                             // inlined: put
    out[blockIdx.x * THREADS + threadIdx.x] = get(a, (threadIdx.x + 100) % THREADS);     // inlined: get
}

__global__ void half_written(int *out)
{
    __shared__ int a[THREADS];
    int t = threadIdx.x;
    if (t % 2)
        a[t] = t;
    __syncthreads();
    out[blockIdx.x * THREADS + t] = a[t];   // half_written: read
}

// Lanes of one store, each its own number.
__global__ void lanes_contradict(int *out)
{
    __shared__ int winner;
    int t = threadIdx.x;
    if (t < 8)
        winner = t;                 // lanes_contradict: write
    __syncthreads();
    out[blockIdx.x * THREADS + t] = winner >= 0;
}

// ---- Nothing wrong with these. ----

__global__ void good_rotate(int *out)
{
    __shared__ int a[THREADS];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 4; i++) {
        a[t] = t + i;
        __syncthreads();
        sum += a[(t + 64) % THREADS];
        __syncthreads();
    }
    out[blockIdx.x * THREADS + t] = sum;
}

// Within a wavefront no barrier is needed.
__global__ void good_wavefront(int *out)
{
    __shared__ volatile int a[THREADS];
    int t = threadIdx.x;
    a[t] = t;
    out[blockIdx.x * THREADS + t] = a[t ^ 1];
}

__global__ void good_lock(int *out)
{
    __shared__ int lock, sum;
    int t = threadIdx.x;
    if (t == 0)
        lock = sum = 0;
    __syncthreads();
    if (t % 64 == 0) {
        while (atomicCAS(&lock, 0, 1))
            __builtin_amdgcn_s_sleep(1);
        __threadfence_block();
        sum += t;
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    out[blockIdx.x * THREADS + t] = sum;
}

// Whoever finds something says so; all say the same.
__global__ void good_flag(int *out)
{
    __shared__ int flag;
    int t = threadIdx.x;
    if (t == 0)
        flag = 0;
    __syncthreads();
    if (t % 3 == 0)
        flag = 1;                   // good_flag: write
    __syncthreads();
    out[blockIdx.x * THREADS + t] = flag;
}

__global__ void good_dynamic(int *out)
{
    extern __shared__ char bytes[];
    int t = threadIdx.x;
    bytes[t] = (char)t; // four wavefronts, no dword of two
    __syncthreads();
    out[blockIdx.x * THREADS + t] = bytes[THREADS - 1 - t];
}

static int *out;

template <typename K> static void run(const char *name, const char *wanted, K kernel, int threads = THREADS)
{
    if (wanted && strcmp(name, wanted))
        return;
    hipLaunchKernelGGL(kernel, dim3(GROUPS), dim3(threads), THREADS, 0, out);
    if (hipDeviceSynchronize() != hipSuccess)
        printf("%s failed\n", name);
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : nullptr;
    if (hipMalloc(reinterpret_cast<void **>(&out), GROUPS * THREADS * sizeof *out) != hipSuccess)
        return 1;
    run("missing_barrier", wanted, missing_barrier);
    run("missing_second_barrier", wanted, missing_second_barrier);
    run("two_writers", wanted, two_writers);
    run("early_histogram", wanted, early_histogram);
    run("late_zero", wanted, late_zero);
    run("inlined", wanted, inlined);
    run("half_written", wanted, half_written);
    run("lanes_contradict", wanted, lanes_contradict);
    run("good_rotate", wanted, good_rotate);
    run("good_wavefront", wanted, good_wavefront);
    run("good_lock", wanted, good_lock);
    run("good_flag", wanted, good_flag);
    run("good_dynamic", wanted, good_dynamic);
    printf("done\n");
    if (argc > 3) {
        int host[GROUPS * THREADS];
        long long sum = 0;
        if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
            return 1;
        for (int i = 0; i < GROUPS * THREADS; i++)
            sum += (long long)host[i] * (i % 101 + 1);
        printf("%lld\n", sum);
    }
    int code = argc > 2 ? atoi(argv[2]) : 3; // an exit code that must survive
    return hipFree(out) == hipSuccess ? code : 1;
}
