/*
 * scratch.c - see scratch.h. A function is called with the description of scratch memory in s[0:3]. A kernel
 * starts with one in which the offset of the wavefront is missing. It adds that at its start and keeps the
 * result in registers that nothing else uses (LLVM's SIFrameLowering::emitEntryFunctionScratchRsrcRegSetup;
 * "User Guide for AMDGPU Backend", sections "Private Segment Buffer" and "Non-Kernel Functions"):
 *
 *     s_mov_b64 s[30:31], s[2:3]     not where it stays in s[0:3]
 *     s_mov_b64 s[28:29], s[0:1]
 *     s_add_u32 s28, s28, s7
 *     s_addc_u32 s29, s29, 0
 */
#include "scratch.h"

#include "gcn/gcn.h"
#include "target.h"

bool ls_scratch_has_instructions(const char *target)
{
    const struct ls_gpu_family *family = ls_gpu_family_of(ls_target_gpu(target));
    return family && family->architected_flat_scratch;
}

struct ls_scratch ls_scratch_begin(bool kernel, bool own_instructions)
{
    if (own_instructions)
        return (struct ls_scratch){-1, -1, -1, -1};
    return kernel ? (struct ls_scratch){-1, 0, 2, -1} : (struct ls_scratch){0, -1, -1, -1};
}

/* The first register of n scalar ones; -1: it is none. */
static int register_of(struct ls_registers r, unsigned n)
{
    return r.file == LS_FILE_SCALAR && r.n == n ? (int)r.first : -1;
}

/* Whether it is the next one of the instructions above. */
static bool is_setup(struct ls_scratch *x, const struct ls_op *op)
{
    int to = register_of(op->to, 1), from = register_of(op->source[0].r, 1);
    int pair = register_of(op->to, 2), copied = register_of(op->source[0].r, 2);
    bool zero = op->source[1].constant && !op->source[1].value;
    if (op->kind == LS_OP_MOVE && pair >= 0 && copied >= 0 && copied == x->high)
        x->high = pair;
    else if (op->kind == LS_OP_MOVE && pair >= 0 && copied >= 0 && copied == x->low)
        x->low = pair;
    else if (op->kind == LS_OP_SCALAR_ADD && to >= 0 && to == x->high - 2 && from == x->low &&
             register_of(op->source[1].r, 1) >= 0)
        x->sum = to;
    else if (op->kind == LS_OP_SCALAR_ADD_CARRY && x->sum >= 0 && to == x->sum + 1 && from == x->low + 1 &&
             zero)
        x->resource = x->sum;
    else
        return false;
    return true;
}

static void forget(int *pair, const struct ls_op *op)
{
    const struct ls_registers r = {LS_FILE_SCALAR, (unsigned)*pair, 2};
    for (unsigned i = 0; *pair >= 0 && i < op->n_written; i++)
        if (ls_registers_meet(r, op->written[i]))
            *pair = -1;
}

bool ls_scratch_next(struct ls_scratch *x, const struct ls_op *op)
{
    if (x->resource < 0 && x->high >= 0 && x->low >= 0 && !is_setup(x, op)) {
        forget(&x->high, op);
        forget(&x->low, op);
        forget(&x->sum, op);
    }
    return x->resource >= 0 && op->form.class == LS_ISA_VECTOR && register_of(op->memory, 4) == x->resource;
}
