// A kernel that calls what its argument points to.
#define __global__ __attribute__((global))
extern "C" __global__ void far(int *out, int (*f)(int))
{
    unsigned lane = __builtin_amdgcn_workitem_id_x();
    out[lane] = f(static_cast<int>(lane));
}
