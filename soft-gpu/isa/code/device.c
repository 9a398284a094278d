/*
 * device.c - the clock of the GPU.
 */
#include <time.h>
#include "device.h"

uint64_t sg_device_ticks(const struct sg_device *d)
{
    if (d && d->ops && d->ops->gpu_ticks)
        return d->ops->gpu_ticks(d->user);
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 100000000ull + (uint64_t)t.tv_nsec / 10;
}
