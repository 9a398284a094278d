/* beside.h - what is installed beside the library of which the including file is a part. */
#ifndef HSA_PLUGIN_BESIDE_H
#define HSA_PLUGIN_BESIDE_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The path of `name` in that library's folder, the caller's to free; NULL: the loader does not know it, or memory is out. */
static inline char *ls_beside(const char *name)
{
    Dl_info self;
    char *path = NULL;
    if (!dladdr((void *)(uintptr_t)ls_beside, &self) || !self.dli_fname)
        return NULL;
    const char *slash = strrchr(self.dli_fname, '/');
    const int n = slash ? (int)(slash - self.dli_fname) : 1;
    return asprintf(&path, "%.*s/%s", n, slash ? self.dli_fname : ".", name) < 0 ? NULL : path;
}

#endif
