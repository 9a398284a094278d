/* watch.h - on a terminal, what a long run has observed so far. */
#ifndef CLI_RUN_WATCH_H
#define CLI_RUN_WATCH_H

#include <stdbool.h>

struct watch;

/* Prepares the line, before the program starts. NULL where there is none to be shown: stderr is no terminal that can
 * keep a line apart from what the program prints. `directory` is the run's, as long as the watch lives. */
struct watch *watch_begin(const char *directory);
/* Shows it: once the program has launched kernels for a while, and while it has the terminal. NULL: nothing. */
void watch_tick(struct watch *w);
/* Gives the terminal's last line back until the next tick, as when the program is stopped. NULL: nothing. */
void watch_give_back(struct watch *w);
/* Removes it, and gives the terminal's last line back. Frees w; NULL: nothing. */
void watch_end(struct watch *w);

enum { WATCH_INTERVAL_MS = 500 };

#endif
