/*
 * harness.c - see harness.h: random numbers, cases, comparing, the summary.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "harness.h"
#include "harness_run.h"
#include "ref_num.h"

uint64_t rng64(struct rng *r)
{
    uint64_t x = r->s += 0x9e3779b97f4a7c15; /* splitmix64: any seed is good */
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}
uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)((rng64(r) >> 32) * n >> 32);
}

unsigned type_dwords(enum value_type t)
{
    switch (t) {
    case T_B64:
    case T_F64:
    case T_PKF32:
    case T_BIT:
        return 2;
    case T_B128:
        return 4;
    default:
        return 1;
    }
}

void harness_die(const char *what)
{
    fprintf(stderr, "isa-diff: %s\n", what);
    exit(2);
}

struct note *expect_note(struct expect *e)
{
    if (e->n_notes == e->cap_notes) {
        e->cap_notes = e->cap_notes ? e->cap_notes * 2 : 256;
        e->note = realloc(e->note, e->cap_notes * sizeof *e->note);
        if (!e->note)
            harness_die("out of memory");
    }
    struct note *n = &e->note[e->n_notes++];
    memset(n, 0, sizeof *n);
    return n;
}

bool suite_wants(const struct suite *s, const char *name)
{
    return !s->only || !strncmp(s->only, name, strlen(s->only));
}

struct tcase *suite_add(struct suite *s, const char *name, size_t bytes)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 4096;
        s->cases = realloc(s->cases, s->cap * sizeof *s->cases);
        if (!s->cases)
            harness_die("out of memory");
    }
    struct tcase *c = &s->cases[s->n++];
    memset(c, 0, sizeof *c);
    c->name = name;
    c->data = bytes ? calloc(1, bytes) : NULL;
    if (bytes && !c->data)
        harness_die("out of memory");
    c->seed = 0x5eed; /* mixed with a hash of the text, so that inserting cases does not change others */
    return c;
}

void text_add(struct tcase *c, const char *format, ...)
{
    size_t used = strlen(c->text);
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(c->text + used, sizeof c->text - used, format, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof c->text - used)
        harness_die("case text too long");
}

void text_rows(struct tcase *c, unsigned row, unsigned n)
{
    const char file = row < 256 ? 'v' : 'a';
    row &= 255;
    if (n > 1)
        text_add(c, "%c[%u:%u]", file, row, row + n - 1);
    else
        text_add(c, "%c%u", file, row);
}

const char *keep_name(const char *prefix, const char *rest)
{
    /* Names live as long as the program; there are a few hundred, chained so that they stay reachable. */
    static struct name {
        struct name *next;
        char text[];
    } *all;
    struct name *n = malloc(sizeof *n + strlen(prefix) + strlen(rest) + 1);
    if (!n)
        exit(2);
    n->next = all;
    all = n;
    strcpy(n->text, prefix);
    return strcat(n->text, rest);
}

static uint64_t hash_text(const char *t)
{
    uint64_t h = 0xcbf29ce484222325;
    for (; *t; t++)
        h = (h ^ (unsigned char)*t) * 0x100000001b3;
    return h;
}

/* ---- Registers before the instruction. ---- */

/* Fills every register with random bits; EXEC, MODE (defaults of HIP kernels), VCC, M0 as well. */
static void image_randomise(struct rng *r, struct sg_wave_image *w)
{
    for (unsigned i = 0; i < 512; i++)
        for (unsigned l = 0; l < 64; l += 2) {
            uint64_t x = rng64(r);
            memcpy(&w->v[i][l], &x, 8);
        }
    for (unsigned i = 0; i < 128; i++)
        w->s[i] = (uint32_t)rng64(r);
    w->scc = rng_below(r, 2);
    w->mode = 0x3f0; /* round to nearest even, denormals kept, DX10_CLAMP, IEEE */
}

static uint64_t exec_pattern(struct rng *r, unsigned round)
{
    switch (round % 6) {
    case 0:
        return UINT64_MAX;
    case 1:
        return rng64(r);
    case 2:
        return 1ull << rng_below(r, 64);
    case 3:
        return rng_below(r, 2) ? 0xffffffffull : 0xffffffff00000000ull;
    case 4:
        return 0;
    default:
        return rng64(r) & rng64(r);
    }
}

/* ---- Comparing. ---- */

static double component(uint64_t bits, enum value_type t)
{
    return t == T_F64 ? f64_of(bits) : t == T_F32 ? f32_of(bits) : t == T_F16 ? f16_of(bits) : bf16_of(bits);
}
/* Sign-magnitude bits as a number whose differences count representable values. */
static int64_t ordered(uint64_t bits, int width)
{
    uint64_t magnitude = bits & ~(1ull << (width - 1));
    return bits >> (width - 1) & 1 ? -(int64_t)magnitude : (int64_t)magnitude;
}
static bool near(uint64_t got, uint64_t want, enum value_type t, int width, double ulp, double absolute)
{
    if (got == want)
        return true;
    double g = component(got, t), w = component(want, t);
    if (g != g || w != w)
        return g != g && w != w;
    if (absolute > 0 && fabs(g - w) <= absolute)
        return true;
    if (ulp > 0)
        return fabs((double)(ordered(got, width) - ordered(want, width))) <= ulp;
    return false;
}
static bool float_ok(uint64_t got, uint64_t want, const struct note *n)
{
    switch (n->type) {
    case T_F16:
        return got >> 16 == want >> 16 && near(got & 0xffff, want & 0xffff, T_F16, 16, n->ulp, n->abs);
    case T_F32:
        return near(got, want, T_F32, 32, n->ulp, n->abs);
    case T_F64:
        return near(got, want, T_F64, 64, n->ulp, n->abs);
    case T_PKF16:
        return near(got & 0xffff, want & 0xffff, T_F16, 16, n->ulp, n->abs) &&
               near(got >> 16, want >> 16, T_F16, 16, n->ulp, n->abs);
    case T_BF16x2:
        return near(got & 0xffff, want & 0xffff, T_BF16x2, 16, n->ulp, n->abs) &&
               near(got >> 16, want >> 16, T_BF16x2, 16, n->ulp, n->abs);
    case T_PKF32:
        return near((uint32_t)got, (uint32_t)want, T_F32, 32, n->ulp, n->abs) &&
               near(got >> 32, want >> 32, T_F32, 32, n->ulp, n->abs);
    default:
        return got == want;
    }
}

static uint64_t read_reg(const struct sg_wave_image *w, const struct note *n)
{
    uint64_t v = n->scalar ? w->s[n->row] : w->v[n->row][n->lane];
    if (n->dwords > 1)
        v |= (uint64_t)(n->scalar ? w->s[n->row + 1] : w->v[n->row + 1][n->lane]) << 32;
    return v;
}
static void copy_reg(struct sg_wave_image *to, const struct sg_wave_image *from, const struct note *n)
{
    for (unsigned i = 0; i < n->dwords; i++) {
        if (n->scalar)
            to->s[n->row + i] = from->s[n->row + i];
        else
            to->v[n->row + i][n->lane] = from->v[n->row + i][n->lane];
    }
}

/* Wherever the engine's value is allowed by a note, makes the expectation equal to it. */
static void apply_notes(struct expect *e, const struct sg_wave_image *got)
{
    for (size_t i = 0; i < e->n_notes; i++) {
        const struct note *n = &e->note[i];
        uint64_t g = read_reg(got, n), w = read_reg(e->w, n);
        bool ok = n->any || float_ok(g, w, n) || (n->ignore && ((g ^ w) & ~n->ignore) == 0);
        for (unsigned k = 0; k < n->n_alt && !ok; k++)
            ok = float_ok(g, n->alt[k], n);
        if (ok)
            copy_reg(e->w, got, n);
    }
}

static void report_difference(const struct suite *s, const struct tcase *c,
                              const struct sg_wave_image *before, const struct sg_wave_image *want,
                              const struct sg_wave_image *got, const uint8_t *want_mem,
                              const uint8_t *got_mem)
{
    printf("MISMATCH %s %s: %s\n", s->arch->name, c->name, c->text);
    printf("    exec %016llx vcc %016llx scc %u m0 %08x\n", (unsigned long long)img_s64(before, 126),
           (unsigned long long)img_s64(before, 106), before->scc, before->s[124]);
    unsigned shown = 0;
    for (unsigned i = 0; i < 128 && shown < 4; i++)
        if (want->s[i] != got->s[i])
            printf("    s%u: got %08x, expected %08x (was %08x)\n", i, got->s[i], want->s[i], before->s[i]),
                shown++;
    if (want->scc != got->scc)
        printf("    scc: got %u, expected %u\n", got->scc, want->scc);
    if (want->mode != got->mode)
        printf("    mode: got %08x, expected %08x\n", got->mode, want->mode);
    for (unsigned i = 0; i < 512 && shown < 4; i++)
        for (unsigned l = 0; l < 64 && shown < 4; l++)
            if (want->v[i][l] != got->v[i][l]) {
                printf("    %c%u lane %u: got %08x, expected %08x (was %08x)\n", i < 256 ? 'v' : 'a', i & 255,
                       l, got->v[i][l], want->v[i][l], before->v[i][l]);
                shown++;
                /* The lane's value in every register that the text names helps more than a dump. */
                for (const char *p = c->text; *p; p++) {
                    unsigned a, b;
                    bool range = false;
                    if ((p == c->text || !strchr("_abcdefghijklmnopqrstuvwxyz0123456789", p[-1])) &&
                        (*p == 'v' || *p == 's' || *p == 'a') &&
                        ((range = sscanf(p + 1, "[%u:%u]", &a, &b) == 2) || sscanf(p + 1, "%u", &a) == 1)) {
                        if (!range)
                            b = a;
                        for (unsigned k = a; k <= b && k < a + 4 && k < 256; k++)
                            printf("        %c%u = %08x\n", *p, k,
                                   *p == 's' ? before->s[k & 127] : before->v[k + (*p == 'a' ? 256 : 0)][l]);
                    }
                }
            }
    for (unsigned i = 0; i < MEM_BYTES * 2 && want_mem && shown < 4; i++)
        if (want_mem[i] != got_mem[i])
            printf("    %s byte %#x: got %02x, expected %02x\n", i < MEM_BYTES ? "global" : "LDS",
                   i % MEM_BYTES, got_mem[i], want_mem[i]),
                shown++;
}

/* ---- Running. ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct tally *)a)->name, ((const struct tally *)b)->name);
}

struct tally *tally_find(struct tally *t, size_t n, const char *name)
{
    struct tally key = {.name = name};
    return n ? bsearch(&key, t, n, sizeof *t, by_name) : NULL;
}

struct tally *suite_tallies(const struct suite *s, size_t *n)
{
    struct tally *t = calloc(s->n + 1, sizeof *t);
    if (!t)
        harness_die("out of memory");
    for (size_t i = 0; i < s->n; i++)
        t[i].name = s->cases[i].name;
    qsort(t, s->n, sizeof *t, by_name);
    *n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (*n == 0 || strcmp(t[*n - 1].name, t[i].name))
            t[(*n)++].name = t[i].name;
    return t;
}

struct arena {
    struct sg_wave_image before, want, got;
    uint8_t mem_before[2 * MEM_BYTES], mem_want[2 * MEM_BYTES];
    _Alignas(4096) uint8_t mem_got[2 * MEM_BYTES]; /* mapped at MEM_VA */
};

/* One execution. */
static enum outcome run_once(const struct suite *s, const struct tcase *c, struct arena *a,
                             struct sg_mem *mem, struct expect *e, unsigned round, bool print)
{
    struct rng r = {c->seed ^ hash_text(c->text) ^ (uint64_t)round << 56};
    /* Registers that the case does not fill differ between cases only slightly: randomising all of them for
     * each run would cost most of the time. */
    for (unsigned i = 0; i < 128; i++)
        a->before.s[i] = (uint32_t)rng64(&r);
    a->before.scc = rng_below(&r, 2);
    a->before.mode = 0x3f0;
    img_set_s64(&a->before, 126, exec_pattern(&r, round));
    if (c->uses_mem)
        for (unsigned i = 0; i < 2 * MEM_BYTES; i += 8) {
            uint64_t x = rng64(&r);
            memcpy(a->mem_before + i, &x, 8);
        }
    a->before.lds = NULL;
    a->before.lds_bytes = 0;
    if (c->fill)
        c->fill(c, &r, &a->before, a->mem_before);
    memcpy(&a->want, &a->before, sizeof a->want);
    memcpy(&a->got, &a->before, sizeof a->got);
    if (c->uses_mem) {
        memcpy(a->mem_want, a->mem_before, sizeof a->mem_want);
        memcpy(a->mem_got, a->mem_before, sizeof a->mem_got);
        a->got.lds = a->mem_got + MEM_BYTES;
        a->got.lds_bytes = MEM_BYTES;
    }
    e->w = &a->want;
    e->mem = a->mem_want;
    e->n_notes = 0;
    a->got.lanes = 64;
    c->ref(c, e);
    struct sg_fault fault = {0};
    if (sg_engine_exec_raw(s->arch, mem, c->words, c->n_words, &a->got, &fault)) {
        if (c->fault && fault.kind == c->fault)
            return RUN_OK;
        if (fault.kind == SG_FAULT_UNIMPLEMENTED)
            return RUN_UNIMPLEMENTED;
        if (print)
            printf("FAULT %s %s: %s: kind %d, %s\n", s->arch->name, c->name, c->text, fault.kind,
                   fault.message);
        return RUN_MISMATCH;
    }
    if (c->fault) {
        if (print)
            printf("NO FAULT %s %s: %s: kind %d was expected\n", s->arch->name, c->name, c->text, c->fault);
        return RUN_MISMATCH;
    }
    apply_notes(e, &a->got);
    bool same = !memcmp(a->want.v, a->got.v, sizeof a->want.v) &&
                !memcmp(a->want.s, a->got.s, sizeof a->want.s) && a->want.scc == a->got.scc &&
                a->want.mode == a->got.mode &&
                (!c->uses_mem || !memcmp(a->mem_want, a->mem_got, sizeof a->mem_want));
    if (!same && print)
        report_difference(s, c, &a->before, &a->want, &a->got, c->uses_mem ? a->mem_want : NULL, a->mem_got);
    return same ? RUN_OK : RUN_MISMATCH;
}

bool suite_run(struct suite *s, struct tally *tally, size_t n_tally, unsigned max_print)
{
    static struct arena arena;
    struct expect e = {.arch = s->arch};
    struct sg_mem *mem = sg_mem_create();
    if (!mem || sg_mem_map(mem, MEM_VA, MEM_BYTES, arena.mem_got, SG_RANGE_READ | SG_RANGE_WRITE))
        harness_die("cannot map the test's memory");
    struct rng r = {1};
    image_randomise(&r, &arena.before);
    for (size_t i = 0; i < s->n; i++) {
        struct tcase *c = &s->cases[i];
        struct tally *t = tally_find(tally, n_tally, c->name);
        if (c->rejected) {
            t->rejected++;
            continue;
        }
        t->cases++;
        unsigned rounds = c->rounds ? c->rounds : 3;
        rounds = s->scale ? rounds * s->scale : (rounds + 2) / 3;
        for (unsigned k = 0; k < rounds; k++) {
            enum outcome o = run_once(s, c, &arena, mem, &e, k, t->mismatches < max_print);
            if (o == RUN_UNIMPLEMENTED) {
                t->unimplemented++;
                break;
            }
            if (o == RUN_MISMATCH) {
                t->mismatches++;
                break;
            }
        }
    }
    free(e.note);
    sg_mem_destroy(mem);
    return true;
}
