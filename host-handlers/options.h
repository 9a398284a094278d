/* options.h - options of the form "page=4096:rows=32" behind a handler's name. */
#ifndef HOST_HANDLERS_OPTIONS_H
#define HOST_HANDLERS_OPTIONS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lanescope/handler.h"

struct option_number {
    const char *name;
    uint64_t *value; /* holds the default */
    uint64_t least, most;
    bool power_of_two;
};

/* Reads `options` into the values of `list` (n of them). 0, or a negative errno after a message. */
static inline int parse_numbers(const struct lanescope_host *host, const char *handler, const char *options,
                                const struct option_number *list, size_t n)
{
    while (*options) {
        size_t length = strcspn(options, ":"), i = 0;
        const char *equals = memchr(options, '=', length);
        char *end = NULL;
        size_t name = equals ? (size_t)(equals - options) : length;
        while (i < n && (strlen(list[i].name) != name || strncmp(list[i].name, options, name)))
            i++;
        if (i == n) {
            host->log(host, 0, "%s: unknown option '%.*s'; docs/handlers/%s.md lists them", handler,
                      (int)length, options, handler);
            return -EINVAL;
        }
        uint64_t value = equals ? strtoull(equals + 1, &end, 0) : 0;
        if (!equals || end == equals + 1 || end != options + length || value < list[i].least ||
            value > list[i].most || (list[i].power_of_two && (value & (value - 1)))) {
            host->log(host, 0, "%s: '%.*s' is not accepted; %s is a %s from %llu to %llu", handler,
                      (int)length, options, list[i].name, list[i].power_of_two ? "power of two" : "number",
                      (unsigned long long)list[i].least, (unsigned long long)list[i].most);
            return -EINVAL;
        }
        *list[i].value = value;
        options += length + (options[length] == ':');
    }
    return 0;
}

#endif
