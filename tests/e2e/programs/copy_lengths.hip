/* Copies of structures of all lengths up to 64 bytes and of some longer ones, by each alignment: in memory, into LDS and out
 * of it. */
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
        l[t] = out[t + 64];
}

template <int BYTES, int ALIGN> static void run(char *m)
{
    if constexpr (BYTES % ALIGN == 0)
        copy<Item<BYTES, ALIGN>><<<1, 64>>>((Item<BYTES, ALIGN> *)m, (const Item<BYTES, ALIGN> *)(m + 65536));
}

template <int BYTES> static void all(char *m)
{
    run<BYTES, 4>(m), run<BYTES, 8>(m), run<BYTES, 16>(m);
    if constexpr (BYTES < 64)
        all<BYTES + 4>(m);
}

/* Lengths that are no multiples of 4. */
template <int... BYTES> static void odd(char *m)
{
    (run<BYTES, 1>(m), ...);
    (run<BYTES, 2>(m), ...);
}

template <int... BYTES> static void longer(char *m)
{
    (run<BYTES, 4>(m), ...);
    (run<BYTES, 8>(m), ...);
    (run<BYTES, 16>(m), ...);
}

int main()
{
    char *m;
    hipMalloc((void **)&m, 131072);
    hipMemset(m, 0, 131072);
    all<8>(m);
    longer<68, 72, 80, 100, 128, 256>(m);
    odd<5, 6, 7, 9, 10, 13, 14, 15, 17, 18, 19, 22, 23>(m);
    return hipDeviceSynchronize();
}
