/* resident.hip - kernels for resident.c: work-groups that wait for each other. count[0]: work-groups that have come,
 * count[1]: not 0 when all may go, count[2]: work-groups that went. */
#define KERNEL extern "C" __attribute__((global)) void
typedef unsigned u32;
#define LOAD(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define ADD(p, n) __atomic_fetch_add(p, n, __ATOMIC_RELAXED)

static __attribute__((device)) void wait_for(u32 *count, u32 n)
{
    if (__builtin_amdgcn_workitem_id_x())
        return;
    ADD(count, 1u);
    while (LOAD(count) < n && !LOAD(count + 1))
        __builtin_amdgcn_s_sleep(1);
    ADD(count + 2, 1u);
}

KERNEL meet(u32 *count, u32 n)
{
    wait_for(count, n);
}

/* 32 KiB of LDS */
KERNEL meet_lds(u32 *count, u32 n)
{
    static __attribute__((shared)) u32 words[8192];
    ((volatile u32 *)words)[__builtin_amdgcn_workitem_id_x()] = n;
    wait_for(count, n);
}

/* 40 KiB; the same of one compute unit of gfx10 and later */
KERNEL meet_40k(u32 *count, u32 n)
{
    static __attribute__((shared)) u32 words[10240];
    ((volatile u32 *)words)[__builtin_amdgcn_workitem_id_x()] = n;
    wait_for(count, n);
}
#ifdef __GFX10__
KERNEL __attribute__((target("cumode"))) meet_40k_cu(u32 *count, u32 n)
{
    static __attribute__((shared)) u32 words[10240];
    ((volatile u32 *)words)[__builtin_amdgcn_workitem_id_x()] = n;
    wait_for(count, n);
}
#endif

/* 128 VGPRs */
KERNEL meet_vgprs(u32 *count, u32 n)
{
    asm volatile("" ::: "v127");
    wait_for(count, n);
}

KERNEL barrier_init(u32 *count, u32 n)
{
    __builtin_amdgcn_ds_gws_init(n - 1, 0);
}

/* A barrier of all wavefronts of the grid. */
KERNEL meet_in_barrier(u32 *count, u32 n)
{
    __builtin_amdgcn_ds_gws_barrier(0, 0);
    if (__builtin_amdgcn_workitem_id_x() == 0)
        ADD(count + 2, 1u);
}
