/* gpus.c - see gpus.h. */
#include "table.h"

#include <stdio.h>
#include <string.h>

const struct ls_gpu *ls_gpu_at(size_t i)
{
    return i < ls_n_gpus ? &ls_gpus[i] : NULL;
}

static const struct ls_gpu *find(const char *name, size_t length)
{
    for (size_t i = 0; i < ls_n_gpus; i++)
        if (strlen(ls_gpus[i].name) == length && !memcmp(ls_gpus[i].name, name, length))
            return &ls_gpus[i];
    return NULL;
}

const struct ls_gpu *ls_gpu_find(const char *name)
{
    return name ? find(name, strcspn(name, ":")) : NULL;
}

const struct ls_gpu_family *ls_gpu_family_of(const char *name)
{
    const struct ls_gpu *gpu = ls_gpu_find(name);
    const struct ls_gpu_family *best = NULL;
    if (gpu)
        return gpu->family;
    for (size_t i = 0; name && i < ls_n_gpu_families; i++) {
        const struct ls_gpu_family *f = &ls_gpu_families[i];
        if (!strncmp(name, f->prefix, strlen(f->prefix)) &&
            (!best || strlen(f->prefix) > strlen(best->prefix)))
            best = f;
    }
    return best;
}

bool ls_gpu_counts_by_die(const struct ls_gpu_family *family)
{
    return family && family->probes == 94;
}

unsigned ls_gpu_lanes(const char *name)
{
    const struct ls_gpu_family *family = ls_gpu_family_of(name);
    return family ? family->lanes : 64;
}

unsigned ls_gpu_wave(const struct ls_gpu *gpu)
{
    return gpu->is_wide ? 2 * gpu->family->lanes : gpu->family->lanes;
}

const struct ls_gpu *ls_gpu_in_waves(const struct ls_gpu *gpu, unsigned lanes)
{
    return !gpu || ls_gpu_wave(gpu) == lanes              ? gpu
           : gpu->wide && ls_gpu_wave(gpu->wide) == lanes ? gpu->wide
                                                          : NULL;
}

bool ls_gpu_takes_waves(const struct ls_gpu *gpu, const char *ran_on, unsigned lanes)
{
    return gpu->family->lanes == lanes ||
           (ls_gpu_in_waves(gpu, lanes) && ls_gpu_lanes(ran_on) == gpu->family->lanes);
}

bool ls_gpu_has_models(const struct ls_gpu *gpu)
{
    return gpu && (gpu->lds || gpu->l1_line);
}

bool ls_gpu_emulated(const struct ls_gpu *gpu)
{
    return gpu->isa != LS_GPU_ISA_NONE && gpu->card;
}

const struct ls_gpu *ls_gpu_emulated_at(size_t i)
{
    for (size_t at = 0; at < ls_n_gpus; at++)
        if (ls_gpu_emulated(&ls_gpus[at]) && !i--)
            return &ls_gpus[at];
    return NULL;
}

const struct ls_gpu *ls_gpu_find_emulated(const char *name)
{
    const struct ls_gpu *gpu = ls_gpu_find(name);
    return gpu && ls_gpu_emulated(gpu) ? gpu : NULL;
}

const struct ls_gpu *ls_gpu_default(void)
{
    return ls_gpu_emulated_at(0);
}

char *ls_gpu_names(char *out, size_t size, const char *before, const char *between, const char *last)
{
    const struct ls_gpu *gpu;
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; (gpu = ls_gpu_emulated_at(i)) && at < size; i++) {
        const char *join = !i ? "" : ls_gpu_emulated_at(i + 1) ? between : last;
        at += (size_t)snprintf(out + at, size - at, "%s%s%s", join, before, gpu->name);
    }
    return out;
}

static bool any(const struct ls_lds_phases phases[LS_LDS_WIDTHS], bool measured)
{
    for (unsigned i = 0; i < LS_LDS_WIDTHS; i++)
        if (phases[i].measured == measured)
            return true;
    return false;
}

bool ls_gpu_lds_any(const struct ls_gpu *gpu, bool measured)
{
    return gpu->lds && (any(gpu->lds->read, measured) || any(gpu->lds->write, measured));
}
