/* lanescope list gpus: what `run --gpu` accepts, and what is known of each GPU in the table (gpus/). */
#include "list_gpus.h"
#include "cli/common/cli.h"
#include "gpus/gpus.h"
#include "cli/common/paths.h"

#include <stdio.h>
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

/* "reads of 4, 8, 16 bytes"; `n`: how many were named before. */
static void print_widths(const char *what, const struct ls_lds_phases phases[LS_LDS_WIDTHS], unsigned *n)
{
    static const char *const bytes[LS_LDS_WIDTHS] = {"4", "8", "12", "16"};
    const char *before = *n ? " and " : "";
    for (unsigned i = 0, here = 0; i < LS_LDS_WIDTHS; i++)
        if (phases[i].measured) {
            printf("%s%s%s", here ? ", " : before, here ? "" : what, bytes[i]);
            here++;
            ++*n;
        }
}

static void print_lds(const struct ls_gpu *gpu)
{
    unsigned n = 0;
    if (!gpu->lds) {
        print_fact("no model of LDS: bank conflicts are not reported\n");
        return;
    }
    print_fact(ls_gpu_lds_any(gpu, true) ? "LDS phases measured for " : "LDS phases assumed");
    print_widths("reads of ", gpu->lds->read, &n);
    print_widths("writes of ", gpu->lds->write, &n);
    printf("%s\n", !n ? "" : ls_gpu_lds_any(gpu, false) ? " bytes; assumed for others" : " bytes");
}

static void print_lines(const struct ls_gpu *gpu)
{
    if (!gpu->l1_line) {
        print_fact("no model of caches: cache lines are not reported\n");
        return;
    }
    print_fact("cache lines ");
    printf("%u bytes in L1, %u in L2%s\n", gpu->l1_line, gpu->l2_line, gpu->lines_assumed ? ", assumed" : "");
}

static void print_gpu(const struct ls_gpu *gpu)
{
    const bool emulated = ls_gpu_emulated(gpu), known = gpu->lds || gpu->l1_line;
    print_name(emulated ? "soft:" : "", gpu->name);
    if (emulated)
        printf("software GPU%s%s, as %s (%s)", piece_exists(PIECE_SOFT_GPU) ? "" : " (not installed)",
               gpu == ls_gpu_default() && !has_kfd() ? ", taken by --gpu auto here" : "", gpu->card->name,
               gpu->family->generation);
    else if (known)
        printf("only the models know it, the software GPU does not (%s)", gpu->family->generation);
    else
        printf("neither models nor the software GPU know it: its kernels are recorded (%s)",
               gpu->family->generation);
    if (emulated && !known)
        printf("; no model knows it");
    printf("\n");
    if (!emulated && !known)
        return;
    print_lds(gpu);
    print_lines(gpu);
}

void list_gpus(void)
{
    const struct ls_gpu *gpu;
    printf("GPUs (run --gpu):\n");
    print_name("", "hw");
    printf("%s\n", has_kfd() ? "the GPUs behind /dev/kfd" : "none: there is no /dev/kfd on this machine");
    for (size_t i = 0; (gpu = ls_gpu_at(i)); i++)
        print_gpu(gpu);
}
