/*
 * settings.h - where the settings (settings/table.h) come from: the command line wins over the environment,
 * that over the configuration file, that over the preset, that over the default.
 */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "settings/table.h"

enum origin {
    ORIGIN_DEFAULT,
    ORIGIN_PRESET,
    ORIGIN_FILE,
    ORIGIN_ENVIRONMENT,
    ORIGIN_OPTION,
};

struct effective {
    char *value[N_SETTINGS]; /* normal form; "" for unset */
    enum origin origin[N_SETTINGS];
    char *file; /* configuration file that was read; NULL: none */
};

/* What the options gave; input of the argp child below. */
struct given {
    const char *value[N_SETTINGS];
    const char *config; /* --config */
};

/* Options of all settings and --config, for argp_child; its input is a struct given. */
extern const struct argp settings_argp;
/* Fills the option list of settings_argp; call before argp_parse. */
void settings_prepare(void);
/* After that, for a verb whose recording is removed: leaves out the options that name it. */
void settings_without_result(void);
/* Looks for misspelt options before the first "--":
 * EXIT_USAGE after a message with the likely one, else 0. */
int settings_spelling(int argc, char **argv);
/* Puts all origins together and checks every value. 0, or an exit code after a message. */
int settings_load(struct effective *e, const struct given *g);
/* One setting of the environment or the configuration file, for verbs that use no other; errors elsewhere in
 * the file are `run`'s to tell. malloc'd; NULL: unset. */
char *setting_alone(enum setting_id id);
void settings_free(struct effective *e);
/* "--handlers", "LANESCOPE_HANDLERS", "FILE: handlers" or "default"; malloc'd. */
char *setting_origin(const struct effective *e, enum setting_id id);
bool setting_true(const struct effective *e, enum setting_id id);

#endif
