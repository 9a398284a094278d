/* queue_create.h - makes the program's queues such that we see their packets. */
#ifndef HSA_PLUGIN_QUEUE_CREATE_H
#define HSA_PLUGIN_QUEUE_CREATE_H

#include "api_tables.h"

struct ls_queue;

/* Puts our functions into the live tables. */
void ls_queue_create_hooks(struct ls_core_table *core, struct ls_amd_table *amd);
/* NULL: not one of ours. */
struct ls_queue *ls_queue_of(const hsa_queue_t *hsa);

#endif
