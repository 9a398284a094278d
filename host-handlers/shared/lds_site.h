/*
 * lds_site.h - the cost of one LDS access of a site, in the instructions that the hardware issues for it. An
 * access wider than 16 bytes counts in pieces of 16 bytes. A 16-byte access that is known to be only 8-byte
 * aligned is a ds_read2_b64/ds_write2_b64, two passes of the 8-byte form.
 */
#ifndef HOST_HANDLERS_LDS_SITE_H
#define HOST_HANDLERS_LDS_SITE_H

#include "lanescope/handler.h"
#include "host-handlers/models/lds_model.h"

/* The hardware's piece of an access at byte `done` of `bytes`: 16, or what is left; 8 for read2/write2 of 64
 * bits. */
unsigned ls_lds_piece(const struct lanescope_site *s, uint64_t bytes, uint64_t done);
/* Whether one of the pieces of the site's access has so many bytes at that offset. */
bool ls_lds_has_piece(const struct lanescope_site *s, unsigned offset, unsigned bytes);
/* How the lane groups of a pass of `bytes` bytes are served. */
const struct ls_lds_phases *ls_lds_phases_of(const struct ls_gpu *gpu, const struct lanescope_site *s,
                                             unsigned bytes);

/* `bytes` per lane at addr[lane]. */
struct ls_lds_cost ls_lds_site_cost(const struct ls_gpu *gpu, const struct lanescope_site *s, uint64_t exec,
                                    uint64_t bytes, const uint64_t addr[64]);

/* Of the one pass of an instruction: `bytes` per lane at addr[lane] + offset. */
struct ls_lds_cost ls_lds_pass_cost(const struct ls_gpu *gpu, const struct lanescope_site *s, uint64_t exec,
                                    unsigned bytes, unsigned offset, const uint64_t addr[64]);

#endif
