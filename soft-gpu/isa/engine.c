/*
 * engine.c - services of the engine object for handlers.
 */
#include <time.h>
#include "code.h"

void sg_engine_raise_event(struct sg_engine *e, uint32_t event_id)
{
    (void)e;
    (void)event_id;
}

uint64_t sg_engine_ticks(struct sg_engine *e)
{
    (void)e;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 100000000ull + (uint64_t)t.tv_nsec / 10;
}
