/* test_lds_site.c - long accesses to LDS: what the closed forms say is what the pieces, one by one, come to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lanescope/sites.h"
#include "host-handlers/shared/lds_site.h"

static const unsigned kinds[] = {LS_SITE_LOAD, LS_SITE_STORE, LS_SITE_RMW};
static const char *const gpus[] = {"gfx90a", "gfx942", "gfx950", "gfx1100"};

static struct ls_lds_cost one_by_one(const struct ls_gpu *gpu, const struct lanescope_site *s, uint64_t exec,
                                     uint64_t bytes, const uint64_t addr[64])
{
    struct ls_lds_cost sum = {0};
    for (uint64_t done = 0, n; done < bytes; done += n) {
        n = ls_lds_piece(s, bytes, done);
        struct ls_lds_cost c = ls_lds_pass_cost(gpu, s, exec, (unsigned)n, (unsigned)done, addr);
        sum.index_cycles += c.index_cycles;
        sum.conflict_cycles += c.conflict_cycles;
        sum.address_conflict += c.address_conflict;
        sum.assumed_cycles += c.assumed_cycles;
    }
    return sum;
}

static void costs(void **state)
{
    (void)state;
    srand(1);
    for (unsigned i = 0; i < 4000; i++) {
        const struct ls_gpu *gpu = ls_gpu_with_lds(gpus[i % 4]);
        const struct lanescope_site s = {.kind = kinds[i / 4 % 3],
                                         .align = i / 12 % 2 ? 8 : 1u << i / 24 % 5};
        uint64_t addr[64], exec = (uint64_t)rand() << 33 ^ (uint64_t)rand() << 11 ^ (uint64_t)rand();
        unsigned bytes = i < 2000 ? i % 200 + 1 : (unsigned)rand() % 3000 + 1, unit = 1u << rand() % 6;
        for (unsigned lane = 0; lane < 64; lane++)
            addr[lane] = (uint64_t)(rand() % 4096) * unit;
        struct ls_lds_cost a = one_by_one(gpu, &s, exec, bytes, addr),
                           b = ls_lds_site_cost(gpu, &s, exec, bytes, addr);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

static void pieces(void **state)
{
    (void)state;
    for (unsigned align = 4; align <= 16; align *= 2)
        for (uint32_t bytes = 0; bytes < 100; bytes++) {
            const struct lanescope_site s = {.bytes = bytes, .align = (uint16_t)align};
            unsigned at[100] = {0};
            for (uint64_t done = 0; done < bytes; done += at[done])
                at[done] = ls_lds_piece(&s, bytes, done);
            for (unsigned offset = 0; offset < 120; offset++)
                for (unsigned n = 0; n <= 17; n++)
                    assert_int_equal(ls_lds_has_piece(&s, offset, n), n && offset < bytes && at[offset] == n);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(costs), cmocka_unit_test(pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
