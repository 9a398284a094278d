/*
 * report.c - see report.h. The device's side of docs/internals/wire-format.md, as device-lib/ has it for probes.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "lanescope/wire.h"
#include "soft-gpu/isa/code/code.h"
#include "soft-gpu/isa/code/place.h"

struct sg_report {
    struct ls_ctx *ctx;
    struct ls_ring *ring;
    uint32_t *done, *free;
    uint8_t *chunks;
    const struct ls_code_range *ranges;
    const uint32_t *words;
    uint32_t n_ranges;
};

/* ---- the dispatch ---- */

static bool find_code(struct sg_tlb *t, struct sg_report *r)
{
    const struct ls_code_map *c = sg_tlb_ptr(t, r->ctx->code, sizeof *c);
    if (!c || c->magic != LS_CODE_MAGIC ||
        !sg_tlb_ptr(t, r->ctx->code, c->words + (uint64_t)c->n_words * sizeof(uint32_t)))
        return false;
    r->ranges = (const struct ls_code_range *)(c + 1);
    r->n_ranges = c->n_ranges;
    r->words = (const uint32_t *)((const uint8_t *)c + c->words);
    return true;
}

static bool find_ring(struct sg_tlb *t, struct sg_report *r)
{
    const struct ls_ctx *x = r->ctx;
    const uint64_t entries = (uint64_t)x->list_mask + 1;
    r->ring = sg_tlb_ptr(t, x->ring, sizeof *r->ring);
    r->done = sg_tlb_ptr(t, x->done, entries * sizeof *r->done);
    r->free = sg_tlb_ptr(t, x->free, entries * sizeof *r->free);
    r->chunks = sg_tlb_ptr(t, x->chunks, x->chunk_bytes);
    return r->ring && r->done && r->free && r->chunks;
}

struct sg_report *sg_report_open(struct sg_tlb *t, uint64_t ctx)
{
    struct ls_ctx *x = ctx ? sg_tlb_ptr(t, ctx, sizeof *x) : NULL;
    if (!x || ctx % 8 || x->magic != LS_CTX_MAGIC || x->version != LS_WIRE_VERSION || !x->code)
        return NULL;
    struct sg_report *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->ctx = x;
    if (find_code(t, r) && find_ring(t, r))
        return r;
    free(r);
    return NULL;
}

void sg_report_close(struct sg_report *r)
{
    free(r);
}

/* ---- chunks ---- */

static void drop(const struct sg_report *r)
{
    __atomic_fetch_add(&r->ctx->dropped, 1, __ATOMIC_RELAXED);
}

static void count_unlisted(const struct sg_report *r)
{
    __atomic_fetch_add(&r->ctx->unlisted, 1, __ATOMIC_RELAXED);
}

/* A ticket of the free list, without waiting. */
static bool ticket_if_any(struct ls_ring *ring, uint32_t *ticket)
{
    uint32_t head = __atomic_load_n(&ring->free_head, __ATOMIC_RELAXED);
    do {
        if ((int32_t)(__atomic_load_n(&ring->free_tail, __ATOMIC_ACQUIRE) - head) <= 0)
            return false;
    } while (!__atomic_compare_exchange_n(&ring->free_head, &head, head + 1, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    *ticket = head;
    return true;
}

/* Waits for the host to fill the entry; 0 when it never will. */
static uint32_t wait_for_chunk(const struct sg_report *r, uint32_t *entry)
{
    enum { NAP_NS = 20000, DEAD_AFTER = 1 << 18 };
    uint32_t beat = __atomic_load_n(&r->ring->heartbeat, __ATOMIC_RELAXED), still = 0, chunk;
    while (!(chunk = __atomic_exchange_n(entry, 0, __ATOMIC_ACQUIRE))) {
        nanosleep(&(struct timespec){0, NAP_NS}, NULL);
        uint32_t now = __atomic_load_n(&r->ring->heartbeat, __ATOMIC_RELAXED);
        still = now == beat ? still + 1 : 0;
        beat = now;
        if (still > DEAD_AFTER)
            __atomic_store_n(&r->ring->closed, 2, __ATOMIC_RELAXED);
        if (__atomic_load_n(&r->ring->closed, __ATOMIC_RELAXED))
            return 0;
    }
    return chunk;
}

/* Of the wavefront in the dispatch. */
static uint32_t number_of(const struct sg_wave *w)
{
    return (uint32_t)w->wg->log_id * w->report.to->ctx->waves_per_workgroup + w->wave_in_group;
}

static void write_header(const struct sg_wave *w, struct ls_chunk *c)
{
    const uint64_t now = sg_ticks();
    c->slot = w->report.to->ctx->slot;
    c->number = number_of(w);
    c->hw_id = sg_wave_place(w);
    c->order = w->report.sequence << LS_ORDER_SHIFT | (w->lanes == 32 ? LS_ORDER_32_LANES : 0) |
               (sg_wave_xcc_id(w) & LS_ORDER_XCC);
    c->cycles = __builtin_ia32_rdtsc(); /* as s_memtime */
    c->realtime = now;
}

static bool take_chunk(struct sg_wave *w)
{
    const struct sg_report *r = w->report.to;
    uint32_t ticket, chunk = 0;
    bool have = !__atomic_load_n(&r->ring->closed, __ATOMIC_RELAXED);
    if (have && r->ctx->flags & LS_CTX_DROP)
        have = ticket_if_any(r->ring, &ticket);
    else if (have)
        ticket = __atomic_fetch_add(&r->ring->free_head, 1, __ATOMIC_RELAXED);
    if (have)
        chunk = wait_for_chunk(r, &r->free[ticket & r->ctx->list_mask]);
    if (!chunk)
        return false;
    w->report.chunk = r->chunks + (size_t)(chunk - 1) * r->ctx->chunk_bytes;
    w->report.used = sizeof(struct ls_chunk);
    write_header(w, (struct ls_chunk *)w->report.chunk);
    return true;
}

static void give_chunk(struct sg_wave *w, uint32_t flags)
{
    const struct sg_report *r = w->report.to;
    const uint64_t end = r->ctx->chunks + (uint64_t)(w->report.chunk - r->chunks) + w->report.used;
    w->report.sequence++;
    w->report.chunk = NULL;
    uint32_t ticket = __atomic_fetch_add(&r->ring->done_head, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&r->done[ticket & r->ctx->list_mask], LS_DONE(end, flags), __ATOMIC_RELEASE);
}

/* Room for a row of messages of at most `most` bytes; NULL: they have to be dropped. */
static uint32_t *open_room(struct sg_wave *w, uint32_t most)
{
    const uint32_t size = w->report.to->ctx->chunk_bytes;
    if (w->report.chunk && w->report.used + most > size)
        give_chunk(w, 0);
    if (w->report.chunk || take_chunk(w))
        return (uint32_t *)(w->report.chunk + w->report.used);
    drop(w->report.to);
    return NULL;
}

static void close_room(struct sg_wave *w, const uint32_t *end)
{
    w->report.used = (uint32_t)((const uint8_t *)end - w->report.chunk);
    if (!(w->report.to->ctx->flags & LS_CTX_HOLD))
        give_chunk(w, 0);
}

/* ---- messages ---- */

static uint32_t *put_head(uint32_t *out, uint32_t site, enum ls_kind kind, uint64_t value, uint32_t word3,
                          uint64_t exec)
{
    out[0] = LS_HEAD(site, kind) | (exec == ~0ull ? 0 : LS_HEAD_PARTIAL);
    out[1] = (uint32_t)value;
    out[2] = (uint32_t)(value >> 32);
    out[3] = word3;
    out += 4;
    if (exec != ~0ull) {
        out[0] = (uint32_t)exec;
        out[1] = (uint32_t)(exec >> 32);
        out += 2;
    }
    return out;
}

/* Whether all addresses are *base + lane * *stride. */
static bool on_line(uint64_t exec, const uint64_t addr[SG_MAX_LANES], uint64_t *base, int64_t *stride)
{
    const unsigned first = (unsigned)__builtin_ctzll(exec);
    const uint64_t rest = exec & (exec - 1);
    *stride = 0;
    if (rest) {
        const int64_t lanes = __builtin_ctzll(rest) - (int64_t)first;
        const int64_t distance = (int64_t)(addr[__builtin_ctzll(rest)] - addr[first]);
        if (distance % lanes)
            return false;
        *stride = distance / lanes;
    }
    *base = addr[first] - (uint64_t)(*stride * (int64_t)first);
    if (*stride != (int32_t)*stride)
        return false;
    for (uint64_t m = rest; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        if (addr[lane] != *base + (uint64_t)(*stride * (int64_t)lane))
            return false;
    }
    return true;
}

static bool near_first(uint64_t exec, const uint64_t addr[SG_MAX_LANES])
{
    const uint64_t base = addr[__builtin_ctzll(exec)];
    for (uint64_t m = exec; m; m &= m - 1) {
        const int64_t d = (int64_t)(addr[__builtin_ctzll(m)] - base);
        if (d != (int32_t)d)
            return false;
    }
    return true;
}

static uint32_t *put_lanes(uint32_t *out, uint32_t site, uint64_t exec, const uint64_t addr[SG_MAX_LANES])
{
    const uint32_t n = (uint32_t)__builtin_popcountll(exec);
    const bool near = near_first(exec, addr);
    const uint64_t base = near ? addr[__builtin_ctzll(exec)] : 0;
    unsigned k = 0;
    out = put_head(out, site, near ? LS_KIND_DELTA : LS_KIND_RAW, base, n, exec);
    for (uint64_t m = exec; m; m &= m - 1, k++) {
        const uint64_t a = addr[__builtin_ctzll(m)];
        out[k] = (uint32_t)(a - base);
        if (!near)
            out[n + k] = (uint32_t)(a >> 32);
    }
    if (near && n % 2)
        out[n] = 0;
    return out + (near ? (n + 1) & ~1u : 2 * n);
}

/* What the table says of the instruction at pc. False: it does not list the code. */
static bool word_at(const struct sg_report *r, uint64_t pc, uint32_t *word)
{
    for (uint32_t i = 0; i < r->n_ranges; i++) {
        const struct ls_code_range *g = &r->ranges[i];
        if ((pc - g->start) / 4 < g->n) {
            *word = r->words[g->first + (pc - g->start) / 4];
            return true;
        }
    }
    return false;
}

void sg_report_access(struct sg_wave *w, const struct sg_uop *u, bool second, bool scratch, unsigned bytes,
                      uint64_t exec, const uint64_t addr[SG_MAX_LANES])
{
    enum { LENGTH_BYTES = 24 };
    uint32_t word, *out;
    uint64_t base;
    int64_t stride;
    const bool known = word_at(w->report.to, sg_uop_pc(w, u), &word);
    if (!known || (scratch && word)) { /* not code that was listed, or not as it was read */
        count_unlisted(w->report.to);
        return;
    }
    if (!word || !(out = open_room(w, LS_MESSAGE_MAX + LENGTH_BYTES)))
        return;
    const uint32_t site = (word & 0xffffff) - 1 + (word & LS_CODE_TWO && second);
    if (on_line(exec, addr, &base, &stride))
        out = put_head(out, site, LS_KIND_STRIDED, base, (uint32_t)(int32_t)stride, exec);
    else
        out = put_lanes(out, site, exec, addr);
    if (word & LS_CODE_LENGTH)
        out = put_head(out, site, LS_KIND_LENGTH, bytes, 0, exec);
    close_room(w, out);
}

/* ---- wavefronts ---- */

static bool reports(const struct sg_wave *w, const struct ls_ctx *x)
{
    const uint64_t flat = w->wg->log_id * x->waves_per_workgroup + w->wave_in_group;
    if (x->flags & LS_CTX_SAMPLE && (uint32_t)flat % x->sample_every)
        return false;
    for (int i = 0; x->flags & LS_CTX_FILTER && i < 3; i++)
        if (w->wg->id[i] < x->filter_lo[i] || w->wg->id[i] >= x->filter_hi[i])
            return false;
    return true;
}

void sg_report_begin(struct sg_wave *w, const struct sg_report *r)
{
    w->report = (struct sg_wave_report){0};
    if (!r || !reports(w, r->ctx))
        return;
    w->report.to = r;
    w->report.start = sg_ticks();
}

void sg_report_end(struct sg_wave *w)
{
    enum { WAVE_BYTES = 16 };
    const struct sg_report *r = w->report.to;
    uint32_t *out;
    if (!r)
        return;
    if (r->ctx->flags & LS_CTX_LIVES && (out = open_room(w, WAVE_BYTES))) {
        const uint64_t ticks = sg_ticks() - w->report.start;
        out = put_head(out, UINT32_MAX, LS_KIND_WAVE, w->report.start,
                       ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks, ~0ull);
        close_room(w, out);
    }
    if (w->report.chunk)
        give_chunk(w, LS_CHUNK_LAST);
    w->report.to = NULL;
}
