/* Sites before and behind those of the template differ from the other file's. */
#include "template.h"

void other(float *p);

__global__ void first(float *p)
{
    p[threadIdx.x] = 1;
}

int main()
{
    float *p;
    if (hipMalloc((void **)&p, 4096))
        return 1;
    first<<<1, 64>>>(p);
    scale<3><<<1, 64>>>(p);
    other(p);
    return hipDeviceSynchronize();
}
