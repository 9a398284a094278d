/* lanescope list gpus: what `run --gpu` accepts, and what is known of each GPU in the table (gpus/). */
#include "list_gpus.h"
#include "cli/common/cli.h"
#include "gpus/gpus.h"
#include "cli/common/paths.h"
#include "cli/common/safe_output.h"
#include "cli/output/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 14 };

static void begin(FILE *out, const char *before, const char *name)
{
    fprintf(out, "  %s%-*s ", before, NAME_WIDTH - (int)strlen(before), name);
}

/* A fact below a name, wrapped. */
static void print_fact(const struct terminal *t, const char *text)
{
    fprintf(t->out, "  %*s ", NAME_WIDTH, "");
    print_wrapped(t, text, NAME_WIDTH + 3, NAME_WIDTH + 5);
    fputc('\n', t->out);
}

static const char *const width_bytes[LS_LDS_WIDTHS] = {"4", "8", "12", "16"};

/* "reads of 4, 8, 16 bytes"; `n`: how many were named before. */
static void add_widths(FILE *out, const char *what, const struct ls_lds_phases phases[LS_LDS_WIDTHS],
                       unsigned *n)
{
    const char *before = *n ? " and " : "";
    for (unsigned i = 0, here = 0; i < LS_LDS_WIDTHS; i++)
        if (phases[i].measured) {
            fprintf(out, "%s%s%s", here ? ", " : before, here ? "" : what, width_bytes[i]);
            here++;
            ++*n;
        }
}

/* What the models know of it: two lines, apart by '\n'. */
static void add_models(FILE *out, const struct ls_gpu *gpu)
{
    unsigned n = 0;
    if (!gpu->lds) {
        fputs("no bank conflicts: how its LDS serves lanes is not known", out);
    } else {
        fprintf(out, "bank conflicts: %s",
                ls_gpu_lds_any(gpu, true) ? "as measured for " : "assumed from related GPUs");
        add_widths(out, "reads of ", gpu->lds->read, &n);
        add_widths(out, "writes of ", gpu->lds->write, &n);
        fputs(!n ? "" : ls_gpu_lds_any(gpu, false) ? " bytes, assumed for others" : " bytes", out);
    }
    if (!gpu->l1_line)
        fputs("\nno cache lines: their size is not known", out);
    else
        fprintf(out, "\ncache lines: %u bytes in L1, %u in L2%s", gpu->l1_line, gpu->l2_line,
                gpu->lines_assumed ? ", assumed" : "");
}

static bool is_taken_by_auto(const struct ls_gpu *gpu)
{
    return gpu == ls_gpu_default() && !has_kfd();
}

/* What it is, and what it needs. */
static void add_title(FILE *out, const struct ls_gpu *gpu)
{
    if (ls_gpu_emulated(gpu))
        fprintf(out, "software GPU, as %s (%s)%s%s", gpu->card->name, gpu->family->generation,
                piece_exists(PIECE_SOFT_GPU) ? "" : "; not installed",
                is_taken_by_auto(gpu) ? "; what `run` takes here" : "");
    else
        fprintf(out, "%s, as hardware only", gpu->family->generation);
    if (!ls_gpu_has_models(gpu))
        fputs(": dispatches and times are recorded, no bank conflicts and no cache lines", out);
    if (ls_gpu_emulated(gpu) && gpu->card->runtime)
        fprintf(out, "\nneeds %s or later", gpu->card->runtime);
    fputc('\n', out);
}

static void print_gpu(const struct terminal *t, const struct ls_gpu *gpu)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    add_title(out, gpu);
    if (ls_gpu_has_models(gpu))
        add_models(out, gpu);
    fclose(out);
    begin(t->out, ls_gpu_emulated(gpu) ? "soft:" : "", gpu->name);
    char *rest, *line = strtok_r(text, "\n", &rest);
    print_wrapped(t, line ? line : "", NAME_WIDTH + 3, NAME_WIDTH + 5);
    fputc('\n', t->out);
    while ((line = strtok_r(NULL, "\n", &rest)))
        print_fact(t, line);
    free(text);
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
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:b, s:o, s:o}", "name", gpu->name, "generation",
                     gpu->family->generation, "option", emulated ? json_string(option) : json_null(), "card",
                     emulated ? json_string(gpu->card->name) : json_null(), "needs",
                     json_text_or_null(emulated ? gpu->card->runtime : NULL), "auto", is_taken_by_auto(gpu),
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
    const struct terminal t = terminal_of(stdout);
    const struct ls_gpu *gpu;
    printf("GPUs, for `lanescope run --gpu`:\n");
    begin(stdout, "", "hw");
    print_wrapped(&t,
                  has_kfd() ? "the hardware: the GPUs behind /dev/kfd"
                            : "the hardware: there is none here (no /dev/kfd)",
                  NAME_WIDTH + 3, NAME_WIDTH + 5);
    printf("\n");
    for (size_t i = 0; (gpu = ls_gpu_at(i)); i++)
        print_gpu(&t, gpu);
}
