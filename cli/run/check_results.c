/*
 * The way of the findings from the software GPU's files (docs/check.md, "The file") into the databases.
 */
#include "check_results.h"
#include "cli/common/safe_output.h"
#include "results/reader/arena.h"
#include "cli/common/cli.h"
#include "results/file/error_text.h"
#include "results/reader/findings.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct check_process {
    int64_t pid;
    struct ls_finding *findings; /* texts belong to the documents */
    size_t n;
    json_t **documents;
    size_t n_documents;
};

/* ---- reading ---- */

static int64_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* A file may hold any number; the sum stays at the largest one there is. */
static void add_number(int64_t *sum, const json_t *object, const char *key)
{
    if (__builtin_add_overflow(*sum, number_of(object, key), sum))
        *sum = INT64_MAX;
}

static struct ls_finding_access access_of(const json_t *j)
{
    return (struct ls_finding_access){.access = json_text_of(j, "access"),
                                      .file = json_text_of(j, "file"),
                                      .line = number_of(j, "line"),
                                      .column = number_of(j, "column"),
                                      .inlined = json_text_of(j, "inlined"),
                                      .instruction = json_text_of(j, "instruction"),
                                      .wave = number_of(j, "wave"),
                                      .lane = number_of(j, "lane")};
}

static struct ls_finding finding_of(const json_t *j)
{
    struct ls_finding f = {.kind = json_text_of(j, "kind"),
                           .severity = json_text_of(j, "severity"),
                           .space = json_text_of(j, "space"),
                           .kernel = json_text_of(j, "kernel"),
                           .count = number_of(j, "count"),
                           .gpu = number_of(j, "gpu"),
                           .dispatch = number_of(j, "dispatch"),
                           .address = number_of(j, "address")};
    const json_t *group = json_object_get(j, "workgroup"), *sides = json_object_get(j, "sides");
    for (size_t i = 0; i < 3; i++)
        f.workgroup[i] = json_integer_value(json_array_get(group, i));
    for (; f.n_sides < 2 && f.n_sides < json_array_size(sides); f.n_sides++)
        f.side[f.n_sides] = access_of(json_array_get(sides, f.n_sides));
    return f;
}

static void count(struct check_results *c, const struct ls_finding *f)
{
    if (!strcmp(f->severity, "note"))
        c->notes++;
    else if (!strcmp(f->kind, "race"))
        c->races++;
    else if (!strcmp(f->kind, "lanes"))
        c->lanes++;
    else if (!strcmp(f->kind, "uninit"))
        c->uninit++;
    else
        c->stale++;
}

/* The first line is about the process, each other one a finding. */
static void take_document(struct check_results *c, struct check_process *p, json_t *j)
{
    *LS_PUSH(p->documents, p->n_documents) = j;
    if (json_object_get(j, "pid")) {
        p->pid = number_of(j, "pid");
        add_number(&c->dispatches, j, "dispatches");
        add_number(&c->lost, j, "lost");
        return;
    }
    struct ls_finding f = finding_of(j);
    *LS_PUSH(p->findings, p->n) = f;
    count(c, &f);
}

static void read_file(struct check_results *c, const char *path)
{
    FILE *in = fopen(path, "re");
    json_t *j;
    if (!in) {
        message("--check: cannot read %s: %s", path, strerror(errno));
        return;
    }
    struct check_process *p = LS_PUSH(c->processes, c->n);
    /* A process that was killed may have left half a file: what can be read counts. */
    while ((j = json_loadf(in, JSON_DISABLE_EOF_CHECK, NULL)))
        take_document(c, p, j);
    fclose(in);
}

void check_results_read(struct check_results *c, const char *directory)
{
    memset(c, 0, sizeof *c);
    DIR *d = opendir(directory);
    for (struct dirent *e; d && (e = readdir(d));) {
        char *path = e->d_name[0] == '.' ? NULL : ls_text("%s/%s", directory, e->d_name);
        if (path) {
            read_file(c, path);
            unlink(path);
        }
        free(path);
    }
    if (d)
        closedir(d);
    rmdir(directory);
}

/* ---- what becomes of them ---- */

void check_results_store(const struct check_results *c, char *const *databases, size_t n)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct check_process *p = &c->processes[i];
        char *error = NULL;
        int rc = 0;
        for (size_t j = 0; p->n && j < n && !rc; j++)
            rc = ls_findings_store(databases[j], p->pid, p->findings, p->n, &error);
        if (rc < 0)
            message_free(error);
    }
}

size_t check_results_errors(const struct check_results *c)
{
    return c->races + c->lanes + c->uninit + c->stale;
}

static void add_count(char *out, size_t size, size_t n, const char *one, const char *many)
{
    size_t used = strlen(out);
    if (n)
        snprintf(out + used, size - used, "%s%zu %s", used ? ", " : "", n, n == 1 ? one : many);
}

void check_results_print(const struct check_results *c, const char *what)
{
    char found[256] = "";
    add_count(found, sizeof found, c->races, "race", "races");
    add_count(found, sizeof found, c->lanes, "store whose lanes contradict each other",
              "stores whose lanes contradict each other");
    add_count(found, sizeof found, c->uninit, "read of unwritten LDS", "reads of unwritten LDS");
    add_count(found, sizeof found, c->stale, "read that finds what is no longer there",
              "reads that find what is no longer there");
    add_count(found, sizeof found, c->notes, "place where the same value is written twice (harmless)",
              "places where the same value is written twice (harmless)");
    if (!c->dispatches)
        message("check (%s): no kernel ran to its end on the software GPU", what);
    else
        message("check (%s): %s in %lld dispatch%s%s", what, *found ? found : "nothing found",
                (long long)c->dispatches, c->dispatches == 1 ? "" : "es",
                c->lost ? "; there were more, which were not kept" : "");
}

void check_results_free(struct check_results *c)
{
    for (size_t i = 0; i < c->n; i++) {
        for (size_t j = 0; j < c->processes[i].n_documents; j++)
            json_decref(c->processes[i].documents[j]);
        free(c->processes[i].documents);
        free(c->processes[i].findings);
    }
    free(c->processes);
}
