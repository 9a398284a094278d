/*
 * config.c - LANESCOPE_GPU=soft[:ARCH[xCOUNT]] and the LANESCOPE_SOFT_* variables.
 */
#include "config.h"
#include "report.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define DEFAULT_ARCH "gfx90a"
#define DEFAULT_STALL_SECONDS 10

static struct soft_config config;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool bad(const char *variable, const char *value, const char *wanted)
{
    report_line("%s=%s: %s; running without the software GPU", variable, value, wanted);
    return false;
}

static bool read_number(const char *variable, const char *text, uint64_t max, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 0);
    if (!*text || *text == '-' || *end || errno || n > max)
        return bad(variable, text, "not a number in range");
    *out = n;
    return true;
}

/* The words that the command line and its configuration file take, too (check_boolean in cli/checks.c). */
static bool read_boolean(const char *variable, const char *text, bool *out)
{
    static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        *out = !strcasecmp(text, yes[i]);
        if (*out || !strcasecmp(text, no[i]))
            return true;
    }
    return bad(variable, text, "true or false is expected");
}

/* "soft", "soft:gfx942", "soft:gfx942x2" */
static bool read_gpu(const char *text)
{
    char name[32] = DEFAULT_ARCH;
    uint64_t count = 1;
    if (strncmp(text, "soft", 4) != 0 || (text[4] && text[4] != ':'))
        return bad("LANESCOPE_GPU", text, "expected soft:gfx90a, soft:gfx942 or soft:gfx950");
    if (text[4] == ':') {
        const char *times = strchr(text + 5, 'x');
        /* The first x is the one of "gfx". */
        times = times ? strchr(times + 1, 'x') : NULL;
        size_t n = times ? (size_t)(times - (text + 5)) : strlen(text + 5);
        if (n >= sizeof name)
            return bad("LANESCOPE_GPU", text, "unknown target");
        memcpy(name, text + 5, n);
        name[n] = 0;
        if (times && (!read_number("LANESCOPE_GPU", times + 1, GPUS_MAX, &count) || !count))
            return count ? false : bad("LANESCOPE_GPU", text, "a GPU count from 1 to 8");
    }
    config.arch = sg_arch_find(name);
    config.gpus = (unsigned)count;
    return config.arch ? true
                       : bad("LANESCOPE_GPU", text, "expected soft:gfx90a, soft:gfx942 or soft:gfx950");
}

/* The process id is put in when the engine starts: a forked child has its own. */
bool soft_config_log(const struct soft_config *c, unsigned index, char *out, size_t size)
{
    size_t at = 0;
    char piece[24];
    out[0] = '\0';
    if (!c->access_log[0])
        return true;
    for (const char *t = c->access_log; *t; t++) {
        snprintf(piece, sizeof piece, "%c", *t);
        if (*t == '%' && t[1] == 'p')
            snprintf(piece, sizeof piece, "%d", (int)getpid());
        if (*t == '%' && (t[1] == 'p' || t[1] == '%'))
            t++;
        at += (size_t)snprintf(out + at, size - at, "%s", piece);
        if (at >= size)
            return false;
    }
    if (index)
        at += (size_t)snprintf(out + at, size - at, ".gpu%u", index);
    return at < size;
}

/* "races,uninit" */
static bool read_check(const char *text)
{
    static const struct {
        const char *name;
        unsigned what;
    } names[] = {{"races", SG_CHECK_RACES}, {"uninit", SG_CHECK_UNINIT}, {"global", SG_CHECK_GLOBAL}};
    for (const char *t = text; *t;) {
        size_t n = strcspn(t, ","), i = 0;
        while (i < sizeof names / sizeof *names &&
               (strlen(names[i].name) != n || strncmp(names[i].name, t, n) != 0))
            i++;
        if (i == sizeof names / sizeof *names)
            return bad("LANESCOPE_SOFT_CHECK", text, "expected races, uninit, global, separated by commas");
        config.check |= names[i].what;
        t += n + (t[n] == ',');
    }
    return true;
}

static bool read_all(void)
{
    const char *v = getenv("LANESCOPE_GPU");
    uint64_t n;
    if (!read_gpu(v && *v ? v : "soft:" DEFAULT_ARCH))
        return false;
    v = getenv("LANESCOPE_SOFT_THREADS");
    if (v && *v) {
        if (!read_number("LANESCOPE_SOFT_THREADS", v, 1024, &n))
            return false;
        config.threads = (unsigned)n;
    }
    v = getenv("LANESCOPE_SOFT_ACCESS_LOG");
    if (v && *v &&
        snprintf(config.access_log, sizeof config.access_log, "%s", v) >= (int)sizeof config.access_log)
        return bad("LANESCOPE_SOFT_ACCESS_LOG", v, "name too long");
    v = getenv("LANESCOPE_SOFT_POISON");
    if (v && *v) {
        if (!read_number("LANESCOPE_SOFT_POISON", v, UINT64_MAX, &n))
            return false;
        config.poison = n != 0;
        config.seed = n;
    }
    v = getenv("LANESCOPE_SOFT_SHUFFLE");
    if (v && *v) {
        if (!read_number("LANESCOPE_SOFT_SHUFFLE", v, UINT64_MAX, &config.seed))
            return false;
        config.shuffle = true;
    }
    v = getenv("LANESCOPE_SOFT_INTERPRET");
    if (v && *v && !read_boolean("LANESCOPE_SOFT_INTERPRET", v, &config.interpret_all))
        return false;
    v = getenv("LANESCOPE_SOFT_CHECK");
    if (v && !read_check(v))
        return false;
    v = getenv("LANESCOPE_SOFT_CHECK_DIRECTORY");
    if (v && snprintf(config.check_directory, sizeof config.check_directory, "%s", v) >=
                 (int)sizeof config.check_directory)
        return bad("LANESCOPE_SOFT_CHECK_DIRECTORY", v, "name too long");
    v = getenv("LANESCOPE_SOFT_EXACT_MATRIX");
    if (v && *v && !read_boolean("LANESCOPE_SOFT_EXACT_MATRIX", v, &config.exact_matrix))
        return false;
    config.stall_seconds = DEFAULT_STALL_SECONDS;
    v = getenv("LANESCOPE_SOFT_STALL");
    if (v && *v) {
        if (!read_number("LANESCOPE_SOFT_STALL", v, UINT32_MAX, &n))
            return false;
        config.stall_seconds = (unsigned)n;
    }
    return true;
}

static void load(void)
{
    config.enabled = read_all();
}

const struct soft_config *soft_config(void)
{
    pthread_once(&once, load);
    return &config;
}
