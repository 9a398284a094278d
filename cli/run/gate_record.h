/* gate_record.h - the new recording of `lanescope gate`, and the baseline that is made of one. */
#ifndef CLI_GATE_RECORD_H
#define CLI_GATE_RECORD_H

#include <stddef.h>
#include "cli/common/settings.h"

struct gate_recording {
    char *directory; /* a temporary one; NULL: the databases are the user's */
    char **names;    /* in order of name */
    size_t n;
    char *why; /* of a run that failed: "the run of ./app ended with exit code 7"; malloc'd, or NULL */
};

/* Runs the program as `lanescope run` with these settings does, and records into a temporary directory. 0, or
 * an exit code after a message; also when the program failed, as its numbers are those of another run then. */
int gate_record(struct gate_recording *r, const struct given *given, char *const *program);
/* Removes the temporary directory. */
void gate_recording_free(struct gate_recording *r);
/* Puts a copy of the recording at `baseline`, of several databases their merge, whole or not at all, in the place of a
 * recording or of nothing. 0, or an exit code after a message. */
int gate_write_baseline(const char *baseline, const struct gate_recording *r);

#endif
