/*
 * packets.c - what a program may write into its queues: AQL packets with the PM4 commands in them, and SDMA
 * packets. The first byte chooses the queue. The rest is the memory of the process from the ring on, at
 * GPU_ADDRESS, so that packets can point at other ones, at signals and at buffers in it.
 */
#include "../../soft-gpu/cp/internal.h"
#include "../../soft-gpu/cp/tests/fake_engine.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { ARENA = 1 << 16, GPU_ADDRESS = 1 << 20, RING = 1024, AMD_QUEUE = 1024, STEPS = 200 };

static void event(void *user, uint32_t id)
{
    (void)user, (void)id;
}

static void memory_fault(void *user, uint64_t va, bool write)
{
    (void)user, (void)va, (void)write;
}

static void report(void *user, const struct sg_cp_fault *fault)
{
    (void)user, (void)fault;
}

static uint64_t ticks(void *user)
{
    return ++*(uint64_t *)user;
}

/* Without the command processor's thread, so that a run is repeatable. */
static void run(struct sg_cp *cp, enum sg_queue_kind kind, uint8_t *arena)
{
    struct sg_queue *q = calloc(1, sizeof *q);
    uint64_t doorbell = RING;
    if (!q)
        return;
    q->cp = cp;
    q->desc = (struct sg_queue_desc){
        .kind = kind, .id = 1, .ring = GPU_ADDRESS, .ring_bytes = RING, .doorbell = &doorbell};
    q->desc.read_pointer = GPU_ADDRESS + AMD_QUEUE + 0x80;
    q->desc.write_pointer = GPU_ADDRESS + AMD_QUEUE + 0x38;
    q->ring = arena;
    q->read_pointer = (void *)(arena + AMD_QUEUE + 0x80);
    q->write_pointer = (void *)(arena + AMD_QUEUE + 0x38);
    pthread_mutex_init(&q->retire, NULL);
    *q->read_pointer = 0;
    *q->write_pointer = kind == SG_QUEUE_AQL ? RING / 64 : RING;
    if (kind == SG_QUEUE_SDMA || !aql_open(cp, q))
        for (unsigned i = 0; i < STEPS && !q->halted; i++)
            if ((kind == SG_QUEUE_AQL ? aql_step : sdma_step)(cp, q) == STEP_IDLE)
                break;
    queue_free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct sg_cp_ops ops = {event, memory_fault, report, ticks};
    const char *why;
    uint64_t now = 0;
    struct fuzz_input in = {data, size};
    enum sg_queue_kind kind = fuzz_take(&in, 1) & 1 ? SG_QUEUE_SDMA : SG_QUEUE_AQL;
    uint8_t *arena = aligned_alloc(4096, ARENA);
    struct sg_mem *mem = sg_mem_create();
    struct sg_engine_config engine = {.arch = ls_gpu_find_emulated("gfx90a"), .mem = mem};
    struct sg_cp_config config = {mem, sg_engine_create(&engine, &why), engine.arch, &ops, &now};
    struct sg_cp *cp = sg_cp_create(&config);
    if (!arena || !cp ||
        sg_mem_map(mem, GPU_ADDRESS, ARENA, arena, SG_RANGE_READ | SG_RANGE_WRITE | SG_RANGE_EXEC))
        abort();
    memset(arena, 0, ARENA);
    memcpy(arena, in.data, in.size < ARENA ? in.size : ARENA);
    run(cp, kind, arena);
    sg_cp_stop(cp);
    sg_engine_destroy(config.engine);
    sg_cp_free(cp);
    sg_mem_destroy(mem);
    free(arena);
    return 0;
}
