/* lanescope config [OPTION...]: the settings that `run` with the same options would use. */
#include "cli/common/cli.h"
#include "cli/common/safe_output.h"
#include "cli/common/settings.h"
#include "cli/output/terminal.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct given given;
    bool json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->given;
        return 0;
    case 'j':
        o->json = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s': config takes options only", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int print_json(const struct effective *e)
{
    json_t *root = json_object();
    for (int i = 0; i < N_SETTINGS; i++) {
        if (!*e->value[i])
            continue;
        bool flag = !settings[i].arg;
        json_object_set_new(root, settings[i].key,
                            flag ? json_boolean(setting_true(e, (enum setting_id)i))
                                 : json_text(e->value[i]));
    }
    write_json(root, stdout);
    json_decref(root);
    return EXIT_OK;
}

enum { COLUMNS = 4 };

/* Each column but the last one as wide as it is here; on a narrow terminal as what is in it, and without the variables, which
 * the manual tells. */
static void print_cells(const struct terminal *t, const char *cell[][COLUMNS], int n)
{
    int width[COLUMNS] = {24, 40, 34};
    const bool narrow = t->cuts && t->width < 130;
    const int last = narrow ? COLUMNS - 2 : COLUMNS - 1;
    for (int c = 0; narrow && c < last; c++)
        for (int i = width[c] = 0; i < n; i++)
            width[c] = text_width(cell[i][c]) > width[c] ? text_width(cell[i][c]) : width[c];
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < last; c++)
            fprintf(t->out, "%-*s ", width[c], cell[i][c]);
        fprintf(t->out, "%s\n", cell[i][last]);
    }
}

static void print_table(const struct effective *e)
{
    const struct terminal t = terminal_of(stdout);
    const char *cell[1 + N_SETTINGS][COLUMNS] = {{"key", "value", "origin", "environment variable"}};
    char *origin[N_SETTINGS];
    for (int i = 0; i < N_SETTINGS; i++) {
        bool fallback = e->origin[i] == ORIGIN_DEFAULT;
        origin[i] = fallback ? NULL : setting_origin(e, (enum setting_id)i);
        cell[1 + i][0] = settings[i].key;
        cell[1 + i][1] = *e->value[i] ? e->value[i] : "-";
        cell[1 + i][2] = origin[i] ? origin[i] : "default";
        cell[1 + i][3] = settings[i].env;
    }
    printf("configuration file: %s\n\n", e->file ? e->file : "none");
    print_cells(&t, cell, 1 + N_SETTINGS);
    for (int i = 0; i < N_SETTINGS; i++)
        free(origin[i]);
}

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print the settings as a configuration file", 0}, {0}};
static const struct argp_child children[] = {{&settings_argp, 0, "Settings, as for `run`:", 1}, {0}};
const struct argp config_argp = {options,
                                 parse,
                                 NULL,
                                 "Shows the settings that `lanescope run` with the same options "
                                 "would use, and where each comes from: option, "
                                 "environment variable, configuration file, default.",
                                 children,
                                 NULL,
                                 NULL};

int verb_config(int argc, char **argv)
{
    struct options o = {0};
    struct effective e;
    settings_prepare();
    if (argp_parse(&config_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    int rc = settings_load(&e, &o.given);
    if (!rc && o.json)
        rc = print_json(&e);
    else if (!rc)
        print_table(&e);
    settings_free(&e);
    int closed = close_output(stdout, NULL);
    return rc ? rc : closed;
}
