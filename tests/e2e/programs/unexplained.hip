/* Memory instructions that no probe sees: inline assembly, in a loop with a load, and where nothing else is. */
#include <hip/hip_runtime.h>

__global__ void hidden(const int *in, int *out, int n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0, raw;
    for (int i = 0; i < n; i++) {
        asm volatile("global_load_dword %0, %1, off\n s_waitcnt vmcnt(0)" : "=v"(raw) : "v"(in + t)); // IN_LOOP
        sum += raw + in[t * 2 + i]; // COUNTED
    }
    if (n < 0)
        asm volatile("ds_read_b64 v[0:1], %0\n s_waitcnt lgkmcnt(0)" ::"v"(0) : "v0", "v1"); // NEVER
    out[t] = sum;
}

/* Half of the lanes read the work-group's size from the dispatch packet, the others the grid's: hidden arguments, at an address of
 * each lane's own, as blockDim is read with -fno-offload-uniform-block. */
__global__ void sizes(unsigned *out)
{
    auto packet = (__attribute__((address_space(4))) const unsigned short *)__builtin_amdgcn_dispatch_ptr();
    out[blockIdx.x * 128 + threadIdx.x] = packet[threadIdx.x % 2 ? 2 : 6]; // ARGUMENTS
}

int main()
{
    int *in, *out;
    if (hipMalloc(&in, 1 << 14) || hipMalloc(&out, 1 << 14))
        return 1;
    for (int round = 0; round < 2; round++) {
        hidden<<<3, 128>>>(in, out, 5);
        sizes<<<3, 128>>>((unsigned *)in);
    }
    return hipDeviceSynchronize() ? 2 : 0;
}
