/* queue.h - interception of queues and of the packets in them. */
#ifndef HSA_PLUGIN_QUEUE_H
#define HSA_PLUGIN_QUEUE_H

#include "hsa-plugin/runtime/api_tables.h"

/* Puts our functions into the live tables. */
void ls_queue_hooks(struct ls_core_table *core, struct ls_amd_table *amd);

#endif
