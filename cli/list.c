/* lanescope list [handlers|metrics|gpus] [DB] */
#include "cli.h"
#include "modules.h"
#include "paths.h"
#include "profile.h"

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

static int list_database_metrics(const char *path)
{
    char *error = NULL;
    struct ls_profile *p = ls_profile_new();
    int rc = ls_profile_add_file(p, path, NULL, &error) ? EXIT_DATABASE : EXIT_OK;
    if (rc)
        message_free(error);
    for (size_t i = 0; i < p->n_metrics && !rc; i++) {
        const struct ls_p_metric *m = &p->metrics[i];
        printf("  %s.%s (%s)%s%s\n", m->handler, m->name, m->unit, *m->description ? ": " : "",
               m->description);
    }
    ls_profile_free(p);
    return rc;
}

static void list_gpus(void)
{
    static const char *const archs[] = {"gfx90a", "gfx942", "gfx950"};
    printf("GPUs (run --gpu):\n");
    printf("  %-14s %s\n", "hw",
           has_kfd() ? "the GPUs behind /dev/kfd" : "none: there is no /dev/kfd on this machine");
    for (size_t i = 0; i < 3; i++)
        printf("  soft:%-9s software GPU%s%s\n", archs[i],
               piece_exists(PIECE_SOFT_GPU) ? "" : " (not installed)",
               i == 0 && !has_kfd() ? ", taken by --gpu auto here" : "");
}

int verb_list(int argc, char **argv)
{
    static const struct argp list_argp = {
        NULL,
        parse,
        "[handlers|metrics|gpus]\nmetrics DATABASE",
        "Lists the installed handlers and their metrics, the GPUs that `run "
        "--gpu` accepts, or the metrics of a database.",
        NULL,
        NULL,
        NULL};
    static const char *const subjects[] = {"handlers", "metrics", "gpus"};
    struct options o = {0};
    if (argp_parse(&list_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    const char *what = o.n ? o.words[0] : NULL;
    bool known = !what;
    for (size_t i = 0; i < 3 && what; i++)
        known |= !strcmp(what, subjects[i]);
    bool database = o.n == 2 && !strcmp(what, "metrics");
    if (!known || (o.n > 1 && !database)) {
        message("list: '%s' cannot be listed; give handlers, metrics, gpus, or metrics DATABASE",
                known ? o.words[1] : what);
        return EXIT_USAGE;
    }
    int rc = EXIT_OK;
    if (database) {
        rc = list_database_metrics(o.words[1]);
    } else {
        if (!what || !strcmp(what, "handlers"))
            list_handlers();
        if (!what || !strcmp(what, "metrics"))
            list_metrics();
        if (!what || !strcmp(what, "gpus"))
            list_gpus();
    }
    int closed = close_output(stdout, NULL);
    return rc ? rc : closed;
}
