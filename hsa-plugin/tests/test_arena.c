/* Our memory beside the program's: pieces, guards, and what the runtime is asked for. The runtime is played
 * here. */
#include "tests/check.h"
#include "hsa-plugin/transport/arena.h"

enum { BLOCKS = 16, ROCR_BLOCK = 2 << 20 }; /* BlockAllocator::block_size_ in ROCr's amd_memory_region.h */

static struct {
    char *memory;
    size_t bytes;
} live[BLOCKS];
static unsigned n_live, allowed;
static hsa_status_t memory_answer, access_answer;

static hsa_status_t allocate(hsa_amd_memory_pool_t pool, size_t bytes, uint32_t flags, void **out)
{
    assert_int_equal(pool.handle, 5);
    assert_int_equal(flags, 0);
    if (memory_answer != HSA_STATUS_SUCCESS)
        return memory_answer;
    assert_true(n_live < BLOCKS);
    live[n_live].memory = aligned_alloc(LS_ARENA_PAGE, bytes);
    live[n_live].bytes = bytes;
    *out = live[n_live++].memory;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t release(void *p)
{
    for (unsigned i = 0; i < n_live; i++)
        if (live[i].memory == p) {
            free(p);
            live[i] = live[--n_live];
            return HSA_STATUS_SUCCESS;
        }
    fail_msg("%p was not allocated", p);
    return HSA_STATUS_ERROR;
}

static hsa_status_t allow(uint32_t n, const hsa_agent_t *agents, const uint32_t *flags, const void *p)
{
    (void)flags, (void)p;
    assert_int_equal(n, 1);
    assert_int_equal(agents->handle, 7);
    allowed++;
    return access_answer;
}

static const struct ls_api api = {.amd = {.memory_pool_allocate = allocate, .memory_pool_free = release},
                                  .amd_tail = {.agents_allow_access = allow}};

static struct ls_arena fresh(bool shared)
{
    struct ls_arena a;
    ls_arena_init(&a, (hsa_amd_memory_pool_t){5}, (hsa_agent_t){7}, shared);
    allowed = 0;
    memory_answer = access_answer = HSA_STATUS_SUCCESS;
    return a;
}

/* All of the piece lies in one block, a guard away from its ends, and ROCr shares that block with nobody. */
static void is_guarded(const char *piece, size_t bytes)
{
    for (unsigned i = 0; i < n_live; i++)
        if (piece >= live[i].memory && piece < live[i].memory + live[i].bytes) {
            assert_true(piece - live[i].memory >= LS_ARENA_GUARD);
            assert_true(live[i].memory + live[i].bytes - (piece + bytes) >= LS_ARENA_GUARD);
            assert_true(live[i].bytes > ROCR_BLOCK);
            return;
        }
    fail_msg("a piece of no block");
}

static void pieces_are_guarded_and_distinct(void **state)
{
    (void)state;
    static const size_t sizes[] = {1,       4096,          4097,    1 << 20, (2 << 20) - 4096,
                                   2 << 20, (2 << 20) + 1, 12 << 20};
    enum { N = sizeof sizes / sizeof sizes[0] };
    struct ls_arena a = fresh(false);
    unsigned char *p[N];
    for (unsigned i = 0; i < N; i++) {
        p[i] = ls_arena_get(&api, &a, sizes[i]);
        assert_non_null(p[i]);
        assert_int_equal((uintptr_t)p[i] % LS_ARENA_PAGE, 0);
        is_guarded((char *)p[i], sizes[i]);
        memset(p[i], (int)i, sizes[i]);
    }
    for (unsigned i = 0; i < N; i++)
        for (size_t k = 0; k < sizes[i]; k++)
            if (p[i][k] != i)
                fail_msg("piece %u lost byte %zu", i, k);
    for (unsigned i = 0; i < N; i++)
        ls_arena_put(&api, &a, p[i]);
    assert_int_equal(n_live, 0);
    assert_null(a.blocks);
    assert_int_equal(allowed, 0);
}

/* 512 pages make a block; what was given back in its middle is used before a new block is. */
static void pages_are_used_again(void **state)
{
    (void)state;
    enum { PAGES = LS_ARENA_SHARED / LS_ARENA_PAGE };
    struct ls_arena a = fresh(false);
    char *p[PAGES];
    for (unsigned i = 0; i < PAGES; i++)
        p[i] = ls_arena_get(&api, &a, LS_ARENA_PAGE);
    assert_int_equal(n_live, 1);
    ls_arena_put(&api, &a, p[100]);
    ls_arena_put(&api, &a, p[102]);
    char *two = ls_arena_get(&api, &a, 2 * LS_ARENA_PAGE); /* 100 and 102 do not touch */
    assert_int_equal(n_live, 2);
    ls_arena_put(&api, &a, p[101]);
    char *three = ls_arena_get(&api, &a, 3 * LS_ARENA_PAGE); /* now 100 to 102 do */
    assert_int_equal(n_live, 2);
    assert_true(three == p[100] || three == two + 2 * LS_ARENA_PAGE);
    ls_arena_put(&api, &a, three);
    ls_arena_put(&api, &a, two);
    for (unsigned i = 0; i < PAGES; i++)
        if (i < 100 || i > 102)
            ls_arena_put(&api, &a, p[i]);
    assert_int_equal(n_live, 0);
}

static void failures(void **state)
{
    (void)state;
    struct ls_arena a = fresh(true);
    ls_arena_put(&api, &a, NULL);
    assert_null(ls_arena_get(&api, &a, 0));
    assert_null(ls_arena_get(&api, &a, UINT64_MAX));
    memory_answer = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    assert_null(ls_arena_get(&api, &a, 64));
    assert_null(ls_arena_get(&api, &a, 64 << 20));
    memory_answer = HSA_STATUS_SUCCESS;
    access_answer = HSA_STATUS_ERROR;
    assert_null(ls_arena_get(&api, &a, 64));
    assert_int_equal(n_live, 0);
    access_answer = HSA_STATUS_SUCCESS;
    void *p = ls_arena_get(&api, &a, 64);
    assert_non_null(p);
    assert_int_equal(allowed, 2); /* once in vain; once for the block, not for each piece */
    void *q = ls_arena_get(&api, &a, 64);
    assert_int_equal(allowed, 2);
    ls_arena_put(&api, &a, p);
    ls_arena_put(&api, &a, q);
    assert_int_equal(n_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_are_guarded_and_distinct),
                                       cmocka_unit_test(pages_are_used_again), cmocka_unit_test(failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
