/*
 * options.h - options of the form "page=4096:rows=32" behind a handler's name. In a handler's open:
 *
 *     uint64_t rows = 8;
 *     const struct lanescope_option list[] = {{"rows", &rows, 1, 64, false}};
 *     int rc = lanescope_parse_options(host, "my_handler", options, list, 1);
 *
 * Numbers are as in settings: "4096", "4k".
 */
#ifndef LANESCOPE_SDK_OPTIONS_H
#define LANESCOPE_SDK_OPTIONS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lanescope/handler.h"
#include "lanescope/quantity.h"

struct lanescope_option {
    const char *name;
    uint64_t *value; /* holds the default */
    uint64_t least, most;
    bool power_of_two; /* nothing else is accepted */
};

/* Reads `options` into the values of `list` (n of them); a value that is not named keeps its default. 0, or
 * -EINVAL after an error in the log that names the handler, the option and what is accepted. */
static inline int lanescope_parse_options(const struct lanescope_host *host, const char *handler,
                                          const char *options, const struct lanescope_option *list, size_t n)
{
    while (*options) {
        size_t length = strcspn(options, ":"), i = 0;
        const char *equals = (const char *)memchr(options, '=', length);
        const char *end = NULL;
        size_t name = equals ? (size_t)(equals - options) : length;
        while (i < n && (strlen(list[i].name) != name || strncmp(list[i].name, options, name)))
            i++;
        if (i == n) {
            host->log(host, LANESCOPE_LOG_ERROR, "%s: unknown option '%.*s'; docs/handlers/%s.md lists them",
                      handler, (int)length, options, handler);
            return -EINVAL;
        }
        uint64_t value = 0;
        if (equals)
            end = lanescope_size(equals + 1, &value);
        if (!end || end != options + length || value < list[i].least || value > list[i].most ||
            (list[i].power_of_two && (value & (value - 1)))) {
            host->log(host, LANESCOPE_LOG_ERROR, "%s: '%.*s' is not accepted; %s is a %s from %llu to %llu",
                      handler, (int)length, options, list[i].name,
                      list[i].power_of_two ? "power of two" : "number", (unsigned long long)list[i].least,
                      (unsigned long long)list[i].most);
            return -EINVAL;
        }
        *list[i].value = value;
        options += length + (options[length] == ':');
    }
    return 0;
}

/*
 * A handler's open when it takes no options: makes a handler of `size` bytes, all zero, which `describe` fills and
 * registers the numbers of (0, or an error as open returns it). The handler's close frees it with free().
 */
static inline int lanescope_open_plain(const struct lanescope_host *host, const char *handler,
                                       const char *options, size_t size,
                                       int (*describe)(void *self, const struct lanescope_host *host),
                                       void **out)
{
    int rc = lanescope_parse_options(host, handler, options, NULL, 0);
    void *self = rc ? NULL : calloc(1, size);
    if (!self)
        return rc ? rc : -ENOMEM;
    rc = describe(self, host);
    if (rc)
        free(self);
    else
        *out = self;
    return rc;
}

#endif
