/* figures_page.c - what a self-test measured (selftest/figures.h), as a person reads it. */
#include "selftest.h"
#include "cli/common/safe_output.h"
#include "common/numbers.h"
#include "lanescope/models.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MAX_LANES = 64, MOST_STRIDE = 128 };

/* ---- our model of coalescing ---- */

/* Requests of one instruction whose lanes lie `stride` bytes apart; 0: the model does not know this GPU. */
static uint32_t requests(const char *gpu, const json_t *figure)
{
    uint64_t at[MAX_LANES];
    const char *what = json_text_of(figure, "what");
    json_int_t stride = json_integer_value(json_object_get(figure, "stride")),
               bytes = json_integer_value(json_object_get(figure, "bytes"));
    unsigned lanes = lanescope_models_lanes(gpu);
    struct lanescope_global_cost cost = {.size = sizeof cost};
    if (!lanes || lanes > MAX_LANES || stride < 0 || stride > MOST_STRIDE || bytes < 1 || bytes > 16)
        return 0;
    for (unsigned lane = 0; lane < lanes; lane++)
        at[lane] = (uint64_t)lane * (uint64_t)stride;
    return lanescope_global_cost(gpu, strcmp(what, "write") ? LANESCOPE_MODEL_READ : LANESCOPE_MODEL_WRITE,
                                 (unsigned)bytes, ls_low_bits(lanes), at, lanes, &cost)
               ? 0
               : cost.requests;
}

void selftest_judge_coalescing(json_t *file)
{
    size_t i;
    json_t *figure;
    json_array_foreach(json_object_get(selftest_part(file, "coalescing"), "figures"), i, figure)
    {
        uint32_t n = requests(json_text_of(file, "gpu"), figure);
        if (n)
            json_object_set_new(figure, "requests", json_integer(n));
    }
}

/* ---- the page ---- */

static void print_figure(const json_t *figure, FILE *out)
{
    const json_t *n = json_object_get(figure, "requests");
    fprintf(out, "  %-50s %10.4g %s", json_text_of(figure, "name"),
            json_number_value(json_object_get(figure, "value")), json_text_of(figure, "unit"));
    if (json_is_integer(n))
        fprintf(out, ", %" JSON_INTEGER_FORMAT " requests by our model", json_integer_value(n));
    fputc('\n', out);
}

void selftest_figures_page(const json_t *file, FILE *out)
{
    size_t i, k;
    const json_t *step, *figure;
    bool any = false;
    if (json_is_true(json_object_get(file, "software_gpu"))) {
        fputs(
            "\nRates, clocks and coalescing\n  not on the software GPU: its times say nothing of hardware\n",
            out);
        return;
    }
    json_array_foreach(json_object_get(file, "steps"), i, step)
        json_array_foreach(json_object_get(step, "figures"), k, figure)
    {
        if (!any)
            fputs("\nMeasured on this GPU\n", out);
        any = true;
        print_figure(figure, out);
    }
}
