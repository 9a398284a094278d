/*
 * mem_image.c - image_load, image_store, image_sample, image_gather4, image_atomic, image_get_resinfo: lane by lane.
 *
 * Where documents are silent: a load outside the image reads a texel of zeros, which the destination select
 * then shows; stores and atomics outside do nothing, and the atomics return 0. What the components that a
 * store does not give (DMASK) are says gpus/gpus.h, repeats_component.
 */
#include <stdio.h>
#include "mem_image.h"

static int refuse(struct sg_wave *w, const struct sg_uop *u, const char *why)
{
    return sg_fault_at(w, u, SG_FAULT_UNIMPLEMENTED, 0, sg_first_lane(w->exec), false, why);
}

/* The image, or NULL with the reason in `why`. */
static const struct sg_image *image_of(const struct sg_wave *w, const struct sg_uop *u, const uint32_t *s,
                                       char *why)
{
    if (u->flags & SG_IMG_LWE) {
        snprintf(why, SG_IMAGE_WHY, "image instruction with lwe is not supported: there are no mip levels");
        return NULL;
    }
    if (!(u->imm & 15)) {
        snprintf(why, SG_IMAGE_WHY, "image instruction without components (dmask 0) is not supported");
        return NULL;
    }
    return sg_image_describe(s + u->c, w->arch, why);
}

/* Address component k of a lane, an integer or the bits of a float. */
static uint32_t address(const struct sg_uop *u, sg_rows v, unsigned k, unsigned lane)
{
    if (!(u->flags & SG_IMG_A16))
        return v[u->a + k][lane];
    return v[u->a + k / 2][lane] >> (k % 2 ? 16 : 0) & 0xffff;
}

/* Which axis each component of the address before the mip level is of, and how many there are. On gfx9 the resource says how
 * many coordinates there are, later the instruction; a slice is an axis, too, behind x and y. */
static unsigned address_axes(const struct sg_image *im, const struct sg_uop *u, unsigned axis[4])
{
    static const uint8_t n_of[] = {
        [GCN_DIM_1D] = 1, [GCN_DIM_2D] = 2, [GCN_DIM_3D] = 3, [GCN_DIM_1D_ARRAY] = 2, [GCN_DIM_2D_ARRAY] = 3};
    const bool by_dim = u->flags & SG_IMG_BY_DIM;
    const unsigned dim = u->flags >> SG_IMG_DIM_SHIFT & 7;
    const unsigned n = by_dim ? n_of[dim] : im->n_coord + (im->array && u->flags & SG_IMG_DA ? 1u : 0u);
    for (unsigned k = 0; k < n; k++)
        axis[k] = by_dim ? (dim == GCN_DIM_1D_ARRAY && k ? 2 : k) : k < im->n_coord ? k : 2;
    return n;
}

/* Whether the image extends along an axis, so that the address counts there. */
static bool has_axis(const struct sg_image *im, unsigned axis)
{
    return axis < im->n_coord || (axis == 2 && im->array);
}

/* Texel of a lane without sampler. False: outside the image. */
static bool texel_at(const struct sg_image *im, const struct sg_uop *u, sg_rows v, unsigned lane,
                     uint32_t at[3])
{
    unsigned axis[4];
    const unsigned n = address_axes(im, u, axis);
    at[0] = at[1] = at[2] = 0;
    for (unsigned k = 0; k < n; k++)
        if (has_axis(im, axis[k]))
            at[axis[k]] = address(u, v, k, lane);
    if (u->flags & SG_IMG_MIP && address(u, v, n, lane))
        return false;
    return at[0] < im->size[0] && at[1] < im->size[1] && at[2] < im->size[2];
}

static uint64_t texel_va(const struct sg_image *im, uint32_t x, uint32_t y, uint32_t z)
{
    return im->base + sg_layout_offset(&im->layout, x, y, z + im->first_slice);
}

/* Register n of the data, which has one component. */
static uint32_t data_at(const struct sg_uop *u, sg_rows v, unsigned n, unsigned lane, unsigned num)
{
    if (u->flags & SG_IMG_D16)
        return sg_component_widen(v[u->b + n / 2][lane] >> (n % 2 ? 16 : 0) & 0xffff, num);
    return v[u->b + n][lane];
}

/* The components of a store, also those that the DMASK leaves out. */
static void take_data(const struct sg_image *im, const struct sg_uop *u, sg_rows v, unsigned lane,
                      uint32_t value[4])
{
    const uint32_t other = im->gpu->family->repeats_component ? data_at(u, v, 0, lane, im->num) : 0;
    for (unsigned c = 0, n = 0; c < 4; c++)
        value[c] = u->imm >> c & 1 ? data_at(u, v, n++, lane, im->num) : other;
}

/* The texel that a lane stores. False: the format cannot be stored. */
static bool make_texel(const struct sg_image *im, const struct sg_uop *u, sg_rows v, unsigned lane,
                       uint32_t texel[SG_TEXEL_BYTES / 4 + 1])
{
    uint32_t value[4];
    take_data(im, u, v, lane, value);
    if (!(u->flags & SG_IMG_RAW))
        return sg_image_encode(im, value, texel);
    memcpy(texel, value, sizeof value);
    return true;
}

/* What a load, store or atomic accesses, before it does: it may overwrite the address. */
static void observe_plain(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const struct sg_image *im,
                          enum sg_access_kind kind)
{
    struct sg_image_noted n;
    uint32_t at[3], texel[SG_TEXEL_BYTES / 4 + 1];
    if (!(u->flags & SG_IMG_OBSERVED))
        return;
    memset(n.exec, 0, sizeof n.exec);
    n.has_data = kind == SG_ACCESS_STORE;
    for (uint64_t m = w->exec; m; m &= m - 1) {
        unsigned lane = sg_first_lane(m);
        if (!texel_at(im, u, v, lane, at))
            continue;
        sg_image_note(&n, 0, lane, texel_va(im, at[0], at[1], at[2]));
        n.has_data = n.has_data && make_texel(im, u, v, lane, texel);
        if (n.has_data)
            memcpy(n.data[lane], texel, im->bytes);
    }
    sg_image_observe(w, u, &n, kind, im->bytes);
}

/* A texel's size is a power of two and the surface is aligned: it lies in one page. */
static bool read_texel(struct sg_wave *w, const struct sg_image *im, uint64_t va,
                       uint32_t texel[SG_TEXEL_BYTES / 4 + 1])
{
    const uint8_t *host = sg_host(w, va, im->bytes, SG_RANGE_READ);
    if (!host)
        return false;
    texel[0] = 0;
    if (im->bytes >= 8) {
        const sg_v4 x = sg_whole_load(host, im->bytes / 4);
        memcpy(texel, &x, im->bytes);
    } else {
        memcpy(texel, host, im->bytes);
    }
    return true;
}

/* Result components that the DMASK asks for, into the lane's registers. */
static void put_result(const struct sg_wave *w, const struct sg_uop *u, sg_rows v, unsigned lane,
                       const uint32_t value[4], unsigned num)
{
    for (unsigned c = 0, n = 0; c < 4; c++) {
        if (!(u->imm >> c & 1))
            continue;
        if (u->flags & SG_IMG_D16) {
            uint32_t *to = &v[u->d + n / 2][lane], half = sg_component_narrow(value[c], num);
            *to = n % 2 ? (*to & 0xffff) | half << 16 : (*to & sg_elem_kept(w, SG_ELEM_B16_LO)) | half;
        } else {
            v[u->d + n][lane] = value[c];
        }
        n++;
    }
}

/* "8- and 16-bit elements are [not] sign-extended", others are dwords (RDNA3 ISA guide, IMAGE_LOAD_PCK,
 * IMAGE_LOAD_PCK_SGN; older guides have the names alone). */
static void raw_components(const struct sg_image *im, const uint32_t *texel, bool extend, uint32_t value[4])
{
    for (unsigned c = 0; c < 4; c++)
        value[c] = c * 4 < im->bytes ? texel[c] : 0;
    if (extend && im->bytes < 4)
        value[0] = im->bytes == 1 ? (uint32_t)(int8_t)value[0] : (uint32_t)(int16_t)value[0];
}

int sg_image_load(SG_ARGS)
{
    char why[SG_IMAGE_WHY];
    if (!w->exec)
        SG_NEXT();
    const struct sg_image *im = image_of(w, u, s, why);
    if (!im)
        return refuse(w, u, why);
    observe_plain(w, u, v, im, SG_ACCESS_LOAD);
    for (uint64_t m = w->exec; m; m &= m - 1) {
        const unsigned lane = sg_first_lane(m);
        uint32_t at[3], texel[SG_TEXEL_BYTES / 4 + 1] = {0}, component[4] = {0}, value[4];
        if (texel_at(im, u, v, lane, at)) {
            uint64_t va = texel_va(im, at[0], at[1], at[2]);
            if (!read_texel(w, im, va, texel))
                return sg_fault_page(w, u, va, lane, false);
            if (!(u->flags & SG_IMG_RAW))
                sg_image_decode(im, texel, component);
        }
        if (u->flags & SG_IMG_RAW)
            raw_components(im, texel, u->flags & SG_IMG_SIGNED, value);
        else
            sg_image_select(im, component, value);
        put_result(w, u, v, lane, value, im->num);
    }
    SG_NEXT();
}

static void write_texel(uint8_t *host, const uint32_t *texel, unsigned bytes)
{
    if (bytes == 1)
        *host = (uint8_t)texel[0];
    else if (bytes == 2)
        *(sg_u16u *)(void *)host = (uint16_t)texel[0];
    else if (bytes == 4)
        *(sg_u32u *)(void *)host = texel[0];
    else
        sg_whole_store(host, *(const sg_v4u *)(const void *)texel, bytes / 4);
}

int sg_image_store(SG_ARGS)
{
    char why[SG_IMAGE_WHY];
    if (!w->exec)
        SG_NEXT();
    const struct sg_image *im = image_of(w, u, s, why);
    if (!im)
        return refuse(w, u, why);
    observe_plain(w, u, v, im, SG_ACCESS_STORE);
    for (uint64_t m = w->exec; m; m &= m - 1) {
        const unsigned lane = sg_first_lane(m);
        uint32_t at[3], texel[SG_TEXEL_BYTES / 4 + 1];
        if (!texel_at(im, u, v, lane, at))
            continue;
        if (!make_texel(im, u, v, lane, texel))
            return refuse(w, u,
                          "store to an image of sRGB or packed float format, which ROCr does not allow");
        uint64_t va = texel_va(im, at[0], at[1], at[2]);
        uint8_t *host = sg_host(w, va, im->bytes, SG_RANGE_WRITE);
        if (!host)
            return sg_fault_page(w, u, va, lane, true);
        write_texel(host, texel, im->bytes);
    }
    SG_NEXT();
}

/* ---- Samples ---- */

static void sample_coordinates(const struct sg_image *im, const struct sg_uop *u, sg_rows v, unsigned lane,
                               float coord[3])
{
    unsigned axis[4];
    const unsigned n = address_axes(im, u, axis);
    coord[0] = coord[1] = coord[2] = 0;
    for (unsigned k = 0; k < n; k++) {
        uint32_t bits = address(u, v, k, lane);
        if (has_axis(im, axis[k]))
            coord[axis[k]] = u->flags & SG_IMG_A16 ? sg_half_to_float((uint16_t)bits) : sg_f32(bits);
    }
}

/* The sum of the taps; with one tap the texel itself, whatever its format. False: page fault at *va. */
static bool sample_lane(struct sg_wave *w, const struct sg_image *im, const struct sg_taps *taps,
                        const uint32_t border[4], uint32_t component[4], uint64_t *va)
{
    double sum[4] = {0};
    for (unsigned t = 0; t < taps->n; t++) {
        const int32_t *at = taps->tap[t].at;
        uint32_t texel[SG_TEXEL_BYTES / 4 + 1] = {0};
        if ((at[0] | at[1] | at[2]) < 0) {
            memcpy(component, border, 4 * sizeof *component);
        } else {
            *va = texel_va(im, (uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]);
            if (!read_texel(w, im, *va, texel))
                return false;
            sg_image_decode(im, texel, component);
        }
        for (unsigned c = 0; c < 4; c++)
            sum[c] += taps->tap[t].weight * (double)sg_f32(component[c]);
    }
    for (unsigned c = 0; taps->n > 1 && c < 4; c++)
        component[c] = sg_u32((float)sum[c]);
    return true;
}

static void note_taps(struct sg_image_noted *n, const struct sg_image *im, const struct sg_taps *taps,
                      unsigned lane)
{
    for (unsigned t = 0; t < taps->n; t++) {
        const int32_t *at = taps->tap[t].at;
        if ((at[0] | at[1] | at[2]) >= 0)
            sg_image_note(n, t, lane, texel_va(im, (uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]));
    }
}

/* All lanes; results go to the registers last, as they may be the coordinates. 0, or SG_STOP_FAULT. */
static int sample(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const struct sg_image *im,
                  const struct sg_sampler *sampler, struct sg_image_noted *noted)
{
    uint32_t border[4];
    sg_border_color(im, sampler, border);
    for (uint64_t m = w->exec; m; m &= m - 1) {
        const unsigned lane = sg_first_lane(m);
        uint32_t component[4] = {0}, value[4];
        float coord[3];
        struct sg_taps taps;
        uint64_t va = 0;
        sample_coordinates(im, u, v, lane, coord);
        sg_sample_taps(im, sampler, coord, &taps);
        if (noted)
            note_taps(noted, im, &taps, lane);
        if (!sample_lane(w, im, &taps, border, component, &va))
            return sg_fault_page(w, u, va, lane, false);
        sg_image_select(im, component, value);
        put_result(w, u, v, lane, value, im->num);
    }
    return 0;
}

/* Image and sampler of an instruction. NULL: `why` tells what of them is not supported. */
static const struct sg_image *sampled_image(const struct sg_wave *w, const struct sg_uop *u,
                                            const uint32_t *s, struct sg_sampler *sampler, char *why)
{
    const struct sg_image *im = image_of(w, u, s, why);
    if (!im || !sg_sampler_describe(s + u->x, sampler, why))
        return NULL;
    if (u->flags & SG_IMG_UNRM)
        sampler->normalised = false;
    return im;
}

int sg_image_sample(SG_ARGS)
{
    char why[SG_IMAGE_WHY];
    struct sg_sampler sampler;
    if (!w->exec)
        SG_NEXT();
    const struct sg_image *im = sampled_image(w, u, s, &sampler, why);
    if (!im)
        return refuse(w, u, why);
    if (sampler.linear && sg_num_is_integer(im->num))
        return refuse(w, u, "linear filter on an image of integers, which has no meaning");
    struct sg_image_noted noted;
    memset(noted.exec, 0, sizeof noted.exec);
    int stop = sample(w, u, v, im, &sampler, u->flags & SG_IMG_OBSERVED ? &noted : NULL);
    if (stop)
        return stop;
    sg_image_observe(w, u, &noted, SG_ACCESS_LOAD, im->bytes);
    SG_NEXT();
}

/* ---- Gathers ---- */

/* Four texels' component that the mask names, in the order of texture gathering: those of a linear filter, from below left
 * ("RDNA2 Instruction Set Architecture", IMAGE_GATHER4; the OpenGL Specification, textureGather). False: page fault at *va. */
static bool gather_lane(struct sg_wave *w, const struct sg_image *im, const int32_t at[4][3],
                        unsigned component, const uint32_t border[4], uint32_t value[4], uint64_t *va)
{
    for (unsigned t = 0; t < 4; t++) {
        uint32_t texel[SG_TEXEL_BYTES / 4 + 1] = {0}, decoded[4], shown[4];
        if ((at[t][0] | at[t][1] | at[t][2]) < 0) {
            memcpy(decoded, border, sizeof decoded);
        } else {
            *va = texel_va(im, (uint32_t)at[t][0], (uint32_t)at[t][1], (uint32_t)at[t][2]);
            if (!read_texel(w, im, *va, texel))
                return false;
            sg_image_decode(im, texel, decoded);
        }
        sg_image_select(im, decoded, shown);
        value[t] = shown[component];
    }
    return true;
}

static int gather(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const struct sg_image *im,
                  const struct sg_sampler *sampler, struct sg_image_noted *noted)
{
    const unsigned component = (unsigned)__builtin_ctz((unsigned)u->imm & 15);
    struct sg_uop all = *u;
    uint32_t border[4];
    all.imm = 15;
    sg_border_color(im, sampler, border);
    for (uint64_t m = w->exec; m; m &= m - 1) {
        const unsigned lane = sg_first_lane(m);
        uint32_t value[4];
        int32_t at[4][3];
        float coord[3];
        uint64_t va = 0;
        sample_coordinates(im, u, v, lane, coord);
        sg_gather_places(im, sampler, coord, at);
        for (unsigned t = 0; noted && t < 4; t++)
            if ((at[t][0] | at[t][1] | at[t][2]) >= 0)
                sg_image_note(noted, t, lane,
                              texel_va(im, (uint32_t)at[t][0], (uint32_t)at[t][1], (uint32_t)at[t][2]));
        if (!gather_lane(w, im, at, component, border, value, &va))
            return sg_fault_page(w, u, va, lane, false);
        put_result(w, &all, v, lane, value, im->num);
    }
    return 0;
}

int sg_image_gather(SG_ARGS)
{
    char why[SG_IMAGE_WHY];
    struct sg_sampler sampler;
    if (!w->exec)
        SG_NEXT();
    const struct sg_image *im = sampled_image(w, u, s, &sampler, why);
    if (!im)
        return refuse(w, u, why);
    if (im->n_coord != 2 || __builtin_popcount((unsigned)u->imm & 15) != 1)
        return refuse(w, u, "gather from an image that is no plane, or of not exactly one component");
    struct sg_image_noted noted;
    memset(noted.exec, 0, sizeof noted.exec);
    int stop = gather(w, u, v, im, &sampler, u->flags & SG_IMG_OBSERVED ? &noted : NULL);
    if (stop)
        return stop;
    sg_image_observe(w, u, &noted, SG_ACCESS_LOAD, im->bytes);
    SG_NEXT();
}

/* ---- Atomics ---- */

/* Data registers in order: the operand, for CMPSWAP then what is compared with. */
static uint64_t rmw_lane(const struct sg_uop *u, sg_rows v, unsigned lane, uint8_t *host, bool wide)
{
    const enum sg_atomic_op op = (enum sg_atomic_op)(u->flags >> SG_IMG_OP_SHIFT);
    uint64_t data[2] = {0};
    for (unsigned i = 0; i < (op == SG_ATOMIC_CMPSWAP ? 2 : 1); i++)
        data[i] =
            wide ? v[u->b + 2 * i][lane] | (uint64_t)v[u->b + 2 * i + 1][lane] << 32 : v[u->b + i][lane];
    if (wide)
        return sg_atomic_rmw64((uint64_t *)(void *)host, op, data[0], data[1]);
    return sg_atomic_rmw32((uint32_t *)(void *)host, op, (uint32_t)data[0], (uint32_t)data[1]);
}

/* Whether the texel is as wide as the registers say: DMASK counts them. */
static bool atomic_fits(const struct sg_image *im, const struct sg_uop *u)
{
    const bool two = u->flags >> SG_IMG_OP_SHIFT == SG_ATOMIC_CMPSWAP;
    unsigned registers = (unsigned)__builtin_popcount((unsigned)u->imm & 15);
    return (im->bytes == 4 || im->bytes == 8) && registers == im->bytes / 4u * (two ? 2 : 1);
}

int sg_image_atomic(SG_ARGS)
{
    char why[SG_IMAGE_WHY];
    if (!w->exec)
        SG_NEXT();
    const struct sg_image *im = image_of(w, u, s, why);
    if (!im)
        return refuse(w, u, why);
    if (!atomic_fits(im, u))
        return refuse(
            w, u,
            "image atomic whose registers (dmask) do not fit the texels, which must have 32 or 64 bits");
    observe_plain(w, u, v, im, SG_ACCESS_ATOMIC);
    for (uint64_t m = w->exec; m; m &= m - 1) {
        const unsigned lane = sg_first_lane(m);
        uint32_t at[3];
        uint64_t old = 0;
        if (texel_at(im, u, v, lane, at)) {
            uint64_t va = texel_va(im, at[0], at[1], at[2]);
            uint8_t *host = sg_host(w, va, im->bytes, SG_RANGE_WRITE);
            if (!host)
                return sg_fault_page(w, u, va, lane, true);
            old = rmw_lane(u, v, lane, host, im->bytes == 8);
        }
        if (u->flags & SG_IMG_RETURN) {
            v[u->d][lane] = (uint32_t)old;
            if (im->bytes == 8)
                v[u->d + 1][lane] = (uint32_t)(old >> 32);
        }
    }
    SG_NEXT();
}

/* Width, height, depth or slices, mip levels; of levels that do not exist nothing. */
int sg_image_resinfo(SG_ARGS)
{
    char why[SG_IMAGE_WHY];
    if (!w->exec)
        SG_NEXT();
    const struct sg_image *im = image_of(w, u, s, why);
    if (!im)
        return refuse(w, u, why);
    const uint32_t info[4] = {im->size[0], im->size[1], im->size[2], 1}, none[4] = {0};
    for (uint64_t m = w->exec; m; m &= m - 1) {
        const unsigned lane = sg_first_lane(m);
        put_result(w, u, v, lane, address(u, v, 0, lane) ? none : info, SG_NUM_UINT);
    }
    SG_NEXT();
}
