/*
 * rocprof_json.c - the form json: one file in the style of rocprofv3's JSON (ROCm 7): an element for each process, what
 * there is, and what happened as records. It is written process by process.
 */
#include "cli/common/cli.h"
#include "cli/common/safe_output.h"
#include "new_file.h"
#include "results/profile/times.h"
#include "rocprof.h"

#include <stdlib.h>
#include <string.h>

/* Of the elements; the first number changes when a reader has to. */
static const char schema[] = "lanescope-rocprofv3/1";

size_t rocprof_kernel(const struct rocprof *x, int64_t kernel)
{
    size_t low = 0, high = x->code.n_kernels;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (x->code.kernels[middle].kernel->id < kernel)
            low = middle + 1;
        else
            high = middle;
    }
    return low < x->code.n_kernels && x->code.kernels[low].kernel->id == kernel ? low + 1 : 0;
}

int64_t rocprof_counter(const struct rocprof *x, const struct ls_r_metric *m)
{
    return m - x->part->t->r->metrics + 1;
}

json_t *rocprof_handle(int64_t n)
{
    return json_pack("{s:I}", "handle", (json_int_t)n);
}

static json_t *text_or_null(const char *text)
{
    return text && *text ? json_text(text) : json_null();
}

/* ---- what there is ---- */

static json_t *command(const struct ls_r_process *p)
{
    json_t *argv = json_loads(p->argv, 0, NULL), *words = json_array(), *word;
    size_t i;
    json_array_foreach(argv, i, word)
    {
        if (json_is_string(word))
            json_array_append(words, word);
    }
    json_decref(argv);
    return words;
}

static json_t *about(const struct rocprof *x)
{
    const struct ls_r_process *p = x->part->process;
    const struct ls_results *r = x->part->t->r;
    json_t *j = json_object();
    json_set(j, "schema", json_text(schema));
    json_set(j, "version", json_text(p->version ? p->version : r->version));
    json_set(j, "database", json_text(r->path));
    json_set(j, "guid", text_or_null(p->guid));
    json_set(j, "gpu", text_or_null(p->gpu));
    json_set(j, "runtime", text_or_null(p->runtime));
    json_set(j, "rank", text_or_null(p->rank));
    json_set(j, "time_source", json_text(ls_times_source(x->part->software, !x->part->software)));
    json_set(j, "times_tell_about_a_gpu", json_boolean(!x->part->software));
    json_set(j, "estimates", json_boolean(x->part->t->estimated));
    return j;
}

static json_t *metadata(const struct rocprof *x)
{
    const struct ls_r_process *p = x->part->process;
    json_t *j = json_object(), *node = json_object();
    json_set(node, "hostname", json_text(p->hostname));
    json_set(j, "node", node);
    json_set(j, "pid", json_integer(p->pid));
    json_set(j, "init_time", json_integer(p->start_ns));
    json_set(j, "fini_time", json_integer(p->end_ns));
    json_set(j, "command", command(p));
    json_set(j, "config", json_object());
    json_set(j, "lanescope", about(x));
    return j;
}

/* Types are those of rocprofiler_agent_type_t: 1 a processor, 2 a GPU. */
static json_t *agent(int64_t number, int type, const char *name, const char *product)
{
    json_t *j = json_object();
    json_set(j, "id", rocprof_handle(number));
    json_set(j, "type", json_integer(type));
    json_set(j, "node_id", json_integer(number));
    json_set(j, "logical_node_id", json_integer(number));
    json_set(j, "logical_node_type_id", json_integer(type == 2 ? number - 1 : 0));
    json_set(j, "name", json_text(name));
    json_set(j, "product_name", json_text(product));
    return j;
}

static json_t *agents(const struct rocprof *x)
{
    const struct ls_activity *a = &x->part->t->a;
    json_t *list = json_array();
    json_array_append_new(list, agent(0, 1, "host", ""));
    for (size_t i = 0; i < a->n_agents; i++) {
        const struct ls_a_agent *g = &a->agents[i];
        if (g->process != x->part->process->id)
            continue;
        json_t *j = agent(g->gpu, 2, g->arch, g->name);
        json_set(j, "cu_count", json_integer(g->compute_units));
        json_set(j, "wave_front_size", json_integer(g->lanes));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *counters(const struct rocprof *x)
{
    json_t *list = json_array();
    for (size_t i = 0; i < x->part->t->r->n_metrics; i++) {
        const struct ls_r_metric *m = &x->part->t->r->metrics[i];
        if (m->is_ratio)
            continue;
        json_t *j = json_object();
        char *name = trace_metric_name(m);
        json_set(j, "id", rocprof_handle(rocprof_counter(x, m)));
        json_set(j, "name", json_text(name));
        json_set(j, "description", json_text(m->description));
        json_set(j, "units", json_text(m->unit));
        json_set(j, "block", json_text(m->handler));
        json_set(j, "is_constant", json_integer(0));
        json_set(j, "is_derived", json_integer(1));
        json_array_append_new(list, j);
        free(name);
    }
    return list;
}

static json_t *code_objects(const struct rocprof *x)
{
    json_t *list = json_array();
    for (size_t i = 0; i < x->code.n_objects; i++) {
        const struct code_object *c = &x->code.objects[i];
        const struct ls_a_agent *a = ls_activity_agent(&x->part->t->a, c->agent);
        json_t *j = json_object();
        json_set(j, "code_object_id", json_integer(c->id));
        json_set(j, "agent_id", rocprof_handle(a ? a->gpu : 0));
        json_set(j, "uri", json_text(c->uri));
        json_set(j, "load_base", json_integer(c->load_base));
        json_set(j, "load_size", json_integer(c->bytes));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *symbol(size_t id, const char *mangled, const char *name)
{
    json_t *j = json_object();
    json_set(j, "kernel_id", json_integer((json_int_t)id));
    json_set(j, "kernel_name", json_text(mangled));
    json_set(j, "formatted_kernel_name", json_text(name));
    json_set(j, "demangled_kernel_name", json_text(name));
    return j;
}

static json_t *kernel_symbols(const struct rocprof *x)
{
    json_t *list = json_array();
    json_array_append_new(list, symbol(0, "", ""));
    for (size_t i = 0; i < x->code.n_kernels; i++) {
        const struct ls_r_kernel *k = x->code.kernels[i].kernel;
        json_t *j = symbol(i + 1, k->mangled, k->name);
        json_set(j, "code_object_id", json_integer(x->code.kernels[i].code_object));
        json_set(j, "group_segment_size", json_integer(k->lds_bytes));
        json_set(j, "private_segment_size", json_integer(k->scratch_bytes));
        json_set(j, "sgpr_count", json_integer(k->sgprs));
        json_set(j, "arch_vgpr_count", json_integer(k->vgprs));
        json_set(j, "accum_vgpr_count", json_integer(k->agprs));
        json_array_append_new(list, j);
    }
    return list;
}

/* ---- the file ---- */

struct writing {
    FILE *out;
    bool more; /* an element is there */
};

/* Dispatches of kernels that are in no code object of their process would lose their names. */
static int check(const struct rocprof *x, const char *database)
{
    for (size_t i = 0; i < x->part->n_launches; i++)
        if (!rocprof_kernel(x, x->part->launches[i]->kernel)) {
            message("%s: a dispatch refers to a kernel that is in no code object of its process; `lanescope "
                    "check` "
                    "tells more, and a new recording helps",
                    database);
            return EXIT_DATABASE;
        }
    return EXIT_OK;
}

static json_t *element(const struct rocprof *x, json_t *source_lines)
{
    json_t *j = json_object();
    json_set(j, "metadata", metadata(x));
    json_set(j, "agents", agents(x));
    json_set(j, "counters", counters(x));
    json_set(j, "strings", rocprof_strings(x));
    json_set(j, "code_objects", code_objects(x));
    json_set(j, "kernel_symbols", kernel_symbols(x));
    json_set(j, "host_functions", json_array());
    json_set(j, "summary", json_array());
    json_set(j, "callback_records", rocprof_callback_records(x));
    json_set(j, "buffer_records", rocprof_buffer_records(x));
    json_set(j, "source_lines", source_lines);
    return j;
}

static int add(void *to, const struct trace_part *part, char *database)
{
    struct writing *w = to;
    struct rocprof x = {.part = part};
    json_t *lines = NULL;
    int rc = code_of(part, &x.code);
    if (!rc)
        rc = check(&x, database);
    if (!rc && !(lines = rocprof_source_lines(&x)))
        rc = EXIT_DATABASE;
    if (!rc) {
        json_t *j = element(&x, lines);
        fputs(w->more ? "," : "", w->out);
        w->more = true;
        write_json(j, w->out); /* close_output tells what went wrong */
        json_decref(j);
    }
    code_free(&x.code);
    return rc;
}

int convert_json(const struct conversion *c)
{
    struct new_file file;
    int rc = new_file_open(&file, c);
    if (rc)
        return rc;
    struct writing w = {.out = file.out};
    fputs("{\"rocprofiler-sdk-tool\": [", w.out);
    rc = trace_each(c->databases, c->n, true, add, &w);
    fputs("]}\n", w.out);
    return new_file_close(&file, rc);
}
