/*
 * gen_smem_write.c - cases of scalar memory instructions beyond loads: stores, atomics, the scratch forms,
 * and cache maintenance, which changes nothing that a program can see here.
 *
 * Addresses ("AMD CDNA4 ISA", 8.2.1.1): base + immediate + register, in bytes, the two low bits of the sum
 * dropped; s_scratch_* multiply the register by 64. Buffer forms take base and num_records of the V# (stride
 * 0 here) and leave a dword beyond the end alone. Atomics return the old value only with glc; they see memory
 * as the vector ones do (same functions: ref_mem.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ref_mem.h"

enum form { GLOBAL, BUFFER, SCRATCH };
struct wcase {
    const struct mem_op *atomic; /* NULL: load or store */
    enum form form;
    unsigned base, data, dwords;
    unsigned soffset; /* scalar register; 0 = none */
    int offset;
    bool returns, load;
};

static uint64_t place(const struct wcase *c, const struct sg_wave_image *w, bool *inside, unsigned part)
{
    const uint64_t reg = c->soffset ? w->s[c->soffset] : 0;
    const uint64_t offset = (uint64_t)(int64_t)c->offset + (c->form == SCRATCH ? 64 * reg : reg);
    *inside = true;
    if (c->form == BUFFER) {
        const uint64_t at = (offset & ~3ull) + 4 * part;
        *inside = at < w->s[c->base + 2];
        return ((img_s64(w, c->base) & 0xffffffffffffull & ~3ull) + at) - MEM_VA;
    }
    return ((img_s64(w, c->base) + offset) & ~3ull) + 4 * part - MEM_VA;
}

static void run_access(const struct tcase *tc, struct expect *e)
{
    const struct wcase *c = tc->data;
    uint32_t data[4];
    memcpy(data, &e->w->s[c->data], sizeof data);
    for (unsigned i = 0; i < c->dwords; i++) {
        bool inside;
        uint8_t *p = e->mem + place(c, e->w, &inside, i);
        if (!inside)
            continue;
        if (c->load)
            memcpy(&data[i], p, 4);
        else
            memcpy(p, &data[i], 4);
    }
    if (c->load)
        memcpy(&e->w->s[c->data], data, 4 * c->dwords);
}

static void run_atomic(const struct tcase *tc, struct expect *e)
{
    const struct wcase *c = tc->data;
    const unsigned n = c->atomic->bytes;
    bool inside;
    uint8_t *p = e->mem + place(c, e->w, &inside, 0);
    uint64_t x = 0, y = 0, old = 0;
    if (!inside)
        return;
    memcpy(&x, &e->w->s[c->data], n);
    if (c->atomic->flags & M_CMP)
        memcpy(&y, &e->w->s[c->data + n / 4], n);
    memcpy(&old, p, n);
    const uint64_t result = c->atomic->fn(old, x, y);
    memcpy(p, &result, n);
    if (c->returns)
        memcpy(&e->w->s[c->data], &old, n);
}

static void nothing(const struct tcase *tc, struct expect *e)
{
    (void)tc;
    (void)e;
}

static void fill(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct wcase *c = tc->data;
    const unsigned align = c->atomic ? c->atomic->bytes : 4;
    const uint32_t reg = rng_below(r, c->form == SCRATCH ? 40 : 500) * align;
    /* Negative offsets need a register or base before the memory's middle. */
    uint64_t base = MEM_VA + 8192 + rng_below(r, 64) * 8;
    if (c->soffset)
        w->s[c->soffset] = c->form == SCRATCH ? reg : reg + (c->atomic ? 0 : rng_below(r, 4));
    if (c->form == SCRATCH && c->soffset) /* up to 40 * 4 * 64 = 10240 bytes on */
        base -= 8192;
    img_set_s64(w, c->base, base);
    if (c->form == BUFFER) {
        w->s[c->base + 1] &= 0xffff; /* stride 0 */
        w->s[c->base + 2] = rng_below(r, 3) ? 8192 : rng_below(r, 256) * 8;
        w->s[c->base + 3] = 0x27000;
    }
    if (!c->atomic)
        return;
    for (unsigned i = 0; i + 8 <= MEM_BYTES; i += align) {
        const uint64_t v = mem_value(c->atomic, r);
        memcpy(mem + i, &v, align);
    }
    const uint64_t x = mem_value(c->atomic, r), y = mem_value(c->atomic, r);
    memcpy(&w->s[c->data], &x, align);
    if (!(c->atomic->flags & M_CMP))
        return;
    bool inside;
    memcpy(&w->s[c->data + align / 4], &y, align);
    const uint64_t at = place(c, w, &inside, 0);
    if (rng_below(r, 2) && inside) /* make the comparison succeed */
        memcpy(&w->s[c->data + align / 4], mem + at, align);
}

static void print_offset(struct tcase *tc, const struct wcase *c)
{
    const unsigned magnitude = (unsigned)(c->offset < 0 ? -c->offset : c->offset);
    if (c->soffset)
        text_add(tc, "s%u", c->soffset);
    if (c->soffset && c->offset)
        text_add(tc, " offset:0x%x", magnitude);
    else if (!c->soffset)
        text_add(tc, "%s0x%x", c->offset < 0 ? "-" : "", magnitude);
}

static void print_scalars(struct tcase *tc, unsigned first, unsigned n)
{
    if (n > 1)
        text_add(tc, "s[%u:%u], ", first, first + n - 1);
    else
        text_add(tc, "s%u, ", first);
}

/* k chooses the offset: immediate, register, both. */
static struct wcase *new_case(struct suite *s, struct rng *r, const char *name, enum form form,
                              unsigned dwords, unsigned k, struct tcase **out)
{
    struct tcase *tc = *out = suite_add(s, name, sizeof(struct wcase));
    struct wcase *c = tc->data;
    tc->fill = fill;
    tc->ref = run_access;
    tc->uses_mem = true;
    tc->rounds = 4;
    *c = (struct wcase){.form = form,
                        .dwords = dwords,
                        .base = 4 * rng_below(r, 4),
                        .data = 24 + 4 * rng_below(r, 16),
                        .soffset = k % 3 ? 17 + rng_below(r, 3) : 0};
    if (k % 3 != 1)
        c->offset =
            c->soffset || form == BUFFER ? 8 * (int)rng_below(r, 200) : 8 * ((int)rng_below(r, 800) - 400);
    return c;
}

static void print_case(struct tcase *tc, const struct wcase *c)
{
    text_add(tc, "%s ", tc->name);
    print_scalars(tc, c->data, c->dwords);
    print_scalars(tc, c->base, c->form == BUFFER ? 4 : 2);
    print_offset(tc, c);
}

static void make_accesses(struct suite *s, struct rng *r)
{
    static const struct {
        const char *name;
        enum form form;
        bool load;
    } kinds[] = {{"s_store_dword", GLOBAL, false},
                 {"s_buffer_store_dword", BUFFER, false},
                 {"s_scratch_store_dword", SCRATCH, false},
                 {"s_scratch_load_dword", SCRATCH, true}};
    static const char *const suffix[] = {"", "x2", "x4"};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (unsigned size = 0; size < 3; size++) {
            const char *name = keep_name(kinds[i].name, suffix[size]);
            for (unsigned k = 0; k < 9 && suite_wants(s, name); k++) {
                struct tcase *tc;
                struct wcase *c = new_case(s, r, name, kinds[i].form, 1u << size, k, &tc);
                c->load = kinds[i].load;
                if (k >= 3) /* low bits are dropped */
                    c->offset += c->offset > 0 ? (int)rng_below(r, 4) : 0;
                print_case(tc, c);
                if (k == 8)
                    text_add(tc, " glc"); /* a scope, no other result */
            }
        }
}

/* The integer operations of the vector memory, and compare-and-swap; there are no float ones. */
static bool exists_as_scalar(const struct mem_op *op)
{
    return op->kind == M_ATOMIC && !(op->flags & M_FLOAT);
}

static void make_atomics(struct suite *s, struct rng *r, const struct mem_op *op, enum form form)
{
    const char *name = keep_name(form == BUFFER ? "s_buffer_" : "s_", op->name);
    const unsigned words = op->bytes / 4u * (op->flags & M_CMP ? 2 : 1);
    for (unsigned k = 0; k < 8 && suite_wants(s, name); k++) {
        struct tcase *tc;
        struct wcase *c = new_case(s, r, name, form, words, k, &tc);
        tc->ref = run_atomic;
        c->atomic = op;
        c->returns = k & 1;
        print_case(tc, c);
        text_add(tc, "%s", c->returns ? " glc" : "");
    }
}

/* Nothing of these shows in registers or memory: what was stored is in memory already. */
static void make_maintenance(struct suite *s, struct rng *r)
{
    static const char *const text[] = {"s_dcache_wb_vol", "s_dcache_discard %s, 0x40",
                                       "s_dcache_discard_x2 %s, 0x80", "s_atc_probe 3, %s, 0x10",
                                       "s_atc_probe_buffer 3, s[8:11], 0x10"};
    static const char *const name[] = {"s_dcache_wb_vol", "s_dcache_discard", "s_dcache_discard_x2",
                                       "s_atc_probe", "s_atc_probe_buffer"};
    for (unsigned i = 0; i < sizeof text / sizeof *text; i++) {
        if (!suite_wants(s, name[i]))
            continue;
        struct tcase *tc;
        new_case(s, r, name[i], GLOBAL, 1, 0, &tc)->base = 4;
        tc->ref = nothing;
        text_add(tc, text[i], "s[4:5]");
    }
}

void gen_smem_write(struct suite *s)
{
    struct rng r = {2718};
    make_accesses(s, &r);
    for (size_t i = 0; i < ref_vmem_ops.n; i++)
        if (exists_as_scalar(&ref_vmem_ops.op[i])) {
            make_atomics(s, &r, &ref_vmem_ops.op[i], GLOBAL);
            make_atomics(s, &r, &ref_vmem_ops.op[i], BUFFER);
        }
    make_maintenance(s, &r);
}
