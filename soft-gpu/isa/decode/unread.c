/*
 * unread.c - results that nobody reads: the compiler has v_mad_u64_u32 where it wants 32 bits, and the row of the upper
 * half is overwritten before anything looks at it. Then that half need not be found.
 */
#include "decode_state.h"

/* How far to look: instructions, and ways that are left for later. */
enum { FAR = 512, WAYS = 16 };

/* A way through the code from `pc` on. */
struct way {
    uint64_t pc;
    bool same_exec; /* as where the result was written: who writes the row now writes all lanes of it */
};

struct look {
    struct sg_code *code;
    unsigned row, left;
    struct way way[WAYS]; /* ways[0, n_done) were taken, those behind are to come */
    unsigned n_done, n;
};

/* False when there is no room for one more. */
static bool add_way(struct look *l, uint64_t pc, bool same_exec)
{
    for (unsigned i = 0; i < l->n; i++)
        if (l->way[i].pc == pc && (!l->way[i].same_exec || same_exec))
            return true;
    if (l->n == WAYS)
        return false;
    l->way[l->n++] = (struct way){pc, same_exec};
    return true;
}

static bool has_row(const struct gcn_span *span, unsigned n, unsigned row)
{
    for (unsigned i = 0; i < n; i++)
        if (span[i].file == GCN_FILE_VGPR && row - span[i].first < span[i].count)
            return true;
    return false;
}

enum verdict { READ, GONE, GO_ON };

static enum verdict judge(const struct look *l, struct way *way, const struct gcn_inst *in)
{
    struct gcn_effects e;
    bool narrows;
    const unsigned flags = gcn_traits(in->op)->flags;
    if (flags & GCN_ENDS)
        return GONE;
    if (flags & (GCN_INDEXES | GCN_WRITES_MODE | GCN_LEAVES | GCN_INDIRECT | GCN_CALLS | GCN_FORKS))
        return READ; /* nobody knows here */
    gcn_effects(l->code->target, in, &e);
    if (has_row(e.read, e.n_read, l->row))
        return READ;
    if (has_row(e.written, e.n_written, l->row) && !e.keeps && way->same_exec)
        return GONE;
    if (gcn_writes_exec(l->code->target, in, &narrows))
        way->same_exec = false;
    return GO_ON;
}

/* Follows a way to its end. False: the row may be read. */
static bool is_gone(struct look *l, struct way way)
{
    while (l->left--) {
        uint32_t words[GCN_WORDS];
        struct gcn_inst in;
        const unsigned n = sg_code_fetch(l->code, way.pc, words);
        if (!n || !gcn_decode(l->code->target, words, n, way.pc, &in))
            return false;
        const enum verdict v = judge(l, &way, &in);
        if (v != GO_ON)
            return v == GONE;
        const unsigned flags = gcn_traits(in.op)->flags;
        if (flags & GCN_JUMPS && !add_way(l, gcn_branch_target(&in), way.same_exec))
            return false;
        if (flags & GCN_JUMPS && !(flags & GCN_CONDITIONAL))
            return true;
        way.pc += in.bytes;
    }
    l->left = 0;
    return false;
}

bool sg_code_unread(struct sg_code *c, uint64_t pc, unsigned row)
{
    struct look l = {.code = c, .row = row, .left = FAR};
    if (c->source.words) /* registers are looked at when the code has ended */
        return false;
    add_way(&l, pc, true);
    while (l.n_done < l.n)
        if (!is_gone(&l, l.way[l.n_done++]))
            return false;
    return true;
}
