/* markers.h - the program's own marks and ranges (roctx), for the record. */
#ifndef HSA_PLUGIN_MARKERS_H
#define HSA_PLUGIN_MARKERS_H

#include <stdint.h>

/* One mark (`kind` 0), pushed range (1) or started range (2). */
struct ls_marker {
    int kind;
    int64_t thread;
    uint64_t start, end; /* CLOCK_BOOTTIME; end 0: not ended */
    char *text;
};

/* Listens from now on. */
void ls_markers_start(void);
/* Listens no more; records the ranges that are still open. After the workers have stopped. */
void ls_markers_stop(void);
void ls_marker_free(struct ls_marker *m);

#endif
