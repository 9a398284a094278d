/*
 * valu_pairs.c - instructions that are run as pairs (uop.h): 64-bit additions and subtractions, EXEC with the
 * branch behind it. What is expected is computed here one instruction after the other, lane by lane, from the
 * MI200 ISA's definition of each.
 */
#include "valu_test.h"

enum {
    OP_ADD_CO = 281, /* VOP3B opcodes; SUB_CO 282, ADDC_CO 284, SUBB_CO 285 */
    OP_ADDC_CO = 284,
    ROWS = 5,
    ROUNDS = 4000,
};

static uint32_t seed = 1;
static uint32_t any(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % n;
}

/* Carries are rare among random numbers, so many operands are near the ends. */
static uint32_t value(void)
{
    switch (any(4)) {
    case 0:
        return any(3);
    case 1:
        return 0u - any(3);
    default:
        return any(65536) << 16 | any(65536);
    }
}

struct carry {
    bool subtract, takes;
    unsigned d, a, b, in, out; /* in, out: scalar pairs */
};

static uint32_t source(const struct sg_wave_image *m, unsigned operand, unsigned lane)
{
    if (operand >= V)
        return m->v[operand - V][lane];
    return operand >= 128 ? operand - 128 : m->s[operand];
}

static void expect_carry(struct sg_wave_image *m, const struct carry *c)
{
    const uint64_t exec = m->s[EXEC] | (uint64_t)m->s[EXEC + 1] << 32;
    const uint64_t in = c->takes ? m->s[c->in] | (uint64_t)m->s[c->in + 1] << 32 : 0;
    uint64_t out = 0;
    for (unsigned lane = 0; lane < 64; lane++) {
        if (!(exec >> lane & 1))
            continue;
        const uint64_t x = source(m, c->a, lane), y = source(m, c->b, lane), bit = in >> lane & 1;
        const uint64_t r = c->subtract ? x - y - bit : x + y + bit;
        m->v[c->d][lane] = (uint32_t)r;
        out |= (r >> 32 & 1) << lane; /* a borrow makes the upper half all ones */
    }
    m->s[c->out] = (uint32_t)out;
    m->s[c->out + 1] = (uint32_t)(out >> 32);
}

/* A row, or for one operand of an instruction a scalar: of the carry out itself now and then. */
static unsigned operand(bool scalar, unsigned out)
{
    if (scalar)
        return any(3) ? 128 + any(3) : out;
    return V + any(ROWS);
}

static struct carry choose(bool subtract, bool takes, unsigned in)
{
    static const unsigned pairs[] = {VCC, 10, 20};
    const unsigned out = pairs[any(3)], scalar = any(3);
    struct carry c = {subtract, takes, any(ROWS), 0, 0, in, out};
    /* With a carry in, the only other scalars that the encoding allows are constants and the carry itself. */
    c.a = operand(scalar == 1, takes ? in : out);
    c.b = operand(scalar == 2, takes ? in : out);
    return c;
}

static void emit(struct program *p, const struct carry *c)
{
    vop3(p, (c->takes ? OP_ADDC_CO : OP_ADD_CO) + c->subtract, c->d, c->out << 8, c->a, c->b,
         c->takes ? c->in : 0, 0);
}

static void wide_additions(void **unused)
{
    static struct sg_wave_image expected;
    (void)unused;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const bool subtract = any(2), second_only = any(8) == 0;
        struct carry low = choose(subtract, false, 0);
        struct carry high = choose(subtract, true, any(8) ? low.out : 10);
        struct program p = {0};
        reset();
        for (unsigned row = 0; row < ROWS; row++)
            for (unsigned lane = 0; lane < 64; lane++)
                image.v[row][lane] = value();
        image.s[10] = value();
        image.s[11] = value();
        if (any(2))
            set_exec((uint64_t)value() << 32 | value());
        expected = image;
        if (second_only)
            put(&p, 0xbf820002); /* s_branch over the first, 2 dwords */
        else
            expect_carry(&expected, &low);
        expect_carry(&expected, &high);
        emit(&p, &low);
        emit(&p, &high);
        run_on(any(2) ? "gfx90a" : "gfx942", &p);
        assert_memory_equal(image.v, expected.v, ROWS * sizeof image.v[0]);
        assert_memory_equal(image.s, expected.s, sizeof image.s);
    }
}

/* s_and_saveexec_b64 s[8:9], s[10:11], a branch over one instruction when nothing is left, and one behind. */
static void save_and_branch(void **unused)
{
    static const uint32_t saveexec[] = {0xbe88200a, 0xbe88230a}; /* and, andn2: s[10:11] & ~EXEC */
    (void)unused;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned round = 0; round < 64; round++) {
            const uint64_t exec = (uint64_t)value() << 32 | value();
            const uint64_t mask = any(2) ? (uint64_t)value() << 32 | value() : k ? exec : ~exec;
            const uint64_t left = k ? mask & ~exec : mask & exec;
            struct program p = {0};
            reset();
            set_exec(exec);
            image.s[10] = (uint32_t)mask;
            image.s[11] = (uint32_t)(mask >> 32);
            put(&p, saveexec[k]);
            put(&p, 0xbf880001); /* s_cbranch_execz */
            put(&p, 0xbe9400c1); /* s_mov_b32 s20, -1: runs without lanes, too */
            vop1(&p, 1, 6, 129); /* v_mov_b32 v6, 1 */
            run_on("gfx90a", &p);
            assert_int_equal(pair(EXEC), left);
            assert_int_equal(pair(8), exec);
            assert_int_equal(image.scc, left != 0);
            assert_int_equal(image.s[20], left ? UINT32_MAX : 0);
            for (unsigned lane = 0; lane < 64; lane++)
                assert_int_equal(image.v[6][lane], left >> lane & 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wide_additions), cmocka_unit_test(save_and_branch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
