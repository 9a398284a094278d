/* pager.h - long output on a terminal goes through a pager, as git's does. */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>

/* When standard output is a terminal that is not dumb: starts $PAGER (default: less, if it is installed; empty or "cat": none)
 * and makes standard output lead to it. LESS is FRX unless it is set: what fits the screen is just printed. */
void pager_start(void);
/* The descriptor of the terminal while a pager runs; -1: none does. */
int pager_terminal(void);
/* Ends what goes to the pager and waits for its user; true: there was one, so that nobody minds if it was
 * left before the end. Standard output is the terminal again. */
bool pager_end(void);

#endif
