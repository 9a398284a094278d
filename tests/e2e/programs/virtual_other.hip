/* The other file of virtual_main.hip: what its virtual functions do needs the size of the grid. */
#include "virtual.h"

namespace
{
struct Box : Shape {
    __device__ unsigned area(unsigned x) const override
    {
        return x * n + blockDim.x * 100;
    }
};

struct Disc : Shape {
    __device__ unsigned area(unsigned x) const override
    {
        return x + n * gridDim.x;
    }
};
} // namespace

__device__ unsigned long long box[2], disc[2];

__global__ void make(Shape **all)
{
    all[0] = new (box) Box;
    all[1] = new (disc) Disc;
    all[0]->n = 3;
    all[1]->n = 5;
}

int make_shapes(Shape **all)
{
    make<<<1, 1>>>(all);
    return hipDeviceSynchronize() != hipSuccess;
}
