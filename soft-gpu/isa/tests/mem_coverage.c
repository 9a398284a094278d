/*
 * Every opcode of the memory formats that a target's table has must be executable; what is not is listed
 * here.
 */
#include "mem_test.h"
#include "inst.h"

/* Global wave sync needs others to wait for; the bare wavefront here has none, and is told so. */
static bool waits_for_others(unsigned op)
{
    switch (op) {
    case SG_OP_DS_GWS_SEMA_RELEASE_ALL:
    case SG_OP_DS_GWS_INIT:
    case SG_OP_DS_GWS_SEMA_V:
    case SG_OP_DS_GWS_SEMA_BR:
    case SG_OP_DS_GWS_SEMA_P:
    case SG_OP_DS_GWS_BARRIER:
        return true;
    default:
        return false;
    }
}

/* Runs one instruction with EXEC = 0, so that it touches nothing. */
static unsigned try_one(struct bench *t, struct inst i)
{
    struct sg_inst decoded;
    if (!sg_decode(t->arch, i.w, 2, 0, &decoded))
        return 0;
    set_exec(t, 0);
    int status = run(t, i);
    if (waits_for_others(decoded.op)) {
        assert_int_equal(status, -1);
        assert_int_equal(t->fault.kind, SG_FAULT_DEADLOCK);
        return 1;
    }
    if (status)
        fail_msg("%s %s: %s", t->arch->name, sg_op_name(decoded.op), t->fault.message);
    return 1;
}

static void all_opcodes(const char *arch, unsigned expected)
{
    struct bench t;
    unsigned n = 0;
    bench_open(&t, arch);
    for (unsigned op = 0; op < 256; op++) {
        struct inst gws = ds(op, 0, 0, 0, 0, 16);
        gws.w[0] |= 1 << 16;
        n += op >= 152 && op <= 157 ? try_one(&t, gws) : try_one(&t, ds(op, 8, 2, 4, 6, 16));
    }
    for (unsigned op = 0; op < 128; op++) {
        n += try_one(&t, flat(SEG_FLAT, op, 8, 2, 4, 0, 16, 0));
        n += try_one(&t, flat(SEG_GLOBAL, op, 8, 2, 4, SADDR_OFF, 16, 0));
        n += try_one(&t, flat(SEG_SCRATCH, op, 8, 2, 4, SADDR_OFF, 16, 0));
        n += try_one(&t, mubuf(op, 8, 2, 4, INLINE_0, 16, OFFEN));
        n += try_one(&t, mimg(op, 8, 2, 8, 4, 1, MIMG_UNRM));
    }
    for (unsigned op = 0; op < 16; op++)
        n += try_one(&t, mtbuf(op, 8, 2, 4, INLINE_0, 16, 4, 7, OFFEN));
    assert_int_equal(n, expected);
    bench_close(&t);
}

/* Opcodes that LLVM 22 accepts: DS + FLAT + GLOBAL + SCRATCH + MUBUF + MTBUF (+ MIMG). */
static void gfx90a(void **state)
{
    (void)state;
    all_opcodes("gfx90a", 123 + 51 + 53 + 22 + 76 + 16 + 25);
}
static void gfx942(void **state)
{
    (void)state;
    all_opcodes("gfx942", 127 + 54 + 59 + 27 + 73 + 16);
}
static void gfx950(void **state)
{
    (void)state;
    all_opcodes("gfx950", 131 + 54 + 61 + 27 + 74 + 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gfx90a),
        cmocka_unit_test(gfx942),
        cmocka_unit_test(gfx950),
    };
    return cmocka_run_group_tests_name("mem_coverage", tests, NULL, NULL);
}
