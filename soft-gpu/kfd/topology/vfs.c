/*
 * vfs.c - path lookup in the sorted list of files; directories are the prefixes of file names.
 */
#include "vfs.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "soft-gpu/kfd/config/config.h"
#include "soft-gpu/kfd/raw.h"
#include "topology.h"

#define MEMFD_PREFIX "lanescope:"

static const struct topology_file *file;
static unsigned files;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void build(void)
{
    file = topology_files(soft_config(), &files);
}

/* Below these every name is ours, present or not. */
static const char *const roots[] = {
    "/sys/devices/virtual/kfd", "/sys/module/amdgpu", "/sys/dev/char/226:", "/sys/class/drm/", "/dev/dri",
};

static bool starts_with(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

/* Collapses "//" and "/./", drops a trailing slash, follows the one alias. False when it does not fit or has
 * "..": such a path is left to the real file system. */
static bool normalise(const char *path, char out[VFS_PATH_MAX])
{
    static const char alias[] = "/sys/class/kfd", target[] = "/sys/devices/virtual/kfd";
    size_t at = 0;
    while (*path) {
        while (*path == '/')
            path++;
        size_t n = strcspn(path, "/");
        if (n == 2 && path[0] == '.' && path[1] == '.')
            return false;
        if (n && !(n == 1 && path[0] == '.')) {
            if (at + n + 2 > VFS_PATH_MAX)
                return false;
            out[at++] = '/';
            memcpy(out + at, path, n);
            at += n;
        }
        path += n;
    }
    out[at] = 0;
    if (starts_with(out, alias) && (out[sizeof alias - 1] == '/' || !out[sizeof alias - 1])) {
        size_t grow = sizeof target - sizeof alias;
        if (at + grow + 1 > VFS_PATH_MAX)
            return false;
        memmove(out + sizeof target - 1, out + sizeof alias - 1, at - (sizeof alias - 1) + 1);
        memcpy(out, target, sizeof target - 1);
    }
    return true;
}

/* Could the path be ours? Cheap, and without building the tree. */
static bool interesting(const char *path)
{
    return path[0] == '/' && (starts_with(path, "/sys") || starts_with(path, "/dev") ||
                              starts_with(path, "/proc/modules") || path[1] == '/' || path[1] == '.');
}

/* First file whose path is not less than `path`. */
static unsigned lower_bound(const char *path)
{
    unsigned low = 0, high = files;
    while (low < high) {
        unsigned mid = low + (high - low) / 2;
        if (strcmp(file[mid].path, path) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool is_directory(const char *path)
{
    char prefix[VFS_PATH_MAX + 1];
    snprintf(prefix, sizeof prefix, "%s/", path);
    unsigned i = lower_bound(prefix);
    return i < files && starts_with(file[i].path, prefix);
}

/* /sys/class/drm/cardN, renderDM and the primary node's number are links to the place of the render node. The
 * GPU, and in *end where the link ends; -1: none. */
static int drm_link(const char *path, int *end)
{
    static const struct {
        const char *format;
        unsigned first; /* minor number of GPU 0 */
    } link[] = {{"/sys/class/drm/card%u%n", 0},
                {"/sys/class/drm/renderD%u%n", RENDER_MINOR_FIRST},
                {"/sys/dev/char/226:%u%n", 0}};
    const unsigned gpus = soft_config()->gpus;
    unsigned minor;
    for (size_t i = 0; i < sizeof link / sizeof *link; i++)
        if (sscanf(path, link[i].format, &minor, end) == 1 && (path[*end] == '/' || !path[*end]) &&
            minor >= link[i].first && minor < link[i].first + gpus)
            return (int)(minor - link[i].first);
    return -1;
}

static void leave_link(char path[VFS_PATH_MAX], int gpu, int end)
{
    char real[VFS_PATH_MAX];
    if (snprintf(real, sizeof real, "/sys/dev/char/%u:%u%s", DRM_MAJOR, RENDER_MINOR_FIRST + (unsigned)gpu,
                 path + end) < (int)sizeof real)
        strcpy(path, real);
}

void vfs_follow(struct vfs_node *node)
{
    int end, gpu = node->kind == VFS_LINK ? drm_link(node->path, &end) : -1;
    if (gpu >= 0) {
        leave_link(node->path, gpu, end);
        node->kind = VFS_DIR;
    }
}

static enum vfs_kind lookup_normalised(struct vfs_node *out)
{
    const struct soft_config *c = soft_config();
    unsigned minor;
    int end = 0;
    bool ours = !strcmp(out->path, "/dev/kfd") || !strcmp(out->path, "/proc/modules") ||
                !strcmp(out->path, "/sys/class/drm");
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
        ours |= starts_with(out->path, roots[i]);
    if (!ours || !c->enabled)
        return VFS_NONE;
    if (!strcmp(out->path, "/dev/kfd"))
        return VFS_KFD;
    if (!strcmp(out->path, "/dev/dri"))
        return VFS_DIR;
    if (sscanf(out->path, "/dev/dri/renderD%u%n", &minor, &end) == 1 && !out->path[end] &&
        minor >= RENDER_MINOR_FIRST && minor < RENDER_MINOR_FIRST + c->gpus) {
        out->gpu = minor - RENDER_MINOR_FIRST;
        return VFS_RENDER;
    }
    pthread_once(&once, build);
    int link_end, gpu = drm_link(out->path, &link_end);
    if (gpu >= 0 && (out->path[link_end] || starts_with(out->path, "/sys/dev")))
        leave_link(out->path, gpu, link_end);
    unsigned i = lower_bound(out->path);
    if (i < files && !strcmp(file[i].path, out->path)) {
        out->content = file[i].content;
        out->live = file[i].live;
        out->gpu = file[i].gpu;
        return file[i].is_link ? VFS_LINK : VFS_FILE;
    }
    if (is_directory(out->path))
        return VFS_DIR;
    return VFS_MISSING;
}

enum vfs_kind vfs_lookup(const char *path, struct vfs_node *out)
{
    out->kind = VFS_NONE;
    if (!path || !interesting(path) || !normalise(path, out->path))
        return VFS_NONE;
    out->content = NULL;
    out->live = LIVE_NONE;
    out->gpu = 0;
    out->kind = lookup_normalised(out);
    return out->kind;
}

bool vfs_entry(const char *dir, unsigned index, char name[VFS_PATH_MAX], bool *is_dir)
{
    char prefix[VFS_PATH_MAX + 1];
    if (!strcmp(dir, "/dev/dri")) {
        snprintf(name, VFS_PATH_MAX, "renderD%u", RENDER_MINOR_FIRST + index);
        *is_dir = false;
        return index < soft_config()->gpus;
    }
    pthread_once(&once, build);
    snprintf(prefix, sizeof prefix, "%s/", dir);
    size_t skip = strlen(prefix);
    const char *last = "";
    size_t last_length = 0;
    for (unsigned i = lower_bound(prefix); i < files && starts_with(file[i].path, prefix); i++) {
        const char *entry = file[i].path + skip;
        size_t n = strcspn(entry, "/");
        if (n == last_length && !strncmp(entry, last, n))
            continue; /* another file of the same subdirectory */
        last = entry;
        last_length = n;
        if (index--)
            continue;
        snprintf(name, VFS_PATH_MAX, "%.*s", (int)n, entry);
        *is_dir = entry[n] == '/';
        return true;
    }
    return false;
}

void vfs_stat(const struct vfs_node *node, struct stat *st)
{
    memset(st, 0, sizeof *st);
    st->st_nlink = 1;
    st->st_blksize = 4096;
    st->st_ino = 1;
    for (const char *c = node->path; *c; c++)
        st->st_ino = st->st_ino * 31 + (unsigned char)*c;
    switch (node->kind) {
    case VFS_DIR:
        st->st_mode = S_IFDIR | 0555;
        break;
    case VFS_LINK:
        st->st_mode = S_IFLNK | 0777;
        break;
    case VFS_KFD:
        st->st_mode = S_IFCHR | 0666;
        st->st_rdev = makedev(KFD_MAJOR, 0);
        break;
    case VFS_RENDER:
        st->st_mode = S_IFCHR | 0666;
        st->st_rdev = makedev(DRM_MAJOR, RENDER_MINOR_FIRST + node->gpu);
        break;
    default:
        st->st_mode = S_IFREG | 0444;
        st->st_size = node->content ? (off_t)strlen(node->content) : 0;
    }
}

int vfs_open(const struct vfs_node *node, int flags, vfs_live live)
{
    char name[VFS_PATH_MAX + sizeof MEMFD_PREFIX];
    if (node->kind == VFS_FILE && flags & O_DIRECTORY) {
        errno = ENOTDIR;
        return -1;
    }
    if ((flags & O_ACCMODE) != O_RDONLY) {
        errno = node->kind == VFS_DIR ? EISDIR : EACCES;
        return -1;
    }
    /* The name carries the path: memfd names are limited to 249 bytes. */
    if (snprintf(name, sizeof name, MEMFD_PREFIX "%s", node->path) > 249) {
        errno = ENAMETOOLONG;
        return -1;
    }
    char now[24];
    const char *content = node->kind == VFS_FILE ? node->content : "";
    if (node->live) {
        snprintf(now, sizeof now, "%llu\n", (unsigned long long)live(node->live, node->gpu));
        content = now;
    }
    int fd = memfd_create(name, flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
    size_t size = strlen(content);
    if (fd >= 0 && size && pwrite(fd, content, size, 0) != (ssize_t)size) {
        close(fd);
        errno = EIO;
        return -1;
    }
    return fd;
}

bool vfs_fd_path(int fd, char out[VFS_PATH_MAX])
{
    static const char prefix[] = "/memfd:" MEMFD_PREFIX, suffix[] = " (deleted)";
    char link[32], target[VFS_PATH_MAX + 64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = raw_readlinkat(AT_FDCWD, link, target, sizeof target - 1);
    if (n < 0)
        return false;
    target[n] = 0;
    char *end = strstr(target, suffix);
    if (!starts_with(target, prefix) || !end)
        return false;
    *end = 0;
    snprintf(out, VFS_PATH_MAX, "%s", target + sizeof prefix - 1);
    return true;
}
