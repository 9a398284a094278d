/* figures.h - what a part measured, for the page and for `--compare`. */
#ifndef SELFTEST_FIGURES_H
#define SELFTEST_FIGURES_H

#include <jansson.h>
#include <stdint.h>

/* Adds {"name": ..., "value": ..., "unit": ...} to the "figures" of a part. Returns it, so that more can be added. */
json_t *add_figure(json_t *part, const char *name, double value, const char *unit);

/* What two reads of a clock by the GPU say about its rate, in MHz, where the host knows of each read only that it lies
 * between two moments (ns): the rate lies between *least and *most. */
struct clock_read {
    uint64_t ticks;
    uint64_t before, after; /* ns of the host */
};
void clock_rate(const struct clock_read *first, const struct clock_read *second, double *least, double *most);

/* A wavefront's times, as clocks_meet stores them (struct meeting of device/clocks.c). */
struct meeting {
    uint64_t met, die, ticks[2], cycles[2];
};
/* How many ticks the clocks of dies lie apart: all wavefronts go on when the last one has arrived, so the earliest time of
 * each die would be the same, but for what a look at memory takes. */
uint64_t ticks_apart(const struct meeting *m, unsigned n);
/* Cycles in a tick, of all wavefronts together; those whose counter turned over are left out. 0: none is left. */
double cycles_per_tick(const struct meeting *m, unsigned n);

#endif
