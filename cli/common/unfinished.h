/* unfinished.h - files that are being written: an interrupt leaves none of them behind. */
#ifndef CLI_UNFINISHED_H
#define CLI_UNFINISHED_H

#include <signal.h>

/* Holds interrupts back before a file is made, so that none is there without being known. */
void unfinished_hold(sigset_t *before);
/* From here on an interrupt removes `path`, a file or an empty folder; what came last goes first. NULL: nothing was made. Lets
 * interrupts through again. */
void unfinished_add(const char *path, const sigset_t *before);
/* It is complete, or removed. Those that were added last are found first. */
void unfinished_end(const char *path);

#endif
