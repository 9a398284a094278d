/*
 * scalar.h - handlers of the scalar formats, shared between build_scalar.c and scalar_*.c.
 */
#ifndef SOFT_GPU_ISA_SCALAR_H
#define SOFT_GPU_ISA_SCALAR_H

#include "soft-gpu/isa/code/code.h"

/* Handlers of register-to-register operations by enum gcn_op, NULL for others: s[d] = f(s[a], s[b]), SCC. */
extern const sg_fn sg_scalar_alu[GCN_OP_COUNT];
/* s_*_saveexec and s_*_wrexec: d pair, a pair; imm as for sg_h_exec_refresh. */
extern const sg_fn sg_scalar_saveexec[GCN_OP_COUNT];

/* The conditions of direct jumps. */
enum sg_condition {
    SG_ALWAYS,
    SG_SCC0,
    SG_SCC1,
    SG_VCCZ,
    SG_VCCNZ,
    SG_EXECZ,
    SG_EXECNZ,
    SG_VSKIP,
    SG_CONDITIONS
};
/* [condition][backward]: jumps of uops made by sg_emit_jump. */
extern const sg_fn sg_scalar_branch[SG_CONDITIONS][2];

int sg_h_s_endpgm(SG_ARGS); /* imm, flags: instructions and vector instructions so far, as in all below */
int sg_h_s_barrier(SG_ARGS);
int sg_h_s_barrier_signal(SG_ARGS); /* x: the form that says whether it is the first */
int sg_h_s_barrier_wait(SG_ARGS);
int sg_h_s_get_barrier_state(SG_ARGS); /* d */
int sg_h_s_sleep(SG_ARGS);             /* x: in a loop that does nothing else */
int sg_h_s_setpc(SG_ARGS);             /* a pair */
int sg_h_s_swappc(SG_ARGS);            /* d pair, a pair */
int sg_h_s_call(SG_ARGS);              /* jump; x: d pair */
int sg_h_s_trap(SG_ARGS);              /* d: trap id */
int sg_h_s_sethalt(SG_ARGS);
int sg_h_s_sendmsg_interrupt(SG_ARGS);
int sg_h_s_setvskip(SG_ARGS);       /* a, b: bit b of a goes to MODE */
int sg_h_s_cbranch_g_fork(SG_ARGS); /* a pair: condition, b pair: target */
int sg_h_s_cbranch_i_fork(SG_ARGS); /* a pair: condition, x: target - address of the next instruction */
int sg_h_s_cbranch_join(SG_ARGS);   /* a: stack pointer of the first fork */
int sg_h_s_privileged(SG_ARGS);
/* Where code at pc stands, decoded for the wavefront's mode; counts up to there. Returns 0 or a stop. u
 * counts itself: imm and flags as emit_counted sets them. Scalars may have moved: take w->s again. */
int sg_jump_to(struct sg_wave *w, const struct sg_uop *u, uint64_t pc, const struct sg_uop **target);
/* Fields of MODE beside rounding and denormals ("AMD CDNA4 ISA", 3.5). */
enum { SG_MODE_GPR_IDX_EN = 1 << 27, SG_MODE_VSKIP = 1 << 28, SG_MODE_CSP_SHIFT = 29 };
int sg_h_s_getreg(SG_ARGS);  /* d; imm: simm16 */
int sg_h_s_setreg(SG_ARGS);  /* a; imm: simm16 */
int sg_h_s_mode(SG_ARGS);    /* the bits of x become those of imm */
int sg_h_s_memtime(SG_ARGS); /* d pair */
int sg_h_s_memrealtime(SG_ARGS);
int sg_h_s_gpr_idx_on(SG_ARGS); /* a; imm: enables */
int sg_h_s_gpr_idx_mode(SG_ARGS);
int sg_h_s_gpr_idx_idx(SG_ARGS);
int sg_h_s_movrels_b32(SG_ARGS); /* d, a: raw register numbers */
int sg_h_s_movrels_b64(SG_ARGS);
int sg_h_s_movreld_b32(SG_ARGS);
int sg_h_s_movreld_b64(SG_ARGS);

int sg_branch_execz_forward(SG_ARGS); /* for pairs (uop.h) */

/* SMEM: a = base pair or V#, b = offset register, imm = offset, x = log flag; c = dwords. d = data. */
int sg_h_s_load_1(SG_ARGS);
int sg_h_s_load_2(SG_ARGS);
int sg_h_s_load_4(SG_ARGS);
int sg_h_s_load_8(SG_ARGS);
int sg_h_s_load_16(SG_ARGS);
int sg_h_s_load_3(SG_ARGS);
int sg_h_s_load_part(SG_ARGS); /* a byte or two: flags SG_SMEM_PART_* and SG_SMEM_BUFFER */
int sg_h_s_load_observed(SG_ARGS);
int sg_h_s_buffer_load(SG_ARGS);
int sg_h_s_buffer_load_weak(SG_ARGS);
int sg_h_s_dcache_inv(SG_ARGS); /* with weak memory only */
int sg_h_s_scratch_load(SG_ARGS);
int sg_h_s_store(SG_ARGS);  /* flags: SG_SMEM_BUFFER, SG_SMEM_SCRATCH */
int sg_h_s_atomic(SG_ARGS); /* flags: enum sg_smem_atomic | SG_SMEM_* */
enum sg_smem_atomic {
    SG_SMEM_SWAP,
    SG_SMEM_CMPSWAP,
    SG_SMEM_ADD,
    SG_SMEM_SUB,
    SG_SMEM_SMIN,
    SG_SMEM_UMIN,
    SG_SMEM_SMAX,
    SG_SMEM_UMAX,
    SG_SMEM_AND,
    SG_SMEM_OR,
    SG_SMEM_XOR,
    SG_SMEM_INC,
    SG_SMEM_DEC
};
enum {
    SG_SMEM_RETURN = 1u << 8,
    SG_SMEM_64 = 1u << 9,
    SG_SMEM_BUFFER = 1u << 10,
    SG_SMEM_SCRATCH = 1u << 11,
    SG_SMEM_PART_16 = 1u << 12, /* two bytes, not one */
    SG_SMEM_PART_SIGNED = 1u << 13
};

/* Appends an instruction of the formats SOP* and SMEM (uop.h). */
bool sg_build_scalar(struct sg_builder *b, const struct gcn_inst *in);
/* Ended by a pair without functions. */
extern const struct sg_pair sg_scalar_pairs[];

/* True when hardware register `id` can be read / written. */
bool sg_hwreg_readable(const struct ls_gpu *arch, unsigned id);
bool sg_hwreg_writable(const struct ls_gpu *arch, unsigned id);

#endif
