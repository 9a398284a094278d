#include "rig.h"

_Atomic unsigned events_seen[64];
_Atomic uint64_t fault_va;
_Atomic unsigned faults, reports;

static void set_event(void *user, uint32_t id)
{
    (void)user;
    if (id < 64)
        atomic_fetch_add(&events_seen[id], 1);
}

static void memory_fault(void *user, uint64_t va, bool is_write)
{
    (void)user;
    (void)is_write;
    atomic_store(&fault_va, va);
    atomic_fetch_add(&faults, 1);
}

static void report(void *user, const struct sg_cp_fault *fault)
{
    (void)user;
    (void)fault;
    atomic_fetch_add(&reports, 1);
}

static uint64_t ticks(void *user)
{
    static _Atomic uint64_t now = 1000;
    (void)user;
    return atomic_fetch_add(&now, 10);
}

void rig_open(struct rig *r)
{
    rig_open_as(r, "gfx90a");
}

void rig_open_as(struct rig *r, const char *gpu)
{
    static const struct sg_cp_ops ops = {set_event, memory_fault, report, ticks};
    const char *why = NULL;
    memset(r, 0, sizeof *r);
    memset((void *)events_seen, 0, sizeof events_seen);
    atomic_store(&faults, 0);
    atomic_store(&reports, 0);
    r->arena = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(r->arena, MAP_FAILED);
    r->mem = sg_mem_create();
    assert_int_equal(
        sg_mem_map(r->mem, (uintptr_t)r->arena, ARENA_BYTES, r->arena, SG_RANGE_READ | SG_RANGE_WRITE), 0);
    struct sg_engine_config engine = {.arch = ls_gpu_find_emulated(gpu), .mem = r->mem};
    r->engine = sg_engine_create(&engine, &why);
    struct sg_cp_config config = {
        .mem = r->mem, .engine = r->engine, .arch = engine.arch, .ops = &ops, .user = r};
    r->cp = sg_cp_create(&config);
    assert_non_null(r->cp);
    r->kernel = rig_alloc(r, 4096);
    int64_t entry = 256; /* kernel_code_entry_byte_offset */
    memcpy(r->kernel + 16, &entry, sizeof entry);
    fake_hold(true);
}

void rig_close(struct rig *r)
{
    struct fake_dispatch d;
    sg_cp_stop(r->cp);
    while (fake_take(0, &d))
        ; /* never finished */
    sg_engine_destroy(r->engine);
    sg_cp_free(r->cp);
    sg_mem_destroy(r->mem);
    munmap(r->arena, ARENA_BYTES);
}

void *rig_alloc(struct rig *r, size_t size)
{
    void *p = r->arena + r->used;
    r->used += (size + 255) & ~255ul;
    assert_true(r->used <= ARENA_BYTES);
    return p;
}

struct test_signal *rig_signal(struct rig *r, int64_t value, uint32_t event_id)
{
    struct test_signal *s = rig_alloc(r, sizeof *s);
    s->kind = 1;
    atomic_store(&s->value, value);
    s->event_id = event_id;
    if (event_id)
        s->mailbox = (uintptr_t)rig_alloc(r, 8);
    return s;
}

void rig_queue(struct rig *r, struct test_queue *q, uint32_t id)
{
    uint64_t handle;
    memset(q, 0, sizeof *q);
    q->id = id;
    q->amd_queue = rig_alloc(r, 256);
    q->ring = rig_alloc(r, RING_PACKETS * 64);
    q->inactive = rig_signal(r, 0, 60);
    q->write_index = (void *)(q->amd_queue + 0x38);
    q->read_index = (void *)(q->amd_queue + 0x80);
    handle = (uintptr_t)q->inactive;
    memcpy(q->amd_queue + 0xc0, &handle, sizeof handle);
    for (unsigned i = 0; i < RING_PACKETS; i++)
        q->ring[i * 64] = 1; /* invalid */
    struct sg_queue_desc desc = {
        .kind = SG_QUEUE_AQL,
        .id = id,
        .ring = (uintptr_t)q->ring,
        .ring_bytes = RING_PACKETS * 64,
        .read_pointer = (uintptr_t)q->read_index,
        .write_pointer = (uintptr_t)q->write_index,
        .doorbell = &q->doorbell,
    };
    assert_int_equal(sg_cp_add_queue(r->cp, &desc), 0);
}

void rig_sdma(struct rig *r, struct test_sdma *s, uint32_t id)
{
    memset(s, 0, sizeof *s);
    s->ring = rig_alloc(r, SDMA_RING_BYTES);
    s->write_pointer = rig_alloc(r, 8);
    s->read_pointer = rig_alloc(r, 8);
    struct sg_queue_desc desc = {
        .kind = SG_QUEUE_SDMA,
        .id = id,
        .ring = (uintptr_t)s->ring,
        .ring_bytes = SDMA_RING_BYTES,
        .read_pointer = (uintptr_t)s->read_pointer,
        .write_pointer = (uintptr_t)s->write_pointer,
        .doorbell = &s->doorbell,
    };
    assert_int_equal(sg_cp_add_queue(r->cp, &desc), 0);
}

void aql_put(struct test_queue *q, const void *packet64)
{
    uint64_t index = atomic_load(q->write_index);
    uint8_t *slot = q->ring + index % RING_PACKETS * 64;
    uint32_t header;
    memcpy(&header, packet64, 4);
    memcpy(slot + 4, (const uint8_t *)packet64 + 4, 60);
    atomic_store_explicit((_Atomic uint32_t *)(void *)slot, header, memory_order_release);
    atomic_store(q->write_index, index + 1);
}

void sdma_put(struct test_sdma *s, const uint32_t *dwords, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        s->ring[(s->at + 4 * i) % SDMA_RING_BYTES / 4] = dwords[i];
    s->at += 4 * n;
    atomic_store_explicit(s->write_pointer, s->at, memory_order_release);
}
