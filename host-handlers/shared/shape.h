/*
 * shape.h - remembers what accesses cost by their shape: active lanes, and stride or the lanes' distances from the base.
 * The same distances behind another base cost the same when both bases have the same phase.
 */
#ifndef HOST_HANDLERS_SHAPE_H
#define HOST_HANDLERS_SHAPE_H

#include "lanescope/handler.h"
#include "lanescope/sdk/pattern.h"

#include <string.h>

/* Four chains of multiplications side by side: this runs for every irregular access. */
static inline uint64_t ls_hash_words(const uint32_t *words, unsigned n)
{
    const uint64_t multiplier = 0x9e3779b97f4a7c15ull;
    uint64_t h[4] = {1, 2, 3, 4}, two;
    unsigned i = 0;
    for (; i + 8 <= n; i += 8)
        for (unsigned k = 0; k < 4; k++) {
            memcpy(&two, words + i + 2 * k, sizeof two);
            h[k] = (h[k] ^ two) * multiplier;
        }
    for (; i < n; i++)
        h[i % 4] = (h[i % 4] ^ words[i]) * multiplier;
    for (unsigned k = 1; k < 4; k++)
        h[0] = (h[0] ^ h[0] >> 31 ^ h[k]) * multiplier;
    return h[0];
}

/* Words of an entry of a table: its key tells distances by a hash only. */
typedef uint32_t ls_shape_words[64];

/* Whether the shape of an access tells what it costs, if its site has a memory and a width. */
static inline bool ls_has_shape(const struct lanescope_access *a)
{
    return a->pattern == LANESCOPE_STRIDED || a->pattern == LANESCOPE_DELTA;
}

/* The key of an access with a shape; `form` has at most 31 bits. */
static inline struct lanescope_pattern_key ls_shape_key(const struct lanescope_access *a, uint32_t phase,
                                                        uint32_t form)
{
    bool line = a->pattern == LANESCOPE_STRIDED;
    return (struct lanescope_pattern_key){a->exec,
                                          line ? a->stride : (int64_t)ls_hash_words(a->words, a->active),
                                          phase, line ? form : form | 1u << 31};
}

/* Whether the entry with that key and those words is the access's. */
static inline bool ls_shape_equal(const struct lanescope_pattern_key *entry, const uint32_t *words,
                                  const struct lanescope_pattern_key *key, const struct lanescope_access *a)
{
    return lanescope_pattern_equal(entry, key) &&
           (a->pattern == LANESCOPE_STRIDED || !memcmp(words, a->words, a->active * sizeof *words));
}

#endif
