/*
 * The host's side of the ring against threads that act as wavefronts, following lanescope/wire.h to the
 * letter. Each "wavefront" sends numbered messages; the host must see every one exactly once, in order per
 * wavefront, with the chunk sequence rising, and every ticket accounted for when all wavefronts have ended.
 */
#include "tests/check.h"
#include <pthread.h>
#include <sched.h>
#include "hsa-plugin/transport/ring.h"

enum { WAVES = 16, MESSAGE = 16 };

struct device {
    struct ls_host_ring *host;
    struct ls_ring *ring; /* as the device sees it, from the context */
    uint32_t *done, *free;
    uint8_t *chunks;
    uint32_t mask, shift;
    bool hold;
    unsigned messages; /* per wavefront */
    unsigned running;  /* atomic */
};

struct wave {
    struct device *d;
    uint32_t id;
    uint64_t random;
    struct ls_chunk *chunk; /* held */
    uint32_t used, sequence;
};

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

static void maybe_yield(struct wave *w)
{
    if (next_random(&w->random) % 8 == 0)
        sched_yield();
}

static void take(struct wave *w)
{
    struct device *d = w->d;
    uint32_t ticket = __atomic_fetch_add(&d->ring->free_head, 1, __ATOMIC_RELAXED);
    uint32_t *entry = &d->free[ticket & d->mask], v;
    maybe_yield(w);
    /* A slow wavefront between the two: tickets may have gone round the list meanwhile. */
    while (!__atomic_load_n(entry, __ATOMIC_RELAXED) ||
           (maybe_yield(w), v = __atomic_exchange_n(entry, 0, __ATOMIC_ACQ_REL)) == 0)
        sched_yield();
    w->chunk = (void *)(d->chunks + ((size_t)(v - 1) << d->shift));
    w->used = sizeof *w->chunk;
}

static void hand_over(struct wave *w, uint32_t flags)
{
    struct device *d = w->d;
    w->chunk->slot = 3;
    w->chunk->number = w->id;
    w->chunk->order = w->sequence++ << LS_ORDER_SHIFT;
    uint32_t ticket = __atomic_fetch_add(&d->ring->done_head, 1, __ATOMIC_RELAXED);
    maybe_yield(w);
    __atomic_store_n(&d->done[ticket & d->mask], LS_DONE((uintptr_t)w->chunk + w->used, flags),
                     __ATOMIC_RELEASE);
    w->chunk = NULL;
}

static void send(struct wave *w, uint32_t n)
{
    struct device *d = w->d;
    if (w->chunk && w->used + MESSAGE > 1u << d->shift)
        hand_over(w, 0);
    if (!w->chunk)
        take(w);
    uint32_t message[4] = {LS_HEAD(n & 0xffff, LS_KIND_STRIDED), w->id, n, 0};
    memcpy((char *)w->chunk + w->used, message, MESSAGE);
    w->used += MESSAGE;
    if (!d->hold)
        hand_over(w, 0);
}

static void *wavefront(void *arg)
{
    struct wave *w = arg;
    for (uint32_t n = 0; n < w->d->messages; n++)
        send(w, n);
    if (w->chunk)
        hand_over(w, LS_CHUNK_LAST);
    __atomic_fetch_sub(&w->d->running, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* A worker that returns chunks late and in another order than it got them. */
struct returner {
    struct ls_host_ring *host;
    pthread_mutex_t lock;
    uint32_t chunks[64];
    unsigned n;
    bool stop;
};

static void *give_back(void *arg)
{
    struct returner *r = arg;
    uint64_t random = 99;
    for (;;) {
        uint32_t chunk = UINT32_MAX;
        pthread_mutex_lock(&r->lock);
        bool stop = r->stop && !r->n;
        if (r->n) {
            unsigned k = (unsigned)(next_random(&random) % r->n);
            chunk = r->chunks[k];
            r->chunks[k] = r->chunks[--r->n];
        }
        pthread_mutex_unlock(&r->lock);
        if (stop)
            return NULL;
        if (chunk != UINT32_MAX)
            ls_ring_give(r->host, chunk);
        else
            sched_yield();
    }
}

static bool later(struct returner *r, uint32_t chunk)
{
    pthread_mutex_lock(&r->lock);
    bool room = r->n < 64;
    if (room)
        r->chunks[r->n++] = chunk;
    pthread_mutex_unlock(&r->lock);
    return room;
}

struct seen {
    uint32_t next[WAVES], sequence[WAVES];
};

static void check_chunk(const struct device *d, uint32_t chunk, struct seen *seen)
{
    const struct ls_chunk *c = ls_ring_chunk(d->host, chunk);
    assert_int_equal(c->slot, 3);
    assert_true(c->number < WAVES && c->bytes <= 1u << d->shift && c->lanes == 64);
    assert_int_equal(c->sequence, seen->sequence[c->number]++);
    for (uint32_t at = sizeof *c; at < c->bytes; at += MESSAGE) {
        uint32_t m[4];
        memcpy(m, (const char *)c + at, MESSAGE);
        assert_int_equal(m[1], c->number);
        assert_int_equal(m[2], seen->next[c->number]++);
    }
}

/* In memory that held something else; the caller frees it. */
static void *make_ring(struct ls_host_ring *r, uint32_t n_chunks, uint32_t shift)
{
    size_t bytes = ls_ring_bytes(n_chunks, shift);
    void *memory = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
    memset(memory, 0xa5, bytes);
    assert_int_equal(ls_ring_init(r, memory, n_chunks, shift), 0);
    return memory;
}

static void run(uint32_t n_chunks, uint32_t shift, bool hold, unsigned messages)
{
    struct ls_host_ring r;
    void *memory = make_ring(&r, n_chunks, shift);
    struct device d = {.host = &r,
                       .ring = r.ring,
                       .done = r.done,
                       .free = r.free,
                       .chunks = r.chunks,
                       .mask = r.mask,
                       .shift = shift,
                       .hold = hold,
                       .messages = messages,
                       .running = WAVES};
    struct wave waves[WAVES];
    pthread_t threads[WAVES], other;
    struct returner ret = {.host = &r, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct seen seen = {0};
    pthread_create(&other, NULL, give_back, &ret);
    for (uint32_t i = 0; i < WAVES; i++) {
        waves[i] = (struct wave){.d = &d, .id = i, .random = i + 1};
        pthread_create(&threads[i], NULL, wavefront, &waves[i]);
    }
    uint64_t random = 7;
    for (;;) {
        uint32_t chunk;
        bool over = __atomic_load_n(&d.running, __ATOMIC_ACQUIRE) == 0;
        uint32_t head = ls_ring_done_head(&r);
        while (ls_ring_take(&r, &chunk)) {
            check_chunk(&d, chunk, &seen);
            if (next_random(&random) % 2 || !later(&ret, chunk))
                ls_ring_give(&r, chunk);
        }
        ls_ring_retry(&r);
        if (over) { /* as after a completion signal: all tickets that were taken are there */
            assert_true(ls_ring_drained(&r, head));
            break;
        }
        sched_yield();
    }
    for (uint32_t i = 0; i < WAVES; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(seen.next[i], messages);
    }
    pthread_mutex_lock(&ret.lock);
    ret.stop = true;
    pthread_mutex_unlock(&ret.lock);
    pthread_join(other, NULL);
    ls_ring_retry(&r);
    assert_int_equal(r.damaged, 0);
    assert_int_equal(r.n_backlog, 0);
    /* Every chunk is back, exactly once. */
    unsigned present = 0;
    for (uint32_t i = 0; i <= r.mask; i++)
        present += r.free[i] != 0;
    assert_int_equal(present, n_chunks);
    ls_ring_destroy(&r);
    free(memory);
}

static void holding(void **state)
{
    (void)state;
    run(2 * WAVES, 10, true, 4000);
    run(WAVES, 10, true, 4000); /* just enough */
    run(37, 11, true, 4000);    /* lists are longer than there are chunks */
}

/* Without holding, a wavefront never keeps a chunk while it waits: one chunk is enough for all. */
static void not_holding(void **state)
{
    (void)state;
    run(1, 10, false, 300);
    run(3, 10, false, 1000);
    run(64, 12, false, 1000);
}

/* Ticket counters have 32 bits and wrap. */
static void wraps(void **state)
{
    (void)state;
    struct ls_host_ring r;
    uint32_t chunk;
    void *memory = make_ring(&r, 4, 10);
    r.done_tail = 0xfffffffe;
    r.ring->done_head = 2; /* four tickets later */
    for (uint32_t t = 0xfffffffe, i = 0; i < 4; i++, t++)
        r.done[t & r.mask] = LS_DONE((uintptr_t)ls_ring_chunk(&r, i) + 64, 0);
    assert_false(ls_ring_drained(&r, ls_ring_done_head(&r)));
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(ls_ring_take(&r, &chunk));
        assert_int_equal(chunk, i);
    }
    assert_true(ls_ring_drained(&r, ls_ring_done_head(&r)));
    assert_false(ls_ring_take(&r, &chunk));
    ls_ring_destroy(&r);
    free(memory);
}

static void damaged_entry(void **state)
{
    (void)state;
    struct ls_host_ring r;
    uint32_t chunk;
    void *memory = make_ring(&r, 4, 10);
    r.done = (uint32_t[]){LS_DONE((uintptr_t)r.chunks + 5 * 1024, 0),  /* there are four chunks */
                          LS_DONE((uintptr_t)r.chunks + 56, 0),        /* in the header */
                          (uint32_t)(uintptr_t)r.chunks + 2048,        /* without the bit that all have */
                          LS_DONE((uintptr_t)r.chunks + 2 * 1024, 1)}; /* the second one is full */
    assert_true(ls_ring_take(&r, &chunk));
    assert_int_equal(chunk, 1);
    const struct ls_chunk *c = ls_ring_chunk(&r, 1);
    assert_true(c->bytes == 1024 && c->flags == LS_CHUNK_LAST);
    assert_int_equal(r.damaged, 3);
    ls_ring_destroy(&r);
    free(memory);
    assert_int_equal(ls_ring_bytes(0, 12), 0);
    assert_int_equal(ls_ring_bytes(4, 9), 0);
    assert_int_equal(ls_ring_bytes(4, 17), 0);
    assert_int_equal(ls_ring_bytes((1u << 16) + 1, 16),
                     0); /* more than 4 GiB: an entry does not tell which */
    assert_true(ls_ring_bytes(1u << 16, 16) > 1ull << 32);
}

/* A kernel that stores where it should not hands one chunk over again and again. */
static void handed_over_again(void **state)
{
    (void)state;
    struct ls_host_ring r;
    uint32_t chunk;
    void *memory = make_ring(&r, 4, 10);
    for (unsigned i = 0; i < 6; i++) {
        r.done[r.done_tail & r.mask] = LS_DONE((uintptr_t)r.chunks + 64, 0);
        assert_true(ls_ring_take(&r, &chunk));
        ls_ring_give(&r, chunk);
    }
    assert_int_equal(r.n_backlog, 4); /* the free list holds four, too */
    assert_int_equal(r.damaged, 2);
    ls_ring_destroy(&r);
    free(memory);
}

/* Wavefronts look at the host's state only when they find no chunk: so a closed ring has none, whatever comes back. */
static void closed(void **state)
{
    (void)state;
    struct ls_host_ring r;
    void *memory = make_ring(&r, 4, 10);
    r.free[0] = 0; /* taken */
    ls_ring_close(&r);
    ls_ring_give(&r, 0);
    ls_ring_retry(&r);
    for (uint32_t i = 0; i <= r.mask; i++)
        assert_int_equal(r.free[i], 0);
    assert_int_equal(r.ring->closed, 1);
    ls_ring_destroy(&r);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holding),       cmocka_unit_test(not_holding),       cmocka_unit_test(wraps),
        cmocka_unit_test(damaged_entry), cmocka_unit_test(handed_over_again), cmocka_unit_test(closed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
