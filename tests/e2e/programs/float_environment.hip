// An application that traps exceptions of floating point, flushes denormals and rounds toward zero. The kernel does what
// would trap, and what would come out otherwise; of itself the GPU does none of that.
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <hip/hip_runtime.h>
#include <xmmintrin.h>

__global__ void compute(const float *in, float *out)
{
    out[0] = in[0] / in[0];
    out[1] = in[1] / in[0];
    out[2] = in[2] * in[2];
    out[3] = in[3] + in[4];
    out[4] = in[1] + in[5];
}

int main()
{
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    _mm_setcsr(_mm_getcsr() | 0x8040 | _MM_ROUND_TOWARD_ZERO); // flush to zero, denormals are zero
    const unsigned bits[6] = {0, 0x3f800000, 0x7f000000, 0x00200000, 0x00100000, 0x33c00000};
    float *in, *out;
    if (hipMallocManaged(&in, sizeof bits) != hipSuccess || hipMallocManaged(&out, 5 * sizeof(*out)) != hipSuccess)
        return 1;
    memcpy(in, bits, sizeof bits);
    compute<<<1, 1>>>(in, out);
    if (hipDeviceSynchronize() != hipSuccess)
        return 2;
    unsigned result[5];
    memcpy(result, out, sizeof result);
    printf("%s %08x %08x %08x %08x\n", (result[0] & 0x7fffffff) > 0x7f800000 ? "nan" : "number", result[1], result[2],
           result[3], result[4]);
}
