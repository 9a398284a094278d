/*
 * AQL semantics: order, barrier bit, dependencies, completion, scratch handshake, errors.
 */
#include "rig.h"
#include "gcn/tests/assemble.h"

struct dispatch {
    uint16_t header, setup;
    uint16_t workgroup[3], r0;
    uint32_t grid[3];
    uint32_t private_bytes, group_bytes;
    uint64_t kernel_object, kernarg, r1, completion;
};

struct barrier {
    uint16_t header, r0;
    uint32_t r1;
    uint64_t dep[5], r2, completion;
};

struct barrier_value {
    uint16_t header;
    uint8_t format, r0;
    uint32_t r1;
    uint64_t signal;
    int64_t value, mask;
    uint32_t condition, r2;
    uint64_t r3, r4, completion;
};

#define BARRIER_BIT 0x100

static struct dispatch plain(struct rig *r, struct test_signal *done, bool barrier_bit)
{
    return (struct dispatch){
        .header = (uint16_t)(2 | (barrier_bit ? BARRIER_BIT : 0)),
        .setup = 1,
        .workgroup = {64, 1, 1},
        .grid = {256, 1, 1},
        .kernel_object = (uintptr_t)r->kernel,
        .completion = (uintptr_t)done,
    };
}

static void complete(unsigned i)
{
    struct fake_dispatch d;
    struct sg_fault none = {.kind = SG_FAULT_NONE};
    assert_true(fake_take(i, &d));
    d.done(d.user, &none);
}

static void fault(enum sg_fault_kind kind, uint64_t va)
{
    struct fake_dispatch d;
    struct sg_fault f = {.kind = kind, .va = va};
    assert_true(fake_take(0, &d));
    d.done(d.user, &f);
}

static void kernels_complete_in_any_order(void **state)
{
    (void)state;
    struct rig r;
    struct test_queue q;
    rig_open(&r);
    unsigned before = fake_submitted();
    rig_queue(&r, &q, 1);
    struct test_signal *s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = rig_signal(&r, 1, (uint32_t)(10 + i));
        struct dispatch p = plain(&r, s[i], false);
        aql_put(&q, &p);
    }
    EVENTUALLY(fake_submitted() == before + 3); /* no barrier bit: all three run at once */
    complete(1);
    EVENTUALLY(atomic_load(&s[1]->value) == 0);
    assert_int_equal(atomic_load(&events_seen[11]), 1);
    assert_int_equal(*(uint64_t *)(uintptr_t)s[1]->mailbox, 11);
    assert_true(s[1]->end > s[1]->start && s[1]->start >= 1000);
    assert_int_equal(atomic_load(q.read_index), 0); /* packet 0 is not complete */
    assert_int_equal(q.ring[64], 1);                /* packet 1 is invalid again */
    complete(0);
    EVENTUALLY(atomic_load(q.read_index) == 2);
    complete(0);
    EVENTUALLY(atomic_load(q.read_index) == 3);
    assert_int_equal(atomic_load(&s[2]->value), 0);
    rig_close(&r);
}

static void barrier_bit_waits(void **state)
{
    (void)state;
    struct rig r;
    struct test_queue q;
    rig_open(&r);
    unsigned before = fake_submitted();
    rig_queue(&r, &q, 1);
    struct dispatch first = plain(&r, NULL, false), second = plain(&r, NULL, true);
    aql_put(&q, &first);
    aql_put(&q, &second);
    EVENTUALLY(fake_submitted() == before + 1);
    sleep_us(GRACE_US);
    assert_int_equal(fake_submitted(), before + 1);
    complete(0);
    EVENTUALLY(fake_submitted() == before + 2);
    complete(0);
    rig_close(&r);
}

static void blocked_barrier_blocks_its_queue_only(void **state)
{
    (void)state;
    struct rig r;
    struct test_queue a, b;
    rig_open(&r);
    unsigned before = fake_submitted();
    rig_queue(&r, &a, 1);
    rig_queue(&r, &b, 2);
    struct test_signal *dep0 = rig_signal(&r, 1, 0), *dep1 = rig_signal(&r, 2, 0),
                       *done = rig_signal(&r, 1, 5);
    struct barrier w = {
        .header = 3, .dep = {(uintptr_t)dep0, 0, (uintptr_t)dep1}, .completion = (uintptr_t)done};
    aql_put(&a, &w);
    struct dispatch p = plain(&r, NULL, false);
    aql_put(&a, &p);
    aql_put(&b, &p);
    EVENTUALLY(fake_submitted() == before + 1); /* the one of queue b */
    atomic_store(&dep0->value, 0);
    sleep_us(GRACE_US);
    assert_int_equal(atomic_load(&done->value), 1);
    atomic_store(&dep1->value, 0); /* no doorbell: the command processor must notice by itself */
    EVENTUALLY(atomic_load(&done->value) == 0);
    EVENTUALLY(fake_submitted() == before + 2);
    assert_int_equal(atomic_load(&events_seen[5]), 1);
    rig_close(&r);
}

static void barrier_or(void **state)
{
    (void)state;
    struct rig r;
    struct test_queue q;
    rig_open(&r);
    rig_queue(&r, &q, 1);
    struct test_signal *dep0 = rig_signal(&r, 1, 0), *dep1 = rig_signal(&r, 1, 0);
    struct barrier none = {.header = 5};
    aql_put(&q, &none); /* without dependencies it is satisfied */
    EVENTUALLY(atomic_load(q.read_index) == 1);
    struct barrier w = {.header = 5, .dep = {(uintptr_t)dep0, (uintptr_t)dep1}};
    aql_put(&q, &w);
    sleep_us(GRACE_US);
    assert_int_equal(atomic_load(q.read_index), 1);
    atomic_store(&dep1->value, 0);
    EVENTUALLY(atomic_load(q.read_index) == 2);
    rig_close(&r);
}

static void barrier_value(void **state)
{
    (void)state;
    struct rig r;
    struct test_queue q;
    rig_open(&r);
    rig_queue(&r, &q, 1);
    struct test_signal *s = rig_signal(&r, 0, 0);
    /* condition (hsa_signal_condition_t), value, mask, a signal value that fails, one that passes */
    static const struct {
        uint32_t condition;
        int64_t value, mask, fails, passes;
    } c[] = {
        {0, 5, -1, 4, 5},      /* equal */
        {1, 5, -1, 5, 6},      /* not equal */
        {2, -1, -1, -1, -2},   /* less than, signed */
        {3, 7, 0xf, 0x106, 7}, /* greater or equal of the masked value: 0x106 & 0xf = 6 */
    };
    for (unsigned i = 0; i < 4; i++) {
        struct barrier_value p = {.header = 0,
                                  .format = 2,
                                  .signal = (uintptr_t)s,
                                  .value = c[i].value,
                                  .mask = c[i].mask,
                                  .condition = c[i].condition};
        atomic_store(&s->value, c[i].fails);
        aql_put(&q, &p);
        sleep_us(GRACE_US);
        assert_int_equal(atomic_load(q.read_index), i);
        atomic_store(&s->value, c[i].passes);
        EVENTUALLY(atomic_load(q.read_index) == i + 1);
    }
    struct test_signal *done = rig_signal(&r, 1, 0);
    struct barrier_value marker = {.format = 2, .completion = (uintptr_t)done};
    aql_put(&q, &marker);
    EVENTUALLY(atomic_load(&done->value) == 0);
    rig_close(&r);
}

static void scratch_handshake(void **state)
{
    (void)state;
    struct rig r;
    struct test_queue q;
    struct fake_dispatch d;
    rig_open(&r);
    unsigned before = fake_submitted();
    rig_queue(&r, &q, 1);
    struct dispatch quick = plain(&r, NULL, false), p = plain(&r, NULL, false);
    p.private_bytes = 100;
    aql_put(&q, &quick);
    aql_put(&q, &p);
    EVENTUALLY(fake_submitted() == before + 1);
    sleep_us(GRACE_US);
    assert_int_equal(atomic_load(&q.inactive->value), 0); /* an older kernel still runs: not yet */
    complete(0);
    EVENTUALLY(atomic_load(&q.inactive->value) == 1);
    assert_int_equal(atomic_load(&events_seen[60]), 1);
    assert_int_equal(atomic_load(q.read_index), 1); /* the runtime looks at the packet there */
    uint64_t base = (uintptr_t)rig_alloc(&r, 4096), bytes = 4096;
    uint32_t lane = 112, srd[4] = {1, 2, 3, 4};
    memcpy(q.amd_queue + 0x90, srd, 16);
    memcpy(q.amd_queue + 0xa0, &base, 8);
    memcpy(q.amd_queue + 0xa8, &bytes, 8);
    memcpy(q.amd_queue + 0xb0, &lane, 4);
    sleep_us(GRACE_US);
    assert_int_equal(fake_submitted(), before + 1); /* fields alone do not resume: the signal does */
    uint32_t once = 1u << 4;                        /* use scratch once */
    memcpy(q.amd_queue + 0xb4, &once, 4);
    atomic_store(&q.inactive->value, 0);
    EVENTUALLY(fake_submitted() == before + 2);
    assert_true(fake_take(0, &d));
    assert_int_equal(d.d.scratch_base, base);
    assert_int_equal(d.d.scratch_bytes, 4096);
    assert_int_equal(d.d.scratch_srd[3], 4);
    assert_int_equal(d.d.private_bytes, 100);
    struct sg_fault none = {.kind = SG_FAULT_NONE};
    d.done(d.user, &none);
    EVENTUALLY(atomic_load(&q.inactive->value) == 512); /* asked to take it back */
    aql_put(&q, &quick);
    sleep_us(GRACE_US);
    assert_int_equal(fake_submitted(), before + 2);
    atomic_store(&q.inactive->value, 0);
    EVENTUALLY(fake_submitted() == before + 3);
    rig_close(&r);
}

/* As ROCr does when it is asked for scratch memory, to be given back behind the next dispatch, or to take it back. */
static void answer(struct test_queue *q, int64_t expected, uint32_t lane_bytes)
{
    uint32_t once = 1u << 4;
    EVENTUALLY(atomic_load(&q->inactive->value));
    assert_int_equal(atomic_load(&q->inactive->value), expected);
    memcpy(q->amd_queue + 0xb0, &lane_bytes, 4);
    memcpy(q->amd_queue + 0xb4, &once, 4);
    atomic_store(&q->inactive->value, 0);
}

/* A dispatch that needs more comes while the one before it ends: first that one's memory goes back, or what ROCr gives for this
 * one would be taken again. Many times, with the end at other moments. */
static void scratch_goes_back_first(void **state)
{
    (void)state;
    struct rig r;
    struct test_queue q;
    rig_open(&r);
    rig_queue(&r, &q, 1);
    struct dispatch p = plain(&r, NULL, false);
    for (unsigned i = 0; i < 600; i++) {
        unsigned before = fake_submitted();
        p.private_bytes = 100;
        aql_put(&q, &p);
        answer(&q, 1, 112);
        EVENTUALLY(fake_submitted() == before + 1);
        p.private_bytes = 1000;
        aql_put(&q, &p);
        for (volatile unsigned k = 0; k < i % 300 * 10; k++)
            ;
        complete(0);
        answer(&q, 512, 0);
        answer(&q, 1, 1008);
        EVENTUALLY(fake_submitted() == before + 2);
        complete(0);
        answer(&q, 512, 0);
    }
    rig_close(&r);
}

static void engine_faults(void **state)
{
    (void)state;
    /* Codes of queue_inactive_signal in ROCr's DynamicScratchHandler. */
    static const struct {
        enum sg_fault_kind kind;
        int64_t code;
    } c[] = {{SG_FAULT_APERTURE, 0x20000000},
             {SG_FAULT_ILLEGAL, 0x40000000},
             {SG_FAULT_UNIMPLEMENTED, 0x40000000},
             {SG_FAULT_TRAP, 0x80000000},
             {SG_FAULT_DEADLOCK, 0x80000000},
             {SG_FAULT_RESOURCES, 4},
             {SG_FAULT_PAGE, 0}};
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        struct rig r;
        struct test_queue q;
        rig_open(&r);
        unsigned before = fake_submitted();
        rig_queue(&r, &q, 1);
        struct test_signal *done = rig_signal(&r, 1, 7);
        struct dispatch p = plain(&r, done, false);
        aql_put(&q, &p);
        EVENTUALLY(fake_submitted() == before + 1);
        fault(c[i].kind, 0xdead000);
        EVENTUALLY(atomic_load(&reports) == 1);
        EVENTUALLY(atomic_load(&q.inactive->value) == c[i].code);
        if (c[i].kind == SG_FAULT_PAGE) {
            EVENTUALLY(atomic_load(&faults) == 1);
            assert_int_equal(atomic_load(&fault_va), 0xdead000);
        }
        aql_put(&q, &p); /* the queue stays stopped */
        sleep_us(GRACE_US);
        assert_int_equal(fake_submitted(), before + 1);
        assert_int_equal(atomic_load(&done->value), 1);
        assert_int_equal(atomic_load(q.read_index), 0);
        rig_close(&r);
    }
}

static void bad_packets(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct rig r;
        struct test_queue q;
        rig_open(&r);
        unsigned before = fake_submitted();
        rig_queue(&r, &q, 1);
        struct dispatch p = plain(&r, NULL, false);
        int64_t code = 0;
        switch (i) {
        case 0:
            p.grid[1] = 0;
            code = 2;
            break;
        case 1:
            p.workgroup[1] = 17; /* 64 * 17 = 1088 > 1024 */
            code = 64;
            break;
        case 2:
            p.group_bytes = 65537;
            code = 4;
            break;
        case 3:
            p.kernel_object = 0x1000;
            code = 8;
            break;
        case 4:
            p.header = 4; /* agent dispatch */
            code = 32;
            break;
        case 5:
            p.header = 0; /* vendor packet, format 9 */
            p.setup = 9;
            code = 256;
            break;
        }
        aql_put(&q, &p);
        EVENTUALLY(atomic_load(&q.inactive->value) == code);
        assert_int_equal(atomic_load(&reports), 1);
        assert_int_equal(fake_submitted(), before);
        rig_close(&r);
    }
}

static void pm4_invalidates_code(void **state)
{
    (void)state;
    struct rig r;
    struct test_queue q;
    rig_open(&r);
    unsigned before = fake_invalidations();
    rig_queue(&r, &q, 1);
    uint32_t *ib = rig_alloc(&r, 64);
    ib[0] = 0xc0055800; /* ACQUIRE_MEM, 6 dwords of body */
    uint64_t va = (uintptr_t)ib;
    uint32_t packet[16] = {0x00010000, 0xc0023f00, (uint32_t)va, (uint32_t)(va >> 32), 7 | 1u << 23, 10};
    aql_put(&q, packet);
    EVENTUALLY(atomic_load(q.read_index) == 1);
    assert_int_equal(fake_invalidations(), before + 1);
    rig_close(&r);
}

static void rocr_copy_kernel_runs_natively(void **state)
{
    (void)state;
    const struct code *code =
        assemble("gfx90a", "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_load_dwordx4 s[8:11], s[0:1], 0x10\n"
                           "s_load_dwordx4 s[12:15], s[0:1], 0x20\ns_load_dwordx4 s[16:19], s[0:1], 0x30\n"
                           "s_load_dwordx4 s[20:23], s[0:1], 0x40\ns_load_dword s24, s[0:1], 0x50");
    struct rig r;
    struct test_queue q;
    rig_open(&r);
    unsigned before = fake_submitted();
    rig_queue(&r, &q, 1);
    memcpy(r.kernel + 256, code->words, 4 * code->n);
    size_t n = 3u << 20; /* more than one slice */
    uint8_t *src = rig_alloc(&r, n), *dst = rig_alloc(&r, n + 1);
    for (size_t i = 0; i < n; i++)
        src[i] = (uint8_t)(i * 31 + (i >> 12));
    uint64_t *arg = rig_alloc(&r, 128);
    arg[0] = (uintptr_t)src;
    arg[1] = (uintptr_t)dst;
    arg[8] = (uintptr_t)src + n;
    struct test_signal *done = rig_signal(&r, 1, 0);
    struct dispatch p = plain(&r, done, false);
    p.kernarg = (uintptr_t)arg;
    aql_put(&q, &p);
    EVENTUALLY(atomic_load(&done->value) == 0);
    assert_memory_equal(src, dst, n);
    assert_int_equal(dst[n], 0);
    assert_int_equal(fake_submitted(), before); /* not by the engine */
    rig_close(&r);
}

static void removed_queue_is_left_alone(void **state)
{
    (void)state;
    struct rig r;
    struct test_queue q;
    rig_open(&r);
    unsigned before = fake_submitted();
    rig_queue(&r, &q, 1);
    struct test_signal *done = rig_signal(&r, 1, 9);
    struct dispatch p = plain(&r, done, false);
    aql_put(&q, &p);
    EVENTUALLY(fake_submitted() == before + 1);
    assert_int_equal(sg_cp_remove_queue(r.cp, 1), 0);
    assert_int_equal(sg_cp_remove_queue(r.cp, 1), -22); /* EINVAL */
    memset(q.ring, 0xee, 64);
    complete(0);
    sleep_us(GRACE_US);
    assert_int_equal(atomic_load(&done->value), 1);
    assert_int_equal(q.ring[0], 0xee);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_complete_in_any_order),
        cmocka_unit_test(barrier_bit_waits),
        cmocka_unit_test(blocked_barrier_blocks_its_queue_only),
        cmocka_unit_test(barrier_or),
        cmocka_unit_test(barrier_value),
        cmocka_unit_test(scratch_handshake),
        cmocka_unit_test(scratch_goes_back_first),
        cmocka_unit_test(engine_faults),
        cmocka_unit_test(bad_packets),
        cmocka_unit_test(pm4_invalidates_code),
        cmocka_unit_test(rocr_copy_kernel_runs_natively),
        cmocka_unit_test(removed_queue_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
