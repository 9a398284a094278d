/* vector_add - c = a + b. The access pattern that everything else is measured against: each wavefront reads and writes
 * consecutive floats. */
#include "../common/example.h"

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main()
{
    const int n = 10000; /* not a multiple of the work-group: the last wavefront is partly idle */
    std::vector<float> a(n), b(n), expected(n);
    for (int i = 0; i < n; i++) {
        a[i] = 0.5f * i;
        b[i] = 3.0f - i;
        expected[i] = a[i] + b[i];
    }
    DeviceArray<float> da(a), db(b), dc(n);
    vector_add<<<(n + 255) / 256, 256>>>(da.get(), db.get(), dc.get(), n);
    finish_launch();
    return verdict("vector_add", dc.read(), expected);
}
