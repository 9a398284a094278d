/* address_log_format.h - the forms in which address_log writes accesses. */
#ifndef HOST_HANDLERS_ADDRESS_LOG_FORMAT_H
#define HOST_HANDLERS_ADDRESS_LOG_FORMAT_H

#include <stdbool.h>
#include <stdio.h>

#include "lanescope/handler.h"

struct address_log_format {
    const char *name, *suffix;
    const char *mark;      /* how its files begin */
    void (*head)(FILE *f); /* NULL: nothing */
    /* Before the dispatch's first access; NULL: nothing. */
    void (*dispatch)(FILE *f, const struct lanescope_dispatch *d);
    /* first: the first access of its site that this state of the dispatch writes. False: out of memory, it is not
     * written. What the file does not take, ferror tells. */
    bool (*access)(FILE *f, const struct lanescope_dispatch *d, const struct lanescope_access *a, bool first);
};

extern const struct address_log_format address_log_csv, address_log_json, address_log_binary;

/* Where the site is in the source; empty names without debug information. */
struct lanescope_frame address_log_place(const struct lanescope_site *s);

#endif
