/* database.c - a results database with wrong bytes: opened, loaded, summed up. */
#include "results/reader/findings.h"
#include "fuzz.h"
#include "results/reader/reader.h"

#include <stdlib.h>

static void read_all(struct ls_results *r)
{
    struct ls_r_total *totals = NULL;
    struct ls_r_row *rows = NULL;
    struct ls_r_call *calls = NULL;
    struct ls_finding *findings = NULL;
    size_t n, length;
    char *error = NULL;
    if (!ls_results_load(r, &error)) {
        (void)(ls_results_totals(r, &totals, &n, &error) || ls_results_rows(r, &rows, &n, &error) ||
               ls_results_calls(r, &calls, &n, &error) || ls_findings_load(r, &findings, &n, &error));
        for (size_t i = 0; i < r->n_files; i++)
            ls_file_line(&r->files[i], 3, &length);
    }
    free(error);
    free(totals);
    free(rows);
    free(calls);
    free(findings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *error = NULL;
    struct ls_results *r = ls_results_open(fuzz_file(data, size), &error);
    free(error);
    if (r) {
        read_all(r);
        ls_results_close(r);
    }
    return 0;
}
