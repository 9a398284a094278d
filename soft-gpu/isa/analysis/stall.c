/*
 * stall.c - loops that repeat. A wavefront with a budget of 0 returns to the scheduler at every backward
 * jump, indirect jump and s_sleep: these stops are the places where its registers are compared.
 */
#include <stdlib.h>
#include <string.h>
#include "soft-gpu/isa/code/code.h"
#include "stall_code.h"
#include "stall_counts.h"

/* ---- Registers ---- */

enum { SGPRS = 128 };

static uint64_t mix(uint64_t h, const void *data, size_t bytes)
{
    /* four chains, because one would wait for its multiplication each time */
    uint64_t x[4], a[4] = {h, h + 1, h + 2, h + 3};
    const uint8_t *p = data;
    for (size_t i = 0; i + sizeof x <= bytes; i += sizeof x) {
        memcpy(x, p + i, sizeof x);
        for (unsigned j = 0; j < 4; j++) {
            a[j] = (a[j] ^ x[j]) * 0x9E3779B97F4A7C15ull;
            a[j] ^= a[j] >> 29;
        }
    }
    for (unsigned j = 0; j < 4; j++)
        h = (h ^ a[j]) * 0xBF58476D1CE4E5B9ull + (h >> 31);
    return h;
}

static bool own_row(const struct sg_kernel *k, unsigned i)
{
    return i < 256 ? i < k->vgprs : i - 256 < k->agprs;
}

static uint64_t hash_scalars(const struct sg_wave *w)
{
    uint64_t h = (uint64_t)(uintptr_t)w->next ^ (uint64_t)w->s[SG_S_SCC] << 61 ^ (uint64_t)w->mode << 32;
    return mix(h, w->s, SGPRS * sizeof *w->s);
}

/* Without those that only count. */
static uint64_t hash_but(const struct sg_wave *w, const struct sg_kernel *k, const struct sg_registers *but)
{
    uint32_t s[SGPRS];
    for (unsigned i = 0; i < SGPRS; i++)
        s[i] = sg_registers_has(but, i) ? 0 : w->s[i];
    uint64_t scc = sg_registers_has(but, SG_REGISTER_SCC) ? 0 : w->s[SG_S_SCC];
    uint64_t h = (uint64_t)(uintptr_t)w->next ^ scc << 61 ^ (uint64_t)w->mode << 32;
    h = mix(h, s, sizeof s);
    for (unsigned i = 0; i < 512; i++)
        if (own_row(k, i) && !sg_registers_has(but, SG_REGISTER_ROWS + i))
            h = mix(h, w->v[i], sizeof w->v[i]);
    return h;
}

static uint64_t hash_all(const struct sg_wave *w, const struct sg_kernel *k, uint64_t scalars)
{
    uint64_t h = mix(scalars, w->v[0], k->vgprs * sizeof w->v[0]);
    return k->agprs ? mix(h, w->v[256], k->agprs * sizeof w->v[0]) : h;
}

/* ---- Watching ---- */

/* True when an address was translated since sg_tlb_init. */
static bool touched(const struct sg_tlb *t)
{
    bool any = t->seen != 0;
    for (unsigned i = 0; i < SG_TLB_WAYS; i++)
        any |= t->way[i].hi != 0;
    return any;
}

/* Goes round once. */
static bool go_round(struct sg_wave *w, const struct sg_repeat *r, enum sg_stop *stop)
{
    *stop = SG_STOP_YIELD;
    for (uint32_t i = 0; i < r->stops && *stop == SG_STOP_YIELD; i++)
        *stop = sg_wave_run(w, 0);
    return *stop == SG_STOP_YIELD;
}

/* Goes round once, and asks what this very round depends on. */
static bool go_round_and_ask(struct sg_wave *w, struct sg_repeat *r, enum sg_stop *stop)
{
    r->depends = SG_DEPENDS_NOTHING;
    r->pc = 0;
    sg_tlb_init(w->tlb, w->tlb->mem);
    for (uint32_t i = 0; i < r->stops; i++) {
        uint64_t from = sg_uop_pc(w, w->next), pc = from;
        w->yielded_at = NULL;
        *stop = sg_wave_run(w, 0);
        if (*stop != SG_STOP_YIELD)
            return false;
        if (r->depends == SG_DEPENDS_ITSELF)
            continue;
        enum sg_depends d = w->yielded_at
                                ? sg_depends_between(w, from, sg_uop_pc(w, w->yielded_at), !r->counts, &pc)
                                : SG_DEPENDS_ITSELF; /* in the middle of an instruction */
        if (!r->pc || d > r->depends)
            r->pc = pc;
        if (d > r->depends)
            r->depends = d;
    }
    if (touched(w->tlb) && r->depends < SG_DEPENDS_MEMORY)
        r->depends = SG_DEPENDS_MEMORY;
    return true;
}

/* Brent's method: a remembered state that moves on at powers of two. */
static bool find_repeat(struct sg_wave *w, const struct sg_kernel *k, unsigned limit, struct sg_repeat *r,
                        enum sg_stop *stop)
{
    uint64_t scalars = hash_scalars(w);
    r->hash = hash_all(w, k, scalars);
    for (uint32_t n = 0, power = 1; limit; limit--) {
        *stop = sg_wave_run(w, 0);
        if (*stop != SG_STOP_YIELD)
            return false;
        uint64_t now = hash_scalars(w);
        n++;
        if (now == scalars && hash_all(w, k, now) == r->hash) {
            r->stops = n;
            return true;
        }
        if (n == power) {
            scalars = now;
            r->hash = hash_all(w, k, now);
            power *= 2;
            n = 0;
        }
    }
    return false;
}

/* ---- Loops that only count ---- */

enum {
    COUNT_STOPS = 48,   /* of one round that is looked at */
    COUNT_ROUNDS = 6,   /* returns to the same place that are tried */
    COUNT_CHANGING = 24 /* registers that change in a loop that only counts, at most */
};

/* Copies of all registers at a stop. */
struct copy {
    const struct sg_uop *next;
    uint32_t s[SGPRS], scc, mode;
    uint32_t (*rows)[SG_MAX_LANES];
};

static bool take_copy(const struct sg_wave *w, const struct sg_kernel *k, struct copy *c)
{
    c->next = w->next;
    c->scc = w->s[SG_S_SCC];
    c->mode = w->mode;
    memcpy(c->s, w->s, sizeof c->s);
    c->rows = malloc((k->vgprs + k->agprs + 1) * sizeof *c->rows);
    if (!c->rows)
        return false;
    memcpy(c->rows, w->v[0], k->vgprs * sizeof *c->rows);
    memcpy(c->rows + k->vgprs, w->v[256], k->agprs * sizeof *c->rows);
    return true;
}

/* Registers that have changed since; false when they are too many, or MODE is among them. */
static bool find_changes(const struct sg_wave *w, const struct sg_kernel *k, const struct copy *c,
                         struct sg_registers *changed)
{
    unsigned n = 0;
    memset(changed, 0, sizeof *changed);
    for (unsigned i = 0; i < SGPRS; i++)
        if (c->s[i] != w->s[i]) {
            sg_registers_put(changed, i, true);
            n++;
        }
    sg_registers_put(changed, SG_REGISTER_SCC, c->scc != w->s[SG_S_SCC]);
    for (unsigned i = 0; i < 512 && n <= COUNT_CHANGING; i++) {
        unsigned at = i < 256 ? i : i - 256 + k->vgprs;
        if (own_row(k, i) && memcmp(c->rows[at], w->v[i], sizeof *c->rows)) {
            sg_registers_put(changed, SG_REGISTER_ROWS + i, true);
            n++;
        }
    }
    return n <= COUNT_CHANGING && c->mode == w->mode;
}

/* Goes on to the next stop and notes the way. False when that is no yield at a stop. */
static bool go_on(struct sg_wave *w, struct sg_span *span, enum sg_stop *stop)
{
    span->from = sg_uop_pc(w, w->next);
    w->yielded_at = NULL;
    *stop = sg_wave_run(w, 0);
    if (*stop != SG_STOP_YIELD || !w->yielded_at)
        return false;
    span->stop = sg_uop_pc(w, w->yielded_at);
    return true;
}

/* The same for loops that count: comes back to where it is now with registers that nothing depends on. */
static bool find_count(struct sg_wave *w, const struct sg_kernel *k, struct sg_repeat *r, enum sg_stop *stop)
{
    struct sg_span span[COUNT_STOPS];
    struct copy before;
    bool found = false;
    if (!take_copy(w, k, &before))
        return false;
    for (unsigned n = 0, tries = 0; n < COUNT_STOPS && tries < COUNT_ROUNDS && !found; n++) {
        if (!go_on(w, &span[n], stop))
            break;
        if (w->next != before.next)
            continue;
        tries++;
        found = find_changes(w, k, &before, &r->changing) && sg_only_counts(w, span, n + 1, &r->changing);
        if (found)
            r->stops = n + 1;
    }
    free(before.rows);
    r->counts = found;
    if (found)
        r->hash = hash_but(w, k, &r->changing);
    return found;
}

/* ---- Watching, continued ---- */

static uint64_t hash_known(const struct sg_wave *w, const struct sg_kernel *k, const struct sg_repeat *r)
{
    return r->counts ? hash_but(w, k, &r->changing) : hash_all(w, k, hash_scalars(w));
}

static enum sg_watch left(struct sg_repeat *r, enum sg_stop stop)
{
    r->stops = 0;
    return stop == SG_STOP_YIELD ? SG_WATCH_CHANGES : SG_WATCH_STOPS;
}

enum sg_watch sg_watch(struct sg_wave *w, const struct sg_kernel *k, unsigned limit, bool thorough,
                       struct sg_repeat *r, enum sg_stop *stop)
{
    *stop = SG_STOP_YIELD;
    bool known = r->stops && !r->waits;
    if (!known) {
        *r = (struct sg_repeat){0};
        bool found = find_repeat(w, k, limit, r, stop) ||
                     (thorough && *stop == SG_STOP_YIELD && find_count(w, k, r, stop));
        if (!found && *stop != SG_STOP_WAIT)
            return left(r, *stop);
        if (!found) {
            *r = (struct sg_repeat){
                .stops = 1, .waits = true, .depends = SG_DEPENDS_MEMORY, .pc = sg_uop_pc(w, w->next)};
            return SG_WATCH_REPEATS;
        }
    }
    if (!(known ? go_round(w, r, stop) : go_round_and_ask(w, r, stop)) || hash_known(w, k, r) != r->hash ||
        r->depends == SG_DEPENDS_ITSELF)
        return left(r, *stop);
    return SG_WATCH_REPEATS;
}

/* Nothing has changed but what only counts. */
static bool same_but(const struct sg_wave *w, const struct sg_kernel *k, const struct copy *before,
                     const struct sg_repeat *r)
{
    struct sg_registers changed;
    if (w->next != before->next || !find_changes(w, k, before, &changed))
        return false;
    for (unsigned i = 0; i < sizeof changed.bits / sizeof changed.bits[0]; i++)
        if (changed.bits[i] & ~(r->counts ? r->changing.bits[i] : 0))
            return false;
    return true;
}

bool sg_watch_exactly(struct sg_wave *w, const struct sg_kernel *k, struct sg_repeat *r, enum sg_stop *stop)
{
    struct copy before;
    *stop = SG_STOP_YIELD;
    if (!take_copy(w, k, &before))
        return false;
    bool same = go_round_and_ask(w, r, stop) && same_but(w, k, &before, r);
    free(before.rows);
    return same;
}

void sg_describe_stall(struct sg_wave *w, const struct sg_repeat *r, const char *message, struct sg_fault *f)
{
    sg_fault_describe(w, r->pc ? r->pc : sg_uop_pc(w, w->next), SG_FAULT_DEADLOCK, message, f);
}
