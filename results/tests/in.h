/* in.h - a test's own directory, and names in it. */
#ifndef RESULTS_TESTS_IN_H
#define RESULTS_TESTS_IN_H

#include "common/temporary.h"

#include <stdio.h>
#include <stdlib.h>

static char directory[] = "/tmp/lanescope-results-XXXXXX"; /* for mkdtemp */

/* Path in the test's directory; static storage, eight at a time. */
static const char *in(const char *name)
{
    static char paths[8][256];
    static unsigned next;
    char *p = paths[next++ % 8];
    snprintf(p, 256, "%s/%s", directory, name);
    return p;
}

/* For cmocka_run_group_tests. */
static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    ls_remove_folder(directory);
    return 0;
}

#endif
