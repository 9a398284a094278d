/*
 * scalar_fork.c - divergence by hand: fork and join with a stack of pending paths in the scalar registers,
 * and skipping of vector instructions. LLVM emits none of them.
 *
 * Sources: "AMD CDNA4 ISA", pseudo code of s_cbranch_g_fork, s_cbranch_i_fork, s_cbranch_join,
 * s_setvskip; 3.5 for the fields of MODE. An entry of the stack is s[4 * CSP ...]: EXEC of the path, then its
 * address.
 */
#include "scalar.h"

static unsigned stack_pointer(const struct sg_wave *w)
{
    return w->mode >> SG_MODE_CSP_SHIFT;
}

static void change_exec(struct sg_wave *w, const struct sg_uop *u, uint32_t *s, uint64_t exec)
{
    sg_count_lanes(w, (int32_t)u->flags);
    sg_set_s64(s, SG_S_EXEC, exec);
    sg_wave_load_exec(w);
}

/* The path of fewer lanes goes first, the other one waits on the stack. Returns the address to go to. */
static uint64_t fork_at(struct sg_wave *w, const struct sg_uop *u, uint32_t *s, uint64_t mask,
                        uint64_t target)
{
    const uint64_t next = sg_uop_pc(w, u) + 4, pass = mask & w->exec, fail = ~mask & w->exec;
    if (pass == w->exec)
        return target;
    if (fail == w->exec)
        return next;
    const bool fail_first = __builtin_popcountll(fail) < __builtin_popcountll(pass);
    const unsigned entry = 4 * stack_pointer(w);
    sg_set_s64(s, entry, fail_first ? pass : fail);
    sg_set_s64(s, entry + 2, fail_first ? target : next);
    w->mode += 1u << SG_MODE_CSP_SHIFT;
    change_exec(w, u, s, fail_first ? fail : pass);
    return fail_first ? next : target;
}

#define GO(pc)                                                                                               \
    do {                                                                                                     \
        const struct sg_uop *go_;                                                                            \
        int stop_ = sg_jump_to(w, u, (pc), &go_);                                                            \
        if (stop_)                                                                                           \
            return stop_;                                                                                    \
        s = w->s;                                                                                            \
        SG_GOTO(go_);                                                                                        \
    } while (0)

int sg_h_s_cbranch_g_fork(SG_ARGS)
{
    const uint64_t pc = fork_at(w, u, s, sg_s64(s, u->a), sg_s64(s, u->b));
    GO(pc);
}

int sg_h_s_cbranch_i_fork(SG_ARGS)
{
    const uint64_t target = sg_uop_pc(w, u) + 4 + (uint64_t)(int64_t)(int32_t)u->x;
    const uint64_t pc = fork_at(w, u, s, sg_s64(s, u->a), target);
    GO(pc);
}

/* The first time back to the path that waits; when none is left since the fork, on with the program. */
int sg_h_s_cbranch_join(SG_ARGS)
{
    uint64_t pc = sg_uop_pc(w, u) + 4;
    if (stack_pointer(w) != s[u->a]) {
        w->mode -= 1u << SG_MODE_CSP_SHIFT;
        const unsigned entry = 4 * stack_pointer(w);
        pc = sg_s64(s, entry + 2);
        change_exec(w, u, s, sg_s64(s, entry));
    }
    GO(pc);
}

int sg_h_s_setvskip(SG_ARGS)
{
    const bool skip = s[u->a] >> (s[u->b] & 31) & 1;
    w->mode = (w->mode & ~(uint32_t)SG_MODE_VSKIP) | (skip ? SG_MODE_VSKIP : 0);
    SG_NEXT();
}
