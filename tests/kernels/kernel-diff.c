/*
 * kernel-diff.c - runs every kernel of the code objects on the software GPU and on the host, and compares the
 * memory that they write, byte for byte.
 *
 *   kernel-diff [--only NAME] [--shuffle SEED] TARGET FILE...
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/names.h"
#include "host.h"
#include "kernels.h"
#include "random_kernels.h"
#include "soft-gpu/isa/loader.h"

#define DECLARE(name) void name(const u32 *a, const u32 *b, u32 *out, u32 n);
KERNEL_LIST(DECLARE)
RANDOM_LIST(DECLARE)
#define ROW(name) {#name, name},
static const struct {
    const char *name;
    kernel_fn fn;
} kernels[] = {KERNEL_LIST(ROW) RANDOM_LIST(ROW)};

struct buffers {
    u32 *a, *b, *out, *want;
};

static atomic_uint findings;

static u64 state;
static u32 next_random(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)(state >> 32);
}
static u32 interesting(void)
{
    static const u32 special[] = {0,          1,          0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000,
                                  0x7f800000, 0x7fc00000, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff};
    u32 r = next_random();
    switch (r % 8) {
    case 0:
        return special[next_random() % 12];
    case 1:
        return next_random() % 100;
    case 2: /* a float of ordinary size */
        return (next_random() & 0x807fffff) | (110 + next_random() % 30) << 23;
    default:
        return next_random();
    }
}

static void fill(struct buffers *m, u64 seed)
{
    state = seed;
    for (u32 i = 0; i < ITEMS; i++) {
        m->a[i] = interesting();
        m->b[i] = interesting();
    }
    memset(m->out, 0, OUT_WORDS * 4);
    memset(m->want, 0, OUT_WORDS * 4);
}

static bool has_kernel;
static const char *wanted_kernel;
static void note_kernel(void *user, const char *name)
{
    (void)user;
    has_kernel |= !strcmp(name, wanted_kernel);
}

/* 0 the same, 1 different. */
static int compare(struct sg_device *d, struct sg_object *o, struct buffers *m, unsigned which,
                   const char *file)
{
    struct {
        void *a, *b, *out;
        u32 n;
    } arguments = {m->a, m->b, m->out, 0x1234567u + which};
    struct sg_launch l = {.kernel = kernels[which].name,
                          .grid = {ITEMS, 1, 1},
                          .workgroup = {GROUP, 1, 1},
                          .arguments = &arguments,
                          .argument_bytes = sizeof arguments};
    struct sg_fault fault = {0};
    fill(m, 77 + which);
    if (sg_object_launch(d, o, &l, &fault)) {
        printf("FAIL %s %s: fault %d at %#llx: %s [%s]\n", file, l.kernel, fault.kind,
               (unsigned long long)fault.pc, fault.message, fault.instruction);
        return 1;
    }
    host_run(kernels[which].fn, m->a, m->b, m->want, arguments.n);
    if (!memcmp(m->out, m->want, OUT_WORDS * 4))
        return 0;
    unsigned shown = 0, differ = 0;
    printf("FAIL %s %s\n", file, l.kernel);
    for (u32 i = 0; i < OUT_WORDS; i++)
        if (m->out[i] != m->want[i]) {
            differ++;
            if (shown++ < 4)
                printf("    out[%u] (item %u, word %u): got %08x, expected %08x; a %08x b %08x\n", i, i / 16,
                       i % 16, m->out[i], m->want[i], m->a[i / 16], m->b[i / 16]);
        }
    printf("    %u words differ\n", differ);
    return 1;
}

/* Kernels that are right have nothing to be found by the check for races and unwritten LDS. */
static void count_finding(void *user, const struct sg_check_report *r)
{
    (void)user;
    if (!r->finding || r->finding->harmless)
        return;
    atomic_fetch_add(&findings, 1);
    printf("    check: kind %d, LDS byte %llu: %s, %s\n", (int)r->finding->kind,
           (unsigned long long)r->finding->address, r->instruction[0], r->instruction[1]);
}

int main(int argc, char **argv)
{
    static const struct sg_engine_ops ops = {.found = count_finding};
    const char *only = NULL;
    struct sg_engine_config config = {
        .threads = 2, .poison = true, .seed = 1, .ops = &ops, .check = SG_CHECK_RACES | SG_CHECK_UNINIT};
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (!strcmp(argv[i], "--only"))
            only = argv[i + 1];
        else if (!strcmp(argv[i], "--shuffle"))
            config.shuffle_waves = true, config.seed = strtoull(argv[i + 1], NULL, 0);
        else
            return 2;
    }
    if (i + 1 >= argc) {
        fprintf(stderr, "usage: kernel-diff [--only NAME] [--shuffle SEED] TARGET FILE...\n");
        return 2;
    }
    const char *why = NULL;
    config.arch = ls_gpu_find_emulated(argv[i++]);
    struct sg_device *d = config.arch ? sg_device_create(&config, &why) : NULL;
    if (!d) {
        fprintf(stderr, "kernel-diff: %s\n", why ? why : "unknown target");
        return 2;
    }
    struct buffers m = {sg_device_alloc(d, ITEMS * 4 + 64), sg_device_alloc(d, ITEMS * 4 + 64),
                        sg_device_alloc(d, OUT_WORDS * 4), malloc(OUT_WORDS * 4)};
    unsigned passed = 0, failed = 0;
    for (; i < argc; i++) {
        char text[256];
        struct sg_object *o = sg_object_load(d, argv[i], text, sizeof text);
        const char *file = ls_base_name(argv[i]);
        if (!o) {
            fprintf(stderr, "kernel-diff: %s: %s\n", argv[i], text);
            return 2;
        }
        for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            if (only && strcmp(only, kernels[k].name))
                continue;
            has_kernel = false;
            wanted_kernel = kernels[k].name;
            sg_object_kernels(o, note_kernel, NULL);
            if (!has_kernel)
                continue;
            if (compare(d, o, &m, k, file))
                failed++;
            else
                passed++;
        }
    }
    sg_device_destroy(d);
    free(m.want);
    printf("%u passed, %u failed, %u findings of the check\n", passed, failed, atomic_load(&findings));
    return failed || !passed || atomic_load(&findings);
}
