/*
 * group.c - probes of several accesses behind which nothing has to stand: for programs of many kernels, whose clones are compiled in
 * half the time for it.
 *
 * They call those of several.c, so they save where they came from in memory each time. Those call nothing, and leave to the clone what
 * they cannot tell.
 */
#include "access.h"
#include "several.h"

#define GROUP(name)                                                                                          \
    __attribute__((noinline)) void name(uint64_t wave, uint32_t low, uint32_t high, uint32_t low1,           \
                                        uint32_t high1, uint32_t low2, uint32_t high2, uint32_t low3,        \
                                        uint32_t high3, uint32_t head, uint32_t sites)

static HOT inline void tell_one(uint64_t wave, uint32_t low, uint32_t high, uint32_t head, uint32_t byte)
{
    if (byte & SITES_LDS)
        __ls_access_lds(wave, low, nothing(), head + (byte & (SITES_LDS - 1)));
    else
        __ls_access(wave, low, high, head + byte);
}

/* Each by itself. What all lanes have the same of is kept in scalar registers: a vector register that this needs, all clones need. A
 * site comes behind those in front of it: a byte of 0, but the first, is that of no access. */
GROUP(__ls_group_each)
{
    uint32_t bytes = readfirstlane(sites);
    wave = uniform64(wave);
    head = readfirstlane(head);
    tell_one(wave, low, high, head, bytes & 0xff);
    tell_one(wave, low1, high1, head, bytes >> 8 & 0xff);
    if (bytes >> 16 & 0xff)
        tell_one(wave, low2, high2, head, bytes >> 16 & 0xff);
    if (bytes >> 24)
        tell_one(wave, low3, high3, head, bytes >> 24);
}

#define GROUP_BY(name, several)                                                                              \
    GROUP(name)                                                                                              \
    {                                                                                                        \
        if (readfirstlane(several(wave, low, high, low1, high1, low2, high2, low3, high3, head, sites)))     \
            TAIL_CALL(__ls_group_each(wave, low, high, low1, high1, low2, high2, low3, high3, head, sites)); \
    }
GROUP_BY(__ls_group2, __ls_several2)
GROUP_BY(__ls_group3, __ls_several3)
GROUP_BY(__ls_group4, __ls_several4)
GROUP_BY(__ls_group_shapes2, __ls_shapes2)
GROUP_BY(__ls_group_shapes3, __ls_shapes3)
GROUP_BY(__ls_group_shapes4, __ls_shapes4)
