/* cache_limit.h - the user's cache folder does not grow without end. */
#ifndef CLI_CACHE_LIMIT_H
#define CLI_CACHE_LIMIT_H

#include <stdint.h>
#include <time.h>

/* Removes of `base` (cache_folder) kept texts (rtc/HASH) and caches of compiled kernels (rtc-KEY) until what is left takes at
 * most `most` bytes of disk: first those that were not used for the longest time. What was used at `since` or later stays, and
 * what is not ours by its name. Looks at nothing when no kernel was compiled since then. Errors are for the next run to
 * meet. */
void cache_limit(const char *base, uint64_t most, time_t since);

#endif
