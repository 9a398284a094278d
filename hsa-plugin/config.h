/* config.h - settings of the tool library, from LANESCOPE_* variables (README.md lists them). */
#ifndef HSA_PLUGIN_CONFIG_H
#define HSA_PLUGIN_CONFIG_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lanescope/defaults.h"

/* Dispatch numbers of one kernel, counted from 1; both ends belong to it. */
struct ls_range {
    uint64_t first, last;
};

struct ls_config {
    /* Copies: programs that write over their environment (to change their title) do not change these. */
    char *output;     /* with placeholders */
    char *handlers;   /* comma list */
    char *module_dir; /* NULL: beside the library */
    char *gpu;
    char *argv_json; /* or NULL */
    bool has_include, has_exclude;
    regex_t include, exclude;
    struct ls_range *ranges; /* none: all */
    size_t n_ranges;
    uint64_t ring_bytes; /* 0: as many chunks as holding needs */
    uint32_t chunk_shift;
    bool drop_on_full;
    bool summary;          /* count accesses on the GPU */
    bool lives;            /* wavefronts report when they end: a handler asked for it, no setting */
    uint32_t sample_waves; /* every n-th wavefront reports; 1: all */
    bool filter_blocks;
    uint32_t block_lo[3], block_hi[3]; /* lo <= id < hi */
    enum ls_sources sources;
    int log_level;
    uint32_t finish_timeout; /* seconds without progress after which the end of the program waits no more */
};

/* Reads the environment. 0, or -1 with *error (malloc'd: the variable, what is wrong, what is accepted). */
int ls_config_load(struct ls_config *c, char **error);
void ls_config_free(struct ls_config *c);

/* "[1-2],[5-8]", "3", "1-2,5": 0 or -1. *ranges is malloc'd. */
int ls_parse_ranges(const char *text, struct ls_range **ranges, size_t *n);
bool ls_in_ranges(const struct ls_range *ranges, size_t n, uint64_t number);
/* "x0:x1,y0:y1,z0:z1", each half open; "N" stands for N:N+1, an empty bound or axis for no limit. 0 or -1. */
int ls_parse_blocks(const char *text, uint32_t lo[3], uint32_t hi[3]);
/* Bytes with an optional suffix K, M or G (powers of 1024). 0 or -1. */
int ls_parse_size(const char *text, uint64_t *value);
/* Whether kernels of that (demangled) name are to be observed. */
bool ls_config_kernel(const struct ls_config *c, const char *demangled);

#endif
