/*
 * harness.h - runs one handler module on accesses written by hand, through its public interface only, and
 * keeps what it reports.
 */
#ifndef HOST_HANDLERS_TESTS_HARNESS_H
#define HOST_HANDLERS_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lanescope/handler.h"
#include "lanescope/sites.h"
#include "host-handlers/pipeline/modules.h"

enum { HARNESS_MAX = 512 };

struct harness {
    struct lanescope_host host;
    struct ls_module *module;
    const struct lanescope_handler *handler;
    void *self, *state;
    char *metric[64];
    unsigned n_metrics;
    struct {
        uint32_t site, metric;
        int64_t value;
    } value[HARNESS_MAX];
    unsigned n_values;
    struct {
        char *table, *json;
        uint32_t site;
    } row[HARNESS_MAX];
    unsigned n_rows;
    unsigned errors; /* messages of level 0 */
};

/* Initialisers of a dispatch of kernel "k" on gfx90a with the array `sites_`; further ones may follow. */
#define HARNESS_DISPATCH(sites_)                                                                             \
    .size = sizeof(struct lanescope_dispatch), .id = 1, .kernel = "k", .mangled = "k", .arch = "gfx90a",     \
    .lanes = 64, .n_sites = sizeof(sites_) / sizeof *(sites_), .sites = (sites_)

extern const char *harness_directory; /* of the modules: argv[1] of the test */

/* Opens a module; the result of its open. Close with harness_close in any case. */
int harness_open(struct harness *h, const char *spec);
void harness_begin(struct harness *h, const struct lanescope_dispatch *d);
/* One access of wavefront `wave` of work-group (workgroup, 0, 0). */
void harness_strided(struct harness *h, uint32_t site, uint32_t workgroup, uint32_t wave, uint64_t exec,
                     uint64_t base, int64_t stride, uint64_t bytes);
void harness_lanes(struct harness *h, uint32_t site, uint32_t workgroup, uint32_t wave, uint64_t exec,
                   const uint64_t addr[64], uint64_t bytes);
/* One event; e->wave may be set. */
void harness_event(struct harness *h, const struct lanescope_event *e);
void harness_end(struct harness *h);
void harness_close(struct harness *h);

/* Value of a metric at a site; INT64_MIN when there is none. */
int64_t harness_value(const struct harness *h, uint32_t site, const char *metric);
/* The n-th row of a table at a site, NULL when there is none. */
const char *harness_row(const struct harness *h, const char *table, uint32_t site, unsigned n);

#endif
