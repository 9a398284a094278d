#include "expect.h"

/* The address of store k of work-item i is out + 4 * ((k % wrap) * items + i). */
uint64_t sum_of_addresses(const struct work_arguments *a)
{
    uint64_t rows = 0, items = (uint64_t)a->items * (a->items - 1) / 2;
    for (uint32_t k = 0; k < a->stores; k++)
        rows += k % a->wrap;
    return (uint64_t)(uintptr_t)a->out * a->items * a->stores +
           4 * (rows * a->items * a->items + items * a->stores);
}

json_t *expect_stores(const struct work_arguments *a, uint32_t waves)
{
    return json_pack("{s:I, s:I, s:o, s:i}", "accesses", (json_int_t)waves * a->stores, "lanes",
                     (json_int_t)a->items * a->stores, "sum",
                     json_sprintf("%016llx", (unsigned long long)sum_of_addresses(a)), "waves", (int)waves);
}

/* The last k that fell on a row stays there. */
bool stores_are_right(const struct work_arguments *a)
{
    for (uint32_t row = 0; row < a->wrap; row++) {
        uint32_t last = a->stores <= row ? ~0u : row + (a->stores - 1 - row) / a->wrap * a->wrap;
        for (uint32_t i = 0; i < a->items; i++)
            if (a->out[(uint64_t)row * a->items + i] != last)
                return false;
    }
    return true;
}
