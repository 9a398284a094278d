/*
 * parts.h - an access as the hardware does it: the passes of the original kernel's instructions, or, where
 * these are not known, the access as the source has it.
 */
#ifndef LANESCOPE_SDK_PARTS_H
#define LANESCOPE_SDK_PARTS_H

#include "lanescope/handler.h"

struct lanescope_part {
    uint32_t site;   /* whose number it is: the one that stands for the whole instruction */
    uint32_t offset; /* bytes from each lane's address */
    uint64_t bytes;  /* per lane; 0: as the access's lengths say */
};

/* How many parts an access of the site has: none when it is served by scalar memory, or by another site's
 * instruction. */
static inline unsigned lanescope_n_parts(const struct lanescope_dispatch *d, uint32_t site)
{
    const struct lanescope_isa *isa = lanescope_isa_of(d, site);
    return isa ? isa->n_passes : 1;
}

/* Part `i`, smaller than lanescope_n_parts. */
static inline struct lanescope_part lanescope_part_at(const struct lanescope_dispatch *d, uint32_t site,
                                                      unsigned i)
{
    const struct lanescope_isa *isa = lanescope_isa_of(d, site);
    struct lanescope_part part = {site, 0, d->sites[site].bytes};
    if (isa) {
        part.site = isa->passes[i].site;
        part.offset = isa->passes[i].offset;
        part.bytes = isa->passes[i].bytes;
    }
    return part;
}

#endif
