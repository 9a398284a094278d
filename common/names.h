/* names.h - parts of file names. */
#ifndef COMMON_NAMES_H
#define COMMON_NAMES_H

#include <stddef.h>
#include <string.h>

/* What stands behind the last slash of a path; the path itself when it has none. Points into `path`. */
static inline const char *ls_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* How many characters stand before `suffix` at the end of a name; 0: it does not end so, or is nothing else. */
static inline size_t ls_stem(const char *name, const char *suffix)
{
    const size_t n = strlen(name), m = strlen(suffix);
    return n > m && !strcmp(name + n - m, suffix) ? n - m : 0;
}

/* How the names of the kernels begin that HIP and OpenCL bring along, to fill and copy memory. */
#define LS_RUNTIME_KERNEL "__amd_rocclr_"

#endif
/* How many characters of a linkage name stand before what clang adds with -fgpu-rdc, so that names that only one file knows
 * differ in one program: ".intern." of functions, ".static." of variables (and of functions before LLVM 15), and a hash of
 * the compilation (clang's CodeGenModule, printPostfixForExternalizedDecl). */
static inline size_t ls_without_unit(const char *mangled)
{
    static const char *const marks[] = {".intern.", ".static."};
    const size_t n = strlen(mangled), mark = 8;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *at = strstr(mangled, marks[i]), *hash = at ? at + mark : NULL;
        if (hash && at > mangled && *hash && strspn(hash, "0123456789abcdef") == strlen(hash))
            return (size_t)(at - mangled);
    }
    return n;
}

