/*
 * summary.h - accesses that are counted in memory instead of sent (struct ls_summary in lanescope/wire.h).
 */
#ifndef LS_SUMMARY_H
#define LS_SUMMARY_H

#include "device.h"

/* An access in summary mode: counts it by its shape, or else goes on as __ls_reduce. */
PROBE(__ls_count);
/* Counts an access by what it costs, or else goes on as __ls_send. Nothing if `head` is 0. */
PROBE(__ls_reduce);

/* The end of a wavefront in summary mode; the dispatch's last one sends the counts. */
PROBE(__ls_end_summary);

#endif
