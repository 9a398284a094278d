// A wavefront a row, of a length that is no multiple of 64: some lanes make a turn more than the others. And rows that are checked
// for where they end, and lanes for whether they have one.
#include <hip/hip_runtime.h>
#include <stdio.h>

enum { ROWS = 1000, COLUMNS = 104 };

__global__ void parting(const int *in, int *out, int columns)
{
    int sum = 0;
    for (int i = threadIdx.x; i < columns; i += 64)
        sum += in[blockIdx.x * columns + i];
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

__global__ void checked(const int *in, int *out, int columns, int rows)
{
    const int x = threadIdx.x & 15, row = blockIdx.x * 4 + (threadIdx.x >> 4);
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < (columns + 15) / 16; k++)
        sum += row < rows && k * 16 + x < columns ? in[row * columns + k * 16 + x] : 1;
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

int main()
{
    static int host[ROWS * COLUMNS];
    int *in, *out;
    unsigned long sum = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        host[i] = i * 31 >> 3;
    if (hipMalloc(&in, sizeof host) || hipMalloc(&out, sizeof host) || hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice))
        return 1;
    for (int launches = 0; launches < 2; launches++) {
        parting<<<ROWS, 64>>>(in, out, COLUMNS);
        checked<<<ROWS / 4, 64>>>(in, out, COLUMNS, ROWS - 2);
    }
    if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < ROWS * 64; i++)
        sum = sum * 31 + host[i];
    printf("%lu\n", sum);
    return 0;
}
