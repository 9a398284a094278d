#include "found.h"
#include "arena.h"
#include "error_text.h"
#include "reader.h"
#include "schema.h"

#include <glob.h>
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

static int of_run(const char *path, const char *run_id, time_t since)
{
    struct stat st;
    char *error;
    if (stat(path, &st) || st.st_mtime < since)
        return 0;
    struct ls_results *r = ls_results_open(path, &error);
    int same = r && !strcmp(r->run_id, run_id);
    ls_results_close(r);
    free(error);
    return same;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **find_databases(const char *output, const char *run_id, time_t since, size_t *n)
{
    /* The name itself, and those that writer and tool library take when it is in use (NAME.PID.db,
     * NAME-2.db). */
    static const char *const endings[] = {".db",
                                          ".*.db",
                                          "-*.db",
                                          ".db" LS_PARTIAL_SUFFIX,
                                          ".*.db" LS_PARTIAL_SUFFIX,
                                          "-*.db" LS_PARTIAL_SUFFIX};
    size_t length = strlen(output);
    char **names = NULL, *stem = pattern_of(output, length > 3 ? length - 3 : length);
    *n = 0;
    for (size_t e = 0; stem && e < sizeof(endings) / sizeof(*endings); e++) {
        glob_t g = {0};
        char *pattern = ls_text("%s%s", stem, endings[e]);
        if (pattern && !glob(pattern, 0, NULL, &g))
            for (size_t i = 0; i < g.gl_pathc; i++) {
                size_t j = 0;
                while (j < *n && strcmp(names[j], g.gl_pathv[i]))
                    j++;
                if (j == *n && of_run(g.gl_pathv[i], run_id, since))
                    *LS_PUSH(names, *n) = strdup(g.gl_pathv[i]);
            }
        globfree(&g);
        free(pattern);
    }
    free(stem);
    if (*n)
        qsort(names, *n, sizeof(*names), by_name);
    return names;
}

void free_names(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}
