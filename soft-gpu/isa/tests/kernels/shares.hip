/* Many small work-groups, for shares.c: each adds one to its own element. */
extern "C" __attribute__((global)) void plain(unsigned *out)
{
    unsigned i = __builtin_amdgcn_workgroup_id_x();
    if (!__builtin_amdgcn_workitem_id_x())
        out[i] += 1;
}

/* The same by way of scratch memory. */
extern "C" __attribute__((global)) void scratch(unsigned *out)
{
    volatile unsigned own[16];
    unsigned i = __builtin_amdgcn_workgroup_id_x(), k = __builtin_amdgcn_workitem_id_x();
    own[k % 16] = i;
    if (!k)
        out[own[0]] += 1;
}
