/* touched.h - the bytes that an access touches, as a set of 64-byte blocks. */
#ifndef HOST_HANDLERS_TOUCHED_H
#define HOST_HANDLERS_TOUCHED_H

#include <stdint.h>

enum { LS_BLOCK = 64, LS_TOUCHED_MAX = 128 };

struct ls_touched {
    unsigned n;
    struct {
        uint64_t number; /* address / LS_BLOCK */
        uint64_t bytes;  /* bit per byte */
    } block[LS_TOUCHED_MAX];
    uint8_t table[2 * LS_TOUCHED_MAX]; /* index + 1 into block[] */
};

/* Nothing is touched. */
void ls_touch_begin(struct ls_touched *t);
/* Adds 1 to 16 bytes per lane at addr[lane]; each lane once. */
void ls_touch(struct ls_touched *t, unsigned bytes, uint64_t exec, const uint64_t addr[64]);

#endif
