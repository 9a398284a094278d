/*
 * comgr.h - AMD's code object manager (comgr), as far as we stand in its way. HIP, OpenCL and the libraries
 * above compile at run time by its actions: each turns a set of data (sources, bitcode) into another set.
 *
 * Signatures and numbers are those of AMD's header, versions 2.4 (ROCm 5.2) and 3.0 (ROCm 7). comgr 3 has
 * other numbers for the same actions.
 */
#ifndef HSA_PLUGIN_RTC_COMGR_H
#define HSA_PLUGIN_RTC_COMGR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Any object of comgr: data, a set of data, an action's parameters. Passed by value. */
typedef struct {
    uint64_t handle;
} comgr_object;

enum { COMGR_SUCCESS = 0, COMGR_ERROR = 1 };
enum comgr_kind {
    COMGR_SOURCE = 1,
    COMGR_INCLUDE = 2,
    COMGR_LOG = 5,
    COMGR_BITCODE = 6,
    COMGR_RELOCATABLE = 7,
    COMGR_LAST_KIND = 0x15, /* of comgr 3; older ones refuse what they do not know */
};

/* Actions of comgr 3 that we ask for ourselves. */
enum {
    COMGR3_LINK_EXECUTABLE = 7,
    COMGR3_SOURCE_TO_BITCODE = 0xc, /* with device libraries */
    COMGR3_SOURCE_TO_RELOCATABLE = 0xd,
    COMGR3_SOURCE_TO_EXECUTABLE = 0xe,
};

/* What an action is to us. */
enum comgr_step { STEP_OTHER, STEP_SOURCE_TO_BITCODE, STEP_GENERATE, STEP_SOURCE_TO_CODE };

typedef int (*comgr_action)(int action, comgr_object info, comgr_object in, comgr_object out);

/* One loaded comgr. */
struct comgr {
    comgr_action action;
    size_t major;
    int (*create_data)(int kind, comgr_object *);
    int (*release_data)(comgr_object);
    int (*set_data)(comgr_object, size_t, const char *);
    int (*get_data)(comgr_object, size_t *, char *);
    int (*set_data_name)(comgr_object, const char *);
    int (*get_data_name)(comgr_object, size_t *, char *);
    int (*create_data_set)(comgr_object *);
    int (*destroy_data_set)(comgr_object);
    int (*data_set_add)(comgr_object, comgr_object);
    int (*data_count)(comgr_object, int kind, size_t *);
    int (*data_at)(comgr_object, int kind, size_t, comgr_object *);
    int (*option_count)(comgr_object, size_t *);
    int (*option_at)(comgr_object, size_t, size_t *, char *);
    int (*set_options)(comgr_object, const char **, size_t);
    int (*isa_name)(comgr_object, size_t *, char *);
};

/* Fills *c from the library that `action`, its amd_comgr_do_action, stands in; false: a function is missing. */
bool comgr_load(struct comgr *c, comgr_action action);

/* Folder of the library that comgr's action stands in (malloc'd), or NULL. */
char *comgr_folder(const struct comgr *c);

enum comgr_step comgr_step(const struct comgr *c, int action);

/* The text or bytes of `data`, with a zero behind them (malloc'd); NULL: out of memory, or comgr refuses.
 * *size does not count that zero. */
char *comgr_bytes(const struct comgr *c, comgr_object data, size_t *size);
/* Its name (malloc'd), "" when it has none; NULL as above. */
char *comgr_name(const struct comgr *c, comgr_object data);
/* Adds a new object to `set`; false when comgr refuses. */
bool comgr_add(const struct comgr *c, comgr_object set, int kind, const char *name, const char *bytes,
               size_t size);
/* Adds the objects of `kind` in `from` to `to`; false when comgr refuses. */
bool comgr_move(const struct comgr *c, int kind, comgr_object from, comgr_object to);

/* An action's options; free them with comgr_options_free. */
struct comgr_options {
    char **v;
    size_t n;
};
/* False: out of memory, or they are not a list. Nothing is to be freed then. */
bool comgr_options_get(const struct comgr *c, comgr_object info, struct comgr_options *o);
/* Sets them with `n_more` behind them. */
bool comgr_options_set(const struct comgr *c, comgr_object info, const struct comgr_options *o,
                       const char *const *more, size_t n_more);
void comgr_options_free(struct comgr_options *o);

#endif
