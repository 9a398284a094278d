/*
 * valu_pairs.c - instructions that are run as pairs (uop.h): 64-bit additions and subtractions, EXEC with the
 * branch behind it. What is expected is computed here one instruction after the other, lane by lane, from the
 * MI200 ISA's definition of each.
 */
#include <stdio.h>
#include "valu_test.h"

enum { V = 256, ROWS = 5, ROUNDS = 4000 };

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

enum { NO_SCALAR = 0 };

/* A row, or for one operand of an instruction a constant, or now and then `out`, where the carry goes. */
static unsigned operand(bool scalar, unsigned out)
{
    if (scalar)
        return any(3) || out == NO_SCALAR ? 128 + any(3) : out;
    return V + any(ROWS);
}

static struct carry choose(bool subtract, bool takes, unsigned in)
{
    static const unsigned pairs[] = {VCC, 10, 20};
    const unsigned out = pairs[any(3)], scalar = any(3);
    struct carry c = {subtract, takes, any(ROWS), 0, 0, in, out};
    /* With a carry in, the only other scalars that the assembler allows are constants. */
    c.a = operand(scalar == 1, takes ? NO_SCALAR : out);
    c.b = operand(scalar == 2, takes ? NO_SCALAR : out);
    return c;
}

/* A 32-bit source: a row, a constant, or the lower half of a pair. */
static const char *source_text(unsigned operand)
{
    static char text[8][16];
    static unsigned next;
    char *out = text[next++ % 8];
    if (operand == VCC)
        return "vcc_lo";
    snprintf(out, sizeof text[0], "%s%u",
             operand >= V     ? "v"
             : operand >= 128 ? ""
                              : "s",
             operand >= V     ? operand - V
             : operand >= 128 ? operand - 128
                              : operand);
    return out;
}
static const char *pair_text(unsigned s)
{
    return s == VCC ? "vcc" : registers("s", s, 2);
}

static void emit(FILE *out, const struct carry *c)
{
    const char *name = c->subtract ? "sub" : "add";
    fprintf(out, "v_%s%s_co_u32_e64 v%u, %s, %s, %s", name, c->takes ? c->subtract ? "b" : "c" : "", c->d,
            pair_text(c->out), source_text(c->a), source_text(c->b));
    fprintf(out, c->takes ? ", %s\n" : "\n", pair_text(c->in));
}

struct round {
    bool second_only;
    struct carry low, high;
    const char *arch;
};

/* All rounds in one text: the assembler is started once for each GPU. Two instructions of two words each. */
static void choose_rounds(struct round *list, char **text)
{
    size_t size;
    FILE *out = open_memstream(text, &size);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const bool subtract = any(2);
        struct round *r = &list[i];
        r->second_only = any(8) == 0;
        r->low = choose(subtract, false, 0);
        r->high = choose(subtract, true, any(8) ? r->low.out : 10);
        r->arch = any(2) ? "gfx90a" : "gfx942";
        emit(out, &r->low);
        emit(out, &r->high);
    }
    fclose(out);
}

static void run_round(const struct round *r, const char *text, unsigned i)
{
    const struct code *all = assemble(r->arch, text), *over = assemble(r->arch, "s_branch 2");
    struct sg_fault fault = {0};
    uint32_t words[5] = {over->words[0]}; /* over the first of the two */
    assert_int_equal(all->n, 4 * ROUNDS);
    memcpy(words + 1, all->words + 4 * i, 16);
    if (sg_engine_exec_raw(ls_gpu_find_emulated(r->arch), NULL, words + !r->second_only, 4 + r->second_only,
                           &image, &fault))
        fail_msg("%s: %s", fault.instruction, fault.message);
}

static void wide_additions(void **unused)
{
    static struct sg_wave_image expected;
    static struct round rounds[ROUNDS];
    char *text = NULL;
    (void)unused;
    choose_rounds(rounds, &text);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const struct round *r = &rounds[i];
        reset();
        for (unsigned row = 0; row < ROWS; row++)
            for (unsigned lane = 0; lane < 64; lane++)
                image.v[row][lane] = value();
        image.s[10] = value();
        image.s[11] = value();
        if (any(2))
            set_exec((uint64_t)value() << 32 | value());
        expected = image;
        if (!r->second_only)
            expect_carry(&expected, &r->low);
        expect_carry(&expected, &r->high);
        run_round(r, text, i);
        assert_memory_equal(image.v, expected.v, ROWS * sizeof image.v[0]);
        assert_memory_equal(image.s, expected.s, sizeof image.s);
    }
    free(text);
}

/* s_and_saveexec_b64 s[8:9], s[10:11], a branch over one instruction when nothing is left, and one behind. */
#define BRANCH                                                                                               \
    "s_cbranch_execz none\n"                                                                                 \
    "s_mov_b32 s20, -1\n" /* runs without lanes, too */                                                      \
    "none: v_mov_b32 v6, 1\n"
static void save_and_branch(void **unused)
{
    (void)unused;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned round = 0; round < 64; round++) {
            const uint64_t exec = (uint64_t)value() << 32 | value();
            const uint64_t mask = any(2) ? (uint64_t)value() << 32 | value() : k ? exec : ~exec;
            const uint64_t left = k ? mask & ~exec : mask & exec;
            reset();
            set_exec(exec);
            image.s[10] = (uint32_t)mask;
            image.s[11] = (uint32_t)(mask >> 32);
            run_on("gfx90a", k ? "s_andn2_saveexec_b64 s[8:9], s[10:11]\n" BRANCH /* s[10:11] & ~EXEC */
                               : "s_and_saveexec_b64 s[8:9], s[10:11]\n" BRANCH);
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
