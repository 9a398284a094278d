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
    const uint64_t exec = sg_exec_register(w, w->s);
    if (exec != w->exec) /* the mask of an earlier use is still there */
        fill_mask(w, exec);
    w->exec = exec;
}

/* After EXEC's registers have been written. */
static inline void set_exec(struct sg_wave *w, const uint32_t *s, int32_t vectors)
{
    const uint64_t exec = sg_exec_register(w, s);
    if (exec == w->exec)
        return;
    sg_count_lanes(w, vectors);
    w->exec = exec;
    fill_mask(w, exec);
}

int sg_h_exec_refresh(SG_ARGS)
{
    set_exec(w, s, u->imm);
    SG_NEXT();
}

/* NAME: new EXEC from a (the source) and e (EXEC). The saved value is the old EXEC, of wrexec the new one. */
#define SAVEEXECS(X, B)                                                                                      \
    X(B, S_AND_SAVEEXEC, a &e, e)                                                                            \
    X(B, S_OR_SAVEEXEC, a | e, e)                                                                            \
    X(B, S_XOR_SAVEEXEC, a ^ e, e)                                                                           \
    X(B, S_ANDN2_SAVEEXEC, a & ~e, e)                                                                        \
    X(B, S_ORN2_SAVEEXEC, a | ~e, e)                                                                         \
    X(B, S_NAND_SAVEEXEC, ~(a & e), e)                                                                       \
    X(B, S_NOR_SAVEEXEC, ~(a | e), e)                                                                        \
    X(B, S_XNOR_SAVEEXEC, ~(a ^ e), e)                                                                       \
    X(B, S_ANDN1_SAVEEXEC, ~a &e, e)                                                                         \
    X(B, S_ORN1_SAVEEXEC, ~a | e, e)                                                                         \
    X(B, S_ANDN1_WREXEC, ~a &e, x)                                                                           \
    X(B, S_ANDN2_WREXEC, a & ~e, x)

/* Of both widths: how a register is read and written. */
typedef uint32_t B32;
typedef uint64_t B64;
static inline B32 get_B32(const uint32_t *s, unsigned i)
{
    return s[i];
}
static inline B64 get_B64(const uint32_t *s, unsigned i)
{
    return sg_s64(s, i);
}
static inline void put_B32(uint32_t *s, unsigned i, B32 value)
{
    s[i] = value;
}
static inline void put_B64(uint32_t *s, unsigned i, B64 value)
{
    sg_set_s64(s, i, value);
}

#define SAVE(B, EXPR, SAVED)                                                                                 \
    const B a = get_##B(s, u->a), e = get_##B(s, SG_S_EXEC), x = (B)(EXPR);                                  \
    put_##B(s, SG_S_EXEC, x);                                                                                \
    set_exec(w, s, u->imm);                                                                                  \
    put_##B(s, u->d, (SAVED));                                                                               \
    s[SG_S_SCC] = x != 0;

#define HANDLER(B, NAME, EXPR, SAVED)                                                                        \
    static int h_##NAME##_##B(SG_ARGS)                                                                       \
    {                                                                                                        \
        SAVE(B, EXPR, SAVED)                                                                                 \
        SG_NEXT();                                                                                           \
    }
SAVEEXECS(HANDLER, B32)
SAVEEXECS(HANDLER, B64)

#define ROW(B, NAME, EXPR, SAVED) [GCN_OP_##NAME##_##B] = h_##NAME##_##B,
const sg_fn sg_scalar_saveexec[GCN_OP_COUNT] = {SAVEEXECS(ROW, B32) SAVEEXECS(ROW, B64)};

/* With the branch around the code that nobody needs any more. */
static bool always(const struct sg_uop *first, const struct sg_uop *second)
{
    (void)first;
    (void)second;
    return true;
}

#define BRANCHING(B, NAME, EXPR)                                                                             \
    static int h_##NAME##_##B##_execz(SG_ARGS)                                                               \
    {                                                                                                        \
        SAVE(B, EXPR, e)                                                                                     \
        if (w->exec)                                                                                         \
            SG_GOTO(u + 2);                                                                                  \
        const struct sg_jump *j = sg_as_jump(u + 1);                                                         \
        w->n_inst += (uint64_t)(int64_t)j->instructions;                                                     \
        w->n_vector += (uint64_t)(int64_t)j->vectors;                                                        \
        SG_GOTO(j->target);                                                                                  \
    }
#define BOTH(B)                                                                                              \
    BRANCHING(B, S_AND_SAVEEXEC, a &e)                                                                       \
    BRANCHING(B, S_ANDN2_SAVEEXEC, a & ~e)
BOTH(B32)
BOTH(B64)

#define PAIR(B, NAME) {h_##NAME##_##B, sg_branch_execz_forward, h_##NAME##_##B##_execz, always}
const struct sg_pair sg_scalar_pairs[] = {
    PAIR(B32, S_AND_SAVEEXEC),
    PAIR(B32, S_ANDN2_SAVEEXEC),
    PAIR(B64, S_AND_SAVEEXEC),
    PAIR(B64, S_ANDN2_SAVEEXEC),
    {0},
};
