/*
 * topology_tree.h - what the files that fill the tree share.
 */
#ifndef SOFT_GPU_KFD_TOPOLOGY_TREE_H
#define SOFT_GPU_KFD_TOPOLOGY_TREE_H

#include <stdbool.h>
#include "topology.h"

struct tree {
    struct topology_file *file;
    unsigned count;
    bool failed;
};

/* A file or link with `content`, which becomes the tree's; NULL: out of memory. */
void topology_add_entry(struct tree *t, const char *path, char *content, bool is_link);
/* A file with formatted text. */
__attribute__((format(printf, 3, 4))) void topology_add(struct tree *t, const char *path, const char *format,
                                                        ...);
/* The text of the file that was added last is asked of the driver whenever somebody opens it. */
void topology_live(struct tree *t, enum topology_live what, unsigned g);
/* Bytes of memory of this machine. */
uint64_t topology_host_memory(void);
/* topology_device.c: the files of GPU `g` as a PCI and DRM device. */
void topology_add_device(struct tree *t, const struct soft_config *c, unsigned g);

#endif
