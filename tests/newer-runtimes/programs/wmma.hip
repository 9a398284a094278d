/* Matrix products of gfx11 by the compiler's builtins, and on gfx1151 scalar floating point, against the host's: small numbers,
 * which every format holds exactly. */
#include <hip/hip_runtime.h>
#include <cmath>
#include <cstdio>

typedef _Float16 half16 __attribute__((ext_vector_type(16)));
typedef float float8 __attribute__((ext_vector_type(8)));
typedef int int4v __attribute__((ext_vector_type(4)));
typedef int int8v __attribute__((ext_vector_type(8)));

__global__ void halves(const _Float16 *a, const _Float16 *b, float *d)
{
    const int lane = threadIdx.x % 16;
    half16 x, y;
    float8 c = {};
    for (int k = 0; k < 16; k++) {
        x[k] = a[lane * 16 + k];
        y[k] = b[k * 16 + lane];
    }
    c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x, y, c);
    for (int e = 0; e < 8; e++)
        d[(2 * e + threadIdx.x / 16) * 16 + lane] = c[e];
}

__global__ void bytes(const signed char *a, const signed char *b, int *d)
{
    const int lane = threadIdx.x % 16;
    union {
        int4v v;
        signed char e[16];
    } x, y;
    int8v c = {};
    for (int k = 0; k < 16; k++) {
        x.e[k] = a[lane * 16 + k];
        y.e[k] = b[k * 16 + lane];
    }
    c = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, x.v, true, y.v, c, false);
    for (int e = 0; e < 8; e++)
        d[(2 * e + threadIdx.x / 16) * 16 + lane] = c[e];
}

__global__ void uniform(float *out, float a, float b, int n)
{
    float sum = a;
    for (int i = 0; i < n; i++)
        sum = sum * b + (float)i;
    out[threadIdx.x] = sum + floorf(a * 1.5f);
}

int main()
{
    _Float16 *a, *b;
    signed char *p, *q;
    float *d;
    int *r, wrong = 0;
    if (hipMallocManaged(&a, 512) || hipMallocManaged(&b, 512) || hipMallocManaged(&d, 1024) || hipMallocManaged(&p, 256) ||
        hipMallocManaged(&q, 256) || hipMallocManaged(&r, 1024))
        return 1;
    for (int i = 0; i < 256; i++) {
        a[i] = (_Float16)(i * 7 % 11 - 5);
        b[i] = (_Float16)(i * 5 % 13 - 6);
        p[i] = i * 37 % 251 - 125;
        q[i] = i * 91 % 241 - 120;
    }
    halves<<<1, 32>>>(a, b, d);
    bytes<<<1, 32>>>(p, q, r);
    if (hipDeviceSynchronize())
        return 1;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            float s = 0;
            int t = 0;
            for (int k = 0; k < 16; k++) {
                s += (float)a[i * 16 + k] * (float)b[k * 16 + j];
                t += p[i * 16 + k] * q[k * 16 + j];
            }
            wrong += s != d[i * 16 + j];
            wrong += t != r[i * 16 + j];
        }
    uniform<<<1, 32>>>(d, 1.25f, 0.5f, 10);
    if (hipDeviceSynchronize())
        return 1;
    float sum = 1.25f;
    for (int i = 0; i < 10; i++)
        sum = sum * 0.5f + (float)i;
    wrong += d[5] != sum + std::floor(1.25f * 1.5f);
    std::printf("%s: %d wrong\n", wrong ? "FAILED" : "PASSED", wrong);
    return wrong != 0;
}
