/* The sum of five elements of a picture whose rows are no multiple of a cache line: its edges, where lanes are missing, lie at many places of
 * one. */
#include "../../../hip-examples/common/example.h"

constexpr int W = 500, H = 400;

__global__ void edges(const float *in, float *out)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x > 0 && x < W - 1 && y > 0 && y < H - 1)
        out[y * W + x] =
            in[y * W + x] + in[y * W + x - 1] + in[y * W + x + 1] + in[(y - 1) * W + x] + in[(y + 1) * W + x];
}

int main()
{
    std::vector<float> in(W * H, 1), expected(W * H, 0), zero(W * H, 0);
    for (int y = 1; y < H - 1; y++)
        for (int x = 1; x < W - 1; x++)
            expected[y * W + x] = 5;
    DeviceArray<float> from(in), to(zero);
    edges<<<dim3((W + 31) / 32, H / 8), dim3(32, 8)>>>(from.get(), to.get());
    finish_launch();
    return verdict("edges", to.read(), expected);
}
