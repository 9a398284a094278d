/* progress.h - on a terminal, how far a long piece of work is: one line on stderr, which is gone when it is done. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stddef.h>

/* "lanescope: WHAT, 12 of 1000", when there are so many that it may take long. Call it before each; `what` is static. */
void progress(const char *what, size_t done, size_t total);
/* Removes the line; before anything else is written to the terminal. */
void progress_end(void);

#endif
