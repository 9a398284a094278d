/* found.h - the databases that the processes of one run wrote. */
#ifndef CLI_FOUND_H
#define CLI_FOUND_H

#include <stddef.h>
#include <time.h>

/* Files that match the output name (with %p and %h), carry this run's id and are not older than `since`, in
 * order of name; partial ones of dead processes too. malloc'd array of malloc'd names. */
char **find_databases(const char *output, const char *run_id, time_t since, size_t *n);
void free_names(char **names, size_t n);

#endif
