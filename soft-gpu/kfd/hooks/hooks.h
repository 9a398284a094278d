/*
 * hooks.h - what the files with replaced C library functions share.
 */
#ifndef SOFT_GPU_KFD_HOOKS_H
#define SOFT_GPU_KFD_HOOKS_H

#include <dlfcn.h>

#define HOOK __attribute__((visibility("default")))

/* The function that we replace, looked up at first use. */
#define REAL(name)                                                                                           \
    ({                                                                                                       \
        static __typeof__(&name) found;                                                                      \
        if (!found)                                                                                          \
            found = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                              \
        found;                                                                                               \
    })

#endif
