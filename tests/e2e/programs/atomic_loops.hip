/* Atomics that the GPU, or the compiler for it, does not have: loops around a compare-and-swap of the word, or
 * branches by the kind of memory. One wavefront, and memory as it was: how often a loop goes round depends on both. */
#include <hip/hip_runtime.h>

#define AGENT __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT

/* Several lanes on one address, all on one, and none together; in a condition, in a loop. */
template <typename T> __global__ void add(T *out, int n)
{
    int t = threadIdx.x;
    __hip_atomic_fetch_add(&out[t & 3], (T)1, AGENT);
    __hip_atomic_fetch_add(&out[64 + t], (T)t, AGENT);
    if (t % 3 == 1)
        __hip_atomic_fetch_add(&out[5], (T)2, AGENT);
    for (int i = 0; i < n; i++)
        out[200 + t] += __hip_atomic_fetch_add(&out[8 + (t + i) % 5], (T)1, AGENT);
}

/* All lanes have one address: one of them does it for all where the compiler knows how. */
template <typename T> __global__ void one_address(T *out, int *counter, int n)
{
    int t = threadIdx.x;
    __hip_atomic_fetch_add(&out[2], (T)1, AGENT);
    __hip_atomic_fetch_add(&out[3], (T)t, AGENT);
    if (t > 20)
        __hip_atomic_fetch_add(&out[n], (T)3, AGENT);
    __hip_atomic_fetch_add(counter, 1, AGENT);
    if (t & 4)
        __hip_atomic_fetch_add(counter + 1, t, AGENT);
    out[100 + t] = __hip_atomic_fetch_add(&out[n + 1], (T)2, AGENT);
}

template <typename T> __global__ void in_lds(T *out, int n)
{
    __shared__ T l[128];
    int t = threadIdx.x;
    l[t] = (T)t, l[t + 64] = (T)0;
    __syncthreads();
    __hip_atomic_fetch_add(&l[t / 8], (T)1, AGENT);
    __hip_atomic_fetch_add(&l[n], (T)1, AGENT);
    T old = __hip_atomic_fetch_add(&l[64 + (t * 7 & 31)], (T)t, AGENT);
    __syncthreads();
    out[t] = l[t] + l[127 - t] + old;
}

template <typename T, int WHERE> __global__ void flat(T *out, int n)
{
    __shared__ T l[64];
    int t = threadIdx.x;
    l[t] = (T)0;
    __syncthreads();
    T *p = n == WHERE ? l : out, *q = t & 1 ? l : out + 64;
    __hip_atomic_fetch_add(&p[t / 4], (T)1, AGENT);
    __hip_atomic_fetch_add(&q[t / 4], (T)1, AGENT);
    __syncthreads();
    out[128 + t] = l[t];
}

__device__ void count(float *p, float value)
{
    __hip_atomic_fetch_add(p, value, AGENT);
}

/* Accesses of one line: of global memory, done by one lane, and of several kinds of memory at once. */
__global__ void kinds(float *out)
{
    __shared__ float l[8];
    int t = threadIdx.x;
    l[t & 7] = 0;
    __syncthreads();
    count(out, out[64 + t]);
    if (t < 16)
        count(out + t, l[t & 7]);
    count(t & 1 ? out + 40 : &l[3], 1);
    __syncthreads();
    out[128 + t] = l[t & 7];
}

template <typename T> __global__ void extremes(T *out)
{
    int t = threadIdx.x;
    __hip_atomic_fetch_max(&out[t & 7], (T)t, AGENT);
    __hip_atomic_fetch_min(&out[8 + (t & 1)], (T)(-t), AGENT);
    out[32 + t] = __hip_atomic_fetch_max(&out[16 + t / 16], (T)(t ^ 5), AGENT);
}

template <typename T> __global__ void narrow(T *out)
{
    __shared__ T l[64];
    int t = threadIdx.x;
    l[t] = (T)t;
    __syncthreads();
    __hip_atomic_fetch_add(&out[t & 7], (T)1, AGENT);
    __hip_atomic_fetch_xor(&out[8 + t], (T)t, AGENT);
    __hip_atomic_fetch_or(&l[t / 2], (T)4, AGENT);
    __hip_atomic_fetch_max(&l[t & 3], (T)t, AGENT);
    __hip_atomic_exchange(&out[80 + t / 2], (T)t, AGENT);
    T expected = (T)t;
    bool won = __hip_atomic_compare_exchange_strong(&l[t], &expected, (T)9, __ATOMIC_RELAXED, AGENT);
    __syncthreads();
    out[160 + t] = l[63 - t] + won;
}

template <typename T> __global__ void bits(T *out)
{
    __shared__ T l[64];
    int t = threadIdx.x;
    l[t] = (T)t;
    __syncthreads();
    __atomic_fetch_nand(&out[t & 3], (T)t, __ATOMIC_RELAXED);
    __atomic_fetch_nand(&l[t & 15], (T)t, __ATOMIC_RELAXED);
    __atomic_fetch_or(&out[8 + t / 2], (T)t, __ATOMIC_RELAXED);
    __atomic_fetch_max(&out[50 + t / 2], (T)t, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&out[100 + t / 2], (T)t, __ATOMIC_RELAXED);
    __syncthreads();
    out[128 + t] = l[t];
}

__device__ __attribute__((noinline)) void helper(float *p, double *q, int i)
{
    __hip_atomic_fetch_add(&p[i & 3], 1.f, AGENT);
    __hip_atomic_fetch_max(&q[i & 1], (double)i, AGENT);
}

__global__ void called(float *out)
{
    helper(out + 32, (double *)out, threadIdx.x);
}

template <typename... P, typename... A> static void run(void *memory, void (*kernel)(P...), A... arguments)
{
    hipMemset(memory, 0, 4096);
    kernel<<<1, 64>>>(arguments...);
}

template <typename T> static void both(char *m)
{
    T *out = (T *)m;
    run(m, add<T>, out, 3);
    run(m, one_address<T>, out, (int *)(m + 4000), 6);
    run(m, in_lds<T>, out, 5);
    run(m, flat<T, 1>, out, 1);
    run(m, flat<T, 2>, out, 1);
    run(m, extremes<T>, out);
}

int main()
{
    char *m;
    hipMalloc((void **)&m, 4096);
    both<float>(m);
    both<double>(m);
    run(m, flat<unsigned long long, 2>, (unsigned long long *)m, 2);
#if __clang_major__ > 15 /* which cannot select these */
    run(m, narrow<unsigned char>, (unsigned char *)m);
    run(m, narrow<short>, (short *)m);
#endif
    run(m, bits<int>, (int *)m);
    run(m, bits<unsigned long long>, (unsigned long long *)m);
    run(m, called, (float *)m);
    run(m, kinds, (float *)m);
    return hipDeviceSynchronize();
}
