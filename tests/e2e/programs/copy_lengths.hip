/* Copies of structures of all lengths up to 68 bytes, by each alignment: in memory, into LDS and out of it. */
#include <hip/hip_runtime.h>

template <int BYTES, int ALIGN> struct __attribute__((aligned(ALIGN))) Item {
    unsigned char b[BYTES];
};

template <typename T> __global__ void copy(T *out, const T *in)
{
    __shared__ T l[64];
    int t = threadIdx.x;
    out[t] = in[t ^ 1];
    l[t] = in[t + 64];
    __syncthreads();
    out[t + 64] = l[63 - t];
    if (t & 1)
        l[t] = out[t + 128];
}

template <int BYTES, int ALIGN> static void run(char *m)
{
    using T = Item<(BYTES + ALIGN - 1) / ALIGN * ALIGN, ALIGN>;
    if (BYTES % ALIGN == 0)
        copy<T><<<1, 64>>>((T *)m, (const T *)(m + 16384));
}

template <int BYTES> static void each(char *m)
{
    run<BYTES, 1>(m), run<BYTES, 2>(m), run<BYTES, 4>(m), run<BYTES, 8>(m), run<BYTES, 16>(m);
}

#ifndef STEP
#define STEP 4
#endif
template <int BYTES> static void all(char *m)
{
    each<BYTES>(m);
    if constexpr (BYTES + STEP <= 64)
        all<BYTES + STEP>(m);
}

int main()
{
    char *m;
    hipMalloc((void **)&m, 40000);
    hipMemset(m, 0, 40000);
#ifdef FIRST
    all<FIRST>(m);
#else
    all<12>(m);
#endif
    return hipDeviceSynchronize();
}
