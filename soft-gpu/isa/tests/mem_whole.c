/*
 * An access of 8, 12 or 16 bytes is one access of the host: other engine threads see all of it, or nothing.
 *
 * The memory is protected. An instruction of the engine that touches it faults, is single-stepped with the
 * protection off, and then memory is looked at (stores: each element is written whole or not at all) or
 * changed (loads: every dword gets the number of the step, so an element that two instructions loaded has
 * different numbers). That is the worst that another thread can do between two instructions.
 */
#include "mem_page.h"
#include <stdio.h>

enum {
    DATA = 30,
    ADDRESS = 2,
    V_SHARP = 4,
};

enum form { GLOBAL, SADDR, FLAT, BUFFER, FORMAT, FORMS };
static const char *const form_name[FORMS] = {"global", "saddr", "flat", "buffer", "buffer format"};

static bool storing;
static uint32_t steps;

/* The access under test: where each lane's element lies, -1: the lane is off. */
static int at[64];
static unsigned dwords;
static int torn; /* lane whose element was seen half, -1: none */

static void look(void)
{
    for (unsigned lane = 0; lane < 64; lane++) {
        unsigned there = 0;
        for (unsigned k = 0; at[lane] >= 0 && k < dwords; k++)
            there += page[at[lane] / 4 + (int)k] != 0;
        if (there && there != dwords)
            torn = (int)lane;
    }
}

static void on_step(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info;
    steps++;
    if (storing)
        look();
    else
        for (unsigned i = 0; i < WORDS; i++)
            page[i] = steps;
    protect_again(context, storing ? PROT_READ : PROT_NONE);
}

enum place { CONTIGUOUS, SHIFTED, BACKWARDS, ROWS, SCATTERED, ONE_PLACE, PLACES };

/* Places that take different paths. Twelve bytes are whole where they lie in an aligned block of 16. */
static unsigned place(enum place kind, unsigned lane)
{
    const unsigned bytes = 4 * dwords;
    switch (kind) {
    case CONTIGUOUS:
        return 64 + lane * bytes;
    case SHIFTED: /* aligned as little as possible */
        return (dwords == 3 ? 68 : 64 + bytes) + lane * bytes;
    case BACKWARDS:
        return 64 + (63 - lane) * bytes;
    case ROWS: /* of 8 lanes */
        return 64 + lane / 8 * 192 + lane % 8 * bytes;
    case SCATTERED:
        return 64 + lane * 7 % 64 * 48 + (dwords == 3 ? 4 : 0);
    default:
        return 128;
    }
}

static bool can_be_whole(unsigned offset)
{
    return dwords != 3 || offset % 16 <= 4;
}

/* The instruction as text, kept until the next call. */
static const char *instruction(enum form form)
{
    static char text[128];
    const char *data = registers("v", DATA, dwords), *name = storing ? "store" : "load";
    const char *to = storing ? "" : data, *comma = storing ? "" : ", ", *from = storing ? data : "";
    switch (form) {
    case GLOBAL:
        snprintf(text, sizeof text, "global_%s_dwordx%u %s%sv[2:3]%s%s, off", name, dwords, to, comma,
                 storing ? ", " : "", from);
        break;
    case SADDR:
        snprintf(text, sizeof text, "global_%s_dwordx%u %s%sv2%s%s, s[8:9]", name, dwords, to, comma,
                 storing ? ", " : "", from);
        break;
    case FLAT:
        snprintf(text, sizeof text, "flat_%s_dwordx%u %s%sv[2:3]%s%s", name, dwords, to, comma,
                 storing ? ", " : "", from);
        break;
    case BUFFER:
        snprintf(text, sizeof text, "buffer_%s_dwordx%u %s, v2, s[4:7], 0 offen", name, dwords, data);
        break;
    default:
        snprintf(text, sizeof text, "buffer_%s_format_%.*s %s, v2, s[4:7], 0 offen", name, (int)dwords,
                 "xyzw", data);
    }
    return text;
}

static void prepare(enum form form, enum place kind, uint64_t exec)
{
    enum { UINT = 4, F_32_32 = 11, F_32_32_32 = 13, F_32_32_32_32 = 14 };
    static const unsigned formats[] = {0, 0, F_32_32, F_32_32_32, F_32_32_32_32};
    const uint64_t base = GPU_BASE + PAGE_OFFSET;
    set_exec(&t, exec);
    set_s64(&t, 8, base);
    t.image->s[V_SHARP] = (uint32_t)base;
    t.image->s[V_SHARP + 1] = (uint32_t)(base >> 32);
    t.image->s[V_SHARP + 2] = PAGE;
    t.image->s[V_SHARP + 3] = 4 | 5 << 3 | 6 << 6 | 7 << 9 | UINT << 12 | formats[dwords] << 15;
    for (unsigned i = 0; i < 64; i++) {
        const unsigned offset = place(kind, i);
        const bool wide = form == GLOBAL || form == FLAT;
        at[i] = exec >> i & 1 && can_be_whole(offset) ? (int)offset : -1;
        set_v64(&t, ADDRESS, i, wide ? base + offset : offset);
        for (unsigned k = 0; k < dwords; k++)
            t.image->v[DATA + k][i] = 0x100 + i;
    }
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
    memset(page, 0, PAGE);
    mprotect(page, PAGE, storing ? PROT_READ : PROT_NONE);
    steps = 0;
    torn = -1;
}

/* Runs one instruction under the eyes of on_touch and on_step. */
static int run_stepped(const char *text)
{
    const struct sigaction touch = {.sa_sigaction = on_touch, .sa_flags = SA_SIGINFO},
                           step = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    struct sigaction old_touch, old_step;
    sigaction(SIGSEGV, &touch, &old_touch);
    sigaction(SIGTRAP, &step, &old_step);
    int status = run(&t, "%s", text);
    sigaction(SIGSEGV, &old_touch, NULL);
    sigaction(SIGTRAP, &old_step, NULL);
    return status;
}

static void one_case(enum form form, enum place kind, uint64_t exec)
{
    prepare(form, kind, exec);
    assert_int_equal(run_stepped(instruction(form)), 0);
    assert_true(steps > 0);
    for (unsigned i = 0; !storing && i < 64; i++)
        for (unsigned k = 1; at[i] >= 0 && k < dwords; k++)
            if (t.image->v[DATA + k][i] != t.image->v[DATA][i])
                torn = (int)i;
    if (torn >= 0)
        fail_msg("%s of %u dwords (%s), places %d, exec %llx: torn in lane %d", storing ? "store" : "load",
                 dwords, form_name[form], (int)kind, (unsigned long long)exec, torn);
}

static void all_cases(bool store)
{
    static const uint64_t execs[] = {~0ull, 1, 1ull << 63, 0x0ff0, 0xfff0ff00f0f0aaaaull};
    storing = store;
    for (dwords = 2; dwords <= 4; dwords++)
        for (unsigned form = 0; form < FORMS; form++)
            for (unsigned kind = 0; kind < PLACES; kind++)
                for (unsigned e = 0; e < sizeof execs / sizeof *execs; e++)
                    one_case((enum form)form, (enum place)kind, execs[e]);
}

static void loads(void **state)
{
    (void)state;
    all_cases(false);
}

static void stores(void **state)
{
    (void)state;
    all_cases(true);
}

/* Scalar accesses: pairs of dwords, and fours of the longer ones, which need not be more than dwords apart from their base. */
static void scalar_case(const char *name, bool buffer, unsigned n)
{
    static char text[128];
    dwords = n < 4 ? n : 4;
    storing = strstr(name, "store");
    prepare(FLAT, CONTIGUOUS, 0);
    for (unsigned i = 0; i < n / dwords; i++)
        at[i] = 128 + 16 * (int)i;
    for (unsigned k = 0; k < n; k++)
        t.image->s[16 + k] = 0x100;
    snprintf(text, sizeof text, "s_%s_dwordx%u s[16:%u], s[%s], 0x80%s", name, n, 15 + n,
             buffer ? "4:7" : "8:9", storing ? " glc" : "");
    assert_int_equal(run_stepped(text), 0);
    assert_true(steps > 0);
    for (unsigned k = 0; !storing && k < n; k++)
        if (t.image->s[16 + k] != t.image->s[16 + k / dwords * dwords])
            torn = (int)(k / dwords);
    if (torn >= 0)
        fail_msg("%s: torn in part %d", text, torn);
}

static void scalar_accesses(void **state)
{
    (void)state;
    for (unsigned n = 2; n <= 16; n *= 2) {
        scalar_case("load", false, n);
        scalar_case("buffer_load", true, n);
        if (n > 4)
            continue;
        scalar_case("scratch_load", false, n);
        scalar_case("store", false, n);
        scalar_case("buffer_store", true, n);
    }
}

/* A store of 12 bytes leaves its neighbour alone. */
static void neighbours(void **state)
{
    (void)state;
    dwords = 3;
    storing = true;
    for (unsigned shift = 0; shift < 16; shift++) {
        prepare(GLOBAL, SCATTERED, 1ull << 5);
        mprotect(page, PAGE, PROT_READ | PROT_WRITE);
        memset(page, 0xee, PAGE);
        set_v64(&t, ADDRESS, 5, GPU_BASE + PAGE_OFFSET + 256 + shift);
        run_ok(&t, "%s", instruction(GLOBAL));
        const uint8_t *p = (const uint8_t *)page + 256;
        const uint32_t expected[3] = {0x105, 0x105, 0x105};
        assert_memory_equal(p + shift, expected, 12);
        for (unsigned i = 0; i < 16; i++)
            assert_true(p[(int)shift - 1 - (int)i] == 0xee && p[shift + 12 + i] == 0xee);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_PAGE(loads),
        ON_PAGE(stores),
        ON_PAGE(scalar_accesses),
        ON_PAGE(neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
