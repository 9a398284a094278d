/*
 * parts.h - the parts of the self-test that run on the GPU. Each fills a JSON object of its own; what is wrong goes into
 * the array "problems" of that, one sentence each. Nothing in it tells who ran it or where: no names of hosts, users or
 * files, no serial numbers.
 */
#ifndef SELFTEST_PARTS_H
#define SELFTEST_PARTS_H

#include <jansson.h>
#include "gpu.h"

enum code_kind { CODE_PLAIN, CODE_PROBED }; /* device/work.c with probes; the others without */
/* The code object that was built for this GPU; NULL with a problem in `g`. */
const void *find_code(struct gpu *g, enum code_kind kind);
/* Loads it; false with a problem in `g`. */
bool load_code(struct gpu *g, enum code_kind kind, hsa_executable_t *out);

/* Adds a sentence to the problems of a part. */
void problem(json_t *part, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says on stdout what a part is about to try, so that of one that never ends it is known where it hangs. */
void part_at(const char *what);

void part_identity(struct gpu *g, json_t *part);
void part_atomics(struct gpu *g, json_t *part);
void part_rates(struct gpu *g, json_t *part);
void part_clocks(struct gpu *g, json_t *part);
void part_lds(struct gpu *g, json_t *part);
void part_coalescing(struct gpu *g, json_t *part);
void part_counters(struct gpu *g, json_t *part);
void part_ring(struct gpu *g, json_t *part);
void part_slow_ring(struct gpu *g, json_t *part);
void part_fast_ring(struct gpu *g, json_t *part);
void part_many_launches(struct gpu *g, json_t *part);
void part_launches(struct gpu *g, json_t *part);
void part_hip(struct gpu *g, json_t *part);

#endif
