/*
 * plugin.c - the plugin takes LLVM's symbols from the process. comgr is loaded RTLD_LOCAL, and so is its
 * libLLVM. It stays so: made global, it would answer for the LLVM inside another library too (Triton's code generator), and two LLVMs
 * that share their tables of options end the program. Where another LLVM would answer us, or comgr holds LLVM inside itself, the
 * plugin cannot be loaded.
 */
#include "plugin.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "hsa-plugin/beside.h"

/* The library that comgr names in DT_NEEDED: libLLVM-15.so.1, libLLVM.so.19.1. NULL: none. */
static const char *llvm_name(const struct comgr *c, int *major)
{
    Dl_info info;
    struct link_map *map;
    const char *strings = NULL;
    if (!dladdr1((void *)(uintptr_t)c->action, &info, (void **)&map, RTLD_DL_LINKMAP))
        return NULL;
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            strings = (const char *)d->d_un.d_ptr; /* glibc has added the load address */
    for (const ElfW(Dyn) *d = map->l_ld; strings && d->d_tag != DT_NULL; d++) {
        const char *name = strings + d->d_un.d_val;
        if (d->d_tag == DT_NEEDED &&
            (sscanf(name, "libLLVM-%d.so", major) == 1 || sscanf(name, "libLLVM.so.%d", major) == 1))
            return name;
    }
    return NULL;
}

bool rtc_llvm_inside(const struct comgr *c)
{
    int major;
    return !llvm_name(c, &major);
}

/* Whether two libraries' LLVM symbols are those of one library. */
static bool same_library(const void *a, const void *b)
{
    Dl_info x, y;
    return a && b && dladdr(a, &x) && dladdr(b, &y) && x.dli_fbase == y.dli_fbase;
}

/* Whether LLVM `name` (comgr's) is the only one in the process's global scope, where the plugin's symbols are looked up
 * first. */
static bool alone(const char *name)
{
    const char *symbol = "LLVMContextCreate";
    void *llvm = dlopen(name, RTLD_NOLOAD | RTLD_LAZY), *global = dlsym(RTLD_DEFAULT, symbol);
    bool ok = llvm && (!global || same_library(global, dlsym(llvm, symbol)));
    if (llvm)
        dlclose(llvm);
    return ok;
}

/* LLVM makes the whole compile fail when its plugin cannot be loaded: found out before. `with_llvm` loads the plugin
 * with its LLVM in reach (llvm-pass/comgr_plugin.c), which must be comgr's, and keeps it, as LLVM does. */
static bool loads(const char *with_llvm, const char *name, char why[PLUGIN_WHY])
{
    void *both = dlopen(with_llvm, RTLD_NOW | RTLD_LOCAL);
    if (!both || !dlsym(both, "llvmGetPassPluginInfo")) {
        const char *error = dlerror();
        snprintf(why, PLUGIN_WHY, "%s", error ? error : with_llvm);
        return false;
    }
    void *llvm = dlopen(name, RTLD_NOLOAD | RTLD_LAZY);
    bool ok = llvm && same_library(dlsym(both, "LLVMContextCreate"), dlsym(llvm, "LLVMContextCreate"));
    if (!ok)
        snprintf(why, PLUGIN_WHY, "%s is for another LLVM than comgr's %s", with_llvm, name);
    if (llvm)
        dlclose(llvm);
    return ok;
}

/* The installed piece of that name, or NULL. */
static char *installed(const char *form, int major)
{
    char piece[64];
    snprintf(piece, sizeof piece, form, major);
    char *path = ls_beside(piece);
    if (path && !access(path, R_OK))
        return path;
    free(path);
    return NULL;
}

char *rtc_plugin(const struct comgr *c, char why[PLUGIN_WHY])
{
    int major = 0;
    const char *name = llvm_name(c, &major);
    if (!name)
        return NULL;
    char *path = installed("liblanescope-pass-%d.so", major);
    char *with_llvm = installed("liblanescope-comgr-%d.so", major);
    bool ok = false;
    if (!path || !with_llvm)
        snprintf(why, PLUGIN_WHY,
                 "comgr compiles with LLVM %d, for which no plugin is installed; build Lanescope where "
                 "llvm-%d-dev is installed",
                 major, major);
    else if (!alone(name))
        snprintf(why, PLUGIN_WHY, "the program has loaded another LLVM than comgr's %s", name);
    else
        ok = loads(with_llvm, name, why);
    free(with_llvm);
    if (!ok) {
        free(path);
        path = NULL;
    }
    return path;
}
