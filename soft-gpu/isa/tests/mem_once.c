/*
 * A store writes each dword once. Memory is shared with the host: a flag that a kernel sets may be taken and
 * cleared by a host thread at once, and must not come back.
 *
 * The memory is write-protected. An instruction of the engine that writes to it faults, is single-stepped
 * with the protection off, and then every word that is not 0 is counted and cleared, as by a host that is as
 * quick as can be.
 */
#include "mem_page.h"

static unsigned written[WORDS];

static void on_step(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info;
    for (unsigned i = 0; i < WORDS; i++)
        if (page[i])
            page[i] = 0, written[i]++;
    protect_again(context, PROT_READ);
}

/* Places that take different paths; none overlap. */
static unsigned place(unsigned kind, unsigned lane, unsigned bytes)
{
    switch (kind) {
    case 0:
        return 64 + lane * bytes; /* contiguous */
    case 1:
        return 64 + (63 - lane) * bytes; /* backwards */
    case 2:
        return 64 + lane / 8 * 192 + lane % 8 * bytes; /* rows of 8 lanes */
    default:
        return 64 + lane * 7 % 64 * 48; /* scattered */
    }
}

static void store_case(unsigned dwords, unsigned kind, uint64_t exec)
{
    static const char *const width[] = {"", "", "x2", "x3", "x4"};
    unsigned expected[WORDS] = {0};
    const struct sigaction write = {.sa_sigaction = on_touch, .sa_flags = SA_SIGINFO},
                           step = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    struct sigaction old_write, old_step;
    memset(written, 0, sizeof written);
    set_exec(&t, exec);
    for (unsigned i = 0; i < 64; i++) {
        const unsigned at = place(kind, i, 4 * dwords);
        set_v64(&t, 2, i, GPU_BASE + PAGE_OFFSET + at);
        for (unsigned k = 0; k < dwords; k++) {
            t.image->v[30 + k][i] = 1 + i;
            expected[at / 4 + k] = exec >> i & 1;
        }
    }
    sigaction(SIGSEGV, &write, &old_write);
    sigaction(SIGTRAP, &step, &old_step);
    int status = run(&t, "global_store_dword%s v[2:3], %s, off", width[dwords], registers("v", 30, dwords));
    sigaction(SIGSEGV, &old_write, NULL);
    sigaction(SIGTRAP, &old_step, NULL);
    assert_int_equal(status, 0);
    for (unsigned i = 0; i < WORDS; i++)
        if (written[i] != expected[i])
            fail_msg("%u dwords, places %u, exec %llx: word %u written %u times, not %u", dwords, kind,
                     (unsigned long long)exec, i, written[i], expected[i]);
}

/* A flag of one lane, and every length of a run, at both ends of the wavefront. */
static void runs(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 64; n++) {
        store_case(1, 0, ~0ull >> (64 - n));
        store_case(1, 0, ~0ull << (64 - n));
    }
}

static void widths(void **state)
{
    (void)state;
    static const uint64_t execs[] = {~0ull, 1, 1ull << 63, 0x0ff0, 0xfff0ff00f0f0aaaaull};
    for (unsigned dwords = 1; dwords <= 4; dwords++)
        for (unsigned kind = 0; kind < 4; kind++)
            for (unsigned e = 0; e < sizeof execs / sizeof *execs; e++)
                store_case(dwords, kind, execs[e]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_PAGE(runs),
        ON_PAGE(widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
