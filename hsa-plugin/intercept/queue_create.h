/* queue_create.h - makes the program's queues such that we see their packets. */
#ifndef HSA_PLUGIN_QUEUE_CREATE_H
#define HSA_PLUGIN_QUEUE_CREATE_H

#include "hsa-plugin/runtime/api_tables.h"

struct ls_queue;

/* Puts our functions into the live tables. ROCr shall call `packets` with the packets of each queue; its
 * `data` is the struct ls_queue. */
void ls_queue_create_hooks(struct ls_core_table *core, struct ls_amd_table *amd, ls_packet_handler packets);
/* NULL: not one of ours. */
struct ls_queue *ls_queue_of(const hsa_queue_t *hsa);

#endif
