/*
 * selftest.h - between the pieces of `lanescope selftest`. All of them work on one JSON object, the file that users send
 * back:
 *
 *     {"lanescope_selftest": 1, "version": "0.2.0", "gpu": "gfx90a", "software_gpu": true, "seconds": 9,
 *      "steps": [{"step": "ring of one chunk", "part": "ring", "problems": [], ...}, ...]}
 */
#ifndef CLI_SELFTEST_SELFTEST_H
#define CLI_SELFTEST_SELFTEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SELFTEST_KEY "lanescope_selftest"
enum { SELFTEST_FORMAT = 1 };

/* Runs all steps on the GPU that --gpu names (NULL: the one that `run` would take) and returns their array, or NULL
 * after a message with *code set. rocprofv3: path of the program whose counters the models are held against; NULL: they
 * are not. seconds: what a step may take before it is ended; 0: as long as is usual. Tells on a terminal what it is at. */
json_t *selftest_steps(const char *gpu, const char *rocprofv3, int seconds, int *code);
/* The object of the step that ran this part first; NULL: none did. */
const json_t *selftest_part(const json_t *file, const char *part);
/* How many sentences stand in the "problems" of all steps. */
size_t selftest_problems(const json_t *file);

/* Adds to the step of part "lds" what of its rows agrees with the table of GPUs, as "table" in each row. */
void selftest_judge_lds(json_t *file);
/* What a person reads. */
void selftest_page(const json_t *file, FILE *out);
/* The lane groups that were found, as lines of gpus/table.c, and how they differ from ours. */
void selftest_lds_page(const json_t *file, FILE *out);
/* Adds to the figures that say how lanes lie what our model makes of that, as "requests". */
void selftest_judge_coalescing(json_t *file);
/* What was measured: rates, clocks, coalescing. */
void selftest_figures_page(const json_t *file, FILE *out);
/* Sums up the figures of files of one GPU. */
void selftest_compare_figures(json_t *const *files, size_t n, FILE *out);
/* Whether an entry of "counts" is what our model says of its pattern. */
bool selftest_as_our_model(const json_t *count);
/* The hardware's counters beside the models, those that differ. */
void selftest_counts_page(const json_t *file, FILE *out);
/* Sums up files that users sent. Returns the exit code. */
int selftest_compare(char *const *files, size_t n, FILE *out);

#endif
