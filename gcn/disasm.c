/*
 * disasm.c - struct gcn_inst to text.
 *
 * The syntax is LLVM's, except that mnemonics carry no encoding suffix (_e32, _e64, _sdwa, _dpp) and that
 * immediates with symbolic names (s_waitcnt, hwreg, sendmsg, swizzle, buffer formats) are printed as numbers.
 * The round-trip test compares every opcode with LLVM.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "constants.h"
#include "disasm.h"

void gcn_print(struct out *o, const char *format, ...)
{
    va_list ap;
    if (o->used >= o->size)
        return;
    va_start(ap, format);
    int n = vsnprintf(o->text + o->used, o->size - o->used, format, ap);
    va_end(ap);
    if (n > 0)
        o->used += (unsigned)n;
}

void gcn_print_separator(struct out *o)
{
    gcn_print(o, o->first ? " " : ", ");
    o->first = false;
}

static void print_registers(struct out *o, const char *file, unsigned first, unsigned count)
{
    if (count <= 1)
        gcn_print(o, "%s%u", file, first);
    else
        gcn_print(o, "%s[%u:%u]", file, first, first + count - 1);
}

static const char *const inline_floats[9] = {"0.5",  "-0.5", "1.0",  "-1.0",      "2.0",
                                             "-2.0", "4.0",  "-4.0", "0.15915494"};
static const char *const computed[] = {"src_vccz", "src_execz", "src_scc"};
static const char *const apertures[] = {"src_shared_base", "src_shared_limit", "src_private_base",
                                        "src_private_limit"};

/* Registers with names of their own; a pair has the name without _lo. */
static bool print_named(struct out *o, unsigned index, unsigned count)
{
    static const struct {
        uint8_t index;
        const char *name;
    } pairs[] = {{102, "flat_scratch"}, {104, "xnack_mask"}, {106, "vcc"}, {126, "exec"}};
    for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (index / 2 != pairs[i].index / 2u)
            continue;
        gcn_print(o, "%s%s", pairs[i].name, count >= 2 ? "" : index & 1 ? "_hi" : "_lo");
        return true;
    }
    return false;
}

static void print_scalar(struct out *o, const struct gcn_operand *op)
{
    unsigned i = op->index;
    int32_t integer;
    if (i < 102 || (o->rdna && i < 106))
        print_registers(o, "s", i, op->dwords);
    else if (i == 124)
        gcn_print(o, "m0");
    else if (i == GCN_NULL)
        gcn_print(o, "null");
    else if (i >= 108 && i < 124)
        print_registers(o, "ttmp", i - 108, op->dwords);
    else if (i < 128)
        print_named(o, i, op->dwords);
    else if (gcn_inline_integer(i, &integer))
        gcn_print(o, "%d", integer);
    else if (i >= 235 && i <= 238)
        gcn_print(o, "%s", apertures[i - 235]);
    else if (gcn_is_inline_float(i))
        gcn_print(o, "%s", i == 248 && op->dwords == 2 ? "0.15915494309189532" : inline_floats[i - 240]);
    else if (i >= 251 && i <= 253)
        gcn_print(o, "%s", computed[i - 251]);
}

void gcn_print_operand(struct out *o, const struct gcn_operand *op)
{
    switch (op->kind) {
    case GCN_OPND_VGPR:
        print_registers(o, "v", op->index, op->dwords);
        break;
    case GCN_OPND_AGPR:
        print_registers(o, "a", op->index, op->dwords);
        break;
    case GCN_OPND_SCALAR:
        print_scalar(o, op);
        break;
    case GCN_OPND_LITERAL:
        gcn_print(o, "0x%x", op->literal);
        break;
    default:
        gcn_print(o, "off");
    }
}

void gcn_print_next(struct out *o, const struct gcn_operand *op)
{
    if (op->kind == GCN_OPND_NONE)
        return;
    gcn_print_separator(o);
    gcn_print_operand(o, op);
}

static void scalar(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot)
{
    gcn_print_next(o, &in->dst);
    if (in->format == GCN_FMT_SOPK && in->op != GCN_OP_S_SETREG_IMM32_B32 && in->op != GCN_OP_S_SETREG_B32) {
        if (in->dst.kind == GCN_OPND_NONE)
            gcn_print_next(o, &in->src[0]);
        gcn_print_separator(o);
        gcn_print(o, "0x%x", (unsigned)in->simm16 & 0xffff);
        return;
    }
    if (in->format == GCN_FMT_SOPK) {
        gcn_print_separator(o);
        gcn_print(o, "0x%x", (unsigned)in->simm16 & 0xffff);
    }
    gcn_print_next(o, &in->src[0]);
    gcn_print_next(o, &in->src[1]);
    if (!(slot->flags & SLOT_ACCUMULATE))
        gcn_print_next(o, &in->src[2]);
    if (in->format == GCN_FMT_SOPP || in->op == GCN_OP_S_SET_GPR_IDX_ON ||
        in->op == GCN_OP_S_SENDMSG_RTN_B32 || in->op == GCN_OP_S_SENDMSG_RTN_B64) {
        gcn_print_separator(o);
        gcn_print(o, "0x%x", (unsigned)in->simm16 & 0xffff);
    }
}

/* gfx12's hint of how long the data will be wanted; an atomic has other ones. */
static void temporal_hint(struct out *o, const struct gcn_inst *in, unsigned access)
{
    enum { RETURN = 1, NON_TEMPORAL = 2, CASCADE = 4, WRITE_BACK = 3, LAST = 7, DEVICE = 2, SYSTEM = 3 };
    static const char *const hints[] = {"RT", "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT", "NT_WB"};
    const bool store = access == GCN_ACCESS_STORE;
    if (!in->th)
        return;
    if (access == GCN_ACCESS_ATOMIC && in->th & CASCADE && in->scope >= DEVICE)
        gcn_print(o, " th:TH_ATOMIC_CASCADE%s", in->th & NON_TEMPORAL ? "_NT" : "_RT");
    else if (access == GCN_ACCESS_ATOMIC && in->th & CASCADE)
        gcn_print(o, " th:TH_ATOMIC_0x%x", in->th);
    else if (access == GCN_ACCESS_ATOMIC)
        gcn_print(o, " th:TH_ATOMIC_%s%s", in->th & NON_TEMPORAL ? "NT" : "RETURN",
                  in->th == (NON_TEMPORAL | RETURN) ? "_RETURN" : "");
    else if (in->th == LAST && !store)
        gcn_print(o, " th:0x%x", in->th);
    else if (in->th == WRITE_BACK && (store || in->scope == SYSTEM))
        gcn_print(o, " th:TH_%s_%s", store ? "STORE" : "LOAD", in->scope == SYSTEM ? "BYPASS" : "WB");
    else
        gcn_print(o, " th:TH_%s_%s", store ? "STORE" : "LOAD", hints[in->th & 7]);
}

static void cache_policy(struct out *o, const struct gcn_inst *in)
{
    static const char *const scopes[] = {"", " scope:SCOPE_SE", " scope:SCOPE_DEV", " scope:SCOPE_SYS"};
    temporal_hint(o, in, gcn_traits(in->op)->access);
    gcn_print(o, "%s", scopes[in->scope & 3]);
}

/* The offset of s_prefetch stands in front of the register. */
static void prefetch(struct out *o, const struct gcn_inst *in)
{
    gcn_print_next(o, &in->saddr);
    gcn_print_separator(o);
    gcn_print(o, "%s0x%x, ", in->offset < 0 ? "-" : "",
              (unsigned)(in->offset < 0 ? -in->offset : in->offset));
    if (in->soffset.kind == GCN_OPND_NONE)
        gcn_print(o, "null");
    else
        gcn_print_operand(o, &in->soffset);
    gcn_print(o, ", %d", in->simm16);
}

static void smem(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot)
{
    if (slot->flags & SLOT_PREFETCH) {
        prefetch(o, in);
        return;
    }
    gcn_print_next(o, in->data[0].kind != GCN_OPND_NONE ? &in->data[0] : &in->dst);
    gcn_print_next(o, &in->saddr);
    if (in->saddr.kind == GCN_OPND_NONE)
        return;
    gcn_print_next(o, &in->soffset);
    if (!(in->flags & GCN_INST_SOFFSET_ONLY)) {
        if (o->gfx12 && !in->offset) {
            if (in->soffset.kind == GCN_OPND_NONE)
                gcn_print_separator(o);
            gcn_print(o, in->soffset.kind == GCN_OPND_NONE ? "0x0" : " offset:0");
        } else if (o->rdna && !in->offset) {
            if (in->soffset.kind == GCN_OPND_NONE) {
                gcn_print_separator(o);
                gcn_print(o, "null");
            }
        } else if (in->soffset.kind != GCN_OPND_NONE) {
            gcn_print(o, " offset:%d", in->offset);
        } else {
            gcn_print_separator(o);
            gcn_print(o, "%s0x%x", in->offset < 0 ? "-" : "",
                      (unsigned)(in->offset < 0 ? -in->offset : in->offset));
        }
    }
    if (o->gfx12)
        cache_policy(o, in);
    else if (in->glc && (in->dst.kind != GCN_OPND_NONE || in->data[0].kind != GCN_OPND_NONE))
        gcn_print(o, " glc");
    if (in->dlc)
        gcn_print(o, " dlc");
}

static void cache_bits(struct out *o, struct gcn_target target, const struct gcn_inst *in)
{
    if (o->gfx12)
        cache_policy(o, in);
    else if (target.gpu->sc_cache_bits)
        gcn_print(o, "%s%s%s", in->glc ? " sc0" : "", in->nt ? " nt" : "", in->scc_bit ? " sc1" : "");
    else
        gcn_print(o, "%s%s%s%s", in->glc ? " glc" : "", in->slc ? " slc" : "", in->dlc ? " dlc" : "",
                  in->scc_bit ? " scc" : "");
}

static void ds(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot)
{
    bool new_first = o->gfx11 && gcn_has(in->op, GCN_COMPARES);
    gcn_print_next(o, &in->dst);
    gcn_print_next(o, &in->addr);
    gcn_print_next(o, &in->data[new_first]);
    gcn_print_next(o, &in->data[!new_first]);
    if (slot->flags & SLOT_OFFSET2) {
        if (in->offset0)
            gcn_print(o, " offset0:%u", in->offset0);
        if (in->offset1)
            gcn_print(o, " offset1:%u", in->offset1);
    } else if (in->offset) {
        gcn_print(o, " offset:%d", in->offset);
    }
    if (in->flags & GCN_INST_GDS)
        gcn_print(o, " gds");
}

static void flat(struct out *o, struct gcn_target target, const struct gcn_inst *in)
{
    if (gcn_has(in->op, GCN_CACHES)) {
        cache_bits(o, target, in);
        return;
    }
    gcn_print_next(o, &in->dst);
    if (in->op != GCN_OP_GLOBAL_LOAD_DWORD_ADDTID && in->op != GCN_OP_GLOBAL_STORE_DWORD_ADDTID) {
        gcn_print_separator(o);
        gcn_print_operand(o, &in->addr);
    }
    gcn_print_next(o, &in->data[0]);
    if (in->format != GCN_FMT_FLAT) {
        gcn_print_separator(o);
        gcn_print_operand(o, &in->saddr);
    }
    if (in->offset)
        gcn_print(o, " offset:%d", in->offset);
    cache_bits(o, target, in);
}

static void buffer(struct out *o, struct gcn_target target, const struct gcn_inst *in)
{
    if (in->saddr.kind != GCN_OPND_NONE) {
        if (in->data[0].kind != GCN_OPND_NONE)
            gcn_print_next(o, &in->data[0]);
        else
            gcn_print_next(o, &in->dst);
        if (in->addr.kind != GCN_OPND_NONE || !in->lds) {
            gcn_print_separator(o);
            gcn_print_operand(o, &in->addr);
        }
        gcn_print_next(o, &in->saddr);
        gcn_print_next(o, &in->soffset);
        if (in->format == GCN_FMT_MTBUF)
            gcn_print(o, " format:%d", in->simm16);
        gcn_print(o, "%s%s", in->idxen ? " idxen" : "", in->offen ? " offen" : "");
        if (in->offset)
            gcn_print(o, " offset:%d", in->offset);
    }
    cache_bits(o, target, in);
    if (in->flags & GCN_INST_TFE)
        gcn_print(o, " tfe");
    if (in->lds)
        gcn_print(o, " lds");
}

static void image_address(struct out *o, const struct gcn_inst *in)
{
    if (in->n_runs <= 1) {
        gcn_print_next(o, &in->addr);
        return;
    }
    gcn_print_separator(o);
    for (unsigned i = 0; i < in->n_runs; i++) {
        gcn_print(o, i ? ", " : "[");
        print_registers(o, "v", in->run[i].first, in->run[i].count);
    }
    gcn_print(o, "]");
}

static void image(struct out *o, struct gcn_target target, const struct gcn_inst *in)
{
    static const char *const dims[] = {"1D",       "2D",       "3D",      "CUBE",
                                       "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"};
    static const struct {
        uint32_t flag;
        const char *text;
    } flags[] = {{GCN_INST_R128, " r128"}, {GCN_INST_A16, " a16"}, {GCN_INST_TFE, " tfe"},
                 {GCN_INST_LWE, " lwe"},   {GCN_INST_DA, " da"},   {GCN_INST_D16, " d16"}};
    const bool ray = gcn_image_form(in->op) & GCN_IMAGE_RAY; /* of which only A16 is a choice */
    gcn_print_next(o, in->data[0].kind != GCN_OPND_NONE ? &in->data[0] : &in->dst);
    image_address(o, in);
    gcn_print_next(o, &in->saddr);
    gcn_print_next(o, &in->soffset);
    if (in->simm16 && !ray)
        gcn_print(o, " dmask:0x%x", (unsigned)in->simm16);
    if (o->rdna && !ray)
        gcn_print(o, " dim:SQ_RSRC_IMG_%s", dims[in->dim & 7]);
    gcn_print(o, "%s", in->flags & GCN_INST_UNRM && !ray ? " unorm" : "");
    cache_bits(o, target, in);
    for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (in->flags & flags[i].flag && (!ray || flags[i].flag == GCN_INST_A16))
            gcn_print(o, "%s", flags[i].text);
}

static void operands(struct out *o, struct gcn_target target, const struct gcn_inst *in,
                     const struct gcn_slot *slot)
{
    switch (in->format) {
    case GCN_FMT_SMEM:
        smem(o, in, slot);
        break;
    case GCN_FMT_VOP2:
    case GCN_FMT_VOP1:
    case GCN_FMT_VOPC:
    case GCN_FMT_VOP3:
        gcn_print_vector(o, in, slot);
        break;
    case GCN_FMT_VOP3P:
        gcn_print_packed(o, in, slot);
        break;
    case GCN_FMT_VOPD:
        gcn_print_two(o, target, in);
        break;
    case GCN_FMT_MAI:
    case GCN_FMT_VOP3PX:
        gcn_print_matrix(o, target, in, slot);
        break;
    case GCN_FMT_DS:
        ds(o, in, slot);
        break;
    case GCN_FMT_FLAT:
    case GCN_FMT_GLOBAL:
    case GCN_FMT_SCRATCH:
        flat(o, target, in);
        break;
    case GCN_FMT_MUBUF:
    case GCN_FMT_MTBUF:
        buffer(o, target, in);
        break;
    case GCN_FMT_MIMG:
        image(o, target, in);
        break;
    default:
        scalar(o, in, slot);
    }
}

unsigned gcn_disassemble(struct gcn_target target, const uint32_t *words, unsigned dwords, uint64_t pc,
                         char *text, unsigned size)
{
    struct gcn_inst in;
    struct out o = {.text = text,
                    .size = size,
                    .first = true,
                    .rdna = target.gpu->family->encoding >= 10,
                    .gfx11 = target.gpu->family->encoding >= 11,
                    .gfx12 = target.gpu->family->encoding >= 12};
    unsigned n = gcn_decode(target, words, dwords, pc, &in);
    if (size)
        text[0] = 0;
    if (!n) {
        gcn_print(&o, ".long 0x%08x", dwords ? words[0] : 0);
        return dwords ? 4 : 0;
    }
    bool dual = in.format == GCN_FMT_VOPD;
    gcn_print(&o, "%s%s", dual ? "v_dual_" : "", gcn_op_name(in.op) + (dual ? 2 : 0));
    operands(&o, target, &in, gcn_slot_of(target, &in));
    return n;
}
