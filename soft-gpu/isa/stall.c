/*
 * stall.c - loops that repeat. A wavefront with a budget of 0 returns to the scheduler at every backward
 * jump, indirect jump and s_sleep: these stops are the places where its registers are compared.
 */
#include <stdlib.h>
#include <string.h>
#include "code.h"
#include "stall.h"

/* ---- Registers ---- */

enum { SGPRS = 128 };

static uint64_t mix(uint64_t h, const void *data, size_t bytes)
{
    /* four chains, because one would wait for its multiplication each time */
    uint64_t x[4], a[4] = {h, h + 1, h + 2, h + 3};
    const uint8_t *p = data;
    for (size_t i = 0; i + sizeof x <= bytes; i += sizeof x) {
        memcpy(x, p + i, sizeof x);
        for (unsigned j = 0; j < 4; j++) {
            a[j] = (a[j] ^ x[j]) * 0x9E3779B97F4A7C15ull;
            a[j] ^= a[j] >> 29;
        }
    }
    for (unsigned j = 0; j < 4; j++)
        h = (h ^ a[j]) * 0xBF58476D1CE4E5B9ull + (h >> 31);
    return h;
}

static uint64_t hash_scalars(const struct sg_wave *w)
{
    uint64_t h = (uint64_t)(uintptr_t)w->next ^ (uint64_t)w->s[SG_S_SCC] << 61 ^ (uint64_t)w->mode << 32;
    return mix(h, w->s, SGPRS * sizeof *w->s);
}

static uint64_t hash_all(const struct sg_wave *w, const struct sg_kernel *k, uint64_t scalars)
{
    uint64_t h = mix(scalars, w->v[0], k->vgprs * sizeof w->v[0]);
    return k->agprs ? mix(h, w->v[256], k->agprs * sizeof w->v[0]) : h;
}

/* ---- What stands between two stops ---- */

enum {
    SPAN = 4096,             /* dwords of code that one look may cover */
    HWREG_SH_MEM_BASES = 15, /* "AMD Instinct MI200 ISA", table of hardware registers */
};

enum mark { REACHED = 1, LEADS = 2 };

struct look {
    uint64_t from;      /* the instruction behind one stop */
    uint8_t mark[SPAN]; /* per dword behind `from` */
    uint8_t size[SPAN]; /* dwords of the instruction there */
    uint8_t depends[SPAN];
    uint16_t branch[SPAN]; /* dword that a forward branch goes to; 0: none */
    bool falls[SPAN];      /* goes on with the next instruction */
};

static bool is_conditional(unsigned op)
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

static bool is_indirect(unsigned op)
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

static enum sg_depends depends_of_ds(const struct sg_inst *in)
{
    if (in->flags & SG_INST_GDS)
        return SG_DEPENDS_MEMORY;
    switch (in->op) {
    case SG_OP_DS_BPERMUTE_B32:
    case SG_OP_DS_PERMUTE_B32:
    case SG_OP_DS_SWIZZLE_B32: /* between registers */
        return SG_DEPENDS_NOTHING;
    default:
        return strncmp(sg_op_name(in->op), "ds_read", 7) ? SG_DEPENDS_MEMORY : SG_DEPENDS_LDS;
    }
}

static enum sg_depends depends_of(const struct sg_inst *in)
{
    switch (in->format) {
    case SG_FMT_DS:
        return depends_of_ds(in);
    case SG_FMT_FLAT: /* a load from LDS, if it is none from memory: go_round sees that */
        return strncmp(sg_op_name(in->op), "flat_load", 9) ? SG_DEPENDS_MEMORY : SG_DEPENDS_LDS;
    case SG_FMT_SMEM:
    case SG_FMT_GLOBAL:
    case SG_FMT_SCRATCH:
    case SG_FMT_MTBUF:
    case SG_FMT_MIMG:
        return SG_DEPENDS_MEMORY;
    case SG_FMT_MUBUF:
        return controls_caches(in->op) ? SG_DEPENDS_NOTHING : SG_DEPENDS_MEMORY;
    case SG_FMT_SOPP:
        return in->op == SG_OP_S_SENDMSG || in->op == SG_OP_S_SENDMSGHALT ? SG_DEPENDS_MEMORY
                                                                          : SG_DEPENDS_NOTHING;
    case SG_FMT_SOPK: /* hardware registers may count time; the apertures do not */
        return (in->op == SG_OP_S_GETREG_B32 && (in->simm16 & 63) != HWREG_SH_MEM_BASES) ||
                       in->op == SG_OP_S_CALL_B64
                   ? SG_DEPENDS_MEMORY
                   : SG_DEPENDS_NOTHING;
    default:
        return SG_DEPENDS_NOTHING;
    }
}

static bool decode_at(struct sg_wave *w, uint64_t pc, struct sg_inst *in)
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
static void look_at(struct look *l, unsigned i, const struct sg_inst *in)
{
    bool jumps = in->op == SG_OP_S_BRANCH || is_conditional(in->op);
    uint64_t dword = (branch_target(in) - l->from) / 4;
    l->size[i] = in->bytes / 4;
    l->depends[i] = (uint8_t)depends_of(in);
    l->falls[i] =
        in->op != SG_OP_S_BRANCH && !is_indirect(in->op) && !ends(in->op) && in->op != SG_OP_S_SLEEP;
    if (jumps && branch_target(in) > in->pc && dword < SPAN)
        l->branch[i] = (uint16_t)dword;
}

/* Marks what can run on the way from one stop to the next. Between two stops code only goes forward. */
static void look_forward(struct sg_wave *w, struct look *l)
{
    l->mark[0] = REACHED;
    for (unsigned i = 0; i < SPAN; i++) {
        struct sg_inst in;
        if (!(l->mark[i] & REACHED) || !decode_at(w, l->from + 4ull * i, &in))
            continue;
        look_at(l, i, &in);
        if (l->branch[i])
            l->mark[l->branch[i]] |= REACHED;
        if (l->falls[i] && i + l->size[i] < SPAN)
            l->mark[i + l->size[i]] |= REACHED;
    }
}

/* What the way from an instruction to the next stop, at `stop`, depends on; *pc becomes the first such
 * instruction. */
static enum sg_depends depends_between(struct sg_wave *w, uint64_t from, uint64_t stop, uint64_t *pc)
{
    struct look *l = stop - from < 4 * SPAN ? calloc(1, sizeof *l) : NULL;
    enum sg_depends worst = SG_DEPENDS_NOTHING;
    if (!l)
        return SG_DEPENDS_MEMORY;
    l->from = from;
    look_forward(w, l);
    l->mark[(stop - from) / 4] |= LEADS;
    for (unsigned i = SPAN; i-- > 0;) {
        unsigned next = i + l->size[i];
        bool leads = (l->branch[i] && l->mark[l->branch[i]] & LEADS) ||
                     (l->falls[i] && next < SPAN && l->mark[next] & LEADS);
        if (leads && l->mark[i] & REACHED)
            l->mark[i] |= LEADS;
        if (l->mark[i] == (REACHED | LEADS) && l->depends[i] >= worst &&
            l->depends[i] != SG_DEPENDS_NOTHING) {
            worst = l->depends[i];
            *pc = from + 4ull * i;
        }
    }
    if (!(l->mark[0] & LEADS)) /* not understood */
        worst = SG_DEPENDS_MEMORY;
    free(l);
    return worst;
}

/* ---- Watching ---- */

/* True when an address was translated since sg_tlb_init. */
static bool touched(const struct sg_tlb *t)
{
    bool any = t->seen != 0;
    for (unsigned i = 0; i < SG_TLB_WAYS; i++)
        any |= t->way[i].hi != 0;
    return any;
}

/* Goes round once. */
static bool go_round(struct sg_wave *w, const struct sg_repeat *r, enum sg_stop *stop)
{
    *stop = SG_STOP_YIELD;
    for (uint32_t i = 0; i < r->stops && *stop == SG_STOP_YIELD; i++)
        *stop = sg_wave_run(w, 0);
    return *stop == SG_STOP_YIELD;
}

/* Goes round once, and asks what this very round depends on. */
static bool go_round_and_ask(struct sg_wave *w, struct sg_repeat *r, enum sg_stop *stop)
{
    r->depends = SG_DEPENDS_NOTHING;
    r->pc = 0;
    sg_tlb_init(w->tlb, w->tlb->mem);
    for (uint32_t i = 0; i < r->stops; i++) {
        uint64_t from = sg_uop_pc(w, w->next), pc = from;
        w->yielded_at = NULL;
        *stop = sg_wave_run(w, 0);
        if (*stop != SG_STOP_YIELD)
            return false;
        if (r->depends == SG_DEPENDS_MEMORY)
            continue;
        enum sg_depends d = w->yielded_at ? depends_between(w, from, sg_uop_pc(w, w->yielded_at), &pc)
                                          : SG_DEPENDS_MEMORY; /* in the middle of an instruction */
        if (!r->pc || d > r->depends)
            r->pc = pc;
        if (d > r->depends)
            r->depends = d;
    }
    if (touched(w->tlb))
        r->depends = SG_DEPENDS_MEMORY;
    return true;
}

/* Brent's method: a remembered state that moves on at powers of two. */
static bool find_repeat(struct sg_wave *w, const struct sg_kernel *k, unsigned limit, struct sg_repeat *r,
                        enum sg_stop *stop)
{
    uint64_t scalars = hash_scalars(w);
    r->hash = hash_all(w, k, scalars);
    for (uint32_t n = 0, power = 1; limit; limit--) {
        *stop = sg_wave_run(w, 0);
        if (*stop != SG_STOP_YIELD)
            return false;
        uint64_t now = hash_scalars(w);
        n++;
        if (now == scalars && hash_all(w, k, now) == r->hash) {
            r->stops = n;
            return true;
        }
        if (n == power) {
            scalars = now;
            r->hash = hash_all(w, k, now);
            power *= 2;
            n = 0;
        }
    }
    return false;
}

static enum sg_watch left(struct sg_repeat *r, enum sg_stop stop)
{
    r->stops = 0;
    return stop == SG_STOP_YIELD ? SG_WATCH_CHANGES : SG_WATCH_STOPS;
}

enum sg_watch sg_watch(struct sg_wave *w, const struct sg_kernel *k, unsigned limit, struct sg_repeat *r,
                       enum sg_stop *stop)
{
    *stop = SG_STOP_YIELD;
    bool known = r->stops && !r->waits;
    if (!known) {
        *r = (struct sg_repeat){0};
        if (!find_repeat(w, k, limit, r, stop)) {
            if (*stop != SG_STOP_WAIT)
                return left(r, *stop);
            *r = (struct sg_repeat){
                .stops = 1, .waits = true, .depends = SG_DEPENDS_MEMORY, .pc = sg_uop_pc(w, w->next)};
            return SG_WATCH_REPEATS;
        }
    }
    if (!(known ? go_round(w, r, stop) : go_round_and_ask(w, r, stop)) ||
        hash_all(w, k, hash_scalars(w)) != r->hash)
        return left(r, *stop);
    return SG_WATCH_REPEATS;
}

bool sg_watch_exactly(struct sg_wave *w, const struct sg_kernel *k, struct sg_repeat *r, enum sg_stop *stop)
{
    size_t row = sizeof w->v[0], vgprs = k->vgprs * row, agprs = k->agprs * row, sgprs = SGPRS * sizeof *w->s;
    uint8_t *before = malloc(vgprs + agprs + sgprs);
    const struct sg_uop *next = w->next;
    uint32_t scc = w->s[SG_S_SCC], mode = w->mode;
    *stop = SG_STOP_YIELD;
    if (!before)
        return false;
    memcpy(before, w->v[0], vgprs);
    memcpy(before + vgprs, w->v[256], agprs);
    memcpy(before + vgprs + agprs, w->s, sgprs);
    bool same = go_round_and_ask(w, r, stop) && w->next == next && w->s[SG_S_SCC] == scc && w->mode == mode &&
                !memcmp(before, w->v[0], vgprs) && !memcmp(before + vgprs, w->v[256], agprs) &&
                !memcmp(before + vgprs + agprs, w->s, sgprs);
    free(before);
    return same;
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
        if (!decode_at(w, pc, &in) || ends(in.op) || is_indirect(in.op) || in.op == SG_OP_S_CALL_B64 ||
            in.op == SG_OP_S_RFE_B64 || in.op == SG_OP_S_SETHALT || in.op == SG_OP_S_SENDMSGHALT)
            return false;
        if (in.op == SG_OP_S_BRANCH || is_conditional(in.op))
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

void sg_describe_stall(struct sg_wave *w, const struct sg_repeat *r, const char *message, struct sg_fault *f)
{
    sg_fault_describe(w, r->pc ? r->pc : sg_uop_pc(w, w->next), SG_FAULT_DEADLOCK, message, f);
}
