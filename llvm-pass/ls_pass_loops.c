/*
 * ls_pass_loops.c - inserts the probes of accesses that loops make on each of their turns.
 */
#include "ls_pass_loops.h"
#include "device-lib/head.h"
#include "lanescope/wire.h"

static LLVMValueRef const32(struct ls_module *m, uint32_t v)
{
    return LLVMConstInt(m->i32, v, 0);
}

static LLVMValueRef word(struct ls_module *m, LLVMBuilderRef b, LLVMValueRef value, unsigned shift)
{
    LLVMValueRef part = LLVMBuildLShr(b, value, LLVMConstInt(m->i64, shift, 0), "");
    return LLVMBuildTrunc(b, part, m->i32, "");
}

void ls_tell_turns(struct ls_module *m, LLVMBuilderRef b, LLVMValueRef wave, struct ls_told *t)
{
    t->wave = ls_waves(t->turns, wave, &t->inside);
    if (ls_is_guarded(t->turns))
        ls_tell_guard(t->turns);
    LLVMPositionBuilderBefore(b, ls_before_turns(t->turns));
    t->address = LLVMBuildPtrToInt(b, ls_first_pointer(t->turns), m->i64, "");
    t->other = NULL;
    if (ls_alternates(t->turns))
        t->other = LLVMBuildPtrToInt(b, ls_second_pointer(t->turns), m->i64, "");
    t->step = ls_step(t->turns);
    t->more = ls_more_turns(t->turns);
    t->index = ls_first_index(t->turns, &t->is_signed);
}

/* The last 8 bytes of what a message tells of turns. */
static LLVMValueRef last_words(struct ls_module *m, LLVMBuilderRef b, const struct ls_told *t)
{
    uint64_t number = (uint64_t)ls_loop_number(t->turns) << LS_TURNS_BITS;
    return LLVMBuildOr(b, t->more, LLVMConstInt(m->i64, number, 0), "");
}

void ls_probe_turns(struct ls_module *m, LLVMBuilderRef b, const struct ls_told *t)
{
    uint32_t flags = (t->lds ? HEAD_LDS : 0) | (t->index ? HEAD_INDEX : 0) | (t->is_signed ? HEAD_SIGNED : 0);
    LLVMValueRef args[] = {t->wave,
                           word(m, b, t->address, 0),
                           word(m, b, t->address, 32),
                           const32(m, LS_HEAD(t->number, LS_KIND_STRIDED) | flags),
                           t->index ? t->index : LLVMGetUndef(m->i32),
                           t->step,
                           last_words(m, b, t),
                           const32(m, (uint32_t)ls_scale(t->turns))};
    LLVMValueRef f = m->device.turns;
    LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, sizeof args / sizeof *args, "");
}

static LLVMValueRef extend(struct ls_module *m, LLVMBuilderRef b, const struct ls_told *t, LLVMValueRef index)
{
    return t->is_signed ? LLVMBuildSExt(b, index, m->i64, "") : LLVMBuildZExt(b, index, m->i64, "");
}

/* Whether the index wraps on some turn; NULL: there is none. The product fits where the probe looks at this: for less than
 * LS_TURNS_MOST turns. */
static LLVMValueRef wraps(struct ls_module *m, LLVMBuilderRef b, const struct ls_told *t)
{
    if (!t->index)
        return NULL;
    LLVMValueRef way = LLVMBuildMul(b, t->step, t->more, "");
    LLVMValueRef end = LLVMBuildAdd(b, extend(m, b, t, t->index), way, "");
    return LLVMBuildICmp(b, LLVMIntNE, end, extend(m, b, t, LLVMBuildTrunc(b, end, m->i32, "")), "");
}

LLVMValueRef ls_probe_loop(struct ls_module *m, LLVMBuilderRef b, struct ls_told *const *t, unsigned n)
{
    enum {
        ADDRESSES = 1,
        HEAD = ADDRESSES + 2 * LS_SEVERAL,
        SITES,
        MORE,
        STEPS,
        WRAPS = STEPS + LS_SEVERAL,
        N
    };
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(b));
    LLVMValueRef args[N] = {t[0]->wave}, some = ls_other_turns(t[0]->turns, t[0]->more, end);
    uint32_t sites = 0;
    for (unsigned i = 0; i < LS_SEVERAL; i++) {
        LLVMValueRef *address = args + ADDRESSES + 2 * i, *step = args + STEPS + i;
        address[0] = address[1] = LLVMGetUndef(m->i32);
        *step = LLVMGetUndef(m->i64);
        if (i >= n)
            continue;
        address[0] = word(m, b, t[i]->address, 0);
        address[1] = t[i]->lds ? const32(m, 0) : word(m, b, t[i]->address, 32);
        LLVMValueRef scale = LLVMConstInt(m->i64, (uint64_t)(int64_t)ls_scale(t[i]->turns), 1);
        *step = LLVMBuildMul(b, t[i]->step, scale, "");
        LLVMValueRef one = wraps(m, b, t[i]);
        some = some && one ? LLVMBuildOr(b, some, one, "") : one ? one : some;
        sites |= (t[i]->number - t[0]->number + (t[i]->lds ? SITES_LDS : 0)) << 8 * i;
    }
    args[HEAD] = const32(m, LS_HEAD(t[0]->number, LS_KIND_STRIDED));
    args[SITES] = const32(m, sites);
    args[MORE] = last_words(m, b, t[0]);
    args[WRAPS] = some ? LLVMBuildZExt(b, some, m->i32, "") : const32(m, 0);
    LLVMValueRef f = m->device.loop[n - 2];
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, N, "ls");
}
