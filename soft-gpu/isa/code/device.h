/*
 * device.h - what micro-operations ask of the GPU that runs them.
 */
#ifndef SOFT_GPU_ISA_DEVICE_H
#define SOFT_GPU_ISA_DEVICE_H

#include "soft-gpu/isa/engine.h"

struct sg_device {
    const struct sg_engine_ops *ops; /* or NULL, as any function in it may be */
    void *user;
    struct sg_gws *gws; /* memory/gws.h */
};

/* s_sendmsg MSG_INTERRUPT: raises KFD event `event_id`. */
static inline void sg_device_raise_event(const struct sg_device *d, uint32_t event_id)
{
    if (d->ops && d->ops->raise_event)
        d->ops->raise_event(d->user, event_id);
}

#endif
