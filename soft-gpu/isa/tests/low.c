/*
 * low.c - handlers for the lower half of rows (uop.h, struct sg_low) against those for all lanes: the same wavefront,
 * of which no lane of the upper half is active, must come out of both alike. Those of memory are left to
 * kernels (test_kernels.c) and mem_fast.c.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/check.h"
#include "soft-gpu/isa/decode/decode.h"
#include "soft-gpu/isa/memory/mem_atomic_ops.h"
#include "soft-gpu/isa/vector/valu.h"
#include "soft-gpu/isa/wave/wave.h"

extern const struct sg_low __start_sg_low[], __stop_sg_low[];

enum { SCALARS = 768, LDS_BYTES = 65536, ROUNDS = 12, STOPPED = 77 };

static uint32_t seed = 1;
static uint32_t any(void)
{
    seed = seed * 1664525u + 1013904223u;
    const uint32_t high = seed & 0xffff0000u;
    seed = seed * 1664525u + 1013904223u;
    return high | seed >> 16;
}

/* No NaN in any format, for of two of them either may become the result: two bits that are in the exponents of 16-bit
 * floats and of longer ones are never both set. */
static uint32_t value(void)
{
    const uint32_t high = any() & 1 ? 1u << 30 : 1u << 26, low = any() & 1 ? 1u << 14 : 1u << 10;
    return any() & ~(high | low);
}

static int stop(SG_ARGS)
{
    (void)w;
    (void)u;
    (void)v;
    (void)s;
    return STOPPED;
}

enum room { VECTOR, LDS, LDS_ATOMIC, MEMORY };

static enum room room_of(sg_fn fn)
{
    for (unsigned op = 0; op < SG_ATOMICS; op++)
        if (fn == sg_lds_atomic_handlers[0][op] || fn == sg_lds_atomic_handlers[1][op])
            return LDS_ATOMIC;
    for (unsigned e = 0; e < SG_ELEMS; e++) {
        if (fn == sg_lds_loads[e] || fn == sg_lds_stores[e])
            return LDS;
        if (fn == sg_global_loads[e] || fn == sg_global_stores[e] || fn == sg_saddr_loads[e] ||
            fn == sg_saddr_stores[e] || fn == sg_flat_loads[e] || fn == sg_flat_stores[e] ||
            fn == sg_scratch_loads[e] || fn == sg_scratch_stores[e] || fn == sg_buffer_loads[e] ||
            fn == sg_buffer_stores[e])
            return MEMORY;
    }
    return fn == sg_lds_read2_b32 || fn == sg_lds_read2_b64 || fn == sg_lds_write2_b32 ||
                   fn == sg_lds_write2_b64
               ? LDS
               : VECTOR;
}

/* A row, or a scalar: which, the handler knows. */
static void fill_uops(struct sg_uop u[3], sg_fn fn, unsigned round)
{
    const enum room room = room_of(fn);
    memset(u, 0, 3 * sizeof *u);
    u[0] = (struct sg_uop){.d = 8, .a = 16, .b = 24, .c = 32, .imm = 40 | 44 << 16, .flags = any() & 7};
    u[1] = (struct sg_uop){.fn = stop, .d = 10, .a = 18, .b = 26, .c = 40, .imm = 48 | 52 << 16};
    u[2].fn = stop;
    if (round & 1) /* the result goes where an operand is */
        u[0].d = u[0].a;
    if (fn == sg_valu_extract) { /* so many bits from there on, which are in a word */
        u[0].imm = 1 + (int32_t)(any() % 16);
        u[0].x = any() % 17;
    }
    if (room == LDS_ATOMIC) {
        u[0].imm = 16;
        u[0].flags = round & 4 ? SG_MF_RETURN : 0;
    }
    if (room == LDS) {
        u[0].imm = 16;
        u[0].x = round & 2 ? 24 : 20;
        u[0].flags = 0;
    }
}

/* Addresses in LDS: in lane order, the same for all, in eights, any. */
static uint32_t address(unsigned lane, unsigned round, unsigned bytes)
{
    switch (round % 4) {
    case 0:
        return 256 + lane * bytes;
    case 1:
        return 512;
    case 2:
        return lane / 8 * 512 + lane % 8 * bytes;
    default:
        return any() % 32768 / 16 * 16;
    }
}

struct state {
    struct sg_wave w;
    struct sg_workgroup group;
    uint8_t *lds;
};

static void fill(struct state *x, enum room room, unsigned round)
{
    static const uint32_t modes[] = {0x3f0, 0x300, 0xf0};
    struct sg_wave *w = &x->w;
    const uint64_t exec = round % 3 == 0 ? UINT32_MAX : any() | 1u << any() % 32;
    for (unsigned row = 0; row < 64; row++)
        for (unsigned lane = 0; lane < SG_MAX_LANES; lane++)
            w->v[row][lane] = value();
    for (unsigned lane = 0; room != VECTOR && lane < SG_MAX_LANES; lane++)
        w->v[16][lane] = address(lane, round, room == LDS_ATOMIC ? 8 : 4u << (round / 4 % 3));
    for (unsigned i = 0; i < 64; i++)
        w->s[i] = value();
    for (unsigned i = 0; i < LDS_BYTES; i += 4)
        memcpy(x->lds + i, &(uint32_t){room == LDS ? any() % 2048 * 16 : value()}, 4);
    sg_set_s64(w->s, SG_S_EXEC, exec);
    sg_set_s64(w->s, SG_S_VCC, any());
    w->mode = modes[round % 3];
    w->exec = exec;
    sg_spread_bits(exec, w->xm, SG_MAX_LANES);
}

static void make(struct state *x)
{
    memset(x, 0, sizeof *x);
    assert_true(sg_wave_alloc(&x->w));
    sg_wave_set_lanes(&x->w, SG_HALF_LANES);
    x->w.arch = ls_gpu_find_emulated("gfx1030");
    x->lds = calloc(1, LDS_BYTES + 4096);
    assert_non_null(x->lds);
    x->group = (struct sg_workgroup){.lds = x->lds, .lds_bytes = LDS_BYTES, .n_waves = 1};
    x->w.wg = &x->group;
}

static void copy(struct state *to, const struct state *from)
{
    memcpy(to->w.v, from->w.v, 64 * sizeof from->w.v[0]);
    memcpy(to->w.s, from->w.s, SCALARS * sizeof *from->w.s);
    memcpy(to->w.xm, from->w.xm, sizeof from->w.xm);
    memcpy(to->lds, from->lds, LDS_BYTES);
    to->w.exec = from->w.exec;
    to->w.mode = from->w.mode;
}

static void compare(const struct state *x, const struct state *y)
{
    for (unsigned row = 0; row < 64; row++)
        assert_memory_equal(x->w.v[row], y->w.v[row], SG_HALF_LANES * 4);
    assert_memory_equal(x->w.s, y->w.s, SCALARS * 4);
    assert_memory_equal(x->lds, y->lds, LDS_BYTES);
}

static void same_as_all_lanes(void **state)
{
    (void)state;
    struct state all, half;
    unsigned n = 0;
    make(&all);
    make(&half);
    for (const struct sg_low *p = __start_sg_low; p < __stop_sg_low; p++) {
        const enum room room = room_of(p->fn);
        for (unsigned round = 0; room != MEMORY && round < ROUNDS; round++) {
            struct sg_uop u[3];
            fill_uops(u, p->fn, round);
            fill(&all, room, round);
            copy(&half, &all);
            assert_int_equal(p->fn(&all.w, u, all.w.v, all.w.s), STOPPED);
            assert_int_equal(p->low(&half.w, u, half.w.v, half.w.s), STOPPED);
            compare(&all, &half);
        }
        n += room != MEMORY;
    }
    assert_true(n > 500 &&
                __stop_sg_low - __start_sg_low < 4096 / 2); /* decode/pairs.c has slots for twice as many */
    sg_wave_free(&all.w);
    sg_wave_free(&half.w);
    free(all.lds);
    free(half.lds);
}

static bool is_pair(sg_fn fn)
{
    for (const struct sg_pair *p = sg_valu_carry_pairs; p->first; p++)
        if (p->fused == fn)
            return true;
    return false;
}

/* Three in a row (not of pairs), the second one's operand the first one's result, or by the same addresses: handlers for half a row do such a run
 * in one call when all lanes are active. */
static void same_in_runs(void **state)
{
    (void)state;
    struct state one, run;
    make(&one);
    make(&run);
    for (const struct sg_low *p = __start_sg_low; p < __stop_sg_low; p++) {
        const enum room room = room_of(p->fn);
        for (unsigned round = 0; room < LDS_ATOMIC && !is_pair(p->fn) && round < ROUNDS; round++) {
            struct sg_uop u[3], three[4];
            fill_uops(u, p->fn, round);
            if (room == LDS && round & 1 && p->fn != sg_lds_read2_b32)
                continue; /* what others load is no address */
            if (any() & 1)
                u[0].flags = 0;
            for (unsigned i = 0; i < 3; i++) {
                three[i] = u[0];
                three[i].fn = p->low;
                if (room == VECTOR)
                    three[i].a = (uint16_t)(i == 1 ? u[0].d : u[0].a + 2 * i);
                three[i].d = (uint16_t)(u[0].d + 2 * i);
            }
            three[3] = (struct sg_uop){.fn = stop};
            fill(&one, room, round);
            copy(&run, &one);
            for (unsigned i = 0; i < 3; i++) {
                u[0] = three[i];
                u[0].fn = p->low;
                assert_int_equal(p->low(&one.w, u, one.w.v, one.w.s), STOPPED);
            }
            const int stopped = p->low(&run.w, three, run.w.v, run.w.s);
            assert_int_equal(stopped, STOPPED);
            compare(&one, &run);
        }
    }
    sg_wave_free(&one.w);
    sg_wave_free(&run.w);
    free(one.lds);
    free(run.lds);
}

/* That the code at `pc` is not run by a handler for all lanes where there is one for half a row. */
static void assert_low(struct sg_code *c, uint64_t pc)
{
    const struct sg_code_entry *e = sg_code_find(c, pc);
    assert_non_null(e);
    for (const struct sg_low *p = __start_sg_low; p < __stop_sg_low; p++)
        assert_true(e->uop->fn != p->fn);
}

/* Decoding takes them for wavefronts of 32 lanes: at the end of a run, which meets code that is there already, and where the run goes on in
 * another chunk of micro-operations, too. */
static void taken_everywhere(void **state)
{
    (void)state;
    enum { MANY = 5000, ADD = 0x06020702 }; /* v_add_f32 v1, v2, v3 */
    static uint32_t words[MANY + 2];
    struct gcn_target target;
    assert_true(gcn_target_find("gfx1030", &target));
    for (unsigned i = 0; i < MANY; i++)
        words[i] = ADD;
    words[MANY] = 0xbf850000 | (0xffff & -(MANY + 1)); /* s_cbranch_scc1 to the first one */
    words[MANY + 1] = gcn_end_word(target);
    const struct sg_code_source source = {.words = words, .dwords = MANY + 2};
    struct sg_code *c = sg_code_create(target, &source, 4ull * MANY, 0);
    assert_non_null(c);
    for (unsigned i = 0; i < MANY; i++)
        assert_low(c, 4 * i);
    sg_code_release(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_all_lanes), cmocka_unit_test(same_in_runs),
                                       cmocka_unit_test(taken_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
