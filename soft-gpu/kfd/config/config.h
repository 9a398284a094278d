/*
 * config.h - what the environment asks for. The launcher (`lanescope run`) sets the variables.
 */
#ifndef SOFT_GPU_KFD_CONFIG_H
#define SOFT_GPU_KFD_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include "soft-gpu/isa/engine.h"
#include "settings/parse.h"

#define GPUS_MAX ((unsigned)LS_GPUS_MAX)

struct soft_config {
    bool enabled; /* false after a bad value: the process sees the machine as it is */
    const struct ls_gpu *arch;
    unsigned gpus;
    unsigned threads;     /* LANESCOPE_SOFT_THREADS, 0 = one per core */
    char access_log[512]; /* LANESCOPE_SOFT_ACCESS_LOG as given; empty = none */
    bool poison;          /* LANESCOPE_SOFT_POISON */
    bool shuffle;         /* LANESCOPE_SOFT_SHUFFLE */
    uint64_t seed;
    bool interpret_all; /* LANESCOPE_SOFT_INTERPRET: never do a dispatch as a whole */
    unsigned check;     /* LANESCOPE_SOFT_CHECK: SG_CHECK_* */
    /* LANESCOPE_SOFT_CHECK_DIRECTORY: findings go to PID.json there; empty: none */
    char check_directory[512];
    char counts[512];       /* LANESCOPE_SOFT_COUNTS: kernels' instructions go to that file; empty: none */
    bool exact_matrix;      /* LANESCOPE_SOFT_EXACT_MATRIX: matrix products round as hardware does */
    unsigned stall_seconds; /* LANESCOPE_SOFT_STALL */
    bool stall_stops;       /* LANESCOPE_SOFT_STALL_STOP */
    bool link_atomics;      /* LANESCOPE_SOFT_LINK_ATOMICS: what the link to the host is said to have */
    bool weak;              /* LANESCOPE_SOFT_MEMORY: memory is weak */
    uint64_t weak_seed;
};

/* Read once, at first use. */
const struct soft_config *soft_config(void);
/* Name of the access log of GPU `index` of this process: %p replaced by the process id, %% by one percent
 * sign; a second GPU's log gets the suffix ".gpu1" and so on. False when it does not fit. */
bool soft_config_log(const struct soft_config *c, unsigned index, char *out, size_t size);

#endif
