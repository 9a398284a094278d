/*
 * parts.h - an access as the hardware does it: the passes of the original kernel's instructions, or, where
 * these are not known, the access as the source has it.
 */
#ifndef HOST_HANDLERS_PARTS_H
#define HOST_HANDLERS_PARTS_H

#include "lanescope/handler.h"

struct part {
    uint32_t site;   /* whose number it is: the one that stands for the whole instruction */
    uint32_t offset; /* bytes from each lane's address */
    uint64_t bytes;  /* per lane; 0: as the access's lengths say */
};

/* None when the access is served by scalar memory, or by another site's instruction. */
static inline unsigned n_parts(const struct lanescope_dispatch *d, uint32_t site)
{
    const struct lanescope_isa *isa = lanescope_isa_of(d, site);
    return isa ? isa->n_passes : 1;
}

/* Part `i`, smaller than n_parts. */
static inline struct part part_at(const struct lanescope_dispatch *d, uint32_t site, unsigned i)
{
    const struct lanescope_isa *isa = lanescope_isa_of(d, site);
    if (!isa)
        return (struct part){site, 0, d->sites[site].bytes};
    const struct lanescope_pass *p = &isa->passes[i];
    return (struct part){p->site, p->offset, p->bytes};
}

#endif
