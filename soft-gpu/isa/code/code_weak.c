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

void sg_take_found(struct sg_wave *w)
{
    static const enum sg_finding_kind kinds[] = {
        [SG_WEAK_UNDER_WAY] = SG_FOUND_UNDER_WAY, [SG_WEAK_OTHER_L2] = SG_FOUND_OTHER_L2,
        [SG_WEAK_STALE] = SG_FOUND_STALE,         [SG_WEAK_STALE_SCALAR] = SG_FOUND_STALE_SCALAR,
        [SG_WEAK_POLLED] = SG_FOUND_POLLED,
    };
    struct sg_weak_finding found;
    if (!w->wg->check || !sg_weak_found(w->weak, &found))
        return;
    const struct sg_finding f = {
        .kind = kinds[found.why],
        .space = SG_CHECK_MEMORY,
        .a = {found.write.pc, SG_CHECK_WRITE, found.write.wave, found.write.lane, found.write.group},
        .b = {found.read.pc, SG_CHECK_READ, found.read.wave, found.read.lane, found.read.group},
        .group = found.read.group,
        .address = found.address,
        .count = 1,
    };
    sg_check_found(w->wg->check, &f);
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

void sg_emit_wait(struct sg_builder *b, uint32_t most)
{
    if (sg_builder_weak(b))
        sg_emit(b, weak_wait, 0, 0, 0, 0)->imm = (int32_t)most;
}
