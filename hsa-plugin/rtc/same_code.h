/* same_code.h - whether one object file has the other's kernels, instruction by instruction. */
#ifndef HSA_PLUGIN_RTC_SAME_CODE_H
#define HSA_PLUGIN_RTC_SAME_CODE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether each function of object file `plain` (relocatable, 64 bits) is in `other`, with the same bytes. What is only
 * in `other`, as our clones, does not count. Damaged files are not the same. */
bool rtc_same_code(const char *plain, size_t plain_size, const char *other, size_t other_size);

#endif
