/*
 * cells.c - the accesses kept of one dword: what conflicts with a new one, and which one it displaces.
 *
 * Four are kept, whatever their number, as ThreadSanitizer does: forgetting one can hide a race and can never
 * invent one. A write is worth more than a read, and one read of each instruction by two wavefronts is
 * enough: whoever writes there is neither of the two or at most one of them.
 */
#include <string.h>
#include "internal.h"

enum { DOMINATED = 3 }; /* whatever conflicts with the old access conflicts with the new one, too */

static bool is_write(unsigned kind)
{
    return kind != SG_CHECK_READ;
}

static bool conflicts(unsigned one, unsigned other)
{
    if (one == SG_CHECK_ATOMIC && other == SG_CHECK_ATOMIC)
        return false;
    return is_write(one) || is_write(other);
}

/* First byte that both touch. */
static uint64_t common_address(const struct piece *p, uint8_t bytes)
{
    return (p->address & ~3ull) + (unsigned)__builtin_ctz(bytes);
}

/* What a lane of the access writes at `address`; false when that is unknown. */
static bool value_at(const struct sg_check_access *a, unsigned lane, uint64_t address, uint8_t *value)
{
    if (!a->data || a->kind != SG_CHECK_WRITE)
        return false;
    *value = a->data[lane][address - a->addr[lane]];
    return true;
}

static uint8_t overwritten(const struct piece *p, uint64_t address)
{
    const struct sg_check_access *a = p->access;
    return a->space == SG_CHECK_LDS ? a->memory[address] : a->before[p->lane][address - a->addr[p->lane]];
}

/* The bytes of the other write are in memory still, or, of the same instruction, those of another lane. */
static bool same_values(const struct piece *p, const struct slot *s, uint8_t bytes, bool same_instruction)
{
    const uint64_t dword = p->address & ~3ull;
    for (unsigned m = bytes; m; m &= m - 1) {
        uint64_t address = dword + (unsigned)__builtin_ctz(m);
        uint8_t mine, other;
        if (!value_at(p->access, p->lane, address, &mine))
            return false;
        if (!same_instruction)
            other = overwritten(p, address);
        else if (!value_at(p->access, s->lane, address, &other))
            return false;
        if (mine != other)
            return false;
    }
    return true;
}

static void report(struct sg_check_group *g, const struct piece *p, unsigned kind, const struct slot *s)
{
    const uint8_t bytes = p->bytes & s->bytes;
    const bool of_one = s->clock == clock_of(g, p->access) && s->wave == p->access->wave;
    struct sg_finding f = {
        .kind = of_one ? SG_FOUND_LANES : SG_FOUND_RACE,
        .space = p->access->space,
        .harmless = is_write(kind) && is_write(s->kind) && same_values(p, s, bytes, of_one),
        .a = {s->pc, (enum sg_check_kind)s->kind, s->wave, s->lane, s->group},
        .b = {p->access->pc, (enum sg_check_kind)kind, p->access->wave, p->lane, g->flat},
        .group = g->flat,
        .address = common_address(p, bytes),
        .count = 1,
    };
    bool swap = is_write(s->kind) == is_write(kind) ? f.b.pc < f.a.pc : is_write(kind);
    if (swap) {
        struct sg_finding_place a = f.a;
        f.a = f.b;
        f.b = a;
    }
    findings_add(&g->findings, &f);
}

/* How little is lost when the new access takes the place of s. 0: s stays. */
static inline int worth_less(const struct slot *s, unsigned kind, uint8_t bytes, bool ordered)
{
    const bool covered = !(s->bytes & ~bytes) && (kind == SG_CHECK_WRITE || kind == s->kind);
    if (ordered)
        return covered ? DOMINATED : 2;
    return !is_write(s->kind) || is_write(kind);
}

/* Of the accesses that the new one dominates, one gives its place to it; the others go. */
static void drop(struct cell *c, struct slot *s)
{
    struct slot *last = c->slot + SLOTS - 1;
    while (!last->pc)
        last--;
    *s = *last;
    last->pc = 0;
}

/* Another lane of the same instruction was here. True when nothing remains to be done. */
static bool same_instruction(struct sg_check_group *g, struct slot *s, const struct piece *p, unsigned kind)
{
    if (p->access->kind == SG_CHECK_WRITE) {
        if (s->bytes & p->bytes)
            report(g, p, kind, s);
        return !(p->bytes & ~s->bytes);
    }
    s->bytes |= p->bytes;
    return true;
}

void cell_access(struct sg_check_group *g, struct cell *c, const struct piece *p)
{
    const struct sg_check_access *a = p->access;
    const uint32_t now = clock_of(g, a);
    unsigned kind = a->kind, alike = 0;
    struct slot *victim = NULL, *s = c->slot;
    int best = 0;
    if (kind == SG_CHECK_WRITE && a->space == SG_CHECK_LDS && sync_releases(g, a->wave, p->address))
        kind = SG_CHECK_ATOMIC;
    while (s < c->slot + SLOTS && s->pc) {
        const bool ordered = ordered_before(g, s, a->wave, a->space);
        if (s->wave == a->wave && s->clock == now) {
            if (same_instruction(g, s, p, kind))
                return;
            s++;
            continue;
        }
        if (!ordered && s->bytes & p->bytes && conflicts(kind, s->kind))
            report(g, p, kind, s);
        alike += s->pc == a->pc && s->kind == kind && !ordered && !(p->bytes & ~s->bytes);
        int less = worth_less(s, kind, p->bytes, ordered);
        if (less == DOMINATED && best == DOMINATED) {
            drop(c, s);
            continue;
        }
        if (less > best) {
            best = less;
            victim = s;
        }
        s++;
    }
    if (best < DOMINATED && s < c->slot + SLOTS)
        victim = s;
    if (alike >= 2 || !victim)
        return;
    *victim = (struct slot){.pc = a->pc,
                            .wave = a->wave & 15,
                            .lane = p->lane & 63,
                            .bytes = p->bytes & 15,
                            .kind = kind & 3,
                            .clock = now,
                            .group = (uint32_t)g->flat};
}
