/*
 * image_observe.c - what the access log and the check for races learn of image instructions.
 */
#include "soft-gpu/isa/code/code.h"
#include "soft-gpu/isa/log/log.h"
#include "mem_image.h"

void sg_image_note(struct sg_image_noted *n, unsigned part, unsigned lane, uint64_t va)
{
    n->exec[part] |= 1ull << lane;
    n->va[part][lane] = va;
}

/* What the lanes of a store will overwrite. False: some of it is not mapped, which is the store's own
 * fault. */
static bool read_before(struct sg_wave *w, const struct sg_image_noted *n, unsigned bytes,
                        uint8_t before[SG_MAX_LANES][SG_TEXEL_BYTES])
{
    for (uint64_t m = n->exec[0]; m; m &= m - 1) {
        const unsigned lane = sg_first_lane(m);
        const uint8_t *host = sg_host(w, n->va[0][lane], bytes, SG_RANGE_READ);
        if (!host)
            return false;
        memcpy(before[lane], host, bytes);
    }
    return true;
}

/* As of other accesses to global memory (mem_check.c): plain ones are compared with each other, and who waits
 * for an atomic's result knows what others have done. */
static void check(struct sg_wave *w, const struct sg_uop *u, const struct sg_image_noted *n,
                  enum sg_access_kind kind, unsigned bytes)
{
    uint8_t before[SG_MAX_LANES][SG_TEXEL_BYTES];
    struct sg_check_access a = {.pc = sg_uop_pc(w, u),
                                .wave = w->wave_in_group,
                                .kind = kind == SG_ACCESS_LOAD ? SG_CHECK_READ : SG_CHECK_WRITE,
                                .space = SG_CHECK_MEMORY,
                                .bytes = bytes};
    _Static_assert((int)SG_TEXEL_BYTES == (int)SG_CHECK_BYTES, "texels are checked whole");
    if (kind == SG_ACCESS_ATOMIC) {
        if (n->exec[0] && u->flags & SG_IMG_RETURN)
            sg_check_acquire(w->wg->check, w->wave_in_group);
        return;
    }
    if (kind == SG_ACCESS_STORE && n->has_data && read_before(w, n, bytes, before)) {
        a.data = n->data;
        a.before = (const uint8_t (*)[SG_CHECK_BYTES])before;
    }
    for (unsigned part = 0; part < SG_IMAGE_TAPS; part++) {
        a.lanes = n->exec[part];
        a.addr = n->va[part];
        if (a.lanes)
            sg_check_access(w->wg->check, &a);
    }
}

void sg_image_observe(struct sg_wave *w, const struct sg_uop *u, const struct sg_image_noted *n,
                      enum sg_access_kind kind, unsigned bytes)
{
    for (unsigned part = 0; u->flags & SG_IMG_LOG && part < SG_IMAGE_TAPS; part++)
        if (n->exec[part])
            sg_log_access(w, u, kind, SG_SPACE_GLOBAL, bytes, part, n->exec[part], n->va[part]);
    if (u->flags & SG_IMG_CHECK && w->wg->check)
        check(w, u, n, kind, bytes);
}
