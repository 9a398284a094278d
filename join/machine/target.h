/* target.h - the GPU in the name of a target: "amdgcn-amd-amdhsa--gfx90a:xnack+", or the GPU's name alone. */
#ifndef JOIN_TARGET_H
#define JOIN_TARGET_H

#include <string.h>

static inline const char *ls_target_gpu(const char *target)
{
    const char *at = strstr(target, "--");
    return at ? at + strlen("--") : target;
}

#endif
