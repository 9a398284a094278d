#include "template.h"

__global__ void copy(float *p)
{
    p[threadIdx.x + 64] = p[threadIdx.x] + p[threadIdx.x * 2];
}

void other(float *p)
{
    copy<<<1, 64>>>(p);
    scale<3><<<1, 64>>>(p);
}
