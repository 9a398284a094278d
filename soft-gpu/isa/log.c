/*
 * log.c - the access log.
 */
#include "uop.h"

void sg_log_access(struct sg_wave *w, const struct sg_uop *u, enum sg_access_kind kind,
                   enum sg_access_space space, unsigned bytes, unsigned part, uint64_t exec,
                   const uint64_t addr[SG_LANES])
{
    (void)w, (void)u, (void)kind, (void)space, (void)bytes, (void)part, (void)exec, (void)addr;
}
