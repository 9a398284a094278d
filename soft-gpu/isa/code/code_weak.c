/*
 * code_weak.c - what weak memory (soft-gpu/weak) adds to instructions of several rooms: waits, and accesses that it
 * does not model.
 */
#include "code.h"

int sg_weak_pause(struct sg_wave *w, const struct sg_uop *u)
{
    w->next = u + 1;
    w->yielded_at = u;
    w->budget = -1;
    return SG_STOP_YIELD;
}

static int weak_settle(SG_ARGS)
{
    sg_weak_lock(w->weak);
    sg_weak_issue(w->weak);
    sg_weak_settle(w->weak);
    sg_weak_unlock(w->weak);
    SG_NEXT();
}

void sg_emit_settle(struct sg_builder *b)
{
    if (sg_builder_weak(b))
        sg_emit(b, weak_settle, 0, 0, 0, 0);
}

static int weak_wait(SG_ARGS)
{
    sg_weak_lock(w->weak);
    sg_weak_wait(w->weak, (unsigned)u->imm);
    sg_weak_unlock(w->weak);
    if (sg_weak_turn(w->weak))
        return sg_weak_pause(w, u);
    SG_NEXT();
}

void sg_emit_wait(struct sg_builder *b, uint32_t simm16)
{
    enum { NO_WAIT = 63 };
    const uint32_t vmcnt = (simm16 & 15) | (simm16 >> 14 & 3) << 4; /* gfx9: bits 3:0 and 15:14 */
    if (sg_builder_weak(b) && vmcnt != NO_WAIT)
        sg_emit(b, weak_wait, 0, 0, 0, 0)->imm = (int32_t)vmcnt;
}
