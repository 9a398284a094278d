/*
 * Every opcode of the memory formats that a target's table has must be executable; what is not is listed
 * here.
 */
#include "mem_test.h"
#include "gcn/gcn.h"

/* All opcodes of each format, by number: no list of texts could show that one is missing. The formats are those of
 * AMD's ISA guides, "Microcode Formats". */
struct inst {
    uint32_t w[2];
};

static struct inst ds(unsigned op, unsigned vdst, unsigned addr, unsigned d0, unsigned d1, unsigned offset)
{
    return (struct inst){
        {0x36u << 26 | op << 17 | (offset & 0xffff), vdst << 24 | d1 << 16 | d0 << 8 | addr}};
}

enum { SEG_FLAT, SEG_SCRATCH, SEG_GLOBAL, SADDR_OFF = 0x7f };

static struct inst flat(unsigned seg, unsigned op, unsigned vdst, unsigned addr, unsigned data,
                        unsigned saddr, int offset, uint32_t bits)
{
    return (struct inst){{0x37u << 26 | op << 18 | seg << 14 | ((unsigned)offset & 0x1fff) | bits,
                          vdst << 24 | saddr << 16 | data << 8 | addr}};
}

enum { OFFEN = 1 << 12, INLINE_0 = 128 };

/* srsrc: first SGPR, a multiple of 4. */
static struct inst mubuf(unsigned op, unsigned vdata, unsigned vaddr, unsigned srsrc, unsigned soffset,
                         unsigned offset, uint32_t bits)
{
    return (struct inst){
        {0x38u << 26 | op << 18 | offset | bits, soffset << 24 | (srsrc / 4) << 16 | vdata << 8 | vaddr}};
}

static struct inst mtbuf(unsigned op, unsigned vdata, unsigned vaddr, unsigned srsrc, unsigned soffset,
                         unsigned offset, unsigned dfmt, unsigned nfmt, uint32_t bits)
{
    return (struct inst){{0x3au << 26 | nfmt << 23 | dfmt << 19 | op << 15 | offset | bits,
                          soffset << 24 | (srsrc / 4) << 16 | vdata << 8 | vaddr}};
}

enum { MIMG_UNRM = 1 << 12 };
static struct inst mimg(unsigned op, unsigned vdata, unsigned vaddr, unsigned resource, unsigned sampler,
                        unsigned dmask, uint32_t bits)
{
    return (struct inst){{0x3cu << 26 | op << 18 | dmask << 8 | bits,
                          sampler / 4 << 21 | resource / 4 << 16 | vdata << 8 | vaddr}};
}

/* Global wave sync needs others to wait for; the bare wavefront here has none, and is told so. */
static bool waits_for_others(unsigned op)
{
    switch (op) {
    case GCN_OP_DS_GWS_SEMA_RELEASE_ALL:
    case GCN_OP_DS_GWS_INIT:
    case GCN_OP_DS_GWS_SEMA_V:
    case GCN_OP_DS_GWS_SEMA_BR:
    case GCN_OP_DS_GWS_SEMA_P:
    case GCN_OP_DS_GWS_BARRIER:
        return true;
    default:
        return false;
    }
}

/* Runs one instruction with EXEC = 0, so that it touches nothing. */
static unsigned try_one(struct bench *t, struct inst i)
{
    struct gcn_inst decoded;
    if (!gcn_decode(gcn_target_of(t->arch), i.w, 2, 0, &decoded))
        return 0;
    set_exec(t, 0);
    int status = sg_engine_exec_raw(t->arch, t->mem, i.w, 2, t->image, &t->fault);
    if (waits_for_others(decoded.op)) {
        assert_int_equal(status, -1);
        assert_int_equal(t->fault.kind, SG_FAULT_DEADLOCK);
        return 1;
    }
    if (status)
        fail_msg("%s %s: %s", t->arch->name, gcn_op_name(decoded.op), t->fault.message);
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
