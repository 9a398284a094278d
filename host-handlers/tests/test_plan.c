/*
 * test_plan.c - what the GPU is told about sites in summary mode. The lane groups and banks are those that
 * were measured (models/lds_model.h names the sources), written here as masks of lanes by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lanescope/sites.h"
#include "gpus.h"
#include "host-handlers/shared/plan.h"
#include "messages/expand.h"

#define SITE(k, where, n, a)                                                                                 \
    {.kind = LS_SITE_##k, .space = (where), .bytes = (n), .align = (a), .flags = LS_SITE_OBSERVED}

struct planned {
    struct ls_plan *plan;
    size_t bytes;
};

static struct planned make(const char *arch, const struct lanescope_site *sites, uint32_t n,
                           const struct lanescope_isa *isa, const struct ls_plan_open *open)
{
    struct planned p;
    const struct ls_plan_sites of = {sites, isa, open, {NULL, NULL}, {.n = n}};
    p.plan = ls_plan_make(arch, ls_gpu_lanes(arch), &of, &p.bytes);
    assert_non_null(p.plan);
    assert_int_equal(p.plan->n_sites, n);
    assert_true(p.plan->groups % 8 == 0 && p.plan->groups <= p.bytes);
    return p;
}

static uint32_t word(const struct planned *p, uint32_t site)
{
    return ((const uint32_t *)(p->plan + 1))[site];
}

/* Pass number i of a site that has `n`. */
static const struct ls_plan_pass *pass(const struct planned *p, uint32_t site, unsigned n, unsigned i)
{
    assert_true(word(p, site) != 0);
    assert_int_equal(LS_PLAN_NUMBER(word(p, site)), n);
    const struct ls_plan_pass *all = (const void *)((const char *)p->plan + p->plan->passes);
    assert_int_equal(all[LS_PLAN_FIRST(word(p, site)) + i].site, site);
    return &all[LS_PLAN_FIRST(word(p, site)) + i];
}

static void check(const struct ls_plan_pass *x, unsigned offset, unsigned bytes, unsigned memory)
{
    assert_int_equal(x->offset, offset);
    assert_int_equal(x->bytes, bytes);
    assert_int_equal(x->memory, memory);
}

static void check_groups(const struct planned *p, const struct ls_plan_pass *x, unsigned banks, unsigned n,
                         const uint64_t *groups)
{
    assert_int_equal(x->banks, banks);
    assert_int_equal(x->groups, n);
    assert_memory_equal((const char *)p->plan + p->plan->groups + x->group * 8ul, groups, n * 8);
}

static const uint64_t halves[] = {0xffffffff, 0xffffffff00000000};
static const uint64_t quarters[] = {0xffff, 0xffff0000, 0xffff00000000, 0xffff000000000000};
/* 0-3+20-23, 32-35+52-55, 4-7+16-19, 36-39+48-51, 8-11+28-31, 40-43+60-63, 12-15+24-27, 44-47+56-59 */
static const uint64_t cdna3_b128[] = {0x00f0000f, 0x00f0000f00000000, 0x000f00f0, 0x000f00f000000000,
                                      0xf0000f00, 0xf0000f0000000000, 0x0f00f000, 0x0f00f00000000000};
static const uint64_t eights[] = {0xff,         0xff00,         0xff0000,         0xff000000,
                                  0xff00000000, 0xff0000000000, 0xff000000000000, 0xff00000000000000};

/* What the GPU reads at once of a site's only pass: bytes - 1, with bit 8 in LDS; where the pass is; where its eight counters
 * of 8 bytes are, behind 1024 bytes of struct ls_summary and 64 entries of 16 bytes for each of `n` sites; `more`. */
static void check_simple(const struct planned *p, uint32_t site, uint32_t last, int32_t distance,
                         unsigned pass, uint32_t more)
{
    const struct ls_plan_simple *all = (const void *)((const char *)p->plan + p->plan->simple);
    assert_int_equal(all[0].last, LS_PLAN_NOT_SIMPLE);
    assert_int_equal(all[site + 1].last, last);
    if (last == LS_PLAN_NOT_SIMPLE) {
        assert_int_equal(all[site + 1].more, more);
        return;
    }
    assert_int_equal(all[site + 1].distance, distance);
    assert_int_equal(all[site + 1].counters, 1024 + 1024 * p->plan->n_sites + 64 * pass);
    assert_int_equal(all[site + 1].more, more);
}

struct shared {
    uint32_t site, offset;
};

/* What else the first pass of a site with `passes` of them stands for. */
static void check_shared(const struct planned *p, uint32_t site, unsigned passes, unsigned n,
                         const struct shared *want)
{
    const struct ls_plan_shared *s;
    const struct ls_plan_pass *first = pass(p, site, passes, 0);
    assert_int_equal(ls_expand_shared(p->plan, first, &s), n);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(s[i].site, want[i].site);
        assert_int_equal(s[i].offset, want[i].offset);
    }
}

static void simple_sites(void **state)
{
    (void)state;
    /* global dwords; LDS by one group of lanes for each half; an atomic there; 8 bytes in LDS are served by groups of 16; what
     * may be in either memory has two passes; 12 bytes are no power of two; atomics in memory are no site of a plan */
    static const struct lanescope_site sites[] = {
        SITE(LOAD, 1, 4, 4), SITE(STORE, 3, 2, 2), SITE(RMW, 3, 4, 4),   SITE(LOAD, 3, 8, 8),
        SITE(LOAD, 0, 4, 4), SITE(LOAD, 1, 12, 4), SITE(LOAD, 1, 16, 4), SITE(RMW, 1, 4, 4)};
    struct planned p = make("gfx90a", sites, 8, NULL, NULL);
    check_simple(&p, 0, 3, 0, 0, 64);
    check_simple(&p, 1, 0x101, 0, 1, 0);
    check_simple(&p, 2, 0x103, 0, 2, 1);
    check_simple(&p, 3, 0x107, 0, 3, 0);
    check_simple(&p, 4, LS_PLAN_NOT_SIMPLE, 0, 0, 0);
    check_simple(&p, 5, LS_PLAN_NOT_SIMPLE, 0, 0, 0);
    check_simple(&p, 6, 15, 0, LS_PLAN_FIRST(word(&p, 6)), 64);
    check_simple(&p, 7, LS_PLAN_NOT_SIMPLE, 0, 0, 1);
    free(p.plan);
    p = make("gfx950", sites, 4, NULL, NULL); /* 64 banks, one group of all lanes; with 8 bytes the halves */
    check_simple(&p, 0, 3, 0, 0, 64);
    check_simple(&p, 1, LS_PLAN_NOT_SIMPLE, 0, 0, 0);
    check_simple(&p, 3, LS_PLAN_NOT_SIMPLE, 0, 0, 0);
    free(p.plan);
    p = make("gfx1100", sites, 4, NULL, NULL);
    check_simple(&p, 0, 3, 0, 0, 32);
    check_simple(&p, 1, 0x101, 0, 1, 0);
    check_simple(&p, 3, 0x107, 0, 3, 0);
    free(p.plan);
}

static void lane_groups(void **state)
{
    (void)state;
    static const struct lanescope_site sites[] = {SITE(LOAD, 3, 4, 4), SITE(LOAD, 3, 8, 8),
                                                  SITE(LOAD, 3, 16, 16), SITE(STORE, 3, 16, 16),
                                                  SITE(RMW, 3, 4, 4)};
    struct planned p = make("gfx942:sramecc+", sites, 5, NULL, NULL);
    check_groups(&p, pass(&p, 0, 1, 0), 32, 2, halves);
    check_groups(&p, pass(&p, 1, 1, 0), 32, 4, quarters);
    check_groups(&p, pass(&p, 2, 1, 0), 32, 8, cdna3_b128);
    check_groups(&p, pass(&p, 3, 1, 0), 32, 8, eights);
    check_groups(&p, pass(&p, 4, 1, 0), 32, 2, halves);
    for (unsigned i = 0; i < 5; i++) {
        check(pass(&p, i, 1, 0), 0, sites[i].bytes, LS_PLAN_LDS);
        assert_int_equal(pass(&p, i, 1, 0)->atomic, i == 4);
    }
    assert_int_equal(pass(&p, 0, 1, 0)->group, pass(&p, 4, 1, 0)->group); /* each table once */
    assert_int_equal(p.plan->simple, p.plan->groups + 8 * (2 + 4 + 8 + 8));
    assert_int_equal(p.bytes, p.plan->simple + 16 * (5 + 1));
    assert_int_equal(p.plan->lanes, 64);
    free(p.plan);
    /* CDNA4: 64 banks; one group of 64, halves, and 0-3,12-15,20-27 / 4-11,16-19,28-31 of each half */
    static const uint64_t all[] = {~0ull};
    static const uint64_t cdna4[] = {0x0ff0f00f, 0x0ff0f00f00000000, 0xf00f0ff0, 0xf00f0ff000000000};
    p = make("gfx950", sites, 3, NULL, NULL);
    check_groups(&p, pass(&p, 0, 1, 0), 64, 1, all);
    check_groups(&p, pass(&p, 1, 1, 0), 64, 2, halves);
    check_groups(&p, pass(&p, 2, 1, 0), 64, 4, cdna4);
    free(p.plan);
    /* RDNA3, 32 lanes: one group; 0-15, 16-31; 0-3+20-23, 4-7+16-19, 8-11+28-31, 12-15+24-27 */
    static const uint64_t rdna3[] = {0x00f0000f, 0x000f00f0, 0xf0000f00, 0x0f00f000};
    p = make("gfx1100", sites, 3, NULL, NULL);
    check_groups(&p, pass(&p, 0, 1, 0), 32, 1, halves);
    check_groups(&p, pass(&p, 1, 1, 0), 32, 2, quarters);
    check_groups(&p, pass(&p, 2, 1, 0), 32, 4, rdna3);
    assert_int_equal(p.plan->lanes, 32);
    free(p.plan);
}

/* Sites 1 and 3 are led by 0, 32 bytes behind and 8 before it: their passes stand behind those of 0. With an atomic
 * among them, which is not reduced, none of them is. */
static void leads_others(void **state)
{
    (void)state;
    static struct lanescope_site sites[] = {SITE(LOAD, 1, 20, 4), SITE(STORE, 1, 8, 8), SITE(LOAD, 1, 4, 4),
                                            SITE(LOAD, 1, 2, 2)};
    static const struct ls_site_lead lead[] = {{0, 1, 32}, {0, 3, -8}};
    static const uint32_t first[] = {0, 2, 2, 2, 2};
    const struct ls_plan_sites of = {sites, NULL, NULL, {lead, first}, {.n = 4}};
    struct planned p;
    p.plan = ls_plan_make("gfx90a", 64, &of, &p.bytes);
    assert_non_null(p.plan);
    assert_int_equal(p.plan->n_passes, 2 + 1 + 1 + 1);
    const struct ls_plan_pass *all = pass(&p, 0, 4, 0); /* 16 and 4 bytes, then the others' */
    check(&all[0], 0, 16, LS_PLAN_GLOBAL);
    check(&all[1], 16, 4, LS_PLAN_GLOBAL);
    check(&all[2], 0, 8, LS_PLAN_GLOBAL);
    check(&all[3], 0, 2, LS_PLAN_GLOBAL);
    static const struct {
        uint32_t site;
        int32_t distance;
    } want[] = {{0, 0}, {0, 0}, {1, 32}, {3, -8}};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(all[i].site, want[i].site);
        assert_int_equal(all[i].distance, want[i].distance);
    }
    assert_ptr_equal(pass(&p, 1, 1, 0), &all[2]);
    assert_ptr_equal(pass(&p, 3, 1, 0), &all[3]);
    assert_int_equal(pass(&p, 2, 1, 0)->distance, 0);
    free(p.plan);
    sites[3].kind = LS_SITE_RMW;
    p.plan = ls_plan_make("gfx90a", 64, &of, &p.bytes);
    assert_non_null(p.plan);
    assert_int_equal(word(&p, 0), 0);
    assert_int_equal(word(&p, 1), 0);
    assert_int_equal(word(&p, 3), 0);
    pass(&p, 2, 1, 0);
    assert_int_equal(p.plan->n_passes, 1);
    free(p.plan);
}

static struct planned make_group(const struct lanescope_site *sites, uint32_t n, const int32_t *distance)
{
    static struct ls_site_lead lead[8];
    static uint32_t first[10];
    struct planned p;
    for (uint32_t i = 1; i < n; i++)
        lead[i - 1] = (struct ls_site_lead){0, i, distance[i]};
    for (uint32_t i = 1; i <= n; i++)
        first[i] = n - 1;
    const struct ls_plan_sites of = {sites, NULL, NULL, {lead, first}, {.n = n}};
    p.plan = ls_plan_make("gfx90a", 64, &of, &p.bytes);
    assert_non_null(p.plan);
    return p;
}

/* What follows by whole dwords in LDS, or by whole lines of 128 bytes in memory, costs what the leader does, and is not reduced for
 * itself: also a store, as its lanes are served in the same groups. So a site that reads, changes and writes is simple. */
static void shared_costs(void **state)
{
    (void)state;
    static const struct lanescope_site lds[] = {SITE(LOAD, 3, 4, 4),  SITE(LOAD, 3, 4, 4),
                                                SITE(STORE, 3, 4, 4), SITE(STORE, 3, 4, 4),
                                                SITE(LOAD, 3, 4, 4),  SITE(LOAD, 3, 2, 2)};
    struct planned p = make_group(lds, 5, (const int32_t[]){0, 4, 0, -8, 1 << 16});
    check_shared(&p, 0, 1, 4, (const struct shared[]){{1, 0}, {2, 0}, {3, 0}, {4, 0}});
    check_simple(&p, 0, 0x103, 0, 0, 0);
    for (uint32_t i = 1; i < 5; i++)
        assert_true(word(&p, i) != 0 && LS_PLAN_NUMBER(word(&p, i)) == 0);
    static const struct lanescope_pass whole[] = {{1, 0, 4, 1}, {1, 4, 4, 0}};
    struct lanescope_isa isa[5] = {[1] = {LANESCOPE_ISA_VECTOR, 1, whole}};
    const struct ls_plan_sites of = {lds, isa, NULL, {NULL, NULL}, {.n = 5}};
    assert_int_equal(ls_plan_missing(p.plan, &of), 0);
    isa[1].n_passes = 2; /* of the second one nothing is reduced, nor shared */
    assert_int_equal(ls_plan_missing(p.plan, &of), 1);
    free(p.plan);
    /* 2 bytes further on is no whole dword; other bytes are another instruction */
    p = make_group(lds, 6, (const int32_t[]){0, 2, 6, 4, 0, 0});
    check_shared(&p, 0, 3, 2, (const struct shared[]){{3, 0}, {4, 0}});
    check_shared(&p, 1, 1, 1, (const struct shared[]){{2, 0}}); /* 4 bytes behind it */
    check_shared(&p, 5, 1, 0, NULL);
    free(p.plan);
    /* 8 and 16 bytes stay aligned as they are: 4 further on they would not, 8 are no whole unit of 16 */
    static const struct lanescope_site wide[] = {SITE(LOAD, 3, 8, 8),   SITE(LOAD, 3, 8, 8),
                                                 SITE(LOAD, 3, 8, 8),   SITE(LOAD, 3, 16, 16),
                                                 SITE(LOAD, 3, 16, 16), SITE(LOAD, 3, 16, 16)};
    p = make_group(wide, 6, (const int32_t[]){0, 4, 8, 0, 8, 16});
    check_shared(&p, 0, 4, 1, (const struct shared[]){{2, 0}});
    check_shared(&p, 3, 1, 1, (const struct shared[]){{5, 0}});
    free(p.plan);
    static const struct lanescope_site memory[] = {SITE(LOAD, 1, 4, 4), SITE(STORE, 1, 4, 4),
                                                   SITE(LOAD, 1, 4, 4), SITE(LOAD, 1, 4, 4),
                                                   SITE(LOAD, 1, 8, 4), SITE(STORE, 1, 4, 4)};
    p = make_group(memory, 6, (const int32_t[]){0, 0, 64, 128, 0, -256});
    check_shared(&p, 0, 3, 3, (const struct shared[]){{1, 0}, {3, 0}, {5, 0}});
    check_shared(&p, 2, 1, 0, NULL);
    free(p.plan);
}

/* In which memory lanes of a flat access are is another matter for each address. */
static void flat_costs(void **state)
{
    (void)state;
    static const struct lanescope_site flat[] = {SITE(LOAD, 0, 4, 4), SITE(STORE, 0, 4, 4)};
    struct planned p = make_group(flat, 2, (const int32_t[]){0, 0});
    check_shared(&p, 0, 4, 0, NULL);
    assert_int_equal(p.plan->n_shared, 0);
    free(p.plan);
}

/* Of six sites a kernel has the first one, which is shared, and the last two, numbers 1 and 2: 1 leads 2, and 0 one that
 * has no number, so that it is not reduced. */
static void of_a_kernel(void **state)
{
    (void)state;
    static const struct lanescope_site sites[] = {SITE(LOAD, 1, 4, 4), SITE(LOAD, 1, 8, 8),
                                                  SITE(LOAD, 1, 8, 8), SITE(LOAD, 1, 8, 8),
                                                  SITE(LOAD, 1, 2, 2), SITE(LOAD, 1, 1, 1)};
    static const struct ls_site_lead lead[] = {{0, 2, 4}, {4, 5, 6}};
    static const uint32_t first[] = {0, 1, 1, 1, 1, 2, 2};
    static const struct lanescope_pass whole = {0, 0, 4, 1};
    struct lanescope_isa isa[6] = {0};
    struct ls_plan_sites of = {sites, NULL, NULL, {NULL, NULL}, {.n = 3, .shared = 1, .skip = 3}};
    struct planned p;
    p.plan = ls_plan_make("gfx90a", 64, &of, &p.bytes);
    assert_non_null(p.plan);
    assert_int_equal(p.plan->n_sites, 3);
    for (uint32_t i = 0; i < 3; i++) {
        check(pass(&p, i, 1, 0), 0, i == 0 ? 4 : i == 1 ? 2 : 1, LS_PLAN_GLOBAL);
        assert_int_equal(pass(&p, i, 1, 0)->site, i);
    }
    isa[5] = (struct lanescope_isa){LANESCOPE_ISA_VECTOR, 1, &whole}; /* 4 bytes, which were not reduced */
    of.isa = isa;
    assert_int_equal(ls_plan_missing(p.plan, &of), 1);
    free(p.plan);
    of = (struct ls_plan_sites){sites, NULL, NULL, {lead, first}, of.numbers};
    p.plan = ls_plan_make("gfx90a", 64, &of, &p.bytes);
    assert_non_null(p.plan);
    assert_int_equal(word(&p, 0), 0);
    assert_int_equal(pass(&p, 1, 2, 0)[1].site, 2);
    assert_int_equal(pass(&p, 1, 2, 0)[1].distance, 6);
    free(p.plan);
}

static uint32_t of_one_byte(void *user, uint32_t site)
{
    (void)user, (void)site;
    return 1u << 1;
}

/* An open site of 60 bytes with instructions of one byte, flat, so that nothing is shared: 60 passes in each memory, and 4 pieces (16,
 * 16, 16, 12). A leader and 6 followers have 7 * 128 = 896, with 7 it is 1024: more than 1022. */
static void leads_many(void **state)
{
    (void)state;
    const struct ls_plan_open open = {NULL, of_one_byte};
    struct lanescope_site sites[8];
    struct ls_site_lead lead[7];
    for (uint32_t i = 0; i < 8; i++) {
        sites[i] = (struct lanescope_site)SITE(LOAD, 0, 60, 4);
        if (i)
            lead[i - 1] = (struct ls_site_lead){0, i, 64};
    }
    for (uint32_t n = 7; n <= 8; n++) {
        uint32_t first[9] = {0};
        for (uint32_t i = 1; i <= n; i++)
            first[i] = n - 1;
        size_t bytes;
        struct planned p;
        const struct ls_plan_sites of = {sites, NULL, &open, {lead, first}, {.n = n}};
        p.plan = ls_plan_make("gfx90a", 64, &of, &bytes);
        assert_non_null(p.plan);
        assert_int_equal(p.plan->n_passes, n == 7 ? 896 : 0);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(word(&p, i) != 0, n == 7);
        free(p.plan);
    }
}

/* Not joined: pieces of 16 bytes and the rest; in LDS aligned to 8 only, 8 instead of 16. Flat: both
 * memories. */
static void pieces(void **state)
{
    (void)state;
    static const struct lanescope_site sites[] = {SITE(LOAD, 1, 20, 4),
                                                  SITE(LOAD, 3, 24, 8),
                                                  SITE(STORE, 0, 8, 8),
                                                  SITE(LDS_DMA_READ, 1, 4, 4),
                                                  SITE(BLOCK, 0, 0, 0),
                                                  SITE(LOAD, 5, 4, 4),
                                                  {.kind = LS_SITE_LOAD, .space = 1, .bytes = 4}};
    struct planned p = make("gfx90a", sites, 7, NULL, NULL);
    check(pass(&p, 0, 2, 0), 0, 16, LS_PLAN_GLOBAL);
    check(pass(&p, 0, 2, 1), 16, 4, LS_PLAN_GLOBAL);
    check(pass(&p, 1, 1, 0), 0, 8, LS_PLAN_LDS); /* 24 and 16 bytes are left: 8 of them; then 8 are */
    check_shared(&p, 1, 1, 2, (const struct shared[]){{1, 8}, {1, 16}});
    check(pass(&p, 2, 2, 0), 0, 8, LS_PLAN_GLOBAL | LS_PLAN_FLAT);
    check(pass(&p, 2, 2, 1), 0, 8, LS_PLAN_LDS | LS_PLAN_FLAT);
    check(pass(&p, 3, 1, 0), 0, 4, LS_PLAN_GLOBAL);
    for (uint32_t i = 4; i < 7; i++) /* no access, private memory, not observed */
        assert_int_equal(word(&p, i), 0);
    free(p.plan);
    p = make("gfx906", sites, 2, NULL, NULL); /* no model: nothing to be reduced, nothing to be sent */
    assert_int_equal(p.plan->n_passes, 0);
    assert_int_equal(LS_PLAN_NUMBER(word(&p, 0)), 0);
    free(p.plan);
}

/* Joined: the passes of the instructions. A pair: 4 bytes at 0 and at 36; a scalar load: nothing. */
static void joined(void **state)
{
    (void)state;
    static const struct lanescope_site sites[] = {SITE(LOAD, 3, 4, 4), SITE(LOAD, 1, 4, 4),
                                                  SITE(LOAD, 1, 8, 4)};
    static const struct lanescope_pass pair[] = {{0, 0, 4, 1}, {0, 36, 4, 0}},
                                       parts[] = {{2, 0, 4, 1}, {2, 4, 4, 1}};
    static const struct lanescope_isa isa[] = {
        {LANESCOPE_ISA_VECTOR, 2, pair}, {LANESCOPE_ISA_SCALAR, 0, NULL}, {LANESCOPE_ISA_VECTOR, 2, parts}};
    struct planned p = make("gfx90a", sites, 3, isa, NULL);
    check(pass(&p, 0, 1, 0), 0, 4, LS_PLAN_LDS);
    check_shared(&p, 0, 1, 1, (const struct shared[]){{0, 36}});
    assert_true(word(&p, 1) != 0 && LS_PLAN_NUMBER(word(&p, 1)) == 0);
    check(pass(&p, 2, 2, 1), 4, 4, LS_PLAN_GLOBAL);
    struct ls_plan_sites of = {sites, isa, NULL, {NULL, NULL}, {.n = 3}};
    assert_int_equal(ls_plan_missing(p.plan, &of), 0);
    free(p.plan);
    p = make("gfx90a", sites, 3, NULL, NULL);
    /* the first site has no pass at 36, the third one of 8 bytes */
    assert_int_equal(ls_plan_missing(p.plan, &of), 2);
    /* the sums of the first one are of all lanes */
    static const struct lanescope_isa one_lane[] = {{LANESCOPE_ISA_ONE_LANE, 1, pair}, {0}, {0}};
    of.isa = one_lane;
    assert_int_equal(ls_plan_missing(p.plan, &of), 1);
    free(p.plan);
}

static uint32_t widths(void *user, uint32_t site)
{
    return ((const uint32_t *)user)[site];
}

/* Open: instructions of 4 and 8 bytes may begin at each dword of 8 bytes, and the piece is one of these.
 * Bytes of a flat access of 64: 64 places in each memory, and the four pieces. */
static void open_sites(void **state)
{
    (void)state;
    static const struct lanescope_site sites[] = {SITE(LOAD, 1, 8, 4), SITE(LOAD, 0, 64, 4),
                                                  SITE(LOAD, 1, 4, 4)};
    uint32_t bits[] = {1 | 1u << 4 | 1u << 8, 1 | 1u << 1, 0};
    const struct ls_plan_open open = {bits, widths};
    struct planned p = make("gfx90a", sites, 3, NULL, &open);
    check(pass(&p, 0, 4, 0), 0, 4, LS_PLAN_GLOBAL);
    check(pass(&p, 0, 4, 1), 4, 4, LS_PLAN_GLOBAL);
    check(pass(&p, 0, 4, 2), 0, 8, LS_PLAN_GLOBAL);
    check(pass(&p, 0, 4, 3), 4, 8, LS_PLAN_GLOBAL);
    check(pass(&p, 1, 2 * (64 + 4), 127), 63, 1, LS_PLAN_LDS | LS_PLAN_FLAT);
    check(pass(&p, 2, 1, 0), 0, 4, LS_PLAN_GLOBAL);
    free(p.plan);
}

/* Long: the first piece and the others; in LDS, aligned to 8, by width. Groups of gfx90a's writes: 2, 4,
 * 8, 8. */
static void long_accesses(void **state)
{
    (void)state;
    static const struct lanescope_site sites[] = {SITE(COPY_READ, 1, 0, 1), SITE(COPY_WRITE, 3, 100, 8),
                                                  SITE(COPY_READ, 1, 64, 1)};
    static const uint8_t groups[] = {2, 4, 8, 8};
    struct planned p = make("gfx90a", sites, 3, NULL, NULL);
    for (unsigned i = 0; i < 2; i++) {
        check(pass(&p, 0, 2, i), i * 16, 16, LS_PLAN_GLOBAL);
        assert_int_equal(pass(&p, 0, 2, i)->walk, 16);
        assert_int_equal(pass(&p, 0, 2, i)->length, 0);
    }
    for (unsigned i = 0; i < 8; i++) {
        const struct ls_plan_pass *x = pass(&p, 1, 8, i);
        check(x, i / 4 * 16, (i % 4 + 1) * 4, LS_PLAN_LDS);
        assert_int_equal(x->walk, 8);
        assert_int_equal(x->length, 100);
        assert_int_equal(x->groups, groups[i % 4]);
    }
    assert_true(word(&p, 0) & LS_PLAN_LONG_SITE && word(&p, 1) & LS_PLAN_LONG_SITE);
    assert_false(word(&p, 2) & LS_PLAN_LONG_SITE);
    assert_int_equal(pass(&p, 2, 4, 3)->walk, 0);
    free(p.plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lane_groups),  cmocka_unit_test(simple_sites), cmocka_unit_test(pieces),
        cmocka_unit_test(leads_others), cmocka_unit_test(leads_many),   cmocka_unit_test(shared_costs),
        cmocka_unit_test(flat_costs),   cmocka_unit_test(of_a_kernel),  cmocka_unit_test(joined),
        cmocka_unit_test(open_sites),   cmocka_unit_test(long_accesses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
