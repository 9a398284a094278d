/* lanescope list [handlers|metrics|gpus|kernels] [DB] */
#include "cli/common/cli.h"
#include "cli/common/modules.h"
#include "cli/common/paths.h"
#include "cli/output/databases.h"
#include "cli/output/overview.h"
#include "results/tables.h"
#include "list_gpus.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

struct options {
    char **words;
    size_t n;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    (void)arg;
    if (key != ARGP_KEY_ARGS)
        return ARGP_ERR_UNKNOWN;
    o->words = state->argv + state->next;
    o->n = (size_t)(state->argc - state->next);
    return 0;
}

static void list_handlers(void)
{
    size_t n;
    struct module *m = list_modules(&n);
    printf("handlers (run --handlers):\n");
    for (size_t i = 0; i < n; i++)
        printf("  %-20s %s%s\n", m[i].file, m[i].problem ? "unusable: " : m[i].description,
               m[i].problem ? m[i].problem : "");
    if (!n)
        printf("  none in %s/handlers\n", piece_directory());
    free_modules(m, n);
}

static void list_metrics(void)
{
    size_t n;
    struct module *m = list_modules(&n);
    printf("metrics (report --sort):\n");
    for (size_t i = 0; i < n; i++)
        if (!m[i].problem)
            print_module_metrics(stdout, m[i].file);
    free_modules(m, n);
}

/* Each metric once, whichever of the databases has it. */
static int list_database_metrics(char *const *databases, size_t n)
{
    struct ls_profile *p;
    int rc = load_profile(&p, databases, n, NULL, 0);
    for (size_t i = 0; i < p->n_metrics && !rc; i++) {
        const struct ls_p_metric *m = &p->metrics[i];
        printf("  %s.%s (%s)%s%s\n", m->handler, m->name, m->unit, *m->description ? ": " : "",
               m->description);
    }
    ls_profile_free(p);
    return rc;
}

/* All of the databases, those that were not dispatched last. */
static int list_database_kernels(char *const *databases, size_t n)
{
    struct ls_profile *p;
    const struct ls_table_options order = {.sort = -1};
    int rc = load_profile(&p, databases, n, NULL, 0);
    if (!rc) {
        struct terminal t = terminal_of(stdout);
        ls_sort_kernels(p, &order);
        print_overview(&t, p, (const struct ls_p_kernel *const *)p->kernels, p->n_kernels, false);
    }
    ls_profile_free(p);
    return rc;
}

static const struct {
    const char *name;
    void (*installed)(void);
    int (*of_databases)(char *const *databases, size_t n);
} subjects[] = {
    {"handlers", list_handlers, NULL},
    {"metrics", list_metrics, list_database_metrics},
    {"gpus", list_gpus, NULL},
    {"kernels", NULL, list_database_kernels},
};
enum { SUBJECTS = sizeof(subjects) / sizeof(*subjects) };

static int list_one(const char *what, char *const *databases, size_t n)
{
    for (size_t i = 0; i < SUBJECTS; i++) {
        if (strcmp(what, subjects[i].name))
            continue;
        if (!n && subjects[i].installed)
            return subjects[i].installed(), EXIT_OK;
        if (n && subjects[i].of_databases)
            return subjects[i].of_databases(databases, n);
        message("list: %s takes %s", what,
                subjects[i].of_databases ? "at least one database" : "nothing more");
        return EXIT_USAGE;
    }
    message("list: '%s' cannot be listed; give handlers, metrics, gpus, metrics DATABASE..., or kernels "
            "DATABASE...",
            what);
    return EXIT_USAGE;
}

int verb_list(int argc, char **argv)
{
    static const struct argp list_argp = {
        NULL,
        parse,
        "[handlers|metrics|gpus]\nmetrics DATABASE...\nkernels DATABASE...",
        "Lists the installed handlers and their metrics, the GPUs that `run "
        "--gpu` accepts, the metrics of databases, or their kernels, worst first.",
        NULL,
        NULL,
        NULL};
    struct options o = {0};
    int rc = EXIT_OK;
    if (argp_parse(&list_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    if (o.n)
        rc = list_one(o.words[0], o.words + 1, o.n - 1);
    for (size_t i = 0; !o.n && i < SUBJECTS; i++)
        if (subjects[i].installed)
            subjects[i].installed();
    int closed = close_output(stdout, NULL);
    return rc ? rc : closed;
}
