/* output_path.c - see output_path.h. */
#include "output_path.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

char *ls_expand_path(const char *pattern, long pid, const char *host)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    for (const char *s = pattern; *s; s++) {
        if (*s == '%' && s[1] == 'p')
            fprintf(f, "%ld", pid), s++;
        else if (*s == '%' && s[1] == 'h')
            fputs(host, f), s++;
        else if (*s == '%' && s[1] == '%')
            fputc('%', f), s++;
        else
            fputc(*s, f);
    }
    return fclose(f) == 0 ? text : NULL;
}

enum { NS = 1000000000 };

static long long ns_of(struct timespec t)
{
    return (long long)t.tv_sec * NS + t.tv_nsec;
}

/* When this process came to be, ns of the wall clock to a hundredth of a second;
 * 0 when that can't be told. */
static long long process_start(void)
{
    char line[1024];
    unsigned long long ticks = 0;
    struct timespec boot, now;
    long hz = sysconf(_SC_CLK_TCK);
    FILE *f = fopen("/proc/self/stat", "r");
    char *p = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    if (f)
        fclose(f);
    /* Field 22; the name in field 2 may contain anything, so counting starts behind its bracket. */
    for (int field = 2; p && field < 22; field++)
        p = strchr(p + 1, ' ');
    if (!p || sscanf(p, "%llu", &ticks) != 1 || hz <= 0 || clock_gettime(CLOCK_BOOTTIME, &boot) != 0 ||
        clock_gettime(CLOCK_REALTIME, &now) != 0)
        return 0;
    return ns_of(now) - ns_of(boot) + (long long)(ticks * (NS / (unsigned long long)hz));
}

static bool written_since(const char *path, long long start)
{
    struct stat st;
    char *partial = NULL;
    bool yes = stat(path, &st) == 0 && ns_of(st.st_mtim) >= start;
    if (!yes && asprintf(&partial, "%s.partial", path) >= 0) {
        yes = stat(partial, &st) == 0 && ns_of(st.st_mtim) >= start;
        free(partial);
    }
    return yes;
}

char *ls_output_path(const char *pattern)
{
    char host[256] = "";
    long long start = process_start();
    gethostname(host, sizeof host - 1);
    char *path = ls_expand_path(pattern, (long)getpid(), host), *other = NULL;
    if (!path || !start || !written_since(path, start))
        return path;
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (!dot || (slash && dot < slash) || dot == path)
        dot = path + strlen(path);
    for (int i = 2; i < 1000; i++) {
        free(other);
        if (asprintf(&other, "%.*s-%d%s", (int)(dot - path), path, i, dot) < 0)
            return path;
        if (!written_since(other, start))
            break;
    }
    free(path);
    return other;
}
