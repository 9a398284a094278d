/* Device memory zeroed and filled while the copy engine is quick, refuses, or does not get on. The runtime is played here. */
#include "tests/check.h"
#include "hsa-plugin/transport/copier.h"

enum { MIB = 1 << 20, COPIES = 8 };

static hsa_signal_value_t signal_value;
static unsigned copies, refuse_from, n_given_back;
static size_t copied[COPIES];
static bool slow; /* copies stay under way */
static void *given_back;

static hsa_status_t allocate(hsa_amd_memory_pool_t pool, size_t bytes, uint32_t flags, void **out)
{
    (void)pool, (void)flags;
    *out = aligned_alloc(LS_ARENA_PAGE, bytes);
    memset(*out, 0xee, bytes);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t release(void *p)
{
    given_back = p;
    n_given_back++;
    free(p);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t allow(uint32_t n, const hsa_agent_t *agents, const uint32_t *flags, const void *p)
{
    (void)n, (void)agents, (void)flags, (void)p;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t create(hsa_signal_value_t value, uint32_t n, const hsa_agent_t *agents,
                           uint64_t attributes, hsa_signal_t *out)
{
    (void)n, (void)agents, (void)attributes;
    signal_value = value;
    out->handle = 9;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t destroy(hsa_signal_t s)
{
    assert_int_equal(s.handle, 9);
    return HSA_STATUS_SUCCESS;
}

static hsa_signal_value_t load(hsa_signal_t s)
{
    assert_int_equal(s.handle, 9);
    return signal_value;
}

static void store(hsa_signal_t s, hsa_signal_value_t value)
{
    assert_int_equal(s.handle, 9);
    signal_value = value;
}

static void subtract(hsa_signal_t s, hsa_signal_value_t value)
{
    assert_int_equal(s.handle, 9);
    signal_value -= value;
}

static hsa_status_t copy(void *to, hsa_agent_t to_agent, const void *from, hsa_agent_t from_agent,
                         size_t bytes, uint32_t n, const hsa_signal_t *waits, hsa_signal_t done)
{
    (void)n, (void)waits;
    assert_int_equal(to_agent.handle, 7);
    assert_int_equal(from_agent.handle, 3);
    if (copies == refuse_from)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    copied[copies++] = bytes;
    memcpy(to, from, bytes);
    if (!slow)
        subtract(done, 1);
    return HSA_STATUS_SUCCESS;
}

static const struct ls_api api = {
    .core = {.signal_load_scacquire = load,
             .signal_store_relaxed = store,
             .signal_subtract_screlease = subtract,
             .signal_destroy = destroy},
    .amd = {.memory_pool_allocate = allocate, .memory_pool_free = release, .memory_async_copy = copy},
    .amd_tail = {.agents_allow_access = allow, .signal_create = create}};

static struct ls_arena host, device;
static struct ls_copier copier;

static int begin(void **state)
{
    (void)state;
    ls_arena_init(&host, (hsa_amd_memory_pool_t){5}, (hsa_agent_t){7}, true);
    ls_arena_init(&device, (hsa_amd_memory_pool_t){6}, (hsa_agent_t){7}, false);
    ls_copier_init(&copier, (hsa_agent_t){7}, (hsa_agent_t){3}, &host, &device);
    copies = n_given_back = 0;
    refuse_from = COPIES;
    slow = false;
    return 0;
}

/* A piece with a block of its own, as it has more than 2 MiB. */
static char *large(void)
{
    return ls_arena_get(&api, &device, 3 * MIB);
}

static void quick(void **state)
{
    char *p = large();
    (void)state;
    assert_true(ls_copier_zero(&api, &copier, p, 2 * MIB + 64, true));
    assert_int_equal(copies, 3);
    assert_int_equal(copied[0], MIB);
    assert_int_equal(copied[2], 64);
    for (size_t i = 0; i < 2 * MIB + 64; i++)
        assert_int_equal(p[i], 0);
    assert_int_equal((unsigned char)p[2 * MIB + 64], 0xee);
    assert_int_equal(signal_value, 0);
    ls_arena_put(&api, &device, p);
    ls_copier_release(&api, &copier);
    assert_int_equal(n_given_back, 2);
}

/* The runtime takes one of three copies: the piece is given back when that one is done. */
static void refused(void **state)
{
    char *p = large();
    (void)state;
    refuse_from = 1;
    assert_false(ls_copier_zero(&api, &copier, p, 3 * MIB, true));
    assert_int_equal(signal_value, 0);
    assert_int_equal(n_given_back, 1);
    assert_ptr_equal(given_back, p - LS_ARENA_GUARD);
    ls_copier_release(&api, &copier);
}

/* Nobody waits for ever; nothing is given back that may still be written, and nobody waits a second time. */
static void late(void **state)
{
    char *p = large(), *q = large();
    (void)state;
    slow = true;
    assert_false(ls_copier_zero(&api, &copier, p, 3 * MIB, true));
    assert_int_equal(n_given_back, 0);
    assert_int_equal(copies, 3);
    assert_false(ls_copier_zero(&api, &copier, q, MIB, true)); /* q is no piece any more */
    assert_int_equal(copies, 3);
    assert_int_equal(n_given_back, 1);
    assert_ptr_equal(given_back, q - LS_ARENA_GUARD);
    ls_copier_release(&api, &copier); /* the copy engine still reads the zeros */
    assert_int_equal(n_given_back, 1);
    slow = false;
    signal_value = 0;
    q = large();
    assert_true(ls_copier_zero(&api, &copier, q, MIB, true));
    assert_int_equal(n_given_back, 2);
    assert_ptr_equal(given_back, p - LS_ARENA_GUARD);
    ls_arena_put(&api, &device, q);
    ls_copier_release(&api, &copier);
    assert_int_equal(n_given_back, 4);
}

/* The bytes come whole, by one copy out of memory of the host that is given back. */
static void placed(void **state)
{
    char *data = malloc(3 * MIB + 5);
    (void)state;
    for (size_t i = 0; i < 3 * MIB + 5; i++)
        data[i] = (char)(i * 7);
    char *p = ls_copier_place(&api, &copier, data, 3 * MIB + 5);
    assert_non_null(p);
    assert_int_equal(copies, 1);
    assert_int_equal(copied[0], 3 * MIB + 5);
    assert_memory_equal(p, data, 3 * MIB + 5);
    assert_int_equal(n_given_back, 1);
    ls_arena_put(&api, &device, p);
    assert_int_equal(n_given_back, 2);
    ls_copier_release(&api, &copier);
    free(data);
}

/* Refused: both pieces are given back. Late: neither is before the copy is done, then both are. */
static void not_placed(void **state)
{
    char *data = calloc(1, 3 * MIB);
    (void)state;
    refuse_from = 0;
    assert_null(ls_copier_place(&api, &copier, data, 3 * MIB));
    assert_int_equal(n_given_back, 2);
    refuse_from = COPIES;
    slow = true;
    assert_null(ls_copier_place(&api, &copier, data, 3 * MIB));
    assert_int_equal(n_given_back, 2);
    assert_null(ls_copier_place(&api, &copier, data, 3 * MIB)); /* nobody waits a second time */
    assert_int_equal(copies, 1);
    assert_int_equal(n_given_back, 4);
    slow = false;
    signal_value = 0;
    ls_copier_release(&api, &copier);
    assert_int_equal(n_given_back, 6);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(quick, begin), cmocka_unit_test_setup(refused, begin),
        cmocka_unit_test_setup(late, begin), cmocka_unit_test_setup(placed, begin),
        cmocka_unit_test_setup(not_placed, begin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
