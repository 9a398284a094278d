/* chunk.c - chunks as the GPU hands them over, through the decoder and all handlers. The first byte says of
 * which architecture, the second how many sites there are. */
#include "fuzz.h"
#include "host-handlers/pipeline/pipeline.h"

#include <lanescope/handler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SITES = 8, CHUNK = 4096 };

static struct ls_pipeline *pipeline(void)
{
    static const char *const handlers[] = {"lds_bank_conflicts",
                                           "memory_coalescing",
                                           "advice",
                                           "alignment",
                                           "heatmap",
                                           "redundancy",
                                           "block_executions",
                                           "block_timing",
                                           "wave_timeline",
                                           "instruction_mix",
                                           "address_log:format=binary:file=/dev/null",
                                           "address_log:format=csv:file=/dev/null"};
    static struct ls_pipeline *p;
    char *error = NULL;
    if (p)
        return p;
    p = ls_pipeline_create(NULL, NULL);
    for (size_t i = 0; p && i < sizeof handlers / sizeof *handlers; i++)
        if (ls_pipeline_load(p, FUZZ_HANDLERS, handlers[i], &error)) {
            fprintf(stderr, "%s\n", error);
            exit(2);
        }
    return p;
}

static void value(void *user, uint32_t site, uint32_t metric, int64_t number)
{
    (void)user, (void)site, (void)metric, (void)number;
}

static void row(void *user, const char *handler, const char *table, uint32_t site, const char *json)
{
    (void)user, (void)handler, (void)table, (void)site, (void)json;
}

static void call(void *user, uint32_t site, uint64_t executions, uint64_t lanes)
{
    (void)user, (void)site, (void)executions, (void)lanes;
}

static void make_site(struct lanescope_site *s, unsigned i)
{
    static const struct lanescope_frame frame = {.file = "a.hip", .function = "k", .line = 1, .column = 1};
    static const uint32_t bytes[] = {4, 0, 1, 16, 8, 12, 40, 1000};
    *s = (struct lanescope_site){.kind = (uint8_t)(1 + i % 4),
                                 .space = i & 1 ? 3 : 1,
                                 .bytes = bytes[i],
                                 .align = 4,
                                 .n_frames = 1,
                                 .frames = &frame,
                                 .instruction = "load"};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const archs[] = {"gfx90a", "gfx942", "gfx950", "gfx1100"};
    struct lanescope_site sites[SITES];
    const struct ls_result_sink sink = {NULL, value, row, call};
    struct fuzz_input in = {data, size};
    const char *arch = archs[fuzz_take(&in, 1) % 4];
    uint32_t n = (uint32_t)fuzz_take(&in, 1) % (SITES + 1);
    for (unsigned i = 0; i < SITES; i++)
        make_site(&sites[i], i);
    struct lanescope_dispatch d = {.size = sizeof d,
                                   .id = 1,
                                   .arch = arch,
                                   .kernel = "k",
                                   .mangled = "k",
                                   .lanes = 64,
                                   .sites = sites,
                                   .n_sites = n,
                                   .grid = {256, 1, 1},
                                   .workgroup = {64, 1, 1}};
    /* If there are all sites, 0 leads two others of global memory, and 3 one of LDS. */
    static const struct ls_site_lead lead[] = {{0, 2, 4}, {0, 4, 1 << 30}, {3, 5, -100}};
    static const uint32_t first[SITES + 1] = {0, 2, 2, 2, 3, 3, 3, 3, 3};
    const struct ls_unsaid unsaid = {.leads = {lead, n == SITES ? first : NULL},
                                     .numbers = {.n = n / 2, .shared = n / 4, .skip = n % 2 ? n / 2 : 0}};
    struct ls_work *work = ls_pipeline_begin(pipeline(), &d, &unsaid);
    for (; work && in.size; fuzz_take(&in, 0)) {
        static uint8_t chunk[CHUNK] __attribute__((aligned(64)));
        size_t take = in.size < CHUNK ? in.size : CHUNK;
        memset(chunk, 0, sizeof chunk);
        memcpy(chunk, in.data, take);
        in.data += take;
        in.size -= take;
        ls_pipeline_chunk(work, chunk, sizeof chunk);
    }
    if (work)
        ls_pipeline_end(work, &sink, NULL);
    return 0;
}
