/*
 * work.c - kernels whose accesses the host can count beforehand. They are compiled with probes, and what the probes
 * report is held against what the host computed.
 */
#include "device.h"

/* Work-item `item` of `items` stores `stores` times: the k-th time at out[(k % wrap) * items + item]. */
KERNEL work_stores(GLOBAL u32 *out, u32 items, u32 stores, u32 wrap)
{
    u32 x = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
            __builtin_amdgcn_workitem_id_x();
    u32 y = __builtin_amdgcn_workgroup_id_y() * __builtin_amdgcn_workgroup_size_y() +
            __builtin_amdgcn_workitem_id_y();
    u32 z = __builtin_amdgcn_workgroup_id_z() * __builtin_amdgcn_workgroup_size_z() +
            __builtin_amdgcn_workitem_id_z();
    u32 item = (z * __builtin_amdgcn_grid_size_y() + y) * __builtin_amdgcn_grid_size_x() + x;
#pragma clang loop unroll(disable)
    for (u32 k = 0; k < stores; k++)
        *(volatile GLOBAL u32 *)&out[(k % wrap) * items + item] = k;
}

/* Irregular: work-item `item` stores at out[item * 37 % items], with an odd number of items that 37 does not divide. */
KERNEL work_scatter(GLOBAL u32 *out, u32 items, u32 stores)
{
    u32 item = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
               __builtin_amdgcn_workitem_id_x();
    if (item >= items)
        return;
#pragma clang loop unroll(disable)
    for (u32 k = 0; k < stores; k++)
        *(volatile GLOBAL u32 *)&out[(item + k) * 37 % items] = k;
}

/* Through LDS whose size the launch says: each work-item stores, and reads what its neighbour stored. */
KERNEL work_dynamic_lds(GLOBAL u32 *out, u32 items)
{
    extern LDS u32 shared[];
    u32 local = __builtin_amdgcn_workitem_id_x(), size = __builtin_amdgcn_workgroup_size_x();
    u32 item = __builtin_amdgcn_workgroup_id_x() * size + local;
    shared[local] = item;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (item < items)
        out[item] = shared[(local + 1) % size];
}

/* Through scratch: an array that is indexed by what only the launch knows. */
KERNEL work_scratch(GLOBAL u32 *out, u32 items, u32 mask)
{
    u32 item = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
               __builtin_amdgcn_workitem_id_x();
    volatile u32 own[64];
    for (u32 k = 0; k < 64; k++)
        own[k] = item + k;
    if (item < items)
        out[item] = own[item & mask];
}
