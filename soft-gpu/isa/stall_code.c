/*
 * stall_code.c - what stands between two stops of a wavefront, and whether a way leads to the end.
 */
#include <stdlib.h>
#include <string.h>
#include "code.h"
#include "stall_code.h"

bool sg_is_conditional(unsigned op)
{
    switch (op) {
    case SG_OP_S_CBRANCH_SCC0:
    case SG_OP_S_CBRANCH_SCC1:
    case SG_OP_S_CBRANCH_VCCZ:
    case SG_OP_S_CBRANCH_VCCNZ:
    case SG_OP_S_CBRANCH_EXECZ:
    case SG_OP_S_CBRANCH_EXECNZ:
        return true;
    default:
        return false;
    }
}

bool sg_is_indirect(unsigned op)
{
    return op == SG_OP_S_SETPC_B64 || op == SG_OP_S_SWAPPC_B64;
}

static bool ends(unsigned op)
{
    return op == SG_OP_S_ENDPGM || op == SG_OP_S_TRAP;
}

static bool controls_caches(unsigned op)
{
    return op == SG_OP_BUFFER_INV || op == SG_OP_BUFFER_INVL2 || op == SG_OP_BUFFER_WBL2 ||
           op == SG_OP_BUFFER_WBINVL1 || op == SG_OP_BUFFER_WBINVL1_VOL;
}

/* Atomics that change nothing when they are done again with the same operands. */
static bool is_idempotent(const char *name)
{
    static const char *const kinds[] = {"swap", "cmpst",  "_min",  "_max",  "min_",  "max_", "_and",
                                        "_or",  "wrxchg", "_umin", "_umax", "_smin", "_smax"};
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strstr(name, kinds[i]))
            return true;
    return false;
}

static enum sg_depends depends_of_ds(const struct sg_inst *in)
{
    const char *name = sg_op_name(in->op);
    switch (in->op) {
    case SG_OP_DS_BPERMUTE_B32:
    case SG_OP_DS_PERMUTE_B32:
    case SG_OP_DS_SWIZZLE_B32: /* between registers */
        return SG_DEPENDS_NOTHING;
    default:
        if (!strncmp(name, "ds_read", 7) && !(in->flags & SG_INST_GDS))
            return SG_DEPENDS_LDS;
        return !strncmp(name, "ds_gws", 6) || is_idempotent(name) ? SG_DEPENDS_MEMORY : SG_DEPENDS_ITSELF;
    }
}

static enum sg_depends depends_of_memory(const struct sg_inst *in)
{
    const char *name = sg_op_name(in->op);
    if (strstr(name, "_atomic_"))
        return is_idempotent(name) ? SG_DEPENDS_MEMORY : SG_DEPENDS_ITSELF;
    if (strstr(name, "_store") || in->lds)
        return SG_DEPENDS_ITSELF;
    return strncmp(name, "flat_load", 9) ? SG_DEPENDS_MEMORY
                                         : SG_DEPENDS_LDS; /* if it is none from memory: go_round sees that */
}

/* Hardware registers may count time; the apertures do not. */
bool sg_reads_time(const struct sg_inst *in)
{
    enum { HWREG_SH_MEM_BASES = 15 }; /* "AMD Instinct MI200 ISA", table of hardware registers */
    return in->op == SG_OP_S_MEMTIME || in->op == SG_OP_S_MEMREALTIME ||
           (in->op == SG_OP_S_GETREG_B32 && (in->simm16 & 63) != HWREG_SH_MEM_BASES);
}

static enum sg_depends depends_of(const struct sg_inst *in)
{
    switch (in->format) {
    case SG_FMT_DS:
        return depends_of_ds(in);
    case SG_FMT_FLAT:
    case SG_FMT_SMEM:
    case SG_FMT_GLOBAL:
    case SG_FMT_SCRATCH:
    case SG_FMT_MTBUF:
    case SG_FMT_MIMG:
        return depends_of_memory(in);
    case SG_FMT_MUBUF:
        return controls_caches(in->op) ? SG_DEPENDS_NOTHING : depends_of_memory(in);
    case SG_FMT_SOPP:
        return in->op == SG_OP_S_SENDMSG || in->op == SG_OP_S_SENDMSGHALT ? SG_DEPENDS_MEMORY
                                                                          : SG_DEPENDS_NOTHING;
    case SG_FMT_SOPK:
        return sg_reads_time(in) || in->op == SG_OP_S_CALL_B64 ? SG_DEPENDS_MEMORY : SG_DEPENDS_NOTHING;
    default:
        return SG_DEPENDS_NOTHING;
    }
}

bool sg_decode_at(struct sg_wave *w, uint64_t pc, struct sg_inst *in)
{
    uint32_t words[4];
    unsigned n = sg_code_words((struct sg_code *)(uintptr_t)w->code, pc, words);
    return n && sg_decode(w->arch, words, n, pc, in);
}

static uint64_t branch_target(const struct sg_inst *in)
{
    return in->pc + 4 + (uint64_t)((int64_t)in->simm16 * 4);
}

/* Enters the instruction at dword i. Backward jumps, indirect ones and s_sleep are stops: the way ends there.
 */
static void look_at(struct sg_look *l, unsigned i, const struct sg_inst *in)
{
    bool jumps = in->op == SG_OP_S_BRANCH || sg_is_conditional(in->op);
    uint64_t dword = (branch_target(in) - l->from) / 4;
    l->size[i] = in->bytes / 4;
    l->depends[i] = (uint8_t)depends_of(in);
    l->is_time[i] = sg_reads_time(in);
    l->falls[i] =
        in->op != SG_OP_S_BRANCH && !sg_is_indirect(in->op) && !ends(in->op) && in->op != SG_OP_S_SLEEP;
    if (jumps && branch_target(in) > in->pc && dword < SG_SPAN)
        l->branch[i] = (uint16_t)dword;
}

/* Marks what can run on the way from one stop to the next. Between two stops code only goes forward. */
static void look_forward(struct sg_wave *w, struct sg_look *l)
{
    l->mark[0] = SG_REACHED;
    for (unsigned i = 0; i < SG_SPAN; i++) {
        struct sg_inst in;
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
        struct sg_inst in;
        uint64_t pc = s->work[--s->n_work];
        if (!sg_decode_at(w, pc, &in) || ends(in.op) || sg_is_indirect(in.op) || in.op == SG_OP_S_CALL_B64 ||
            in.op == SG_OP_S_RFE_B64 || in.op == SG_OP_S_SETHALT || in.op == SG_OP_S_SENDMSGHALT)
            return false;
        if (in.op == SG_OP_S_BRANCH || sg_is_conditional(in.op))
            visit(s, branch_target(&in));
        if (in.op != SG_OP_S_BRANCH)
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
