/* found.h - the databases that the processes of one run wrote. */
#ifndef CLI_FOUND_H
#define CLI_FOUND_H

#include <stddef.h>
#include <time.h>

struct found {
    char **names;   /* finished, or left behind by dead processes; in order of name */
    char **live;    /* still being written: nobody opens them here */
    int *live_pids; /* of the processes that do */
    char **unread;  /* why finished ones cannot be read now; each names its file */
    size_t n, n_live, n_unread;
};

/* Those that processes told by way of the run's directory (NULL: none), and finished files that match the
 * output name (with %p and %h), carry this run's id and are not older than `since`. Files of other runs that
 * are still being written are not opened. */
struct found find_databases(const char *directory, const char *output, const char *run_id, time_t since);
void found_free(struct found *f);

#endif
