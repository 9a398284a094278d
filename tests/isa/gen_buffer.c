/*
 * gen_buffer.c - cases of buffer instructions without format: raw, structured, swizzled, with lane number
 * added; some lanes out of range.
 *
 * Addresses (CDNA3 ISA document, section 9.1.5): index = VGPR (IDXEN) + lane (ADD_TID), offset = VGPR (OFFEN)
 * + instruction offset, in 32 bits (docs/hardware.md). Linear: stride * index + offset, in range below
 * num_records - soffset. Swizzled: elements of 4 bytes of index_stride records stand together; in range when
 * index < num_records and offset < stride. A lane out of range loads 0 and stores nothing; wide accesses are checked dword by dword.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ref_mem.h"

enum layout { RAW, STRUCTURED, SWIZZLED, ADD_TID, PRIVATE, N_LAYOUTS, SCRATCH };
enum { DESCRIPTOR = 40, SOFFSET = 20, FLAT_SCRATCH = 102, RECORD = 32, ELEMENT = 4, BASE = 256 };

struct bcase {
    const struct mem_op *op;
    enum layout layout;
    unsigned a, x;            /* rows: addresses (index before offset), data */
    unsigned imm, index_code; /* index stride: 8 << index_code */
    bool offen, soffset, returns;
};

static bool idxen(const struct bcase *c)
{
    return c->layout == STRUCTURED || c->layout == SWIZZLED;
}

/* A dword of all lanes is one row of 256 bytes (ROCr's scratch V#, and the scratch instructions). */
static uint64_t interleaved(uint64_t offset, unsigned lane)
{
    return offset / ELEMENT * 256 + lane * ELEMENT + offset % ELEMENT;
}

/* Bytes behind the base of dword `part` of a lane's access; false: out of range. */
static bool place(const struct bcase *c, const struct sg_wave_image *w, unsigned lane, unsigned part,
                  uint64_t *out)
{
    const uint32_t *d = &w->s[DESCRIPTOR];
    const uint64_t stride = d[1] >> 16 & 0x3fff, records = d[2], soffset = c->soffset ? w->s[SOFFSET] : 0;
    uint64_t index = idxen(c) ? w->v[c->a][lane] : 0, offset = c->imm;
    if (c->layout == ADD_TID || c->layout == PRIVATE)
        index += lane;
    if (c->offen)
        offset = c->imm + w->v[c->a + idxen(c)][lane];
    offset += 4ull * part;
    if (c->layout == SCRATCH) {
        *out = interleaved(offset + soffset, lane);
        return true;
    }
    if (c->layout == PRIVATE) {
        *out = soffset + interleaved(offset, lane);
        return index < records && offset < stride;
    }
    if (c->layout == SWIZZLED) {
        const uint64_t together = 8ull << c->index_code;
        *out = soffset + (index / together * stride + offset / ELEMENT * ELEMENT) * together +
               index % together * ELEMENT + offset % ELEMENT;
        return index < records && offset < stride;
    }
    *out = soffset + stride * index + offset;
    return stride * index + offset < records - soffset;
}

static void load_lane(const struct bcase *c, const struct sg_wave_image *before, struct expect *e,
                      unsigned lane)
{
    for (unsigned part = 0; part < (c->op->bytes + 3u) / 4; part++) {
        uint64_t at;
        uint32_t raw = 0;
        const unsigned n = c->op->bytes < 4 ? c->op->bytes : 4;
        if (place(c, before, lane, part, &at))
            memcpy(&raw, e->mem + BASE + at, n);
        uint32_t *to = &e->w->v[c->x + part][lane];
        *to = n < 4 ? mem_extend(e->arch, c->op, raw, *to) : raw;
    }
}

static void store_lane(const struct bcase *c, const struct sg_wave_image *before, struct expect *e,
                       unsigned lane)
{
    for (unsigned part = 0; part < (c->op->bytes + 3u) / 4; part++) {
        uint64_t at;
        uint32_t raw = before->v[c->x + part][lane];
        if (c->op->flags & M_D16_HI)
            raw >>= 16;
        if (place(c, before, lane, part, &at))
            memcpy(e->mem + BASE + at, &raw, c->op->bytes < 4 ? c->op->bytes : 4);
    }
}

static void atomic_lane(const struct bcase *c, const struct sg_wave_image *before, struct expect *e,
                        unsigned lane)
{
    const unsigned n = c->op->bytes;
    const uint64_t x = mem_data(before, c->x, lane, n), y = mem_data(before, c->x + n / 4, lane, n);
    uint64_t at, old = 0;
    if (place(c, before, lane, 0, &at)) {
        memcpy(&old, e->mem + BASE + at, n);
        const uint64_t result = c->op->fn(old, x, y);
        memcpy(e->mem + BASE + at, &result, n);
    }
    if (!c->returns)
        return;
    e->w->v[c->x][lane] = (uint32_t)old;
    if (n > 4)
        e->w->v[c->x + 1][lane] = (uint32_t)(old >> 32);
}

static void run_reference(const struct tcase *tc, struct expect *e)
{
    static struct sg_wave_image before;
    const struct bcase *c = tc->data;
    memcpy(&before, e->w, sizeof before);
    for (unsigned lane = 0; lane < 64; lane++) {
        if (!(img_s64(&before, 126) >> lane & 1))
            continue;
        if (c->op->kind == M_LOAD)
            load_lane(c, &before, e, lane);
        else if (c->op->kind == M_STORE)
            store_lane(c, &before, e, lane);
        else
            atomic_lane(c, &before, e, lane);
    }
}

/* ---- Filling ---- */

static void fill_descriptor(const struct bcase *c, struct rng *r, struct sg_wave_image *w)
{
    const uint64_t base = MEM_VA + BASE;
    const uint32_t stride = c->layout == RAW ? 0 : RECORD;
    uint32_t *d = &w->s[DESCRIPTOR];
    w->s[SOFFSET] = 16 * rng_below(r, 8);
    d[0] = (uint32_t)base;
    d[1] = (uint32_t)(base >> 32) | stride << 16 | (c->layout == SWIZZLED ? 1u << 31 : 0);
    /* About a quarter of the 64 records is out of range. */
    d[2] = c->layout == SWIZZLED ? 48 : 48 * RECORD + 8 * rng_below(r, 4) + (c->soffset ? w->s[SOFFSET] : 0);
    d[3] = c->layout == ADD_TID ? 1u << 23 : c->index_code << 21;
    if (c->layout == PRIVATE) {
        d[1] |= 1u << 31;
        d[2] = rng_below(r, 2) ? 48 : 64;
        d[3] = 1u << 23 | 3u << 21;
    }
    img_set_s64(w, FLAT_SCRATCH, base);
}

static void fill_values(const struct bcase *c, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const unsigned n = c->op->bytes;
    if (c->op->kind == M_ATOMIC)
        for (unsigned i = 0; i + 8 <= MEM_BYTES; i += n) {
            const uint64_t v = mem_value(c->op, r);
            memcpy(mem + i, &v, n);
        }
    for (unsigned lane = 0; lane < 64; lane++)
        for (unsigned i = 0; i < 4; i++) {
            w->v[c->x + i][lane] = (uint32_t)rng64(r);
            if (c->op->kind == M_ATOMIC && i < n / 4 * 2)
                w->v[c->x + i][lane] = (uint32_t)(mem_value(c->op, r) >> (i % (n / 4) ? 32 : 0));
        }
}

/* Every lane has its own record, in a random order; the access lies somewhere in it. */
static void fill(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct bcase *c = tc->data;
    const unsigned n = c->op->bytes, align = n >= 8 && c->op->kind == M_ATOMIC ? 8 : n < 4 ? n : 4;
    const unsigned step = 2 * rng_below(r, 32) + 1;
    fill_descriptor(c, r, w);
    fill_values(c, r, w, mem);
    for (unsigned lane = 0; lane < 64; lane++) {
        const unsigned record = (lane * step + 5) % 64;
        const unsigned within = rng_below(r, (RECORD - 16 - c->imm % 16) / align) * align;
        unsigned row = c->a;
        if (idxen(c))
            w->v[row++][lane] = record;
        if (!c->offen)
            continue;
        w->v[row][lane] = c->layout == RAW ? record * RECORD + within : within;
        if (c->layout != SCRATCH && rng_below(r, 2)) /* where that is negative, the sum wraps around */
            w->v[row][lane] -= c->imm;
    }
}

/* ---- Making ---- */

static void print_address(struct tcase *tc, const struct bcase *c)
{
    const unsigned n_address = (unsigned)idxen(c) + c->offen;
    if (n_address == 2)
        text_add(tc, "v[%u:%u]", c->a, c->a + 1);
    else if (n_address)
        text_add(tc, "v%u", c->a);
    else
        text_add(tc, "off");
}

static void print_buffer(struct tcase *tc, const struct bcase *c, const char *data)
{
    text_add(tc, "%s, ", data);
    print_address(tc, c);
    text_add(tc, ", s[%u:%u], ", DESCRIPTOR, DESCRIPTOR + 3);
    if (c->soffset)
        text_add(tc, "s%u", SOFFSET);
    else
        text_add(tc, "0");
    text_add(tc, "%s%s", idxen(c) ? " idxen" : "", c->offen ? " offen" : "");
}

/* Either a VGPR or an SGPR, or from gfx942 on both. */
static void print_scratch(struct tcase *tc, const struct bcase *c, const char *data)
{
    if (c->op->kind == M_LOAD)
        text_add(tc, "%s, ", data);
    print_address(tc, c);
    if (c->op->kind == M_STORE)
        text_add(tc, ", %s", data);
    if (c->soffset)
        text_add(tc, ", s%u", SOFFSET);
    else
        text_add(tc, ", off");
}

static void make(struct suite *st, struct rng *r, const struct mem_op *op, const char *name,
                 enum layout layout, bool returns)
{
    char data[32];
    struct tcase *tc = suite_add(st, name, sizeof(struct bcase));
    struct bcase *c = tc->data;
    const unsigned words = (op->bytes + 3u) / 4 * (op->flags & M_CMP ? 2 : 1);
    tc->fill = fill;
    tc->ref = run_reference;
    tc->uses_mem = true;
    tc->rounds = 3;
    *c = (struct bcase){.op = op,
                        .layout = layout,
                        .a = 2 * rng_below(r, 30),
                        .x = 128 + 2 * rng_below(r, 20),
                        .imm = 8 * rng_below(r, 2),
                        .index_code = rng_below(r, 4),
                        .offen = layout == RAW || layout == PRIVATE || rng_below(r, 2),
                        .soffset = rng_below(r, 2),
                        .returns = returns};
    if (layout == SCRATCH)
        c->soffset = !c->offen || (st->bit != A_90A && rng_below(r, 2));
    if (words > 1)
        snprintf(data, sizeof data, "v[%u:%u]", c->x, c->x + words - 1);
    else
        snprintf(data, sizeof data, "v%u", c->x);
    text_add(tc, "%s ", name);
    if (layout == SCRATCH)
        print_scratch(tc, c, data);
    else
        print_buffer(tc, c, data);
    if (c->imm)
        text_add(tc, " offset:%u", c->imm);
    if (returns)
        text_add(tc, "%s", st->bit == A_90A ? " glc" : " sc0");
}

void gen_buffer(struct suite *st)
{
    struct rng r = {14142};
    for (size_t i = 0; i < ref_vmem_ops.n; i++) {
        const struct mem_op *op = &ref_vmem_ops.op[i];
        const char *buffer = keep_name("buffer_", op->name), *scratch = keep_name("scratch_", op->name);
        if (!(op->arch & st->bit))
            continue;
        /* As a buffer instruction it is new with gfx950. */
        const bool missing = st->bit == A_942 && !strcmp(op->name, "atomic_pk_add_bf16");
        for (unsigned k = 0; k < 2 * N_LAYOUTS && !missing && suite_wants(st, buffer); k++) {
            const bool swizzled = k % N_LAYOUTS == SWIZZLED || k % N_LAYOUTS == PRIVATE;
            if (op->kind != M_ATOMIC || op->bytes == 4 || !swizzled) /* swizzled elements have 4 bytes */
                make(st, &r, op, buffer, (enum layout)(k % N_LAYOUTS),
                     op->kind == M_ATOMIC && k >= N_LAYOUTS);
        }
        for (unsigned k = 0; k < 6 && op->kind != M_ATOMIC && suite_wants(st, scratch); k++)
            make(st, &r, op, scratch, SCRATCH, false);
    }
}
