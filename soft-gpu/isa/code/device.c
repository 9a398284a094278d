/*
 * device.c - the clock of the GPU.
 */
#include <time.h>
#include "lanescope/realtime.h"
#include "soft-gpu/isa/engine.h"

uint64_t sg_ticks(void)
{
    enum { IN_A_SECOND = LS_REALTIME_MHZ * 1000000 };
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * IN_A_SECOND + (uint64_t)t.tv_nsec / LS_REALTIME_NS;
}
