/* lanescope list gpus: what `run --gpu` accepts, and what is known of each GPU in the table (gpus/). */
#include "list_gpus.h"
#include "cli/common/cli.h"
#include "gpus/gpus.h"
#include "cli/common/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 14 };

static void print_name(const char *before, const char *name)
{
    printf("  %s%-*s ", before, NAME_WIDTH - (int)strlen(before), name);
}

static void print_fact(const char *what)
{
    printf("  %*s %s", NAME_WIDTH, "", what);
}

static const char *const width_bytes[LS_LDS_WIDTHS] = {"4", "8", "12", "16"};

/* "reads of 4, 8, 16 bytes"; `n`: how many were named before. */
static void print_widths(const char *what, const struct ls_lds_phases phases[LS_LDS_WIDTHS], unsigned *n)
{
    const char *before = *n ? " and " : "";
    for (unsigned i = 0, here = 0; i < LS_LDS_WIDTHS; i++)
        if (phases[i].measured) {
            printf("%s%s%s", here ? ", " : before, here ? "" : what, width_bytes[i]);
            here++;
            ++*n;
        }
}

static void print_lds(const struct ls_gpu *gpu)
{
    unsigned n = 0;
    if (!gpu->lds) {
        print_fact("no bank conflicts: how its LDS serves lanes is not known\n");
        return;
    }
    print_fact("bank conflicts: ");
    printf(ls_gpu_lds_any(gpu, true) ? "as measured for " : "assumed from related GPUs");
    print_widths("reads of ", gpu->lds->read, &n);
    print_widths("writes of ", gpu->lds->write, &n);
    printf("%s\n", !n ? "" : ls_gpu_lds_any(gpu, false) ? " bytes, assumed for others" : " bytes");
}

static void print_lines(const struct ls_gpu *gpu)
{
    if (!gpu->l1_line) {
        print_fact("no cache lines: their size is not known\n");
        return;
    }
    print_fact("cache lines: ");
    printf("%u bytes in L1, %u in L2%s\n", gpu->l1_line, gpu->l2_line, gpu->lines_assumed ? ", assumed" : "");
}

static bool is_taken_by_auto(const struct ls_gpu *gpu)
{
    return gpu == ls_gpu_default() && !has_kfd();
}

static void print_gpu(const struct ls_gpu *gpu)
{
    const bool emulated = ls_gpu_emulated(gpu), known = ls_gpu_has_models(gpu);
    print_name(emulated ? "soft:" : "", gpu->name);
    if (emulated)
        printf("software GPU, as %s (%s)%s%s", gpu->card->name, gpu->family->generation,
               piece_exists(PIECE_SOFT_GPU) ? "" : "; not installed",
               is_taken_by_auto(gpu) ? "; what `run` takes here" : "");
    else
        printf("%s, as hardware only", gpu->family->generation);
    if (!known)
        printf(": dispatches and times are recorded, no bank conflicts and no cache lines");
    printf("\n");
    if (!known)
        return;
    print_lds(gpu);
    print_lines(gpu);
}

static json_t *measured_widths(const struct ls_lds_phases phases[LS_LDS_WIDTHS])
{
    json_t *list = json_array();
    for (unsigned i = 0; i < LS_LDS_WIDTHS; i++)
        if (phases[i].measured)
            json_array_append_new(list, json_integer(atoi(width_bytes[i])));
    return list;
}

static json_t *gpu_json(const struct ls_gpu *gpu)
{
    const bool emulated = ls_gpu_emulated(gpu);
    char option[64];
    snprintf(option, sizeof(option), "soft:%s", gpu->name);
    json_t *lds = gpu->lds ? json_pack("{s:o, s:o}", "measured_reads", measured_widths(gpu->lds->read),
                                       "measured_writes", measured_widths(gpu->lds->write))
                           : json_null();
    json_t *lines = gpu->l1_line ? json_pack("{s:i, s:i, s:b}", "l1_bytes", (int)gpu->l1_line, "l2_bytes",
                                             (int)gpu->l2_line, "assumed", gpu->lines_assumed)
                                 : json_null();
    return json_pack("{s:s, s:s, s:o, s:o, s:b, s:o, s:o}", "name", gpu->name, "generation",
                     gpu->family->generation, "option", emulated ? json_string(option) : json_null(), "card",
                     emulated ? json_string(gpu->card->name) : json_null(), "auto", is_taken_by_auto(gpu),
                     "lds", lds, "cache_lines", lines);
}

json_t *gpus_json(void)
{
    const struct ls_gpu *gpu;
    json_t *list = json_array();
    for (size_t i = 0; (gpu = ls_gpu_at(i)); i++)
        json_array_append_new(list, gpu_json(gpu));
    return list;
}

void list_gpus(void)
{
    const struct ls_gpu *gpu;
    printf("GPUs, for `lanescope run --gpu`:\n");
    print_name("", "hw");
    printf("%s\n", has_kfd() ? "the hardware: the GPUs behind /dev/kfd"
                             : "the hardware: there is none here (no /dev/kfd)");
    for (size_t i = 0; (gpu = ls_gpu_at(i)); i++)
        print_gpu(gpu);
}
