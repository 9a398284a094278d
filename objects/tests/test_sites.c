/* The site table's reader: a good table is read exactly, a damaged one is refused or read within bounds. */
#include "tests/check.h"
#include "objects/sites.h"

/* One block: kernel "k" with clone, two frames (7:3 in helper, inlined at 9:5 in k), three sites. */
struct block {
    struct ls_sites h;
    struct ls_site_kernel kernels[1];
    struct ls_site sites[3];
    struct ls_site_frame frames[2];
    char strings[64];
};
/* Offsets in the strings:
 * "" 0, "k" 1, "__ls_k_k" 3, "a.hip" 12, "helper" 18, "load" 25, "gfx90a" 30, end 37 */
static const char strings[] = "\0k\0__ls_k_k\0a.hip\0helper\0load\0gfx90a";

static struct block good(void)
{
    struct block b = {.h = {.magic = LS_SITES_MAGIC,
                            .version = LS_SITES_VERSION,
                            .bytes = sizeof b,
                            .module_hash = 0xabcdef,
                            .llvm_major = 22,
                            .wire_version = 1,
                            .kernels = offsetof(struct block, kernels),
                            .n_kernels = 1,
                            .sites = offsetof(struct block, sites),
                            .n_sites = 3,
                            .frames = offsetof(struct block, frames),
                            .n_frames = 2,
                            .strings = offsetof(struct block, strings),
                            .n_strings = sizeof strings,
                            .target = 30}};
    b.kernels[0] = (struct ls_site_kernel){.name = 1, .clone = 3, .ctx_offset = 40, .file = 12, .line = 9};
    b.sites[0] = (struct ls_site){.frame = 0,
                                  .kernel = 0,
                                  .kind = LS_SITE_LOAD,
                                  .space = 1,
                                  .align = 4,
                                  .bytes = 4,
                                  .flags = LS_SITE_OBSERVED,
                                  .function = 1,
                                  .instruction = 25};
    b.sites[1] = (struct ls_site){.frame = 1,
                                  .kernel = 0,
                                  .kind = LS_SITE_STORE,
                                  .space = 3,
                                  .bytes = 16,
                                  .function = 1,
                                  .instruction = 25};
    b.sites[2] = (struct ls_site){.frame = LS_NONE,
                                  .kernel = LS_NONE,
                                  .kind = LS_SITE_IMAGE,
                                  .reason = LS_REASON_IMAGE,
                                  .function = 18,
                                  .instruction = 25};
    b.frames[0] =
        (struct ls_site_frame){.file = 12, .line = 7, .column = 3, .function = 18, .parent = 1, .origin = 2};
    b.frames[1] =
        (struct ls_site_frame){.file = 12, .line = 9, .column = 5, .function = 1, .parent = LS_NONE};
    memcpy(b.strings, strings, sizeof strings);
    return b;
}
_Static_assert(sizeof(struct block) % 8 == 0, "blocks are multiples of 8");

/* Site 0 is of a function that kernels share, 1 and 2 are the kernel's. Where its sites stand apart, those that follow one
 * another last have numbers; a shared one behind a kernel's has none. */
static void numbers(void **state)
{
    (void)state;
    static const struct {
        uint32_t kernel[3];
        struct ls_site_numbers want;
    } all[] = {{{LS_NONE, 0, 0}, {3, 1, 0}},
               {{0, 0, 0}, {3, 0, 0}},
               {{0, 0, LS_NONE}, {2, 0, 0}},
               {{0, LS_NONE, 0}, {1, 0, 2}},
               {{LS_NONE, LS_NONE, LS_NONE}, {3, 3, 0}}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        struct block b = good();
        struct ls_module *m = NULL;
        size_t n = 0;
        const char *why;
        for (unsigned k = 0; k < 3; k++)
            b.sites[k].kernel = all[i].kernel[k];
        assert_int_equal(ls_sites_parse(&b, sizeof b, &m, &n, &why), 0);
        assert_memory_equal(&m->kernels[0].numbers, &all[i].want, sizeof all[i].want);
        ls_sites_free(m, n);
    }
    /* two shared, then one that another kernel has, then this one's three */
    const struct ls_site_numbers x = {.n = 5, .shared = 2, .skip = 1};
    for (uint32_t number = 0; number < x.n; number++)
        assert_int_equal(ls_number_of_site(&x, ls_site_of_number(&x, number)), number);
    assert_int_equal(ls_site_of_number(&x, 2), 3);
    assert_int_equal(ls_number_of_site(&x, 2), LS_NONE);
    assert_int_equal(ls_number_of_site(&x, 6), LS_NONE);
}

static void reads(void **state)
{
    (void)state;
    struct block b = good();
    struct ls_module *m = NULL;
    size_t n = 0;
    const char *why;
    assert_int_equal(ls_sites_parse(&b, sizeof b, &m, &n, &why), 0);
    memset(&b, 0xff, sizeof b); /* the section's memory is not needed any more */
    assert_int_equal(n, 1);
    assert_string_equal(m->target, "gfx90a");
    assert_int_equal(m->n_kernels, 1);
    assert_string_equal(m->kernels[0].name, "k");
    assert_string_equal(m->kernels[0].clone, "__ls_k_k");
    assert_int_equal(m->kernels[0].ctx_offset, 40);
    assert_int_equal(m->n_sites, 3);
    const struct lanescope_site *s = m->sites;
    assert_int_equal(s[0].n_frames, 2);
    assert_int_equal(s[0].frames[0].line, 7);
    assert_string_equal(s[0].frames[0].function, "helper");
    assert_int_equal(s[0].frames[1].line, 9);
    assert_int_equal(m->origins[s[0].frames - m->frames], 2); /* a system header's */
    assert_int_equal(m->origins[s[0].frames - m->frames + 1], 0);
    assert_int_equal(s[0].frames[1].column, 5);
    assert_string_equal(s[0].frames[1].file, "a.hip");
    assert_int_equal(s[1].n_frames, 1);
    assert_int_equal(s[1].space, 3);
    assert_int_equal(s[1].bytes, 16);
    assert_int_equal(s[2].n_frames, 0);
    assert_int_equal(m->raw[2].reason, LS_REASON_IMAGE);
    assert_string_equal(m->functions[2], "helper");
    assert_string_equal(s[2].instruction, "load");
    ls_sites_free(m, n);
}

static void several_blocks(void **state)
{
    (void)state;
    struct {
        struct block a;
        uint64_t padding[3];
        struct block b;
        uint64_t tail;
    } s = {good(), {0}, good(), 0};
    struct ls_module *m = NULL;
    size_t n = 0;
    const char *why;
    s.b.h.module_hash = 2;
    assert_int_equal(ls_sites_parse(&s, sizeof s, &m, &n, &why), 0);
    assert_int_equal(n, 2);
    assert_int_equal(m[0].hash, 0xabcdef);
    assert_int_equal(m[1].hash, 2);
    ls_sites_free(m, n);
    assert_int_equal(ls_sites_parse(&s, 0, &m, &n, &why), 0);
    assert_int_equal(n, 0);
    ls_sites_free(m, n);
}

/* The same with what newer compilers write behind the head: site 1 is in `a[][4]`, whose elements are "k";
 * two branches, the inner one, at 7:3, around site 0. */
struct newer {
    struct ls_sites h;
    struct ls_sites_more more;
    struct block old; /* without its head */
    struct ls_site_detail details[4];
    struct ls_site_variable variables[1];
    struct ls_site_branch branches[2];
    struct ls_site_part parts[3];
};
_Static_assert(sizeof(struct newer) % 8 == 0, "blocks are multiples of 8");

static struct newer good_newer(void)
{
    struct newer b = {.old = good()};
    const uint32_t moved = offsetof(struct newer, old);
    b.h = b.old.h;
    b.h.bytes = sizeof b;
    b.h.kernels += moved;
    b.h.sites += moved;
    b.h.frames += moved;
    b.h.strings += moved;
    b.more = (struct ls_sites_more){.details = offsetof(struct newer, details),
                                    .variables = offsetof(struct newer, variables),
                                    .n_variables = 1,
                                    .branches = offsetof(struct newer, branches),
                                    .n_branches = 2,
                                    .parts = offsetof(struct newer, parts),
                                    .n_parts = 3};
    b.details[0].branch = 2;
    b.details[1].variable = 1;
    b.variables[0] = (struct ls_site_variable){.name = 18,
                                               .type = 1,
                                               .element = 12,
                                               .n_dimensions = 2,
                                               .dimension = {0, 4},
                                               .flags = LS_VARIABLE_STRUCTURE};
    b.parts[0] = (struct ls_site_part){0, 1};
    b.parts[1] = (struct ls_site_part){1, 0};
    b.parts[2] = (struct ls_site_part){1, 1};
    b.old.sites[1].flags |= LS_SITE_BORROWED;
    b.branches[0].frame = LS_NONE;
    b.branches[1] = (struct ls_site_branch){.frame = 0, .outer = 1, .flags = LS_BRANCH_LOOP};
    return b;
}

/* Frame 0 is 7:3, inlined at frame 1, which is 9:5. Site 0 keeps its place; nothing stands at that of site 1. */
static void reads_parts(void **state)
{
    (void)state;
    struct newer b = good_newer();
    struct ls_module *m = NULL;
    size_t n = 0;
    const char *why;
    assert_int_equal(ls_sites_parse(&b, sizeof b, &m, &n, &why), 0);
    assert_int_equal(m->n_parts, 3);
    assert_int_equal(m->parts[0].site, 0);
    assert_int_equal(m->parts[0].n_frames, 1);
    assert_int_equal(m->parts[0].frames[0].line, 9);
    assert_int_equal(m->parts[1].n_frames, 2);
    assert_int_equal(m->parts[1].frames[0].line, 7);
    assert_int_equal(m->sites[1].frames[0].line, 9);
    assert_int_equal(ls_sites_told(m)[0].frames[0].line, 7);
    assert_int_equal(ls_sites_told(m)[1].frames[0].line, 7);
    assert_int_equal(ls_sites_told(m)[1].n_frames, 2);
    ls_sites_free(m, n);
    /* A table of a compiler that wrote none: its first array stands where they are. */
    b.h.kernels = offsetof(struct newer, more.parts);
    b.h.n_kernels = 0;
    for (unsigned i = 0; i < 3; i++)
        b.old.sites[i].kernel = LS_NONE;
    assert_int_equal(ls_sites_parse(&b, sizeof b, &m, &n, &why), 0);
    assert_int_equal(m->n_parts, 0);
    assert_ptr_equal(ls_sites_told(m), m->sites);
    assert_non_null(m->details);
    ls_sites_free(m, n);
}

static void reads_details(void **state)
{
    (void)state;
    struct newer b = good_newer();
    struct ls_module *m = NULL;
    size_t n = 0;
    const char *why;
    assert_int_equal(ls_sites_parse(&b, sizeof b, &m, &n, &why), 0);
    memset(&b, 0xff, sizeof b);
    assert_int_equal(m->n_sites, 3);
    const struct lanescope_branch *inner = m->details[0].branch;
    assert_int_equal(inner->where->line, 7);
    assert_string_equal(inner->where->file, "a.hip");
    assert_int_equal(inner->loop, 1);
    assert_int_equal(inner->outer->where->line, 0);
    assert_null(inner->outer->outer);
    assert_null(m->details[0].variable);
    const struct lanescope_variable *v = m->details[1].variable;
    assert_string_equal(v->name, "helper");
    assert_string_equal(v->type, "k");
    assert_int_equal(v->element, 12);
    assert_int_equal(v->structure, 1);
    assert_int_equal(v->n_dimensions, 2);
    assert_int_equal(v->dimension[0], 0);
    assert_int_equal(v->dimension[1], 4);
    assert_null(m->details[2].branch);
    ls_sites_free(m, n);
}

static void refuse_newer(const struct newer *b, const char *what)
{
    struct ls_module *m = NULL;
    size_t n = 7;
    const char *why = NULL;
    if (ls_sites_parse(b, sizeof *b, &m, &n, &why) != -1)
        fail_msg("accepted: %s", what);
    assert_non_null(why);
}

#define REFUSE_NEWER(change)                                                                                 \
    do {                                                                                                     \
        struct newer b = good_newer();                                                                       \
        change;                                                                                              \
        refuse_newer(&b, #change);                                                                           \
    } while (0)

static void refuses_details(void **state)
{
    (void)state;
    REFUSE_NEWER(b.more.details = sizeof b - 8);
    REFUSE_NEWER(b.more.variables = UINT32_MAX);
    REFUSE_NEWER(b.more.n_variables = 1u << 30);
    REFUSE_NEWER(b.more.n_branches = 4);
    REFUSE_NEWER(b.details[0].branch = 3);
    REFUSE_NEWER(b.details[2].variable = 2);
    REFUSE_NEWER(b.variables[0].name = sizeof strings);
    REFUSE_NEWER(b.variables[0].type = UINT32_MAX);
    REFUSE_NEWER(b.variables[0].element = 0);
    REFUSE_NEWER(b.variables[0].n_dimensions = 5);
    REFUSE_NEWER(b.branches[0].outer = 1); /* a circle */
    REFUSE_NEWER(b.branches[1].outer = 2);
    REFUSE_NEWER(b.branches[1].frame = 2);
    REFUSE_NEWER(b.parts[2].site = 3);
    REFUSE_NEWER(b.parts[0].frame = 2);
    REFUSE_NEWER(b.parts[0].frame = LS_NONE);
    REFUSE_NEWER(b.parts[2].site = 0); /* out of order */
    REFUSE_NEWER(b.more.n_parts = UINT32_MAX);
    REFUSE_NEWER(b.more.parts = UINT32_MAX);
}

/* With probes that several sites share: all are loads of 8 bytes of global memory, of which the first leads. */
struct sharing {
    struct newer newer;
    struct ls_sites_shared shared;
    struct ls_site_lead leads[2];
};
_Static_assert(sizeof(struct sharing) % 8 == 0, "blocks are multiples of 8");

static struct sharing good_sharing(void)
{
    struct sharing b = {.newer = good_newer()};
    b.newer.h.bytes = sizeof b;
    b.newer.more.shared = offsetof(struct sharing, shared);
    b.shared = (struct ls_sites_shared){offsetof(struct sharing, leads), 2};
    b.leads[0] = (struct ls_site_lead){0, 1, 12};
    b.leads[1] = (struct ls_site_lead){0, 2, -8};
    for (unsigned i = 0; i < 3; i++) {
        struct ls_site *s = &b.newer.old.sites[i];
        s->kind = LS_SITE_LOAD;
        s->space = 1;
        s->bytes = 8;
        s->flags = LS_SITE_OBSERVED;
    }
    return b;
}

static void reads_leads(void **state)
{
    (void)state;
    struct sharing b = good_sharing();
    struct ls_module *m = NULL;
    size_t n = 0;
    const char *why;
    assert_int_equal(ls_sites_parse(&b, sizeof b, &m, &n, &why), 0);
    memset(&b, 0xff, sizeof b);
    assert_int_equal(m->first_lead[0], 0);
    assert_int_equal(m->first_lead[1], 2);
    assert_int_equal(m->first_lead[2], 2);
    assert_int_equal(m->first_lead[3], 2);
    assert_int_equal(m->leads[0].follower, 1);
    assert_int_equal(m->leads[0].distance, 12);
    assert_int_equal(m->leads[1].follower, 2);
    assert_int_equal(m->leads[1].distance, -8);
    ls_sites_free(m, n);
    struct newer older = good_newer(); /* a table of an older compiler */
    assert_int_equal(ls_sites_parse(&older, sizeof older, &m, &n, &why), 0);
    assert_null(m->first_lead);
    ls_sites_free(m, n);
}

static void refuse_leads(const struct sharing *b, const char *what)
{
    struct ls_module *m = NULL;
    size_t n = 7;
    const char *why = NULL;
    if (ls_sites_parse(b, sizeof *b, &m, &n, &why) != -1)
        fail_msg("accepted: %s", what);
    assert_non_null(why);
}

#define REFUSE_LEADS(change)                                                                                 \
    do {                                                                                                     \
        struct sharing b = good_sharing();                                                                   \
        struct ls_site_lead *lead = b.leads;                                                                 \
        struct ls_site *site = b.newer.old.sites;                                                            \
        (void)lead, (void)site;                                                                              \
        change;                                                                                              \
        refuse_leads(&b, #change);                                                                           \
    } while (0)

static void refuses_leads(void **state)
{
    (void)state;
    REFUSE_LEADS(b.newer.more.shared = sizeof b - 4);
    REFUSE_LEADS(b.newer.more.shared = 8);
    REFUSE_LEADS(b.newer.more.shared = UINT32_MAX);
    REFUSE_LEADS(b.shared.leads = sizeof b - 12);
    REFUSE_LEADS(b.shared.leads = 4);
    REFUSE_LEADS(b.shared.n_leads = 0x15555556); /* times 12 is 2^32 + 8 */
    REFUSE_LEADS(lead[1].follower = 3);
    REFUSE_LEADS(lead[1].leader = UINT32_MAX);
    REFUSE_LEADS(lead[0].follower = 0);                         /* itself */
    REFUSE_LEADS((lead[1].leader = 1, lead[1].follower = 0));   /* one before it */
    REFUSE_LEADS(lead[1].follower = 1);                         /* twice */
    REFUSE_LEADS((lead[0].follower = 2, lead[1].follower = 1)); /* not in order */
    REFUSE_LEADS(lead[1].leader = 1);                           /* a chain */
    REFUSE_LEADS((lead[0].follower = 2, lead[1].leader = 1));   /* two leaders */
    REFUSE_LEADS(site[1].space = 3);
    REFUSE_LEADS((site[1].flags = 0, site[1].reason = LS_REASON_FILTERED));
    REFUSE_LEADS(site[0].flags = 0);
    REFUSE_LEADS(site[2].kind = LS_SITE_BLOCK);
    REFUSE_LEADS(site[2].bytes = 0);
    REFUSE_LEADS(site[0].bytes = 65);
    /* no LDS has more than 256 KiB */
    REFUSE_LEADS((site[0].space = site[1].space = site[2].space = 3, lead[0].distance = (256 << 10) + 1));
    REFUSE_LEADS((site[0].space = site[1].space = site[2].space = 3, lead[1].distance = -(256 << 10) - 1));
}

static void refuse(const struct block *b, size_t bytes, const char *what)
{
    struct ls_module *m = NULL;
    size_t n = 7;
    const char *why = NULL;
    if (ls_sites_parse(b, bytes, &m, &n, &why) != -1)
        fail_msg("accepted: %s", what);
    assert_non_null(why);
    assert_int_equal(n, 0);
}

#define REFUSE(change)                                                                                       \
    do {                                                                                                     \
        struct block b = good();                                                                             \
        change;                                                                                              \
        refuse(&b, sizeof b, #change);                                                                       \
    } while (0)

static void refuses(void **state)
{
    (void)state;
    REFUSE(b.h.magic ^= 1);
    REFUSE(b.h.version = LS_SITES_VERSION + 1);
    REFUSE(b.h.bytes -= 4);
    REFUSE(b.h.bytes += 8);
    REFUSE(b.h.bytes = 0);
    REFUSE(b.h.kernels = 0);
    REFUSE(b.h.kernels = UINT32_MAX);
    REFUSE(b.h.kernels += 2);
    REFUSE(b.h.n_kernels = UINT32_MAX);
    REFUSE(b.h.n_sites = 1u << 27); /* times 32 is 2^32 */
    REFUSE(b.h.frames = sizeof b - 8);
    REFUSE(b.h.strings = sizeof b + 8);
    REFUSE(b.h.n_strings = 0);
    REFUSE(b.h.n_strings = sizeof b.strings + 1);
    REFUSE(b.h.n_strings -= 1); /* cuts the last string's end */
    REFUSE(b.strings[0] = 'x'); /* offset 0 is the empty string */
    REFUSE(b.h.target = sizeof strings);
    REFUSE(b.kernels[0].name = sizeof strings);
    REFUSE(b.kernels[0].name = 0);
    REFUSE(b.kernels[0].clone = 0);
    REFUSE(b.kernels[0].ctx_offset = 36);
    REFUSE(b.kernels[0].ctx_offset = 0xfffffff8);
    REFUSE(b.sites[0].frame = 2);
    REFUSE(b.sites[0].kernel = 1);
    REFUSE(b.sites[0].kind = 0);
    REFUSE(b.sites[0].kind = 14);
    REFUSE(b.sites[1].function = sizeof strings);
    REFUSE(b.sites[1].instruction = UINT32_MAX);
    REFUSE(b.frames[0].file = sizeof strings);
    REFUSE(b.frames[1].parent = 2);
    REFUSE(b.frames[1].parent = 0); /* a circle */
    REFUSE(b.frames[0].parent = 0);
    struct block b = good();
    for (size_t bytes = 8; bytes < sizeof b; bytes += 4)
        refuse(&b, bytes, "cut off");
}

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

/* What is accepted must be readable to its last byte: the sanitizers watch. */
static void walk(const struct ls_module *m, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < m[i].n_kernels; k++)
            sum +=
                strlen(m[i].kernels[k].name) + strlen(m[i].kernels[k].clone) + strlen(m[i].kernels[k].file);
        for (uint32_t s = 0; s < m[i].n_sites; s++) {
            sum += strlen(m[i].sites[s].instruction) + strlen(m[i].functions[s]) + m[i].raw[s].reason;
            for (uint32_t f = 0; f < m[i].sites[s].n_frames; f++)
                sum += strlen(m[i].sites[s].frames[f].file) + strlen(m[i].sites[s].frames[f].function);
        }
    }
    assert_true(sum < SIZE_MAX);
}

static void mutations(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252ull;
    unsigned accepted = 0;
    for (int round = 0; round < 200000; round++) {
        struct block b[2] = {good(), good()};
        unsigned changes = 1 + (unsigned)(next_random(&seed) % 4);
        for (unsigned i = 0; i < changes; i++) {
            uint64_t r = next_random(&seed);
            unsigned char *p = (unsigned char *)b + r % sizeof b;
            *p = r >> 60 & 1 ? (unsigned char)(r >> 32) : (unsigned char)(*p ^ 1u << (r >> 40 & 7));
        }
        size_t bytes = next_random(&seed) % 8 ? sizeof b : next_random(&seed) % sizeof b;
        /* On the heap, at its exact size, so that reading behind it is caught. */
        unsigned char *copy = malloc(bytes ? bytes : 1);
        struct ls_module *m = NULL;
        size_t n = 0;
        const char *why = NULL;
        memcpy(copy, b, bytes);
        int rc = ls_sites_parse(copy, bytes, &m, &n, &why);
        free(copy);
        assert_true(rc == 0 || (rc == -1 && why));
        if (rc == 0) {
            accepted++;
            walk(m, n);
            ls_sites_free(m, n);
        }
    }
    assert_true(accepted > 1000); /* changed lines and columns are nobody's damage */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers),        cmocka_unit_test(reads),
                                       cmocka_unit_test(several_blocks), cmocka_unit_test(reads_parts),
                                       cmocka_unit_test(reads_details),  cmocka_unit_test(refuses_details),
                                       cmocka_unit_test(reads_leads),    cmocka_unit_test(refuses_leads),
                                       cmocka_unit_test(refuses),        cmocka_unit_test(mutations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
