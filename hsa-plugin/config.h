/* config.h - settings of the tool library, from LANESCOPE_* variables (README.md lists them). */
#ifndef HSA_PLUGIN_CONFIG_H
#define HSA_PLUGIN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lanescope/defaults.h"
#include "settings/parse.h"

struct ls_config {
    /* Copies: programs that write over their environment (to change their title) do not change these. */
    char *output;                         /* with placeholders */
    char *handlers;                       /* comma list */
    const struct ls_gpu *as[LS_GPUS_MAX]; /* GPUs that the same accesses are priced on, too */
    size_t n_as;
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
    bool ring_write_back;  /* wavefronts write the L2 back when they hand over, though nothing asks for it */
    bool summary;          /* count accesses on the GPU */
    uint32_t summary_few;  /* wavefronts of a dispatch that then send their first messages (LS_CTX_FEW) */
    bool selected_regions; /* nothing is observed before roctxProfilerResume */
    bool alone;            /* kernels without a clone are observed, too: the software GPU reports */
    bool originals; /* nothing is observed: a check wants the order of wavefronts, which probes change */
    bool lives;     /* wavefronts report when they end: a handler asked for it, no setting */
    uint32_t sample_waves; /* every n-th wavefront reports; 1: all */
    bool filter_blocks;
    uint32_t block_lo[3], block_hi[3]; /* lo <= id < hi */
    enum ls_sources sources;
    int log_level;
    uint32_t decode_threads; /* 0: by the processors */
    uint32_t finish_timeout; /* seconds without progress after which the end of the program waits no more */
};

/* Reads the environment. 0, or -1 with *error (malloc'd: the variable, what is wrong, what is accepted). */
int ls_config_load(struct ls_config *c, char **error);
void ls_config_free(struct ls_config *c);

/* Whether kernels of that (demangled) name are to be observed. */
bool ls_config_kernel(const struct ls_config *c, const char *demangled);

#endif
