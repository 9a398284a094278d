/*
 * gws.h - global wave sync: 64 counters of the GPU that wavefronts of any work-group wait on. HIP's grid
 * barrier (cooperative groups) is made of them.
 */
#ifndef SOFT_GPU_ISA_GWS_H
#define SOFT_GPU_ISA_GWS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { SG_GWS_RESOURCES = 64 };

struct sg_gws_resource {
    uint32_t counter;       /* barrier: arrivals still missing, minus one; semaphore: its value */
    _Atomic uint32_t phase; /* changes when all who wait now are released */
};

struct sg_gws {
    pthread_mutex_t lock;
    struct sg_gws_resource resource[SG_GWS_RESOURCES];
    _Atomic uint64_t epoch; /* number of releases of any barrier: who was blocked before one may not be now */
};

#endif
