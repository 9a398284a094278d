/* transposed - loads that exchange rows and columns (gfx12): each of three wavefronts loads a matrix of 16 x 16 elements and
 * gets its columns; soft-gpu/isa/memory/mem_cross.c tells which lane loads what. */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>

typedef short Halves __attribute__((ext_vector_type(8)));
typedef int Bytes __attribute__((ext_vector_type(2)));
#define GLOBAL(TYPE, p) ((__attribute__((address_space(1))) TYPE *)(p))

enum { WAVES = 3, ELEMENTS = 256 };

/* Element e of lane l: column l % 16, row 8 * (l / 16) + e. */
__global__ void halves(short *out, const short *in)
{
#ifdef __GFX12__
    const unsigned l = threadIdx.x % 32, wave = threadIdx.x / 32;
    const short *at = in + wave * ELEMENTS + (8 * (l / 16) + l % 8) * 16 + 8 * (l / 8 % 2);
    Halves x = __builtin_amdgcn_global_load_tr_b128_v8i16(GLOBAL(Halves, at)); /* MEASURED */
    for (unsigned e = 0; e < 8; e++)
        out[wave * ELEMENTS + (8 * (l / 16) + e) * 16 + l % 16] = x[e];
#endif
}

__global__ void bytes(unsigned char *out, const unsigned char *in)
{
#ifdef __GFX12__
    const unsigned l = threadIdx.x % 32, wave = threadIdx.x / 32;
    const unsigned char *at = in + wave * ELEMENTS + (4 * (l / 8) + l % 4) * 16 + 8 * (l / 4 % 2);
    Bytes x = __builtin_amdgcn_global_load_tr_b64_v2i32(GLOBAL(Bytes, at)); /* COUNTED */
    for (unsigned e = 0; e < 8; e++)
        out[wave * ELEMENTS + (8 * (l / 16) + e) * 16 + l % 16] =
            (unsigned char)((unsigned)x[e / 4] >> e % 4 * 8);
#endif
}

template <typename T> static bool same(void (*kernel)(T *, const T *))
{
    std::vector<T> in(WAVES * ELEMENTS), out(in.size());
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (T)(i * 5);
    T *from, *to;
    const size_t n = in.size() * sizeof(T);
    if (hipMalloc(&from, n) != hipSuccess || hipMalloc(&to, n) != hipSuccess ||
        hipMemcpy(from, in.data(), n, hipMemcpyHostToDevice) != hipSuccess)
        return false;
    kernel<<<1, 32 * WAVES>>>(to, from);
    return hipMemcpy(out.data(), to, n, hipMemcpyDeviceToHost) == hipSuccess && in == out;
}

int main()
{
    if (!same(halves) || !same(bytes)) {
        std::printf("transposed: FAILED\n");
        return 1;
    }
    std::printf("transposed: PASSED\n");
    return 0;
}
