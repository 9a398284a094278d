/*
 * stall_counts.c - follows the registers that change through the code of a loop.
 *
 * Forward data flow: the set of registers whose values may differ between two rounds, from instruction to
 * instruction. It is closed over everything that is computed from them. Instructions that do more than to
 * compute must not read any of them, least of all branches and memory instructions; then both rounds go the
 * same way, and so do all that follow, because the set at the end of a round is part of the one at its
 * beginning.
 */
#include <stdlib.h>
#include <string.h>
#include "soft-gpu/isa/code/code.h"
#include "stall_code.h"
#include "stall_counts.h"

enum { ROUNDS = 16 }; /* of the data flow, before it is given up */

struct set {
    struct sg_registers any, active;
};

/* ---- Registers of an instruction ---- */

/* Number of the first register of a span in a set. */
static unsigned first_register(const struct gcn_span *s)
{
    switch (s->file) {
    case GCN_FILE_VGPR:
        return SG_REGISTER_ROWS + s->first;
    case GCN_FILE_AGPR:
        return SG_REGISTER_ROWS + 256u + s->first;
    case GCN_FILE_SCC:
        return SG_REGISTER_SCC;
    default:
        return s->first;
    }
}

static bool pair_in(const struct set *t, unsigned first)
{
    return sg_registers_has(&t->any, first) || sg_registers_has(&t->any, first + 1);
}

/* Has one of the span; `lanewise`: only what stands in active lanes counts. */
static bool span_in(const struct set *t, const struct gcn_span *s, bool lanewise)
{
    const unsigned first = first_register(s);
    for (unsigned i = 0; i < s->count; i++)
        if (sg_registers_has(lanewise ? &t->active : &t->any, first + i))
            return true;
    return false;
}

static void mark_one(struct set *t, unsigned i, bool changes)
{
    sg_registers_put(&t->active, i, changes);
    if (changes || i < SG_REGISTER_ROWS)
        sg_registers_put(&t->any, i, changes);
}

static void mark(struct set *t, const struct gcn_effects *e, bool changes)
{
    for (unsigned i = 0; i < e->n_written; i++)
        for (unsigned k = 0; k < e->written[i].count; k++)
            mark_one(t, first_register(&e->written[i]) + k, changes);
}

/* ---- Instructions ---- */

/* Which registers it reads is not in its operands, or where it goes is not. */
static bool is_strange(const struct gcn_inst *in)
{
    const struct gcn_traits *t = gcn_traits(in->op);
    return t->unit == GCN_UNIT_IMAGE ||
           t->flags & (GCN_INDEXES | GCN_WRITES_MODE | GCN_CALLS | GCN_INDIRECT | GCN_FORKS | GCN_LEAVES);
}

/* Loads from memory into registers. */
static bool is_load(const struct gcn_inst *in)
{
    return gcn_traits(in->op)->access == GCN_ACCESS_LOAD && !in->lds;
}

/* Each active lane reads its own part of vector registers only. */
static bool is_lanewise(const struct gcn_inst *in)
{
    const struct gcn_traits *t = gcn_traits(in->op);
    return t->unit >= GCN_UNIT_VALU && t->unit != GCN_UNIT_MATRIX && !in->has_dpp &&
           !(t->flags & GCN_CROSSES);
}

/* Reads one of the set. A destination that keeps a part of its old value is no source here: it is in the set
 * already, and stays there. */
static bool reads(const struct set *t, const struct gcn_inst *in, const struct gcn_effects *e)
{
    const bool lanewise = is_lanewise(in);
    for (unsigned i = 0; i < e->n_read; i++)
        if (span_in(t, &e->read[i], lanewise))
            return true;
    return false;
}

/* An instruction that reads none of the set: what it writes no longer differs. */
static void settle(struct set *t, const struct gcn_inst *in, const struct gcn_effects *e)
{
    if (!e->keeps && (gcn_has(in->op, GCN_COMPUTES) || is_load(in)))
        mark(t, e, false);
}

/* Lanes may become active that were not. */
static bool wakes_lanes(const struct sg_wave *w, const struct gcn_inst *in)
{
    bool narrows;
    return gcn_writes_exec(sg_wave_target(w), in, &narrows) && !narrows;
}

/* What every instruction may depend on without naming it. */
static bool control_differs(const struct sg_wave *w, const struct set *t)
{
    /* Where FLAT_SCRATCH is no SGPR, s_setreg writes it, which is strange. */
    const unsigned flat_scratch = w->arch->family->flat_scratch_sgpr;
    return pair_in(t, SG_S_EXEC) || (flat_scratch && pair_in(t, flat_scratch)) ||
           sg_registers_has(&t->any, SG_S_M0);
}

/* Takes the set over one instruction. False: it matters. */
static bool pass(const struct sg_wave *w, struct set *t, const struct gcn_inst *in)
{
    struct gcn_effects e;
    if (is_strange(in))
        return false;
    gcn_effects(sg_wave_target(w), in, &e);
    if (wakes_lanes(w, in))
        t->active = t->any;
    if (sg_reads_time(in)) {
        mark(t, &e, true);
    } else if (!reads(t, in, &e)) {
        settle(t, in, &e);
        return true;
    } else if (gcn_has(in->op, GCN_COMPUTES)) {
        mark(t, &e, true);
    } else {
        return false;
    }
    return !control_differs(w, t);
}

/* ---- Data flow ---- */

static void join(struct sg_registers *into, const struct sg_registers *from)
{
    for (unsigned i = 0; i < sizeof from->bits / sizeof from->bits[0]; i++)
        into->bits[i] |= from->bits[i];
}

static void join_both(struct set *into, const struct set *from)
{
    join(&into->any, &from->any);
    join(&into->active, &from->active);
}

/* Takes the set from one stop to the next. False: it matters. */
static bool cross(struct sg_wave *w, const struct sg_span *s, struct set *t)
{
    struct sg_look *l = sg_look_between(w, s->from, s->stop);
    struct set *at = calloc(SG_SPAN, sizeof *at); /* before each instruction; most of it is never touched */
    const unsigned last = (unsigned)((s->stop - s->from) / 4);
    bool good = l && at;
    if (good)
        at[0] = *t;
    for (unsigned i = 0; good && i <= last; i++) {
        struct gcn_inst in;
        if (l->mark[i] != (SG_REACHED | SG_LEADS))
            continue;
        const unsigned next = i + l->size[i];
        good = sg_decode_at(w, s->from + 4ull * i, &in) && pass(w, &at[i], &in);
        if (i == last)
            *t = at[i];
        if (l->branch[i])
            join_both(&at[l->branch[i]], &at[i]);
        if (l->falls[i] && next < SG_SPAN)
            join_both(&at[next], &at[i]);
    }
    free(l);
    free(at);
    return good;
}

bool sg_only_counts(struct sg_wave *w, const struct sg_span *spans, unsigned n, struct sg_registers *changed)
{
    if (sg_code_is_indexed((struct sg_code *)(uintptr_t)w->code))
        return false;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const struct sg_registers before = *changed;
        struct set t = {before, before};
        if (control_differs(w, &t))
            return false;
        for (unsigned i = 0; i < n; i++)
            if (!cross(w, &spans[i], &t))
                return false;
        join(changed, &t.any);
        if (!memcmp(changed, &before, sizeof before))
            return true;
    }
    return false;
}
