/*
 * What values settings accept. The tool library and the software GPU check again what they get; here the user
 * learns of a mistake before the program starts.
 */
#include "checks.h"
#include "error_text.h"
#include "lanescope/defaults.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Decimal digits; moves *s behind them. */
static bool digits(const char **s, uint64_t *out)
{
    if (!isdigit((unsigned char)**s))
        return false;
    for (*out = 0; isdigit((unsigned char)**s); ++*s)
        if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, (uint64_t)(**s - '0'), out))
            return false;
    return true;
}

static void replace(char **value, char *text)
{
    free(*value);
    *value = text;
}

static bool whole_number(const char *text, uint64_t least, uint64_t most)
{
    uint64_t n;
    return digits(&text, &n) && !*text && n >= least && n <= most;
}

const char *check_gpu(const char *text, char **value)
{
    static const char wanted[] =
        "auto, hw, soft, soft:gfx90a, soft:gfx942 or soft:gfx950 (x2 to x8 behind it for "
        "several GPUs)";
    static const char *const archs[] = {"gfx90a", "gfx942", "gfx950"};
    if (!strcmp(text, "auto") || !strcmp(text, "hw"))
        return NULL;
    if (!strcmp(text, "soft")) {
        replace(value, strdup("soft:gfx90a"));
        return NULL;
    }
    if (strncmp(text, "soft:", 5))
        return wanted;
    for (size_t i = 0; i < sizeof(archs) / sizeof(*archs); i++) {
        if (strncmp(text + 5, archs[i], strlen(archs[i])))
            continue;
        const char *rest = text + 5 + strlen(archs[i]);
        if (!*rest || (*rest == 'x' && whole_number(rest + 1, 1, 8)))
            return NULL;
    }
    return wanted;
}

const char *check_boolean(const char *text, char **value)
{
    static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < 4; i++) {
        if (strcasecmp(text, yes[i]) && strcasecmp(text, no[i]))
            continue;
        replace(value, strdup(strcasecmp(text, yes[i]) ? "false" : "true"));
        return NULL;
    }
    return "true or false";
}

const char *check_regex(const char *text, char **value)
{
    static char wanted[256];
    regex_t re;
    (void)value;
    int rc = regcomp(&re, text, REG_EXTENDED | REG_NOSUB);
    if (!rc) {
        regfree(&re);
        return NULL;
    }
    char why[128];
    regerror(rc, &re, why, sizeof(why));
    strcpy(wanted, "a POSIX extended regular expression (");
    strncat(wanted, why, sizeof(wanted) - 64);
    strcat(wanted, ")");
    return wanted;
}

const char *check_ranges(const char *text, char **value)
{
    static const char wanted[] =
        "ranges of dispatches of a kernel, counted from 1: [1-2],[5-8] or 3 or 1-2,5";
    (void)value;
    for (;;) {
        uint64_t first, last;
        bool bracket = *text == '[';
        text += bracket;
        if (!digits(&text, &first) || first < 1)
            return wanted;
        last = first;
        if (*text == '-' && (++text, !digits(&text, &last)))
            return wanted;
        if (last < first || (bracket && *text++ != ']'))
            return wanted;
        if (!*text)
            return NULL;
        if (*text++ != ',')
            return wanted;
    }
}

const char *check_sample(const char *text, char **value)
{
    const char *number = !strncmp(text, "1/", 2) ? text + 2 : text;
    if (!whole_number(number, 1, UINT32_MAX))
        return "1/N: every N-th wavefront reports";
    replace(value, strdup(number));
    return NULL;
}

const char *check_blocks(const char *text, char **value)
{
    static const char wanted[] =
        "work-groups as x0:x1,y0:y1,z0:z1 (upper bounds excluded, N for N:N+1, empty for "
        "no limit)";
    (void)value;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t lo = 0, hi;
        if (isdigit((unsigned char)*text) && (!digits(&text, &lo) || lo >= UINT32_MAX))
            return wanted;
        if (*text == ':' && isdigit((unsigned char)*++text) &&
            (!digits(&text, &hi) || hi > UINT32_MAX || hi <= lo))
            return wanted;
        if (!*text)
            return NULL;
        if (*text++ != ',')
            return wanted;
    }
    return wanted;
}

/* Bytes with K, M or G; normal form: plain bytes. */
static bool size(const char *text, uint64_t *out)
{
    static const char suffix[] = "KMG";
    const char *k;
    if (!digits(&text, out))
        return false;
    if (*text && (k = strchr(suffix, toupper((unsigned char)*text)))) {
        unsigned shift = 10 * (unsigned)(k - suffix + 1);
        if (*out > UINT64_MAX >> shift)
            return false;
        *out <<= shift;
        text++;
    }
    return !*text;
}

const char *check_ring(const char *text, char **value)
{
    uint64_t n;
    if (!*text)
        return NULL;
    if (!size(text, &n) || n < 1024 || n > (uint64_t)64 << 30) /* one chunk of the smallest size is enough */
        return "a size from 1K to 64G, as 64M";
    replace(value, ls_text("%llu", (unsigned long long)n));
    return NULL;
}

const char *check_chunk(const char *text, char **value)
{
    uint64_t n;
    /* lanescope/wire.h, struct ls_ctx: chunk_shift is 10 to 16. */
    if (!size(text, &n) || n < 1024 || n > 65536 || (n & (n - 1)))
        return "a power of two from 1K to 64K";
    replace(value, ls_text("%llu", (unsigned long long)n));
    return NULL;
}

const char *check_sources(const char *text, char **value)
{
    static const char *const names[] = LS_SOURCES_NAMES;
    (void)value;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (!strcmp(text, names[i]))
            return NULL;
    return "shared, all or none";
}

const char *check_on_full(const char *text, char **value)
{
    (void)value;
    return strcmp(text, "wait") && strcmp(text, "drop") ? "wait or drop" : NULL;
}

const char *check_seconds(const char *text, char **value)
{
    (void)value;
    return whole_number(text, 0, 86400) ? NULL : "seconds from 0 to 86400";
}

const char *check_threads(const char *text, char **value)
{
    (void)value;
    return whole_number(text, 0, 1024) ? NULL
                                       : "a number of threads from 1 to 1024, or 0 for one per processor";
}

const char *check_seed(const char *text, char **value)
{
    bool dummy = !strcasecmp(text, "true") || !strcasecmp(text, "yes");
    if (dummy || !strcasecmp(text, "false") || !strcasecmp(text, "no")) {
        replace(value, strdup(dummy ? "1" : "0"));
        return NULL;
    }
    return whole_number(text, 0, UINT64_MAX) ? NULL : "a seed: a number, 0 for off";
}

const char *check_check(const char *text, char **value)
{
    static const char *const names[] = {"races", "uninit", "global"};
    char *all = strdup("");
    if (!check_boolean(text, &all)) {
        replace(value, strdup(strcmp(all, "true") ? "" : "races,uninit"));
        free(all);
        return NULL;
    }
    free(all);
    for (const char *t = text;;) {
        size_t n = strcspn(t, ","), i = 0;
        while (i < sizeof(names) / sizeof(*names) && (strlen(names[i]) != n || strncmp(names[i], t, n)))
            i++;
        if (i == sizeof(names) / sizeof(*names))
            return "races, uninit, global, separated by commas";
        if (!t[n])
            return NULL;
        t += n + 1;
    }
}

const char *check_exit_code(const char *text, char **value)
{
    (void)value;
    return whole_number(text, 1, 255) ? NULL : "an exit code from 1 to 255";
}

const char *check_log_level(const char *text, char **value)
{
    static const char *const levels[] = {"error", "warning", "info", "debug"};
    (void)value;
    for (size_t i = 0; i < 4; i++)
        if (!strcmp(text, levels[i]))
            return NULL;
    return "error, warning, info or debug";
}

const char *check_name(const char *text, char **value)
{
    (void)value;
    return *text ? NULL : "a name that is not empty";
}
