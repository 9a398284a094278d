#include "still_running.h"
#include "cli/common/cli.h"
#include "common/names.h"
#include "results/file/error_text.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the environment that the process was started with has the run's id. A zombie's is empty. */
static bool of_run(const char *pid, const char *run_id)
{
    char path[64], *one = NULL;
    size_t capacity = 0;
    bool found = false;
    static const char name[] = "LANESCOPE_RUN_ID=";
    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    FILE *in = fopen(path, "re");
    while (in && !found && getdelim(&one, &capacity, 0, in) >= 0)
        found = !strncmp(one, name, sizeof name - 1) && !strcmp(one + sizeof name - 1, run_id);
    if (in)
        fclose(in);
    free(one);
    return found;
}

static bool has_database(const struct found *f, int pid)
{
    for (size_t i = 0; i < f->n_live; i++)
        if (f->live_pids[i] == pid)
            return true;
    return false;
}

static void print_process(FILE *out, const char *pid, size_t before)
{
    enum { SHOWN = 4 };
    char path[64], name[64] = "";
    if (before >= SHOWN) {
        fputs(before == SHOWN ? ", ..." : "", out);
        return;
    }
    snprintf(path, sizeof path, "/proc/%.20s/comm", pid);
    FILE *in = fopen(path, "re");
    if (in && fgets(name, sizeof name, in))
        name[strcspn(name, "\n")] = 0;
    if (in)
        fclose(in);
    fprintf(out, "%s%s%s%s%s", before ? ", " : "", pid, *name ? " (" : "", name, *name ? ")" : "");
}

/* Where such a process records: as the tool library fills in the name, the process's own id in words. A name
 * that is the same for all is taken already when there is a recording. */
static char *destination(const struct found *f, const char *output)
{
    char *text = NULL, host[256] = "";
    size_t size, length = strlen(output);
    FILE *out = open_memstream(&text, &size);
    bool own = false;
    gethostname(host, sizeof host - 1);
    for (const char *s = output; out && *s; s++) {
        bool is_sign = *s == '%' && s[1] && strchr("ph%", s[1]);
        if (!is_sign && f->n + f->n_live && !own && s == output + length - 3)
            fputs(".PID", out);
        if (!is_sign)
            fputc(*s, out);
        else if (*++s == 'h')
            fputs(host, out);
        else
            fputs(*s == 'p' ? "PID" : "%", out);
        own |= is_sign && *s == 'p';
    }
    if (out)
        fclose(out);
    return text;
}

size_t say_still_running(const struct found *found, const char *run_id, const char *output)
{
    char *list = NULL, *where = NULL;
    size_t size, n = 0;
    DIR *d = opendir("/proc");
    FILE *out = d ? open_memstream(&list, &size) : NULL;
    for (struct dirent *e; out && (e = readdir(d));)
        if (isdigit((unsigned char)e->d_name[0]) && atoi(e->d_name) != getpid() &&
            of_run(e->d_name, run_id) && !has_database(found, atoi(e->d_name)))
            print_process(out, e->d_name, n++);
    if (d)
        closedir(d);
    if (out && !fclose(out) && n && (where = destination(found, output)))
        message("still running: %zu process%s of the program, PID %s; what %s records goes into %s", n,
                n == 1 ? "" : "es", list, n == 1 ? "it" : "each", where);
    free(where);
    free(list);
    return n;
}
