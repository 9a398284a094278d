/* core.hip - kernels for test_kernels.c, compiled without any HIP header. */
#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared)) static
typedef unsigned u32;

static DEVICE u32 flat_id(u32 group_size)
{
    return __builtin_amdgcn_workgroup_id_x() * group_size + __builtin_amdgcn_workitem_id_x();
}

KERNEL saxpy(const float *x, float *y, float a, int n)
{
    u32 i = flat_id(256);
    if (i < (u32)n)
        y[i] = a * x[i] + y[i];
}

/* Which work-item is where: checks ids, partial work-groups, hidden arguments and the AQL packet. */
KERNEL identify(u32 *out, u32 width, u32 height)
{
    const unsigned short *hidden = (const unsigned short *)__builtin_amdgcn_implicitarg_ptr();
    const unsigned short *packet = (const unsigned short *)__builtin_amdgcn_dispatch_ptr();
    u32 x = __builtin_amdgcn_workgroup_id_x() * packet[2] + __builtin_amdgcn_workitem_id_x();
    u32 y = __builtin_amdgcn_workgroup_id_y() * packet[3] + __builtin_amdgcn_workitem_id_y();
    u32 z = __builtin_amdgcn_workgroup_id_z() * packet[4] + __builtin_amdgcn_workitem_id_z();
    out[(z * height + y) * width + x] = x | y << 8 | z << 16 | (u32)hidden[6] << 24;
}

/* Asks for x alone: compilers take v0 as it is then, though all three ids share it where they are packed. */
KERNEL count_columns(u32 *counts)
{
    __atomic_fetch_add(counts + __builtin_amdgcn_workitem_id_x(), 1, __ATOMIC_RELAXED);
}

/* Asks for x and y. */
KERNEL count_places(u32 *counts)
{
    __atomic_fetch_add(counts + 4 * __builtin_amdgcn_workitem_id_y() + __builtin_amdgcn_workitem_id_x(), 1, __ATOMIC_RELAXED);
}

/* All work-groups wait for each other. */
KERNEL grid_sync(u32 *counter, u32 groups, u32 sleep)
{
    if (__builtin_amdgcn_workitem_id_x() == 0) {
        __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
        while (__atomic_load_n(counter, __ATOMIC_SEQ_CST) < groups)
            if (sleep)
                __builtin_amdgcn_s_sleep(1);
    }
    __builtin_amdgcn_s_barrier();
    if (__builtin_amdgcn_workitem_id_x() == 1)
        __atomic_fetch_add(counter + 1, 1, __ATOMIC_RELAXED);
}

/* Each work-group adds its number to the sum that the one before it has published, which it sleeps for, while its other wavefronts
 * wait at a barrier: decoupled look-back, as scans do it. sums[k] gets 1 + 1 + 2 + ... + k, seen[k] the same. */
KERNEL look_back(u32 *sums, u32 *seen)
{
    SHARED u32 before;
    const u32 me = __builtin_amdgcn_workgroup_id_x(), item = __builtin_amdgcn_workitem_id_x();
    if (item == 0) {
        u32 sum = me ? 0 : 1;
        while (me && !(sum = __atomic_load_n(&sums[me], __ATOMIC_ACQUIRE)))
            __builtin_amdgcn_s_sleep(1);
        before = sum;
        __atomic_store_n(&sums[me + 1], sum + me + 1, __ATOMIC_RELEASE);
    }
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (item == 255)
        seen[me] = before;
}

#ifndef __GFX12__ /* which has none */
/* Global wave sync, seven work-groups of a wavefront: 0 hands four tokens to 1 to 4 (semaphore 1, by number and
 * one by one), releases 5 and 6 (2) until both have said that they go on, and all meet at a barrier (3). */
KERNEL wave_sync(u32 *data, u32 *seen)
{
    const u32 me = __builtin_amdgcn_workgroup_id_x();
    if (me == 0) {
        __builtin_amdgcn_ds_gws_init(6, 3); /* one less than take part */
        __atomic_store_n(data, 42, __ATOMIC_SEQ_CST);
        __builtin_amdgcn_ds_gws_sema_br(2, 1);
        __builtin_amdgcn_ds_gws_sema_v(1);
        __builtin_amdgcn_ds_gws_sema_v(1);
        while (!__atomic_load_n(data + 5, __ATOMIC_SEQ_CST) || !__atomic_load_n(data + 6, __ATOMIC_SEQ_CST))
            __builtin_amdgcn_ds_gws_sema_release_all(2);
    } else {
        __builtin_amdgcn_ds_gws_sema_p(me <= 4 ? 1 : 2);
        __atomic_store_n(data + me, __atomic_load_n(data, __ATOMIC_SEQ_CST), __ATOMIC_SEQ_CST);
    }
    if (__builtin_amdgcn_workitem_id_x() == 0)
        __atomic_fetch_add(data + 7, 1, __ATOMIC_SEQ_CST);
    __builtin_amdgcn_ds_gws_barrier(6, 3);
    seen[me] = __atomic_load_n(data + 7, __ATOMIC_SEQ_CST);
}
#else
/* Four wavefronts of 32: each says that its number stands in LDS, does something else for a while, the longer the higher its
 * number, and waits for the others. out: who was first, how many went on, sums. */
KERNEL split_barrier(u32 *out, u32 rounds)
{
    SHARED u32 part[4];
    const u32 wave = __builtin_amdgcn_workitem_id_x() / 32, lane = __builtin_amdgcn_workitem_id_x() % 32;
    volatile u32 busy = 0;
    for (u32 round = 1; round <= rounds; round++) {
        if (!lane)
            part[wave] = wave * round;
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        const bool first = __builtin_amdgcn_s_barrier_signal_isfirst(-1);
        for (u32 i = 0; i < wave * 4000; i++)
            busy += i;
        __builtin_amdgcn_s_barrier_wait(-1);
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        if (!lane) {
            __atomic_fetch_add(out, first, __ATOMIC_RELAXED);
            __atomic_fetch_add(out + 1, 1, __ATOMIC_RELAXED);
            __atomic_fetch_add(out + 2, part[0] + part[1] + part[2] + part[3], __ATOMIC_RELAXED);
        }
        __builtin_amdgcn_s_barrier_signal(-1);
        __builtin_amdgcn_s_barrier_wait(-1);
    }
}

/* Wavefronts 2 and 3 end, one of them behind its signal: nobody waits for them. */
KERNEL split_barrier_ends(u32 *out)
{
    const u32 wave = __builtin_amdgcn_workitem_id_x() / 32;
    if (wave == 3)
        return;
    __builtin_amdgcn_s_barrier_signal(-1);
    if (wave == 2)
        return;
    __builtin_amdgcn_s_barrier_wait(-1);
    if (__builtin_amdgcn_workitem_id_x() % 32 == 0)
        __atomic_fetch_add(out, 1, __ATOMIC_RELAXED);
}

/* Four wavefronts: behind its signal, and before its wait, the first sleeps until the last one, which is past its wait, says so. */
KERNEL split_barrier_sleeps(u32 *out, u32 rounds)
{
    SHARED u32 flag;
    const u32 wave = __builtin_amdgcn_workitem_id_x() / 32, lane = __builtin_amdgcn_workitem_id_x() % 32;
    if (!wave && !lane)
        __atomic_store_n(&flag, 0, __ATOMIC_RELAXED);
    for (u32 round = 0; round < rounds; round++) {
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier_signal(-1);
        while (!wave && __atomic_load_n(&flag, __ATOMIC_RELAXED) != round + 1)
            __builtin_amdgcn_s_sleep(1);
        __builtin_amdgcn_s_barrier_wait(-1);
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        if (wave == 3 && !lane)
            __atomic_store_n(&flag, round + 1, __ATOMIC_RELAXED);
        if (!lane)
            __atomic_fetch_add(out + wave, 1, __ATOMIC_RELAXED);
    }
}

/* Wavefront 0 waits for a barrier that it has not signalled itself. */
KERNEL split_barrier_forgotten(u32 *out)
{
    if (__builtin_amdgcn_workitem_id_x() / 32)
        __builtin_amdgcn_s_barrier_signal(-1);
    __builtin_amdgcn_s_barrier_wait(-1);
    *out = 1;
}
#endif

/* Sum of a work-group over LDS with barriers: 256 work-items, four wavefronts. */
KERNEL reduce(const u32 *in, u32 *out)
{
    SHARED u32 part[256];
    u32 t = __builtin_amdgcn_workitem_id_x();
    part[t] = in[flat_id(256)];
    for (u32 half = 128; half; half /= 2) {
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        if (t < half)
            part[t] += part[t + half];
    }
    if (!t)
        out[__builtin_amdgcn_workgroup_id_x()] = part[0];
}

/* Reverses the work-group's values in LDS and has forgotten the barrier; the last value is never written. */
KERNEL race(const u32 *in, u32 *out)
{
    SHARED u32 part[257];
    u32 t = __builtin_amdgcn_workitem_id_x();
    part[t] = in[t];
    out[t] = part[255 - t] + part[t + 1];
}

static DEVICE __attribute__((noinline)) int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* Recursion: calls, stack, indirect returns. */
KERNEL recurse(int *out)
{
    out[flat_id(64)] = fibonacci(__builtin_amdgcn_workitem_id_x() % 12);
}

/* An array in scratch memory, indexed differently by each lane. */
KERNEL stack(int *out, int n)
{
    volatile int a[64];
    int sum = 0;
    for (int i = 0; i < 64; i++)
        a[i] = i * 3 + __builtin_amdgcn_workitem_id_x();
    for (int i = 0; i < n; i++)
        sum += a[(i * 7 + __builtin_amdgcn_workitem_id_x()) & 63];
    out[flat_id(64)] = sum;
}

KERNEL trap(const u32 *in)
{
    if (in[flat_id(64)] == 77)
        __builtin_trap();
}

KERNEL wild_store(u32 *p)
{
    p[flat_id(64) == 70 ? 0x40000000ull : 0] = 1;
}

KERNEL halt(u32 *out)
{
    out[0] = 1;
    __asm__ volatile("s_sethalt 1");
}

__attribute__((device)) u32 table[4] = {11, 22, 33, 44};
__attribute__((device)) u32 *table_pointer = table + 1; /* needs a relocation */
KERNEL globals(u32 *out)
{
    out[flat_id(64)] = table_pointer[__builtin_amdgcn_workitem_id_x() & 1];
}
