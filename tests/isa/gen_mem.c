/*
 * gen_mem.c - cases of LDS, global, flat and scalar memory instructions. Every lane gets its own address
 * unless the case is about collisions; lanes are then served in ascending order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ref_mem.h"
#include "values.h"

enum space { S_LDS, S_GLOBAL };
struct mcase {
    const struct mem_op *op;
    enum space space;
    unsigned d, a, x, y; /* destination, address, data, second data: rows 0..511 */
    unsigned saddr;      /* scalar base pair; 0 = off */
    int offset;
    bool returns, collide, aligned, flat, beyond;
    /* two-address LDS forms */
    unsigned offset1, unit; /* unit: bytes per offset step; 0 = single form */
    /* LDS DMA, addtid */
    bool to_lds, addtid;
    /* scalar loads */
    unsigned dwords, soffset;
    bool buffer;
};

static uint8_t *cell(struct expect *e, const struct mcase *c, uint64_t addr, unsigned bytes)
{
    if (c->space == S_LDS)
        return addr + bytes <= MEM_BYTES ? e->mem + MEM_BYTES + addr : NULL;
    return e->mem + (addr - MEM_VA);
}
static uint64_t address(const struct mcase *c, const struct sg_wave_image *w, unsigned lane)
{
    if (c->space == S_LDS)
        return (uint32_t)(w->v[c->a][lane] + (uint32_t)c->offset);
    uint64_t base = c->saddr ? img_s64(w, c->saddr) + w->v[c->a][lane]
                             : w->v[c->a][lane] | (uint64_t)w->v[c->a + 1][lane] << 32;
    return base + (uint64_t)(int64_t)c->offset;
}
static void do_load(const struct mcase *c, struct expect *e, const uint8_t *p, unsigned row, unsigned lane)
{
    uint32_t raw[4] = {0};
    if (p)
        memcpy(raw, p, c->op->bytes);
    if (c->op->bytes <= 4) {
        e->w->v[row][lane] = mem_extend(e->arch, c->op, raw[0], e->w->v[row][lane]);
        return;
    }
    for (unsigned i = 0; i < c->op->bytes / 4u; i++)
        e->w->v[row + i][lane] = raw[i];
}
static void do_store(const struct mcase *c, const struct sg_wave_image *b, uint8_t *p, unsigned row,
                     unsigned lane)
{
    uint32_t raw[4];
    for (unsigned i = 0; i < (c->op->bytes + 3u) / 4u; i++)
        raw[i] = b->v[row + i][lane];
    if (c->op->flags & M_D16_HI)
        raw[0] >>= 16;
    if (p)
        memcpy(p, raw, c->op->bytes);
}
static void do_atomic(const struct mcase *c, const struct sg_wave_image *b, struct expect *e, uint8_t *p,
                      unsigned lane)
{
    unsigned n = c->op->bytes;
    uint64_t old = 0, x = mem_data(b, c->x, lane, n),
             y = c->op->flags & M_CMP ? mem_data(b, c->y, lane, n) : 0;
    if (p) {
        memcpy(&old, p, n);
        uint64_t result = c->op->fn(old, x, y);
        memcpy(p, &result, n);
    }
    if (!c->returns)
        return;
    e->w->v[c->d][lane] = (uint32_t)old;
    if (n > 4)
        e->w->v[c->d + 1][lane] = (uint32_t)(old >> 32);
}
/* Two-address LDS forms: all lanes' first access, then all lanes' second one (the LDS makes two passes). */
static void run_two(const struct mcase *c, const struct sg_wave_image *before, struct expect *e)
{
    unsigned n = c->op->bytes, words = (n + 3) / 4;
    for (unsigned part = 0; part < 2; part++)
        for (unsigned lane = 0; lane < 64; lane++) {
            if (!(img_s64(before, 126) >> lane & 1))
                continue;
            uint64_t a =
                before->v[c->a][lane] + (uint64_t)(part ? c->offset1 : (unsigned)c->offset) * c->unit;
            if (c->op->kind == M_LOAD)
                do_load(c, e, cell(e, c, a, n), c->d + part * words, lane);
            else
                do_store(c, before, cell(e, c, a, n), part ? c->y : c->x, lane);
        }
}
static void run_lanes(const struct tcase *tc, struct expect *e)
{
    static struct sg_wave_image before;
    const struct mcase *c = tc->data;
    memcpy(&before, e->w, sizeof before);
    if (c->unit) {
        run_two(c, &before, e);
        return;
    }
    for (unsigned lane = 0; lane < 64; lane++) {
        if (!(img_s64(&before, 126) >> lane & 1))
            continue;
        uint64_t a = address(c, &before, lane);
        unsigned n = c->op->bytes;
        if (c->addtid)
            a = (before.s[124] & 0xffff) + (unsigned)c->offset + 4 * lane;
        if (c->to_lds) {
            uint8_t *to = e->mem + MEM_BYTES + (before.s[124] & 0xffff) + c->offset + n * lane;
            memcpy(to, cell(e, c, a, n), n);
            continue;
        }
        uint8_t *p = cell(e, c, a, n);
        if (c->op->kind == M_LOAD)
            do_load(c, e, p, c->d, lane);
        else if (c->op->kind == M_STORE)
            do_store(c, &before, p, c->x, lane);
        else
            do_atomic(c, &before, e, p, lane);
    }
}

/* ---- Filling. ---- */

static void set_address(const struct mcase *c, struct rng *r, struct sg_wave_image *w, unsigned lane,
                        uint32_t at)
{
    uint32_t low = at - (uint32_t)c->offset;
    if (c->space == S_LDS) {
        w->v[c->a][lane] = c->unit ? at : low;
        if (c->beyond && rng_below(r, 4) == 0)
            w->v[c->a][lane] = MEM_BYTES + rng_below(r, 1000) * 64;
        return;
    }
    uint64_t full = MEM_VA + at - (uint64_t)(int64_t)c->offset;
    if (c->saddr) {
        w->v[c->a][lane] = (uint32_t)(full - img_s64(w, c->saddr));
        return;
    }
    w->v[c->a][lane] = (uint32_t)full;
    w->v[c->a + 1][lane] = (uint32_t)(full >> 32);
}
static void fill_lanes(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct mcase *c = tc->data;
    unsigned n = c->op->bytes;
    if (c->op->kind == M_ATOMIC)
        for (unsigned i = 0; i + 8 <= 2 * MEM_BYTES; i += n) {
            uint64_t v = mem_value(c->op, r);
            memcpy(mem + i, &v, n);
        }
    if (c->saddr)
        img_set_s64(w, c->saddr, MEM_VA - 4096 + rng_below(r, 4096)); /* VGPR part is unsigned */
    /* Slots of 64 bytes in a random order, so that lanes do not overlap; collisions: few slots. */
    unsigned base = c->collide ? rng_below(r, 100) : 0, step = 2 * rng_below(r, 32) + 1;
    bool contiguous = rng_below(r, 3) == 0 && !c->collide;
    for (unsigned lane = 0; lane < 64; lane++) {
        unsigned slot = c->collide ? base + rng_below(r, 5) : (lane * step + 7) % 64 + 32;
        unsigned within = c->aligned ? rng_below(r, 64 / 16) * 16 : rng_below(r, 64 - 16);
        if (!c->aligned && c->op->kind == M_ATOMIC)
            within = within / n * n;
        if (c->unit)
            within &= ~3u;
        unsigned at = contiguous ? 4096 + lane * n : 4096 + slot * 64 + within;
        if (c->unit) /* two offsets up to 255 units reach far: stay low, overlap does not matter for loads */
            at = (lane * 16 + (c->op->kind == M_LOAD ? within % 16 : 0)) & ~3u;
        set_address(c, r, w, lane, at);
        for (unsigned i = 0; i < 4; i++)
            w->v[c->d + i][lane] = (uint32_t)rng64(r);
        uint64_t x = mem_value(c->op, r), y = mem_value(c->op, r);
        if (c->op->flags & M_CMP && rng_below(r, 2)) { /* make the comparison succeed */
            uint64_t current = 0;
            memcpy(&current, mem + (c->space == S_LDS ? MEM_BYTES : 0) + at, n);
            *(c->space == S_LDS ? &x : &y) = current;
        }
        for (unsigned i = 0; i < 4; i++) {
            w->v[c->x + i][lane] = (uint32_t)rng64(r);
            if (c->y != c->x + n / 4)
                w->v[c->y + i][lane] = (uint32_t)rng64(r);
        }
        if (c->op->kind == M_ATOMIC)
            for (unsigned i = 0; i < n / 4; i++) {
                w->v[c->x + i][lane] = (uint32_t)(x >> (32 * i));
                if (c->op->flags & M_CMP)
                    w->v[c->y + i][lane] = (uint32_t)(y >> (32 * i));
            }
    }
    if (c->to_lds || c->addtid)
        w->s[124] = rng_below(r, 1000) * 4;
}

/* ---- Making. ---- */

static struct mcase *new_case(struct suite *s, struct rng *r, const char *name, const struct mem_op *op,
                              struct tcase **tc)
{
    *tc = suite_add(s, name, sizeof(struct mcase));
    struct mcase *c = (*tc)->data;
    (*tc)->fill = fill_lanes;
    (*tc)->ref = run_lanes;
    (*tc)->uses_mem = true;
    (*tc)->rounds = 4;
    c->op = op;
    c->a = 2 * rng_below(r, 30);
    c->d = 64 + 2 * rng_below(r, 20);
    c->x = 128 + 2 * rng_below(r, 20);
    c->y = 192 + 2 * rng_below(r, 20);
    c->aligned = rng_below(r, 3) != 0;
    return c;
}

static void make_vmem(struct suite *s, struct rng *r, const struct mem_op *op, const char *name, bool flat)
{
    unsigned words = (op->bytes + 3u) / 4u, data_words = op->flags & M_CMP ? 2 * words : words;
    const char *ret = s->bit == A_90A ? " glc" : " sc0";
    for (unsigned k = 0; k < 6; k++) {
        struct tcase *tc;
        struct mcase *c = new_case(s, r, name, op, &tc);
        c->space = S_GLOBAL;
        c->flat = flat;
        c->saddr = !flat && k & 1 ? 2 + 2 * rng_below(r, 40) : 0;
        c->offset = k < 2 ? 0 : flat ? (int)rng_below(r, 4096) : (int)rng_below(r, 8192) - 4096;
        if (c->saddr && c->offset > 0) /* keeps the unsigned VGPR part in range */
            c->offset = -c->offset;
        c->returns = op->kind == M_ATOMIC && k % 3;
        c->collide = op->kind == M_ATOMIC && k == 5;
        if (op->kind == M_ATOMIC)
            c->aligned = true;
        if (op->flags & M_CMP)
            c->y = c->x + words;
        if (k == 4) { /* data in AccVGPRs */
            c->d += 256, c->x += 256, c->y += 256;
        }
        text_add(tc, "%s ", name);
        if (op->kind == M_LOAD) {
            text_rows(tc, c->d, words);
            text_add(tc, ", ");
        } else if (c->returns) {
            text_rows(tc, c->d, words);
            text_add(tc, ", ");
        }
        text_rows(tc, c->a, c->saddr ? 1 : 2);
        if (op->kind != M_LOAD) {
            text_add(tc, ", ");
            text_rows(tc, c->x, data_words);
        }
        if (c->saddr)
            text_add(tc, ", s[%u:%u]", c->saddr, c->saddr + 1);
        else if (!flat)
            text_add(tc, ", off");
        text_add(tc, " offset:%d%s", c->offset, c->returns ? ret : "");
    }
}

static void make_ds(struct suite *s, struct rng *r, const struct mem_op *op)
{
    unsigned words = (op->bytes + 3u) / 4u;
    bool only_rtn = strstr(op->name, "_rtn_") != NULL;
    char rtn_name[40];
    snprintf(rtn_name, sizeof rtn_name, "%s", op->name);
    if (op->kind == M_ATOMIC && !only_rtn) { /* ds_add_u32 -> ds_add_rtn_u32 */
        char *last = strrchr(rtn_name, '_');
        snprintf(last, sizeof rtn_name - (size_t)(last - rtn_name), "_rtn%s", strrchr(op->name, '_'));
    }
    const char *returning = keep_name("", rtn_name);
    for (unsigned k = 0; k < 8; k++) {
        struct tcase *tc;
        bool returns = op->kind == M_ATOMIC && (only_rtn || k & 1);
        const char *name = returns ? returning : op->name;
        struct mcase *c = new_case(s, r, name, op, &tc);
        c->space = S_LDS;
        c->returns = returns;
        c->offset = k < 2 ? 0 : (int)rng_below(r, 4096);
        c->collide = op->kind == M_ATOMIC && k >= 6;
        c->beyond = k == 5;
        if (op->kind == M_ATOMIC) {
            c->aligned = true;
            c->offset &= ~7;
        }
        if (k == 4) {
            c->d += 256, c->x += 256, c->y += 256;
        }
        text_add(tc, "%s ", name);
        if (op->kind == M_LOAD || returns) {
            text_rows(tc, c->d, words);
            text_add(tc, ", ");
        }
        text_rows(tc, c->a, 1);
        if (op->kind != M_LOAD) {
            text_add(tc, ", ");
            text_rows(tc, c->x, words);
        }
        if (op->flags & M_CMP) {
            text_add(tc, ", ");
            text_rows(tc, c->y, words);
        }
        text_add(tc, " offset:%d", c->offset);
    }
}

static const struct mem_op two_ops[] = {
    {"ds_read2_b32", M_LOAD, 4, 0, A_ALL, 0},       {"ds_read2_b64", M_LOAD, 8, 0, A_ALL, 0},
    {"ds_read2st64_b32", M_LOAD, 4, 0, A_ALL, 0},   {"ds_read2st64_b64", M_LOAD, 8, 0, A_ALL, 0},
    {"ds_write2_b32", M_STORE, 4, 0, A_ALL, 0},     {"ds_write2_b64", M_STORE, 8, 0, A_ALL, 0},
    {"ds_write2st64_b32", M_STORE, 4, 0, A_ALL, 0}, {"ds_write2st64_b64", M_STORE, 8, 0, A_ALL, 0},
};
static void make_two(struct suite *s, struct rng *r, const struct mem_op *op)
{
    unsigned words = op->bytes / 4u;
    bool wide = strstr(op->name, "st64") != NULL;
    for (unsigned k = 0; k < 6; k++) {
        struct tcase *tc;
        struct mcase *c = new_case(s, r, op->name, op, &tc);
        c->space = S_LDS;
        c->unit = op->bytes * (wide ? 64u : 1u);
        c->aligned = true;
        unsigned steps = (MEM_BYTES - 64 * 16) / c->unit;
        steps = steps > 255 ? 255 : steps - 1;
        c->offset = k == 0 ? 0 : (int)rng_below(r, steps);
        c->offset1 = k == 0 ? 1 : rng_below(r, steps);
        if (k == 4)
            c->d += 256, c->x += 256, c->y += 256;
        text_add(tc, "%s ", op->name);
        if (op->kind == M_LOAD) {
            text_rows(tc, c->d, 2 * words);
            text_add(tc, ", v%u", c->a);
        } else {
            text_add(tc, "v%u, ", c->a);
            text_rows(tc, c->x, words);
            text_add(tc, ", ");
            text_rows(tc, c->y, words);
        }
        text_add(tc, " offset0:%d offset1:%u", c->offset, c->offset1);
    }
}

static const struct mem_op addtid_read = {"ds_read_addtid_b32", M_LOAD, 4, 0, A_ALL, 0},
                           addtid_write = {"ds_write_addtid_b32", M_STORE, 4, 0, A_ALL, 0},
                           lds_dword = {"load_lds_dword", M_LOAD, 4, 0, A_942 | A_950, 0};
static void make_special(struct suite *s, struct rng *r)
{
    for (unsigned k = 0; k < 4; k++) {
        struct tcase *tc;
        struct mcase *c = new_case(s, r, addtid_read.name, &addtid_read, &tc);
        c->space = S_LDS;
        c->addtid = true;
        c->offset = k ? (int)rng_below(r, 1000) * 4 : 0;
        text_add(tc, "ds_read_addtid_b32 v%u offset:%d", c->d, c->offset);
        c = new_case(s, r, addtid_write.name, &addtid_write, &tc);
        c->space = S_LDS;
        c->addtid = true;
        c->offset = k ? (int)rng_below(r, 1000) * 4 : 0;
        text_add(tc, "ds_write_addtid_b32 v%u offset:%d", c->x, c->offset);
        if (s->bit == A_90A)
            continue;
        c = new_case(s, r, "global_load_lds_dword", &lds_dword, &tc);
        c->space = S_GLOBAL;
        c->to_lds = true;
        c->offset = k ? (int)rng_below(r, 1000) * 4 : 0;
        text_add(tc, "global_load_lds_dword v[%u:%u], off offset:%d", c->a, c->a + 1, c->offset);
    }
}

static void keep_wanted(struct suite *s, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < s->n; i++) {
        if (suite_wants(s, s->cases[i].name))
            s->cases[kept++] = s->cases[i];
        else
            free(s->cases[i].data);
    }
    s->n = kept;
}

void gen_ds(struct suite *s)
{
    size_t first = s->n;
    struct rng r = {4711};
    for (size_t i = 0; i < ref_ds_ops.n; i++)
        if (ref_ds_ops.op[i].arch & s->bit)
            make_ds(s, &r, &ref_ds_ops.op[i]);
    for (size_t i = 0; i < sizeof two_ops / sizeof *two_ops; i++)
        make_two(s, &r, &two_ops[i]);
    make_special(s, &r);
    keep_wanted(s, first);
}

/* ---- Scalar loads. ---- */

static void run_scalar(const struct tcase *tc, struct expect *e)
{
    const struct mcase *c = tc->data;
    struct sg_wave_image *w = e->w;
    int64_t offset = c->offset + (c->soffset ? (int64_t)w->s[c->soffset] : 0);
    uint64_t base = img_s64(w, c->saddr);
    if (c->buffer)
        base &= 0xffffffffffff;
    uint64_t a = (base + (uint64_t)offset) & ~3ull;
    uint32_t records = c->buffer ? w->s[c->saddr + 2] : 0;
    uint32_t out[16];
    for (unsigned i = 0; i < c->dwords; i++) {
        uint64_t at = (((uint64_t)offset) & ~3ull) + 4 * i;
        if (c->buffer && at + 4 > records)
            out[i] = 0;
        else
            memcpy(&out[i], e->mem + (a + 4 * i - MEM_VA), 4);
    }
    memcpy(&w->s[c->d], out, 4 * c->dwords);
}
static void fill_scalar(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct mcase *c = tc->data;
    (void)mem;
    uint64_t base = MEM_VA + 8192 + rng_below(r, 512) * 4;
    img_set_s64(w, c->saddr, base);
    if (c->soffset)
        w->s[c->soffset] = rng_below(r, 500) * 4;
    if (c->buffer) { /* stride 0, bounds in bytes */
        w->s[c->saddr + 2] = rng_below(r, 2) ? 8192 : rng_below(r, 64) * 4;
        w->s[c->saddr + 3] = 0x27000;
    }
}

/* The register is an unsigned offset, and the sum with the immediate is one of 64 bits: 0xfffffffc + 8 lies beyond
 * a buffer of 8 KiB and reads 0, not its second dword. The manuals give the sum without its width (see
 * gen_smem_write.c); LLVM's selection says it: it splits an addition of 32 bits into register and immediate only
 * where that addition cannot wrap (SelectSMRDBaseOffset; llvm-project, pull request 68302). */
static void fill_no_wrap(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct mcase *c = tc->data;
    fill_scalar(tc, r, w, mem);
    w->s[c->saddr + 2] = 8192;
    w->s[c->soffset] = 0xfffffffc;
}

static void gen_no_wrap(struct suite *s, struct rng *r)
{
    static const struct {
        const char *name;
        unsigned dwords;
    } sizes[] = {{"s_buffer_load_dword", 1}, {"s_buffer_load_dwordx4", 4}};
    for (unsigned i = 0; i < 2; i++) {
        struct tcase *tc;
        struct mcase *c = new_case(s, r, sizes[i].name, NULL, &tc);
        tc->fill = fill_no_wrap;
        tc->ref = run_scalar;
        c->buffer = true;
        c->dwords = sizes[i].dwords;
        c->d = 20;
        c->saddr = 4;
        c->soffset = 16;
        c->offset = 8;
        text_add(tc, "%s %s, s[4:7], s16 offset:8", tc->name, c->dwords == 1 ? "s20" : "s[20:23]");
    }
}

static void gen_smem(struct suite *s)
{
    static const struct {
        const char *load, *buffer;
        unsigned dwords;
    } sizes[] = {{"s_load_dword", "s_buffer_load_dword", 1},
                 {"s_load_dwordx2", "s_buffer_load_dwordx2", 2},
                 {"s_load_dwordx4", "s_buffer_load_dwordx4", 4},
                 {"s_load_dwordx8", "s_buffer_load_dwordx8", 8},
                 {"s_load_dwordx16", "s_buffer_load_dwordx16", 16}};
    struct rng r = {99};
    gen_no_wrap(s, &r);
    for (unsigned i = 0; i < 5; i++)
        for (unsigned k = 0; k < 10; k++) {
            struct tcase *tc;
            bool buffer = k >= 6;
            struct mcase *c = new_case(s, &r, buffer ? sizes[i].buffer : sizes[i].load, NULL, &tc);
            tc->fill = fill_scalar;
            tc->ref = run_scalar;
            c->buffer = buffer;
            c->dwords = sizes[i].dwords;
            c->d = (20 + rng_below(&r, 60)) & ~(c->dwords > 4 ? 3u : c->dwords - 1u);
            c->saddr = 4 * rng_below(&r, 4);
            c->soffset = k % 3 == 2 ? 16 + rng_below(&r, 3) : 0;
            c->offset = c->soffset && k != 5   ? 0
                        : buffer || c->soffset ? (int)rng_below(&r, 500) * 4
                                               : (int)rng_below(&r, 8000) - 4000;
            text_add(tc, "%s ", tc->name);
            if (c->dwords > 1)
                text_add(tc, "s[%u:%u], ", c->d, c->d + c->dwords - 1);
            else
                text_add(tc, "s%u, ", c->d);
            text_add(tc, "s[%u:%u], ", c->saddr, c->saddr + (buffer ? 3 : 1));
            if (c->soffset)
                text_add(tc, "s%u", c->soffset);
            if (c->soffset && c->offset)
                text_add(tc, " offset:0x%x", (unsigned)c->offset);
            else if (!c->soffset)
                text_add(tc, "%s0x%x", c->offset < 0 ? "-" : "",
                         (unsigned)(c->offset < 0 ? -c->offset : c->offset));
        }
}

void gen_global(struct suite *s)
{
    size_t first = s->n;
    struct rng r = {815};
    for (size_t i = 0; i < ref_vmem_ops.n; i++) {
        const struct mem_op *op = &ref_vmem_ops.op[i];
        if (!(op->arch & s->bit))
            continue;
        make_vmem(s, &r, op, keep_name("global_", op->name), false);
        bool flat_missing = s->bit == A_90A && op->flags & M_FLOAT && op->bytes == 4;
        if (!flat_missing)
            make_vmem(s, &r, op, keep_name("flat_", op->name), true);
    }
    gen_smem(s);
    keep_wanted(s, first);
}
