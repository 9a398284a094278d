/* held.h - chunks of a dispatch that wait until it is known which instructions did their accesses. */
#ifndef HSA_PLUGIN_HELD_H
#define HSA_PLUGIN_HELD_H

#include <stdbool.h>
#include "hsa-plugin/transport/agent.h"

/* Enough for thousands of accesses of the first wavefronts; a dispatch that sends more begins with what they
 * tell. In summary mode the evidence comes last, and all that comes grows with the sites only. */
enum { LS_HELD_LIMIT = 4 << 20, LS_HELD_LIMIT_SUMMARY = 64 << 20 };

/* Keeps a copy of the chunk (at most `size` bytes of it). False when out of memory. */
bool ls_held_add(struct ls_slot_use *u, const void *chunk, size_t size);
/* Calls f for each chunk, in order of arrival. */
void ls_held_each(const struct ls_slot_use *u, void (*f)(void *user, const void *chunk, size_t size),
                  void *user);
void ls_held_free(struct ls_slot_use *u);

#endif
