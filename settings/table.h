/*
 * table.h - the settings: one table gives each its command-line option, environment variable, configuration
 * key, default, and what it accepts.
 */
#ifndef SETTINGS_TABLE_H
#define SETTINGS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum setting_id {
    SET_GPU,
    SET_PRESET,
    SET_OUTPUT_FILE,
    SET_OUTPUT_DIRECTORY,
    SET_HANDLERS,
    SET_AS,
    SET_INCLUDE,
    SET_EXCLUDE,
    SET_ITERATIONS,
    SET_SELECTED_REGIONS,
    SET_SAMPLE_WAVES,
    SET_BLOCKS,
    SET_RING_SIZE,
    SET_CHUNK_SIZE,
    SET_ON_FULL,
    SET_SUMMARY_MODE,
    SET_UNINSTRUMENTED,
    SET_DECODE_THREADS,
    SET_FINISH_TIMEOUT,
    SET_SOFT_THREADS,
    SET_ACCESS_LOG,
    SET_SOFT_POISON,
    SET_SOFT_SHUFFLE,
    SET_SOFT_MEMORY,
    SET_CHECK,
    SET_CHECK_EXIT_CODE,
    SET_EXACT_MATRIX,
    SET_SOFT_STALL,
    SET_SOFT_STALL_STOP,
    SET_SUMMARY,
    SET_PROGRESS,
    SET_RTC,
    SET_CACHE_SIZE,
    SET_SOURCES,
    SET_FORCE,
    SET_REQUIRE_OBSERVED,
    SET_LIBRARY_DIRS,
    SET_KEEP_GOING,
    SET_LOG_LEVEL,
    N_SETTINGS, /* those with an option and a key; what follows stands in the environment alone */
    SET_RECORDING = N_SETTINGS,
    SET_MODULE_DIR,
    SET_ARGV_JSON,
    SET_SOFT_INTERPRET,
    SET_CHECK_DIRECTORY,
    SET_RING_WRITE_BACK,
    SET_SUMMARY_FEW,
    SET_SOFT_LINK_ATOMICS,
    SET_SOFT_COUNTS,
    SET_PROBE_BLOCKS, /* for the compiler plugin; these four are of the compiler wrapper */
    SET_PROBE_KERNELS,
    SET_PROBE_BESIDE,
    SET_VERBOSE,
    N_VARIABLES,
};

enum setting_type {
    TYPE_TEXT, /* anything */
    TYPE_NAME, /* anything but nothing */
    TYPE_BOOLEAN,
    TYPE_NUMBER,
    TYPE_SEED,   /* a number, or a boolean */
    TYPE_MEMORY, /* strong, or weak with a seed */
    TYPE_SIZE,
    TYPE_POWER, /* a size that is a power of two */
    TYPE_EVERY, /* every n-th */
    TYPE_CHOICE,
    TYPE_SWITCH, /* a boolean, or one of the names, which are counted from 2 */
    TYPE_SET,    /* several of the names, or a boolean */
    TYPE_REGEX,
    TYPE_RANGES,
    TYPE_BLOCKS,
    TYPE_GPU,
    TYPE_GPUS, /* names of GPUs with models, separated by commas */
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
    enum setting_type type;
    const char *accepts; /* in words, for messages; NULL: what the type says itself */
    uint64_t least, most;
    const char *const *names; /* of a choice or a set, NULL at the end */
};

extern const struct setting settings[N_VARIABLES];

/* A preset is a set of values for settings that nobody gives. */
struct setting_preset {
    const char *preset; /* NULL: the end */
    enum setting_id id;
    const char *value;
};
extern const struct setting_preset setting_presets[];
extern const char *const setting_preset_names[]; /* NULL at the end */

/* Variables of the environment that are read, or set for processes of our own, but are no settings:
 * where things lie, and those of the tests. NULL at the end. With `settings` these
 * are all; the command line warns of any other that begins so. */
#define SETTING_PREFIX "LANESCOPE_"
extern const char *const setting_other_variables[];

/* Variables in which launchers of parallel programs tell a process its rank, the first that is set counts
 * (rocprofv3's order). NULL at the end. */
extern const char *const ls_rank_variables[];

/* NULL when `text` is acceptable, else what is: static text, valid until the thread's next call. *normal
 * becomes the text that all readers understand alike (malloc'd; NULL when out of memory); untouched after an
 * error. Nothing ("") is acceptable for all but names. */
const char *setting_check(enum setting_id id, const char *text, char **normal);
/* The value as a number: of a boolean 0 or 1, of a switch that or 2 and more, of a choice its index, of a set its bits. False: not
 * acceptable, or of a type that is not a number. */
bool setting_number(enum setting_id id, const char *text, uint64_t *value);

/* From the environment, else the default; empty variables count as unset. */
const char *setting_text(enum setting_id id);
/* The same as a number. False with *error (malloc'd): the variable, what is wrong, what is accepted. */
bool setting_read(enum setting_id id, uint64_t *value, char **error);
/* That error, for settings that are no numbers; `why` (may be NULL) replaces what is accepted. */
char *setting_error(enum setting_id id, const char *text, const char *why);

#endif
