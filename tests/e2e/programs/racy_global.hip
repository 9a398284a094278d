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

// The read is the same for all lanes: optimised, it is a scalar load.
__global__ void uniform_neighbour(int *a)
{
    int old = a[(blockIdx.x + 1) % GROUPS]; // uniform_neighbour: read
    if (threadIdx.x == 0)
        a[blockIdx.x] = old + 1;            // uniform_neighbour: write
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
        *flag = 1; // good_flag: write, everybody the same
}

// The same through image instructions.
__global__ void image_neighbour(hipSurfaceObject_t image, int *b)
{
    int x = (int)threadIdx.x, y = (int)blockIdx.x, v;
    surf2Dwrite(x, image, x * 4, y);                          // image_neighbour: write
    surf2Dread(&v, image, x * 4, (y + 1) % GROUPS);           // image_neighbour: read
    b[y * THREADS + x] = v;
}

__global__ void image_corner(hipSurfaceObject_t image)
{
    int v = (int)blockIdx.x;
    if (threadIdx.x == 0)
        surf2Dwrite(v, image, 0, 0);                          // image_corner: write
}

__global__ void good_image(hipSurfaceObject_t image, int *b)
{
    int x = (int)threadIdx.x, y = (int)blockIdx.x, v;
    surf2Dwrite(x + y, image, x * 4, y);
    __syncthreads();
    surf2Dread(&v, image, (x + 64) % THREADS * 4, y);
    b[y * THREADS + x] = v;
}

__global__ void good_image_flag(hipSurfaceObject_t image)
{
    int one = 1;
    surf2Dwrite(one, image, 0, 0);                            // good_image_flag: write
}

static bool images(int *b)
{
    hipArray *array;
    hipSurfaceObject_t image;
    hipChannelFormatDesc ints = hipCreateChannelDesc<int>();
    if (hipMallocArray(&array, &ints, THREADS, GROUPS) != hipSuccess)
        return false;
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    if (hipCreateSurfaceObject(&image, &resource) != hipSuccess)
        return false;
    hipLaunchKernelGGL(image_neighbour, dim3(GROUPS), dim3(THREADS), 0, 0, image, b);
    hipLaunchKernelGGL(image_corner, dim3(GROUPS), dim3(THREADS), 0, 0, image);
    hipLaunchKernelGGL(good_image, dim3(GROUPS), dim3(THREADS), 0, 0, image, b);
    hipLaunchKernelGGL(good_image_flag, dim3(GROUPS), dim3(THREADS), 0, 0, image);
    return hipDeviceSynchronize() == hipSuccess && hipDestroySurfaceObject(image) == hipSuccess &&
           hipFreeArray(array) == hipSuccess;
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
    hipLaunchKernelGGL(uniform_neighbour, dim3(GROUPS), dim3(THREADS), 0, 0, a);
    hipLaunchKernelGGL(good_rotate, dim3(GROUPS), dim3(THREADS), 0, 0, a, b);
    hipLaunchKernelGGL(good_last, dim3(GROUPS), dim3(THREADS), 0, 0, a, c, b);
    hipLaunchKernelGGL(good_flag, dim3(GROUPS), dim3(THREADS), 0, 0, a);
    if (hipDeviceSynchronize() != hipSuccess || !images(b))
        return 1;
    printf("done\n");
    return 0;
}
