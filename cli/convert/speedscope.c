/*
 * speedscope.c - the form speedscope: the sums of metrics as stacks of kernels, inlined calls and places, for
 * https://www.speedscope.app (its file-format-spec.ts): a profile for each metric, of which the viewer shows one.
 */
#include "cli/common/cli.h"
#include "cli/common/safe_output.h"
#include "cli/output/changed.h"
#include "cli/output/databases.h"
#include "cli/output/names.h"
#include "new_file.h"
#include "references.h"
#include "results/file/error_text.h"
#include "results/profile/exact.h"
#include "results/reader/saturate.h"
#include "stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

static const char schema[] = "https://www.speedscope.app/file-format-schema.json";

/* Places that stacks share, by what is shown of them. */
struct frame {
    UT_hash_handle hh;
    json_int_t index;
    char key[];
};
struct frames {
    struct frame *by_key;
    json_t *list;
};

/* The index of a frame; file "" and line 0: none. */
static json_t *frame_of(struct frames *f, const char *name, const char *file, uint32_t line)
{
    struct frame *found;
    char *key = ls_text("%" PRIu32 "\n%zu\n%s\n%s", line, strlen(name), name, file);
    if (!key)
        abort();
    HASH_FIND_STR(f->by_key, key, found);
    if (!found) {
        found = ls_realloc(NULL, sizeof(*found) + strlen(key) + 1);
        *found = (struct frame){.index = (json_int_t)json_array_size(f->list)};
        strcpy(found->key, key);
        HASH_ADD_STR(f->by_key, key, found);
        json_t *j = json_object();
        json_set(j, "name", json_text(name));
        if (*file)
            json_set(j, "file", json_text(file));
        if (*file && line)
            json_set(j, "line", json_integer(line));
        json_array_append_new(f->list, j);
    }
    free(key);
    return json_integer(found->index);
}

static json_t *place(struct frames *f, const char *function, const char *file, uint32_t line)
{
    return frame_of(f, *function ? function : "(unknown function)", file, line);
}

/* From the kernel to the line; NULL: of the whole kernel. */
static json_t *stack(struct frames *f, const struct ls_profile *p, const struct ls_p_kernel *k,
                     const struct ls_p_line *line)
{
    json_t *list = json_array();
    char *heading = kernel_heading(p, k);
    json_array_append_new(list, frame_of(f, heading, "", 0));
    free(heading);
    if (!line)
        return list;
    for (size_t i = line->n_chain; i-- > 0;)
        json_array_append_new(list,
                              place(f, line->chain[i].function, line->chain[i].file, line->chain[i].line));
    json_array_append_new(list, place(f, line->function, line->file, line->line));
    return list;
}

static void add_sample(json_t *profile, json_t *stack, int64_t sum, int64_t *all)
{
    json_array_append_new(json_object_get(profile, "samples"), stack);
    json_array_append_new(json_object_get(profile, "weights"), json_integer(sum));
    *all = ls_add(*all, sum, NULL);
}

static void add_samples(struct frames *f, json_t *profile, const struct ls_profile *p, int metric,
                        bool *estimated, int64_t *all)
{
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct ls_p_kernel *k = p->kernels[i];
        for (size_t n = 0; n < k->n_lines; n++) {
            const struct ls_p_values *v = &k->lines[n]->values;
            if (!stacks_sum(v, metric))
                continue;
            *estimated |= v->estimated[metric] || ls_kernel_partial(k);
            add_sample(profile, stack(f, p, k, k->lines[n]), stacks_sum(v, metric), all);
        }
        if (stacks_sum(&k->values, metric))
            add_sample(profile, stack(f, p, k, NULL), stacks_sum(&k->values, metric), all);
    }
}

static const char *unit_of(const struct ls_p_metric *m)
{
    return !strcmp(m->unit, "bytes") ? "bytes" : !strcmp(m->unit, "ns") ? "nanoseconds" : "none";
}

static json_t *profile_of(struct frames *f, const struct ls_profile *p, int metric)
{
    const struct ls_p_metric *m = &p->metrics[metric];
    json_t *j = json_object();
    bool estimated = false;
    int64_t all = 0;
    json_set(j, "type", json_text("sampled"));
    json_set(j, "samples", json_array());
    json_set(j, "weights", json_array());
    add_samples(f, j, p, metric, &estimated, &all);
    char *name =
        ls_text("%s.%s (%s)%s", m->handler, m->name, m->unit, estimated ? ", ~ holds estimates" : "");
    if (!name)
        abort();
    json_set(j, "name", json_text(name));
    json_set(j, "unit", json_text(unit_of(m)));
    json_set(j, "startValue", json_integer(0));
    json_set(j, "endValue", json_integer(all));
    free(name);
    return j;
}

/* Those that can be drawn and are not 0 everywhere; of `only` when it is not -1. */
static json_t *profiles_of(struct frames *f, const struct ls_profile *p, int only)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n_metrics; i++) {
        const struct ls_p_metric *m = &p->metrics[i];
        if (only >= 0 ? (int)i != only : m->is_ratio || !stacks_any(p, (int)i))
            continue;
        if (stacks_negative(p, (int)i))
            message("'%s.%s' has a negative sum, which no stack can have, and is left out", m->handler,
                    m->name);
        else
            json_array_append_new(list, profile_of(f, p, (int)i));
    }
    return list;
}

static void write_file(FILE *out, const struct ls_profile *p, int only)
{
    struct frames f = {NULL, json_array()};
    json_t *root = json_object(), *shared = json_object(), *profiles = profiles_of(&f, p, only);
    struct frame *frame, *next;
    if (!json_array_size(profiles))
        message("no metric has a sum, so there are no stacks; were the databases' kernels observed?");
    json_set(root, "$schema", json_text(schema));
    json_set(root, "exporter", json_text("lanescope"));
    json_set(root, "name", json_text(p->n_databases ? p->databases[0].command : ""));
    json_set(root, "activeProfileIndex", json_integer(0));
    json_set(shared, "frames", f.list);
    json_set(root, "shared", shared);
    json_set(root, "profiles", profiles);
    write_json(root, out); /* new_file_close tells what went wrong */
    json_decref(root);
    HASH_ITER(hh, f.by_key, frame, next)
    {
        HASH_DEL(f.by_key, frame);
        free(frame);
    }
}

int convert_speedscope(const struct conversion *c)
{
    struct ls_profile *p = NULL;
    struct new_file file;
    int index = -1, rc = load_profile(&p, c->databases, c->n, NULL, LOAD_RAW);
    if (!rc)
        rc = references_check_profile(p);
    if (!rc)
        rc = find_metric_option(p, "--metric", c->metric, &index);
    if (!rc && c->metric)
        rc = stacks_check(p, index);
    if (!rc)
        rc = new_file_open(&file, c);
    if (!rc) {
        write_file(file.out, p, index);
        rc = new_file_close(&file, EXIT_OK);
        tell_doubts(p);
    }
    ls_profile_free(p);
    return rc;
}
