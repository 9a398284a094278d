/*
 * kernels.h - code objects of the application and the kernels in them.
 *
 * A code object is looked at when the application loads it (its bytes are only certain to exist then), and
 * its kernels are paired with their clones when the executable is frozen. Both live in the application's own
 * executable; nothing is loaded twice. Kernels without a clone are looked up when they are first dispatched.
 * What was learned is kept until the process ends, also of executables that are destroyed.
 */
#ifndef HSA_PLUGIN_KERNELS_H
#define HSA_PLUGIN_KERNELS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hsa-plugin/transport/agent.h"
#include "hsa-plugin/runtime/api_tables.h"
#include "hsa-plugin/config.h"
#include "gpus/occupancy.h"
#include "objects/sites.h"
#include <uthash.h>

struct ls_match;
struct ls_isa;

/* How the GPU reduces irregular accesses of a kernel in summary mode (record/reduce.h). */
struct ls_reduction {
    struct ls_plan *plan; /* the host's copy */
    size_t plan_bytes;
    _Atomic(void *)
        placed;       /* the one that probes read: in the GPU's memory if that can be; NULL: nowhere yet */
    atomic_bool seen; /* a dispatch that read it has completed, so no cache has what was there before */
    const struct lanescope_isa *isa; /* what it was made from; NULL: nothing is known */
    bool open; /* of some sites only the dispatch tells the instructions: it gathers evidence */
    struct ls_reduction *next; /* older */
};
struct ls_stored_listing;
struct ls_code;

struct ls_code_object {
    hsa_executable_t executable;
    hsa_loaded_code_object_t loaded;
    struct ls_agent *agent;
    uint64_t load_base, load_size;
    char *uri;      /* or NULL */
    char *compiler; /* note of a run-time compiler's hook (docs/triton.md), or NULL */
    uint64_t bytes;
    void *image;      /* copy, only when there is a site table, or kernels without one are observed */
    bool keeps_image; /* it is for those, and stays */
    struct ls_module *modules;
    size_t n_modules;
    const char *damage; /* static text: why its site table can't be used; NULL: it can, or there is none */
    bool gone;          /* its executable was destroyed */
    struct ls_kernel *kernels; /* list through ->next_of_code_object */
    struct ls_code_object *next;
    /* for the database; under its lock */
    bool stored;
    atomic_bool recorded; /* all of it is stored, and its joins are there: no need to take the lock */
    int64_t db_id;
    int64_t *module_ids;
    int64_t **site_ids;         /* [module][site] */
    struct ls_match **match;    /* [module]; NULL: there is no machine code to join with */
    unsigned char **estimated;  /* [module][site]: 1: stored that it has estimates */
    unsigned char **site_state; /* [module][site]: enum ls_match_state as stored; 0x80: named only */
    struct ls_stored_listing *listings;
    struct ls_isa *isa; /* of the image that is kept; NULL: not needed yet */
};

/* What a kernel descriptor asks of a launch, bytes. */
struct ls_kernel_sizes {
    uint32_t kernarg, group, private;
    bool dynamic_stack;
};

struct ls_kernel {
    uint64_t object; /* key: the packet's kernel_object */
    struct ls_code_object *code_object;
    char *mangled, *demangled;
    struct ls_kernel_sizes original, clone;
    uint64_t clone_object;                                 /* 0: there is none */
    struct ls_kernel_registers registers, clone_registers; /* of the original: known if it is observed */
    const struct ls_module *module;
    const struct ls_module_kernel *entry; /* in module; both NULL without a site table */
    const char *not_instrumented;         /* static text */
    bool selected;                        /* by name */
    atomic_uint_least64_t n_dispatches;
    atomic_bool reason_logged;
    struct ls_kernel *next_of_code_object;
    UT_hash_handle hh;
    int64_t db_id;                   /* under the database's lock */
    struct ls_code *code;            /* machine code, when a handler wants it; set with db_id */
    struct ls_reduction *reductions; /* newest first; under the lock of the joins */
    struct ls_alone_kernel *alone;   /* it has no clone and is observed all the same (record/alone.h) */
    const char *not_alone; /* static text: why it cannot be; with `alone` under the database's lock */
};

/* After hsa_executable_load_agent_code_object succeeded. Returns the code object when it is an instrumented
 * one seen for the first time, else NULL. */
struct ls_code_object *ls_code_object_loaded(struct ls_api *api, const struct ls_config *c,
                                             hsa_executable_t executable, hsa_loaded_code_object_t loaded);
/* After hsa_executable_freeze succeeded. */
void ls_executable_frozen(struct ls_api *api, const struct ls_config *c, hsa_executable_t executable);
/* Before hsa_executable_destroy. */
void ls_executable_destroyed(hsa_executable_t executable);

/* The kernel of a packet; NULL only when out of memory. */
struct ls_kernel *ls_kernel_of(struct ls_api *api, const struct ls_config *c, struct ls_agent *agent,
                               uint64_t object);

/* All code objects seen so far, newest first; for the thread that writes the database. */
struct ls_code_object *ls_code_objects(void);
/* The value of "key=value" in a line of a code object's note; malloc'd, NULL: there is none. */
char *ls_note_value(const char *note, const char *key);
/* malloc'd demangled form of a linkage name, or a copy of it. */
char *ls_demangle(const char *name);

#endif
