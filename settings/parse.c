/* parse.c - see parse.h. */
#include "parse.h"
#include "lanescope/quantity.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool ls_parse_number(const char *text, uint64_t *value)
{
    const char *rest = lanescope_digits(text, value);
    return rest && !*rest;
}

bool ls_parse_boolean(const char *text, bool *value)
{
    static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        *value = !strcasecmp(text, yes[i]);
        if (*value || !strcasecmp(text, no[i]))
            return true;
    }
    return false;
}

bool ls_parse_size(const char *text, uint64_t *value)
{
    const char *rest = lanescope_size(text, value);
    return rest && !*rest;
}

bool ls_parse_every(const char *text, uint64_t *n)
{
    return ls_parse_number(!strncmp(text, "1/", 2) ? text + 2 : text, n);
}

static const char *one_range(const char *s, struct ls_range *r)
{
    bool bracket = *s == '[';
    s = lanescope_digits(s + bracket, &r->first);
    r->last = s ? r->first : 0;
    if (s && *s == '-')
        s = lanescope_digits(s + 1, &r->last);
    if (!s || r->first < 1 || r->last < r->first || (bracket && *s++ != ']'))
        return NULL;
    return s;
}

bool ls_parse_ranges(const char *text, struct ls_range **ranges, size_t *n)
{
    size_t limit = 1;
    for (const char *s = text; *s; s++)
        limit += *s == ',';
    struct ls_range *list = calloc(limit, sizeof *list);
    size_t k = 0;
    const char *s = text;
    while (list && (s = one_range(s, &list[k])) != NULL) {
        k++;
        if (!*s) {
            *ranges = list;
            *n = k;
            return true;
        }
        if (*s++ != ',')
            break;
    }
    free(list);
    return false;
}

bool ls_in_ranges(const struct ls_range *ranges, size_t n, uint64_t number)
{
    for (size_t i = 0; i < n; i++)
        if (number >= ranges[i].first && number <= ranges[i].last)
            return true;
    return n == 0;
}

static const char *one_axis(const char *s, uint32_t *lo, uint32_t *hi)
{
    uint64_t v;
    *lo = 0;
    *hi = UINT32_MAX;
    if (*s >= '0' && *s <= '9') {
        s = lanescope_digits(s, &v);
        if (!s || v >= UINT32_MAX)
            return NULL;
        *lo = (uint32_t)v;
        if (*s != ':') {
            *hi = *lo + 1;
            return s;
        }
    }
    if (*s == ':' && *++s >= '0' && *s <= '9') {
        s = lanescope_digits(s, &v);
        if (!s || v > UINT32_MAX || v <= *lo)
            return NULL;
        *hi = (uint32_t)v;
    }
    return s;
}

bool ls_parse_blocks(const char *text, uint32_t lo[3], uint32_t hi[3])
{
    for (int i = 0; i < 3; i++) {
        lo[i] = 0;
        hi[i] = UINT32_MAX;
    }
    for (int i = 0; i < 3; i++) {
        text = one_axis(text, &lo[i], &hi[i]);
        if (!text)
            return false;
        if (!*text)
            return true;
        if (*text++ != ',')
            return false;
    }
    return false;
}

static bool find(const char *text, size_t length, const char *const *names, uint64_t *index)
{
    for (*index = 0; names[*index]; ++*index)
        if (strlen(names[*index]) == length && !strncmp(names[*index], text, length))
            return true;
    return false;
}

bool ls_parse_choice(const char *text, const char *const *names, uint64_t *index)
{
    return find(text, strlen(text), names, index);
}

bool ls_parse_set(const char *text, const char *const *names, uint64_t *bits)
{
    *bits = 0;
    for (;;) {
        size_t n = strcspn(text, ",");
        uint64_t index;
        if (!find(text, n, names, &index))
            return false;
        *bits |= 1ull << index;
        if (!text[n])
            return true;
        text += n + 1;
    }
}
