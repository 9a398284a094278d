/*
 * stale.h - what the check of weak memory finds (docs/check.md): the word for each kind in files and databases, what was
 * stale, and what is missing.
 */
#ifndef COMMON_STALE_H
#define COMMON_STALE_H

#include <stddef.h>
#include <string.h>

struct ls_stale {
    const char *kind, *what, *missing;
};

#define LS_STALE_RELEASE                                                                                     \
    "a release at agent scope between the write and what tells of it: __threadfence(), or __ATOMIC_RELEASE"
#define LS_STALE_ACQUIRE                                                                                     \
    "an acquire at agent scope between what tells of the write and the read: __threadfence(), or "           \
    "__ATOMIC_ACQUIRE"

#define LS_STALE_SCALAR                                                                                      \
    "a load past the scalar cache, which no fence invalidates: what the kernel's work-groups write must "    \
    "not be "                                                                                                \
    "const __restrict__ or __constant__, or read it by __hip_atomic_load at agent scope"

/* In the order of enum sg_finding_kind, from SG_FOUND_UNDER_WAY on. */
static const struct ls_stale ls_stales[] = {
    {"under-way", "the write was still under way", LS_STALE_RELEASE},
    {"other-l2", "the write lay in the L2 of another die", LS_STALE_RELEASE},
    {"stale-l1", "the L1 of the reader's compute unit had not been invalidated", LS_STALE_ACQUIRE},
    {"stale-scalar", "the reader's scalar cache had not been invalidated", LS_STALE_SCALAR},
    {"polled", "the L1 keeps what is polled",
     "an atomic load at agent scope: __hip_atomic_load(..., __HIP_MEMORY_SCOPE_AGENT)"},
};
enum { LS_STALES = sizeof ls_stales / sizeof ls_stales[0] };

/* NULL: the kind is another one. */
static inline const struct ls_stale *ls_stale_of(const char *kind)
{
    for (size_t i = 0; i < LS_STALES; i++)
        if (!strcmp(ls_stales[i].kind, kind))
            return &ls_stales[i];
    return NULL;
}

#endif
