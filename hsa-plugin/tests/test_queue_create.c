/*
 * Queues of ROCr 10: what hsa_amd_queue_create is asked for becomes an intercept queue with the same
 * properties, one by one; what we do not understand goes to the runtime as it is. The runtime and the rest of
 * the tool library are played by this file.
 */
#include "tests/check.h"
#include "hsa-plugin/transport/agent.h"
#include "hsa-plugin/transport/drain.h"
#include "hsa-plugin/log.h"
#include "hsa-plugin/intercept/queue.h"
#include "hsa-plugin/intercept/queue_create.h"
#include "hsa-plugin/record/record.h"
#include "hsa-plugin/intercept/state.h"

static struct ls_tool tool;
static struct ls_agent agent = {.hsa = {7}};
static struct ls_queue *queues;
static struct ls_tool *running = &tool;

/* What the runtime was asked. */
static struct {
    unsigned intercepted, plain, registered, destroyed, notes, priority_calls, mask_calls, described;
    uint32_t size, private_size, group_size, mask_bits;
    hsa_queue_type32_t type;
    hsa_amd_queue_priority_t priority;
    const uint32_t *mask;
    hsa_status_t priority_result;
} asked;

static hsa_queue_t made[8];
static unsigned n_made;

struct ls_tool *ls_tool_get(void)
{
    return running;
}
struct ls_tool *ls_tool_originals(void)
{
    return &tool;
}
struct ls_agent *ls_agent_of(hsa_agent_t hsa)
{
    return hsa.handle == agent.hsa.handle ? &agent : NULL;
}
void ls_drain_add_queue(struct ls_queue *q)
{
    q->next = queues;
    queues = q;
}
struct ls_queue *ls_drain_queues(void)
{
    return queues;
}
bool ls_drain_wait(struct ls_queue *q, unsigned seconds)
{
    (void)q, (void)seconds;
    return true;
}
void ls_record_note(int level, const char *format, ...)
{
    (void)level, (void)format;
    asked.notes++;
}
static void on_packets(const void *packets, uint64_t n, uint64_t user_index, void *data,
                       ls_packet_writer writer)
{
    (void)packets, (void)n, (void)user_index, (void)data, (void)writer;
}

static hsa_status_t make(uint32_t size, hsa_queue_type32_t type, uint32_t private_size, uint32_t group_size,
                         hsa_queue_t **queue)
{
    asked.size = size;
    asked.type = type;
    asked.private_size = private_size;
    asked.group_size = group_size;
    *queue = &made[n_made++ % 8];
    return HSA_STATUS_SUCCESS;
}

/* Another tool's: the runtime's own would be found by its address. */
static hsa_status_t core_create(hsa_agent_t a, uint32_t size, hsa_queue_type32_t type,
                                ls_queue_error callback, void *data, uint32_t private_size,
                                uint32_t group_size, hsa_queue_t **queue)
{
    (void)a, (void)callback, (void)data;
    asked.plain++;
    return make(size, type, private_size, group_size, queue);
}

static hsa_status_t intercept_create(hsa_agent_t a, uint32_t size, hsa_queue_type32_t type,
                                     ls_queue_error callback, void *data, uint32_t private_size,
                                     uint32_t group_size, hsa_queue_t **queue)
{
    (void)a, (void)callback, (void)data;
    asked.intercepted++;
    return make(size, type, private_size, group_size, queue);
}

/* As ROCr: only queues that were made as intercept queues take a handler. */
static hsa_status_t intercept_register(hsa_queue_t *queue, ls_packet_handler callback, void *data)
{
    (void)queue, (void)data;
    assert_ptr_equal((void *)callback, (void *)on_packets);
    if (!asked.intercepted)
        return HSA_STATUS_ERROR_INVALID_QUEUE;
    asked.registered++;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t core_destroy(hsa_queue_t *queue)
{
    (void)queue;
    asked.destroyed++;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t set_priority(hsa_queue_t *queue, hsa_amd_queue_priority_t priority)
{
    (void)queue;
    asked.priority_calls++;
    asked.priority = priority;
    return asked.priority_result;
}

static hsa_status_t set_mask(const hsa_queue_t *queue, uint32_t bits, const uint32_t *mask)
{
    (void)queue;
    asked.mask_calls++;
    asked.mask_bits = bits;
    asked.mask = mask;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t enable_profiler(hsa_queue_t *queue, int enable)
{
    (void)queue, (void)enable;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t runtime_create(hsa_agent_t a, struct ls_queue_description *d, uint32_t n)
{
    (void)a;
    asked.described += n;
    for (uint32_t i = 0; d && i < n; i++)
        d[i].queue = d[i].engine < 2 ? &made[n_made++ % 8] : NULL;
    return d && n && d->queue ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* Hooks a table of ROCr 10 and returns what it then holds for hsa_amd_queue_create. */
static ls_amd_queue_create hook(void)
{
    static struct {
        struct ls_amd_table table;
        ls_slot rest[91 - 16];
    } amd;
    static struct ls_core_table core;
    memset(&asked, 0, sizeof asked);
    running = &tool;
    amd.table.version = (struct ls_table_version){2, (uint32_t)LS_SLOT(91), 0x12, 0};
    *ls_api_live_amd_queue_create(&amd.table) = runtime_create;
    tool.api.core.queue_create = core_create;
    tool.api.core.queue_destroy = core_destroy;
    tool.api.amd.profiling_set_profiler_enabled = enable_profiler;
    tool.api.amd.queue_cu_set_mask = set_mask;
    tool.api.amd_tail.queue_intercept_create = intercept_create;
    tool.api.amd_tail.queue_intercept_register = intercept_register;
    tool.api.amd_tail.queue_set_priority = set_priority;
    tool.api.amd_queue_create = runtime_create;
    ls_queue_create_hooks(&core, &amd.table, on_packets);
    assert_ptr_equal((void *)ls_api_live_tail(&amd.table), (char *)&amd + LS_SLOT(18));
    return *ls_api_live_amd_queue_create(&amd.table);
}

static struct ls_queue_description compute(void)
{
    return (struct ls_queue_description){.version = 1,
                                         .flags = 1, /* ring in device memory */
                                         .bytes = 64 * 1024,
                                         .priority = HSA_AMD_QUEUE_PRIORITY_NORMAL,
                                         .type = HSA_QUEUE_TYPE_MULTI,
                                         .private_segment_size = 4096};
}

static void like_the_classic_one(void **state)
{
    (void)state;
    ls_amd_queue_create create = hook();
    struct ls_queue_description d = compute();
    assert_int_equal(create(agent.hsa, &d, 1), HSA_STATUS_SUCCESS);
    assert_non_null(ls_queue_of(d.queue));
    assert_int_equal(asked.registered, 1);
    assert_int_equal(asked.described, 0);
    assert_int_equal(asked.size, 1024); /* packets of 64 bytes */
    assert_int_equal(asked.private_size, 4096);
    assert_int_equal(asked.group_size, UINT32_MAX);
    assert_int_equal(asked.priority_calls + asked.mask_calls + asked.notes, 0);
}

static void priority_and_mask(void **state)
{
    (void)state;
    const uint32_t mask[2] = {0xff, 0};
    ls_amd_queue_create create = hook();
    struct ls_queue_description d = compute();
    d.type = HSA_QUEUE_TYPE_COOPERATIVE;
    d.priority = HSA_AMD_QUEUE_PRIORITY_HIGH;
    d.cu_mask = mask;
    d.cu_mask_bits = 64;
    assert_int_equal(create(agent.hsa, &d, 1), HSA_STATUS_SUCCESS);
    assert_true(ls_queue_of(d.queue)->cooperative);
    assert_int_equal(asked.priority, HSA_AMD_QUEUE_PRIORITY_HIGH);
    assert_int_equal(asked.mask_bits, 64);
    assert_ptr_equal(asked.mask, mask);
}

/* The runtime applies all of a description or makes no queue. */
static void refused_priority(void **state)
{
    (void)state;
    ls_amd_queue_create create = hook();
    struct ls_queue_description d = compute();
    d.priority = HSA_AMD_QUEUE_PRIORITY_LOW;
    asked.priority_result = HSA_STATUS_ERROR_INVALID_ARGUMENT;
    assert_int_equal(create(agent.hsa, &d, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    assert_null(d.queue);
    assert_true(asked.destroyed >= 1);
}

static void a_batch(void **state)
{
    (void)state;
    ls_amd_queue_create create = hook();
    struct ls_queue_description d[4] = {compute(), compute(), compute(), compute()};
    d[1].engine = 1;        /* SDMA */
    d[2].engine = 2;        /* refused by the runtime */
    d[3].reserved2[19] = 1; /* something newer than we know */
    assert_int_equal(create(agent.hsa, d, 4), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    assert_non_null(ls_queue_of(d[0].queue));
    assert_non_null(d[1].queue);
    assert_null(ls_queue_of(d[1].queue));
    assert_null(d[2].queue);
    assert_non_null(d[3].queue);
    assert_int_equal(asked.described, 3);
    assert_int_equal(asked.notes, 1); /* the fourth, whose kernels we do not see */
}

static void not_ours(void **state)
{
    (void)state;
    ls_amd_queue_create create = hook();
    struct ls_queue_description d = compute();
    assert_int_equal(create((hsa_agent_t){8}, &d, 1), HSA_STATUS_SUCCESS);
    assert_int_equal(asked.described, 1);
    running = NULL; /* after the end of the recording */
    assert_int_equal(create(agent.hsa, &d, 1), HSA_STATUS_SUCCESS);
    assert_int_equal(asked.described, 2);
    assert_int_equal(asked.intercepted, 0);
    assert_int_equal(create(agent.hsa, NULL, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_the_classic_one), cmocka_unit_test(priority_and_mask),
        cmocka_unit_test(refused_priority), cmocka_unit_test(a_batch), cmocka_unit_test(not_ours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
