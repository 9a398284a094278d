/*
 * sample.h - a recording made by hand, for tests of the reader and of the reports. Every number that the
 * reports have to show is worked out in sample.c.
 */
#ifndef RESULTS_TESTS_SAMPLE_H
#define RESULTS_TESTS_SAMPLE_H

#include "results/writer/writer.h"

/* Its two dispatches have the same values: whether these are stored once, and not for each. */
extern bool sample_shares;

/* Writes source file `source` and fills `db`; does not finish it. */
void sample_fill(struct ls_db *db, const char *source);
/* Creates, fills and finishes (or leaves unfinished: `kill_` true) a database. 0 or -1 after a message. */
int sample_write(const char *path, const char *source, int64_t pid, bool kill_);

#endif
