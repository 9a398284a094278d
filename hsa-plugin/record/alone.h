/*
 * alone.h - kernels without a clone that the software GPU observes (--uninstrumented isa): their site tables, made
 * of machine code, in the database and in memory that the GPU reads. Made once per kernel, kept until the process
 * ends.
 */
#ifndef HSA_PLUGIN_ALONE_H
#define HSA_PLUGIN_ALONE_H

#include "hsa-plugin/code/kernels.h"
#include "messages/expand.h"
#include "hsa-plugin/transport/agent.h"
#include "join/machine/alone.h"
#include "lanescope/wire.h"

struct ls_alone_kernel {
    struct ls_alone *table;
    struct ls_code_map *map;   /* in memory that the GPU reads */
    int64_t module, *site_ids; /* rows of the database; 0: not stored */
};

/* Fills k->alone when it is first asked for. NULL, or why the kernel cannot be observed (static text). From any
 * thread. */
const char *ls_record_alone(const struct ls_api *api, struct ls_kernel *k);

/* The sites of a dispatch of the kernel; NULL: it has none. */
static inline const struct ls_module *ls_module_of(const struct ls_kernel *k)
{
    return k->alone ? &k->alone->table->module : k->module;
}

/* Of a dispatch of the kernel, which has such a module. */
static inline struct ls_unsaid ls_unsaid_of(const struct ls_kernel *k)
{
    const struct ls_module *m = ls_module_of(k);
    return (struct ls_unsaid){
        {m->leads, m->first_lead}, k->alone ? (struct ls_site_numbers){0} : k->entry->numbers, NULL};
}

#endif
