/* still_running.h - processes of a run that outlive the program: daemons, what a shell left in the background. */
#ifndef CLI_STILL_RUNNING_H
#define CLI_STILL_RUNNING_H

#include "found.h"

/*
 * One line on stderr for the processes that carry this run's id in their environment, have no database in
 * `found` yet, and run still: their ids and names, and where what they record goes (`output`, with %p and %h).
 * Returns their number. Processes of other users and those that cleared their environment are not seen; the
 * latter record nothing.
 */
size_t say_still_running(const struct found *found, const char *run_id, const char *output);

#endif
