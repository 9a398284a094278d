/*
 * copies.h - copies that the program has the runtime do (hsa_amd_memory_async_copy and its kin): their times
 * and sizes for the record.
 *
 * The runtime writes a copy's times into its completion signal, and the program is free to use that one again
 * the moment it is signalled. So a copy gets a signal of ours; when it completes, a thread of the runtime
 * reads the times and signals the program. An operation of a batch has one signal for all of its copies,
 * which get the same times.
 */
#ifndef HSA_PLUGIN_COPIES_H
#define HSA_PLUGIN_COPIES_H

#include "hsa-plugin/runtime/api_tables.h"

/* Puts our functions into the live tables. */
void ls_copies_hooks(struct ls_amd_table *amd);
/* Switches the runtime's timing of copies on. */
void ls_copies_start(const struct ls_api *api);
/* Frees what belongs to the runtime, before it goes away. */
void ls_copies_release(const struct ls_api *api);

#endif
