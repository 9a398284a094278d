/* gpu.c - the setting that chooses a GPU, by the names in the table of GPUs. */
#include "parse.h"

#include <stdio.h>
#include <string.h>

/* "gfx942", "gfx942x2" */
static bool named(const char *text, struct ls_gpu_choice *out)
{
    const struct ls_gpu *gpu;
    for (size_t i = 0; (gpu = ls_gpu_emulated_at(i)); i++) {
        size_t n = strlen(gpu->name);
        uint64_t count = 1;
        if (strncmp(text, gpu->name, n) || (text[n] && text[n] != 'x'))
            continue;
        if (text[n] && (!ls_parse_number(text + n + 1, &count) || count < 1 || count > LS_GPUS_MAX))
            return false;
        out->gpu = gpu;
        out->count = (unsigned)count;
        return true;
    }
    return false;
}

bool ls_parse_gpu(const char *text, struct ls_gpu_choice *out)
{
    *out = (struct ls_gpu_choice){.count = 1};
    if (!strcmp(text, "auto"))
        return true;
    out->kind = LS_GPU_HARDWARE;
    if (!strcmp(text, "hw"))
        return true;
    out->kind = LS_GPU_SOFTWARE;
    if (!strcmp(text, "soft")) {
        out->gpu = ls_gpu_default();
        return true;
    }
    return !strncmp(text, "soft:", 5) && named(text + 5, out);
}

const char *ls_gpu_accepted(void)
{
    static __thread char text[320];
    char names[256];
    snprintf(text, sizeof text, "auto, hw, soft, %s (x2 to x%d behind it for several GPUs)",
             ls_gpu_names(names, sizeof names, "soft:", ", ", " or "), LS_GPUS_MAX);
    return text;
}

bool ls_parse_gpus(const char *text, const struct ls_gpu *gpus[LS_GPUS_MAX], size_t *n)
{
    for (*n = 0; *text;) {
        char name[32];
        size_t length = strcspn(text, ",");
        if (!length || length >= sizeof name || *n == LS_GPUS_MAX || (text[length] && !text[length + 1]))
            return false;
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        const struct ls_gpu *gpu = strchr(name, ':') ? NULL : ls_gpu_find(name);
        if (!ls_gpu_has_models(gpu))
            return false;
        for (size_t i = 0; i < *n; i++)
            if (gpus[i] == gpu)
                return false;
        gpus[(*n)++] = gpu;
        text += length + (text[length] != 0);
    }
    return true;
}

const char *ls_gpus_accepted(void)
{
    static __thread char text[320];
    const struct ls_gpu *gpu;
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "up to %d names of GPUs, each once, separated by commas:", LS_GPUS_MAX);
    for (size_t i = 0; (gpu = ls_gpu_at(i)) && at < sizeof text; i++)
        if (ls_gpu_has_models(gpu))
            at += (size_t)snprintf(text + at, sizeof text - at, " %s", gpu->name);
    return text;
}
