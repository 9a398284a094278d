/*
 * code_ops.c - micro-operations that instructions of several rooms are made of: the links between runs, faults,
 * scalar sources that are computed, EXEC.
 */
#include "exec.h"

int sg_h_jump(SG_ARGS)
{
    const struct sg_jump *j = sg_as_jump(u);
    w->n_inst += (uint64_t)(int64_t)j->instructions;
    w->n_vector += (uint64_t)(int64_t)j->vectors;
    SG_GOTO(j->target);
}

int sg_h_copy_scc(SG_ARGS)
{
    sg_set_s64(s, u->d, s[SG_S_SCC]);
    SG_NEXT();
}

int sg_h_vccz(SG_ARGS)
{
    sg_set_s64(s, u->d, !sg_vcc_register(w, s));
    SG_NEXT();
}

int sg_h_execz(SG_ARGS)
{
    sg_set_s64(s, u->d, !w->exec);
    SG_NEXT();
}

int sg_h_fault(SG_ARGS)
{
    (void)v;
    (void)s;
    switch (u->d) {
    case SG_FAULT_PAGE:
        return sg_fault_at(w, u, SG_FAULT_PAGE, sg_uop_pc(w, u), 0, false,
                           "instruction fetch from an address that holds no executable memory");
    case SG_FAULT_ILLEGAL:
        return sg_fault_at(w, u, SG_FAULT_ILLEGAL, 0, 0, false, "encoding that this GPU does not have");
    default:
        return sg_fault_at(w, u, SG_FAULT_UNIMPLEMENTED, 0, 0, false,
                           "instruction that the software GPU does not implement");
    }
}

void sg_wave_load_exec(struct sg_wave *w)
{
    const uint64_t exec = sg_exec_register(w, w->s);
    if (exec != w->exec) /* the mask of an earlier use is still there */
        sg_fill_exec_mask(w, exec);
    w->exec = exec;
}

int sg_h_exec_refresh(SG_ARGS)
{
    sg_set_exec(w, s, u->imm);
    SG_NEXT();
}
