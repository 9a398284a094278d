/*
 * gen_format.c - cases of formatted buffer accesses: buffer_load/store_format_* and tbuffer_*, with all data
 * and number formats, one to four components, 32-bit and 16-bit registers, some lanes out of range.
 *
 * Source: "AMD CDNA4 ISA", 9.1.2 (format numbers; those of gfx10 and gfx11: "RDNA2" and "RDNA3 Instruction Set Architecture",
 * "Data Formats"), 9.1.4 (who says what the format is), 9.1.5.1
 * (range), 9.1.8 (V#). A format's name lists the components from the most significant bits down, so X stands
 * last in it. tbuffer_* take the format from the instruction and leave components where they are: those that
 * the format lacks are 0. buffer_*_format_* take format and component selects from the V#. An access is in
 * range or out of it as a whole; out of range a load gives 0, or 1 where the select says 1.
 *
 * What the documents leave open is not tried: selects of components that the format lacks, stores that
 * permute components, integers that do not fit, fractions stored in "scaled" formats, and how 32-bit
 * components become 16-bit ones. Normalised components: the quotient may be off by one unit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ref_mem.h"
#include "ref_num.h"
#include "values.h"

enum number { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT };
static const char *const number_names[] = {"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "FLOAT"};
/* V# and MTBUF codes; 6 is reserved. */
static const unsigned number_codes[] = {0, 1, 2, 3, 4, 5, 7};

struct layout {
    const char *name; /* as the assembler writes it */
    unsigned code;
    uint8_t numbers;      /* set of enum number */
    uint8_t gfx10, gfx11; /* the number there of the format with the first of `numbers`; the others follow */
};
enum { NORMS = 0x3f, ALL_16 = 0x7f, WIDE = 1 << UINT | 1 << SINT | 1 << FLOAT };
static const struct layout layouts[] = {
    {"8", 1, NORMS, 1, 1},
    {"16", 2, ALL_16, 7, 7},
    {"8_8", 3, NORMS, 14, 14},
    {"32", 4, WIDE, 20, 20},
    {"16_16", 5, ALL_16, 23, 23},
    {"10_11_11", 6, 1 << FLOAT, 36, 30},
    {"11_11_10", 7, 1 << FLOAT, 43, 31},
    {"10_10_10_2", 8, NORMS, 44, 32},
    {"2_10_10_10", 9, NORMS, 50, 36},
    {"8_8_8_8", 10, NORMS, 56, 42},
    {"32_32", 11, WIDE, 62, 48},
    {"16_16_16_16", 12, ALL_16, 65, 51},
    {"32_32_32", 13, WIDE, 72, 58},
    {"32_32_32_32", 14, WIDE, 75, 61},
};

enum { DESCRIPTOR = 40, SOFFSET = 20, RECORD = 32, BASE = 256 };
struct fcase {
    const struct layout *layout;
    enum number number;
    unsigned width[4], parts, bytes; /* X first; bits per component, components, bytes of an element */
    bool typed, store, d16, high, idxen, soffset;
    unsigned n;    /* components of the instruction */
    unsigned a, x; /* rows: address, data */
    unsigned imm;
    uint8_t select[4]; /* of the V#: 0, 1, 4 + component */
    uint32_t word3;    /* of the V#, what it says beside these */
};

static void parse_layout(struct fcase *c)
{
    unsigned from_top[4], bits = 0;
    for (const char *p = c->layout->name; *p; p += *p == '_') {
        char *end;
        from_top[c->parts++] = (unsigned)strtoul(p, &end, 10);
        p = end;
    }
    for (unsigned i = 0; i < c->parts; i++)
        bits += c->width[i] = from_top[c->parts - 1 - i];
    c->bytes = bits / 8;
}

static bool is_integer(enum number n)
{
    return n == UINT || n == SINT;
}

/* ---- One component ---- */

static uint64_t field(const uint8_t *p, unsigned at, unsigned width)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < width; i++)
        v |= (uint64_t)(p[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    return v;
}

static void set_field(uint8_t *p, unsigned at, unsigned width, uint64_t v)
{
    for (unsigned i = 0; i < width; i++) {
        const uint8_t bit = (uint8_t)(1 << (at + i) % 8);
        p[(at + i) / 8] = (uint8_t)((p[(at + i) / 8] & ~bit) | (v >> i & 1 ? bit : 0));
    }
}

/* The number that a stored component stands for (not for 32-bit ones, which keep their bits). */
static __float128 number_of(uint64_t raw, unsigned width, enum number number)
{
    const __float128 top = (__float128)((1ull << (width - 1)) - 1);
    __float128 v;
    switch (number) {
    case UNORM:
        return (__float128)raw / (__float128)((1ull << width) - 1);
    case SNORM:
        v = (__float128)sext(raw, (int)width) / top;
        return v < -1 ? -1 : v;
    case USCALED:
        return (__float128)raw;
    case SSCALED:
        return (__float128)sext(raw, (int)width);
    default: /* FLOAT: 16 bits, or 11 and 10 bits without a sign */
        return width == 16 ? small_to_f64((uint32_t)raw, 5, 10)
                           : small_to_f64((uint32_t)raw, 5, (int)width - 5);
    }
}

static uint32_t loaded(const struct fcase *c, uint64_t raw, unsigned width)
{
    const unsigned bits = c->d16 ? 16 : 32;
    if (is_integer(c->number))
        return (uint32_t)(c->number == SINT ? (uint64_t)sext(raw, (int)width) : raw) &
               (uint32_t)~0u >> (32 - bits);
    if (width == 32)
        return (uint32_t)raw;
    if (c->d16)
        return bits_of_f16(number_of(raw, width, c->number));
    return bits_of_f32((float)number_of(raw, width, c->number));
}

static uint32_t one(const struct fcase *c)
{
    return is_integer(c->number) ? 1 : c->d16 ? 0x3c00 : 0x3f800000;
}

static uint64_t stored(const struct fcase *c, uint32_t reg, unsigned width)
{
    if (is_integer(c->number) || width == 32)
        return reg;
    const double v = c->d16 ? f16_of(reg & 0xffff) : (double)f32_of(reg);
    if (c->number == FLOAT)
        return bits_of_f16((__float128)v);
    const bool is_signed = c->number == SNORM || c->number == SSCALED;
    const double top = (double)((1ull << (width - is_signed)) - 1), scale = c->number <= SNORM ? top : 1;
    const double low = c->number == SNORM ? -top : c->number == SSCALED ? -top - 1 : 0;
    if (v != v)
        return 0;
    const double scaled = v * scale;
    return (uint64_t)(int64_t)nearbyint(scaled < low ? low : scaled > top ? top : scaled);
}

/* ---- The instruction ---- */

/* Where the element of a lane starts behind the base; false: out of range. All cases agree with both ways in
 * which AMD's documents count num_records. */
static bool place(const struct fcase *c, const struct sg_wave_image *w, unsigned lane, uint64_t *at)
{
    const uint64_t v = w->v[c->a][lane], offset = c->imm + (c->idxen ? RECORD * v : v);
    *at = offset + (c->soffset ? w->s[SOFFSET] : 0);
    return c->idxen || offset + c->bytes <= w->s[DESCRIPTOR + 2];
}

static uint32_t load_component(const struct fcase *c, const uint8_t *p, unsigned i)
{
    const unsigned select = c->typed ? 4 + i : c->select[i];
    if (select == 1)
        return one(c);
    if (!p || select == 0 || select - 4 >= c->parts)
        return 0;
    unsigned at = 0;
    for (unsigned k = 0; k < select - 4; k++)
        at += c->width[k];
    return loaded(c, field(p, at, c->width[select - 4]), c->width[select - 4]);
}

static void tolerate(const struct fcase *c, struct expect *e, unsigned lane)
{
    for (unsigned i = 0; i < (c->d16 ? (c->n + 1) / 2 : c->n) && !is_integer(c->number); i++) {
        struct note *n = expect_note(e);
        *n = (struct note){.row = (uint16_t)(c->x + i), .lane = (uint8_t)lane, .dwords = 1};
        n->type = c->d16 ? T_PKF16 : T_F32;
        n->ulp = c->number == FLOAT ? 0 : 1;
    }
}

static void load_lane(const struct fcase *c, const struct sg_wave_image *w, struct expect *e, unsigned lane)
{
    uint64_t at;
    const uint8_t *p = place(c, w, lane, &at) ? e->mem + BASE + at : NULL;
    for (unsigned i = 0; i < c->n; i++) {
        const uint32_t v = load_component(c, p, i);
        uint32_t *to = &e->w->v[c->x + (c->d16 ? i / 2 : i)][lane];
        if (!c->d16)
            *to = v;
        else if (i % 2)
            *to = (*to & 0xffff) | v << 16;
        else
            *to = (c->high ? v << 16 : v) | (*to & mem_kept(e->arch, c->high));
    }
    tolerate(c, e, lane);
}

static void store_lane(const struct fcase *c, const struct sg_wave_image *w, struct expect *e, unsigned lane)
{
    uint64_t at;
    if (!place(c, w, lane, &at))
        return;
    for (unsigned i = 0, bit = 0; i < c->n && i < c->parts; bit += c->width[i++]) {
        uint32_t reg = w->v[c->x + (c->d16 ? i / 2 : i)][lane];
        if (c->d16)
            reg = c->high || i % 2 ? reg >> 16 : reg & 0xffff;
        set_field(e->mem + BASE + at, bit, c->width[i], stored(c, reg, c->width[i]));
    }
}

static void run_reference(const struct tcase *tc, struct expect *e)
{
    static struct sg_wave_image before;
    const struct fcase *c = tc->data;
    memcpy(&before, e->w, sizeof before);
    for (unsigned lane = 0; lane < 64; lane++)
        if (img_s64(&before, 126) >> lane & 1)
            (c->store ? store_lane : load_lane)(c, &before, e, lane);
}

/* ---- Filling ---- */

/* A register value that has one right result in a component of `width` bits. */
static uint32_t store_value(const struct fcase *c, struct rng *r, unsigned width)
{
    static const double special[] = {0.0,      -0.0,      1.0, -1.0,     1.5,    -7.0,
                                     INFINITY, -INFINITY, NAN, 0x1p-120, 0x1p-20};
    const uint32_t bits = (uint32_t)rng64(r);
    if (c->number == UINT || width == 32)
        return bits & (uint32_t)((1ull << width) - 1);
    if (c->number == SINT)
        return (uint32_t)sext(bits, (int)width) & (c->d16 ? 0xffff : ~0u);
    double v = special[rng_below(r, sizeof special / sizeof *special)];
    if (c->number == FLOAT)
        v = f16_of(bits & 0xffff);
    else if (c->number == USCALED || c->number == SSCALED)
        v = (double)sext(bits, (int)width + 1);
    else if (rng_below(r, 4))
        v = (double)(int32_t)bits / 0x1p30; /* -2 to 2 */
    return c->d16 ? bits_of_f16((__float128)v) : bits_of_f32((float)v);
}

static void fill(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct fcase *c = tc->data;
    const uint64_t base = MEM_VA + BASE;
    const unsigned step = 2 * rng_below(r, 32) + 1, align = c->bytes < 4 ? c->bytes : 4;
    uint32_t *d = &w->s[DESCRIPTOR];
    (void)mem;
    w->s[SOFFSET] = 16 * rng_below(r, 8);
    d[0] = (uint32_t)base;
    d[1] = (uint32_t)(base >> 32) | (c->idxen ? RECORD << 16 : 0);
    d[2] = c->idxen || c->soffset ? 1 << 20 : 48 * RECORD;
    d[3] = c->select[0] | (uint32_t)c->select[1] << 3 | (uint32_t)c->select[2] << 6 |
           (uint32_t)c->select[3] << 9 | c->word3;
    for (unsigned lane = 0; lane < 64; lane++) {
        const unsigned record = (lane * step + 5) % 64, within = rng_below(r, (RECORD - 16) / align) * align;
        w->v[c->a][lane] = c->idxen ? record : record * RECORD + within;
        for (unsigned i = 0; i < 4; i++)
            w->v[c->x + i][lane] = (uint32_t)rng64(r);
        for (unsigned i = 0; c->store && i < c->n; i++) {
            const uint32_t v = store_value(c, r, c->width[i] ? c->width[i] : 8);
            uint32_t *to = &w->v[c->x + (c->d16 ? i / 2 : i)][lane];
            *to = !c->d16 ? v : c->high || i % 2 ? (*to & 0xffff) | v << 16 : (*to & 0xffff0000) | v;
        }
    }
}

/* ---- Making ---- */

/* A select per component: a permutation of those that exist (loads only), or a constant. */
static void choose_selects(struct fcase *c, struct rng *r)
{
    for (unsigned i = 0; i < 4; i++)
        c->select[i] = (uint8_t)(i < c->parts ? 4 + i : rng_below(r, 2));
    if (c->store || rng_below(r, 3))
        return;
    for (unsigned i = c->parts; i > 1; i--) {
        const unsigned k = rng_below(r, i);
        const uint8_t t = c->select[i - 1];
        c->select[i - 1] = c->select[k];
        c->select[k] = t;
    }
    if (rng_below(r, 2))
        c->select[rng_below(r, 4)] = (uint8_t)rng_below(r, 2);
}

static bool sensible(const struct fcase *c)
{
    const bool packed = c->width[0] % 8 || (c->parts > 1 && c->width[1] % 8);
    if (c->d16 && c->width[0] == 32)
        return false;
    return !c->store || !packed || (c->n == c->parts && c->number != FLOAT);
}

/* gfx11 has no scaled numbers of this layout, and so other codes behind them. */
static unsigned numbers_of(const struct ls_gpu *gpu, const struct layout *l)
{
    const bool unscaled = gpu->family->encoding >= 11 && !strcmp(l->name, "10_10_10_2");
    return unscaled ? l->numbers & ~(1u << USCALED | 1u << SSCALED) : l->numbers;
}

/* The format in word 3; on gfx10 and gfx11 with OOB_SELECT 3, with which the range is that of gfx9. */
static uint32_t format_word(const struct ls_gpu *gpu, const struct fcase *c)
{
    const struct layout *l = c->layout;
    const unsigned before = numbers_of(gpu, l) & ((1u << c->number) - 1);
    if (gpu->family->encoding < 10)
        return number_codes[c->number] << 12 | l->code << 15;
    return ((gpu->family->encoding >= 11 ? l->gfx11 : l->gfx10) + (unsigned)__builtin_popcount(before))
               << 12 |
           3u << 28;
}

static void print(struct tcase *tc, const struct ls_gpu *gpu, const struct fcase *c)
{
    text_add(tc, "%s ", tc->name);
    text_rows(tc, c->x, c->d16 ? (c->n + 1) / 2 : c->n);
    text_add(tc, ", v%u, s[%u:%u], ", c->a, DESCRIPTOR, DESCRIPTOR + 3);
    if (c->soffset)
        text_add(tc, "s%u", SOFFSET);
    else
        text_add(tc, "0");
    if (c->typed && gpu->family->encoding >= 10)
        text_add(tc, " format:[BUF_FMT_%s_%s]", c->layout->name, number_names[c->number]);
    else if (c->typed)
        text_add(tc, " format:[BUF_DATA_FORMAT_%s,BUF_NUM_FORMAT_%s]", c->layout->name,
                 number_names[c->number]);
    text_add(tc, " %s", c->idxen ? "idxen" : "offen");
    if (c->imm)
        text_add(tc, " offset:%u", c->imm);
}

static void make(struct suite *s, struct rng *r, const char *name, struct fcase model)
{
    parse_layout(&model);
    if (!sensible(&model))
        return;
    struct tcase *tc = suite_add(s, name, sizeof(struct fcase));
    struct fcase *c = tc->data;
    *c = model;
    tc->fill = fill;
    tc->ref = run_reference;
    tc->uses_mem = true;
    tc->rounds = 3;
    c->a = rng_below(r, 60);
    c->x = (rng_below(r, 4) ? 128 : 256) + 2 * rng_below(r, 20);
    c->imm = 16 * rng_below(r, 2);
    c->idxen = rng_below(r, 3) == 0;
    c->soffset = rng_below(r, 3) == 0;
    choose_selects(c, r);
    c->word3 = format_word(s->arch, c);
    print(tc, s->arch, c);
}

/* All formats for four components, every third one for the others. */
static void make_formats(struct suite *s, struct rng *r, const char *name, struct fcase model, unsigned which)
{
    for (unsigned i = 0; i < sizeof layouts / sizeof *layouts && suite_wants(s, name); i++)
        for (unsigned number = 0; number <= FLOAT; number++) {
            if (!(numbers_of(s->arch, &layouts[i]) >> number & 1) || (model.n < 4 && (which++ % 3)))
                continue;
            model.layout = &layouts[i];
            model.number = (enum number)number;
            make(s, r, name, model);
        }
}

void gen_format(struct suite *s)
{
    static const char *const components[] = {"x", "xy", "xyz", "xyzw"};
    struct rng r = {1618};
    char name[48];
    for (unsigned k = 0; k < 8; k++) {
        struct fcase model = {.typed = k & 1, .store = k & 2, .d16 = k & 4};
        const char *start = model.typed ? "tbuffer" : "buffer", *what = model.store ? "store" : "load";
        for (unsigned n = 1; n <= 4; n++) {
            model.n = n;
            snprintf(name, sizeof name, "%s_%s_format_%s%s", start, what, model.d16 ? "d16_" : "",
                     components[n - 1]);
            make_formats(s, &r, keep_name("", name), model, n + k);
        }
        if (!model.d16 || model.typed)
            continue;
        model.n = 1;
        model.high = true;
        snprintf(name, sizeof name, "%s_%s_format_d16_hi_x", start, what);
        make_formats(s, &r, keep_name("", name), model, k);
    }
}
