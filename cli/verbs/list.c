/* lanescope list [handlers|metrics|gpus|kernels] [DB] */
#include "cli/common/cli.h"
#include "cli/common/modules.h"
#include "cli/common/paths.h"
#include "cli/output/changed.h"
#include "cli/output/databases.h"
#include "cli/output/overview.h"
#include "cli/output/terminal.h"
#include "lanescope/defaults.h"
#include "results/file/error_text.h"
#include "cli/common/safe_output.h"
#include "results/profile/places.h"
#include "results/profile/tables.h"
#include "list_gpus.h"
#include "profile_json.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_JSON = 0x100 };

struct options {
    bool json;
    char **words;
    size_t n;
};

static const struct argp_option list_options[] = {
    {"json", KEY_JSON, NULL, 0, "write JSON (schema lanescope-list/1)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    (void)arg;
    switch (key) {
    case KEY_JSON:
        o->json = true;
        return 0;
    case ARGP_KEY_ARGS:
        o->words = state->argv + state->next;
        o->n = (size_t)(state->argc - state->next);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- what is installed ---- */

static json_t *handlers(void)
{
    size_t n;
    json_t *list = json_array();
    struct module *m = list_modules(&n);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o, s:o}", "name", json_text(m[i].file), "version",
                                        json_text(m[i].version), "description", json_text(m[i].description),
                                        "problem", json_text_or_null(m[i].problem)));
    free_modules(m, n);
    return list;
}

static void list_handlers(void)
{
    size_t n;
    struct module *m = list_modules(&n);
    printf("Handlers, for `lanescope run --handlers`:\n");
    const struct terminal t = terminal_of(stdout);
    for (size_t i = 0; i < n; i++) {
        printf("  %-20s %s", m[i].file, m[i].problem ? "unusable: " : "");
        print_wrapped(&t, m[i].problem ? m[i].problem : m[i].description, m[i].problem ? 33 : 23, 25);
        printf("\n");
    }
    if (!n)
        printf("  none in %s/handlers\n", piece_directory());
    printf("Without --handlers:\n  %s\n", LS_DEFAULT_HANDLERS);
    free_modules(m, n);
}

static json_t *metrics(void)
{
    size_t n;
    json_t *all = json_array();
    struct module *m = list_modules(&n);
    for (size_t i = 0; i < n; i++) {
        json_t *list = m[i].problem ? NULL : module_metrics(m[i].file);
        json_array_extend(all, list);
        json_decref(list);
    }
    free_modules(m, n);
    return all;
}

static void print_line(const char *line)
{
    const struct terminal t = terminal_of(stdout);
    print_broken(&t, line, "", 4);
}

static void print_metric(const char *handler, const char *name, const char *unit, const char *description)
{
    char *line = ls_text("  %s.%s (%s)%s%s\n", handler, name, unit, *description ? ": " : "", description);
    print_line(line ? line : "");
    free(line);
}

static void list_metrics(void)
{
    size_t n;
    struct module *m = list_modules(&n);
    print_line("Metrics of these handlers, for `lanescope report --sort` and others:\n");
    for (size_t i = 0; i < n; i++) {
        size_t j;
        json_t *list = m[i].problem ? NULL : module_metrics(m[i].file), *metric;
        if (!list && !m[i].problem)
            printf("  %s: could not be asked for its metrics; it may need options\n", m[i].file);
        json_array_foreach(list, j, metric)
        {
            const char *handler, *name, *unit, *description;
            if (!json_unpack(metric, "{s:s, s:s, s:s, s:s}", "handler", &handler, "name", &name, "unit",
                             &unit, "description", &description))
                print_metric(handler, name, unit, description);
        }
        json_decref(list);
    }
    free_modules(m, n);
}

/* ---- what databases hold ---- */

/* Each metric once, whichever of the databases has it. */
static void list_database_metrics(struct ls_profile *p)
{
    for (size_t i = 0; i < p->n_metrics; i++) {
        const struct ls_p_metric *m = &p->metrics[i];
        print_metric(m->handler, m->name, m->unit, m->description);
    }
}

static json_t *database_metrics(struct ls_profile *p)
{
    return profile_json_metrics(p);
}

static void sort_kernels(struct ls_profile *p)
{
    const struct ls_table_options order = {.sort = -1};
    ls_sort_kernels(p, &order);
}

/* All of the databases, those that were not dispatched last. */
static void list_database_kernels(struct ls_profile *p)
{
    struct terminal t = terminal_of(stdout);
    if (!p->n_kernels) {
        print_wrapped(&t, "no kernels: the program loaded no code for a GPU", 0, 2);
        return;
    }
    sort_kernels(p);
    print_overview(&t, p, (const struct ls_p_kernel *const *)p->kernels, p->n_kernels, false);
    print_wrapped(&t, "Excess: work beyond need, in about cycles of the memory path", 0, 2);
    putchar('\n');
}

static json_t *worst_line(const struct ls_profile *p, const struct ls_p_kernel *k)
{
    size_t n;
    struct ls_source_line *lines = ls_source_lines(p, k, &n);
    json_t *j =
        n && lines[0].excess > 0 && lines[0].line
            ? json_pack("{s:o, s:I}", "file", json_text(lines[0].file), "line", (json_int_t)lines[0].line)
            : json_null();
    ls_source_lines_free(lines, n);
    return j;
}

static json_t *database_kernels(struct ls_profile *p)
{
    json_t *list = json_array();
    sort_kernels(p);
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct ls_p_kernel *k = p->kernels[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:s, s:o, s:b, s:o, s:o}", "name",
                            json_text(k->name), "mangled", json_text(k->mangled), "arch", json_text(k->arch),
                            "file", json_text(k->file), "line", (json_int_t)k->line, "dispatches",
                            (json_int_t)k->dispatches, "observed", (json_int_t)k->observed, "duration_ns",
                            (json_int_t)k->duration_ns, "time_source", ls_time_source(k), "excess",
                            k->observed ? json_number(ls_kernel_excess(p, k)) : json_null(), "exact",
                            !k->estimated && !ls_kernel_partial(k), "worst_line", worst_line(p, k),
                            "not_instrumented", json_text_or_null(k->not_instrumented)));
    }
    return list;
}

/* ---- the verb ---- */

static const struct subject {
    const char *name;
    void (*installed)(void);
    json_t *(*installed_json)(void);
    void (*of_databases)(struct ls_profile *p);
    json_t *(*of_databases_json)(struct ls_profile *p);
} subjects[] = {
    {"handlers", list_handlers, handlers, NULL, NULL},
    {"metrics", list_metrics, metrics, list_database_metrics, database_metrics},
    {"gpus", list_gpus, gpus_json, NULL, NULL},
    {"kernels", NULL, NULL, list_database_kernels, database_kernels},
};
enum { SUBJECTS = sizeof(subjects) / sizeof(*subjects) };

static void list_installed(const struct subject *s, json_t *root)
{
    if (root)
        json_object_set_new(root, s->name, s->installed_json());
    else
        s->installed();
}

static int list_databases(const struct subject *s, char *const *databases, size_t n, json_t *root)
{
    struct ls_profile *p;
    int rc = load_profile(&p, databases, n, NULL, root ? LOAD_RAW : 0);
    if (!rc && root) {
        json_object_set_new(root, "databases", profile_json_databases(p));
        json_object_set_new(root, s->name, s->of_databases_json(p));
    } else if (!rc) {
        s->of_databases(p);
    }
    if (!rc)
        tell_doubts(p);
    ls_profile_free(p);
    return rc;
}

static int list_one(const char *what, char *const *databases, size_t n, json_t *root)
{
    for (size_t i = 0; i < SUBJECTS; i++) {
        const struct subject *s = &subjects[i];
        if (strcmp(what, s->name))
            continue;
        if (!n && s->installed)
            return list_installed(s, root), EXIT_OK;
        if (n && s->of_databases)
            return list_databases(s, databases, n, root);
        if (n)
            message("list: %s are what is installed: give no more words", what);
        else
            message("list: whose %s? Give the databases that `lanescope run` wrote (*_srclines.db)", what);
        return EXIT_USAGE;
    }
    message(
        "list: '%s' cannot be listed; give handlers, metrics or gpus; or, with databases, metrics or kernels",
        what);
    return EXIT_USAGE;
}

const struct argp list_argp = {list_options,
                               parse,
                               "[handlers|metrics|gpus]\nmetrics DATABASE...\nkernels DATABASE...",
                               "Lists the installed handlers and their metrics, the GPUs that `run "
                               "--gpu` accepts, the metrics of databases, or their kernels, worst first.",
                               NULL,
                               NULL,
                               NULL};

int verb_list(int argc, char **argv)
{
    struct options o = {0};
    int rc = EXIT_OK;
    if (argp_parse(&list_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    json_t *root = o.json ? json_root("list") : NULL;
    if (o.n)
        rc = list_one(o.words[0], o.words + 1, o.n - 1, root);
    for (size_t i = 0; !o.n && i < SUBJECTS; i++)
        if (subjects[i].installed)
            list_installed(&subjects[i], root);
    if (root && !rc)
        write_json(root, stdout);
    else if (!o.n && !rc)
        printf("What a recording holds: lanescope list kernels DATABASE, lanescope list metrics DATABASE\n");
    json_decref(root);
    int closed = close_output(stdout, NULL);
    return rc ? rc : closed;
}
