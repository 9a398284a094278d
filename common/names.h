/* names.h - names of files and functions, and what they say by themselves. */
#ifndef COMMON_NAMES_H
#define COMMON_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What stands behind the last slash of a path; the path itself when it has none. Points into `path`. */
static inline const char *ls_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The path without empty components and ".", and with `ups` without "..", too, in `out`, as long as it. Where a folder is a
 * symbolic link ".." leads elsewhere, so what is opened keeps them. */
static inline void ls_plain_path(const char *path, bool ups, char *out)
{
    const bool rooted = *path == '/';
    size_t n = 0, depth = 0; /* components that a ".." takes back */
    while (*path) {
        const size_t length = strcspn(path, "/");
        const bool up = ups && length == 2 && !memcmp(path, "..", 2), stay = length == 1 && *path == '.';
        if (up && depth) {
            while (n && out[n - 1] != '/')
                n--;
            n -= n > 0;
            depth--;
        } else if (length && !stay && !(up && rooted)) {
            if (n || rooted)
                out[n++] = '/';
            memmove(out + n, path, length);
            n += length;
            depth += !up;
        }
        path += length;
        path += *path == '/';
    }
    if (rooted && !n)
        out[n++] = '/';
    out[n] = 0;
}

#define LS_FOLDERS_PATH_MAX 4096

/* Whether `path` lies in `folder` or below, by their names alone, for the machine may be another one: links are not followed. "" and "."
 * hold nothing, and nothing so long holds anything or lies anywhere. */
static inline bool ls_below_folder(const char *path, const char *folder)
{
    char a[LS_FOLDERS_PATH_MAX], b[LS_FOLDERS_PATH_MAX];
    if (strlen(path) >= sizeof a || strlen(folder) >= sizeof b)
        return false;
    ls_plain_path(path, true, a);
    ls_plain_path(folder, true, b);
    const size_t n = strlen(b);
    return n && !strncmp(a, b, n) && (b[n - 1] == '/' || a[n] == '/');
}

/* How many characters stand before `suffix` at the end of a name; 0: it does not end so, or is nothing else. */
static inline size_t ls_stem(const char *name, const char *suffix)
{
    const size_t n = strlen(name), m = strlen(suffix);
    return n > m && !strcmp(name + n - m, suffix) ? n - m : 0;
}

/* How many characters of a linkage name stand before what clang adds with -fgpu-rdc, so that names that only one file knows
 * differ in one program: ".intern." of functions, ".static." of variables (and of functions before LLVM 15), and a hash of
 * the compilation, or with -fuse-cuid=none numbers of the file, '_' and a hash (clang's CodeGenModule,
 * printPostfixForExternalizedDecl). */
static inline size_t ls_without_unit(const char *mangled)
{
    static const char *const marks[] = {".intern.", ".static."};
    const size_t n = strlen(mangled), mark = 8;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *at = strstr(mangled, marks[i]), *hash = at ? at + mark : NULL;
        if (hash && at > mangled && *hash && strspn(hash, "0123456789abcdef_") == strlen(hash))
            return (size_t)(at - mangled);
    }
    return n;
}

/* How the names of the kernels begin that HIP and OpenCL bring along, to fill and copy memory. */
#define LS_RUNTIME_KERNEL "__amd_rocclr_"

static inline bool ls_is_runtime_kernel(const char *mangled)
{
    return !strncmp(mangled, LS_RUNTIME_KERNEL, sizeof LS_RUNTIME_KERNEL - 1);
}

#endif
