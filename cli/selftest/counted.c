/* counted.c - what the hardware's counters say of the patterns of selftest/counters.c, beside the models of this GPU. */
#include "counter_file.h"
#include "cli/common/safe_output.h"
#include "lanescope/models.h"
#include "selftest.h"
#include "step.h"
#include "common/numbers.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MAX_LANES = 64 };

static unsigned number(const json_t *o, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(o, key));
    return n >= 0 && n <= UINT16_MAX ? (unsigned)n : 0;
}

/* What the model says of a counter of one instruction. */
struct expected {
    uint32_t value;
    enum lanescope_model_basis basis;
};

static enum lanescope_model_access access_of(const json_t *row)
{
    const char *what = json_text_of(row, "what");
    return !strcmp(what, "read")    ? LANESCOPE_MODEL_READ
           : !strcmp(what, "write") ? LANESCOPE_MODEL_WRITE
                                    : LANESCOPE_MODEL_ATOMIC;
}

/* The lanes of a wavefront, all of them active, and the address of each: a pattern is a stride. */
static unsigned addresses(const char *gpu, const json_t *row, uint64_t at[MAX_LANES])
{
    unsigned lanes = lanescope_models_lanes(gpu);
    for (uint32_t lane = 0; lane < lanes && lane < MAX_LANES; lane++)
        at[lane] = lane * number(row, "stride");
    return lanes <= MAX_LANES ? lanes : 0;
}

static bool expect_lds(const char *gpu, const json_t *row, const char *counter, struct expected *out)
{
    uint64_t at[MAX_LANES];
    uint32_t in_lds[MAX_LANES];
    unsigned lanes = addresses(gpu, row, at);
    struct lanescope_lds_cost cost = {.size = sizeof cost};
    for (unsigned lane = 0; lane < lanes; lane++)
        in_lds[lane] = (uint32_t)at[lane];
    if (!lanes || lanescope_lds_cost(gpu, access_of(row), number(row, "bytes"), ls_low_bits(lanes), in_lds,
                                     lanes, &cost))
        return false;
    out->basis = cost.basis;
    if (!strcmp(counter, "SQ_LDS_BANK_CONFLICT"))
        out->value = cost.conflict_cycles;
    else if (!strcmp(counter, "SQ_LDS_IDX_ACTIVE"))
        out->value = cost.cycles;
    else
        return false;
    return true;
}

static bool expect_global(const char *gpu, const json_t *row, const char *counter, struct expected *out)
{
    uint64_t at[MAX_LANES];
    unsigned lanes = addresses(gpu, row, at);
    struct lanescope_global_cost cost = {.size = sizeof cost};
    if (!lanes || strcmp(counter, "TCP_TOTAL_ACCESSES_sum") ||
        lanescope_global_cost(gpu, access_of(row), number(row, "bytes"), ls_low_bits(lanes), at, lanes,
                              &cost))
        return false;
    *out = (struct expected){cost.requests, cost.requests_basis};
    return true;
}

static const char *basis_name(enum lanescope_model_basis basis)
{
    return basis == LANESCOPE_MODEL_MEASURED     ? "measured"
           : basis == LANESCOPE_MODEL_DOCUMENTED ? "documented"
                                                 : "assumed";
}

/* One count beside the model's; what the model does not know of this pattern is left out. */
static void add_count(json_t *o, const char *gpu, const json_t *row, const char *counter, double counted)
{
    struct expected e;
    bool lds = !strcmp(json_text_of(row, "space"), "lds");
    if (!(lds ? expect_lds : expect_global)(gpu, row, counter, &e))
        return;
    double model = (double)e.value * number(o, "operations");
    json_t *count =
        json_pack("{s:o, s:s, s:f, s:f, s:s}", "pattern",
                  json_sprintf("%s_%s, %u bytes apart", json_text_of(row, "space"), json_text_of(row, "way"),
                               number(row, "stride")),
                  "counter", counter, "model", model, "counted", counted, "basis", basis_name(e.basis));
    if (!selftest_as_our_model(count) && e.basis == LANESCOPE_MODEL_MEASURED)
        step_problem(o, "%s: %s is %.0f, not %.0f as was measured on this GPU",
                     json_text_of(count, "pattern"), counter, counted, model);
    json_array_append_new(json_object_get(o, "counts"), count);
}

/* Dispatch k is pattern k: their kernels say so, or something else ran, too. */
static bool same_kernels(const json_t *dispatches, const json_t *rows)
{
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        const char *kernel = json_text_of(json_array_get(dispatches, i), "kernel");
        const char *space = json_text_of(row, "space"), *way = json_text_of(row, "way");
        size_t n = strlen(space);
        if (strncmp(kernel, space, n) || kernel[n] != '_' || strncmp(kernel + n + 1, way, strlen(way)))
            return false;
    }
    return json_array_size(dispatches) == json_array_size(rows);
}

static void add_counts(const struct step *s, const char *gpu, const json_t *dispatches, const json_t *rows,
                       json_t *o)
{
    size_t i;
    const json_t *row;
    json_object_set_new(o, "counts", json_array());
    json_array_foreach(rows, i, row)
    {
        const json_t *counters = json_object_get(json_array_get(dispatches, i), "counters");
        for (unsigned k = 0; k < sizeof s->options / sizeof *s->options && s->options[k]; k++) {
            const json_t *value = json_object_get(counters, s->options[k]);
            if (value)
                add_count(o, gpu, row, s->options[k], json_number_value(value));
        }
    }
}

void step_check_counted(const struct step *s, const char *csv, const char *gpu, json_t *o)
{
    json_t *dispatches = counter_file_read(csv), *rows = json_incref(json_object_get(o, "rows"));
    json_object_del(o, "rows");
    if (!dispatches)
        json_object_set_new(o, "skipped",
                            json_string("rocprofv3 wrote no file of counters that can be read"));
    else if (!same_kernels(dispatches, rows))
        json_object_set_new(o, "skipped",
                            json_string("rocprofv3 counted other dispatches than the patterns"));
    else
        add_counts(s, gpu, dispatches, rows, o);
    json_decref(rows);
    json_decref(dispatches);
}
