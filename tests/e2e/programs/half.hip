// Half precision through the HIP headers: values whose results are exact in 11 bits, and division by way of reciprocals.
#include <cstdio>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

__global__ void compute(float *out)
{
    __half two = __float2half(2), three = __float2half(3);
    __half2 pair = __floats2half2_rn(4, 8);
    out[0] = __half2float(__hfma(two, three, three)); // 2 * 3 + 3
    out[1] = __half2float(hrcp(two));
    out[2] = __low2float(h2rcp(pair));
    out[3] = __high2float(h2rcp(pair));
    out[4] = __half2float(hsqrt(__float2half(2.25f)));
    out[5] = __low2float(__hadd2(pair, pair));
}

int main()
{
    float *out;
    if (hipMallocManaged(&out, 6 * sizeof(*out)) != hipSuccess)
        return 1;
    compute<<<1, 1>>>(out);
    if (hipDeviceSynchronize() != hipSuccess)
        return 1;
    for (int i = 0; i < 6; i++)
        printf("%g\n", out[i]);
}
