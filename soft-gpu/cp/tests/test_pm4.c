/*
 * PM4 commands in indirect buffers. Encodings: Linux drivers/gpu/drm/amd/amdgpu/soc15d.h (PACKET3,
 * PACKET3_WAIT_REG_MEM and what follows it, EVENT_TYPE, EVENT_INDEX, DATA_SEL, INT_SEL); event numbers:
 * vega10_enum.h (CS_PARTIAL_FLUSH 7, CACHE_FLUSH_AND_INV_TS_EVENT 20).
 */
#include "rig.h"

#define PACKET3(op, body) (3u << 30 | ((body) - 1) << 16 | (op) << 8)
enum {
    NOP = 0x10,
    PRED_EXEC = 0x23,
    WAIT_REG_MEM = 0x3c,
    EVENT_WRITE = 0x46,
    RELEASE_MEM = 0x49,
    ACQUIRE_MEM = 0x58
};
enum { EQUAL = 3, NOT_EQUAL = 4, AT_LEAST = 5, MEM_SPACE = 1 << 4, WRITE_WAIT = 1 << 6 };
enum { LOW_32 = 1, ALL_64 = 2, CLOCK = 3, NO_INTERRUPT = 0, INTERRUPT = 2 };

struct words {
    uint32_t *at;
    unsigned n;
};

static struct rig r;
static struct test_queue q;
static struct words ib;

static int open_rig(void **state)
{
    (void)state;
    rig_open(&r);
    rig_queue(&r, &q, 1);
    ib = (struct words){rig_alloc(&r, 4096), 0};
    return 0;
}

static int close_rig(void **state)
{
    (void)state;
    rig_close(&r);
    return 0;
}

static void add(const uint32_t *dwords, unsigned n)
{
    memcpy(ib.at + ib.n, dwords, 4 * n);
    ib.n += n;
}
#define ADD(...) add((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)
#define LOW(p) ((uint32_t)(uintptr_t)(p))
#define HIGH(p) ((uint32_t)((uint64_t)(uintptr_t)(p) >> 32))

/* The buffer as an AQL vendor packet of format 1 (ROCr's AMD_AQL_FORMAT_PM4_IB). */
static void submit(bool barrier_bit)
{
    const uint32_t packet[16] = {
        0x00010000u | (barrier_bit ? 0x100 : 0), 0xc0023f00, LOW(ib.at), HIGH(ib.at), ib.n | 1u << 23, 10};
    aql_put(&q, packet);
}

static void release(void *to, unsigned data_sel, unsigned int_sel, uint64_t data, uint32_t context)
{
    ADD(PACKET3(RELEASE_MEM, 7), 20 | 5 << 8, data_sel << 29 | int_sel << 24, LOW(to), HIGH(to),
        (uint32_t)data, (uint32_t)(data >> 32), context);
}

static void wait_mem(unsigned function, void *at, uint32_t reference, uint32_t mask)
{
    ADD(PACKET3(WAIT_REG_MEM, 6), MEM_SPACE | function, LOW(at), HIGH(at), reference, mask, 4);
}

static bool done(uint64_t packets)
{
    return atomic_load(q.read_index) == packets;
}

/* The host changes the memory without a doorbell; what is behind the wait has not run before. */
static void wait_blocks_and_resumes(void **state)
{
    (void)state;
    _Atomic uint32_t *flag = rig_alloc(&r, 4);
    _Atomic uint64_t *count = rig_alloc(&r, 16);
    release((void *)&count[0], ALL_64, NO_INTERRUPT, 0x1122334455667788, 0);
    wait_mem(AT_LEAST, (void *)flag, 5, 0xff);
    release((void *)&count[1], LOW_32, NO_INTERRUPT, 0xaaaaaaaabbbbbbbb, 0);
    submit(true);
    EVENTUALLY(atomic_load(&count[0]) == 0x1122334455667788);
    atomic_store(&count[0], 0);    /* the commands before the wait do not run again */
    atomic_store(flag, 0x100 | 4); /* under the mask: 4 */
    sleep_us(GRACE_US);
    assert_int_equal(atomic_load(&count[1]), 0);
    atomic_store(flag, 5);
    EVENTUALLY(done(1));
    assert_int_equal(atomic_load(&count[1]), 0xbbbbbbbb); /* the low half alone */
    assert_int_equal(atomic_load(&count[0]), 0);
}

static void wait_functions(void **state)
{
    (void)state;
    static const struct {
        unsigned function;
        uint32_t value, reference;
    } met[] = {{0, 1, 2},         {1, 1, 2},        {2, 2, 2}, {EQUAL, 7, 7},
               {NOT_EQUAL, 7, 8}, {AT_LEAST, 8, 8}, {6, 9, 8}};
    for (unsigned i = 0; i < sizeof met / sizeof *met; i++) {
        uint32_t *value = rig_alloc(&r, 4);
        *value = met[i].value;
        wait_mem(met[i].function, value, met[i].reference, UINT32_MAX);
    }
    submit(true);
    EVENTUALLY(done(1));
}

/* tinygrad's memory_barrier: HDP flush request and done, registers of the bus interface. */
static void flush_of_the_data_path(void **state)
{
    (void)state;
    ADD(PACKET3(WAIT_REG_MEM, 6), WRITE_WAIT | EQUAL, 0x106, 0x107, UINT32_MAX, UINT32_MAX, 4);
    submit(true);
    EVENTUALLY(done(1));
}

/* The end of the pipe is behind the kernels before it, with and without the barrier bit. */
static void fence_waits_for_kernels(void **state)
{
    (void)state;
    const uint64_t dispatch[8] = {2 | 1 << 16 | 64ull << 32 | 1ull << 48, 1 | 64ull << 32, 1 | 1ull << 32, 0,
                                  (uintptr_t)r.kernel};
    _Atomic uint32_t *value = rig_alloc(&r, 4);
    struct fake_dispatch d;
    struct sg_fault none = {.kind = SG_FAULT_NONE};
    const unsigned before = fake_submitted();
    fake_hold(true);
    ADD(PACKET3(EVENT_WRITE, 1), 7 | 4 << 8); /* CS_PARTIAL_FLUSH */
    release((void *)value, LOW_32, NO_INTERRUPT, 77, 0);
    aql_put(&q, dispatch);
    submit(false);
    EVENTUALLY(fake_submitted() == before + 1);
    sleep_us(GRACE_US);
    assert_int_equal(atomic_load(value), 0);
    assert_true(fake_take(0, &d));
    d.done(d.user, &none);
    fake_hold(false);
    EVENTUALLY(done(2));
    assert_int_equal(atomic_load(value), 77);
}

/* A time stamp; an interrupt by its context, and by what is written to the mailbox. */
static void clock_and_interrupts(void **state)
{
    (void)state;
    _Atomic uint64_t *stamp = rig_alloc(&r, 16), *mailbox = stamp + 1;
    const unsigned before[2] = {atomic_load(&events_seen[3]), atomic_load(&events_seen[4])};
    release((void *)stamp, CLOCK, NO_INTERRUPT, 0, 0);
    release((void *)mailbox, ALL_64, INTERRUPT, 9, 3);
    release((void *)mailbox, LOW_32, INTERRUPT, 4, 0);
    submit(true);
    EVENTUALLY(done(1));
    assert_true(atomic_load(stamp) != 0);
    assert_int_equal(atomic_load(mailbox), 4);
    assert_int_equal(atomic_load(&events_seen[3]), before[0] + 1);
    assert_int_equal(atomic_load(&events_seen[4]), before[1] + 1);
}

/* Commands for other chiplets than the first are left out. */
static void predicated(void **state)
{
    (void)state;
    uint32_t *value = rig_alloc(&r, 8);
    ADD(PACKET3(PRED_EXEC, 1), 2u << 24 | 8); /* the second alone: the fence after it, 8 dwords */
    release(&value[0], LOW_32, NO_INTERRUPT, 1, 0);
    ADD(PACKET3(PRED_EXEC, 1), 0xffu << 24 | 8);
    release(&value[1], LOW_32, NO_INTERRUPT, 2, 0);
    ADD(PACKET3(NOP, 3), 0xffffffff, 0xffffffff, 0xffffffff);
    submit(true);
    EVENTUALLY(done(1));
    assert_int_equal(value[0], 0);
    assert_int_equal(value[1], 2);
}

/* Each stops the queue and tells the runtime; 256: a vendor packet (ROCr's amd_aql_queue.cpp). */
static void refused(const uint32_t *dwords, unsigned n)
{
    open_rig(NULL);
    add(dwords, n);
    submit(true);
    EVENTUALLY(atomic_load(&q.inactive->value) == 256);
    assert_int_equal(atomic_load(q.read_index), 0);
    close_rig(NULL);
}
#define REFUSED(...) refused((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void bad_commands(void **state)
{
    (void)state;
    REFUSED(0x12345678);                                                    /* no type 3 */
    REFUSED(PACKET3(0x76, 2), 0, 0);                                        /* SET_SH_REG */
    REFUSED(PACKET3(NOP, 100), 0);                                          /* longer than the buffer */
    REFUSED(PACKET3(WAIT_REG_MEM, 2), MEM_SPACE, 0);                        /* too short */
    REFUSED(PACKET3(WAIT_REG_MEM, 6), EQUAL, 1, 2, 3, 4, 5);                /* waits for a register */
    REFUSED(PACKET3(WAIT_REG_MEM, 6), MEM_SPACE | 7, 0, 0, 0, 0, 0);        /* reserved function */
    REFUSED(PACKET3(RELEASE_MEM, 3), 0, 0, 0);                              /* too short */
    REFUSED(PACKET3(RELEASE_MEM, 7), 20 | 5 << 8, 7u << 29, 0, 0, 0, 0, 0); /* reserved data */
    REFUSED(PACKET3(EVENT_WRITE, 1), 21 | 1 << 8);                          /* writes memory */
}

static void unmapped_memory(void **state)
{
    (void)state;
    const unsigned before = atomic_load(&faults);
    release((void *)0x7000000010, LOW_32, NO_INTERRUPT, 1, 0);
    submit(true);
    EVENTUALLY(atomic_load(&faults) == before + 1);
    assert_int_equal(atomic_load(&fault_va), 0x7000000010);
}

#define T(test) cmocka_unit_test_setup_teardown(test, open_rig, close_rig)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(wait_blocks_and_resumes), T(wait_functions),
        T(flush_of_the_data_path),  T(fence_waits_for_kernels),
        T(clock_and_interrupts),    T(predicated),
        T(unmapped_memory),         cmocka_unit_test(bad_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
