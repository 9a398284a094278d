/*
 * expect.h - what an observer of the kernel work_stores (device/work.c) must see, computed on the host.
 */
#ifndef SELFTEST_EXPECT_H
#define SELFTEST_EXPECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Of work_stores, as the ABI lays them out. */
struct work_arguments {
    uint32_t *out;
    uint32_t items, stores, wrap;
};

/* {"accesses", "lanes", "sum", "waves"}: accesses of wavefronts, of lanes, the sum of all their addresses modulo 2^64
 * in hexadecimal, and how many wavefronts do them. `waves`: how many the launch has; each does all its stores. */
json_t *expect_stores(const struct work_arguments *a, uint32_t waves);
/* The sum of the addresses alone. */
uint64_t sum_of_addresses(const struct work_arguments *a);
/* Whether the kernel stored what it should. */
bool stores_are_right(const struct work_arguments *a);

#endif
