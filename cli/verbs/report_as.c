/* report_as.c - see report_as.h. */
#include "report_as.h"
#include "cli/common/cli.h"
#include "gpus/gpus.h"
#include "results/file/error_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_models(const struct ls_gpu *gpu)
{
    return gpu && (gpu->lds || gpu->l1_line);
}

int check_as(const char *name)
{
    char *list = NULL;
    size_t size = 0;
    const struct ls_gpu *gpu = strchr(name, ':') ? NULL : ls_gpu_find(name);
    if (has_models(gpu))
        return 0;
    FILE *out = open_memstream(&list, &size);
    for (size_t i = 0; out && (gpu = ls_gpu_at(i)); i++)
        if (has_models(gpu))
            fprintf(out, " %s", gpu->name);
    if (out)
        fclose(out);
    message("--as: '%s' is no GPU that accesses can be priced on; give one of:%s", name, list ? list : "");
    free(list);
    return EXIT_USAGE;
}

char *ran_on(const struct ls_profile *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < p->n_kernels; i++) {
        size_t before = 0;
        while (before < i && strcmp(p->kernels[before]->arch, p->kernels[i]->arch))
            before++;
        if (before == i)
            fprintf(out, "%s%s", i ? ", " : "", p->kernels[i]->arch);
    }
    if (out)
        fclose(out);
    return text;
}

/* An observed kernel whose wavefronts the other GPU would have, too, or would not. */
static const struct ls_p_kernel *kernel_that_fits(const struct ls_profile *p, bool fits)
{
    for (size_t i = 0; i < p->n_kernels; i++)
        if (p->kernels[i]->observed && ls_kernel_priced(p, p->kernels[i]) == fits)
            return p->kernels[i];
    return NULL;
}

static int tell_nothing_priced(const struct ls_profile *p)
{
    const struct ls_gpu *gpu = ls_gpu_find(p->as);
    const struct ls_p_kernel *other = kernel_that_fits(p, false);
    if (other)
        message("--as %s: nothing could be priced: %s runs wavefronts of %u lanes, and those that were "
                "recorded have %u",
                p->as, gpu->name, (unsigned)gpu->family->lanes, ls_kernel_lanes(other));
    else
        message("--as %s: nothing could be priced: no access to LDS or global memory was observed", p->as);
    return EXIT_FAILED;
}

int check_priced(const struct ls_profile *p)
{
    if (kernel_that_fits(p, false) && !kernel_that_fits(p, true))
        return tell_nothing_priced(p); /* nor would it be in another recording */
    for (size_t i = 0; i < p->n_databases; i++) {
        const struct ls_p_database *d = &p->databases[i];
        if (d->priced)
            continue;
        message("%s: holds no prices as on %s, and counts alone cannot be priced again; record it with "
                "`lanescope run "
                "--as %s -- %s`",
                d->path, p->as, p->as, *d->command ? d->command : "PROGRAM");
        return EXIT_FAILED;
    }
    if (ls_profile_priced(p))
        return EXIT_OK;
    return tell_nothing_priced(p);
}

/* Kernels that the other GPU could not even start. */
static void add_too_large(const struct ls_profile *p, const struct ls_gpu *gpu, char ***list, size_t *n)
{
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct ls_p_kernel *k = p->kernels[i];
        if (k->observed && k->lds_bytes > gpu->family->lds_bytes)
            *LS_PUSH(*list, *n) = ls_text("%s uses %u bytes of LDS, and %s has %u: it would not run there.",
                                          k->name, k->lds_bytes, gpu->name, gpu->family->lds_bytes);
    }
}

/* Kernels without numbers, of which one stands for all. */
static void add_not_priced(const struct ls_profile *p, const struct ls_gpu *gpu, char ***list, size_t *n)
{
    const struct ls_p_kernel *one = kernel_that_fits(p, false);
    size_t others = 0;
    for (size_t i = 0; i < p->n_kernels; i++)
        others += p->kernels[i]->observed && !ls_kernel_priced(p, p->kernels[i]);
    if (one)
        *LS_PUSH(*list, *n) =
            ls_text("Not priced: %zu kernel%s whose wavefronts have %u lanes, and those of %s %u "
                    "(%s%s).",
                    others, others == 1 ? "" : "s", ls_kernel_lanes(one), gpu->name,
                    (unsigned)gpu->family->lanes, one->name, others == 1 ? "" : ", for example");
}

char **as_assumptions(const struct ls_profile *p, size_t *n)
{
    const struct ls_gpu *gpu = ls_gpu_find(p->as);
    char **list = NULL, *ran = ran_on(p);
    *n = 0;
    *LS_PUSH(list, *n) =
        ls_text("Nothing here was measured on %s: these are the accesses that were recorded on %s, each "
                "priced as %s serves it.",
                gpu->name, ran ? ran : "", gpu->name);
    *LS_PUSH(list, *n) =
        ls_text("Assumed: code for %s makes the same accesses. Its compiler may choose other "
                "instructions, widths and orders.",
                gpu->name);
    *LS_PUSH(list, *n) =
        ls_text("Times, launches, registers and machine code are those of %s.", ran ? ran : "");
    if (gpu->lines_assumed)
        *LS_PUSH(list, *n) = ls_text("The sizes of the cache lines of %s are assumed, too.", gpu->name);
    add_not_priced(p, gpu, &list, n);
    add_too_large(p, gpu, &list, n);
    free(ran);
    return list;
}
