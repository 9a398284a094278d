/* ask.h - a number out of a database, for tests. */
#ifndef RESULTS_TESTS_ASK_H
#define RESULTS_TESTS_ASK_H

#include <stdint.h>

/* The one number that a query gives; -1: it gives none.
 * The test fails when the file is no database of ours. */
int64_t ask(const char *path, const char *query);

#endif
