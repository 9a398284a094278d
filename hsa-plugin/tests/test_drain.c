/*
 * test_drain.c - one dispatch whose chunks several threads take: each wavefront's come in order and in one part, calls
 * for one part never overlap, what is left of a chunk comes in the first part and in order, too, and the end comes
 * behind all. Threads act as the wavefronts, following lanescope/wire.h; runtime, agents and slots are made up.
 */
#include "tests/check.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include "hsa-plugin/transport/drain.h"

enum { THREADS = 4, WAVES = 64, PER_WAVE = 200, CHUNKS = 16, SHIFT = 10, PARTS = 4 };

static struct ls_agent agent;
static struct ls_slot slot;
static struct ls_ctx ctx;
static struct ls_queue queue;
static atomic_int signal_value;
static atomic_bool ended, released;

/* What the sink has seen; each part's own but for the counters. */
static struct part {
    atomic_int inside;
    uint32_t next[WAVES]; /* sequence that has to come */
    unsigned long chunks;
} parts[PARTS];
static uint32_t next_rest[WAVES];
static unsigned long n_rest;
static atomic_ulong wrong;

size_t ls_agents(struct ls_agent **list)
{
    *list = &agent;
    return 1;
}

struct ls_slot *ls_slot_of(struct ls_agent *a, uint32_t index)
{
    return a == &agent && !index ? &slot : NULL;
}

void ls_slot_put(struct ls_slot *s)
{
    (void)s;
    atomic_store(&released, true);
}

static hsa_signal_value_t load_signal(hsa_signal_t s)
{
    (void)s;
    return atomic_load(&signal_value);
}

static void expect(bool right)
{
    if (!right)
        atomic_fetch_add(&wrong, 1);
}

static enum ls_chunk_left take_chunk(struct ls_slot *s, unsigned part, const void *chunk, size_t size)
{
    const struct ls_chunk *h = chunk;
    struct part *p = &parts[part];
    expect(s == &slot && size == 1u << SHIFT && part < PARTS && h->wave < WAVES);
    expect(atomic_exchange(&p->inside, 1) == 0);
    expect(h->sequence == p->next[h->wave]++);
    expect(!atomic_load(&ended));
    p->chunks++;
    atomic_store(&p->inside, 0);
    return part ? LS_CHUNK_ORDERED : LS_CHUNK_DONE;
}

static void take_rest(struct ls_slot *s, enum ls_chunk_left left, const void *chunk, size_t size)
{
    const struct ls_chunk *h = chunk;
    expect(s == &slot && left == LS_CHUNK_ORDERED && size == 1u << SHIFT);
    expect(atomic_exchange(&parts[0].inside, 1) == 0);
    expect(h->sequence == next_rest[h->wave]++);
    n_rest++;
    atomic_store(&parts[0].inside, 0);
}

static void over(struct ls_slot *s)
{
    expect(s == &slot && !atomic_exchange(&ended, true));
}

static bool idle(void)
{
    return false;
}

static void busy(void)
{
}

/* Every THREADS-th wavefront, chunk by chunk in turns. */
static void *wavefronts(void *first)
{
    struct ls_host_ring *r = &agent.ring;
    for (uint32_t sequence = 0; sequence < PER_WAVE; sequence++)
        for (uint32_t wave = (uint32_t)(uintptr_t)first; wave < WAVES; wave += THREADS) {
            uint32_t number, ticket = __atomic_fetch_add(&r->ring->free_head, 1, __ATOMIC_RELAXED);
            uint32_t *entry = &r->free[ticket & r->mask];
            while (!__atomic_load_n(entry, __ATOMIC_RELAXED) ||
                   !(number = __atomic_exchange_n(entry, 0, __ATOMIC_ACQ_REL)))
                sched_yield();
            struct ls_chunk *c = ls_ring_chunk(r, number - 1);
            c->slot = 1;
            c->number = wave;
            c->order = sequence << LS_ORDER_SHIFT;
            ticket = __atomic_fetch_add(&r->ring->done_head, 1, __ATOMIC_RELAXED);
            __atomic_store_n(&r->done[ticket & r->mask], LS_DONE((uintptr_t)(c + 1), 0), __ATOMIC_RELEASE);
        }
    return NULL;
}

static void spread(void **state)
{
    static const struct ls_sink sink = {take_chunk, take_rest, over, idle, busy};
    struct ls_api api = {.core.signal_load_scacquire = load_signal};
    pthread_t threads[THREADS];
    void *memory = aligned_alloc(4096, (ls_ring_bytes(CHUNKS, SHIFT) + 4095) & ~(size_t)4095);
    (void)state;
    assert_non_null(memory);
    assert_int_equal(ls_ring_init(&agent.ring, memory, CHUNKS, SHIFT), 0);
    assert_int_equal(ls_drain_start(&api, &sink, PARTS), 0);
    assert_int_equal(ls_drain_parts(1), 1);
    assert_int_equal(ls_drain_parts(1u << 20), PARTS);
    ls_drain_add_queue(&queue);
    agent.dies = 1;
    slot.agent = &agent;
    slot.ctx = &ctx;
    ctx.waves_per_workgroup = WAVES;
    for (unsigned i = 0; i < 3; i++)
        ctx.n_workgroups[i] = 1;
    slot.use.queue = &queue;
    slot.use.kernel = (struct ls_kernel *)&agent; /* not NULL; nobody here looks at it */
    slot.use.n_parts = PARTS;
    atomic_store(&signal_value, 1);
    ls_drain_submit(&slot);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wavefronts, (void *)i), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&signal_value, 0);
    assert_true(ls_drain_wait(NULL, 60));
    ls_drain_stop();
    unsigned long all = 0, used = 0;
    for (unsigned i = 0; i < PARTS; i++) {
        all += parts[i].chunks;
        used += parts[i].chunks != 0;
        for (unsigned w = 0; w < WAVES; w++)
            assert_true(parts[i].next[w] == 0 || parts[i].next[w] == PER_WAVE); /* in one part, all of them */
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(all, WAVES * PER_WAVE);
    assert_int_equal(n_rest, all - parts[0].chunks);
    assert_int_equal(used, PARTS); /* 64 wavefronts in 4 parts: none stays empty by a fair hash */
    assert_true(ended && released);
    assert_int_equal(agent.ring.damaged, 0);
    ls_ring_destroy(&agent.ring);
    memset(&agent.ring, 0, sizeof agent.ring);
    free(memory);
}

/* ---- dispatches that wait for being recorded ---- */

enum { DISPATCHES = 3000, ROW = 1024 };
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_ulong recorded;

static void record_behind_gate(struct ls_slot *s)
{
    (void)s;
    pthread_mutex_lock(&gate);
    atomic_fetch_add(&recorded, 1);
    pthread_mutex_unlock(&gate);
}

static void *submit_next(void *seen)
{
    ls_drain_throttle();
    *(unsigned long *)seen = atomic_load(&recorded);
    return NULL;
}

/* 3000 are through with the GPU and none is recorded: who submits the next one goes on when 1024 are left at most, so
 * that 1976 are recorded, but for the one or two that are counted and not yet counted off. */
static void bounded(void **state)
{
    static const struct ls_sink sink = {take_chunk, take_rest, record_behind_gate, idle, busy};
    static struct ls_slot slots[DISPATCHES];
    static struct ls_agent other;
    struct ls_api api = {.core.signal_load_scacquire = load_signal};
    unsigned long seen = 0;
    pthread_t thread;
    (void)state;
    atomic_store(&signal_value, 0);
    atomic_store(&queue.retired, 0);
    pthread_mutex_lock(&gate);
    assert_int_equal(ls_drain_start(&api, &sink, 1), 0);
    for (unsigned i = 0; i < DISPATCHES; i++) {
        slots[i].agent = &other;
        slots[i].use.queue = &queue;
        slots[i].use.kernel = (struct ls_kernel *)&other;
        slots[i].use.n_parts = 1;
        slots[i].use.position = i + 1;
        ls_drain_submit(&slots[i]);
    }
    while (atomic_load(&queue.retired) < DISPATCHES)
        sched_yield();
    assert_int_equal(pthread_create(&thread, NULL, submit_next, &seen), 0);
    pthread_mutex_unlock(&gate);
    pthread_join(thread, NULL);
    assert_in_range(seen, DISPATCHES - ROW - 2, DISPATCHES);
    assert_true(ls_drain_wait(NULL, 60));
    ls_drain_stop();
    assert_int_equal(recorded, DISPATCHES);
}

/* The system's answer, played here: the processors of this thread, on a machine of so many. */
static unsigned machine = 8, allowed = 8;

int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
    (void)pid;
    if (bytes * 8 < machine) {
        errno = EINVAL;
        return -1;
    }
    CPU_ZERO_S(bytes, set);
    for (unsigned i = 0; i < allowed; i++)
        CPU_SET_S(machine - 1 - i, bytes, set);
    return 0;
}

/* A rank of a job gets some processors of a machine that may have more than a cpu_set_t, and half of its own decode. */
static void workers_by_affinity(void **state)
{
    static const struct {
        unsigned machine, allowed, workers;
    } rows[] = {{8, 8, 4}, {64, 7, 3}, {64, 1, 1}, {64, 3, 1}, {256, 128, 8}, {4096, 6, 3}};
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        machine = rows[i].machine;
        allowed = rows[i].allowed;
        assert_int_equal(ls_drain_usual_workers(), rows[i].workers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spread), cmocka_unit_test(bounded),
                                       cmocka_unit_test(workers_by_affinity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
