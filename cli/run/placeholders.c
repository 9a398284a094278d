#include "placeholders.h"
#include "common/names.h"
#include "results/file/error_text.h"
#include "settings/table.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct expansion {
    FILE *out;
    char *const *argv;
};

/* Words of a command line in a file name: only characters that need no quoting. */
static void put_clean(FILE *out, const char *s)
{
    for (; *s; s++)
        fputc(isalnum((unsigned char)*s) || strchr("._+=,@-", *s) ? *s : '_', out);
}

/* The tool library expands the result once more: %% stands for a percent sign. */
static void put_escaped(FILE *out, const char *s)
{
    for (; *s; s++)
        fputs(*s == '%' ? "%%" : (const char[]){*s, 0}, out);
}

static void put_words(struct expansion *x, size_t from, bool first_base)
{
    for (size_t i = 0; x->argv[i]; i++) {
        if (i < from)
            continue;
        if (i > from)
            fputc('_', x->out);
        put_clean(x->out, i == 0 && first_base ? ls_base_name(x->argv[i]) : x->argv[i]);
    }
}

/* The first of the variables that is set (rocprofv3's order), or `fallback`. */
static void put_first(struct expansion *x, const char *const *names, const char *fallback)
{
    for (; *names; names++) {
        const char *v = getenv(*names);
        if (v && *v) {
            put_clean(x->out, v);
            return;
        }
    }
    fputs(fallback, x->out);
}

static const char *const size_names[] = {
    "MPI_SIZE", "MPI_LOCALNRANKS", "MPI_NRANKS", "MV2_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE",
    "PMI_SIZE", "SLURM_NTASKS",    NULL};
static const char *const job_names[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", NULL};

static void put_time(FILE *out, const char *format)
{
    char text[64];
    time_t now = time(NULL);
    struct tm tm;
    strftime(text, sizeof(text), format, localtime_r(&now, &tm));
    fputs(text, out);
}

static void put_argv(struct expansion *x)
{
    put_words(x, 0, false);
}
static void put_argt(struct expansion *x)
{
    put_words(x, 0, true);
}
static void put_args(struct expansion *x)
{
    put_words(x, 1, false);
}
static void put_tag(struct expansion *x)
{
    if (x->argv[0])
        put_clean(x->out, ls_base_name(x->argv[0]));
}
static void put_hostname(struct expansion *x)
{
    fputs("%h", x->out);
}
static void put_pid(struct expansion *x)
{
    fputs("%p", x->out);
}
static void put_ppid(struct expansion *x)
{
    fprintf(x->out, "%d", (int)getpid());
}
static void put_pgid(struct expansion *x)
{
    fprintf(x->out, "%d", (int)getpgrp());
}
static void put_psid(struct expansion *x)
{
    fprintf(x->out, "%d", (int)getsid(0));
}
static void put_psize(struct expansion *x)
{
    fputc('1', x->out); /* the launcher has one child */
}
static void put_job(struct expansion *x)
{
    put_first(x, job_names, "0");
}
static void put_rank(struct expansion *x)
{
    put_first(x, ls_rank_variables, "0");
}
static void put_size(struct expansion *x)
{
    put_first(x, size_names, "1");
}
static void put_nid(struct expansion *x)
{
    put_first(x, ls_rank_variables, "%p");
}
static void put_cwd(struct expansion *x)
{
    char *cwd = getcwd(NULL, 0);
    put_escaped(x->out, cwd ? cwd : ".");
    free(cwd);
}
static void put_date(struct expansion *x)
{
    put_time(x->out, "%Y-%m-%d");
}
static void put_clock(struct expansion *x)
{
    put_time(x->out, "%H.%M.%S");
}

static const struct {
    const char *name;
    char letter;
    void (*put)(struct expansion *x);
} table[] = {
    {"argv", 0, put_argv},        {"argt", 0, put_argt},         {"args", 0, put_args},
    {"tag", 0, put_tag},          {"pid", 'p', put_pid},         {"hostname", 'h', put_hostname},
    {"ppid", 0, put_ppid},        {"pgid", 0, put_pgid},         {"psid", 0, put_psid},
    {"psize", 0, put_psize},      {"job", 'j', put_job},         {"rank", 'r', put_rank},
    {"size", 's', put_size},      {"nid", 0, put_nid},           {"cwd", 0, put_cwd},
    {"launch_date", 0, put_date}, {"launch_time", 0, put_clock},
};

/* A name without its marks. */
static bool put_named(struct expansion *x, const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (strlen(table[i].name) == n && !strncmp(table[i].name, name, n)) {
            table[i].put(x);
            return true;
        }
    }
    if (n > 3 && !strncmp(name, "arg", 3) && strspn(name + 3, "0123456789") == n - 3) {
        size_t wanted = strtoul(name + 3, NULL, 10), i = 0;
        while (x->argv[i] && i < wanted)
            i++;
        if (x->argv[i])
            put_clean(x->out, x->argv[i]);
        return true;
    }
    return false;
}

/* "%env{X}%", "$ENV{X}", "%q{X}": the length of the whole text, 0 when it is none of them. */
static size_t put_env(struct expansion *x, const char *s)
{
    static const char *const starts[] = {"%env{", "$ENV{", "%q{"};
    for (size_t i = 0; i < 3; i++) {
        size_t n = strlen(starts[i]);
        const char *end = strncmp(s, starts[i], n) ? NULL : strchr(s + n, '}');
        if (!end)
            continue;
        char *name = strndup(s + n, (size_t)(end - s) - n);
        const char *v = name ? getenv(name) : NULL;
        put_escaped(x->out, v ? v : "");
        free(name);
        return (size_t)(end - s) + 1 + (i == 0 && end[1] == '%');
    }
    return 0;
}

/* Length of the placeholder at s, 0 when there is none. */
static size_t put_one(struct expansion *x, const char *s)
{
    size_t n = put_env(x, s);
    if (n)
        return n;
    if (s[0] == '%' && s[1] == '%') {
        fputs("%%", x->out);
        return 2;
    }
    const char *end = *s == '%' ? strchr(s + 1, '%') : *s == '{' ? strchr(s + 1, '}') : NULL;
    if (end && put_named(x, s + 1, (size_t)(end - s) - 1))
        return (size_t)(end - s) + 1;
    for (size_t i = 0; *s == '%' && i < sizeof(table) / sizeof(*table); i++) {
        if (table[i].letter && s[1] == table[i].letter && !isalnum((unsigned char)s[2])) {
            table[i].put(x);
            return 2;
        }
    }
    return 0;
}

char *escape_percent(const char *text)
{
    char *out = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&out, &size);
    if (f) {
        put_escaped(f, text);
        fclose(f);
    }
    return out;
}

char *expand_placeholders(const char *text, char *const *argv, char **error)
{
    char *out = NULL;
    size_t size = 0;
    struct expansion x = {open_memstream(&out, &size), argv};
    *error = NULL;
    for (const char *s = text; x.out && *s && !*error;) {
        size_t n = put_one(&x, s);
        if (!n && *s == '%')
            *error = ls_text(
                "'%s': unknown placeholder at '%s'; known are %%pid%%, %%hostname%%, %%rank%%, %%tag%%, "
                "%%argv%% and others (lanescope(1), PLACEHOLDERS)",
                text, s);
        else if (!n)
            fputc(*s, x.out);
        s += n ? n : 1;
    }
    if (x.out)
        fclose(x.out);
    else
        *error = strdup("out of memory");
    if (*error) {
        free(out);
        out = NULL;
    }
    return out;
}
