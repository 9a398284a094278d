/*
 * vfs.h - the files that a machine with our GPUs would show, kept in memory: nothing is written to disk, so
 * nothing is left behind however the process ends.
 */
#ifndef SOFT_GPU_KFD_VFS_H
#define SOFT_GPU_KFD_VFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "topology.h"

enum vfs_kind {
    VFS_NONE,    /* not ours: the real file system answers */
    VFS_MISSING, /* inside one of our trees, but there is no such file */
    VFS_DIR,
    VFS_FILE,
    VFS_LINK,
    VFS_KFD,    /* /dev/kfd */
    VFS_RENDER, /* /dev/dri/renderD* */
};

#define VFS_PATH_MAX 256u

struct vfs_node {
    enum vfs_kind kind;
    const char *content;     /* FILE: text; LINK: target */
    enum topology_live live; /* FILE: its text changes */
    unsigned gpu;            /* RENDER, live FILE: index */
    char path[VFS_PATH_MAX]; /* normalised */
};

/* Tells what `path` is. Fills *out unless VFS_NONE or VFS_MISSING is returned. */
enum vfs_kind vfs_lookup(const char *path, struct vfs_node *out);
/* A link to a directory becomes that directory. */
void vfs_follow(struct vfs_node *node);
/* Name of the `index`-th entry of the directory `dir` (a normalised path), NULL at the end. *is_dir tells its
 * type. The name is valid for ever. */
bool vfs_entry(const char *dir, unsigned index, char name[VFS_PATH_MAX], bool *is_dir);
/* A stat structure for a node. */
void vfs_stat(const struct vfs_node *node, struct stat *st);
/* What a live file of a GPU says now. */
typedef uint64_t (*vfs_live)(enum topology_live what, unsigned gpu);
/* A descriptor to read a FILE, or one that stands for a DIR. -1 and errno on failure. */
int vfs_open(const struct vfs_node *node, int flags, vfs_live live);
/* Is `fd` a descriptor of vfs_open for a directory? Then its path is written to *out. */
bool vfs_fd_path(int fd, char out[VFS_PATH_MAX]);

#endif
