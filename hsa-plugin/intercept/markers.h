/* markers.h - the program's own marks and ranges (roctx), for the record. */
#ifndef HSA_PLUGIN_MARKERS_H
#define HSA_PLUGIN_MARKERS_H

#include <stdbool.h>

/* Listens from now on. selected: nothing is observed until the program calls roctxProfilerResume. */
void ls_markers_start(bool selected);
/* Listens no more; records the ranges that are still open. After the workers have stopped. */
void ls_markers_stop(void);

#endif
