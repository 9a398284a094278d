/*
 * access.c - probes of accesses through pointers, and the choice of how their addresses are sent.
 */
#include "access.h"
#include "summary.h"

COLD void __ls_slow(uint64_t wave, uint64_t address, uint32_t head)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    mask_t exec = active_lanes();
    head = readfirstlane(head);
    struct line l = line_through(exec, address);
    uint32_t kind = LS_KIND_STRIDED, word3 = (uint32_t)l.stride, per_lane = 0;
    uint32_t low = (uint32_t)address, high = (uint32_t)(address >> 32), word = low;
    uint64_t base = l.base;
    _Bool off = ballot(address != line_at(l, bits_below(ALL_LANES))) != 0;
    ctx_ptr ctx = ctx_of(w);
    if (counts(w, ctx)) {
        if (!(head & HEAD_EXACT) && count(ctx, exec, address, head, l, off))
            return;
        uint32_t site = planned(ctx, head);
        if (site) {
            reduce(ctx, exec, address, site);
            return;
        }
    }
    if (off) {
        uint64_t first = uniform64(address), delta = address - first;
        word3 = COUNT(exec);
        per_lane = 1;
        if (!ballot((int64_t)delta != (int32_t)delta)) {
            kind = LS_KIND_DELTA;
            base = first;
            word = (uint32_t)delta;
        } else if (!ballot(high != (uint32_t)(first >> 32))) {
            kind = LS_KIND_WINDOW;
            base = first & ~0xffffffffull;
        } else {
            kind = LS_KIND_RAW;
            base = 0;
            per_lane = 2;
        }
    }
    emit(w, exec, (head & HEAD_SITE) | kind << 24, base, word3, per_lane, word, high);
}

/* Probe of an access with a 64-bit address. */
void __ls_access(uint64_t wave, uint64_t address, uint32_t head)
{
    access(wave, address, head, 0);
}

/* Probe of an LDS access: the address is a byte offset. */
void __ls_access_lds(uint64_t wave, uint32_t offset, uint32_t head)
{
    access(wave, offset, head, 1);
}

/* The same as calls: arguments come in vector registers. */
COLD void __ls_access_far(uint64_t wave, uint64_t address, uint32_t head)
{
    access(uniform64(wave), address, readfirstlane(head), 0);
}

COLD void __ls_access_lds_far(uint64_t wave, uint32_t offset, uint32_t head)
{
    access(uniform64(wave), offset, readfirstlane(head), 1);
}
