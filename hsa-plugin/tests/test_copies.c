/*
 * test_copies.c - batches of copies, with a runtime made here: no ROCr of a Debian has
 * hsa_amd_memory_async_batch_copy yet. Signals are numbers in an array; the runtime completes an operation
 * when the test says so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "hsa-plugin/intercept/copies.h"
#include "hsa-plugin/transport/drain.h"
#include "hsa-plugin/record/record.h"
#include "hsa-plugin/intercept/times.h"
#include "hsa-plugin/intercept/state.h"

enum { SIGNALS = 64, AMD_SLOTS = 79, STEP = 0xa };
static struct ls_tool tool;
static int64_t value[SIGNALS];
static unsigned n_signals, begun, passed, ended;
static struct {
    bool (*f)(hsa_signal_value_t, void *);
    void *data;
} handler[SIGNALS];
static struct ls_copy_op seen[8];
static uint32_t n_seen;
static hsa_status_t answer;
static struct {
    uint64_t bytes, start, end, from, to;
} over[16];
static unsigned n_over;

/* ---- What copies.c asks of the rest of the library ---- */

struct ls_tool *ls_tool_get(void)
{
    return &tool;
}
struct ls_tool *ls_tool_originals(void)
{
    return &tool;
}
struct ls_agent *ls_agent_of(hsa_agent_t agent)
{
    return (struct ls_agent *)(uintptr_t)agent.handle;
}
void ls_drain_begins(void)
{
    begun++;
}
void ls_drain_over(void)
{
    passed++;
}
void ls_drain_ends(void)
{
    ended++;
}
bool ls_drain_post(void (*run)(void *subject), void *subject)
{
    run(subject);
    return true;
}
void ls_record_copy(const struct ls_copy *c)
{
    over[n_over].bytes = c->bytes;
    over[n_over].start = c->start;
    over[n_over].end = c->end;
    over[n_over].from = (uintptr_t)c->from;
    over[n_over++].to = (uintptr_t)c->to;
}
void ls_times_bind(uint64_t app, uint64_t number, hsa_signal_t own)
{
    (void)app, (void)number, (void)own;
}
void ls_times_final(uint64_t app, uint64_t number, uint64_t start, uint64_t end)
{
    (void)app, (void)number, (void)start, (void)end;
}
bool ls_times_find(uint64_t app, hsa_signal_t *own, uint64_t *start, uint64_t *end)
{
    (void)app, (void)own, (void)start, (void)end;
    return false;
}
void ls_record_note(int level, const char *format, ...)
{
    (void)level;
    fail_msg("%s", format);
}

/* ---- The runtime ---- */

static hsa_status_t create(hsa_signal_value_t initial, uint32_t n, const hsa_agent_t *consumers,
                           uint64_t attributes, hsa_signal_t *signal)
{
    (void)n, (void)consumers, (void)attributes;
    signal->handle = ++n_signals;
    value[n_signals] = initial;
    return HSA_STATUS_SUCCESS;
}
static hsa_status_t destroy(hsa_signal_t signal)
{
    (void)signal;
    return HSA_STATUS_SUCCESS;
}
static void store(hsa_signal_t signal, hsa_signal_value_t v)
{
    value[signal.handle] = v;
    if (v < 1 && handler[signal.handle].f) {
        bool (*f)(hsa_signal_value_t, void *) = handler[signal.handle].f;
        handler[signal.handle].f = NULL;
        assert_false(f(v, handler[signal.handle].data));
    }
}
static void store_quietly(hsa_signal_t signal, hsa_signal_value_t v)
{
    value[signal.handle] = v;
}
static void subtract(hsa_signal_t signal, hsa_signal_value_t v)
{
    value[signal.handle] -= v;
}
static hsa_status_t on_signal(hsa_signal_t signal, hsa_signal_condition_t condition, hsa_signal_value_t limit,
                              bool (*f)(hsa_signal_value_t, void *), void *data)
{
    assert_int_equal(condition, HSA_SIGNAL_CONDITION_LT);
    assert_int_equal(limit, 1);
    handler[signal.handle].f = f;
    handler[signal.handle].data = data;
    return HSA_STATUS_SUCCESS;
}
static hsa_status_t times(hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t *t)
{
    t->start = 1000 * signal.handle;
    t->end = 1000 * signal.handle + 7;
    return HSA_STATUS_SUCCESS;
}
static hsa_status_t runtime_batch(const struct ls_copy_op *ops, uint32_t n_ops, uint32_t n_waits,
                                  const hsa_signal_t *waits)
{
    assert_true(n_waits == 1 && waits->handle == 9);
    memcpy(seen, ops, n_ops * sizeof *ops);
    n_seen = n_ops;
    return answer;
}

static ls_batch_copy hooked(void)
{
    static struct {
        struct ls_amd_table head;
        ls_slot rest[AMD_SLOTS - 16];
    } table;
    memset(&table, 0, sizeof table);
    table.head.version = (struct ls_table_version){2, sizeof table, STEP, 0};
    ls_copies_hooks(&table.head);
    return *ls_api_live_batch_copy(&table.head);
}

static int setup(void **state)
{
    (void)state;
    memset(&tool, 0, sizeof tool);
    tool.api.core.signal_store_relaxed = store_quietly;
    tool.api.core.signal_store_screlease = store;
    tool.api.core.signal_subtract_screlease = subtract;
    tool.api.core.signal_destroy = destroy;
    tool.api.amd.signal_async_handler = on_signal;
    tool.api.amd.profiling_get_async_copy_time = times;
    tool.api.amd_tail.signal_create = create;
    tool.api.batch_copy = runtime_batch;
    n_signals = 40; /* the program's are below */
    n_over = begun = passed = ended = n_seen = 0;
    answer = HSA_STATUS_SUCCESS;
    return 0;
}
static int teardown(void **state)
{
    (void)state;
    ls_copies_release(&tool.api);
    return 0;
}

static const hsa_signal_t waits = {9};
static const hsa_agent_t two[2] = {{71}, {72}};
static const size_t sizes[2] = {100, 28};

static void one_by_one(void **state)
{
    (void)state;
    const struct ls_copy_op ops[3] = {
        {.type = LS_COPY_LINEAR, .done = {1}, .from_agent = {60}, .to_agent = {70}, .bytes = 4096},
        {.type = LS_COPY_LINEAR,
         .n_entries = 2,
         .done = {2},
         .from_agent = {60},
         .to_agents = two,
         .list_bytes = sizes},
        {.type = LS_COPY_BROADCAST,
         .n_entries = 2,
         .done = {3},
         .from_agent = {60},
         .to_agents = two,
         .bytes = 64},
    };
    value[1] = value[2] = value[3] = 1;
    assert_int_equal(hooked()(ops, 3, 1, &waits), HSA_STATUS_SUCCESS);
    assert_int_equal(n_seen, 3);
    assert_int_equal(begun, 5);
    for (unsigned i = 0; i < 3; i++) { /* all but the signal as it was */
        assert_true(seen[i].done.handle > 40 && value[seen[i].done.handle] == 1);
        struct ls_copy_op same = seen[i];
        same.done = ops[i].done;
        assert_memory_equal(&same, &ops[i], sizeof same);
    }
    assert_int_equal(n_over, 0);

    store(seen[1].done, 0); /* the list completes first */
    assert_true(value[2] == 0 && value[1] == 1 && value[3] == 1);
    assert_int_equal(n_over, 2);
    assert_true(over[0].bytes == 100 && over[0].from == 60 && over[0].to == 71);
    assert_true(over[1].bytes == 28 && over[1].from == 60 && over[1].to == 72);
    for (unsigned i = 0; i < 2; i++)
        assert_true(over[i].start == 1000 * seen[1].done.handle && over[i].end == over[i].start + 7);

    store(seen[0].done, 0);
    assert_true(value[1] == 0 && n_over == 3 && over[2].bytes == 4096 && over[2].to == 70);
    store(seen[2].done, -1); /* an error is passed on */
    assert_true(value[3] == -1 && n_over == 5 && over[3].bytes == 64 && over[4].bytes == 64 &&
                over[4].to == 72);
    assert_true(passed == 5 && ended == 5);
}

/* Without a signal nothing can be timed; of a type that we do not know we cannot read the fields. */
static void left_alone(void **state)
{
    (void)state;
    const struct ls_copy_op ops[2] = {{.type = LS_COPY_LINEAR, .bytes = 1}, {.type = 77, .done = {1}}};
    assert_int_equal(hooked()(ops, 2, 1, &waits), HSA_STATUS_SUCCESS);
    assert_memory_equal(seen, ops, sizeof ops);
    assert_int_equal(begun, 0);
}

static void refused(void **state)
{
    (void)state;
    const struct ls_copy_op op = {.type = LS_COPY_BROADCAST,
                                  .n_entries = 2,
                                  .done = {1},
                                  .from_agent = {60},
                                  .to_agents = two,
                                  .bytes = 64};
    value[1] = 1;
    answer = HSA_STATUS_ERROR_INVALID_ARGUMENT;
    assert_int_equal(hooked()(&op, 1, 1, &waits), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    assert_int_equal(value[1], 1);
    assert_true(n_over == 0 && begun == 2 && passed == 2 &&
                ended == 2); /* none is recorded, the end waits for none */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(one_by_one, setup, teardown),
                                       cmocka_unit_test_setup_teardown(left_alone, setup, teardown),
                                       cmocka_unit_test_setup_teardown(refused, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
