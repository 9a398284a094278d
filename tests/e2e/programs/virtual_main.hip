/* Calls virtual functions of objects that the other file makes. The compiler sees none of them here, and nothing that needs the
 * size of the grid. */
#include "check.h"
#include "virtual.h"

__global__ void measure(unsigned *out, Shape **all)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = all[i & 1]->area(i);
}

int main()
{
    unsigned areas[128], *out;
    Shape **all;
    HIP(hipMalloc(&out, sizeof areas));
    HIP(hipMalloc(&all, 2 * sizeof *all));
    if (make_shapes(all))
        return 1;
    measure<<<2, 64>>>(out, all);
    HIP(hipMemcpy(areas, out, sizeof areas, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < 128; i++)
        if (areas[i] != (i & 1 ? i + 5 * 2 : i * 3 + 64 * 100)) {
            printf("FAILED: %u: %u\n", i, areas[i]);
            return 1;
        }
    printf("PASSED\n");
    return 0;
}
