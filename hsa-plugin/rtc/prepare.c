/*
 * prepare.c - see prepare.h. `lanescope run` names the folders in the environment and makes none: most programs
 * compile nothing.
 */
#include "prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/make_folders.h"
#include "outside.h"
#include "plugin.h"

enum { PRIVATE = 0700 }; /* they hold texts of programs */

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* Where texts are kept; `lanescope run` sets it unless run-time compilers are to be left alone. NULL: they are. */
static const char *directory(void)
{
    return variable("LANESCOPE_RTC_DIRECTORY");
}

bool rtc_wanted(void)
{
    return directory() || variable("LANESCOPE_RTC_MISSING");
}

/* NULL, or why texts cannot be kept (malloc'd). */
static char *make_folders(const char *sources, const char *caches)
{
    char *why = NULL;
    bool ok = ls_make_folders(sources, PRIVATE) && (!caches || ls_make_folders(caches, PRIVATE)) &&
              !access(sources, W_OK);
    if (caches)
        utimensat(AT_FDCWD, caches, NULL, 0); /* used now: what was not for long is removed first */
    if (!ok && asprintf(&why, "%s: %s; name another folder in XDG_CACHE_HOME, or use --no-rtc", sources,
                        strerror(errno)) < 0)
        why = strdup("out of memory");
    return why;
}

static void prepare(struct rtc *r)
{
    const char *sources = directory(), *missing = variable("LANESCOPE_RTC_MISSING");
    char why[PLUGIN_WHY] = "this version of comgr is unknown";
    r->why = sources   ? make_folders(sources, variable("LANESCOPE_RTC_CACHES"))
             : missing ? strdup(missing)
                       : NULL;
    if (!sources || r->why)
        return;
    bool known = r->comgr.major == 2 || r->comgr.major == 3;
    if (known && rtc_llvm_inside(&r->comgr))
        rtc_find_outside(r, why);
    else if (known)
        r->plugin = rtc_plugin(&r->comgr, why);
    if (!r->plugin)
        r->why = strdup(why);
    else if (!(r->directory = strdup(sources))) {
        free(r->plugin);
        r->plugin = NULL;
    }
}

void rtc_prepare(struct rtc *r)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!r->prepared)
        prepare(r);
    r->prepared = true;
    pthread_mutex_unlock(&lock);
}
