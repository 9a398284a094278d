/*
 * mem_format.c - buffer_load/store_format_* and tbuffer_*: elements of a described format are converted to
 * and from f32 or integer registers. MUBUF takes format and component selects from the V#, MTBUF the format
 * from the instruction and no selects ("AMD CDNA4 ISA", 9.1.4). An element is in range or out of it as a
 * whole (9.1.5.1).
 *
 * A format's name lists its components from the most significant one, so X is the last. Conversions follow
 * the rules that all graphics interfaces share: stores clamp to the range of the format and round to nearest
 * even.
 */
#include <math.h>
#include "mem_atomic_ops.h"
#include "mem_format.h"

enum { NUM_UNORM, NUM_SNORM, NUM_USCALED, NUM_SSCALED, NUM_UINT, NUM_SINT, NUM_RESERVED, NUM_FLOAT };

/* Bits of X, Y, Z, W. */
static const uint8_t widths[16][4] = {
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
};

struct format {
    const uint8_t *width;
    unsigned num, bytes;
    uint8_t select[4]; /* 0 and 1: constants, 4..7: components */
};

static struct format format_of(const struct sg_uop *u, const uint32_t *s)
{
    uint32_t word3 = s[u->c + 3];
    unsigned code = u->flags >> SG_FMT_TYPED_SHIFT;
    unsigned data = code & SG_FMT_TYPED ? code & 15 : word3 >> 15 & 15;
    unsigned num = code & SG_FMT_TYPED ? code >> 4 & 7 : word3 >> 12 & 7;
    struct format f = {.width = widths[data], .num = num};
    f.bytes = (f.width[0] + f.width[1] + f.width[2] + f.width[3]) / 8u;
    for (unsigned c = 0; c < 4; c++) /* identity: X000, XY00, XYZ0 or XYZW */
        f.select[c] = code & SG_FMT_TYPED ? (f.width[c] ? 4 + c : 0) : word3 >> 3 * c & 7;
    return f;
}

unsigned sg_format_bytes(const struct sg_uop *u, const uint32_t *s)
{
    return format_of(u, s).bytes;
}

static uint32_t extract(const uint32_t *data, unsigned at, unsigned width)
{
    uint64_t two = data[at / 32] | (at % 32 + width > 32 ? (uint64_t)data[at / 32 + 1] << 32 : 0);
    return (uint32_t)(two >> at % 32 & (width == 32 ? UINT32_MAX : (1u << width) - 1));
}

static void insert(uint32_t *data, unsigned at, unsigned width, uint32_t value)
{
    for (unsigned i = 0; i < width; i++, at++)
        data[at / 32] = (data[at / 32] & ~(1u << at % 32)) | (value >> i & 1) << at % 32;
}

static float half_to_float(uint16_t h)
{
    _Float16 f;
    memcpy(&f, &h, sizeof f);
    return (float)f;
}

static uint16_t float_to_half(float x)
{
    _Float16 f = (_Float16)x;
    uint16_t h;
    memcpy(&h, &f, sizeof h);
    return h;
}

/* A component as the register shows it: f32 bits, or an integer. */
static uint32_t decode(uint32_t raw, unsigned width, unsigned num)
{
    const uint32_t max = width == 32 ? UINT32_MAX : (1u << width) - 1;
    const int32_t sign = (int32_t)(raw << (32 - width)) >> (32 - width);
    switch (num) {
    case NUM_UNORM:
        return sg_f32_bits((float)((double)raw / max));
    case NUM_SNORM: {
        double x = (double)sign / (max >> 1);
        return sg_f32_bits((float)(x < -1 ? -1 : x));
    }
    case NUM_USCALED:
        return sg_f32_bits((float)raw);
    case NUM_SSCALED:
        return sg_f32_bits((float)sign);
    case NUM_SINT:
        return (uint32_t)sign;
    case NUM_FLOAT:
        if (width == 16)
            return sg_f32_bits(half_to_float((uint16_t)raw));
        if (width == 10 || width == 11) /* unsigned: exponent as f16, 5 or 6 bits of mantissa */
            return sg_f32_bits(half_to_float((uint16_t)(raw << (15 - width))));
        return raw;
    default:
        return raw;
    }
}

/* Nearest integer inside [low, high]; NaN gives 0. */
static int64_t to_integer(double x, int64_t low, int64_t high)
{
    if (isnan(x))
        return 0;
    if (x <= (double)low)
        return low;
    if (x >= (double)high)
        return high;
    return (int64_t)nearbyint(x);
}

static uint32_t encode(uint32_t value, unsigned width, unsigned num)
{
    const int64_t umax = (int64_t)((1ull << width) - 1), smax = umax >> 1;
    const double x = (double)sg_f32(value);
    switch (num) {
    case NUM_UNORM:
        return (uint32_t)to_integer(x * (double)umax, 0, umax);
    case NUM_SNORM:
        return (uint32_t)to_integer(x * (double)smax, -smax, smax);
    case NUM_USCALED:
        return (uint32_t)to_integer(x, 0, umax);
    case NUM_SSCALED:
        return (uint32_t)to_integer(x, -smax - 1, smax);
    case NUM_UINT:
        return value > umax ? (uint32_t)umax : value;
    case NUM_SINT: {
        int64_t i = (int32_t)value;
        return (uint32_t)(i > smax ? smax : i < -smax - 1 ? -smax - 1 : i);
    }
    default:
        return width == 16 ? float_to_half(sg_f32(value)) : value;
    }
}

static bool is_integer(unsigned num)
{
    return num == NUM_UINT || num == NUM_SINT;
}

/* What a destination select gives; data is NULL out of range. */
static uint32_t component(const struct format *f, const uint32_t *data, unsigned select, bool *valid)
{
    const uint32_t one = is_integer(f->num) ? 1 : 0x3f800000u;
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
    return decode(extract(data, at, f->width[c]), f->width[c], f->num);
}

static uint32_t narrow(uint32_t value, unsigned num)
{
    return is_integer(num) ? value & 0xffff : float_to_half(sg_f32(value));
}

static uint32_t widen(uint32_t half, unsigned num)
{
    if (num == NUM_SINT)
        return (uint32_t)(int16_t)half;
    return num == NUM_UINT ? half : sg_f32_bits(half_to_float((uint16_t)half));
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
    const struct format f = format_of(u, s);
    const unsigned n = (u->flags >> SG_FMT_COUNT_SHIFT & 3) + 1;
    const bool d16 = u->flags & SG_FMT_D16, high = u->flags & SG_FMT_HIGH;
    struct sg_mem_view view[1];
    if (f.num == NUM_RESERVED || (f.num == NUM_FLOAT && f.width[0] == 8))
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
            x = narrow(x, f.num);
            *to = high || c % 2 ? (*to & 0xffff) | x << 16 : (*to & 0xffff0000u) | x;
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
    const struct format f = format_of(u, s);
    const unsigned n = (u->flags >> SG_FMT_COUNT_SHIFT & 3) + 1;
    const bool d16 = u->flags & SG_FMT_D16, high = u->flags & SG_FMT_HIGH;
    unsigned bits = 0;
    bool moved = false; /* by a select: no document says where a store puts it */
    for (unsigned c = 0; c < n && f.width[c]; c++) {
        bits += f.width[c];
        moved |= f.select[c] > 1 && f.select[c] != 4 + c;
    }
    if (f.num == NUM_RESERVED || moved || bits % 8 || (f.num == NUM_FLOAT && f.bytes && f.width[0] < 16))
        return unsupported(w, u, true);
    struct sg_mem_view view[1];
    sg_mem_views(w, u, v, s, f.bytes, view);
    for (uint64_t m = lanes_inside(view, f.bytes); m; m &= m - 1) {
        unsigned lane = sg_first_lane(m), at = 0;
        uint32_t data[5] = {0};
        uint64_t va;
        for (unsigned c = 0; c < n && f.width[c]; c++) {
            uint32_t x = d16 ? widen(v[u->b + c / 2][lane] >> (high || c % 2 ? 16 : 0) & 0xffff, f.num)
                             : v[u->b + c][lane];
            insert(data, at, f.width[c], encode(x, f.width[c], f.num));
            at += f.width[c];
        }
        if (!sg_view_write(w, view, lane, data, at / 8, &va))
            return sg_fault_page(w, u, va, lane, true);
    }
    SG_NEXT();
}
