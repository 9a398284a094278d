/*
 * lds.h - measures how LDS serves the lanes of a wavefront, one way of access after the other (lds_groups.h says what
 * is made of the times).
 */
#ifndef SELFTEST_LDS_H
#define SELFTEST_LDS_H

#include "gpu.h"
#include "lds_groups.h"

enum { LDS_OPERATIONS = 256 }; /* OPERATIONS of device/lds.c */

/* A way to access LDS. */
struct lds_way {
    const char *name; /* of the kernel behind "lds_", and of the row: "read_b128" */
    const char *what; /* "read", "write", "atomic" */
    uint8_t bytes;    /* of a lane and a pass */
    bool writes;
    bool first_of_two; /* read2: a second pass follows in the same phases */
};
extern const struct lds_way lds_ways[];
extern const unsigned n_lds_ways;

/* What is asked of a GPU: addresses of all lanes in each of n rounds, NO_LDS_ADDRESS for those that take no part;
 * cycles[round] gets the fewest cycles of LDS_OPERATIONS instructions. 0, or not with a problem told elsewhere. */
#define NO_LDS_ADDRESS 0xffffffffu
typedef int lds_clock(void *who, const struct lds_way *way, const uint32_t *rounds, unsigned n,
                      uint64_t *cycles);

struct lds_found {
    struct lds_groups groups;
    bool others_read; /* the other lanes read one word meanwhile; else they were switched off */
    unsigned banks;   /* 0: not found */
};

/* Measures one way on a wavefront of `lanes`. 0, or what the clock returned. */
int lds_measure(lds_clock *clock, void *who, unsigned lanes, const struct lds_way *way,
                struct lds_found *out);

#endif
