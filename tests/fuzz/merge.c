/*
 * merge.c - a results database with wrong bytes, merged with itself, or with others behind it. What merge.h calls finished can be read
 * like a recording; whatever it refuses leaves nothing open.
 */
#include "results/merge/merge.h"
#include "fuzz.h"
#include "results/reader/reader.h"

#include <stdio.h>
#include <stdlib.h>

/* An empty file for the merged database, in the build folder (run-one): SQLite opens no file of memory for writing. */
static const char *new_file(void)
{
    static const char path[] = "merge.merged.db";
    FILE *f = fopen(path, "w");
    if (!f || fclose(f))
        abort();
    return path;
}

static void must_load(const char *path)
{
    char *error = NULL;
    struct ls_results *r = ls_results_open(path, &error);
    if (!r || ls_results_load(r, &error)) {
        fprintf(stderr, "a finished merge cannot be read: %s\n", error);
        abort();
    }
    ls_results_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *from = fuzz_file(data, size), *to = new_file();
    char *error = NULL;
    struct ls_merge *m = ls_merge_begin(to, &error);
    if (!m)
        abort();
    if (ls_merge_add(m, from, &error)) {
        ls_merge_drop(m);
    } else if (!ls_merge_finish(m, &error)) {
        must_load(to);
        m = ls_merge_begin(new_file(), &error);
        if (!m)
            abort();
        if (!ls_merge_add(m, from, &error) && !ls_merge_add(m, from, &error))
            abort(); /* it was added already */
        ls_merge_drop(m);
    }
    free(error);
    return 0;
}
