/*
 * scalar_exec.c - the instructions that save and change EXEC.
 */
#include "soft-gpu/isa/code/exec.h"
#include "scalar.h"

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
    sg_set_exec(w, s, u->imm);                                                                               \
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
