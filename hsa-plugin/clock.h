/* clock.h - the clock of recordings. */
#ifndef HSA_PLUGIN_CLOCK_H
#define HSA_PLUGIN_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_BOOTTIME, which is the clock of the runtime's times, too. */
static inline uint64_t ls_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
