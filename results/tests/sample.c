/*
 * The sample recording: two dispatches of the kernel `transpose` observed, a third not, and a kernel without
 * site table. Sites of transpose (lines of the source text below):
 *
 *   0  line 4  global load, 4 B, column 21      1  line 4  LDS store, 4 B, column 9
 *   2  line 6  LDS load, 4 B, column 15, merged by the hardware with 3
 *   3  line 6  LDS load, 4 B, column 31         4  line 6  global store, 4 B, column 3
 *   5  line 9  global load inlined at line 7, column 5 of transpose
 *   6  image load, not observed                 7  a second image load
 *   8  kernel argument read: no instruction of the user, not in the coverage
 *   9  scratch access, not observed            10  time stamp: no memory instruction
 *
 * Coverage: sites 0-7 and 9 are 9 memory instructions, of which 0-5 = 6 are observed; not: 2 image loads,
 * 1 scratch access.
 *
 * LDS (per dispatch; two observed dispatches with the same numbers, so the report doubles them):
 *   site 1: 16 executions, 1024 lanes, 32 index cycles, 0 conflicts
 *   site 2: 16 executions, 1024 lanes, 512 index cycles, 480 conflicts
 *   site 3: 16 executions, 512 lanes, 100 index cycles, 60 conflicts
 * Line 6 sums sites 2 and 3: 64 executions, 2 * (1024 + 512) = 3072 lanes: 48 lanes per execution;
 *   1224 index cycles, 1080 conflicts: 1080 / (1224 - 1080) = 7.5 conflicts per access; rate 3.125 * 7.5
 * = 23.4375 %. Line 4: 32 executions, 64 index cycles, 0 conflicts, ratio 0.
 *
 * Coalescing (per dispatch):
 *   site 0: 16 executions, 1024 lanes, 4096 bytes, 64 lines, 64 needed, 256 requests, 16 wavefronts
 *     (doubled: coalescing 100 * 64 * 32 / (4 * 512) = 100 %, lines per needed 1)
 *   site 4: 16 executions, 1024 lanes, 4096 bytes, 1024 lines, 64 needed, 1024 requests, 16 wavefronts
 *     (doubled: 100 * 64 * 32 / (4 * 2048) = 25 %, lines per needed 16)
 *   site 5: 16 executions, 1024 lanes, 4096 bytes, 128 lines, 64 needed, 512 requests, 16 wavefronts
 *     (doubled: 50 %, lines per needed 2)
 * Worst first by excess lines: line 6 store (2048 - 128 = 1920), line 9 (256 - 128 = 128), line 4 (0).
 */
#include "sample.h"

#include "lanescope/sites.h"

#include <stdio.h>
#include <stdlib.h>

#define N(a) (sizeof(a) / sizeof(*(a)))

static const char source_text[] =
    "// transpose.hip\n"
    "__global__ void transpose(float *out, const float *in)\n"
    "{ __shared__ float tile[1024];\n"
    "  tile[threadIdx.x] = in[threadIdx.x];\n"
    "  __syncthreads();\n"
    "\tout[threadIdx.x * 32] = tile[threadIdx.x * 32] + tile[threadIdx.x * 16]; // \"x\", y\n"
    "  helper(out, in);\n"
    "}\n"
    "static void helper(float *o, const float *i) { o[0] += i[blockIdx.x]; }\n";

struct site {
    uint8_t kind, space;
    uint32_t bytes, flags, reason, line, column, call_line, call_column, merged;
    const char *instruction, *isa;
};

static const struct site sites[] = {
    {LS_SITE_LOAD, 1, 4, LS_SITE_OBSERVED, 0, 4, 21, 0, 0, 0, "load", "global_load_dword"},
    {LS_SITE_STORE, 3, 4, LS_SITE_OBSERVED, 0, 4, 9, 0, 0, 0, "store", "ds_write_b32"},
    {LS_SITE_LOAD, 3, 4, LS_SITE_OBSERVED, 0, 6, 15, 0, 0, 1, "load", "ds_read2_b32"},
    {LS_SITE_LOAD, 3, 4, LS_SITE_OBSERVED, 0, 6, 31, 0, 0, 1, "load", "ds_read2_b32"},
    {LS_SITE_STORE, 1, 4, LS_SITE_OBSERVED, 0, 6, 3, 0, 0, 0, "store", "global_store_dword"},
    {LS_SITE_LOAD, 1, 4, LS_SITE_OBSERVED, 0, 9, 56, 7, 5, 0, "load", "global_load_dword"},
    {LS_SITE_IMAGE, 8, 16, 0, LS_REASON_IMAGE, 7, 1, 0, 0, 0, "llvm.amdgcn.image.load.2d.v4f32.i32", NULL},
    {LS_SITE_IMAGE, 8, 16, 0, LS_REASON_IMAGE, 7, 2, 0, 0, 0, "llvm.amdgcn.image.load.2d.v4f32.i32", NULL},
    {LS_SITE_LOAD, 4, 8, 0, LS_REASON_KERNARG, 2, 1, 0, 0, 0, "load", NULL},
    {LS_SITE_STORE, 5, 4, 0, LS_REASON_PRIVATE, 5, 1, 0, 0, 0, "store", NULL},
    {LS_SITE_TIME, 0, 0, LS_SITE_OBSERVED, 0, 5, 1, 0, 0, 0, "llvm.readcyclecounter", NULL},
};

enum {
    EXEC,
    LANES,
    INDEX,
    CONFLICT,
    ADDR,
    G_EXEC,
    G_LANES,
    G_BYTES,
    G_LINES,
    G_NEEDED,
    G_REQUESTS,
    G_WAVES,
    N_PLAIN
};

static const char *const metrics[N_PLAIN][3] = {
    {"lds_bank_conflicts", "Executions", "accesses"},   {"lds_bank_conflicts", "Active Lanes", "lanes"},
    {"lds_bank_conflicts", "Index Accesses", "cycles"}, {"lds_bank_conflicts", "Bank Conflict", "cycles"},
    {"lds_bank_conflicts", "Addr Conflict", "cycles"},  {"memory_coalescing", "Executions", "accesses"},
    {"memory_coalescing", "Active Lanes", "lanes"},     {"memory_coalescing", "Bytes", "bytes"},
    {"memory_coalescing", "Cache Lines", "lines"},      {"memory_coalescing", "Cache Lines Needed", "lines"},
    {"memory_coalescing", "TA Requests", "requests"},   {"memory_coalescing", "Wavefronts", "wavefronts"},
};

static const struct {
    int site, metric;
    int64_t value;
} values[] = {
    {1, EXEC, 16},        {1, LANES, 1024},   {1, INDEX, 32},        {1, CONFLICT, 0},   {1, ADDR, 0},
    {2, EXEC, 16},        {2, LANES, 1024},   {2, INDEX, 512},       {2, CONFLICT, 480}, {2, ADDR, 0},
    {3, EXEC, 16},        {3, LANES, 512},    {3, INDEX, 100},       {3, CONFLICT, 60},  {3, ADDR, 0},
    {0, G_EXEC, 16},      {0, G_LANES, 1024}, {0, G_BYTES, 4096},    {0, G_LINES, 64},   {0, G_NEEDED, 64},
    {0, G_REQUESTS, 256}, {0, G_WAVES, 16},   {4, G_EXEC, 16},       {4, G_LANES, 1024}, {4, G_BYTES, 4096},
    {4, G_LINES, 1024},   {4, G_NEEDED, 64},  {4, G_REQUESTS, 1024}, {4, G_WAVES, 16},   {5, G_EXEC, 16},
    {5, G_LANES, 1024},   {5, G_BYTES, 4096}, {5, G_LINES, 128},     {5, G_NEEDED, 64},  {5, G_REQUESTS, 512},
    {5, G_WAVES, 16},
};

static void add_sites(struct ls_db *db, int64_t module, int64_t kernel, const char *source, int64_t *ids)
{
    for (uint32_t i = 0; i < N(sites); i++) {
        const struct site *s = &sites[i];
        struct ls_db_frame frames[2] = {
            {source, s->line, s->column, s->call_line ? "helper" : "transpose", 0},
            {source, s->call_line, s->call_column, "transpose", 0}};
        ids[i] = ls_db_add_site(db, &(struct ls_db_site){.module = module,
                                                         .index = i,
                                                         .kernel = kernel,
                                                         .kind = s->kind,
                                                         .space = s->space,
                                                         .bytes = s->bytes,
                                                         .align = 4,
                                                         .flags = s->flags,
                                                         .reason = s->reason,
                                                         .instruction = s->instruction,
                                                         .function = "_Z9transposePfPKf",
                                                         .frames = frames,
                                                         .n_frames = s->call_line ? 2 : 1,
                                                         .isa = s->isa,
                                                         .isa_merged = s->merged});
        if (s->isa) /* joined alone, or together with another one */
            ls_db_join_site(db, ids[i],
                            &(struct ls_db_join){.isa = s->isa,
                                                 .merged = s->merged,
                                                 .state = s->merged ? 2 : 1,
                                                 .flags = s->flags,
                                                 .reason = s->reason});
    }
}

static void add_metrics(struct ls_db *db, int64_t *ids)
{
    for (size_t i = 0; i < N_PLAIN; i++)
        ids[i] = ls_db_add_metric(db, &(struct ls_db_metric){.handler = metrics[i][0],
                                                             .name = metrics[i][1],
                                                             .unit = metrics[i][2],
                                                             .description = ""});
    const struct ls_db_metric ratios[] = {
        {.handler = metrics[0][0],
         .name = "Bank Conflicts/Access",
         .unit = "conflicts/access",
         .scale = 1,
         .a = ids[CONFLICT],
         .c = ids[INDEX],
         .d = ids[CONFLICT]},
        {.handler = metrics[0][0],
         .name = "Bank Conflict Rate",
         .unit = "%",
         .scale = 3.125,
         .a = ids[CONFLICT],
         .c = ids[INDEX],
         .d = ids[CONFLICT]},
        {.handler = metrics[5][0],
         .name = "Coalescing",
         .unit = "%",
         .scale = 1600,
         .a = ids[G_WAVES],
         .c = ids[G_REQUESTS]},
        {.handler = metrics[5][0],
         .name = "Cache Lines/Needed",
         .unit = "lines/line",
         .scale = 1,
         .a = ids[G_LINES],
         .c = ids[G_NEEDED]},
    };
    for (size_t i = 0; i < N(ratios); i++) {
        struct ls_db_metric m = ratios[i];
        m.is_ratio = true;
        ls_db_add_metric(db, &m);
    }
}

bool sample_shares;

static int64_t add_dispatch(struct ls_db *db, uint64_t number, int64_t kernel, int64_t agent,
                            const char *not_observed, const struct ls_db_value *shared, size_t n_shared)
{
    return ls_db_add_dispatch(db, &(struct ls_db_dispatch){.number = number,
                                                           .kernel = kernel,
                                                           .agent = agent,
                                                           .queue = 1,
                                                           .grid = {1024, 1, 1},
                                                           .workgroup = {256, 1, 1},
                                                           .lds_bytes = 4096,
                                                           .start_ns = 1000000 * number,
                                                           .end_ns = 1000000 * number + 1500,
                                                           .observed = !not_observed,
                                                           .not_observed = not_observed,
                                                           .chunks = not_observed ? 0 : 4,
                                                           .bytes = not_observed ? 0 : 4096,
                                                           .messages = not_observed ? 0 : 96,
                                                           .values = shared,
                                                           .n_values = shared ? n_shared : 0});
}

void sample_fill(struct ls_db *db, const char *source)
{
    int64_t site_ids[N(sites)], metric_ids[N_PLAIN];
    FILE *f = fopen(source, "w");
    if (f) {
        fputs(source_text, f);
        fclose(f);
    }
    int64_t agent = ls_db_add_agent(
        db, &(struct ls_db_agent){
                .handle = 7, .arch = "gfx90a", .name = "soft", .compute_units = 4, .lanes = 64});
    int64_t object = ls_db_add_code_object(
        db, &(struct ls_db_code_object){
                .agent = agent, .uri = "file://app", .bytes = 9999, .instrumented = true});
    int64_t module = ls_db_add_module(
        db, &(struct ls_db_module){
                .code_object = object, .hash = 0xfeedfacecafebeefull, .llvm_major = 22, .target = "gfx90a"});
    int64_t kernel =
        ls_db_add_kernel(db, &(struct ls_db_kernel){.code_object = object,
                                                    .module = module,
                                                    .mangled = "_Z9transposePfPKf",
                                                    .demangled = "transpose(float*, float const*)",
                                                    .file = source,
                                                    .line = 2,
                                                    .lds_bytes = 4096,
                                                    .sgprs = 16,
                                                    .vgprs = 8});
    int64_t plain =
        ls_db_add_kernel(db, &(struct ls_db_kernel){.code_object = object,
                                                    .mangled = "Cijk_gemm",
                                                    .not_instrumented = "its code object has no site table"});
    add_sites(db, module, kernel, source, site_ids);
    add_metrics(db, metric_ids);
    ls_db_add_instruction(db, &(struct ls_db_instruction){.kernel = kernel,
                                                          .offset = 64,
                                                          .text = "ds_read2_b32 v[0:1], v2 offset1:1",
                                                          .file = source,
                                                          .line = 6,
                                                          .column = 15});
    struct ls_db_value shared[N(values)];
    for (size_t i = 0; i < N(values); i++)
        shared[i] =
            (struct ls_db_value){site_ids[values[i].site], metric_ids[values[i].metric], values[i].value};
    for (uint64_t n = 1; n <= 2; n++) {
        int64_t d = add_dispatch(db, n, kernel, agent, NULL, sample_shares ? shared : NULL, N(values));
        for (size_t i = 0; !sample_shares && i < N(values); i++)
            ls_db_add_value(db, d, site_ids[values[i].site], metric_ids[values[i].metric], values[i].value);
        ls_db_commit(db);
    }
    add_dispatch(db, 3, kernel, agent, "outside --kernel-iteration-range", NULL, 0);
    add_dispatch(db, 4, plain, agent, "its kernel is not instrumented", NULL, 0);
    ls_db_add_note(db, 1, "2 indirect calls in transpose run code that is not observed");
    ls_db_commit(db);
}

int sample_write(const char *path, const char *source, int64_t pid, bool kill_)
{
    static const char *const argv[] = {"./app", "--size", "a b", NULL};
    char *error = NULL;
    struct ls_db *db = ls_db_create(path,
                                    &(struct ls_db_process){.pid = pid,
                                                            .ppid = 1,
                                                            .argv = argv,
                                                            .hostname = "node1",
                                                            .cwd = "/",
                                                            .gpu = "soft:gfx90a",
                                                            .runtime = "ROCr 1.1",
                                                            .start_ns = 5,
                                                            .options_json = "{}"},
                                    &error);
    if (db)
        sample_fill(db, source);
    if (db && kill_)
        _Exit(0); /* as kill -9 would: nothing is closed */
    if (!db || ls_db_finish(db, true, &error)) {
        fprintf(stderr, "%s\n", error ? error : "failed");
        free(error);
        return -1;
    }
    return 0;
}
