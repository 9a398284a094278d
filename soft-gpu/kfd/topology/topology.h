/*
 * topology.h - what /sys says about the emulated GPUs.
 */
#ifndef SOFT_GPU_KFD_TOPOLOGY_H
#define SOFT_GPU_KFD_TOPOLOGY_H

#include <stdint.h>
#include "soft-gpu/kfd/config/config.h"

uint32_t gpu_id_of(unsigned index);
/* The number by which tools know a card: distinct, and the same in KFD's and DRM's files. */
#define GPU_UNIQUE_ID(index) (0x0123456789abcdefull + (index))
#define RENDER_MINOR_FIRST 128u
#define DRM_MAJOR 226u
#define KFD_MAJOR 511u

/* Numbers that change while the program runs. */
enum topology_live {
    LIVE_NONE,
    LIVE_VRAM_USED,
    LIVE_GTT_USED,
};

/* One file of the tree. */
struct topology_file {
    char *path;
    char *content; /* of a live one: before the driver exists */
    bool is_link;
    enum topology_live live;
    unsigned gpu; /* whose, of a live one */
};

/* All files, sorted by path. Allocated once and never freed. *count is 0 when out of memory. */
const struct topology_file *topology_files(const struct soft_config *config, unsigned *count);

#endif
