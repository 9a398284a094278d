/* strided_copy - copies every STRIDE-th float. With a stride of 32 floats each lane touches a cache line of its own. */
#include "../common/example.h"

template <int STRIDE> __global__ void strided_copy(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i * STRIDE];
}

template <int STRIDE> int run(const char *name)
{
    const int n = 4096;
    std::vector<float> in(n * STRIDE), expected(n);
    for (int i = 0; i < n * STRIDE; i++)
        in[i] = (float)(i % 8191);
    for (int i = 0; i < n; i++)
        expected[i] = in[i * STRIDE];
    DeviceArray<float> din(in), dout(n);
    strided_copy<STRIDE><<<n / 256, 256>>>(din.get(), dout.get(), n);
    finish_launch();
    return verdict(name, dout.read(), expected);
}

int main()
{
    return run<1>("strided_copy<1>") | run<2>("strided_copy<2>") | run<8>("strided_copy<8>") |
           run<32>("strided_copy<32>");
}
