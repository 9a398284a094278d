// The kernel of the corpus: loads, a store, a loop, LDS and a barrier in few bytes, without HIP's headers.
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

extern "C" __global__ void k(int *in, int *out, int n)
{
    __shared__ int s[64];
    unsigned t = __builtin_amdgcn_workitem_id_x();
    s[t] = in[t];
    __builtin_amdgcn_s_barrier();
    for (int i = 0; i < n; i++)
        out[t] += s[(t + i) & 63];
}
