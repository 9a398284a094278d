/*
 * bulk.c (test) - dispatches done as a whole against the interpreter: the same memory, the same counters, the
 * same faults; and the formulas behind it against counting them out. Arguments: directory of bulk-<arch>.co
 * and bulk-random-<arch>.co, and each <arch>.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "soft-gpu/isa/bulk/bulk_value.h"
#include "../loader.h"

static const char *directory;
static char **arches; /* NULL behind the last */

/* ---- Formulas ---- */

static uint64_t random_state = 1;

static uint64_t random64(void)
{
    uint64_t x = (random_state += 0x9E3779B97F4A7C15ull);
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return x ^ x >> 31;
}

static struct sg_affine random_affine(unsigned axes)
{
    static const uint64_t bases[] = {0, 5, 0xfffffff0, 0xffffffffffffff00, 0x7fffffc0, 0x7fffffffffffffc0};
    struct sg_affine x = {.base = bases[random64() % 6] + random64() % 64};
    for (unsigned i = 0; i < axes; i++) {
        x.per_group[i] = (int64_t)(random64() % 41) - 20;
        x.per_item[i] = (int64_t)(random64() % 9) - 4;
        if (random64() % 2)
            x.per_group[i] = x.per_item[i] * 8;
        if (random64() % 3 == 0)
            x.per_group[i] = x.per_item[i] = 0;
    }
    return x;
}

static bool related(__int128 a, __int128 b, enum sg_relation relation)
{
    switch (relation) {
    case SG_LT:
        return a < b;
    case SG_LE:
        return a <= b;
    case SG_GE:
        return a >= b;
    case SG_GT:
        return a > b;
    default: /* SG_NE answers where they are equal */
        return a == b;
    }
}

static __int128 number(uint64_t x, unsigned bits, bool is_signed)
{
    if (bits == 32)
        return is_signed ? (__int128)(int32_t)x : (__int128)(uint32_t)x;
    return is_signed ? (__int128)(int64_t)x : (__int128)x;
}

/* Calls `see` for each work-item of a box. */
static void each_item(struct sg_items in, void (*see)(const uint64_t t[SG_AXES], void *user), void *user)
{
    uint64_t t[SG_AXES];
    for (t[2] = in.from[2]; t[2] < in.to[2]; t[2]++)
        for (t[1] = in.from[1]; t[1] < in.to[1]; t[1]++)
            for (t[0] = in.from[0]; t[0] < in.to[0]; t[0]++)
                see(t, user);
}

static const uint32_t groups_of_8[SG_AXES] = {8, 4, 2};

static __int128 exact_at(const struct sg_exact *x, const uint64_t t[SG_AXES])
{
    __int128 sum = x->base;
    for (unsigned i = 0; i < SG_AXES; i++)
        sum += (__int128)x->per_group[i] * (int)(t[i] / groups_of_8[i]) +
               (__int128)x->per_item[i] * (int)(t[i] % groups_of_8[i]);
    return sum;
}

struct formula {
    struct sg_affine x, y;
    struct sg_exact a;
    unsigned bits;
    bool is_signed;
    enum sg_relation relation;
    struct sg_items got;
    struct sg_affine field;
    unsigned shift, width;
};

static void check_exact(const uint64_t t[SG_AXES], void *user)
{
    const struct formula *f = user;
    __int128 n = number(sg_affine_at(f->x, t, groups_of_8), f->bits, f->is_signed);
    assert_true(n == exact_at(&f->a, t) && n >= f->a.least && n <= f->a.most);
}

static void check_relation(const uint64_t t[SG_AXES], void *user)
{
    const struct formula *f = user;
    bool is = related(number(sg_affine_at(f->x, t, groups_of_8), f->bits, f->is_signed),
                      number(sg_affine_at(f->y, t, groups_of_8), f->bits, f->is_signed), f->relation);
    bool in = true;
    for (unsigned i = 0; i < SG_AXES; i++)
        in &= t[i] >= f->got.from[i] && t[i] < f->got.to[i];
    assert_int_equal(is, in);
}

static void check_field(const uint64_t t[SG_AXES], void *user)
{
    const struct formula *f = user;
    uint64_t n = sg_affine_at(f->x, t, groups_of_8) >> f->shift & ((1ull << f->width) - 1);
    assert_int_equal(n, sg_affine_at(f->field, t, groups_of_8));
}

static struct sg_items random_box(unsigned axes)
{
    struct sg_items in = {{0}, {1, 1, 1}};
    for (unsigned i = 0; i < axes; i++) {
        in.from[i] = random64() % (60 >> 2 * i);
        in.to[i] = in.from[i] + 1 + random64() % (40 >> 2 * i);
    }
    return in;
}

/* Work-groups of 8 x 4 x 2, up to 100 x 25 x 5 work-items: each formula is the number that counting gives,
 * within its range. */
static void test_formulas(void **state)
{
    (void)state;
    enum { ROUNDS = 20000 };
    unsigned exact = 0, compared = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned axes = 1 + round % 3;
        struct formula f = {.x = random_affine(axes), .y = random_affine(axes)};
        struct sg_items in = random_box(axes);
        f.bits = random64() % 2 ? 64 : 32;
        f.is_signed = random64() % 2;
        f.relation = (enum sg_relation)(random64() % 6);
        struct sg_exact b;
        if (!sg_affine_exact(f.x, in, groups_of_8, f.bits, f.is_signed, &f.a) ||
            !sg_affine_exact(f.y, in, groups_of_8, f.bits, f.is_signed, &b))
            continue;
        exact++;
        each_item(in, check_exact, &f);
        if (!sg_exact_compare(&f.a, &b, f.relation, in, groups_of_8, &f.got))
            continue;
        compared++;
        each_item(in, check_relation, &f);
    }
    print_message("%u exact, %u compared\n", exact, compared);
    assert_true(exact > ROUNDS / 4 && compared > ROUNDS / 8);
}

/* Fields of packed ids, as of v0 on gfx90a, and of random sums of multiples of powers of two. */
static void test_fields(void **state)
{
    (void)state;
    enum { ROUNDS = 20000 };
    unsigned found = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct formula f = {.x = sg_affine_const(random64() % 2 ? 0 : random64() % 5000)};
        struct sg_items in = random_box(3);
        struct sg_exact x;
        for (unsigned i = 0; i < SG_AXES; i++) {
            f.x.per_item[i] = (int64_t)(random64() % 4) << (10 * i - random64() % 2 * (i ? 1 : 0));
            if (random64() % 3 == 0)
                f.x.per_group[i] = (int64_t)(random64() % 3) << random64() % 20;
        }
        f.shift = (unsigned)(random64() % 3) * 10;
        f.width = 1 + (unsigned)(random64() % 12);
        assert_true(sg_affine_exact(f.x, in, groups_of_8, 32, false, &x));
        if (!sg_exact_field(&x, in, groups_of_8, f.shift, f.width, &f.field))
            continue;
        found++;
        each_item(in, check_field, &f);
    }
    print_message("%u fields\n", found);
    assert_true(found > ROUNDS / 8);
    /* The ids themselves: x in bits 9:0, y in 19:10, z in 29:20. */
    const struct sg_affine packed = {.per_item = {1, 1 << 10, 1 << 20}};
    const struct sg_items all = {{0}, {64, 32, 8}};
    struct sg_exact x;
    struct sg_affine y;
    assert_true(sg_affine_exact(packed, all, groups_of_8, 32, false, &x));
    for (unsigned i = 0; i < SG_AXES; i++) {
        struct sg_affine expected = {.base = 0};
        expected.per_item[i] = 1;
        assert_true(sg_exact_field(&x, all, groups_of_8, 10 * i, 10, &y));
        assert_memory_equal(&y, &expected, sizeof y);
    }
}

/* ---- Kernels ---- */

enum { BYTES = 1 << 18, N = 20000 };

struct side {
    struct sg_device *d;
    struct sg_object *o;
    uint8_t *a, *b, *to;
};

/* A device with poisoned registers and the code object NAME-ARCH.co on it. */
static void open_object(const char *name, const char *arch, uint64_t seed, bool interpret,
                        struct sg_device **d, struct sg_object **o)
{
    char path[1024], why[256];
    const char *cause;
    struct sg_engine_config c = {.arch = ls_gpu_find_emulated(arch),
                                 .threads = 2,
                                 .poison = true,
                                 .seed = seed,
                                 .interpret_all = interpret};
    *d = sg_device_create(&c, &cause);
    assert_non_null(*d);
    snprintf(path, sizeof path, "%s/%s-%s.co", directory, name, arch);
    *o = sg_object_load(*d, path, why, sizeof why);
    if (!*o)
        fail_msg("%s", why);
}

static struct side open_side(const char *arch, bool interpret)
{
    struct side s = {0};
    open_object("bulk", arch, 77, interpret, &s.d, &s.o);
    s.a = sg_device_alloc(s.d, BYTES);
    s.b = sg_device_alloc(s.d, BYTES);
    s.to = sg_device_alloc(s.d, BYTES);
    for (unsigned i = 0; i < BYTES; i++) {
        s.a[i] = (uint8_t)(i * 7 + i / 251);
        s.b[i] = (uint8_t)(i * 13 + i / 241 + 1);
        s.to[i] = (uint8_t)(i * 31 + 3);
    }
    return s;
}

/* An argument: an offset in one of the buffers, or a number. */
struct argument {
    char kind; /* 'a', 'b', 't' buffers; 'q' 64 bits, 'w' 32 bits */
    uint64_t value;
};

/* Not as a whole, and what memory holds afterwards depends on the order of the work-groups. */
enum { OVERLAP = UINT16_MAX };

struct trial {
    const char *kernel;
    uint32_t groups;
    struct argument argument[8];
    uint32_t bulk_groups; /* at least so many are done as part of a whole; 0: none must be */
};

struct shape {
    uint32_t grid[3]; /* in work-items */
    uint16_t group[3];
};

/* With a grid of more axes. */
struct rectangle {
    struct trial trial;
    struct shape shape;
};

static const struct trial trials[] = {
    {"fill_pattern", 80, {{'t', 8}, {'a', 0}, {'w', 1}, {'q', N}}, 80},
    {"fill_pattern", 40, {{'t', 16}, {'a', 24}, {'w', 3}, {'q', 10000}}, 40},
    {"fill_pattern", 40, {{'t', 16}, {'a', 24}, {'w', 0}, {'q', 10000}}, 40},
    {"fill_bytes", 100, {{'t', 3}, {'w', 0xab}, {'w', 25001}}, 100},
    {"fill_bytes", 100, {{'t', 3}, {'w', 0xab}, {'w', 25600}}, 100},
    {"fill_bytes", 100, {{'t', 3}, {'w', 0xab}, {'w', 0}}, 100},
    {"copy_words", 100, {{'a', 4}, {'t', 8}, {'q', 25003}}, 100},
    {"copy_words", 100, {{'a', 1}, {'t', 6}, {'q', 25003}}, 100},
    {"copy_words", 100, {{'t', 0}, {'t', BYTES / 2}, {'q', 25003}}, 100},
    {"copy_words", 100, {{'t', 0}, {'t', 65536}, {'q', 25003}}, OVERLAP},
    {"copy_rest", 100, {{'a', 3}, {'t', 1}, {'q', 25001}, {'w', 3}}, 99},
    {"copy_rest",
     100,
     {{'a', 3}, {'t', 1}, {'q', 24961}, {'w', 2}},
     100}, /* the last one begins a wavefront */
    {"copy_rest", 100, {{'a', 3}, {'t', 1}, {'q', 25001}, {'w', 0}}, 99},
    {"copy_loop", 20, {{'a', 0}, {'t', 0}, {'e', 200000}, {'w', 5120}, {'w', 200007}, {'w', 7}}, 20},
    {"copy_loop", 20, {{'a', 0}, {'t', 0}, {'e', 81920}, {'w', 5120}, {'w', 81920}, {'w', 0}}, 20},
    {"copy_pieces", 16, {{'a', 0}, {'t', 16}, {'w', 3}}, 16},
    {"copy_reversed", 90, {{'a', 0}, {'t', 0}, {'w', 23000}}, 90},
    {"scatter_fields", 70, {{'a', 0}, {'t', 0}, {'w', 17900}}, 70},
    {"copy_halves", 100, {{'a', 0}, {'b', 0}, {'t', 0}, {'w', 25001}, {'w', 1000}}, 99},
    {"copy_halves", 100, {{'a', 0}, {'b', 0}, {'t', 0}, {'w', 25001}, {'w', 30000}}, 100},
    {"count_up", 100, {{'t', 0}, {'w', 25001}}, 0},
    {"one_word", 100, {{'t', 0}, {'w', 99}}, 0},
    {"fill_but_one", 100, {{'t', 0}, {'w', 25001}, {'w', 40}}, 99},
    {"fill_but_one", 100, {{'t', 0}, {'w', 25001}, {'w', 1000}}, 100},
};

/* Pitches and sizes in elements: the kernel says of what. */
static const struct rectangle rectangles[] = {
    {{"fill_rect", 160, {{'t', 4}, {'w', 9}, {'q', 150}, {'q', 250}, {'q', 203}}, 160},
     {{160, 256, 1}, {16, 16, 1}}},
    {{"fill_rect", 160, {{'t', 4}, {'w', 9}, {'q', 999}, {'q', 999}, {'q', 160}}, 160},
     {{160, 256, 1}, {16, 16, 1}}},
    {{"fill_rect", 160, {{'t', 4}, {'w', 9}, {'q', 3}, {'q', 1}, {'q', 203}}, 160},
     {{160, 256, 1}, {16, 16, 1}}},
    {{"fill_rect", 160, {{'t', 4}, {'w', 9}, {'q', 0}, {'q', 9}, {'q', 203}}, 160},
     {{160, 256, 1}, {16, 16, 1}}},
    {{"fill_rect", 200, {{'t', 0}, {'w', 9}, {'q', 311}, {'q', 157}, {'q', 320}}, 200},
     {{320, 160, 1}, {64, 4, 1}}},
    {{"fill_rect", 320, {{'t', 0}, {'w', 9}, {'q', 311}, {'q', 157}, {'q', 320}}, 0},
     {{320, 160, 1}, {16, 10, 1}}}, /* the last wavefront of each has two rows */
    {{"fill_rect", 400, {{'t', 0}, {'w', 9}, {'q', 311}, {'q', 157}, {'q', 320}}, 400},
     {{320, 160, 1}, {32, 4, 1}}},
    {{"fill_rect", 160, {{'t', 0}, {'w', 9}, {'q', 511}, {'q', 120}, {'q', 515}}, 160},
     {{512, 80, 1}, {256, 1, 1}}},
    {{"fill_rect", 640, {{'t', 0}, {'w', 9}, {'q', 311}, {'q', 29}, {'q', 320}}, 640},
     {{320, 32, 1}, {16, 1, 1}}},
    {{"fill_rect", 200, {{'t', 0}, {'w', 9}, {'q', 311}, {'q', 157}, {'q', 310}}, 0},
     {{320, 160, 1}, {64, 4, 1}}},
    {{"fill_rect", 126, {{'t', 0}, {'w', 9}, {'q', 311}, {'q', 157}, {'q', 340}}, 0},
     {{336, 162, 1}, {48, 9, 1}}},
    /* Smaller work-groups at the edge: the last rows only, and the last columns. */
    {{"fill_rect", 220, {{'t', 0}, {'w', 9}, {'q', 311}, {'q', 170}, {'q', 320}}, 220},
     {{320, 170, 1}, {16, 16, 1}}},
    {{"fill_rect", 220, {{'t', 0}, {'w', 9}, {'q', 311}, {'q', 170}, {'q', 320}}, 0},
     {{310, 170, 1}, {16, 16, 1}}},
    {{"copy_rect", 400, {{'a', 3}, {'t', 1}, {'q', 333}, {'q', 401}, {'q', 301}, {'q', 311}}, 400},
     {{320, 320, 1}, {16, 16, 1}}},
    {{"copy_rect", 400, {{'a', 3}, {'t', 1}, {'q', 320}, {'q', 320}, {'q', 320}, {'q', 320}}, 400},
     {{320, 320, 1}, {16, 16, 1}}},
    /* Beside each other in the same rows; then a byte too wide; then overlapping rows. */
    {{"copy_rect", 200, {{'t', 0}, {'t', 300}, {'q', 600}, {'q', 600}, {'q', 300}, {'q', 160}}, 200},
     {{320, 160, 1}, {16, 16, 1}}},
    {{"copy_rect", 200, {{'t', 0}, {'t', 300}, {'q', 600}, {'q', 600}, {'q', 301}, {'q', 160}}, OVERLAP},
     {{320, 160, 1}, {16, 16, 1}}},
    {{"copy_rect", 200, {{'t', 0}, {'t', 1200}, {'q', 600}, {'q', 600}, {'q', 300}, {'q', 160}}, OVERLAP},
     {{320, 160, 1}, {16, 16, 1}}},
    {{"copy_box", 300, {{'a', 5}, {'t', 2}, {'q', 61}, {'q', 3111}, {'q', 57}, {'q', 41}, {'q', 19}}, 300},
     {{80, 48, 20}, {8, 8, 4}}},
    {{"copy_box", 240, {{'a', 5}, {'t', 2}, {'q', 61}, {'q', 3111}, {'q', 57}, {'q', 41}, {'q', 19}}, 240},
     {{64, 48, 20}, {16, 16, 1}}},
    {{"copy_box", 320, {{'a', 5}, {'t', 2}, {'q', 61}, {'q', 3111}, {'q', 57}, {'q', 41}, {'q', 19}}, 320},
     {{64, 40, 32}, {8, 4, 8}}},
    /* The choice of a value inside of a wavefront is left: a column of 16 work-groups and a row of 10. */
    {{"fill_around", 160, {{'t', 0}, {'w', 150}, {'w', 250}, {'w', 160}}, 135}, {{160, 256, 1}, {16, 16, 1}}},
    {{"fill_around", 160, {{'t', 0}, {'w', 64}, {'w', 64}, {'w', 160}}, 160}, {{160, 256, 1}, {16, 16, 1}}},
    {{"fill_but_row", 160, {{'t', 0}, {'w', 128}, {'w', 160}}, 150}, {{160, 256, 1}, {16, 16, 1}}},
    {{"fill_but_row", 160, {{'t', 0}, {'w', 130}, {'w', 160}}, 150}, {{160, 256, 1}, {16, 16, 1}}},
    {{"transpose", 160, {{'a', 0}, {'t', 0}, {'w', 256}}, 160}, {{160, 256, 1}, {16, 16, 1}}},
    {{"fill_triangle", 160, {{'t', 0}, {'w', 100}, {'w', 160}}, 0}, {{160, 256, 1}, {16, 16, 1}}},
    {{"one_each_row", 160, {{'t', 0}, {'w', 100}}, 0}, {{160, 256, 1}, {16, 16, 1}}},
};

/* As the kernel ABI lays them out. */
static size_t arguments(const struct side *s, const struct trial *t, uint8_t out[64])
{
    size_t at = 0;
    for (unsigned i = 0; i < 8 && t->argument[i].kind; i++) {
        const struct argument *a = &t->argument[i];
        uint64_t value = a->value;
        const size_t bytes = a->kind == 'w' ? 4 : 8;
        value += a->kind == 'a'                     ? (uintptr_t)s->a
                 : a->kind == 'b'                   ? (uintptr_t)s->b
                 : a->kind == 't' || a->kind == 'e' ? (uintptr_t)s->to
                                                    : 0;
        at = (at + bytes - 1) / bytes * bytes;
        memcpy(out + at, &value, bytes);
        at += bytes;
    }
    return at;
}

/* `shape` NULL: work-groups of 256. */
static int run(const struct side *s, const struct trial *t, const struct shape *shape, struct sg_fault *fault,
               uint64_t counters[2])
{
    uint8_t block[64];
    struct sg_launch l = {
        .kernel = t->kernel, .grid = {t->groups * 256}, .workgroup = {256}, .arguments = block};
    l.argument_bytes = arguments(s, t, block);
    if (shape) {
        memcpy(l.grid, shape->grid, sizeof l.grid);
        memcpy(l.workgroup, shape->group, sizeof l.workgroup);
    } else {
        l.grid[0] -= t->groups % 3 * 50; /* no multiple of the work-group */
    }
    int status = sg_object_launch(s->d, s->o, &l, fault);
    sg_engine_counters(sg_device_engine(s->d), &counters[0], &counters[1]);
    return status;
}

static void one_trial(const char *arch, const struct trial *t, const struct shape *shape)
{
    struct side whole = open_side(arch, false), each = open_side(arch, true);
    struct sg_fault fault;
    uint64_t counters[2][2];
    if (run(&whole, t, shape, &fault, counters[0]) || run(&each, t, shape, &fault, counters[1]))
        fail_msg("%s: %s", t->kernel, fault.message);
    const uint32_t least = t->bulk_groups == OVERLAP ? 0 : t->bulk_groups;
    for (unsigned i = 0; i < BYTES && t->bulk_groups != OVERLAP; i++)
        if (whole.to[i] != each.to[i] || whole.a[i] != each.a[i] || whole.b[i] != each.b[i])
            fail_msg("%s on %s: byte %u is %02x, the interpreter has %02x", t->kernel, arch, i, whole.to[i],
                     each.to[i]);
    uint64_t bulk = sg_engine_bulk_groups(sg_device_engine(whole.d));
    if (bulk < least || (bulk && !least))
        fail_msg("%s on %s, groups %u: %llu work-groups done as a whole, %u expected", t->kernel, arch,
                 t->groups, (unsigned long long)bulk, least);
    assert_int_equal(sg_engine_bulk_groups(sg_device_engine(each.d)), 0);
    if (bulk == t->groups) {
        assert_int_equal(counters[0][0], counters[1][0]);
        assert_int_equal(counters[0][1], counters[1][1]);
    }
    sg_device_destroy(whole.d);
    sg_device_destroy(each.d);
}

static void test_trials(void **state)
{
    (void)state;
    for (unsigned a = 0; arches[a]; a++)
        for (unsigned i = 0; i < sizeof trials / sizeof trials[0]; i++)
            one_trial(arches[a], &trials[i], NULL);
}

static void test_rectangles(void **state)
{
    (void)state;
    for (unsigned a = 0; arches[a]; a++)
        for (unsigned i = 0; i < sizeof rectangles / sizeof rectangles[0]; i++)
            one_trial(arches[a], &rectangles[i].trial, &rectangles[i].shape);
}

/* A head of 5 bytes is left to the interpreter with its work-group; the tiles of the others are not. */
static void test_tiles(void **state)
{
    (void)state;
    for (unsigned head = 0; head <= 5; head += 5) {
        uint8_t *result[2];
        for (unsigned k = 0; k < 2; k++) {
            struct side s = open_side("gfx90a", k);
            struct {
                void *to, *pattern;
                uint32_t head;
                _Alignas(16) uint32_t tile[4];
                uint64_t tiles, passes, stride;
            } a = {s.to, s.a, head, {1, 2, 3, 4}, 7000, 2, 5120};
            struct sg_launch l = {.kernel = "fill_tiles",
                                  .grid = {5120},
                                  .workgroup = {256},
                                  .arguments = &a,
                                  .argument_bytes = sizeof a};
            struct sg_fault fault;
            assert_int_equal(sg_object_launch(s.d, s.o, &l, &fault), 0);
            assert_int_equal(sg_engine_bulk_groups(sg_device_engine(s.d)), k ? 0 : head ? 19 : 20);
            result[k] = malloc(BYTES);
            memcpy(result[k], s.to, BYTES);
            for (unsigned i = 0; i < 28000; i++)
                assert_int_equal(((uint32_t *)(void *)(s.to + 16))[i], i % 4 + 1);
            assert_int_equal(s.to[4], head ? s.a[0] : (uint8_t)(4 * 31 + 3));
            sg_device_destroy(s.d);
        }
        assert_memory_equal(result[0], result[1], BYTES);
        free(result[0]);
        free(result[1]);
    }
}

/* To memory that is not there: the fault is the interpreter's. */
static void test_fault(void **state)
{
    (void)state;
    static const struct trial over = {"copy_words", 100, {{'a', 0}, {'q', 65536}, {'q', 25003}}, 0};
    struct side s = open_side("gfx90a", false);
    struct sg_fault fault;
    uint64_t counters[2];
    assert_int_equal(run(&s, &over, NULL, &fault, counters), -1);
    assert_int_equal(fault.kind, SG_FAULT_PAGE);
    assert_true(fault.is_write && fault.va >= 65536 && fault.va < 65536 + 25003 * 4);
    assert_non_null(strstr(fault.instruction, "global_store_dword"));
    assert_int_equal(sg_engine_bulk_groups(sg_device_engine(s.d)), 0);
    sg_device_destroy(s.d);
}

/* With the access log on, nothing is done as a whole. */
static void test_log(void **state)
{
    (void)state;
    char path[1024], why[256];
    const char *cause;
    struct sg_engine_config c = {
        .arch = ls_gpu_find_emulated("gfx90a"), .threads = 1, .access_log = "/dev/null"};
    struct side s = {.d = sg_device_create(&c, &cause)};
    assert_non_null(s.d);
    snprintf(path, sizeof path, "%s/bulk-gfx90a.co", directory);
    s.o = sg_object_load(s.d, path, why, sizeof why);
    assert_non_null(s.o);
    s.a = s.b = sg_device_alloc(s.d, BYTES);
    s.to = sg_device_alloc(s.d, BYTES);
    struct sg_fault fault;
    uint64_t counters[2];
    assert_int_equal(run(&s, &trials[0], NULL, &fault, counters), 0);
    assert_int_equal(sg_engine_bulk_groups(sg_device_engine(s.d)), 0);
    sg_device_destroy(s.d);
}

/* ---- Random kernels (bulk_random.py) ---- */

enum { RANDOM_KERNELS = 60, RANDOM_GROUPS = 20, RANDOM_BYTES = 8 << 17 };

struct random_side {
    struct sg_device *d;
    struct sg_object *o;
    uint32_t *a, *b, *to;
};

static struct random_side open_random(const char *arch, bool interpret)
{
    struct random_side s = {0};
    open_object("bulk-random", arch, 5, interpret, &s.d, &s.o);
    s.a = sg_device_alloc(s.d, BYTES);
    s.b = sg_device_alloc(s.d, BYTES);
    s.to = sg_device_alloc(s.d, RANDOM_BYTES);
    for (unsigned i = 0; i < BYTES / 4; i++) {
        s.a[i] = i * 2654435761u;
        s.b[i] = ~i * 40503u;
    }
    return s;
}

/* Returns how many work-groups were done as part of a whole. */
static uint64_t run_random(const struct random_side *s, unsigned number, uint32_t p, uint32_t q)
{
    struct {
        void *a, *b, *to;
        uint32_t p, q;
    } block = {s->a, s->b, s->to, p, q};
    char name[32];
    snprintf(name, sizeof name, "random%u", number);
    struct sg_launch l = {.kernel = name,
                          .grid = {RANDOM_GROUPS * 256 - 70 * (number % 2)},
                          .workgroup = {256},
                          .arguments = &block,
                          .argument_bytes = sizeof block};
    struct sg_fault fault;
    uint64_t before = sg_engine_bulk_groups(sg_device_engine(s->d));
    memset(s->to, 0x33, RANDOM_BYTES);
    if (sg_object_launch(s->d, s->o, &l, &fault))
        fail_msg("%s: %s", name, fault.message);
    return sg_engine_bulk_groups(sg_device_engine(s->d)) - before;
}

static void test_random(void **state)
{
    (void)state;
    static const uint32_t values[][2] = {{40, 1000}, {0, 3}, {4000, 77}};
    for (unsigned a = 0; arches[a]; a++) {
        struct random_side whole = open_random(arches[a], false), each = open_random(arches[a], true);
        unsigned bulk = 0;
        for (unsigned i = 0; i < RANDOM_KERNELS; i++)
            for (unsigned k = 0; k < 3; k++) {
                bulk += run_random(&whole, i, values[k][0], values[k][1]) >= RANDOM_GROUPS / 2;
                assert_int_equal(run_random(&each, i, values[k][0], values[k][1]), 0);
                for (unsigned w = 0; w < RANDOM_BYTES / 4; w++)
                    if (whole.to[w] != each.to[w])
                        fail_msg("random%u(%u, %u) on %s: word %u is %08x, the interpreter has %08x", i,
                                 values[k][0], values[k][1], arches[a], w, whole.to[w], each.to[w]);
            }
        /* The generator makes much that is not understood; a good part is. */
        print_message("%s: %u of %u as a whole\n", arches[a], bulk, 3 * RANDOM_KERNELS);
        assert_true(bulk >= RANDOM_KERNELS);
        sg_device_destroy(whole.d);
        sg_device_destroy(each.d);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),   cmocka_unit_test(test_fields), cmocka_unit_test(test_trials),
        cmocka_unit_test(test_rectangles), cmocka_unit_test(test_tiles),  cmocka_unit_test(test_fault),
        cmocka_unit_test(test_log),        cmocka_unit_test(test_random),
    };
    if (argc < 3) {
        fprintf(stderr, "usage: test_sg_bulk DIRECTORY GPU...\n");
        return 2;
    }
    directory = argv[1];
    arches = argv + 2;
#ifdef SG_THREADS_ALONE /* formulas are of one thread, which tells the thread sanitizer nothing */
    cmocka_set_skip_filter("test_f*s");
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
