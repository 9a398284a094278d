/* mpi_ranks - every rank scales its own part on the GPU, in as many work-groups as its rank and one; then all add up. Prints, from
 * rank 0, the sum over all ranks. */
#include <hip/hip_runtime.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

__global__ void scale(int *data)
{
    data[blockIdx.x * 64 + threadIdx.x] *= 2; // MARK
}

static void check(hipError_t e)
{
    if (e == hipSuccess)
        return;
    fprintf(stderr, "%s\n", hipGetErrorString(e));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    int rank, size;
    long own = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<int> host(64 * (rank + 1), rank + 1);
    int *device;
    size_t bytes = host.size() * sizeof(int);
    check(hipMalloc(&device, bytes));
    check(hipMemcpy(device, host.data(), bytes, hipMemcpyHostToDevice));
    scale<<<rank + 1, 64>>>(device);
    check(hipMemcpy(host.data(), device, bytes, hipMemcpyDeviceToHost));
    check(hipFree(device));
    for (int v : host)
        own += v;
    MPI_Reduce(&own, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank)
        printf("%d ranks: %ld\n", size, all);
    MPI_Finalize();
    return rank == size - 1 && argc > 1 ? atoi(argv[1]) : 0;
}
