/* recording.h - small recordings, and files beside them, for tests; what fails ends the test. */
#ifndef RESULTS_TESTS_RECORDING_H
#define RESULTS_TESTS_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "results/writer/writer.h"

/* Makes, or replaces, a file of n bytes. */
void put(const char *path, const void *data, size_t n);
void put_text(const char *path, const char *text);
/* The file's content, malloc'd and with a zero behind it. */
char *get(const char *path, size_t *n);
/* Whether there is something of that name, be it a link to nothing. */
bool exists(const char *path);

extern enum ls_sources sources; /* of the next recording */
extern int64_t kernel, agent;   /* of the last one */

/* Begins one with an agent, a code object (1) and a kernel. */
struct ls_db *create(const char *path);
/* Of the code object: what sites belong to. */
int64_t add_module(struct ls_db *db);
/* Dispatches of the numbers [from, to); a text says why they were not observed. */
void add_dispatches(struct ls_db *db, uint64_t from, uint64_t to, const char *text);
/* The program ended normally. */
void finish(struct ls_db *db);
/* The recording is complete and sound, with dispatches 1 to `dispatches`. */
void expect_whole(const char *path, int64_t dispatches);

#endif
