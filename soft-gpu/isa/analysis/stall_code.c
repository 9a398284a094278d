/*
 * stall_code.c - what stands between two stops of a wavefront, and whether a way leads to the end.
 */
#include <stdlib.h>
#include <string.h>
#include "soft-gpu/isa/code/code.h"
#include "stall_code.h"

/* Goes to gcn_branch_target(), perhaps. */
static bool jumps(unsigned op)
{
    return gcn_has(op, GCN_JUMPS) && !gcn_has(op, GCN_CALLS);
}

/* Never goes on with the next instruction. */
static bool leaves(unsigned op)
{
    return (gcn_traits(op)->flags & (GCN_ENDS | GCN_LEAVES | GCN_INDIRECT)) ||
           (jumps(op) && !gcn_has(op, GCN_CONDITIONAL));
}

static enum sg_depends depends_of_atomic(unsigned op)
{
    return gcn_has(op, GCN_IDEMPOTENT) ? SG_DEPENDS_MEMORY : SG_DEPENDS_ITSELF;
}

static enum sg_depends depends_of_memory(const struct gcn_inst *in)
{
    const struct gcn_traits *t = gcn_traits(in->op);
    switch (t->access) {
    case GCN_ACCESS_ATOMIC:
        return depends_of_atomic(in->op);
    case GCN_ACCESS_STORE:
        return SG_DEPENDS_ITSELF;
    case GCN_ACCESS_LOAD:
        if (in->lds || in->flags & GCN_INST_GDS)
            return SG_DEPENDS_ITSELF;
        /* A flat load that is none from LDS is one from memory: go_round sees that. */
        return t->unit == GCN_UNIT_LDS || t->unit == GCN_UNIT_FLAT ? SG_DEPENDS_LDS : SG_DEPENDS_MEMORY;
    default:
        return t->flags & GCN_GWS ? SG_DEPENDS_MEMORY : SG_DEPENDS_NOTHING;
    }
}

/* Hardware registers may count time; the apertures do not. */
bool sg_reads_time(const struct gcn_inst *in)
{
    enum { HWREG_SH_MEM_BASES = 15 }; /* "AMD Instinct MI200 ISA", table of hardware registers */
    return gcn_has(in->op, GCN_READS_TIME) ||
           (in->op == GCN_OP_S_GETREG_B32 && (in->simm16 & 63) != HWREG_SH_MEM_BASES);
}

static enum sg_depends depends_of(const struct gcn_inst *in)
{
    const struct gcn_traits *t = gcn_traits(in->op);
    if (sg_reads_time(in) || (t->flags & GCN_CALLS && t->flags & GCN_JUMPS) || t->unit == GCN_UNIT_OTHER)
        return SG_DEPENDS_MEMORY;
    return depends_of_memory(in);
}

bool sg_decode_at(struct sg_wave *w, uint64_t pc, struct gcn_inst *in)
{
    uint32_t words[GCN_WORDS];
    unsigned n = sg_code_words((struct sg_code *)(uintptr_t)w->code, pc, words);
    return n && gcn_decode(sg_wave_target(w), words, n, pc, in);
}

/* Enters the instruction at dword i.
 * Backward jumps, indirect ones and sleeping are stops: the way ends there. */
static void look_at(struct sg_look *l, unsigned i, const struct gcn_inst *in)
{
    uint64_t dword = (gcn_branch_target(in) - l->from) / 4;
    l->size[i] = in->bytes / 4;
    l->depends[i] = (uint8_t)depends_of(in);
    l->is_time[i] = sg_reads_time(in);
    l->falls[i] = !leaves(in->op) && gcn_traits(in->op)->unit != GCN_UNIT_SLEEP;
    if (jumps(in->op) && gcn_branch_target(in) > in->pc && dword < SG_SPAN)
        l->branch[i] = (uint16_t)dword;
}

/* Marks what can run on the way from one stop to the next. Between two stops code only goes forward. */
static void look_forward(struct sg_wave *w, struct sg_look *l)
{
    l->mark[0] = SG_REACHED;
    for (unsigned i = 0; i < SG_SPAN; i++) {
        struct gcn_inst in;
        if (!(l->mark[i] & SG_REACHED) || !sg_decode_at(w, l->from + 4ull * i, &in))
            continue;
        look_at(l, i, &in);
        if (l->branch[i])
            l->mark[l->branch[i]] |= SG_REACHED;
        if (l->falls[i] && i + l->size[i] < SG_SPAN)
            l->mark[i + l->size[i]] |= SG_REACHED;
    }
}

/* Marks what lies on ways to `stop`, from the end. */
static void look_back(struct sg_look *l, uint64_t stop)
{
    l->mark[(stop - l->from) / 4] |= SG_LEADS;
    for (unsigned i = SG_SPAN; i-- > 0;) {
        unsigned next = i + l->size[i];
        bool leads = (l->branch[i] && l->mark[l->branch[i]] & SG_LEADS) ||
                     (l->falls[i] && next < SG_SPAN && l->mark[next] & SG_LEADS);
        if (leads && l->mark[i] & SG_REACHED)
            l->mark[i] |= SG_LEADS;
    }
}

struct sg_look *sg_look_between(struct sg_wave *w, uint64_t from, uint64_t stop)
{
    struct sg_look *l = stop - from < 4 * SG_SPAN ? calloc(1, sizeof *l) : NULL;
    if (!l)
        return NULL;
    l->from = from;
    look_forward(w, l);
    look_back(l, stop);
    if (l->mark[0] & SG_LEADS)
        return l;
    free(l);
    return NULL;
}

enum sg_depends sg_depends_between(struct sg_wave *w, uint64_t from, uint64_t stop, bool time_counts,
                                   uint64_t *pc)
{
    struct sg_look *l = sg_look_between(w, from, stop);
    enum sg_depends worst = SG_DEPENDS_NOTHING;
    if (!l)
        return SG_DEPENDS_ITSELF;
    for (unsigned i = SG_SPAN; i-- > 0;) {
        enum sg_depends d = time_counts || !l->is_time[i] ? l->depends[i] : SG_DEPENDS_NOTHING;
        if (l->mark[i] == (SG_REACHED | SG_LEADS) && d >= worst && d != SG_DEPENDS_NOTHING) {
            worst = d;
            *pc = from + 4ull * i;
        }
    }
    free(l);
    return worst;
}

/* ---- No way out ---- */

enum { FAR = 1 << 16 }; /* instructions */

struct seen {
    uint64_t *pc; /* open addressing, 2 * FAR entries */
    uint64_t *work;
    unsigned n, n_work;
};

static void visit(struct seen *s, uint64_t pc)
{
    size_t i = (pc * 0x9E3779B97F4A7C15ull) >> 47;
    for (; s->pc[i]; i = (i + 1) % (2 * FAR))
        if (s->pc[i] == pc)
            return;
    s->pc[i] = pc;
    s->work[s->n_work++] = pc;
    s->n++;
}

static bool follow(struct sg_wave *w, struct seen *s)
{
    while (s->n_work && s->n < FAR - 2) {
        struct gcn_inst in;
        uint64_t pc = s->work[--s->n_work];
        if (!sg_decode_at(w, pc, &in) ||
            gcn_traits(in.op)->flags & (GCN_ENDS | GCN_LEAVES | GCN_INDIRECT | GCN_CALLS | GCN_FORKS))
            return false;
        if (jumps(in.op))
            visit(s, gcn_branch_target(&in));
        if (!leaves(in.op))
            visit(s, pc + in.bytes);
    }
    return s->n_work == 0;
}

bool sg_cannot_end(struct sg_wave *w)
{
    struct seen s = {calloc(2 * FAR, sizeof *s.pc), calloc(FAR, sizeof *s.work), 0, 0};
    bool endless = false;
    if (s.pc && s.work) {
        visit(&s, sg_uop_pc(w, w->next));
        endless = follow(w, &s);
    }
    free(s.pc);
    free(s.work);
    return endless;
}
