/*
 * delay.c - loops in which a wavefront sleeps and computes, and does nothing else: nobody can tell how long it stays in one, and
 * nothing that others do ends it. Who sleeps in another loop waits for others, most likely.
 */
#include "decode_state.h"

enum { FAR = 64 }; /* instructions of such a loop */

static bool is_quiet(const struct gcn_inst *in)
{
    const struct gcn_traits *t = gcn_traits(in->op);
    const unsigned elsewhere = GCN_ENDS | GCN_LEAVES | GCN_INDIRECT | GCN_CALLS | GCN_FORKS;
    if (t->flags & elsewhere)
        return false;
    return t->flags & (GCN_COMPUTES | GCN_JUMPS) || t->unit == GCN_UNIT_SLEEP || in->op == GCN_OP_S_NOP ||
           in->op == GCN_OP_S_DELAY_ALU;
}

static bool quiet_at(struct sg_code *c, uint64_t pc, struct gcn_inst *in)
{
    uint32_t words[GCN_WORDS];
    const unsigned n = sg_code_fetch(c, pc, words);
    return n && gcn_decode(c->target, words, n, pc, in) && is_quiet(in);
}

bool sg_code_delays(struct sg_code *c, const struct gcn_inst *sleep)
{
    uint64_t pc = sleep->pc, begin = UINT64_MAX;
    struct gcn_inst in;
    for (unsigned i = 0; i < FAR && begin > sleep->pc; i++) { /* to the jump back */
        if (!quiet_at(c, pc, &in))
            return false;
        if (gcn_has(in.op, GCN_JUMPS))
            begin = gcn_branch_target(&in);
        pc += in.bytes;
    }
    if (begin > sleep->pc)
        return false;
    pc = begin;
    for (unsigned i = 0; i < FAR && pc < sleep->pc; i++) { /* and from there to it */
        if (!quiet_at(c, pc, &in))
            return false;
        pc += in.bytes;
    }
    return pc == sleep->pc;
}
