/* Stands in for the preloaded library: each process that loads it writes the sample recording to
 * LANESCOPE_OUTPUT when it ends, unless FAKE_TOOL says otherwise: "none" (no GPU used), "killed" (leaves a
 * partial one), or "much" (its launches sent six million messages each). It counts 1,200 dispatches, 34 observed, and
 * 5,678,901 messages. */
#include "results/file/run_progress.h"
#include "sample.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* %p and %h as the tool library expands them. */
static char *expanded(const char *pattern)
{
    char *text = NULL, host[64] = "";
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    gethostname(host, sizeof(host) - 1);
    for (const char *s = pattern; *s; s++) {
        if (s[0] == '%' && s[1] == 'p')
            fprintf(out, "%d", (int)getpid()), s++;
        else if (s[0] == '%' && s[1] == 'h')
            fputs(host, out), s++;
        else if (s[0] == '%' && s[1] == '%')
            fputc('%', out), s++;
        else
            fputc(*s, out);
    }
    fclose(out);
    return text;
}

static void send_much(const char *path)
{
    sqlite3 *sql = NULL;
    if (sqlite3_open(path, &sql) == SQLITE_OK)
        sqlite3_exec(sql, "UPDATE dispatch SET messages = 6000000 WHERE observed", NULL, NULL, NULL);
    sqlite3_close(sql);
}

__attribute__((constructor)) static void start(void)
{
    const char *mode = getenv("FAKE_TOOL"), *output = getenv("LANESCOPE_OUTPUT");
    ls_run_progress_open();
    ls_run_progress_add(&(struct ls_run_counts){1200, 34, 5678901});
    if (!output || (mode && !strcmp(mode, "none")))
        return;
    char *path = expanded(output), source[512];
    snprintf(source, sizeof(source), "%s.hip", path);
    if (!mode || strcmp(mode, "killed")) {
        sample_write(path, source, getpid(), false);
        if (mode && !strcmp(mode, "much"))
            send_much(path);
    } else {
        char *error = NULL;
        const struct ls_db_process process = {.pid = getpid()};
        struct ls_db *db = ls_db_create(path, &process, &error);
        if (db)
            sample_fill(db, source);
    }
    free(path);
}
