/*
 * scalar_exec.c - EXEC: its row mask, and the instructions that save and change it.
 */
#include "scalar.h"

static void fill_mask(struct sg_wave *w, uint64_t exec)
{
    for (unsigned group = 0; group < 8; group++) {
        uint32_t byte = (uint32_t)(exec >> (8 * group)) & 255;
        for (unsigned i = 0; i < 8; i++)
            w->xm[8 * group + i] = byte & 1u << i ? ~0u : 0;
    }
}

void sg_wave_load_exec(struct sg_wave *w)
{
    const uint64_t exec = sg_s64(w->s, SG_S_EXEC);
    if (exec != w->exec) /* the mask of an earlier use is still there */
        fill_mask(w, exec);
    w->exec = exec;
}

static inline void set_exec(struct sg_wave *w, uint32_t *s, uint64_t exec, int32_t vectors)
{
    sg_set_s64(s, SG_S_EXEC, exec);
    if (exec == w->exec)
        return;
    sg_count_lanes(w, vectors);
    w->exec = exec;
    fill_mask(w, exec);
}

int sg_h_exec_refresh(SG_ARGS)
{
    set_exec(w, s, sg_s64(s, SG_S_EXEC), u->imm);
    SG_NEXT();
}

/* NAME: new EXEC from a (the source) and e (EXEC). The saved value is the old EXEC, of wrexec the new one. */
#define SAVEEXECS(X)                                                                                         \
    X(S_AND_SAVEEXEC_B64, a &e, e)                                                                           \
    X(S_OR_SAVEEXEC_B64, a | e, e)                                                                           \
    X(S_XOR_SAVEEXEC_B64, a ^ e, e)                                                                          \
    X(S_ANDN2_SAVEEXEC_B64, a & ~e, e)                                                                       \
    X(S_ORN2_SAVEEXEC_B64, a | ~e, e)                                                                        \
    X(S_NAND_SAVEEXEC_B64, ~(a & e), e)                                                                      \
    X(S_NOR_SAVEEXEC_B64, ~(a | e), e)                                                                       \
    X(S_XNOR_SAVEEXEC_B64, ~(a ^ e), e)                                                                      \
    X(S_ANDN1_SAVEEXEC_B64, ~a &e, e)                                                                        \
    X(S_ORN1_SAVEEXEC_B64, ~a | e, e)                                                                        \
    X(S_ANDN1_WREXEC_B64, ~a &e, x)                                                                          \
    X(S_ANDN2_WREXEC_B64, a & ~e, x)

#define HANDLER(NAME, EXPR, SAVED)                                                                           \
    static int h_##NAME(SG_ARGS)                                                                             \
    {                                                                                                        \
        uint64_t a = sg_s64(s, u->a), e = w->exec, x = (EXPR);                                               \
        set_exec(w, s, x, u->imm);                                                                           \
        sg_set_s64(s, u->d, (SAVED));                                                                        \
        s[SG_S_SCC] = x != 0;                                                                                \
        SG_NEXT();                                                                                           \
    }
SAVEEXECS(HANDLER)

#define ROW(NAME, EXPR, SAVED) [GCN_OP_##NAME] = h_##NAME,
const sg_fn sg_scalar_saveexec[GCN_OP_COUNT] = {SAVEEXECS(ROW)};

/* With the branch around the code that nobody needs any more. */
static bool always(const struct sg_uop *first, const struct sg_uop *second)
{
    (void)first;
    (void)second;
    return true;
}

#define BRANCHING(NAME, EXPR)                                                                                \
    static int h_##NAME##_execz(SG_ARGS)                                                                     \
    {                                                                                                        \
        uint64_t a = sg_s64(s, u->a), e = w->exec, x = (EXPR);                                               \
        set_exec(w, s, x, u->imm);                                                                           \
        sg_set_s64(s, u->d, e);                                                                              \
        s[SG_S_SCC] = x != 0;                                                                                \
        if (x)                                                                                               \
            SG_GOTO(u + 2);                                                                                  \
        const struct sg_jump *j = sg_as_jump(u + 1);                                                         \
        w->n_inst += (uint64_t)(int64_t)j->instructions;                                                     \
        w->n_vector += (uint64_t)(int64_t)j->vectors;                                                        \
        SG_GOTO(j->target);                                                                                  \
    }
BRANCHING(S_AND_SAVEEXEC_B64, a &e)
BRANCHING(S_ANDN2_SAVEEXEC_B64, a & ~e)

const struct sg_pair sg_scalar_pairs[] = {
    {h_S_AND_SAVEEXEC_B64, sg_branch_execz_forward, h_S_AND_SAVEEXEC_B64_execz, always},
    {h_S_ANDN2_SAVEEXEC_B64, sg_branch_execz_forward, h_S_ANDN2_SAVEEXEC_B64_execz, always},
    {0},
};
