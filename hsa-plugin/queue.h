/* queue.h - interception of queues and of the packets in them. */
#ifndef HSA_PLUGIN_QUEUE_H
#define HSA_PLUGIN_QUEUE_H

#include "api_tables.h"

/* ROCr calls it with the packets of an intercepted queue; `data` is its struct ls_queue. */
void ls_queue_packets(const void *packets, uint64_t n, uint64_t user_index, void *data,
                      ls_packet_writer writer);
/* Puts our functions into the live tables. */
void ls_queue_hooks(struct ls_core_table *core, struct ls_amd_table *amd);

#endif
