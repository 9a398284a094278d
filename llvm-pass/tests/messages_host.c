/* messages_host.c - see messages_host.h. */
#include "messages_host.h"

#include "messages/header.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* src_shared_base of the emulated GPUs. */
#define SHARED_APERTURE 0x1000000000000ull

struct access *messages_push(struct accesses *a)
{
    if (a->n == a->cap) {
        a->cap = a->cap ? 2 * a->cap : 256;
        a->v = realloc(a->v, a->cap * sizeof *a->v);
        if (!a->v)
            abort();
    }
    return memset(&a->v[a->n++], 0, sizeof *a->v);
}

static void take_lengths(struct host *h, const uint32_t *m, uint64_t exec, const uint32_t *words)
{
    if (m[3] && m[3] != (uint32_t)__builtin_popcountll(exec))
        h->error = "count of a length message";
    struct access *a = &h->got.v[h->got.n - 1];
    for (unsigned lane = 0, k = 0; lane < LANES; lane++)
        if (exec >> lane & 1)
            h->lengths += m[3] ? words[k++] : m[1];
    a->bytes = 0;
}

static uint64_t lane_address(const uint32_t *m, const uint32_t *words, unsigned k, unsigned lane)
{
    uint64_t base = m[1] | (uint64_t)m[2] << 32;
    switch (LS_HEAD_KIND(m[0])) {
    case LS_KIND_STRIDED:
        return base + (uint64_t)((int64_t)(int32_t)m[3] * lane);
    case LS_KIND_ROWS:
        return base + (uint64_t)((int64_t)(int32_t)m[3] * (lane % (1u << words[1])) +
                                 (int64_t)(int32_t)words[0] * (lane / (1u << words[1])));
    case LS_KIND_DELTA:
        return base + (uint64_t)(int64_t)(int32_t)words[k];
    case LS_KIND_WINDOW:
        return base + words[k];
    default:
        return words[k] | (uint64_t)words[m[3] + k] << 32;
    }
}

static bool is_uniform(const struct host *h, uint32_t site)
{
    return h->sites[site].flags & LS_SITE_UNIFORM && h->sites[site].kind == LS_SITE_LOAD;
}

/* What each turn of a loop does behind the first one, whose access was taken last. */
static void take_turns(struct host *h, const uint32_t *turns, bool lds)
{
    uint64_t step = turns[0] | (uint64_t)turns[1] << 32,
             more = LS_TURNS_MORE(turns[2] | (uint64_t)turns[3] << 32);
    const struct access first = h->got.v[h->got.n - 1];
    for (uint64_t turn = 1; turn <= more; turn++) {
        struct access *a = messages_push(&h->got);
        *a = first;
        h->turns++;
        for (unsigned lane = 0; lane < LANES; lane++)
            if (a->exec >> lane & 1)
                a->address[lane] =
                    lds ? (uint32_t)(first.address[lane] + step * turn) : first.address[lane] + step * turn;
    }
}

/* One message; its size in bytes, 0 on error. */
static uint32_t take_message(struct host *h, const struct ls_chunk *c, uint64_t group, const uint32_t *m)
{
    uint32_t kind = LS_HEAD_KIND(m[0]), site = LS_HEAD_SITE(m[0]), size = 16;
    uint64_t exec = c->lanes == 64 ? ~0ull : 0xffffffff;
    if (m[0] & LS_HEAD_PARTIAL) {
        memcpy(&exec, m + 4, 8);
        size += 8;
    }
    const uint32_t *turns = m[0] & LS_HEAD_TURNS ? m + size / 4 : NULL;
    size += turns ? 16 : 0;
    const uint32_t *words = m + size / 4;
    uint32_t n = (uint32_t)__builtin_popcountll(exec);
    if (kind == LS_KIND_COUNT && site < h->numbers.n) {
        h->counts++;
        h->counted += words[0] | (uint64_t)words[1] << 32;
        return size + 8;
    }
    if (site >= h->numbers.n || m[0] >> 30 || !exec || (turns && kind == LS_KIND_LENGTH) ||
        (kind != LS_KIND_ROWS && (kind < LS_KIND_STRIDED || kind > LS_KIND_LENGTH))) {
        h->error = "head of a message";
        return 0;
    }
    site = ls_site_of_number(&h->numbers, site);
    if (kind == LS_KIND_LENGTH) {
        take_lengths(h, m, exec, words);
        return size + (m[3] ? (n * 4 + 7) / 8 * 8 : 0);
    }
    if (kind == LS_KIND_ROWS) {
        if (!words[1] || words[1] > 5)
            h->error = "rows of a message";
        h->rows++;
        size += 8;
    } else if (kind != LS_KIND_STRIDED) {
        if (m[3] != n)
            h->error = "lane count of a message";
        size += kind == LS_KIND_RAW ? n * 8 : (n * 4 + 7) / 8 * 8;
    }
    /* The original does these through the scalar cache, one address for the wavefront. */
    bool uniform = is_uniform(h, site);
    h->uniform += uniform;
    struct access *a = uniform ? &(struct access){0} : messages_push(&h->got);
    *a = (struct access){.workgroup = group, .exec = exec, .wave = c->wave, .bytes = h->sites[site].bytes};
    for (unsigned lane = 0, k = 0; lane < LANES; lane++)
        if (exec >> lane & 1)
            a->address[lane] = lane_address(m, words, k++, lane);
    /* Unoptimised code reaches LDS through flat addresses; the log has the offsets. */
    for (unsigned lane = 0; lane < LANES; lane++)
        if (h->sites[site].space == 0 && a->address[lane] >> 32 == SHARED_APERTURE >> 32)
            a->address[lane] -= SHARED_APERTURE;
    if (turns && !uniform)
        take_turns(h, turns, h->sites[site].space == 3);
    return size;
}

static void take_chunk(struct host *h, uint32_t entry, uint32_t *number)
{
    uint32_t used;
    if (!ls_done_read(entry, (uintptr_t)h->chunks, h->ctx->chunk_bytes, h->n_chunks, number, &used)) {
        h->error = "entry of the done list";
        *number = 0;
        return;
    }
    struct ls_chunk *c = (void *)(h->chunks + (size_t)*number * h->ctx->chunk_bytes);
    ls_header_begin(c, entry, used);
    h->chunks_seen++;
    h->last += c->flags & LS_CHUNK_LAST;
    h->summaries += !!(c->flags & LS_CHUNK_SUMMARY);
    if (!ls_header_end(c, h->ctx) || c->slot != h->ctx->slot || c->lanes != 64 ||
        c->wave >= h->waves_per_group || !c->cycles) {
        h->error = "chunk header";
        return;
    }
    /* Only a wavefront that holds its chunk has one before it has anything to say. */
    if (c->bytes == sizeof *c && !(h->ctx->flags & LS_CTX_HOLD && c->flags & LS_CHUNK_LAST && !c->sequence))
        h->error = "empty chunk";
    for (int i = 0; i < 3; i++)
        if (c->workgroup[i] >= h->n_groups[i])
            h->error = "work-group in a chunk header";
    uint64_t group =
        ((uint64_t)c->workgroup[2] * h->n_groups[1] + c->workgroup[1]) * h->n_groups[0] + c->workgroup[0];
    for (uint32_t at = sizeof *c; at < c->bytes;) {
        uint32_t size = take_message(h, c, group, (const uint32_t *)((const char *)c + at));
        if (!size || at + size > c->bytes) {
            h->error = h->error ? h->error : "message runs over its chunk";
            return;
        }
        at += size;
    }
}

/* Takes what is done and gives the chunks back. */
bool messages_drain(struct host *h)
{
    uint32_t *entry = &h->done[h->tail & h->mask], end = __atomic_load_n(entry, __ATOMIC_ACQUIRE), number;
    if (!end)
        return false;
    take_chunk(h, end, &number);
    __atomic_store_n(entry, 0, __ATOMIC_RELAXED);
    h->tail++;
    uint32_t *free_entry = &h->free_list[h->put & h->mask];
    while (__atomic_load_n(free_entry, __ATOMIC_RELAXED))
        usleep(10);
    __atomic_store_n(free_entry, number + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&h->ring->free_tail, ++h->put, __ATOMIC_RELEASE);
    return true;
}

void *messages_drain_thread(void *user)
{
    struct host *h = user;
    while (!__atomic_load_n(&h->stop, __ATOMIC_ACQUIRE)) {
        __atomic_add_fetch(&h->ring->heartbeat, 1, __ATOMIC_RELAXED);
        if (!messages_drain(h))
            usleep(100);
    }
    return NULL;
}
