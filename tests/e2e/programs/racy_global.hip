// Kernels whose work-groups race in global memory, and kernels that do not. Lines to be found are marked.
#include <hip/hip_runtime.h>
#include <cstdio>

enum { THREADS = 256, GROUPS = 4, ITEMS = THREADS * GROUPS };

__global__ void plain_sum(int *sum)
{
    int old = sum[threadIdx.x];                     // plain_sum: read
    sum[threadIdx.x] = old + (int)blockIdx.x + 1;   // plain_sum: write
}

__global__ void neighbour(int *a, int *b)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    a[i] = i;                               // neighbour: write
    b[i] = a[(i + THREADS) % ITEMS];        // neighbour: read
}

// The wavefronts of a work-group wait for each other; other work-groups' items are not touched.
__global__ void good_rotate(int *a, int *b)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    a[i] = i;
    __syncthreads();
    b[i] = a[blockIdx.x * THREADS + (threadIdx.x + 64) % THREADS];
}

// The last work-group adds up what all have written.
__global__ void good_last(int *part, int *counter, int *sum)
{
    __shared__ int ticket;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = (int)blockIdx.x;
        __threadfence();
        ticket = atomicAdd(counter, 1);
    }
    __syncthreads();
    if (ticket == GROUPS - 1 && threadIdx.x == 0)
        for (int i = 0; i < GROUPS; i++)
            *sum += part[i];
}

__global__ void good_flag(int *flag)
{
    if (threadIdx.x % 3 == 0)
        *flag = 1; // everybody the same
}

int main()
{
    int *a, *b, *c;
    if (hipMalloc(reinterpret_cast<void **>(&a), ITEMS * 4) != hipSuccess ||
        hipMalloc(reinterpret_cast<void **>(&b), ITEMS * 4) != hipSuccess ||
        hipMalloc(reinterpret_cast<void **>(&c), 4) != hipSuccess || hipMemset(a, 0, ITEMS * 4) != hipSuccess ||
        hipMemset(b, 0, ITEMS * 4) != hipSuccess || hipMemset(c, 0, 4) != hipSuccess)
        return 1;
    hipLaunchKernelGGL(plain_sum, dim3(GROUPS), dim3(THREADS), 0, 0, a);
    hipLaunchKernelGGL(neighbour, dim3(GROUPS), dim3(THREADS), 0, 0, a, b);
    hipLaunchKernelGGL(good_rotate, dim3(GROUPS), dim3(THREADS), 0, 0, a, b);
    hipLaunchKernelGGL(good_last, dim3(GROUPS), dim3(THREADS), 0, 0, a, c, b);
    hipLaunchKernelGGL(good_flag, dim3(GROUPS), dim3(THREADS), 0, 0, a);
    if (hipDeviceSynchronize() != hipSuccess)
        return 1;
    printf("done\n");
    return 0;
}
