/*
 * diff.c - the differential test of the ISA engine: every instruction that the reference knows, in all its
 * forms, against the engine.
 *
 *   isa-diff [--target gfx90a|gfx942|gfx950|gfx1030] [--only PREFIX] [--scale N] [--print N] [--required FILE]
 *            [--documented FILE] [--list] [--ops]
 *
 * --ops prints only the names, as the engine's tables have them, of all instructions in cases that agree; the
 * script `gaps` compares them with the tables. --documented checks the number of compared mnemonics in the
 * document's table.
 *
 * Exit code 0: no difference, and everything named in the required file is implemented. 1: otherwise. 2: the
 * test could not run (no assembler, no memory).
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "harness_run.h"
#include "gcn/gcn.h"

struct options {
    const char *target, *only, *required, *documented;
    unsigned scale, print;
    bool list, ops;
};

/* Lines of the required file: one base mnemonic each, '#' starts a comment; a mnemonic may be followed by the
 * targets that have it. */
static unsigned check_required(const struct options *o, const struct suite *s, struct tally *t, size_t n)
{
    char line[128];
    unsigned failed = 0;
    FILE *f = fopen(o->required, "r");
    if (!f) {
        fprintf(stderr, "isa-diff: cannot read %s\n", o->required);
        exit(2);
    }
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "#\n")] = 0;
        char *save = NULL, *name = strtok_r(line, " \t", &save), *target = strtok_r(NULL, " \t", &save);
        if (!name || (o->only && strncmp(name, o->only, strlen(o->only))))
            continue;
        bool here = !target;
        for (; target; target = strtok_r(NULL, " \t", &save))
            here |= !strcmp(target, s->arch->name);
        if (!here)
            continue;
        struct tally *x = tally_find(t, n, name);
        if (s->rdna && (!x || !x->cases)) /* the list is that of gfx9 */
            continue;
        if (!x || !x->cases)
            printf("REQUIRED %s %s: no test case of it ran\n", s->arch->name, name), failed++;
        else if (x->unimplemented)
            printf("REQUIRED %s %s: unimplemented in %u of %u cases\n", s->arch->name, name, x->unimplemented,
                   x->cases),
                failed++;
    }
    fclose(f);
    return failed;
}

/* The document has a row "| target | ... | number of compared mnemonics |". Returns 1 if it has not. */
static unsigned check_documented(const struct options *o, const struct ls_gpu *arch, unsigned passed)
{
    char line[256], row[32], end[32];
    bool found = false;
    FILE *f = fopen(o->documented, "r");
    if (!f) {
        fprintf(stderr, "isa-diff: cannot read %s\n", o->documented);
        exit(2);
    }
    snprintf(row, sizeof row, "| %s |", arch->name);
    snprintf(end, sizeof end, "| %u |\n", passed);
    while (fgets(line, sizeof line, f)) {
        const size_t n = strlen(line), m = strlen(end);
        found |= !strncmp(line, row, strlen(row)) && n > m && !strcmp(line + n - m, end);
    }
    fclose(f);
    if (!found)
        printf("%s: the row of %s does not say that %u mnemonics are compared\n", o->documented, arch->name,
               passed);
    return !found;
}

static void print_ops(const struct suite *s, struct tally *t, size_t n)
{
    static bool seen[GCN_OP_COUNT];
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < s->n; i++) {
        const struct tcase *c = &s->cases[i];
        const struct tally *x = tally_find(t, n, c->name);
        struct gcn_inst in;
        if (c->rejected || x->mismatches || x->unimplemented)
            continue;
        for (unsigned at = 0; at < c->n_words; at += in.bytes / 4) {
            if (!gcn_decode(gcn_target_of(s->arch), c->words + at, c->n_words - at, 4 * at, &in))
                break;
            if (!seen[in.op])
                puts(gcn_op_name(in.op));
            seen[in.op] = true;
        }
    }
}

/* Of gfx10, what the reference knows of it: the vector and scalar ALU, memory without resources. */
static void generate_rdna(struct suite *s)
{
    gen_valu(s);
    gen_salu(s);
    gen_lane(s);
    gen_ds(s);
    gen_global(s);
    gen_format(s);
}

static void generate(struct suite *s)
{
    gen_valu(s);
    gen_salu(s);
    gen_lane(s);
    gen_ds(s);
    gen_global(s);
    gen_buffer(s);
    gen_mfma(s);
    gen_scaled(s);
    gen_sparse(s);
    gen_blocks(s);
    gen_smem_write(s);
    gen_format(s);
    gen_lds_special(s);
    gen_stochastic(s);
    gen_bitop(s);
    gen_control(s);
}

static unsigned run_target(const struct options *o, const struct ls_gpu *arch, enum arch_bit bit)
{
    struct suite s = {.arch = arch,
                      .bit = bit,
                      .rdna = arch->family->encoding >= 10,
                      .gfx11 = arch->family->encoding >= 11,
                      .only = o->only,
                      .scale = o->scale};
    (s.rdna ? generate_rdna : generate)(&s);
    if (!suite_assemble(&s))
        exit(2);
    size_t n;
    struct tally *t = suite_tallies(&s, &n);
    suite_run(&s, t, n, o->ops ? 0 : o->print);
    unsigned passed = 0, failed = 0, missing = 0, cases = 0, never = 0;
    for (size_t i = 0; i < n; i++) {
        cases += t[i].cases;
        if (o->ops)
            continue;
        if (!t[i].cases && s.rdna)
            continue; /* of gfx9 alone */
        if (!t[i].cases) {
            printf("NOT TESTED %s %s: the assembler accepts none of its %u cases\n", arch->name, t[i].name,
                   t[i].rejected);
            never++;
            continue;
        }
        if (o->list || t[i].mismatches)
            printf("%-8s %s %s: %u cases, %u differ, %u unimplemented, %u forms the assembler refuses\n",
                   t[i].mismatches      ? "FAIL"
                   : t[i].unimplemented ? "MISSING"
                                        : "ok",
                   arch->name, t[i].name, t[i].cases, t[i].mismatches, t[i].unimplemented, t[i].rejected);
        else if (t[i].unimplemented)
            printf("MISSING  %s %s: %u of %u cases\n", arch->name, t[i].name, t[i].unimplemented, t[i].cases);
        if (t[i].mismatches)
            failed++;
        else if (t[i].unimplemented)
            missing++;
        else
            passed++;
    }
    unsigned required = o->required ? check_required(o, &s, t, n) : 0;
    if (o->documented)
        required += check_documented(o, arch, passed);
    if (o->ops)
        print_ops(&s, t, n);
    else
        printf("%s: %u cases; mnemonics: %u passed, %u failed, %u unimplemented, %u not tested, %u required "
               "missing\n",
               arch->name, cases, passed, failed, missing, never, required);
    for (size_t i = 0; i < s.n; i++)
        free(s.cases[i].data);
    free(s.cases);
    free(t);
    return failed + required + never;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"target", 1, 0, 't'}, {"only", 1, 0, 'o'},     {"scale", 1, 0, 's'},
        {"print", 1, 0, 'p'},  {"required", 1, 0, 'r'}, {"documented", 1, 0, 'd'},
        {"list", 0, 0, 'l'},   {"ops", 0, 0, 'O'},      {0}};
    struct options o = {.scale = 1, .print = 2};
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
        switch (c) {
        case 't':
            o.target = optarg;
            break;
        case 'o':
            o.only = optarg;
            break;
        case 's':
            o.scale = (unsigned)atoi(optarg);
            break;
        case 'p':
            o.print = (unsigned)atoi(optarg);
            break;
        case 'r':
            o.required = optarg;
            break;
        case 'd':
            o.documented = optarg;
            break;
        case 'l':
            o.list = true;
            break;
        case 'O':
            o.ops = true;
            break;
        default:
            return 2;
        }
    static const struct {
        const char *name;
        enum arch_bit bit;
    } targets[] = {{"gfx90a", A_90A},  {"gfx942", A_942},  {"gfx950", A_950}, {"gfx1030", A_90A},
                   {"gfx1100", A_90A}, {"gfx1151", A_90A}, {"gfx1200", A_90A}};
    unsigned failed = 0, ran = 0;
    for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++) {
        const struct ls_gpu *arch = ls_gpu_find(targets[i].name);
        if (o.target && strcmp(o.target, targets[i].name))
            continue;
        if (!arch) {
            fprintf(stderr, "isa-diff: the engine does not know %s\n", targets[i].name);
            return 2;
        }
        failed += run_target(&o, arch, targets[i].bit);
        ran++;
    }
    if (!o.ops)
        printf("%u targets, %u failed\n", ran, failed);
    return failed || !ran ? 1 : 0;
}
