/* pftrace.h - what the two halves of the form pftrace share: which events there are, and what is said of them. */
#ifndef CLI_CONVERT_PFTRACE_H
#define CLI_CONVERT_PFTRACE_H

#include "lanes.h"
#include "trace.h"
#include "waves.h"

enum pftrace_kind { PF_DISPATCH, PF_COPY, PF_RANGE, PF_MARK, PF_WAVE, PF_LAUNCH, PF_COPY_LAUNCH };

/* One process while it is written. */
struct pftrace_part {
    struct perfetto *p;
    const struct trace_part *part;
    const char **regions; /* by launch */
    size_t *values;       /* by launch: the first of its values; one more for the end */
    struct wave *waves;
    size_t n_waves, lost_waves, untimed;
    uint64_t process;  /* its track */
    bool own;          /* no other process of the trace has its number, so tracks may tell it */
    uint64_t flows;    /* id of the arrow to its first dispatch; those to copies follow */
    int64_t beginning; /* first known time */
};

/* Begins the event of a slice, says all that is known of it, and closes the event. */
void pftrace_say(void *pftrace_part, const struct lanes_slice *s, uint64_t track);
/* The instant at the beginning of a process that tells what the recording is. */
void pftrace_say_recording(const struct pftrace_part *x);

#endif
