/*
 * effects.c - what gcn/ says that instructions read and write, against what the engine's instructions do,
 * which know nothing of that: each operation with random operands, in two states that differ in all that it
 * is said not to read.
 *
 * Then only what is said to be written may have changed, and it must be equal in both. The other way round,
 * what is said of SCC, EXEC, VCC and M0 must show at least once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "gcn/gcn.h"
#include "../engine.h"

enum { TRIES = 200, WANTED = 6, LDS_BYTES = 4096, ROWS = 512 };

/* Encodings with their opcode fields: "AMD Instinct MI300 ISA" and "AMD RDNA 2 Instruction Set Architecture",
 * chapter "Microcode Formats". Which GPUs have one, by ls_gpu_family.encoding; 0: all. */
static const struct encoding {
    uint32_t base, opcodes, shift, second, gfx;
} encodings[] = {
    {0x80000000, 96, 23, 0, 0},   {0xb0000000, 29, 23, 0, 0},           {0xbe800000, 256, 8, 0, 0},
    {0xbf000000, 128, 16, 0, 0},  {0x00000000, 62, 25, 0, 0},           {0x7e000000, 256, 9, 0, 0},
    {0x7c000000, 256, 17, 0, 0},  {0xd0000000, 1024, 16, 0, 9},         {0xd3800000, 128, 16, 0, 9},
    {0xd8000000, 256, 17, 0, 9},  {0xd3ac0000, 128, 16, 0xd3800000, 9}, {0xd4000000, 1024, 16, 0, 10},
    {0xcc000000, 128, 16, 0, 10}, {0xd8000000, 256, 18, 0, 10},         {0xd4000000, 1024, 16, 0, 11},
    {0xcc000000, 128, 16, 0, 11}, {0xd8000000, 256, 18, 0, 11},         {0xd4000000, 1024, 16, 0, 12},
    {0xcc000000, 128, 16, 0, 12}, {0xd8000000, 256, 18, 0, 12},
};

/* What a register is in a set: number of the file's first one plus its own. */
enum { SCALARS = 0, VGPRS = 128, AGPRS = VGPRS + 256, SCC_AT = AGPRS + 256, N_AT };

struct told {
    bool read[N_AT], written[N_AT];
};

struct seen {
    unsigned done;
    uint32_t shown; /* of the flags in `shows` */
};

static const uint32_t shows =
    GCN_READS_SCC | GCN_WRITES_SCC | GCN_READS_EXEC | GCN_WRITES_EXEC | GCN_READS_VCC | GCN_WRITES_M0;

/* Flags that must show. A compare may be one that leaves EXEC as it was ("true"). */
static uint32_t must_show(unsigned op)
{
    uint32_t flags = gcn_traits(op)->flags & shows;
    return gcn_has(op, GCN_COMPARES) ? flags & ~GCN_WRITES_EXEC : flags;
}

/* In wavefronts of 64 lanes on all. */
static struct gcn_target target_of(const struct ls_gpu *arch)
{
    return (struct gcn_target){arch, 64};
}

static uint64_t state = 0x9e3779b97f4a7c15ull;

static uint32_t random32(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static void mark(bool *set, const struct gcn_span *list, unsigned n)
{
    static const unsigned first[] = {SCALARS, VGPRS, AGPRS, SCC_AT};
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < list[i].count; k++)
            set[first[list[i].file] + list[i].first + k] = true;
}

static void fill(struct sg_wave_image *w, uint8_t *lds, bool all_lanes)
{
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned lane = 0; lane < 64; lane++)
            w->v[i][lane] = random32();
    for (unsigned i = 0; i < 128; i++)
        w->s[i] = random32();
    if (all_lanes)
        w->s[GCN_EXEC] = w->s[GCN_EXEC + 1] = ~0u;
    w->scc = random32() & 1;
    w->mode = 0x3f0;
    w->lanes = 64;
    w->lds = lds;
    w->lds_bytes = LDS_BYTES;
}

/* Beyond the last register there is nothing. */
static bool has_all(const struct gcn_span *list, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (list[i].first + list[i].count > (list[i].file == GCN_FILE_SCALAR ? 128 : 256))
            return false;
    return true;
}

/* Whether what the instruction does can be seen in registers alone. */
static bool is_tried(const struct ls_gpu *arch, const struct gcn_inst *in)
{
    struct gcn_effects e;
    gcn_effects(target_of(arch), in, &e);
    const struct gcn_traits *t = gcn_traits(in->op);
    return has_all(e.read, e.n_read) && has_all(e.written, e.n_written) &&
           !(t->flags & (GCN_ENDS | GCN_LEAVES | GCN_JUMPS | GCN_INDIRECT | GCN_CALLS | GCN_FORKS |
                         GCN_INDEXES | GCN_WRITES_MODE | GCN_READS_TIME | GCN_GWS)) &&
           !(in->flags & GCN_INST_GDS) && in->op != GCN_OP_S_GETREG_B32;
}

static uint32_t lds_seed[LDS_BYTES / 4];

static bool run(const struct ls_gpu *arch, const struct gcn_inst *in, struct sg_wave_image *w)
{
    struct sg_fault fault = {0};
    memcpy(w->lds, lds_seed, sizeof lds_seed);
    return sg_engine_exec_raw(arch, NULL, in->words, in->bytes / 4, w, &fault) == 0;
}

static uint32_t *scalar_at(struct sg_wave_image *w, unsigned at)
{
    return at == SCC_AT ? &w->scc : at < VGPRS ? &w->s[at] : NULL;
}

static bool equal_at(const struct sg_wave_image *a, const struct sg_wave_image *b, unsigned at)
{
    if (at == SCC_AT)
        return a->scc == b->scc;
    return at < VGPRS ? a->s[at] == b->s[at] : !memcmp(a->v[at - VGPRS], b->v[at - VGPRS], sizeof a->v[0]);
}

/* Changes everything that the instruction is told not to read. */
static void disturb(struct sg_wave_image *w, const struct told *t, bool keeps)
{
    for (unsigned at = 0; at < N_AT; at++) {
        uint32_t *one = scalar_at(w, at);
        if (t->read[at] || (keeps && t->written[at]) || at == GCN_EXEC || at == GCN_EXEC + 1)
            continue;
        if (one)
            *one = at == SCC_AT ? !*one : random32();
        for (unsigned lane = 0; !one && lane < 64; lane++)
            w->v[at - VGPRS][lane] = random32();
    }
}

/* Number of the first register that proves the tables wrong, -1: none. */
static int compare(const struct sg_wave_image *const before[2], const struct sg_wave_image *const after[2],
                   const struct told *t)
{
    for (unsigned at = 0; at < N_AT; at++) {
        if (t->written[at] ? !equal_at(after[0], after[1], at)
                           : !equal_at(before[0], after[0], at) || !equal_at(before[1], after[1], at))
            return (int)at;
    }
    return -1;
}

static void note_writes(const struct sg_wave_image *before, const struct sg_wave_image *after, struct seen *s)
{
    s->shown |= before->scc != after->scc ? GCN_WRITES_SCC : 0;
    s->shown |= memcmp(&before->s[GCN_EXEC], &after->s[GCN_EXEC], 8) ? GCN_WRITES_EXEC : 0;
    s->shown |= before->s[GCN_M0] != after->s[GCN_M0] ? GCN_WRITES_M0 : 0;
}

static struct sg_wave_image before[2], after[2], other;

/* What changes with SCC, EXEC or VCC alone was read. */
static void note_reads(const struct ls_gpu *arch, const struct gcn_inst *in, struct seen *s)
{
    const uint32_t flags[] = {GCN_READS_SCC, GCN_READS_EXEC, GCN_READS_VCC};
    for (unsigned i = 0; i < 3; i++) {
        if (!gcn_has(in->op, flags[i]))
            continue;
        other = before[0];
        if (i == 0)
            other.scc = !other.scc;
        else
            other.s[i == 1 ? GCN_EXEC : GCN_VCC] = random32();
        if (!run(arch, in, &other))
            continue;
        for (unsigned at = 0; at < N_AT; at++)
            if (at != SCC_AT && at / 2 != GCN_EXEC / 2 && at / 2 != GCN_VCC / 2 &&
                !equal_at(&after[0], &other, at))
                s->shown |= flags[i];
    }
}

/* False when the tables are wrong. */
static bool try_one(const struct ls_gpu *arch, const struct gcn_inst *in, struct seen *s)
{
    static uint8_t lds[LDS_BYTES];
    static struct told t;
    struct gcn_effects e;
    char text[160];
    gcn_effects(target_of(arch), in, &e);
    memset(&t, 0, sizeof t);
    mark(t.read, e.read, e.n_read);
    mark(t.written, e.written, e.n_written);
    const bool all_lanes = s->done % 2;
    fill(&before[0], lds, all_lanes);
    for (unsigned lane = 0; in->format == GCN_FMT_DS && in->addr.kind == GCN_OPND_VGPR && lane < 64; lane++)
        before[0].v[in->addr.index][lane] &= LDS_BYTES - 16;
    before[1] = before[0];
    disturb(&before[1], &t, e.keeps || (e.masked && !all_lanes));
    for (unsigned i = 0; i < 2; i++) {
        after[i] = before[i];
        if (!run(arch, in, &after[i]))
            return true; /* not executed by the engine */
    }
    s->done++;
    note_writes(&before[0], &after[0], s);
    note_reads(arch, in, s);
    int wrong = compare((const struct sg_wave_image *const[]){&before[0], &before[1]},
                        (const struct sg_wave_image *const[]){&after[0], &after[1]}, &t);
    if (wrong < 0)
        return true;
    gcn_disassemble(target_of(arch), in->words, in->bytes / 4, 0, text, sizeof text);
    print_error("%s: %s: register %d (128: v0, 384: a0, 640: SCC): %s\n", arch->name, text, wrong,
                t.written[wrong] ? "depends on what it is not told to read" : "written, and not told to be");
    return false;
}

static bool is_enough(const struct seen *s, unsigned op)
{
    return s->done >= WANTED && !(must_show(op) & ~s->shown);
}

static unsigned try_slot(const struct ls_gpu *arch, const struct encoding *e, uint32_t opcode,
                         struct seen *seen)
{
    for (unsigned i = 0; i < TRIES; i++) {
        uint32_t field = e->second ? 127u << 16
                                   : (e->opcodes == 62   ? 63
                                      : e->opcodes == 29 ? 31
                                                         : e->opcodes - 1)
                                         << e->shift;
        uint32_t word = random32() & ~field & 0x01ffffff, mask = e->base | opcode << e->shift;
        uint32_t words[5] = {e->second ? e->base : mask | (word & ~e->base), random32(), random32(),
                             random32(), random32()};
        struct gcn_inst in;
        if (e->base == 0xd8000000)
            words[0] &= ~(255u << e->shift) | opcode << e->shift;
        if (e->second) {
            words[1] &= 0x3ffff;
            words[2] = e->second | opcode << 16 | (words[2] & 0xffff);
        }
        if (!gcn_decode(target_of(arch), words, 5, 0, &in) || !is_tried(arch, &in) ||
            is_enough(&seen[in.op], in.op))
            continue;
        if (!try_one(arch, &in, &seen[in.op]))
            return 1;
    }
    return 0;
}

/* Operations that are said to compute, and were never tried, or did not show what is told of them. */
static unsigned count_missing(const struct ls_gpu *arch, const struct seen *seen)
{
    unsigned n = 0;
    for (unsigned op = 1; op < GCN_OP_COUNT; op++) {
        uint32_t absent = must_show(op) & ~seen[op].shown;
        if (!seen[op].done || !absent)
            continue;
        print_error("%s: %s: flags 0x%x never showed in %u runs\n", arch->name, gcn_op_name(op), absent,
                    seen[op].done);
        n++;
    }
    return n;
}

static void test_target(void **gpu)
{
    const struct ls_gpu *arch = *gpu;
    struct seen *seen = calloc(GCN_OP_COUNT, sizeof *seen);
    unsigned wrong = 0, done = 0;
    assert_non_null(seen);
    for (unsigned i = 0; i < LDS_BYTES / 4; i++)
        lds_seed[i] = random32();
    for (unsigned f = 0; f < sizeof encodings / sizeof *encodings; f++)
        for (uint32_t opcode = 0; opcode < encodings[f].opcodes &&
                                  (!encodings[f].gfx || encodings[f].gfx == arch->family->encoding);
             opcode++)
            wrong += try_slot(arch, &encodings[f], opcode, seen);
    wrong += count_missing(arch, seen);
    for (unsigned op = 0; op < GCN_OP_COUNT; op++)
        done += seen[op].done > 0;
    print_message("%s: %u operations tried\n", arch->name, done);
    free(seen);
    assert_int_equal(wrong, 0);
    assert_true(done > 600); /* of the arithmetic and LDS operations there are about 700 on each GPU */
}

int main(void)
{
    const struct ls_gpu *gpu;
    int failed = 0;
    unsigned seen = 0; /* sets of instructions: one GPU of each */
    for (size_t i = 0; (gpu = ls_gpu_emulated_at(i)); i++) {
        if (seen & gpu->isa)
            continue;
        seen |= gpu->isa;
        const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_target, (void *)gpu)};
        failed += cmocka_run_group_tests_name(gpu->name, tests, NULL, NULL);
    }
    return failed;
}
