/*
 * gen_lds_special.c - cases of LDS instructions that are not one access per lane: exchanges of two words,
 * conditional exchange, append and consume, transposing reads, and transfers between memory and LDS.
 *
 * Sources ("AMD CDNA4 ISA" unless said): pseudo code of ds_wrxchg2*, ds_condxchg32_rtn_b64, ds_append,
 * ds_consume; 9.1.9 and 10.3 for transfers: LDS address = M0[17:2] * 4 + instruction offset + lane * 4, lane
 * * 16 for three and four dwords (three leave the fourth dword alone), parts of a dword are extended to one.
 * Transposing reads (11.4; Mojo's documentation of ds_read_tr8_b64): the data of 16 lanes is a matrix of 16
 * columns, row after row; a lane receives a column. EXEC must be full for them.
 */
#include <stdlib.h>
#include <string.h>
#include "ref_mem.h"

enum { DESCRIPTOR = 40, SOFFSET = 20, FLAT_SCRATCH = 102, M0 = 124, EXEC = 126, BASE = 256 };
enum place { FROM_BUFFER, FROM_GLOBAL, FROM_SCRATCH, TO_BUFFER };
struct lcase {
    void (*lane)(const struct lcase *c, const struct sg_wave_image *before, struct expect *e, unsigned lane);
    unsigned d, a, x, y; /* rows */
    unsigned offset, offset1, unit, bytes, bits;
    enum place place;
    bool is_signed, saddr, append;
};

static bool active(const struct sg_wave_image *w, unsigned lane)
{
    return img_s64(w, EXEC) >> lane & 1;
}

static uint8_t *lds(struct expect *e, uint64_t at)
{
    return e->mem + MEM_BYTES + at;
}

static void run_lanes(const struct tcase *tc, struct expect *e)
{
    static struct sg_wave_image before;
    const struct lcase *c = tc->data;
    memcpy(&before, e->w, sizeof before);
    for (unsigned lane = 0; lane < 64; lane++)
        if (active(&before, lane))
            c->lane(c, &before, e, lane);
}

/* ---- Two words, conditional exchange ---- */

static void exchange(struct expect *e, unsigned to, unsigned from, uint64_t at, unsigned lane, unsigned bytes)
{
    for (unsigned i = 0; i < bytes / 4; i++) {
        uint32_t *reg = &e->w->v[to + i][lane], data = e->w->v[from + i][lane];
        memcpy(reg, lds(e, at + 4 * i), 4);
        memcpy(lds(e, at + 4 * i), &data, 4);
    }
}

static void two_words(const struct lcase *c, const struct sg_wave_image *w, struct expect *e, unsigned lane)
{
    exchange(e, c->d, c->x, w->v[c->a][lane] + c->offset * c->unit, lane, c->bytes);
    exchange(e, c->d + c->bytes / 4, c->y, w->v[c->a][lane] + c->offset1 * c->unit, lane, c->bytes);
}

/* Each half of the data is stored, without its top bit, if that bit is set. */
static void conditional(const struct lcase *c, const struct sg_wave_image *w, struct expect *e, unsigned lane)
{
    const uint32_t at = (w->v[c->a][lane] + c->offset) & 0xfff8;
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t data = w->v[c->x + i][lane], value = data & 0x7fffffff;
        memcpy(&e->w->v[c->d + i][lane], lds(e, at + 4 * i), 4);
        if (data >> 31)
            memcpy(lds(e, at + 4 * i), &value, 4);
    }
}

/* Every lane has its own 64 bytes, or 8 for the far offsets of the st64 forms. */
static void fill_own(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct lcase *c = tc->data;
    const unsigned step = 2 * rng_below(r, 32) + 1;
    (void)mem;
    for (unsigned lane = 0; lane < 64; lane++) {
        const unsigned slot = (lane * step + 3) % 64;
        w->v[c->a][lane] =
            c->unit > 8 ? slot * 8 : slot * 64 + rng_below(r, 4) * 8 - (c->unit ? 0 : c->offset);
        for (unsigned i = 0; i < 4; i++) {
            w->v[c->x + i][lane] = (uint32_t)rng64(r);
            w->v[c->y + i][lane] = (uint32_t)rng64(r);
            w->v[c->d + i][lane] = (uint32_t)rng64(r);
        }
    }
}

/* ---- Append and consume: the number of active lanes is added once ---- */

static void run_append(const struct tcase *tc, struct expect *e)
{
    const struct lcase *c = tc->data;
    const uint64_t exec = img_s64(e->w, EXEC);
    const uint32_t n = (uint32_t)__builtin_popcountll(exec);
    uint8_t *p = lds(e, (e->w->s[M0] & 0xffff) + c->offset);
    uint32_t old, sum;
    if (!n)
        return;
    memcpy(&old, p, 4);
    sum = c->append ? old + n : old - n;
    memcpy(p, &sum, 4);
    for (unsigned lane = 0; lane < 64; lane++)
        if (exec >> lane & 1)
            e->w->v[c->d][lane] = old;
}

static void fill_m0(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct lcase *c = tc->data;
    (void)mem;
    w->s[M0] = rng_below(r, 1000) * 4;
    for (unsigned lane = 0; lane < 64; lane++)
        w->v[c->d][lane] = (uint32_t)rng64(r);
}

/* ---- Transposing reads ---- */

static void run_transpose(const struct tcase *tc, struct expect *e)
{
    static struct sg_wave_image before;
    const struct lcase *c = tc->data;
    const unsigned rows = c->bytes * 8 / c->bits;
    memcpy(&before, e->w, sizeof before);
    for (unsigned group = 0; group < 64; group += 16) {
        uint8_t matrix[16 * 12];
        for (unsigned i = 0; i < 16; i++)
            memcpy(matrix + i * c->bytes, lds(e, before.v[c->a][group + i] + c->offset), c->bytes);
        for (unsigned column = 0; column < 16; column++)
            for (unsigned bit = 0; bit < rows * c->bits; bit++) {
                const unsigned from = (bit / c->bits * 16 + column) * c->bits + bit % c->bits;
                uint32_t *to = &e->w->v[c->d + bit / 32][group + column];
                *to = (*to & ~(1u << bit % 32)) | (uint32_t)(matrix[from / 8] >> from % 8 & 1) << bit % 32;
            }
    }
}

static void fill_transpose(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct lcase *c = tc->data;
    (void)mem;
    img_set_s64(w, EXEC, UINT64_MAX);
    for (unsigned lane = 0; lane < 64; lane++)
        w->v[c->a][lane] =
            rng_below(r, 1000) * 16 - (c->offset > 15 ? 0 : c->offset) + (c->offset > 15 ? 0 : 16);
}

/* ---- Memory to LDS and back ---- */

static uint64_t memory_at(const struct lcase *c, const struct sg_wave_image *w, unsigned lane)
{
    const uint32_t v = w->v[c->a][lane], s = c->saddr ? w->s[SOFFSET] : 0;
    switch (c->place) {
    case FROM_BUFFER:
        return BASE + v + s + c->offset;
    case TO_BUFFER: /* records of a dword, indexed by the lane */
        return BASE + s + c->offset + 4 * lane;
    case FROM_GLOBAL:
        return (v | (uint64_t)w->v[c->a + 1][lane] << 32) + c->offset - MEM_VA;
    default: { /* a dword of all lanes is one row of 256 bytes */
        const uint32_t at = (c->saddr ? s : v) + c->offset;
        return BASE + at / 4 * 256 + lane * 4 + at % 4;
    }
    }
}

static void to_lds(const struct lcase *c, const struct sg_wave_image *w, struct expect *e, unsigned lane)
{
    const uint64_t at = (w->s[M0] & 0x3fffc) + c->offset + lane * (c->bytes > 4 ? 16 : 4);
    uint32_t data[4] = {0};
    for (unsigned i = 0; i < (c->bytes + 3) / 4; i++) {
        const uint64_t from = memory_at(c, w, lane) + (c->place == FROM_SCRATCH ? 256 : 4) * i;
        memcpy(&data[i], e->mem + from, c->bytes < 4 ? c->bytes : 4);
    }
    if (c->is_signed)
        data[0] = (uint32_t)((int32_t)(data[0] << (32 - 8 * c->bytes)) >> (32 - 8 * c->bytes));
    memcpy(lds(e, at), data, c->bytes < 4 ? 4 : c->bytes);
}

static void from_lds(const struct lcase *c, const struct sg_wave_image *w, struct expect *e, unsigned lane)
{
    memcpy(e->mem + memory_at(c, w, lane), lds(e, (w->s[M0] & 0xfffc) + c->offset + lane * 4), 4);
}

static void fill_transfer(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct lcase *c = tc->data;
    const unsigned align = c->bytes < 4 ? c->bytes : 4, step = 2 * rng_below(r, 32) + 1;
    uint32_t *d = &w->s[DESCRIPTOR];
    (void)mem;
    w->s[M0] = rng_below(r, 1000) * 4 + rng_below(r, 4);
    w->s[SOFFSET] = 4 * rng_below(r, 8);
    img_set_s64(w, DESCRIPTOR, MEM_VA + BASE);
    img_set_s64(w, FLAT_SCRATCH, MEM_VA + BASE);
    d[2] = MEM_BYTES;
    d[3] = 0x27000;
    if (c->place == TO_BUFFER) {
        d[1] |= 4 << 16;
        d[3] = 1 << 23; /* ADD_TID */
    }
    for (unsigned lane = 0; lane < 64; lane++) {
        const uint32_t at = c->place == FROM_SCRATCH
                                ? rng_below(r, 20 * 4 / align) * align
                                : (lane * step + 5) % 64 * 32 + rng_below(r, 16 / align) * align;
        w->v[c->a][lane] = at;
        if (c->place == FROM_GLOBAL) {
            w->v[c->a][lane] = (uint32_t)(MEM_VA + BASE + at);
            w->v[c->a + 1][lane] = (uint32_t)((MEM_VA + BASE + at) >> 32);
        }
    }
}

/* ---- Making ---- */

static struct lcase *new_case(struct suite *s, struct rng *r, const char *name, struct tcase **out)
{
    *out = suite_add(s, name, sizeof(struct lcase));
    struct lcase *c = (*out)->data;
    (*out)->ref = run_lanes;
    (*out)->uses_mem = true;
    (*out)->rounds = 5;
    c->a = 2 * rng_below(r, 30);
    c->d = 64 + 2 * rng_below(r, 20);
    c->x = 128 + 2 * rng_below(r, 20);
    c->y = 192 + 2 * rng_below(r, 20);
    return c;
}

static void make_exchanges(struct suite *s, struct rng *r)
{
    static const struct {
        const char *name;
        unsigned bytes, unit, most;
    } ops[] = {{"ds_wrxchg2_rtn_b32", 4, 4, 4},
               {"ds_wrxchg2_rtn_b64", 8, 8, 3},
               {"ds_wrxchg2st64_rtn_b32", 4, 256, 40},
               {"ds_wrxchg2st64_rtn_b64", 8, 512, 24}};
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
        for (unsigned k = 0; k < 6 && suite_wants(s, ops[i].name); k++) {
            struct tcase *tc;
            struct lcase *c = new_case(s, r, ops[i].name, &tc);
            tc->fill = fill_own;
            c->lane = two_words;
            c->bytes = ops[i].bytes;
            c->unit = ops[i].unit;
            c->offset = 2 * rng_below(r, ops[i].most / 2 + 1); /* never the other one's words */
            c->offset1 = c->offset + (c->unit == 256 ? 2 : 1); /* 64 lanes * 8 bytes on */
            if (k == 5)
                c->d += 256, c->x += 256, c->y += 256;
            text_add(tc, "%s ", tc->name);
            text_rows(tc, c->d, c->bytes / 2);
            text_add(tc, ", v%u, ", c->a);
            text_rows(tc, c->x, c->bytes / 4);
            text_add(tc, ", ");
            text_rows(tc, c->y, c->bytes / 4);
            text_add(tc, " offset0:%u offset1:%u", c->offset, c->offset1);
        }
    for (unsigned k = 0; k < 6 && suite_wants(s, "ds_condxchg32_rtn_b64"); k++) {
        struct tcase *tc;
        struct lcase *c = new_case(s, r, "ds_condxchg32_rtn_b64", &tc);
        tc->fill = fill_own;
        c->lane = conditional;
        c->offset = k ? rng_below(r, 200) : 0;
        text_add(tc, "%s v[%u:%u], v%u, v[%u:%u] offset:%u", tc->name, c->d, c->d + 1, c->a, c->x, c->x + 1,
                 c->offset);
    }
}

static void make_appends(struct suite *s, struct rng *r)
{
    for (unsigned k = 0; k < 8; k++) {
        const char *name = k & 1 ? "ds_append" : "ds_consume";
        if (!suite_wants(s, name))
            continue;
        struct tcase *tc;
        struct lcase *c = new_case(s, r, name, &tc);
        tc->fill = fill_m0;
        tc->ref = run_append;
        tc->rounds = 6;
        c->append = k & 1;
        c->offset = k > 1 ? rng_below(r, 2000) * 4 : 0;
        text_add(tc, "%s v%u offset:%u", name, c->d, c->offset);
    }
}

static void make_transposes(struct suite *s, struct rng *r)
{
    static const struct {
        const char *name;
        unsigned bytes, bits;
    } ops[] = {{"ds_read_b64_tr_b4", 8, 4},
               {"ds_read_b96_tr_b6", 12, 6},
               {"ds_read_b64_tr_b8", 8, 8},
               {"ds_read_b64_tr_b16", 8, 16}};
    for (unsigned i = 0; i < sizeof ops / sizeof *ops && s->bit == A_950; i++)
        for (unsigned k = 0; k < 6 && suite_wants(s, ops[i].name); k++) {
            struct tcase *tc;
            struct lcase *c = new_case(s, r, ops[i].name, &tc);
            tc->fill = fill_transpose;
            tc->ref = run_transpose;
            c->bytes = ops[i].bytes;
            c->bits = ops[i].bits;
            c->offset = k ? 16 * rng_below(r, 20) : 0;
            if (k == 5)
                c->d += 256;
            text_add(tc, "%s ", tc->name);
            text_rows(tc, c->d, c->bytes / 4);
            text_add(tc, ", v%u offset:%u", c->a, c->offset);
        }
}

struct transfer {
    const char *type;
    unsigned bytes;
    bool is_signed;
};

static void make_transfer(struct suite *s, struct rng *r, const char *name, enum place place,
                          struct transfer t)
{
    for (unsigned k = 0; k < 5 && suite_wants(s, name); k++) {
        struct tcase *tc;
        struct lcase *c = new_case(s, r, name, &tc);
        tc->fill = fill_transfer;
        c->lane = to_lds;
        c->place = place;
        c->bytes = t.bytes;
        c->is_signed = t.is_signed;
        c->offset = k ? 4 * rng_below(r, place == FROM_SCRATCH ? 20 : 200) : 0;
        c->saddr = place != FROM_GLOBAL && k & 1;
        text_add(tc, "%s ", name);
        if (place == FROM_GLOBAL)
            text_add(tc, "v[%u:%u], off", c->a, c->a + 1);
        else if (place == FROM_SCRATCH && c->saddr)
            text_add(tc, "off, s%u", SOFFSET);
        else if (place == FROM_SCRATCH)
            text_add(tc, "v%u, off", c->a);
        else {
            text_add(tc, "v%u, s[%u:%u], ", c->a, DESCRIPTOR, DESCRIPTOR + 3);
            if (c->saddr)
                text_add(tc, "s%u", SOFFSET);
            else
                text_add(tc, "0");
            text_add(tc, " offen");
        }
        if (c->offset)
            text_add(tc, " offset:%u", c->offset);
        if (place == FROM_BUFFER)
            text_add(tc, " lds");
    }
}

static void make_stores(struct suite *s, struct rng *r)
{
    for (unsigned k = 0; k < 5 && s->bit == A_90A && suite_wants(s, "buffer_store_lds_dword"); k++) {
        struct tcase *tc;
        struct lcase *c = new_case(s, r, "buffer_store_lds_dword", &tc);
        tc->fill = fill_transfer;
        c->lane = from_lds;
        c->place = TO_BUFFER;
        c->bytes = 4;
        c->offset = k ? 4 * rng_below(r, 200) : 0;
        c->saddr = true;
        text_add(tc, "%s s[%u:%u], s%u offset:%u lds", tc->name, DESCRIPTOR, DESCRIPTOR + 3, SOFFSET,
                 c->offset);
    }
}

static void make_transfers(struct suite *s, struct rng *r)
{
    static const struct transfer types[] = {
        {"ubyte", 1, false}, {"sbyte", 1, true},     {"ushort", 2, false},  {"sshort", 2, true},
        {"dword", 4, false}, {"dwordx3", 12, false}, {"dwordx4", 16, false}};
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
        const bool wide = types[i].bytes > 4;
        if (wide && s->bit != A_950)
            continue;
        make_transfer(s, r, keep_name("buffer_load_", types[i].type), FROM_BUFFER, types[i]);
        if (s->bit == A_90A)
            continue;
        make_transfer(s, r, keep_name("global_load_lds_", types[i].type), FROM_GLOBAL, types[i]);
        if (!wide)
            make_transfer(s, r, keep_name("scratch_load_lds_", types[i].type), FROM_SCRATCH, types[i]);
    }
}

void gen_lds_special(struct suite *s)
{
    struct rng r = {31415};
    make_exchanges(s, &r);
    make_appends(s, &r);
    make_transposes(s, &r);
    make_transfers(s, &r);
    make_stores(s, &r);
}
