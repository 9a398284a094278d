/*
 * test_messages.c - runs kernels and their clones on the software GPU and compares what the probes report
 * with what the GPU did: its access log of the original is the expected value, an independent computation of
 * every lane's address.
 *
 * The test plays the host: ring, context, a draining thread where the case wants one (wire.h).
 */
#include "loader.h"
#include "messages_host.h"
#include "soft-gpu/isa/log/log_reader.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BIG = 6 /* GiB of output: some kernels' addresses must lie far apart */ };

static int order(const void *x, const void *y)
{
    return memcmp(x, y, sizeof(struct access));
}

/* ---- cases ---- */

struct test {
    const char *kernel;
    uint32_t grid[3];
    uint16_t group[3];
    int n;
    uint32_t flags, chunk_shift, chunks;
};

struct world {
    struct sg_device *device;
    struct sg_object *object;
    char *out, *in;
    uint32_t dies;
    char *summary;
    size_t summary_bytes;
};

/* Each die has a context and counters of its own. */
static void add_summary(struct world *w, struct ls_ctx *ctx, const struct host *h, uint32_t waves)
{
    const uint32_t n = h->numbers.n;
    w->summary_bytes = w->dies * LS_SUMMARY_DIE(n, 0);
    w->summary = sg_device_alloc(w->device, w->summary_bytes);
    memset(w->summary, 0, w->summary_bytes);
    ctx->n_waves = waves;
    ctx->summary_sites = n;
    ctx->summary = ctx->first_summary = (uintptr_t)w->summary;
    ctx->die_bytes = (uint32_t)LS_SUMMARY_DIE(n, 0);
    for (uint32_t i = 1; i < w->dies; i++) {
        ctx[i] = ctx[0];
        ctx[i].summary += (uint64_t)i * ctx->die_bytes;
    }
}

static struct ls_ctx *new_context(struct world *w, const struct test *t, struct host *h)
{
    struct ls_ctx *ctx = sg_device_alloc_uncached(w->device, LS_DIES * sizeof *ctx);
    uint32_t waves = 1, threads = 1;
    h->n_chunks = t->chunks;
    for (h->mask = 1; h->mask < t->chunks;)
        h->mask *= 2;
    h->mask--;
    *ctx = (struct ls_ctx){.magic = LS_CTX_MAGIC,
                           .version = LS_WIRE_VERSION,
                           .slot = 77,
                           .flags = t->flags,
                           .chunk_bytes = 1u << t->chunk_shift,
                           .list_mask = h->mask,
                           .sample_every = 3,
                           .dead_after = h->drain ? 1u << 24 : 2};
    for (int i = 0; i < 3; i++) {
        ctx->workgroup_size[i] = t->group[i];
        ctx->n_workgroups[i] = h->n_groups[i] = (t->grid[i] + t->group[i] - 1) / t->group[i];
        threads *= t->group[i];
        waves *= h->n_groups[i];
        ctx->filter_hi[i] = i ? ~0u : 2;
    }
    ctx->filter_lo[0] = 1;
    h->waves_per_group = ctx->waves_per_workgroup = (threads + 63) / 64;
    waves *= ctx->waves_per_workgroup;
    h->ctx = ctx;
    h->ring = sg_device_alloc_uncached(w->device, sizeof *h->ring);
    h->chunks = sg_device_alloc_uncached(w->device, (size_t)t->chunks << t->chunk_shift);
    h->done = sg_device_alloc_uncached(w->device, (h->mask + 1) * 4ul);
    h->free_list = sg_device_alloc_uncached(w->device, (h->mask + 1) * 4ul);
    struct ls_wave *records = sg_device_alloc(w->device, waves * sizeof *records);
    memset(records, 0xaa, waves * sizeof *records); /* nobody promises zeros */
    ctx->ring = (uintptr_t)h->ring, ctx->chunks = (uintptr_t)h->chunks, ctx->done = (uintptr_t)h->done;
    ctx->free = (uintptr_t)h->free_list, ctx->waves = (uintptr_t)records;
    ctx->first_cursor = LS_FIRST_CURSOR(ctx->flags, ctx->chunks, ctx->chunk_bytes);
    if (t->flags & LS_CTX_SUMMARY)
        add_summary(w, ctx, h, waves);
    for (uint32_t i = 0; i < t->chunks; i++)
        h->free_list[i] = i + 1;
    h->ring->free_tail = h->put = t->chunks;
    return ctx;
}

static int launch(struct world *w, const struct test *t, const char *kernel, const struct ls_ctx *ctx)
{
    struct {
        char *out, *in;
        int n;
        const struct ls_ctx *ctx;
    } args = {w->out, w->in, t->n, ctx};
    struct sg_launch l = {.kernel = kernel, .arguments = &args, .argument_bytes = ctx ? 32 : 24};
    memcpy(l.grid, t->grid, sizeof l.grid);
    memcpy(l.workgroup, t->group, sizeof l.workgroup);
    struct sg_fault fault;
    for (int i = 0; i < 1 << 16; i++)
        ((int *)w->in)[i] = i % 11;
    int status = sg_object_launch(w->device, w->object, &l, &fault);
    if (status)
        printf("%s: %s (%s)\n", kernel, fault.message, fault.instruction);
    return status;
}

/* The accesses of dispatch 0, the original. */
static int read_log(const char *path, struct accesses *out)
{
    const char *why;
    struct sg_log_reader *r = sg_log_open(path, &why);
    union sg_log_any any;
    uint64_t address[SG_MAX_LANES];
    int status;
    if (!r) {
        printf("%s: %s\n", path, why);
        return -1;
    }
    while ((status = sg_log_next(r, &any, address)) > 0) {
        const struct sg_log_access *l = &any.access;
        if (any.record.type != SG_LOG_ACCESS || l->dispatch ||
            (l->space != SG_SPACE_GLOBAL && l->space != SG_SPACE_LDS))
            continue;
        struct access *a = messages_push(out);
        *a = (struct access){
            .workgroup = l->workgroup, .exec = l->exec, .wave = l->wave, .bytes = l->access_bytes};
        for (unsigned lane = 0; lane < LANES; lane++)
            if (l->exec >> lane & 1)
                a->address[lane] = address[lane];
    }
    sg_log_reader_close(r);
    return status;
}

static uint64_t weak_seed; /* 0: memory is strong */

static int open_world(struct world *w, const char *object, const char *arch, const char *log)
{
    const char *why;
    char text[256];
    struct sg_engine_config config = {.arch = ls_gpu_find_emulated(arch),
                                      .threads = 2,
                                      .access_log = log,
                                      .poison = true,
                                      .weak = weak_seed != 0,
                                      .weak_seed = weak_seed};
    w->dies = ls_gpu_counts_by_die(ls_gpu_family_of(arch)) ? LS_DIES : 1;
    w->device = sg_device_create(&config, &why);
    w->object = w->device ? sg_object_load(w->device, object, text, sizeof text) : NULL;
    if (!w->object) {
        printf("%s: %s\n", object, w->device ? text : why);
        return -1;
    }
    /* Address space only: pages that are not touched cost nothing. */
    w->out = sg_device_alloc(w->device, (size_t)BIG << 30);
    w->in = sg_device_alloc(w->device, 1 << 20);
    return w->out && w->in ? 0 : -1;
}

static void close_world(struct world *w)
{
    if (w->device)
        sg_device_destroy(w->device);
}

/* Runs the original, then the clone beside a host. */
static int run_both(struct world *w, const struct test *t, struct host *h)
{
    char clone[128];
    pthread_t thread;
    snprintf(clone, sizeof clone, LS_CLONE_PREFIX "%s", t->kernel);
    struct ls_ctx *ctx = new_context(w, t, h);
    if (launch(w, t, t->kernel, NULL))
        return -1;
    bool threaded = h->drain && !pthread_create(&thread, NULL, messages_drain_thread, h);
    int status = launch(w, t, clone, ctx);
    __atomic_store_n(&h->stop, true, __ATOMIC_RELEASE);
    if (threaded)
        pthread_join(thread, NULL);
    while (messages_drain(h))
        ;
    h->dropped = ctx->dropped;
    h->closed = h->ring->closed;
    h->left = false;
    for (size_t i = 0; i < w->summary_bytes; i++)
        h->left |= w->summary[i];
    return status;
}

/* By counting: the sites of functions that several kernels reach, and those before the kernel's. */
static struct ls_site_numbers numbers_in(const struct ls_sites *table, const char *kernel)
{
    const struct ls_site *site = (const void *)((const char *)table + table->sites);
    const struct ls_site_kernel *k = (const void *)((const char *)table + table->kernels);
    struct ls_site_numbers x = {0};
    uint32_t number = 0, before = 0;
    while (number < table->n_kernels && strcmp((const char *)table + table->strings + k[number].name, kernel))
        number++;
    for (uint32_t i = 0; i < table->n_sites; i++) {
        x.shared += site[i].kernel == LS_NONE;
        before += site[i].kernel != LS_NONE && site[i].kernel < number;
        x.n += site[i].kernel == LS_NONE || site[i].kernel == number;
    }
    x.skip = before;
    return x;
}

static int run_case(const char *object, const char *arch, const struct ls_sites *table, const struct test *t,
                    struct accesses *want, struct host *h)
{
    char log[] = "/tmp/lanescope-messages-XXXXXX";
    struct world w = {0};
    int fd = mkstemp(log);
    if (fd < 0)
        return -1;
    close(fd);
    h->sites = (const void *)((const char *)table + table->sites);
    h->numbers = numbers_in(table, t->kernel);
    int status = open_world(&w, object, arch, log);
    if (!status)
        status = run_both(&w, t, h);
    close_world(&w);
    if (!status)
        status = read_log(log, want);
    unlink(log);
    return status;
}

/* ---- checks ---- */

static void print_access(const char *side, const struct access *a)
{
    printf("  %s: group %llu wave %u exec %016llx %u bytes:", side, (unsigned long long)a->workgroup, a->wave,
           (unsigned long long)a->exec, a->bytes);
    for (unsigned lane = 0; lane < 4; lane++)
        printf(" %llx", (unsigned long long)a->address[lane]);
    printf(" ...\n");
}

static bool equal(struct accesses *want, struct accesses *got)
{
    qsort(want->v, want->n, sizeof *want->v, order);
    qsort(got->v, got->n, sizeof *got->v, order);
    for (size_t i = 0; i < want->n && i < got->n; i++)
        if (memcmp(&want->v[i], &got->v[i], sizeof *want->v)) {
            print_access("GPU", &want->v[i]);
            print_access("messages", &got->v[i]);
            return false;
        }
    return want->n == got->n;
}

enum { HOLD = LS_CTX_HOLD, PLENTY = 4096 };
#define LINE(x) {x, 1, 1}

static const struct test same_tests[] = {
    {"copy", LINE(256), LINE(64), 3, HOLD, 12, PLENTY},
    {"copy", LINE(256), LINE(128), 3, 0, 12, PLENTY},
    {"partial", LINE(256), LINE(64), 150, HOLD, 12, PLENTY},
    {"partial", LINE(256), LINE(64), 150, 0, 10, PLENTY},
    {"odd", LINE(128), LINE(64), 500, HOLD, 12, PLENTY},
    {"every_fourth", LINE(128), LINE(64), 500, HOLD, 12, PLENTY},
    {"backwards", LINE(256), LINE(64), 2000, HOLD, 12, PLENTY},
    {"same", LINE(128), LINE(64), 5, HOLD, 12, PLENTY},
    {"gather", LINE(512), LINE(64), 999, HOLD, 12, PLENTY},
    {"gather", LINE(512), LINE(64), 999, 0, 10, PLENTY},
    {"window", LINE(128), LINE(64), 7, HOLD, 12, PLENTY},
    {"raw", LINE(128), LINE(64), 7, HOLD, 12, PLENTY},
    {"raw", LINE(128), LINE(64), 7, 0, 10, PLENTY},
    {"rows", LINE(128), LINE(64), 7, HOLD, 12, PLENTY},
    {"rows", LINE(128), LINE(64), 7, 0, 10, PLENTY},
    {"one_lane", LINE(128), LINE(64), 7, HOLD, 12, PLENTY},
    {"lds", LINE(128), LINE(64), 7, HOLD, 12, PLENTY},
    {"lds_down", LINE(128), LINE(64), 7, HOLD, 12, PLENTY},
    {"atomics", LINE(128), LINE(64), 7, HOLD, 12, PLENTY},
    {"loop", LINE(256), LINE(64), 7, HOLD, 12, PLENTY},
    {"callee", LINE(256), LINE(64), 7, HOLD, 12, PLENTY},
    {"recursion", LINE(256), LINE(64), 7, HOLD, 12, PLENTY},
    {"early", LINE(256), LINE(64), 7, HOLD, 12, PLENTY},
    {"vectors", LINE(256), LINE(64), 7, HOLD, 12, PLENTY},
    {"adjacent", LINE(256), LINE(64), 7, HOLD, 12, PLENTY},
    {"planes", {48, 16, 4}, {16, 8, 2}, 7, HOLD, 12, PLENTY},
    {"many", LINE(1024), LINE(64), 7, HOLD, 10, PLENTY},
    {"many", LINE(1024), LINE(64), 7, HOLD, 10,
     17}, /* fewer chunks than messages need: the host recycles them */
    {"many", LINE(1024), LINE(64), 7, 0, 10, 3},
    {"mixed", LINE(256), LINE(64), 7, HOLD, 10, PLENTY},
    {"mixed", LINE(256), LINE(64), 7, HOLD, 12, PLENTY},
    {"turns", LINE(256), LINE(64), 7, HOLD, 12, PLENTY},
    {"turns", LINE(256), LINE(64), 7, 0, 10, PLENTY},
    {"turns", LINE(256), LINE(64), 1, HOLD, 12, PLENTY},
    {"turns", LINE(256), LINE(64), 0, HOLD, 12, PLENTY},
    {"together", LINE(256), LINE(64), 7, HOLD, 12, PLENTY},
    {"together", LINE(256), LINE(64), 7, 0, 10, PLENTY},
    {"together", LINE(256), LINE(64), 1, HOLD, 12, PLENTY},
    {"together", LINE(256), LINE(64), 0, HOLD, 12, PLENTY},
};

static int test_same(const char *object, const char *arch, const struct ls_sites *table, const char *level)
{
    int bad = 0;
    for (size_t i = 0; i < sizeof same_tests / sizeof *same_tests; i++) {
        const struct test *t = &same_tests[i];
        /* LLVM 15, and others at -O1,
         * merge these stores so late that only the host can see it (in the ISA). */
        if (!strcmp(t->kernel, "adjacent") && (table->llvm_major < 17 || !strcmp(level, "-O1")))
            continue;
        struct accesses want = {0};
        struct host h = {.drain = t->chunks != PLENTY};
        bool ok = !run_case(object, arch, table, t, &want, &h) && !h.error && !h.dropped;
        ok = ok && equal(&want, &h.got) && want.n;
        /* Held chunks end with the wavefront; without holding each message has a chunk of its own. */
        ok = ok && (t->flags & HOLD || h.chunks_seen == h.got.n - h.turns);
        /* Four in each of two wavefronts; a chunk for one message has no room for choosing. */
        ok = ok && (strcmp(t->kernel, "rows") || h.rows == (t->flags & HOLD ? 8 : 0));
        /* Four accesses of each of four wavefronts, on all turns but the first; not at -O0. */
        ok = ok && (strcmp(t->kernel, "turns") || !strcmp(level, "-O0") ||
                    h.turns == (t->n > 1 ? 16u * (uint32_t)(t->n - 1) : 0));
        /* One in each of its two wavefronts; not at -O0. */
        ok = ok && (h.uniform == 0 || (h.uniform == 2 && !strcmp(t->kernel, "same")));
        if (!ok)
            bad++, printf("FAILED %s %s flags %x: %zu accesses, %zu messages, %u chunks, dropped %llu: %s\n",
                          arch, t->kernel, t->flags, want.n, h.got.n, h.chunks_seen,
                          (unsigned long long)h.dropped, h.error ? h.error : "");
        free(want.v);
        free(h.got.v);
    }
    return bad;
}

static int expect(bool ok, const char *what, const struct host *h)
{
    if (!ok)
        printf("FAILED %s: %zu messages, %u chunks, %u last, dropped %llu, closed %u, lengths %u, counted "
               "%llu in %u\n",
               what, h->got.n, h->chunks_seen, h->last, (unsigned long long)h->dropped, h->closed, h->lengths,
               (unsigned long long)h->counted, h->counts);
    free(h->got.v);
    return !ok;
}

/* Summary mode: `copy` does two accesses in each of 32 wavefronts, all alike but for the base modulo 128, which is the same.
 * So each die that has work-groups counts two shapes: one die on most GPUs, and eight that take them in turns. Of `partial`,
 * n = 1000, which ends within the 16th wavefront, 15 wavefronts have all lanes, one has 40, and the others none: two shapes
 * more. At -O0 addresses are flat, and sent. */
static int test_summary(const char *object, const char *arch, const struct ls_sites *table, const char *level)
{
    const uint32_t dies = ls_gpu_counts_by_die(ls_gpu_family_of(arch)) ? 8 : 1;
    struct accesses want = {0};
    int bad = 0;
    struct test t = {"copy", LINE(2048), LINE(64), 3, HOLD | LS_CTX_SUMMARY, 12, PLENTY};
    for (int i = 0; i < 2 && strcmp(level, "-O0"); i++) {
        struct host h = {0};
        bool ok = !run_case(object, arch, table, &t, &want, &h) && !h.error && !h.got.n && h.summaries == 1 &&
                  !h.left;
        ok = ok && h.counted == (i ? 2 * 16 : 2 * 32) && h.counts == (i ? 2 * dies + 2 : 2 * dies);
        bad += expect(ok, "summary", &h);
        t.kernel = "partial";
        t.n = 1000;
    }
    free(want.v);
    return bad;
}

/* What the originals cannot show. `many` does 400 accesses per wavefront, `copy` 2. */
static int test_modes(const char *object, const char *arch, const struct ls_sites *table)
{
    struct accesses want = {0};
    int bad = 0;
    struct host h = {0};
    struct test t = {"copy", LINE(512), LINE(64), 1, HOLD | LS_CTX_FILTER, 12, PLENTY};
    /* Groups 1 <= x < 2 of 8. */
    bool ok = !run_case(object, arch, table, &t, &want, &h) && h.got.n == 2 && h.got.v[0].workgroup == 1;
    bad += expect(ok && h.last == 1 && h.chunks_seen == 1, "filter", &h);
    /* Every third of 8 wavefronts: 0, 3, 6. */
    h = (struct host){0};
    t.flags = HOLD | LS_CTX_SAMPLE;
    ok = !run_case(object, arch, table, &t, &want, &h) && h.got.n == 6 && h.last == 3;
    bad += expect(ok, "sampling", &h);
    /* Nobody drains 2 chunks: each of 16 * 400 messages is reported or counted as dropped. */
    h = (struct host){0};
    t = (struct test){"many", LINE(1024), LINE(64), 1, HOLD | LS_CTX_DROP, 10, 2};
    ok = !run_case(object, arch, table, &t, &want, &h) && h.dropped + h.got.n == 6400 && h.dropped && h.got.n;
    bad += expect(ok && !h.closed, "dropping when the ring is full", &h);
    /* A dead host: the heartbeat stands still, the wavefronts give up instead of hanging. */
    h = (struct host){0};
    t.flags = HOLD;
    ok = !run_case(object, arch, table, &t, &want, &h) && h.dropped + h.got.n == 6400 && h.closed == 2;
    bad += expect(ok, "dead host", &h);
    /* No accesses, no parameters: nothing is sent. */
    h = (struct host){0};
    t = (struct test){"flat", LINE(128), LINE(64), 1, HOLD, 12, PLENTY};
    ok = !run_case(object, arch, table, &t, &want, &h) && h.got.n;
    bad += expect(ok, "flat accesses", &h);
    /* Two sides of one copy; lane i copies i % 5 + 2 bytes. 64 lanes: 12 full rounds of 0+1+2+3+4 and
     * 0+1+2+3, plus 2 each: 12 * 10 + 6 + 128 = 254 per side. */
    h = (struct host){0};
    t = (struct test){"lengths", LINE(64), LINE(64), 2, HOLD, 12, PLENTY};
    ok = !run_case(object, arch, table, &t, &want, &h) && h.got.n == 2 && h.lengths == 2 * 254;
    bad += expect(ok, "lengths", &h);
    free(want.v);
    return bad;
}

/* The site table's file, as objcopy --dump-section writes it. */
static void *read_table(const char *path)
{
    FILE *f = fopen(path, "rbe");
    char *data = f ? calloc(1, 1 << 20) : NULL;
    size_t n = data ? fread(data, 1, 1 << 20, f) : 0;
    if (f)
        fclose(f);
    if (n >= sizeof(struct ls_sites) && ((struct ls_sites *)data)->magic == LS_SITES_MAGIC)
        return data;
    printf("%s: no site table\n", path);
    free(data);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 5 && argc != 6) {
        fprintf(stderr, "Usage: %s CODE_OBJECT SITE_TABLE ARCH LEVEL [SEED of weak memory]\n", argv[0]);
        return 2;
    }
    weak_seed = argc == 6 ? strtoull(argv[5], NULL, 10) : 0;
    struct ls_sites *table = read_table(argv[2]);
    if (!table)
        return 1;
    int bad = test_same(argv[1], argv[3], table, argv[4]) + test_modes(argv[1], argv[3], table) +
              test_summary(argv[1], argv[3], table, argv[4]);
    free(table);
    printf("%s: %d failures\n", argv[3], bad);
    return bad != 0;
}
