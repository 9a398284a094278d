/*
 * events.h - KFD events: what the host waits for and the GPU sets.
 *
 * Semantics of Linux drivers/gpu/drm/amd/amdkfd/kfd_events.c: setting an event wakes all who wait for it at
 * that moment; an auto-reset event stays set only if nobody waited. Unlike there, a thread that knows no ages is told of an event
 * that another one took.
 */
#ifndef SOFT_GPU_KFD_EVENTS_H
#define SOFT_GPU_KFD_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include "soft-gpu/kfd/abi.h"

struct events;

#define SIGNAL_EVENTS_MAX 4096u

struct events *events_create(void);
void events_destroy(struct events *e);
/* 0 and *id, or -ENOSPC when there are too many. Signal and debug events get ids below SIGNAL_EVENTS_MAX. */
int events_add(struct events *e, uint32_t type, bool auto_reset, uint32_t *id);
/* 0 or -EINVAL for an unknown id. Waiters of a removed event fail. */
int events_remove(struct events *e, uint32_t id);
int events_set(struct events *e, uint32_t id);
int events_reset(struct events *e, uint32_t id);
/* Stores the exception in every memory event and sets it. */
void events_memory_fault(struct events *e, const struct kfd_memory_exception *x);
/* timeout in ms, 0xffffffff for ever. 0 with *result (enum kfd_wait_result), or -EINVAL, -ENOMEM. */
int events_wait(struct events *e, struct kfd_event_data *data, uint32_t count, bool all, uint32_t timeout,
                uint32_t *result);

/* How often any event was set; and: sleeps until that is no longer `sets`, for at most `ms` milliseconds. For
 * a look at memory that changes before an event is set; takes nothing away from those who wait for it. */
uint64_t events_sets(struct events *e);
void events_watch(struct events *e, uint64_t sets, uint32_t ms);

#endif
