/* gfx950 - what this GPU has beyond gfx942, in a program: swaps of half registers between rows, a matrix instruction of
 * K = 32, and more than 64 KB of LDS. Expected values are computed on the host. */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>

typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef float float4v __attribute__((ext_vector_type(4)));

/* v_permlane32_swap_b32: the upper half of the first register and the lower half of the second change places. */
__global__ void swap(unsigned *out)
{
#ifdef __gfx950__
    unsigned lane = threadIdx.x;
    auto r = __builtin_amdgcn_permlane32_swap(lane, 100 + lane, false, false);
    out[lane] = r[0];
    out[64 + lane] = r[1];
    auto s = __builtin_amdgcn_permlane16_swap(lane, 100 + lane, false, false);
    out[128 + lane] = s[0];
    out[192 + lane] = s[1];
#endif
}

/* D = A * B, 16 x 16 with K = 32. Lane l holds row l % 16 of A (column of B), k from 8 * (l / 16) on, and of D column
 * l % 16, rows from 4 * (l / 16) on. */
__global__ void matrix(const _Float16 *a, const _Float16 *b, float *d)
{
#ifdef __gfx950__
    unsigned lane = threadIdx.x, i = lane % 16, q = lane / 16;
    half8 x, y;
    for (unsigned k = 0; k < 8; k++) {
        x[k] = a[i * 32 + 8 * q + k];
        y[k] = b[(8 * q + k) * 16 + i];
    }
    float4v r = __builtin_amdgcn_mfma_f32_16x16x32_f16(x, y, float4v{0, 0, 0, 0}, 0, 0, 0);
    for (unsigned k = 0; k < 4; k++)
        d[(4 * q + k) * 16 + i] = r[k];
#endif
}

/* 100 KB of LDS, written by one wavefront and read by another. */
__global__ void large_lds(unsigned *out)
{
#ifdef __gfx950__
    __shared__ unsigned array[25600];
    for (unsigned i = threadIdx.x; i < 25600; i += blockDim.x)
        array[i] = 3 * i;
    __syncthreads();
    out[threadIdx.x] = array[25599 - 100 * threadIdx.x]; /* MEASURED */
#endif
}

static int verdict(const char *name, bool ok)
{
    std::printf("%s: %s\n", name, ok ? "PASSED" : "FAILED");
    return !ok;
}

template <typename T> static std::vector<T> read(const T *from, size_t n)
{
    std::vector<T> to(n);
    if (hipMemcpy(to.data(), from, n * sizeof(T), hipMemcpyDeviceToHost) != hipSuccess)
        std::exit(2);
    return to;
}

int main()
{
    char *memory;
    int failed = 0;
    if (hipMalloc(&memory, 65536) != hipSuccess)
        return 2;
    unsigned *u = (unsigned *)memory;
    swap<<<1, 64>>>(u);
    auto s = read(u, 256);
    bool ok = true;
    for (unsigned l = 0; l < 64; l++) {
        unsigned row = l / 16;
        ok &= s[l] == (l < 32 ? l : 100 + l - 32) && s[64 + l] == (l < 32 ? l + 32 : 100 + l);
        ok &= s[128 + l] == (row % 2 ? 100 + l - 16 : l) && s[192 + l] == (row % 2 ? 100 + l : l + 16);
    }
    failed |= verdict("swap", ok);

    std::vector<_Float16> a(512), b(512);
    for (int i = 0; i < 512; i++) {
        a[i] = (_Float16)(i % 7 - 3);
        b[i] = (_Float16)(i % 5 - 2);
    }
    _Float16 *da = (_Float16 *)memory, *db = da + 512;
    float *dd = (float *)(memory + 4096);
    if (hipMemcpy(da, a.data(), 1024, hipMemcpyHostToDevice) != hipSuccess ||
        hipMemcpy(db, b.data(), 1024, hipMemcpyHostToDevice) != hipSuccess)
        return 2;
    matrix<<<1, 64>>>(da, db, dd);
    auto d = read(dd, 256);
    ok = true;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            float sum = 0; /* small integers: exact in any order */
            for (int k = 0; k < 32; k++)
                sum += (float)a[i * 32 + k] * (float)b[k * 16 + j];
            ok &= d[i * 16 + j] == sum;
        }
    failed |= verdict("matrix", ok);

    large_lds<<<1, 256>>>(u);
    auto g = read(u, 256);
    ok = true;
    for (unsigned t = 0; t < 256; t++)
        ok &= g[t] == 3 * (25599 - 100 * t);
    failed |= verdict("large_lds", ok);
    return failed;
}
