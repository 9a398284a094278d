/* waves.h - the wavefronts that the handler wave_timeline stored (docs/handlers/wave_timeline.md). */
#ifndef CLI_CONVERT_WAVES_H
#define CLI_CONVERT_WAVES_H

#include "trace.h"

struct wave {
    size_t launch;     /* of the part */
    int64_t start, ns; /* start: of CLOCK_BOOTTIME, as if the first one began with its dispatch */
    int64_t wave, xcc, engine, array, unit, simd, slot;
    char workgroup[64]; /* fit to be printed */
};

/* Those of one process. *waves is malloc'd; *lost counts rows that are no wavefronts, and those of dispatches
 * without times. 0, or EXIT_DATABASE after a message. */
int waves_of(const struct trace_part *part, struct wave **waves, size_t *n, size_t *lost);

#endif
