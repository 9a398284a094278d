/*
 * stall_counts.c - follows the registers that change through the code of a loop.
 *
 * Forward data flow: the set of registers whose values may differ between two rounds, from instruction to
 * instruction. It is closed over everything that is computed from them. What is not on a short list of
 * instructions for sums, moves and the like must not read any of them, least of all branches and memory
 * instructions; then both rounds go the same way, and so do all that follow, because the set at the end of a
 * round is part of the one at its beginning.
 */
#include <stdlib.h>
#include <string.h>
#include "code.h"
#include "stall_code.h"
#include "stall_counts.h"

enum { ROUNDS = 16 }; /* of the data flow, before it is given up */

struct set {
    struct sg_registers any, active;
};

/* ---- Registers of an instruction ---- */

/* Number of the first register of an operand in a set, -1 for constants and computed sources. */
static int first_register(const struct sg_operand *o)
{
    switch (o->kind) {
    case SG_OPND_VGPR:
        return SG_REGISTER_ROWS + o->index;
    case SG_OPND_AGPR:
        return SG_REGISTER_ROWS + 256 + o->index;
    case SG_OPND_SCALAR:
        return o->index < SG_REGISTER_SCC ? o->index : -1;
    default:
        return -1;
    }
}

static bool pair_in(const struct set *t, unsigned first)
{
    return sg_registers_has(&t->any, first) || sg_registers_has(&t->any, first + 1);
}

/* Reads one of the set; `lanewise`: only what stands in active lanes. */
static bool operand_in(const struct set *t, const struct sg_operand *o, bool lanewise)
{
    enum { VCCZ = 251, SCC = 253 }; /* computed sources: MI200 ISA, "SSRC" */
    const int first = first_register(o);
    if (o->kind == SG_OPND_SCALAR && o->index == VCCZ)
        return pair_in(t, SG_S_VCC);
    if (o->kind == SG_OPND_SCALAR && o->index == SCC)
        return sg_registers_has(&t->any, SG_REGISTER_SCC);
    for (unsigned i = 0; first >= 0 && i < o->dwords; i++)
        if (sg_registers_has(lanewise ? &t->active : &t->any, (unsigned)first + i))
            return true;
    return false;
}

static void mark_one(struct set *t, unsigned i, bool changes)
{
    sg_registers_put(&t->active, i, changes);
    if (changes || i < SG_REGISTER_ROWS)
        sg_registers_put(&t->any, i, changes);
}

static void mark(struct set *t, const struct sg_operand *o, bool changes)
{
    const int first = first_register(o);
    for (unsigned i = 0; first >= 0 && i < o->dwords; i++)
        mark_one(t, (unsigned)first + i, changes);
}

static bool reads_scc(unsigned op)
{
    switch (op) {
    case SG_OP_S_ADDC_U32:
    case SG_OP_S_SUBB_U32:
    case SG_OP_S_CSELECT_B32:
    case SG_OP_S_CSELECT_B64:
    case SG_OP_S_CMOV_B32:
    case SG_OP_S_CMOV_B64:
    case SG_OP_S_CMOVK_I32:
    case SG_OP_S_CBRANCH_SCC0:
    case SG_OP_S_CBRANCH_SCC1:
        return true;
    default:
        return false;
    }
}

static bool reads_vcc(unsigned op)
{
    return op == SG_OP_S_CBRANCH_VCCZ || op == SG_OP_S_CBRANCH_VCCNZ || op == SG_OP_V_DIV_FMAS_F32 ||
           op == SG_OP_V_DIV_FMAS_F64;
}

/* ---- Instructions ---- */

/* Which registers it reads is not in its operands, or where it goes is not. */
static bool is_strange(const struct sg_inst *in)
{
    switch (in->op) {
    case SG_OP_S_MOVRELS_B32:
    case SG_OP_S_MOVRELS_B64:
    case SG_OP_S_MOVRELD_B32:
    case SG_OP_S_MOVRELD_B64:
    case SG_OP_S_SET_GPR_IDX_ON:
    case SG_OP_S_SET_GPR_IDX_OFF:
    case SG_OP_S_SET_GPR_IDX_IDX:
    case SG_OP_S_SET_GPR_IDX_MODE:
    case SG_OP_S_SETREG_B32:
    case SG_OP_S_SETREG_IMM32_B32:
    case SG_OP_S_SETVSKIP:
    case SG_OP_S_CALL_B64:
    case SG_OP_S_RFE_B64:
    case SG_OP_S_CBRANCH_G_FORK:
    case SG_OP_S_CBRANCH_I_FORK:
    case SG_OP_S_CBRANCH_JOIN:
        return true;
    default:
        return sg_is_indirect(in->op) || in->format == SG_FMT_MIMG;
    }
}

/* Scalar instructions that may compute with registers of the set: all that they write is dst and SCC. */
static bool scalar_sum(unsigned op, bool *writes_scc)
{
    *writes_scc = true;
    switch (op) {
    case SG_OP_S_ADD_U32:
    case SG_OP_S_ADD_I32:
    case SG_OP_S_ADDC_U32:
    case SG_OP_S_ADDK_I32:
    case SG_OP_S_SUB_U32:
    case SG_OP_S_SUB_I32:
    case SG_OP_S_SUBB_U32:
    case SG_OP_S_MIN_U32:
    case SG_OP_S_MAX_U32:
    case SG_OP_S_AND_B32:
    case SG_OP_S_AND_B64:
    case SG_OP_S_OR_B32:
    case SG_OP_S_OR_B64:
    case SG_OP_S_XOR_B32:
    case SG_OP_S_XOR_B64:
    case SG_OP_S_LSHL_B32:
    case SG_OP_S_LSHL_B64:
    case SG_OP_S_LSHR_B32:
    case SG_OP_S_LSHR_B64:
    case SG_OP_S_NOT_B32:
    case SG_OP_S_ANDN2_B32:
    case SG_OP_S_ANDN2_B64:
        return true;
    case SG_OP_S_MOV_B32:
    case SG_OP_S_MOV_B64:
    case SG_OP_S_MUL_I32:
    case SG_OP_S_MUL_HI_U32:
        *writes_scc = false;
        return true;
    default:
        return false;
    }
}

/* Vector instructions that may: all that they write is dst and sdst. */
static bool vector_sum(unsigned op)
{
    switch (op) {
    case SG_OP_V_MOV_B32:
    case SG_OP_V_MOV_B64:
    case SG_OP_V_PK_MOV_B32:
    case SG_OP_V_ADD_U32:
    case SG_OP_V_ADD_CO_U32:
    case SG_OP_V_ADDC_CO_U32:
    case SG_OP_V_SUB_U32:
    case SG_OP_V_SUB_CO_U32:
    case SG_OP_V_SUBB_CO_U32:
    case SG_OP_V_SUBREV_U32:
    case SG_OP_V_ADD3_U32:
    case SG_OP_V_LSHL_ADD_U32:
    case SG_OP_V_LSHL_ADD_U64:
    case SG_OP_V_LSHLREV_B32:
    case SG_OP_V_LSHRREV_B32:
    case SG_OP_V_AND_B32:
    case SG_OP_V_OR_B32:
    case SG_OP_V_XOR_B32:
    case SG_OP_V_MUL_LO_U32:
    case SG_OP_V_MAD_U64_U32:
    case SG_OP_V_ADD_F32:
    case SG_OP_V_MUL_F32:
    case SG_OP_V_FMA_F32:
    case SG_OP_V_FMAC_F32:
    case SG_OP_V_ADD_F64:
    case SG_OP_V_CNDMASK_B32:
        return true;
    default:
        return false;
    }
}

static bool is_compare(const struct sg_inst *in)
{
    return in->format == SG_FMT_SOPC || !strncmp(sg_op_name(in->op), "v_cmp_", 6);
}

/* Loads from memory into whole registers. */
static bool is_load(const struct sg_inst *in)
{
    const char *name = sg_op_name(in->op);
    switch (in->format) {
    case SG_FMT_DS:
        return !strncmp(name, "ds_read", 7);
    case SG_FMT_FLAT:
    case SG_FMT_GLOBAL:
    case SG_FMT_SCRATCH:
    case SG_FMT_MUBUF:
        return strstr(name, "_load_") && !in->lds;
    default:
        return false;
    }
}

/* Each active lane reads its own part of vector registers, and of all registers that it writes each active
 * lane is written. */
static bool is_lanewise(const struct sg_inst *in)
{
    return !in->has_dpp && !in->has_sdwa &&
           (is_load(in) || (in->format >= SG_FMT_VOP2 && (vector_sum(in->op) || is_compare(in))));
}

/* Reads one of the set. A destination that keeps a part of its old value is no source here: it is in the set
 * already, and stays there. */
static bool reads(const struct set *t, const struct sg_inst *in)
{
    const bool lanewise = is_lanewise(in);
    bool any = (reads_scc(in->op) && sg_registers_has(&t->any, SG_REGISTER_SCC)) ||
               (reads_vcc(in->op) && pair_in(t, SG_S_VCC));
    for (unsigned i = 0; i < sizeof in->src / sizeof in->src[0]; i++)
        any |= operand_in(t, &in->src[i], lanewise);
    return any || operand_in(t, &in->addr, lanewise) || operand_in(t, &in->data[0], lanewise) ||
           operand_in(t, &in->data[1], lanewise) || operand_in(t, &in->saddr, lanewise) ||
           operand_in(t, &in->soffset, lanewise);
}

/* An instruction that reads none of the set: what it writes no longer differs. */
static void settle(struct set *t, const struct sg_inst *in)
{
    bool writes_scc;
    if (in->format <= SG_FMT_SOPC && scalar_sum(in->op, &writes_scc)) {
        mark(t, &in->dst, false);
        if (writes_scc)
            mark_one(t, SG_REGISTER_SCC, false);
    } else if (in->op == SG_OP_S_MOVK_I32 ||
               (in->format == SG_FMT_SMEM && !strncmp(sg_op_name(in->op), "s_load", 6))) {
        mark(t, &in->dst, false);
    } else if (in->format == SG_FMT_SOPC) {
        mark_one(t, SG_REGISTER_SCC, false);
    } else if (is_compare(in)) {
        mark(t, &in->sdst, false); /* lanes that are not active become 0 */
    } else if (is_lanewise(in)) {
        mark(t, &in->dst, false);
    }
}

static bool is_exec(const struct sg_operand *o)
{
    return o->kind == SG_OPND_SCALAR && o->index <= SG_S_EXEC + 1 && o->index + o->dwords > SG_S_EXEC;
}

/* Lanes may become active that were not. */
static bool wakes_lanes(const struct sg_inst *in)
{
    const char *name = sg_op_name(in->op);
    const bool from_exec = is_exec(&in->src[0]);
    if (in->op == SG_OP_S_AND_SAVEEXEC_B64)
        return false;
    if (is_exec(&in->dst) && ((in->op == SG_OP_S_AND_B64 && (from_exec || is_exec(&in->src[1]))) ||
                              (in->op == SG_OP_S_ANDN2_B64 && from_exec)))
        return false;
    return is_exec(&in->dst) || is_exec(&in->sdst) || strstr(name, "saveexec") || strstr(name, "wrexec") ||
           strstr(name, "cmpx");
}

/* What every instruction may depend on without naming it. */
static bool control_differs(const struct set *t)
{
    enum { FLAT_SCRATCH = 102 };
    return pair_in(t, SG_S_EXEC) || pair_in(t, FLAT_SCRATCH) || sg_registers_has(&t->any, SG_S_M0);
}

/* Takes the set over one instruction. False: it matters. */
static bool pass(struct set *t, const struct sg_inst *in)
{
    bool writes_scc = false;
    if (is_strange(in))
        return false;
    if (wakes_lanes(in))
        t->active = t->any;
    if (sg_reads_time(in)) {
        mark(t, &in->dst, true);
        return !control_differs(t);
    }
    if (!reads(t, in)) {
        settle(t, in);
        return true;
    }
    if (in->format <= SG_FMT_SOPC && (scalar_sum(in->op, &writes_scc) || in->format == SG_FMT_SOPC)) {
        mark(t, &in->dst, true);
        if (writes_scc || in->format == SG_FMT_SOPC)
            mark_one(t, SG_REGISTER_SCC, true);
    } else if (vector_sum(in->op) || (is_compare(in) && in->format >= SG_FMT_VOP2)) {
        mark(t, &in->dst, true);
        mark(t, &in->sdst, true);
    } else {
        return false;
    }
    return !control_differs(t);
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
        struct sg_inst in;
        if (l->mark[i] != (SG_REACHED | SG_LEADS))
            continue;
        const unsigned next = i + l->size[i];
        good = sg_decode_at(w, s->from + 4ull * i, &in) && pass(&at[i], &in);
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
        if (control_differs(&t))
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
