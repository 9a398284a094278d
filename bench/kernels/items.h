/*
 * items.h - lets one source be GPU kernels and host loops over work-items. A kernel is a sequence of phases,
 * `EACH_ITEM(n) { ... }`, with SYNC() between them: on the GPU the phase is the work-item's code, on the host
 * a loop over the n work-items of a work-group. What a work-item keeps from phase to phase is OWN and used as
 * MINE(name).
 */
#ifndef BENCH_KERNELS_ITEMS_H
#define BENCH_KERNELS_ITEMS_H

#ifdef __HIP__
#define KERNEL(name, ...) extern "C" __attribute__((global)) void name(__VA_ARGS__)
#define GROUP_X __builtin_amdgcn_workgroup_id_x()
#define GROUP_Y __builtin_amdgcn_workgroup_id_y()
#define ITEM __builtin_amdgcn_workitem_id_x()
#define ITEM_16X __builtin_amdgcn_workitem_id_x() /* in work-groups of 16 x 16 */
#define ITEM_16Y __builtin_amdgcn_workitem_id_y()
#define EACH_ITEM(n)
#define OWN(type, name, count, items) type name[count]
#define MINE(name) name
#define SHARED __attribute__((shared)) static
#define SYNC()                                                                                               \
    do {                                                                                                     \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                               \
        __builtin_amdgcn_s_barrier();                                                                        \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                                               \
    } while (0)
#define SHARED_ADD(p, value) __scoped_atomic_fetch_add(p, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP)
#define GLOBAL_ADD(p, value) __scoped_atomic_fetch_add(p, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#else
#define KERNEL(name, ...) void native_##name(unsigned group_x_, unsigned group_y_, __VA_ARGS__)
#define GROUP_X group_x_
#define GROUP_Y group_y_
#define ITEM item_
#define ITEM_16X (item_ % 16)
#define ITEM_16Y (item_ / 16)
#define EACH_ITEM(n) for (unsigned item_ = 0; item_ < (n); item_++)
#define OWN(type, name, count, items) type name[items][count]
#define MINE(name) name[item_]
#define SHARED static _Thread_local /* each thread has one work-group at a time */
#define SYNC() (void)group_y_
#define SHARED_ADD(p, value) (*(p) += (value))
#define GLOBAL_ADD(p, value) __atomic_fetch_add(p, value, __ATOMIC_RELAXED)
#endif

#endif
