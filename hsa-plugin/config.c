/* config.c - see config.h. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "lanescope/defaults.h"
#include "log.h"

/* Decimal digits only: strtoull would take signs and spaces. */
static const char *number(const char *s, uint64_t *value)
{
    uint64_t v = 0;
    if (*s < '0' || *s > '9')
        return NULL;
    for (; *s >= '0' && *s <= '9'; s++)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
            return NULL;
    *value = v;
    return s;
}

static const char *one_range(const char *s, struct ls_range *r)
{
    bool bracket = *s == '[';
    s = number(s + bracket, &r->first);
    r->last = s ? r->first : 0;
    if (s && *s == '-')
        s = number(s + 1, &r->last);
    if (!s || r->first < 1 || r->last < r->first || (bracket && *s++ != ']'))
        return NULL;
    return s;
}

int ls_parse_ranges(const char *text, struct ls_range **ranges, size_t *n)
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
            return 0;
        }
        if (*s++ != ',')
            break;
    }
    free(list);
    return -1;
}

bool ls_in_ranges(const struct ls_range *ranges, size_t n, uint64_t number_)
{
    for (size_t i = 0; i < n; i++)
        if (number_ >= ranges[i].first && number_ <= ranges[i].last)
            return true;
    return n == 0;
}

static const char *one_axis(const char *s, uint32_t *lo, uint32_t *hi)
{
    uint64_t v;
    *lo = 0;
    *hi = UINT32_MAX;
    if (*s >= '0' && *s <= '9') {
        s = number(s, &v);
        if (!s || v >= UINT32_MAX)
            return NULL;
        *lo = (uint32_t)v;
        if (*s != ':') {
            *hi = *lo + 1;
            return s;
        }
    }
    if (*s == ':' && *++s >= '0' && *s <= '9') {
        s = number(s, &v);
        if (!s || v > UINT32_MAX || v <= *lo)
            return NULL;
        *hi = (uint32_t)v;
    }
    return s;
}

int ls_parse_blocks(const char *text, uint32_t lo[3], uint32_t hi[3])
{
    for (int i = 0; i < 3; i++) {
        lo[i] = 0;
        hi[i] = UINT32_MAX;
    }
    for (int i = 0; i < 3; i++) {
        text = one_axis(text, &lo[i], &hi[i]);
        if (!text)
            return -1;
        if (!*text)
            return 0;
        if (*text++ != ',')
            return -1;
    }
    return -1;
}

int ls_parse_size(const char *text, uint64_t *value)
{
    static const char suffix[] = "KMG";
    const char *s = number(text, value), *k;
    if (!s)
        return -1;
    if (*s && (k = strchr(suffix, *s)) != NULL) {
        unsigned shift = 10 * (unsigned)(k - suffix + 1);
        if (*value > UINT64_MAX >> shift)
            return -1;
        *value <<= shift;
        s++;
    }
    return *s ? -1 : 0;
}

static int fail(char **error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int fail(char **error, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (vasprintf(error, format, ap) < 0)
        *error = NULL;
    va_end(ap);
    return -1;
}

/* A variable that is set to something. */
static const char *env(const char *name)
{
    const char *v = getenv(name);
    return v && *v ? v : NULL;
}

static char *copy(const char *name, const char *otherwise)
{
    const char *v = env(name);
    return v || otherwise ? strdup(v ? v : otherwise) : NULL;
}

static int load_regex(const char *name, regex_t *re, bool *has, char **error)
{
    const char *v = env(name);
    char text[256];
    if (!v)
        return 0;
    int rc = regcomp(re, v, REG_EXTENDED | REG_NOSUB);
    if (!rc) {
        *has = true;
        return 0;
    }
    regerror(rc, re, text, sizeof text);
    return fail(error, "%s=%s: %s (a POSIX extended regular expression is expected)", name, v, text);
}

static int load_ring(struct ls_config *c, char **error)
{
    const char *v = env("LANESCOPE_RING_BYTES");
    uint64_t n;
    if (v && ls_parse_size(v, &c->ring_bytes) != 0)
        return fail(error, "LANESCOPE_RING_BYTES=%s: a number of bytes is expected, as 64M", v);
    c->chunk_shift = 12;
    v = env("LANESCOPE_CHUNK_BYTES");
    if (v) {
        if (ls_parse_size(v, &n) != 0 || n < 1024 || n > 65536 || (n & (n - 1)))
            return fail(error, "LANESCOPE_CHUNK_BYTES=%s: a power of two from 1K to 64K is expected", v);
        c->chunk_shift = (uint32_t)__builtin_ctzll(n);
    }
    v = env("LANESCOPE_ON_FULL");
    if (v && strcmp(v, "wait") && strcmp(v, "drop"))
        return fail(error, "LANESCOPE_ON_FULL=%s: wait or drop is expected", v);
    c->drop_on_full = v && !strcmp(v, "drop");
    return 0;
}

/* The words that the command line takes, too (check_boolean in cli/checks.c); it hands on "true" and "false".
 */
static bool boolean(const char *s, bool *value)
{
    static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        *value = !strcasecmp(s, yes[i]);
        if (*value || !strcasecmp(s, no[i]))
            return true;
    }
    return false;
}

static int load_summary(struct ls_config *c, char **error)
{
    const char *v = env("LANESCOPE_SUMMARY_MODE");
    if (v && !boolean(v, &c->summary))
        return fail(error, "LANESCOPE_SUMMARY_MODE=%s: true or false is expected", v);
    return 0;
}

static int load_filters(struct ls_config *c, char **error)
{
    const char *v, *end;
    uint64_t n = 1;
    if (load_regex("LANESCOPE_KERNELS", &c->include, &c->has_include, error) != 0 ||
        load_regex("LANESCOPE_KERNELS_EXCLUDE", &c->exclude, &c->has_exclude, error) != 0)
        return -1;
    v = env("LANESCOPE_DISPATCHES");
    if (v && ls_parse_ranges(v, &c->ranges, &c->n_ranges) != 0)
        return fail(error, "LANESCOPE_DISPATCHES=%s: ranges as [1-2],[5-8] are expected, counted from 1", v);
    v = env("LANESCOPE_SAMPLE_WAVES");
    if (v && (!(end = number(v, &n)) || *end || n < 1 || n > UINT32_MAX))
        return fail(error, "LANESCOPE_SAMPLE_WAVES=%s: a number from 1 is expected", v);
    c->sample_waves = (uint32_t)n;
    v = env("LANESCOPE_BLOCKS");
    if (v && ls_parse_blocks(v, c->block_lo, c->block_hi) != 0)
        return fail(error, "LANESCOPE_BLOCKS=%s: x0:x1,y0:y1,z0:z1 is expected, upper bounds excluded", v);
    c->filter_blocks = v != NULL;
    return 0;
}

static int load_level(struct ls_config *c, char **error)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    const char *v = env("LANESCOPE_LOG");
    c->log_level = LS_LOG_WARNING;
    if (!v)
        return 0;
    for (int i = 0; i < 4; i++)
        if (!strcmp(v, names[i])) {
            c->log_level = i;
            return 0;
        }
    return fail(error, "LANESCOPE_LOG=%s: error, warning, info or debug is expected", v);
}

static int load_sources(struct ls_config *c, char **error)
{
    static const char *const names[] = LS_SOURCES_NAMES;
    const char *v = env("LANESCOPE_SOURCES");
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        c->sources = (enum ls_sources)i;
        if (!strcmp(v ? v : "shared", names[i]))
            return 0;
    }
    return fail(error, "LANESCOPE_SOURCES=%s: shared, all or none is expected", v);
}

int ls_config_load(struct ls_config *c, char **error)
{
    const char *v, *end;
    uint64_t n = 30;
    memset(c, 0, sizeof *c);
    *error = NULL;
    c->output = copy("LANESCOPE_OUTPUT", "lanescope-%p.db");
    c->handlers = copy("LANESCOPE_HANDLERS", LS_DEFAULT_HANDLERS);
    c->module_dir = copy("LANESCOPE_MODULE_DIR", NULL);
    c->gpu = copy("LANESCOPE_GPU", "hw");
    c->argv_json = copy("LANESCOPE_ARGV_JSON", NULL);
    if (!c->output || !c->handlers || !c->gpu) {
        ls_config_free(c);
        return fail(error, "out of memory");
    }
    v = env("LANESCOPE_FINISH_TIMEOUT");
    if (v && (!(end = number(v, &n)) || *end || n > 86400)) {
        ls_config_free(c);
        return fail(error, "LANESCOPE_FINISH_TIMEOUT=%s: seconds are expected", v);
    }
    c->finish_timeout = (uint32_t)n;
    if (load_level(c, error) != 0 || load_ring(c, error) != 0 || load_summary(c, error) != 0 ||
        load_filters(c, error) != 0 || load_sources(c, error) != 0) {
        ls_config_free(c);
        return -1;
    }
    return 0;
}

void ls_config_free(struct ls_config *c)
{
    if (c->has_include)
        regfree(&c->include);
    if (c->has_exclude)
        regfree(&c->exclude);
    free(c->ranges);
    free(c->output);
    free(c->handlers);
    free(c->module_dir);
    free(c->gpu);
    free(c->argv_json);
    memset(c, 0, sizeof *c);
}

bool ls_config_kernel(const struct ls_config *c, const char *demangled)
{
    if (c->has_include && regexec(&c->include, demangled, 0, NULL, 0) != 0)
        return false;
    return !c->has_exclude || regexec(&c->exclude, demangled, 0, NULL, 0) != 0;
}
