/* wide.c - see wide.h. */
#include "wide.h"

#include "common/hash.h"

static bool is_same(struct ls_value a, struct ls_value b)
{
    return a.number == b.number && a.shift == b.shift;
}

static uint64_t mix(uint64_t h, struct ls_value v)
{
    return ls_hash_word(ls_hash_word(h, v.number), (uint32_t)v.shift);
}

uint64_t ls_wide_root(const struct ls_wide *w, struct ls_wide_value v, int32_t *shift)
{
    *shift = 0;
    for (unsigned i = 0; i < LS_WIDE_KNOWN; i++)
        if (w->known[i].root && is_same(w->known[i].sum.low, v.low) &&
            is_same(w->known[i].sum.high, v.high)) {
            *shift = w->known[i].shift;
            return w->known[i].root;
        }
    return mix(mix(LS_HASH_BEGIN, v.low), v.high) | 1;
}

void ls_wide_learn(struct ls_wide *w, struct ls_wide_value sum, struct ls_wide_value from, int64_t added)
{
    int32_t before;
    uint64_t root = ls_wide_root(w, from, &before);
    int64_t shift;
    if (__builtin_add_overflow(added, before, &shift) || shift != (int32_t)shift)
        return;
    w->known[w->next_known].sum = sum;
    w->known[w->next_known].root = root;
    w->known[w->next_known].shift = (int32_t)shift;
    w->next_known = (w->next_known + 1) % LS_WIDE_KNOWN;
}

void ls_wide_carry(struct ls_wide *w, struct ls_wide_carry c)
{
    w->carries[w->next_carry] = c;
    w->next_carry = (w->next_carry + 1) % LS_WIDE_CARRIES;
}

struct ls_wide_carry ls_wide_carried(const struct ls_wide *w, struct ls_registers in)
{
    for (unsigned i = 0; i < LS_WIDE_CARRIES; i++)
        if (w->carries[i].in.n && ls_registers_equal(w->carries[i].in, in))
            return w->carries[i];
    return (struct ls_wide_carry){.in.n = 0};
}

void ls_wide_written(struct ls_wide *w, struct ls_registers r)
{
    for (unsigned i = 0; i < LS_WIDE_CARRIES; i++)
        if (w->carries[i].in.n && ls_registers_meet(w->carries[i].in, r))
            w->carries[i].in.n = 0;
}

void ls_wide_forget(struct ls_wide *w)
{
    for (unsigned i = 0; i < LS_WIDE_CARRIES; i++)
        w->carries[i].in.n = 0;
}
