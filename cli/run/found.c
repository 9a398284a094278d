#include "found.h"
#include "results/reader/arena.h"
#include "results/file/error_text.h"
#include "results/file/place.h"
#include "results/reader/reader.h"
#include "results/file/run_files.h"
#include "results/file/schema.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The output name as a glob pattern: %p and %h stand for anything, all else for itself. */
static char *pattern_of(const char *output, size_t length)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < length; i++) {
        if (output[i] == '%' && (output[i + 1] == 'p' || output[i + 1] == 'h')) {
            fputc('*', out);
            i++;
        } else if (output[i] == '%' && output[i + 1] == '%') {
            fputc('%', out);
            i++;
        } else {
            fprintf(out, strchr("*?[]\\", output[i]) ? "\\%c" : "%c", output[i]);
        }
    }
    if (out)
        fclose(out);
    return text;
}

/* Whether the file is a database of the run. *why: NULL, or why it cannot be read (malloc'd). */
static bool of_run(const char *path, const char *run_id, char **why)
{
    void (*notice)(const char *) = ls_results_notice;
    ls_results_notice = NULL; /* who shows the database says it */
    struct ls_results *r = ls_results_open(path, why);
    ls_results_notice = notice;
    bool same = r && !strcmp(r->run_id, run_id);
    if (r)
        *why = NULL;
    ls_results_close(r);
    return same;
}

static bool exists(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && S_ISREG(st.st_mode);
}

/* A file that processes named, and that the pattern finds, too, may have two spellings ("//d/x.db" and "/d/x.db"). */
static bool is_one_file(const char *a, const char *b)
{
    struct stat x, y;
    return !lstat(a, &x) && !lstat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void add(struct found *f, const char *path)
{
    for (size_t i = 0; i < f->n; i++)
        if (is_one_file(f->names[i], path))
            return;
    *LS_PUSH(f->names, f->n) = strdup(path);
}

/* A database that a process of the run named, and that stands there. When it cannot be read (another program has locked
 * it, say), it is told, so that nobody takes it for lost. */
static bool take_named(struct found *f, const char *path, const char *run_id)
{
    char *why;
    bool ours = of_run(path, run_id, &why);
    if (ours)
        add(f, path);
    else if (why)
        *LS_PUSH(f->unread, f->n_unread) = why;
    return ours || why;
}

/* The database that a process of the run named: finished, left behind by a dead one, or still growing. */
static void take_told(struct found *f, const struct ls_run_file *told, const char *run_id)
{
    const char *path = told->database;
    size_t n_pids = f->n_live;
    char *partial = ls_text("%s" LS_PARTIAL_SUFFIX, path);
    if (exists(path) && take_named(f, path, run_id))
        ;
    else if (partial && exists(partial) && ls_results_live(partial)) {
        *LS_PUSH(f->live, f->n_live) = strdup(partial);
        *LS_PUSH(f->live_pids, n_pids) = told->pid;
    } else if (partial && exists(partial)) {
        take_named(f, partial, run_id);
    }
    free(partial);
}

/* Finished databases of processes that could not tell their names (on other hosts, under another user). Only
 * their owners could have left a journal beside them; such files are not opened. */
static void take_matching(struct found *f, const char *pattern, const char *run_id, time_t since)
{
    glob_t g = {0};
    if (!glob(pattern, 0, NULL, &g))
        for (size_t i = 0; i < g.gl_pathc; i++) {
            struct stat st;
            const char *path = g.gl_pathv[i];
            char *why = NULL;
            if (!lstat(path, &st) && S_ISREG(st.st_mode) && st.st_mtime >= since &&
                !ls_place_beside(path, "-journal") && !ls_place_beside(path, "-wal") &&
                of_run(path, run_id, &why))
                add(f, path);
            free(why);
        }
    globfree(&g);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct found find_databases(const char *directory, const char *output, const char *run_id, time_t since)
{
    /* The name itself, and those that writer and tool library take when it is in use (NAME.PID.db,
     * NAME-2.db). */
    static const char *const endings[] = {".db", ".*.db", "-*.db"};
    struct found f = {0};
    size_t n_told = 0, length = strlen(output);
    struct ls_run_file *told = directory ? ls_run_files_read(directory, &n_told) : NULL;
    for (size_t i = 0; i < n_told; i++) {
        take_told(&f, &told[i], run_id);
        free(told[i].database);
    }
    free(told);
    char *stem = pattern_of(output, length > 3 ? length - 3 : length);
    for (size_t e = 0; stem && e < sizeof(endings) / sizeof(*endings); e++) {
        char *pattern = ls_text("%s%s", stem, endings[e]);
        if (pattern)
            take_matching(&f, pattern, run_id, since);
        free(pattern);
    }
    free(stem);
    if (f.n)
        qsort(f.names, f.n, sizeof(*f.names), by_name);
    return f;
}

static void free_names(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

void found_free(struct found *f)
{
    free_names(f->names, f->n);
    free_names(f->live, f->n_live);
    free_names(f->unread, f->n_unread);
    free(f->live_pids);
}
