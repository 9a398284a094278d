/* parse.h - one parser per type of setting.
 * Words and signs that are not named here are refused, spaces too. */
#ifndef SETTINGS_PARSE_H
#define SETTINGS_PARSE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gpus/gpus.h"

/* Dispatch numbers of one kernel, counted from 1; both ends belong to it. */
struct ls_range {
    uint64_t first, last;
};

/* Decimal digits alone. */
bool ls_parse_number(const char *text, uint64_t *value);
/* true, yes, on, 1; false, no, off, 0; in any case of letters. */
bool ls_parse_boolean(const char *text, bool *value);
/* Bytes with an optional suffix K, M or G (powers of 1024), also in small letters. */
bool ls_parse_size(const char *text, uint64_t *value);
/* "1/N" or "N". */
bool ls_parse_every(const char *text, uint64_t *n);
/* "[1-2],[5-8]", "3", "1-2,5". *ranges is malloc'd; false also when out of memory. */
bool ls_parse_ranges(const char *text, struct ls_range **ranges, size_t *n);
/* Whether a number is in one of them; none: in all. */
bool ls_in_ranges(const struct ls_range *ranges, size_t n, uint64_t number);
/* "x0:x1,y0:y1,z0:z1", each half open; "N" stands for N:N+1, an empty bound or axis for no limit. */
bool ls_parse_blocks(const char *text, uint32_t lo[3], uint32_t hi[3]);
/* Number of `text` in a NULL-terminated list. */
bool ls_parse_choice(const char *text, const char *const *names, uint64_t *index);
/* Names of such a list with commas between; bit n of *bits: name n. */
bool ls_parse_set(const char *text, const char *const *names, uint64_t *bits);
/* How many characters a POSIX extended regular expression has when what is repeated is written out, as the C
 * library does it: `a{0,32767}` takes it minutes, and twenty `+` after each other gigabytes. From 8192 on: at
 * least as many. */
uint64_t ls_regex_size(const char *text);
/* A POSIX extended regular expression; give it to regfree(). Else why not, in `why`; so it is when it is too
 * large. */
bool ls_parse_regex(const char *text, regex_t *re, char *why, size_t size);

enum ls_gpu_kind { LS_GPU_AUTO, LS_GPU_HARDWARE, LS_GPU_SOFTWARE };
enum { LS_GPUS_MAX = 8 };
struct ls_gpu_choice {
    enum ls_gpu_kind kind;
    const struct ls_gpu *gpu; /* that the software GPU is; NULL for other kinds */
    unsigned count;           /* 1 to LS_GPUS_MAX */
};
/* auto, hw, soft[:NAME[xCOUNT]]. */
bool ls_parse_gpu(const char *text, struct ls_gpu_choice *out);
/* What that accepts, in words; valid until the thread's next call. */
const char *ls_gpu_accepted(void);
/* Names of GPUs whose LDS or caches the models know, each once, separated by commas; "": none. */
bool ls_parse_gpus(const char *text, const struct ls_gpu *gpus[LS_GPUS_MAX], size_t *n);
/* What that accepts, in words; valid until the thread's next call. */
const char *ls_gpus_accepted(void);

#endif
