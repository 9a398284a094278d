/* in.h - names in a test's own directory, which its main makes and removes. */
#ifndef RESULTS_TESTS_IN_H
#define RESULTS_TESTS_IN_H

#include <stdio.h>

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

#endif
