/* targets.c - which GPUs a code object's target serves, and what is known of these. */
#include "gpus.h"
#include "table.h"

#include <string.h>

/* LLVM, AMDGPUUsage, "Generic processor code objects": a name in blanks is one of the GPUs that the target serves. */
static const struct {
    const char *target, *gpus;
} generic[] = {
    {"gfx9-generic", " gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c "},
    {"gfx9-4-generic", " gfx940 gfx941 gfx942 gfx950 "},
    {"gfx10-1-generic", " gfx1010 gfx1011 gfx1012 gfx1013 "},
    {"gfx10-3-generic", " gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 "},
    {"gfx11-generic", " gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 "},
    {"gfx12-generic", " gfx1200 gfx1201 "},
};

static bool is_word(const char *words, const char *word, size_t n)
{
    for (const char *at = words; (at = strstr(at, word)); at += n)
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

bool ls_gpu_may_run(const char *gpu, const char *target)
{
    const size_t n = strcspn(target, ":"), digits = 3 + strspn(target + (n < 3 ? n : 3), "0123456789abcdef");
    if (strncmp(target, "gfx", 3) != 0)
        return true;
    if (n > 3 && digits == n)
        return strlen(gpu) == n && !memcmp(gpu, target, n);
    for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
        if (strlen(generic[i].target) == n && !memcmp(generic[i].target, target, n))
            return is_word(generic[i].gpus, gpu, strlen(gpu));
    return true;
}

bool ls_gpu_target_has_models(const char *target)
{
    for (size_t i = 0; i < ls_n_gpus; i++)
        if (ls_gpu_may_run(ls_gpus[i].name, target) && ls_gpu_has_models(&ls_gpus[i]))
            return true;
    return false;
}
