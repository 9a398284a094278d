#include "lds.h"

#include <errno.h>
#include <stdlib.h>

const struct lds_way lds_ways[] = {
    {"read_b32", "read", 4, false, false},    {"read_b64", "read", 8, false, false},
    {"read_b96", "read", 12, false, false},   {"read_b128", "read", 16, false, false},
    {"read2_b32", "read", 4, false, true},    {"read2_b64", "read", 8, false, true},
    {"write_b32", "write", 4, true, false},   {"write_b64", "write", 8, true, false},
    {"write_b96", "write", 12, true, false},  {"write_b128", "write", 16, true, false},
    {"atomic_b32", "atomic", 4, true, false}, {"atomic_b64", "atomic", 8, true, false},
};
const unsigned n_lds_ways = sizeof lds_ways / sizeof lds_ways[0];

/* Byte addresses, for 32, 64 or 128 banks of 4 bytes. Those of MEET and HERE share all banks, those of APART and HERE
 * none, and OTHERS none with any of them, not even 16 bytes wide, nor with the second pass of read2_b64, which lies 64
 * bytes behind the first. */
enum { HERE = 0, MEET = 512, APART = 512 + 16, OTHERS = 96 };
/* Distances that tell the number of banks, in banks. */
static const unsigned distances[] = {16, 32, 64, 128};
enum { N_DISTANCES = 4 };

/* One round: lanes i and j at their addresses, the others at `others`. */
static void set_round(uint32_t *round, unsigned lanes, unsigned i, unsigned j, uint32_t at, uint32_t others)
{
    for (unsigned lane = 0; lane < lanes; lane++)
        round[lane] = others;
    round[i] = HERE;
    round[j] = at;
}

/* The time of lanes that never meet: the most of some pairs, so that one late round does not look like a conflict. */
static uint64_t time_apart(const uint64_t *cycles, unsigned lanes)
{
    uint64_t most = 0;
    for (unsigned j = 1; j < lanes; j++)
        most = cycles[j - 1] > most ? cycles[j - 1] : most;
    return most;
}

static int time_pairs(lds_clock *clock, void *who, unsigned lanes, const struct lds_way *way, uint32_t others,
                      struct lds_timing *t)
{
    unsigned pairs = lanes * (lanes - 1) / 2, n = pairs + lanes - 1;
    uint32_t *rounds = calloc((size_t)n * lanes, sizeof *rounds);
    uint64_t *cycles = calloc(n, sizeof *cycles);
    int rc = rounds && cycles ? 0 : -ENOMEM;
    if (rc)
        goto out;
    for (unsigned j = 1; j < lanes; j++)
        for (unsigned i = 0; i < j; i++)
            set_round(&rounds[(size_t)lds_pair_number(i, j) * lanes], lanes, i, j, MEET, others);
    for (unsigned j = 1; j < lanes; j++)
        set_round(&rounds[(size_t)(pairs + j - 1) * lanes], lanes, 0, j, APART, others);
    rc = clock(who, way, rounds, n, cycles);
    if (rc)
        goto out;
    t->lanes = lanes;
    t->operations = LDS_OPERATIONS;
    for (unsigned p = 0; p < pairs; p++)
        t->pair[p] = cycles[p];
    t->alone = time_apart(&cycles[pairs], lanes);
out:
    free(rounds);
    free(cycles);
    return rc;
}

static int measure_twice(lds_clock *clock, void *who, unsigned lanes, const struct lds_way *way,
                         uint32_t others, struct lds_groups *out)
{
    struct lds_timing t;
    struct lds_groups twice[2];
    for (unsigned i = 0; i < 2; i++) {
        int rc = time_pairs(clock, who, lanes, way, others, &t);
        if (rc)
            return rc;
        twice[i] = lds_find_groups(&t);
    }
    *out = lds_agreed(&twice[0], &twice[1]);
    return 0;
}

/* The shortest distance at which two lanes of one group meet. */
static int find_banks(lds_clock *clock, void *who, unsigned lanes, const struct lds_way *way, uint32_t others,
                      struct lds_found *f)
{
    uint32_t rounds[N_DISTANCES * LDS_MAX_LANES];
    uint64_t cycles[N_DISTANCES];
    uint64_t group = 0;
    for (unsigned g = 0; g < f->groups.n && !group; g++)
        if (__builtin_popcountll(f->groups.groups[g]) > 1)
            group = f->groups.groups[g];
    if (!group)
        return 0;
    unsigned i = (unsigned)__builtin_ctzll(group), j = (unsigned)__builtin_ctzll(group & (group - 1));
    for (unsigned d = 0; d < N_DISTANCES; d++)
        set_round(&rounds[d * lanes], lanes, i, j, HERE + 4 * distances[d], others);
    int rc = clock(who, way, rounds, N_DISTANCES, cycles);
    for (unsigned d = 0; !rc && d < N_DISTANCES && !f->banks; d++)
        if (cycles[d] > (f->groups.fast + f->groups.slow) / 2)
            f->banks = distances[d];
    return rc;
}

/* With the other lanes at work each phase has something to do, whichever lanes are watched; where the hardware leaves
 * out phases without lanes, two lanes alone take as long together as one after the other. But stores of many lanes to
 * one word are a case of their own, so writes and atomics are measured with two lanes only. */
int lds_measure(lds_clock *clock, void *who, unsigned lanes, const struct lds_way *way, struct lds_found *out)
{
    *out = (struct lds_found){.others_read = !way->writes};
    for (;;) {
        uint32_t others = out->others_read ? OTHERS : NO_LDS_ADDRESS;
        int rc = measure_twice(clock, who, lanes, way, others, &out->groups);
        if (rc)
            return rc;
        if (out->groups.verdict == LDS_FOUND)
            return find_banks(clock, who, lanes, way, others, out);
        if (!out->others_read)
            return 0;
        out->others_read = false;
    }
}
