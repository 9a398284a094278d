/*
 * mem_format.c - buffer_load/store_format_* and tbuffer_*: elements of a described format are converted to
 * and from f32 or integer registers. MUBUF takes format and component selects from the V#, MTBUF the format
 * from the instruction and no selects ("AMD CDNA4 ISA", 9.1.4). An element is in range or out of it as a
 * whole (9.1.5.1).
 */
#include "mem_component.h"
#include "mem_format.h"

const uint8_t sg_format_widths[SG_DATA_FORMATS][4] = {
    [1] = {8},
    [2] = {16},
    [3] = {8, 8},
    [4] = {32},
    [5] = {16, 16},
    [6] = {11, 11, 10},
    [7] = {10, 11, 11},
    [8] = {2, 10, 10, 10},
    [9] = {10, 10, 10, 2},
    [10] = {8, 8, 8, 8},
    [11] = {32, 32},
    [12] = {16, 16, 16, 16},
    [13] = {32, 32, 32},
    [14] = {32, 32, 32, 32},
    [16] = {5, 6, 5},
    [17] = {5, 5, 5, 1},
    [18] = {1, 5, 5, 5},
    [19] = {4, 4, 4, 4},
};

struct format {
    const uint8_t *width;
    unsigned num, bytes;
    uint8_t select[4]; /* 0 and 1: constants, 4..7: components */
};

/* Of the V#, whose FORMAT has 7 bits on gfx10 and 6, with a zero behind them, on gfx11. */
static void format_of_resource(const struct ls_gpu *gpu, uint32_t word3, unsigned *data, unsigned *num)
{
    *data = word3 >> 15 & 15;
    *num = word3 >> 12 & 7;
    if (gpu->family->buffers == LS_BUFFER_GFX10)
        sg_format_of_code(gpu, word3 >> 12 & 127, data, num);
}

static struct format format_of(const struct sg_wave *w, const struct sg_uop *u, const uint32_t *s)
{
    uint32_t word3 = s[u->c + 3];
    unsigned code = u->flags >> GCN_FMT_TYPED_SHIFT, data = code & 15, num = code >> 4 & 7;
    if (!(code & GCN_FMT_TYPED))
        format_of_resource(w->arch, word3, &data, &num);
    struct format f = {.width = sg_format_widths[data], .num = num};
    f.bytes = (f.width[0] + f.width[1] + f.width[2] + f.width[3]) / 8u;
    for (unsigned c = 0; c < 4; c++) /* identity: X000, XY00, XYZ0 or XYZW */
        f.select[c] = code & GCN_FMT_TYPED ? (f.width[c] ? 4 + c : 0) : word3 >> 3 * c & 7;
    return f;
}

unsigned sg_format_bytes(const struct sg_wave *w, const struct sg_uop *u, const uint32_t *s)
{
    return format_of(w, u, s).bytes;
}

/* What a destination select gives; data is NULL out of range. */
static uint32_t component(const struct format *f, const uint32_t *data, unsigned select, bool *valid)
{
    const uint32_t one = sg_num_is_integer(f->num) ? 1 : 0x3f800000u;
    if (select == 1)
        return one;
    if (select == 0 || !data)
        return 0;
    *valid &= select >= 4;
    unsigned c = select & 3, at = 0;
    if (!f->width[c])
        return c == 3 ? one : 0;
    for (unsigned i = 0; i < c; i++)
        at += f->width[i];
    return sg_component_decode(sg_component_extract(data, at, f->width[c]), f->width[c], f->num);
}

/* Lanes whose whole element is in range. */
static uint64_t lanes_inside(const struct sg_mem_view *view, unsigned bytes)
{
    uint64_t inside = bytes ? view->mask : 0;
    for (unsigned part = 0; part * 4 < bytes; part++)
        inside &= view->ok[part];
    return inside;
}

static int unsupported(struct sg_wave *w, const struct sg_uop *u, bool write)
{
    return sg_fault_at(w, u, SG_FAULT_UNIMPLEMENTED, 0, sg_first_lane(w->exec), write,
                       "buffer format with a reserved number format or select, or a store that permutes "
                       "components or writes a packed format in part");
}

int sg_format_load(SG_ARGS)
{
    if (!w->exec)
        SG_NEXT();
    const struct format f = format_of(w, u, s);
    const unsigned n = (u->flags >> GCN_FMT_COUNT_SHIFT & 3) + 1;
    const bool d16 = u->flags & GCN_FMT_D16, high = u->flags & GCN_FMT_HIGH;
    struct sg_mem_view view[1];
    if (f.num == SG_NUM_RESERVED || (f.num == SG_NUM_FLOAT && f.width[0] == 8))
        return unsupported(w, u, false);
    sg_mem_views(w, u, v, s, f.bytes, view);
    const uint64_t inside = lanes_inside(view, f.bytes);
    for (uint64_t m = view->mask; m; m &= m - 1) {
        unsigned lane = sg_first_lane(m);
        uint32_t data[5] = {0};
        uint64_t va;
        bool valid = true, in = inside >> lane & 1;
        if (in && !sg_view_read(w, view, lane, data, f.bytes, &va))
            return sg_fault_page(w, u, va, lane, false);
        for (unsigned c = 0; c < n; c++) {
            uint32_t x = component(&f, in ? data : NULL, f.select[c], &valid);
            if (!d16) {
                v[u->d + c][lane] = x;
                continue;
            }
            uint32_t *to = &v[u->d + c / 2][lane];
            x = sg_component_narrow(x, f.num);
            if (high || c % 2) /* half a register left: see sg_elem_kept */
                *to = x << 16 | (*to & (c % 2 ? 0xffff : sg_elem_kept(w, SG_ELEM_B16_HI)));
            else
                *to = x | (*to & sg_elem_kept(w, SG_ELEM_B16_LO));
        }
        if (!valid)
            return unsupported(w, u, false);
    }
    SG_NEXT();
}

int sg_format_store(SG_ARGS)
{
    if (!w->exec)
        SG_NEXT();
    const struct format f = format_of(w, u, s);
    const unsigned n = (u->flags >> GCN_FMT_COUNT_SHIFT & 3) + 1;
    const bool d16 = u->flags & GCN_FMT_D16, high = u->flags & GCN_FMT_HIGH;
    unsigned bits = 0;
    bool moved = false; /* by a select: no document says where a store puts it */
    for (unsigned c = 0; c < n && f.width[c]; c++) {
        bits += f.width[c];
        moved |= f.select[c] > 1 && f.select[c] != 4 + c;
    }
    if (f.num == SG_NUM_RESERVED || moved || bits % 8 ||
        (f.num == SG_NUM_FLOAT && f.bytes && f.width[0] < 16))
        return unsupported(w, u, true);
    struct sg_mem_view view[1];
    sg_mem_views(w, u, v, s, f.bytes, view);
    for (uint64_t m = lanes_inside(view, f.bytes); m; m &= m - 1) {
        unsigned lane = sg_first_lane(m), at = 0;
        uint32_t data[5] = {0};
        uint64_t va;
        for (unsigned c = 0; c < n && f.width[c]; c++) {
            uint32_t x =
                d16 ? sg_component_widen(v[u->b + c / 2][lane] >> (high || c % 2 ? 16 : 0) & 0xffff, f.num)
                    : v[u->b + c][lane];
            sg_component_insert(data, at, f.width[c], sg_component_encode(x, f.width[c], f.num));
            at += f.width[c];
        }
        if (!sg_view_write(w, view, lane, data, at / 8, &va))
            return sg_fault_page(w, u, va, lane, true);
    }
    SG_NEXT();
}
