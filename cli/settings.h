/*
 * settings.h - the settings of `run`: one table gives each its command-line option, environment variable,
 * configuration key, default and check. The command line wins over the environment, that over the
 * configuration file, that over the default.
 */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum setting_id {
    SET_GPU,
    SET_OUTPUT_FILE,
    SET_OUTPUT_DIRECTORY,
    SET_HANDLERS,
    SET_INCLUDE,
    SET_EXCLUDE,
    SET_ITERATIONS,
    SET_SAMPLE_WAVES,
    SET_BLOCKS,
    SET_RING_SIZE,
    SET_CHUNK_SIZE,
    SET_ON_FULL,
    SET_SUMMARY_MODE,
    SET_FINISH_TIMEOUT,
    SET_SOFT_THREADS,
    SET_ACCESS_LOG,
    SET_SOFT_POISON,
    SET_SOFT_SHUFFLE,
    SET_CHECK,
    SET_CHECK_EXIT_CODE,
    SET_EXACT_MATRIX,
    SET_SOFT_STALL,
    SET_SUMMARY,
    SET_RTC,
    SET_SOURCES,
    SET_FORCE,
    SET_REQUIRE_OBSERVED,
    SET_LIBRARY_DIRS,
    SET_KEEP_GOING,
    SET_LOG_LEVEL,
    N_SETTINGS,
};

struct setting {
    const char *key;    /* in the configuration file */
    const char *env;    /* environment variable */
    const char *option; /* without dashes */
    int letter;         /* short option or 0 */
    const char *arg;    /* name of its value in the help; NULL: a flag */
    bool arg_optional;
    const char *flag_value; /* what the option stands for when it has no value */
    const char *fallback;
    const char *help;
    /* NULL when `text` is acceptable, else what is accepted. May replace *value by a normal form (malloc'd).
     */
    const char *(*check)(const char *text, char **value);
};

extern const struct setting settings[N_SETTINGS];

enum origin {
    ORIGIN_DEFAULT,
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
/* Looks for misspelt options before the first "--": EXIT_USAGE after a message with the likely one, else 0.
 */
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
