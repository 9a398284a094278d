/* lanescope config [OPTION...]: the settings that `run` with the same options would use. */
#include "cli/common/cli.h"
#include "cli/common/safe_output.h"
#include "cli/common/settings.h"

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

static void print_table(const struct effective *e)
{
    printf("configuration file: %s\n\n", e->file ? e->file : "none");
    printf("%-24s %-40s %-34s %s\n", "key", "value", "origin", "environment variable");
    for (int i = 0; i < N_SETTINGS; i++) {
        bool fallback = e->origin[i] == ORIGIN_DEFAULT;
        char *origin = fallback ? strdup("default") : setting_origin(e, (enum setting_id)i);
        printf("%-24s %-40s %-34s %s\n", settings[i].key, *e->value[i] ? e->value[i] : "-", origin,
               settings[i].env);
        free(origin);
    }
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
