/* stall.hip - kernels for stall.c: loops that never end although registers change in them, and loops that end, late.
 * The empty assembly keeps a counter in the kind of register that it names. */
#define KERNEL extern "C" __attribute__((global)) void
typedef unsigned u32;
typedef unsigned long u64;
#define ITEM __builtin_amdgcn_workitem_id_x()
#ifdef __OPTIMIZE__
#define KEEP_SCALAR(n) asm volatile("" : "+s"(n))
#define KEEP_VECTOR(n) asm volatile("" : "+v"(n))
#else /* variables live in memory anyway */
#define KEEP_SCALAR(n) (void)(n)
#define KEEP_VECTOR(n) (void)(n)
#endif
#ifdef __GFX12__ /* which has no such instruction */
#define REAL_TIME() __builtin_readsteadycounter()
#else
#define REAL_TIME() __builtin_amdgcn_s_memrealtime()
#endif
/* With an end that the compiler believes in. */
#define FOREVER for (u32 one = 1; one == 1; ({ KEEP_SCALAR(one); }))

/* ---- Never ---- */

KERNEL counts_scalar(u32 *out, u32 limit)
{
    u32 n = limit;
    FOREVER
    {
        n++;
        KEEP_SCALAR(n);
    }
    out[0] = n;
}
KERNEL counts_vector(u32 *out, u32 limit)
{
    u32 n = ITEM;
    FOREVER
    {
        n += 3;
        KEEP_VECTOR(n);
    }
    out[ITEM] = n;
}
KERNEL counts_long(u32 *out, u32 limit)
{
    u64 n = ITEM;
    FOREVER
    {
        n += limit;
        KEEP_VECTOR(n);
    }
    out[ITEM] = (u32)(n >> 32);
}
KERNEL counts_time(u32 *out, u32 limit)
{
    u64 last = 0, sum = 0;
    FOREVER
    {
        u64 now = __builtin_readcyclecounter();
        sum += now - last;
        last = now;
        KEEP_SCALAR(sum);
    }
    out[0] = (u32)sum;
}
/* Each wavefront waits for what the other one would write behind its own loop; both count. */
KERNEL counts_lds(u32 *out, u32 limit)
{
    static __attribute__((shared)) volatile u32 ready[2];
    u32 n = 0;
    const u32 wave = __builtin_amdgcn_readfirstlane(ITEM / 64);
    ready[wave] = 0;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    while (!ready[1 - wave]) {
        n++;
        KEEP_SCALAR(n);
        __builtin_amdgcn_s_sleep(1);
    }
    ready[wave] = 1;
    out[wave] = n;
}

#ifdef __OPTIMIZE__ /* else arguments are in vector registers */
/* Only another way through the loop stores, and sleeps before it does. */
#ifdef __GFX12__
#define SLEEP "s_sleep_var %1\n"
#else
#define SLEEP "s_sleep 1\n"
#endif
KERNEL sleeps_elsewhere(u32 *out, u32 limit)
{
    asm volatile("1: s_cmp_eq_u32 %1, 0\n"
                 "s_cbranch_scc0 2f\n" SLEEP
                 "v_mov_b32 v0, 0\n"
                 "global_store_dword v0, v0, %0\n"
                 "2: s_branch 1b" ::"s"(out),
                 "s"(limit)
                 : "v0", "scc", "memory");
}
#endif

/* ---- Late: what looks like a counter decides. `limit` times. ---- */

KERNEL ends_scalar(u32 *out, u32 limit)
{
    u32 n = 0;
    do {
        n++;
        KEEP_SCALAR(n);
    } while (n != limit);
    out[0] = n;
}
KERNEL ends_vector(u32 *out, u32 limit)
{
    u32 n = 0;
    do {
        n++;
        KEEP_VECTOR(n);
    } while (n < limit + ITEM);
    out[ITEM] = n;
}
/* The counter decides through another register, two rounds later. */
KERNEL ends_delayed(u32 *out, u32 limit)
{
    u32 n = 0, before = 0, earlier = 0;
    do {
        earlier = before;
        before = n;
        n++;
        KEEP_SCALAR(n);
        KEEP_SCALAR(before);
        KEEP_SCALAR(earlier);
    } while (earlier >> 4 != limit >> 4);
    out[0] = n;
}
/* Through an address: what is read stays the same until the index comes to the one word that is not zero. */
KERNEL ends_by_address(u32 *out, u32 limit)
{
    u32 n = 0;
    out[1] = 0;
    out[2] = 1;
    do {
        n++;
        KEEP_SCALAR(n);
    } while (!((volatile u32 *)out)[n == limit ? 2 : 1]);
    out[0] = n;
}
/* Through LDS. */
KERNEL ends_by_lds(u32 *out, u32 limit)
{
    static __attribute__((shared)) volatile u32 word[64];
    u32 n = 0;
    word[0] = 0;
    do {
        n++;
        KEEP_VECTOR(n);
        word[0] = n;
    } while (word[0] < limit);
    out[0] = n;
}
/* Through the mask of active lanes: one lane after the other leaves. */
KERNEL ends_by_lane(u32 *out, u32 limit)
{
    u32 n = 0;
    for (; n < (limit >> 6) * (ITEM + 1); n++)
        KEEP_VECTOR(n);
    out[ITEM] = n;
}
/* After a time in counts of 100 MHz: `limit` of them. */
KERNEL ends_by_time(u32 *out, u32 limit)
{
    const u64 begin = REAL_TIME();
    u32 n = 0;
    while (REAL_TIME() - begin < limit) {
        n++;
        KEEP_SCALAR(n);
    }
    out[0] = limit;
}
/* Counts in a loop within the loop; the outer counter decides, the inner one does not. */
KERNEL ends_outside(u32 *out, u32 limit)
{
    u32 n = 0, m = 0;
    do {
        for (u32 k = 0; k < 8; k++) {
            m++;
            KEEP_SCALAR(m);
            KEEP_SCALAR(k);
        }
        n += 8;
        KEEP_SCALAR(n);
    } while (n < limit);
    out[0] = n;
}

/* ---- Others wait for one that sleeps ---- */

/* All sleep for a while, so that they are seen to move; then the first sleeps on, and the others poll without sleeping. */
KERNEL others_poll(u32 *out, u32 limit)
{
    const bool first = __builtin_amdgcn_workgroup_id_x() == 0;
    if (ITEM)
        return;
    for (u32 n = 0; n < (first ? limit : limit / 8); n++) {
        __builtin_amdgcn_s_sleep(63);
        KEEP_SCALAR(n);
    }
    if (first)
        __atomic_store_n(out, limit, __ATOMIC_RELAXED);
    while (!__atomic_load_n(out, __ATOMIC_RELAXED))
        ;
}

/* The first loops, and the others sleep and poll until they would have waited for too long, and say for how long it was. */
KERNEL others_sleep(u32 *out, u32 limit)
{
    const u32 group = __builtin_amdgcn_workgroup_id_x();
    const u64 begin = __builtin_readcyclecounter();
    u64 spent = 0;
    if (ITEM)
        return;
    if (group == 0) {
        for (u32 n = 0; n < limit; n++)
            KEEP_SCALAR(n);
        __atomic_store_n(out, limit, __ATOMIC_RELAXED);
    }
    while (!__atomic_load_n(out, __ATOMIC_RELAXED) && spent < 1ul << 60) {
        __builtin_amdgcn_s_sleep(2);
        spent = __builtin_readcyclecounter() - begin;
        KEEP_SCALAR(spent);
    }
    if (group)
        out[group] = (u32)spent;
}
