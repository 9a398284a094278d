/*
 * build_scalar.c - scalar instructions to micro-operations.
 */
#include "scalar.h"

static unsigned source(struct sg_builder *b, const struct gcn_operand *o)
{
    if (o->kind == GCN_OPND_NONE)
        return 0;
    return o->dwords >= 2 ? sg_scalar_source64(b, o, false) : sg_scalar_source(b, o);
}

static void refresh_if_exec(struct sg_builder *b, const struct gcn_operand *dst)
{
    if (dst->kind == GCN_OPND_SCALAR && dst->index + dst->dwords > SG_S_EXEC)
        sg_emit_exec_refresh(b);
}

/* The 16-bit immediate of SOPK; the unsigned compares zero-extend it. */
static uint32_t sopk_immediate(const struct gcn_inst *in)
{
    switch (in->op) {
    case GCN_OP_S_CMPK_EQ_U32:
    case GCN_OP_S_CMPK_LG_U32:
    case GCN_OP_S_CMPK_GT_U32:
    case GCN_OP_S_CMPK_GE_U32:
    case GCN_OP_S_CMPK_LT_U32:
    case GCN_OP_S_CMPK_LE_U32:
        return (uint32_t)in->simm16 & 0xffff;
    default:
        return (uint32_t)in->simm16;
    }
}

static bool build_alu(struct sg_builder *b, const struct gcn_inst *in)
{
    unsigned x = source(b, &in->src[0]), y = source(b, &in->src[1]);
    if (in->format == GCN_FMT_SOPK) {
        unsigned k = sg_const32(b, sopk_immediate(in));
        if (in->src[0].kind == GCN_OPND_NONE)
            x = k;
        else
            y = k;
    }
    if (in->op == GCN_OP_S_GETPC_B64)
        x = sg_const64(b, in->pc + 4);
    sg_emit(b, sg_scalar_alu[in->op], in->dst.index, x, y, 0);
    refresh_if_exec(b, &in->dst);
    return true;
}

static void build_branch(struct sg_builder *b, const struct gcn_inst *in, enum sg_condition condition)
{
    uint64_t target = gcn_branch_target(in);
    sg_emit_jump(b, sg_scalar_branch[condition][target <= in->pc], target);
    if (condition == SG_ALWAYS)
        sg_builder_end_run(b);
}

static struct sg_uop *emit_counted(struct sg_builder *b, sg_fn fn, unsigned d, unsigned a)
{
    struct sg_uop *u = sg_emit(b, fn, d, a, 0, 0);
    u->imm = sg_builder_number(b);
    u->flags = (uint32_t)sg_builder_vectors(b);
    return u;
}

static void build_end(struct sg_builder *b, sg_fn fn)
{
    emit_counted(b, fn, 0, 0);
    sg_builder_end_run(b);
}

static bool build_message(struct sg_builder *b, const struct gcn_inst *in)
{
    enum { MSG_INTERRUPT = 1, MSG_DEALLOC_VGPRS = 3 };
    if (sg_builder_arch(b)->family->frees_vgprs && (in->simm16 & 255) == MSG_DEALLOC_VGPRS)
        return true; /* the wavefront is about to end; its registers are freed then */
    if ((in->simm16 & 15) != MSG_INTERRUPT)
        return false;
    sg_emit(b, sg_h_s_sendmsg_interrupt, 0, 0, 0, 0);
    return true;
}

static bool build_trap(struct sg_builder *b, const struct gcn_inst *in)
{
    enum { LLVM_DEBUG_TRAP = 3 };
    if ((in->simm16 & 255) != LLVM_DEBUG_TRAP)
        sg_emit(b, sg_h_s_trap, (unsigned)in->simm16 & 255, 0, 0, 0);
    return true;
}

static void emit_mode(struct sg_builder *b, const struct gcn_inst *in, unsigned shift)
{
    struct sg_uop *u = sg_emit(b, sg_h_s_mode, 0, 0, 0, 0);
    u->x = 15u << shift;
    u->imm = (int32_t)(((uint32_t)in->simm16 & 15) << shift);
}

/* What changes nothing here: hints of when and in which order to fetch, for memory needs none; jumps into a debugger,
 * for none is attached. */
static bool does_nothing(unsigned op)
{
    switch (op) {
    case GCN_OP_S_CLAUSE:
    case GCN_OP_S_INST_PREFETCH:
    case GCN_OP_S_WAITCNT_DEPCTR:
    case GCN_OP_S_WAIT_IDLE:
    case GCN_OP_S_TTRACEDATA_IMM:
    case GCN_OP_S_DELAY_ALU:
    case GCN_OP_S_WAIT_EVENT:
    case GCN_OP_S_WAIT_ALU:
    case GCN_OP_S_WAIT_LOADCNT: /* what returns something is done at once */
    case GCN_OP_S_WAIT_SAMPLECNT:
    case GCN_OP_S_WAIT_BVHCNT:
    case GCN_OP_S_WAIT_EXPCNT:
    case GCN_OP_S_WAIT_DSCNT:
    case GCN_OP_S_WAIT_KMCNT:
    case GCN_OP_S_WAIT_LOADCNT_DSCNT:
    case GCN_OP_S_NOP:
    case GCN_OP_S_WAKEUP:
    case GCN_OP_S_SETPRIO:
    case GCN_OP_S_ICACHE_INV:
    case GCN_OP_S_INCPERFLEVEL:
    case GCN_OP_S_DECPERFLEVEL:
    case GCN_OP_S_TTRACEDATA:
    case GCN_OP_S_CBRANCH_CDBGSYS:
    case GCN_OP_S_CBRANCH_CDBGUSER:
    case GCN_OP_S_CBRANCH_CDBGSYS_OR_USER:
    case GCN_OP_S_CBRANCH_CDBGSYS_AND_USER:
        return true;
    default:
        return false;
    }
}

/* The condition of a direct jump; SG_CONDITIONS: it is none. */
static enum sg_condition condition_of(unsigned op)
{
    switch (op) {
    case GCN_OP_S_BRANCH:
        return SG_ALWAYS;
    case GCN_OP_S_CBRANCH_SCC0:
        return SG_SCC0;
    case GCN_OP_S_CBRANCH_SCC1:
        return SG_SCC1;
    case GCN_OP_S_CBRANCH_VCCZ:
        return SG_VCCZ;
    case GCN_OP_S_CBRANCH_VCCNZ:
        return SG_VCCNZ;
    case GCN_OP_S_CBRANCH_EXECZ:
        return SG_EXECZ;
    case GCN_OP_S_CBRANCH_EXECNZ:
        return SG_EXECNZ;
    default:
        return SG_CONDITIONS;
    }
}

/* Stores alone are under way, and count as vector memory does where they have no counter of their own: bits 3:0 and 15:14
 * ("AMD Instinct MI200 ISA", S_WAITCNT). */
static void build_waitcnt(struct sg_builder *b, uint32_t simm16)
{
    enum { NO_WAIT = 63 };
    const uint32_t vmcnt = (simm16 & 15) | (simm16 >> 14 & 3) << 4;
    if (!sg_builder_arch(b)->family->counts_stores && vmcnt != NO_WAIT)
        sg_emit_wait(b, vmcnt);
}

/* gfx12's split barriers have numbers: that of the work-group is -1. Others are of trap handlers (-2), or named ones, which
 * "RDNA4 Instruction Set Architecture" does not describe. */
enum { GROUP_BARRIER = -1, MINUS_ONE = 193 };

static bool build_barrier(struct sg_builder *b, const struct gcn_inst *in)
{
    if (in->op != GCN_OP_S_BARRIER_SIGNAL && in->op != GCN_OP_S_BARRIER_SIGNAL_ISFIRST &&
        in->op != GCN_OP_S_GET_BARRIER_STATE)
        return false;
    if (in->src[0].kind != GCN_OPND_SCALAR || in->src[0].index != MINUS_ONE)
        return false;
    if (in->op == GCN_OP_S_GET_BARRIER_STATE) {
        sg_emit(b, sg_h_s_get_barrier_state, in->dst.index, 0, 0, 0);
        refresh_if_exec(b, &in->dst);
    } else {
        sg_emit(b, sg_h_s_barrier_signal, 0, 0, 0, 0)->x = in->op == GCN_OP_S_BARRIER_SIGNAL_ISFIRST;
    }
    return true;
}

static bool build_sopp(struct sg_builder *b, const struct gcn_inst *in)
{
    const enum sg_condition condition = condition_of(in->op);
    if (condition != SG_CONDITIONS)
        return build_branch(b, in, condition), true;
    switch (in->op) {
    case GCN_OP_S_WAITCNT:
        build_waitcnt(b, (uint32_t)in->simm16);
        return true;
    case GCN_OP_S_ROUND_MODE: /* MODE 3:0 */
        emit_mode(b, in, 0);
        return true;
    case GCN_OP_S_DENORM_MODE: /* MODE 7:4 */
        emit_mode(b, in, 4);
        return true;
    case GCN_OP_S_ENDPGM:
    case GCN_OP_S_ENDPGM_SAVED:
        return build_end(b, sg_h_s_endpgm), true;
    case GCN_OP_S_BARRIER:
        sg_emit(b, sg_h_s_barrier, 0, 0, 0, 0);
        return true;
    case GCN_OP_S_BARRIER_WAIT:
        if (in->simm16 != GROUP_BARRIER)
            return false;
        sg_emit(b, sg_h_s_barrier_wait, 0, 0, 0, 0);
        return true;
    case GCN_OP_S_WAIT_STORECNT:
        sg_emit_wait(b, (uint32_t)in->simm16 & 63);
        return true;
    case GCN_OP_S_WAIT_STORECNT_DSCNT: /* stores 13:8 */
        sg_emit_wait(b, (uint32_t)in->simm16 >> 8 & 63);
        return true;
    case GCN_OP_S_SLEEP:
        sg_emit(b, sg_h_s_sleep, 0, 0, 0, 0)->x = sg_builder_delays(b);
        return true;
    case GCN_OP_S_SETHALT:
        if (in->simm16 & 1)
            sg_emit(b, sg_h_s_sethalt, 0, 0, 0, 0);
        return true;
    case GCN_OP_S_SETKILL: /* the wavefront ends, as if the host had asked for it */
        if (in->simm16 & 1)
            build_end(b, sg_h_s_endpgm);
        return true;
    case GCN_OP_S_SENDMSG:
        return build_message(b, in);
    case GCN_OP_S_SENDMSGHALT:
        if (!build_message(b, in))
            return false;
        sg_emit(b, sg_h_s_sethalt, 0, 0, 0, 0);
        return true;
    case GCN_OP_S_TRAP:
        return build_trap(b, in);
    case GCN_OP_S_SET_GPR_IDX_OFF:
        sg_builder_set_indexed(b, false);
        return true;
    case GCN_OP_S_SET_GPR_IDX_MODE:
        sg_emit(b, sg_h_s_gpr_idx_mode, 0, 0, 0, 0)->imm = in->simm16;
        return true;
    default:
        return does_nothing(in->op);
    }
}

static bool build_getreg(struct sg_builder *b, const struct gcn_inst *in)
{
    if (!sg_hwreg_readable(sg_builder_arch(b), (unsigned)in->simm16 & 63))
        return false;
    sg_emit(b, sg_h_s_getreg, in->dst.index, 0, 0, 0)->imm = in->simm16 & 0xffff;
    refresh_if_exec(b, &in->dst);
    return true;
}

static bool build_setreg(struct sg_builder *b, const struct gcn_inst *in)
{
    if (!sg_hwreg_writable(sg_builder_arch(b), (unsigned)in->simm16 & 63))
        return false;
    sg_emit(b, sg_h_s_setreg, 0, source(b, &in->src[0]), 0, 0)->imm = in->simm16 & 0xffff;
    return true;
}

static bool build_movrel(struct sg_builder *b, const struct gcn_inst *in, sg_fn fn, bool indexed_source)
{
    if (indexed_source && (in->src[0].kind != GCN_OPND_SCALAR || in->src[0].index > 127))
        return false;
    unsigned a = indexed_source ? in->src[0].index : source(b, &in->src[0]);
    sg_emit(b, fn, in->dst.index, a, 0, 0);
    if (indexed_source)
        refresh_if_exec(b, &in->dst);
    else
        sg_emit_exec_refresh(b); /* the register is known only at run time */
    return true;
}

/* The code behind it exists twice, with its vector instructions and without. */
static void build_setvskip(struct sg_builder *b, const struct gcn_inst *in)
{
    sg_emit(b, sg_h_s_setvskip, 0, source(b, &in->src[0]), source(b, &in->src[1]), 0);
    sg_builder_set_vskip(b, true);
    sg_emit_jump(b, sg_scalar_branch[SG_VSKIP][0], in->pc + 4);
    sg_builder_set_vskip(b, false);
}

static void build_fork(struct sg_builder *b, const struct gcn_inst *in, sg_fn fn)
{
    unsigned x = source(b, &in->src[0]), y = source(b, &in->src[1]);
    struct sg_uop *u = emit_counted(b, fn, 0, x);
    u->b = (uint16_t)y;
    u->x = (uint32_t)in->simm16 * 4;
    sg_builder_also_decode(b, in->pc + 4);
    sg_builder_end_run(b);
}

/* A message that is answered: of these the clock alone has a meaning here. */
static bool build_message_returning(struct sg_builder *b, const struct gcn_inst *in)
{
    enum { RTN_GET_REALTIME = 0x83 };
    if (in->simm16 != RTN_GET_REALTIME || in->op != GCN_OP_S_SENDMSG_RTN_B64)
        return false;
    sg_emit(b, sg_h_s_memrealtime, in->dst.index, 0, 0, 0);
    return true;
}

/* Instructions that are more than a function of two registers. */
static bool build_special(struct sg_builder *b, const struct gcn_inst *in)
{
    switch (in->op) {
    case GCN_OP_S_SETPC_B64:
        emit_counted(b, sg_h_s_setpc, 0, source(b, &in->src[0]));
        sg_builder_end_run(b);
        return true;
    case GCN_OP_S_SWAPPC_B64:
        emit_counted(b, sg_h_s_swappc, in->dst.index, source(b, &in->src[0]));
        sg_builder_also_decode(b, in->pc + 4);
        sg_builder_end_run(b);
        return true;
    case GCN_OP_S_CALL_B64:
        sg_emit_jump(b, sg_h_s_call, gcn_branch_target(in))->x = in->dst.index;
        sg_builder_also_decode(b, in->pc + 4);
        sg_builder_end_run(b);
        return true;
    case GCN_OP_S_GETREG_B32:
        return build_getreg(b, in);
    case GCN_OP_S_SETREG_B32:
    case GCN_OP_S_SETREG_IMM32_B32:
        return build_setreg(b, in);
    case GCN_OP_S_VERSION:
        return true;
    case GCN_OP_S_SENDMSG_RTN_B32:
    case GCN_OP_S_SENDMSG_RTN_B64:
        return build_message_returning(b, in);
    case GCN_OP_S_WAITCNT_VSCNT: /* beside a register, which LLVM has as NULL: none is added */
        sg_emit_wait(b, (uint32_t)in->simm16 & 63);
        return true;
    case GCN_OP_S_WAITCNT_VMCNT:
    case GCN_OP_S_WAITCNT_EXPCNT:
    case GCN_OP_S_WAITCNT_LGKMCNT:
        return true; /* what returns something is done at once */
    case GCN_OP_S_SET_GPR_IDX_ON:
        sg_emit(b, sg_h_s_gpr_idx_on, 0, source(b, &in->src[0]), 0, 0)->imm = in->simm16;
        sg_builder_set_indexed(b, true);
        return true;
    case GCN_OP_S_SET_GPR_IDX_IDX:
        sg_emit(b, sg_h_s_gpr_idx_idx, 0, source(b, &in->src[0]), 0, 0);
        return true;
    case GCN_OP_S_SETVSKIP:
        return build_setvskip(b, in), true;
    case GCN_OP_S_CBRANCH_G_FORK:
        return build_fork(b, in, sg_h_s_cbranch_g_fork), true;
    case GCN_OP_S_CBRANCH_I_FORK:
        return build_fork(b, in, sg_h_s_cbranch_i_fork), true;
    case GCN_OP_S_CBRANCH_JOIN:
        return build_fork(b, in, sg_h_s_cbranch_join), true;
    case GCN_OP_S_RFE_B64:
    case GCN_OP_S_RFE_RESTORE_B64:
        sg_emit(b, sg_h_s_privileged, 0, 0, 0, 0);
        return true;
    case GCN_OP_S_MOVRELS_B32:
        return build_movrel(b, in, sg_h_s_movrels_b32, true);
    case GCN_OP_S_MOVRELS_B64:
        return build_movrel(b, in, sg_h_s_movrels_b64, true);
    case GCN_OP_S_MOVRELD_B32:
        return build_movrel(b, in, sg_h_s_movreld_b32, false);
    case GCN_OP_S_MOVRELD_B64:
        return build_movrel(b, in, sg_h_s_movreld_b64, false);
    case GCN_OP_S_SLEEP_VAR:
        sg_emit(b, sg_h_s_sleep, 0, 0, 0, 0)->x = sg_builder_delays(b);
        return true;
    default:
        return build_barrier(b, in);
    }
}

/* ---- SMEM ---- */

static sg_fn load_handler(unsigned dwords)
{
    switch (dwords) {
    case 1:
        return sg_h_s_load_1;
    case 2:
        return sg_h_s_load_2;
    case 3:
        return sg_h_s_load_3;
    case 4:
        return sg_h_s_load_4;
    case 8:
        return sg_h_s_load_8;
    default:
        return sg_h_s_load_16;
    }
}

static unsigned smem_observers(const struct sg_builder *b)
{
    return sg_builder_observers(b) & (SG_OBSERVE_LOG | SG_OBSERVE_GLOBAL);
}

static struct sg_uop *emit_smem(struct sg_builder *b, const struct gcn_inst *in, sg_fn fn,
                                const struct gcn_operand *data)
{
    enum { INLINE_ZERO = 128 };
    unsigned offset = in->soffset.kind == GCN_OPND_NONE ? INLINE_ZERO : in->soffset.index;
    struct sg_uop *u = sg_emit(b, fn, data->index, in->saddr.index, offset, data->dwords);
    u->imm = in->offset;
    u->x = smem_observers(b);
    if (in->saddr.dwords == 4)
        u->flags |= SG_SMEM_BUFFER;
    return u;
}

/* Atomics are numbered in the same order as enum sg_smem_atomic, from 64, 96 (x2), 128 and 160 (x2). */
static bool build_smem_atomic(struct sg_builder *b, const struct gcn_inst *in)
{
    unsigned number = in->opcode & 31;
    if (number > SG_SMEM_DEC)
        return false;
    sg_emit_settle(b);
    struct sg_uop *u = emit_smem(b, in, sg_h_s_atomic, &in->data[0]);
    u->flags |= number | (in->glc ? SG_SMEM_RETURN : 0) | (in->opcode & 32 ? SG_SMEM_64 : 0);
    return true;
}

/* gfx12's loads of less than a dword. */
static bool build_load_part(struct sg_builder *b, const struct gcn_inst *in)
{
    uint32_t flags;
    switch (in->op) {
    case GCN_OP_S_LOAD_U8:
    case GCN_OP_S_BUFFER_LOAD_U8:
        flags = 0;
        break;
    case GCN_OP_S_LOAD_I8:
    case GCN_OP_S_BUFFER_LOAD_I8:
        flags = SG_SMEM_PART_SIGNED;
        break;
    case GCN_OP_S_LOAD_U16:
    case GCN_OP_S_BUFFER_LOAD_U16:
        flags = SG_SMEM_PART_16;
        break;
    case GCN_OP_S_LOAD_I16:
    case GCN_OP_S_BUFFER_LOAD_I16:
        flags = SG_SMEM_PART_16 | SG_SMEM_PART_SIGNED;
        break;
    default:
        return false;
    }
    emit_smem(b, in, sg_h_s_load_part, &in->dst)->flags |= flags;
    refresh_if_exec(b, &in->dst);
    return true;
}

/* Caches: there are none, but with weak memory. Prefetches and probes read what nobody asks for. */
static bool build_cache_control(struct sg_builder *b, const struct gcn_inst *in)
{
    const bool invalidates =
        in->op == GCN_OP_S_GL1_INV || in->op == GCN_OP_S_DCACHE_INV || in->op == GCN_OP_S_DCACHE_INV_VOL;
    if (invalidates && sg_builder_weak(b))
        sg_emit(b, sg_h_s_dcache_inv, 0, 0, 0, 0);
    return gcn_has(in->op, GCN_CACHES) || in->op == GCN_OP_S_ATC_PROBE || in->op == GCN_OP_S_ATC_PROBE_BUFFER;
}

static bool build_smem(struct sg_builder *b, const struct gcn_inst *in)
{
    if (build_cache_control(b, in))
        return true;
    switch (in->op) {
    case GCN_OP_S_MEMTIME:
        sg_emit(b, sg_h_s_memtime, in->dst.index, 0, 0, 0);
        return true;
    case GCN_OP_S_MEMREALTIME:
        sg_emit(b, sg_h_s_memrealtime, in->dst.index, 0, 0, 0);
        return true;
    case GCN_OP_S_LOAD_DWORD:
    case GCN_OP_S_LOAD_DWORDX2:
    case GCN_OP_S_LOAD_DWORDX3:
    case GCN_OP_S_LOAD_DWORDX4:
    case GCN_OP_S_LOAD_DWORDX8:
    case GCN_OP_S_LOAD_DWORDX16:
        emit_smem(b, in,
                  smem_observers(b) || sg_builder_weak(b) ? sg_h_s_load_observed
                                                          : load_handler(in->dst.dwords),
                  &in->dst);
        refresh_if_exec(b, &in->dst);
        return true;
    case GCN_OP_S_BUFFER_LOAD_DWORD:
    case GCN_OP_S_BUFFER_LOAD_DWORDX2:
    case GCN_OP_S_BUFFER_LOAD_DWORDX3:
    case GCN_OP_S_BUFFER_LOAD_DWORDX4:
    case GCN_OP_S_BUFFER_LOAD_DWORDX8:
    case GCN_OP_S_BUFFER_LOAD_DWORDX16:
        emit_smem(b, in, sg_builder_weak(b) ? sg_h_s_buffer_load_weak : sg_h_s_buffer_load, &in->dst);
        refresh_if_exec(b, &in->dst);
        return true;
    case GCN_OP_S_SCRATCH_LOAD_DWORD:
    case GCN_OP_S_SCRATCH_LOAD_DWORDX2:
    case GCN_OP_S_SCRATCH_LOAD_DWORDX4:
        emit_smem(b, in, sg_h_s_scratch_load, &in->dst)->flags |= SG_SMEM_SCRATCH;
        refresh_if_exec(b, &in->dst);
        return true;
    case GCN_OP_S_SCRATCH_STORE_DWORD:
    case GCN_OP_S_SCRATCH_STORE_DWORDX2:
    case GCN_OP_S_SCRATCH_STORE_DWORDX4:
        emit_smem(b, in, sg_h_s_store, &in->data[0])->flags |= SG_SMEM_SCRATCH;
        return true;
    case GCN_OP_S_STORE_DWORD:
    case GCN_OP_S_STORE_DWORDX2:
    case GCN_OP_S_STORE_DWORDX4:
    case GCN_OP_S_BUFFER_STORE_DWORD:
    case GCN_OP_S_BUFFER_STORE_DWORDX2:
    case GCN_OP_S_BUFFER_STORE_DWORDX4:
        sg_emit_settle(b);
        emit_smem(b, in, sg_h_s_store, &in->data[0]);
        sg_emit_settle(b);
        return true;
    default:
        return build_load_part(b, in) || (in->opcode >= 64 && build_smem_atomic(b, in));
    }
}

bool sg_build_scalar(struct sg_builder *b, const struct gcn_inst *in)
{
    if (in->format == GCN_FMT_SMEM)
        return build_smem(b, in);
    if (in->format == GCN_FMT_SOPP)
        return build_sopp(b, in);
    if (sg_scalar_saveexec[in->op]) {
        struct sg_uop *u =
            sg_emit(b, sg_scalar_saveexec[in->op], in->dst.index, source(b, &in->src[0]), 0, 0);
        u->imm = sg_builder_vectors(b);
        refresh_if_exec(b, &in->dst);
        return true;
    }
    if (sg_scalar_alu[in->op])
        return build_alu(b, in);
    return build_special(b, in);
}
