/* record.c - see record.h. */
#include "record.h"

#include <dlfcn.h>
#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "allocations.h"
#include "held.h"
#include "code.h"
#include "isa.h"
#include "join.h"
#include "log.h"
#include "match.h"
#include "output_path.h"
#include "pipeline.h"
#include "reduce.h"
#include "times.h"
#include "writer.h"

/* All of the following. Recursive: handlers open, log and close while we hold it. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct ls_db *db;
static struct ls_pipeline *pipeline;
static int64_t *metric_ids; /* of metric number i + 1 */
static size_t n_metrics, n_handlers;
static uint64_t last_commit_ns;
static bool error_told;
static atomic_bool uncommitted; /* written under lock */
static char *path;
static uint64_t n_observed, n_dispatches;
/* All struct ls_match. Taken inside `lock` or alone, never the other way round. */
static pthread_mutex_t match_lock = PTHREAD_MUTEX_INITIALIZER;

enum { COMMIT_EVERY_NS = 100000000 };

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Under lock: tells the first error of the database, once. */
static void check_db(void)
{
    const char *e = db ? ls_db_error(db) : NULL;
    if (e && !error_told) {
        error_told = true;
        ls_log(LS_LOG_ERROR, "results are incomplete: %s", e);
    }
}

static void commit_soon(void)
{
    uint64_t now = now_ns();
    uncommitted = true;
    if (now - last_commit_ns >= COMMIT_EVERY_NS) {
        last_commit_ns = now;
        uncommitted = false;
        ls_db_commit(db);
    }
    check_db();
}

void ls_record_busy(void)
{
    if (!uncommitted)
        return;
    pthread_mutex_lock(&lock);
    if (db && uncommitted)
        commit_soon();
    pthread_mutex_unlock(&lock);
}

void ls_record_idle(void)
{
    pthread_mutex_lock(&lock);
    if (db && uncommitted) {
        last_commit_ns = now_ns();
        uncommitted = false;
        ls_db_commit(db);
        check_db();
    }
    pthread_mutex_unlock(&lock);
}

static void note_locked(int level, const char *text)
{
    if (db)
        ls_db_add_note(db, level, text);
}

void ls_record_note(int level, const char *format, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&text, format, ap);
    va_end(ap);
    if (n < 0)
        return;
    pthread_mutex_lock(&lock);
    note_locked(level, text);
    pthread_mutex_unlock(&lock);
    free(text);
}

/* ---- opening ---- */

struct process_text {
    char **argv;
    char *buffer;
    char host[256], cwd[4096], runtime[64];
    json_t *json;
};

/* /proc/self/cmdline, or what the launcher says. */
static void read_argv(struct process_text *t, const char *json_text)
{
    size_t n = 0, used = 0;
    t->json = json_text ? json_loads(json_text, 0, NULL) : NULL;
    if (json_is_array(t->json)) {
        t->argv = calloc(json_array_size(t->json) + 1, sizeof *t->argv);
        for (size_t i = 0; t->argv && i < json_array_size(t->json); i++)
            if (json_is_string(json_array_get(t->json, i)))
                t->argv[n++] = (char *)(uintptr_t)json_string_value(json_array_get(t->json, i));
        return;
    }
    FILE *f = fopen("/proc/self/cmdline", "r");
    size_t room = 0;
    ssize_t got;
    char *arg = NULL;
    FILE *out = f ? open_memstream(&t->buffer, &used) : NULL;
    while (out && (got = getdelim(&arg, &room, 0, f)) > 0) {
        fwrite(arg, 1, (size_t)got, out);
        n++;
    }
    free(arg);
    if (f)
        fclose(f);
    if (!out || fclose(out) != 0)
        return;
    t->argv = calloc(n + 1, sizeof *t->argv);
    char *s = t->buffer;
    for (size_t i = 0; t->argv && i < n; i++, s += strlen(s) + 1)
        t->argv[i] = s;
}

static void free_text(struct process_text *t)
{
    free(t->argv);
    free(t->buffer);
    json_decref(t->json);
}

/* The settings that shape the results, for the record. malloc'd. */
static char *options_json(const struct ls_config *c)
{
    static const char *const names[] = {"KERNELS",    "KERNELS_EXCLUDE", "DISPATCHES",
                                        "BLOCKS",     "SAMPLE_WAVES",    "ON_FULL",
                                        "RING_BYTES", "CHUNK_BYTES",     "SUMMARY_MODE"};
    json_t *o = json_object();
    json_object_set_new(o, "handlers", json_string(c->handlers));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char variable[64], key[64];
        snprintf(variable, sizeof variable, "LANESCOPE_%s", names[i]);
        const char *v = getenv(variable);
        size_t k = 0;
        for (; names[i][k]; k++)
            key[k] = (char)(names[i][k] == '_' ? '_' : names[i][k] + ('a' - 'A'));
        key[k] = 0;
        if (v && *v)
            json_object_set_new(o, key, json_string(v));
    }
    char *text = json_dumps(o, JSON_SORT_KEYS);
    json_decref(o);
    return text;
}

static int open_db(const struct ls_api *api, const struct ls_config *c)
{
    struct process_text t = {0};
    uint16_t major = 0, minor = 0;
    char *error = NULL, *options = options_json(c);
    read_argv(&t, c->argv_json);
    gethostname(t.host, sizeof t.host - 1);
    if (!getcwd(t.cwd, sizeof t.cwd))
        t.cwd[0] = 0;
    api->core.system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major);
    api->core.system_get_info(HSA_SYSTEM_INFO_VERSION_MINOR, &minor);
    snprintf(t.runtime, sizeof t.runtime, "ROCr %u.%u", (unsigned)major, (unsigned)minor);
    static const char *const no_argv[] = {NULL};
    struct ls_db_process process = {.pid = getpid(),
                                    .ppid = getppid(),
                                    .argv = t.argv ? (const char *const *)t.argv : no_argv,
                                    .hostname = t.host,
                                    .cwd = t.cwd,
                                    .gpu = c->gpu,
                                    .runtime = t.runtime,
                                    .start_ns = now_ns(),
                                    .options_json = options ? options : "{}"};
    path = ls_output_path(c->output);
    db = path ? ls_db_create(path, &process, &error) : NULL;
    if (!db)
        ls_log(LS_LOG_ERROR, "nothing will be recorded: %s", error ? error : "out of memory");
    free(error);
    free(options);
    free_text(&t);
    return db ? 0 : -1;
}

static void store_agents(void)
{
    struct ls_agent *list;
    size_t n = ls_agents(&list);
    for (size_t i = 0; i < n; i++) {
        struct ls_db_agent a = {.handle = list[i].hsa.handle,
                                .arch = list[i].arch,
                                .name = list[i].name,
                                .compute_units = list[i].compute_units,
                                .lanes = list[i].lanes};
        list[i].db_id = ls_db_add_agent(db, &a);
    }
}

/* What goes wrong in a handler, and that one is called no more, belongs to the results. A handler that
 * complains about each message must not fill the disk. */
static void pipeline_line(void *user, int level, const char *line)
{
    enum { NOTES_MAX = 64 };
    static unsigned n;
    (void)user;
    ls_log(level, "%s", line);
    if (level > LS_LOG_WARNING)
        return;
    pthread_mutex_lock(&lock);
    if (n < NOTES_MAX)
        note_locked(level, line);
    else if (n == NOTES_MAX)
        note_locked(LS_LOG_WARNING, "handlers said more than is kept here");
    n++;
    pthread_mutex_unlock(&lock);
}

/* Handler modules lie beside this library. */
static char *own_module_dir(void)
{
    Dl_info info;
    char *dir = NULL;
    if (!dladdr((void *)(uintptr_t)own_module_dir, &info) || !info.dli_fname)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    if (asprintf(&dir, "%.*shandlers", slash ? (int)(slash - info.dli_fname + 1) : 0, info.dli_fname) < 0)
        return NULL;
    return dir;
}

static void load_handlers(const struct ls_config *c)
{
    char *own = c->module_dir ? NULL : own_module_dir();
    const char *dir = c->module_dir ? c->module_dir : own ? own : ".";
    char *list = strdup(c->handlers), *save = NULL;
    pipeline = list ? ls_pipeline_create(pipeline_line, NULL) : NULL;
    if (pipeline && c->summary)
        ls_pipeline_summary(pipeline);
    for (char *spec = pipeline ? strtok_r(list, ",", &save) : NULL; spec; spec = strtok_r(NULL, ",", &save)) {
        char *error = NULL;
        if (ls_pipeline_load(pipeline, dir, spec, &error) == 0) {
            n_handlers++;
            continue;
        }
        ls_log(LS_LOG_ERROR, "%s", error ? error : "out of memory");
        note_locked(LS_LOG_ERROR, error ? error : "a handler could not be loaded: out of memory");
        free(error);
    }
    free(list);
    free(own);
}

static int64_t metric_id(uint32_t number)
{
    return number >= 1 && number <= n_metrics ? metric_ids[number - 1] : 0;
}

static void store_metrics(void)
{
    const struct ls_metric_info *m;
    const struct ls_ratio_info *r;
    size_t n = pipeline ? ls_pipeline_metrics(pipeline, &m) : 0;
    metric_ids = calloc(n + 1, sizeof *metric_ids);
    n_metrics = metric_ids ? n : 0;
    for (size_t i = 0; i < n_metrics; i++) {
        struct ls_db_metric x = {
            .handler = m[i].handler, .name = m[i].name, .unit = m[i].unit, .description = m[i].description};
        metric_ids[i] = ls_db_add_metric(db, &x);
    }
    n = n_metrics ? ls_pipeline_ratios(pipeline, &r) : 0;
    for (size_t i = 0; i < n; i++) {
        const struct lanescope_ratio *q = &r[i].ratio;
        struct ls_db_metric x = {.handler = r[i].handler,
                                 .name = q->name,
                                 .unit = q->unit,
                                 .description = q->description,
                                 .is_ratio = true,
                                 .scale = q->scale,
                                 .a = metric_id(q->a),
                                 .b = metric_id(q->b),
                                 .c = metric_id(q->c),
                                 .d = metric_id(q->d)};
        ls_db_add_metric(db, &x);
    }
}

int ls_record_open(const struct ls_api *api, const struct ls_config *c)
{
    pthread_mutex_lock(&lock);
    int rc = open_db(api, c);
    if (!rc) {
        store_agents();
        load_handlers(c);
        store_metrics();
        ls_db_commit(db);
        last_commit_ns = now_ns();
        check_db();
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

bool ls_record_can_observe(void)
{
    return n_handlers > 0 && db;
}

uint32_t ls_record_needs(void)
{
    return pipeline ? ls_pipeline_needs(pipeline) : 0;
}

/* ---- code objects ---- */

static void store_code_object(struct ls_code_object *co)
{
    struct ls_db_code_object x = {.agent = co->agent->db_id,
                                  .uri = co->uri,
                                  .bytes = co->bytes,
                                  .load_base = co->load_base,
                                  .instrumented = co->n_modules != 0};
    co->stored = true;
    co->db_id = ls_db_add_code_object(db, &x);
    if (co->damage) {
        char text[512];
        snprintf(text, sizeof text, "%s: site table not usable: %s", co->uri ? co->uri : "code object",
                 co->damage);
        note_locked(LS_LOG_WARNING, text);
    }
    co->module_ids = calloc(co->n_modules + 1, sizeof *co->module_ids);
    co->site_ids = calloc(co->n_modules + 1, sizeof *co->site_ids);
    co->match = calloc(co->n_modules + 1, sizeof(struct ls_match *));
    co->site_state = calloc(co->n_modules + 1, sizeof *co->site_state);
    co->reductions = calloc(co->n_modules + 1, sizeof(struct ls_reduction *));
    for (size_t i = 0; co->module_ids && i < co->n_modules; i++) {
        struct ls_db_module m = {.code_object = co->db_id,
                                 .hash = co->modules[i].hash,
                                 .llvm_major = co->modules[i].llvm_major,
                                 .target = co->modules[i].target};
        co->module_ids[i] = ls_db_add_module(db, &m);
    }
}

static size_t module_index(const struct ls_kernel *k)
{
    return (size_t)(k->module - k->code_object->modules);
}

static void store_kernel(struct ls_kernel *k, struct ls_isa *isa)
{
    struct ls_code_object *co = k->code_object;
    struct ls_isa_registers original = {0}, clone = {0};
    if (isa)
        ls_isa_registers(isa, k->mangled, &original);
    if (isa && k->entry)
        ls_isa_registers(isa, k->entry->clone, &clone);
    struct ls_db_kernel x = {.code_object = co->db_id,
                             .module = k->module && co->module_ids ? co->module_ids[module_index(k)] : 0,
                             .mangled = k->mangled,
                             .demangled = k->demangled,
                             .file = k->entry ? k->entry->file : NULL,
                             .line = k->entry ? k->entry->line : 0,
                             .lds_bytes = k->original.group,
                             .scratch_bytes = k->original.private,
                             .sgprs = original.sgprs,
                             .vgprs = original.vgprs,
                             .agprs = original.agprs,
                             .clone_scratch_bytes = k->clone_object ? k->clone.private : 0,
                             .clone_sgprs = clone.sgprs,
                             .clone_vgprs = clone.vgprs,
                             .clone_agprs = clone.agprs,
                             .not_instrumented = k->not_instrumented};
    k->db_id = ls_db_add_kernel(db, &x);
}

/* Rows of a kernel's or function's instructions, and the sites that they are stored with. */
struct ls_stored_listing {
    struct ls_stored_listing *next;
    size_t module;
    const char *function; /* linkage name */
    size_t n;
    struct {
        int64_t row;
        uint32_t site;
    } of[];
};

/* `kernel`: its row; 0: the function is none. */
static void store_instructions(struct ls_code_object *co, size_t module, const char *function, int64_t kernel,
                               const struct ls_isa_listing *l)
{
    struct ls_stored_listing *rows = calloc(1, sizeof *rows + l->n * sizeof rows->of[0]);
    if (rows) {
        rows->module = module;
        rows->function = function;
        rows->next = co->listings;
        co->listings = rows;
    }
    for (size_t i = 0; i < l->n; i++) {
        struct ls_db_instruction x = {.kernel = kernel,
                                      .function = kernel ? NULL : function,
                                      .module = co->module_ids[module],
                                      .offset = l->items[i].offset,
                                      .text = l->items[i].text,
                                      .file = l->items[i].file,
                                      .line = l->items[i].line,
                                      .column = l->items[i].column};
        int64_t row = ls_db_add_instruction(db, &x);
        if (!rows)
            continue;
        rows->n = i + 1;
        rows->of[i].row = row;
        rows->of[i].site = LS_NONE;
    }
}

static int64_t store_site(const struct ls_code_object *co, size_t module, uint32_t index,
                          const struct ls_kernel *k, const struct ls_isa_listing *l)
{
    const struct ls_module *m = &co->modules[module];
    const struct lanescope_site *s = &m->sites[index];
    struct ls_db_frame *frames = calloc(s->n_frames + 1u, sizeof *frames);
    struct ls_db_site x = {.module = co->module_ids[module],
                           .index = index,
                           .kernel = k ? k->db_id : 0,
                           .kind = s->kind,
                           .space = s->space,
                           .bytes = s->bytes,
                           .align = s->align,
                           .flags = s->flags,
                           .reason = m->raw[index].reason,
                           .instruction = s->instruction,
                           .function = m->functions[index],
                           .frames = frames,
                           .n_frames = frames ? s->n_frames : 0};
    for (size_t i = 0; i < x.n_frames; i++)
        frames[i] = (struct ls_db_frame){s->frames[i].file, s->frames[i].line, s->frames[i].column,
                                         s->frames[i].function};
    char *text = k && l ? ls_join_site(m, m->raw[index].kernel, index, l, &x.isa_merged) : NULL;
    x.isa = text;
    int64_t id = ls_db_add_site(db, &x);
    free(text);
    free(frames);
    return id;
}

static struct ls_kernel *kernel_of_entry(const struct ls_code_object *co, const struct ls_module *m,
                                         uint32_t n)
{
    for (struct ls_kernel *k = __atomic_load_n(&co->kernels, __ATOMIC_ACQUIRE); k; k = k->next_of_code_object)
        if (k->module == m && k->entry == &m->kernels[n])
            return k;
    return NULL;
}

/* Sites of one kernel (LS_NONE: of functions that several reach), while that kernel's listing is at hand. */
static void store_sites_of(struct ls_code_object *co, size_t module, uint32_t kernel,
                           const struct ls_kernel *k, const struct ls_isa_listing *l)
{
    const struct ls_module *m = &co->modules[module];
    for (uint32_t i = 0; i < m->n_sites; i++)
        if (m->raw[i].kernel == kernel)
            co->site_ids[module][i] = store_site(co, module, i, k, l);
}

/* Functions that are not kernels: sites of theirs belong to the kernels that call them. */
static void match_functions(struct ls_code_object *co, size_t module, struct ls_isa *isa,
                            struct ls_match *match)
{
    const struct ls_module *m = &co->modules[module];
    for (uint32_t i = 0; i < m->n_sites; i++) {
        struct ls_isa_listing l = {0};
        const char *name = m->functions[i], *why;
        bool known = false;
        for (uint32_t k = 0; k < m->n_kernels && !known; k++)
            known = !strcmp(m->kernels[k].name, name);
        for (uint32_t k = 0; k < i && !known; k++)
            known = !strcmp(m->functions[k], name);
        if (!known && ls_isa_list(isa, name, &l, &why) == 0) {
            store_instructions(co, module, name, 0, &l);
            ls_match_listing(match, name, &l);
        }
        ls_isa_listing_free(&l);
    }
}

/* Writes what has become known of the module's sites; under both locks. */
static void store_joins(struct ls_code_object *co, size_t module)
{
    const struct ls_module *m = &co->modules[module];
    struct ls_match *match = co->match[module];
    if (!ls_match_changed(match))
        return;
    for (uint32_t i = 0; i < m->n_sites; i++) {
        enum ls_match_state state = ls_match_state(match, i);
        const struct lanescope_site *s = &m->sites[i];
        const struct ls_isa_instruction *at = ls_match_instruction(match, i);
        /* The place of an access that the vectoriser made is that of any of its parts; the hardware's is
         * right. */
        if (at && s->n_frames && s->frames[0].line &&
            (!(s->flags & LS_SITE_MERGED) || at->line == s->frames[0].line || !at->line))
            at = NULL;
        bool named = s->space == 5 && ls_match_instruction(match, i);
        unsigned char now = (unsigned char)(named ? 0x80 : state);
        if ((!now && !co->site_state[module][i]) || co->site_ids[module][i] <= 0)
            continue;
        bool scalar = state == LS_MATCH_SCALAR;
        char *text = ls_match_text(match, i);
        struct ls_db_frame frame = {at ? at->file : NULL, at ? at->line : 0, at ? at->column : 0,
                                    m->functions[i]};
        struct ls_db_join j = {.isa = text,
                               .merged = state == LS_MATCH_SHARED,
                               .state = state,
                               .flags = scalar ? s->flags & ~(uint32_t)LS_SITE_OBSERVED : s->flags,
                               .reason = scalar ? LS_REASON_SCALAR : m->raw[i].reason,
                               .frame = at && at->file ? &frame : NULL};
        ls_db_join_site(db, co->site_ids[module][i], &j);
        co->site_state[module][i] = now;
        free(text);
    }
    for (struct ls_stored_listing *l = co->listings; l; l = l->next)
        for (size_t i = 0; l->module == module && i < l->n; i++) {
            uint32_t site = ls_match_site(match, l->function, i);
            if (site != l->of[i].site)
                ls_db_join_instruction(db, l->of[i].row, site == LS_NONE ? 0 : co->site_ids[module][site]);
            l->of[i].site = site;
        }
}

static void store_module(struct ls_code_object *co, size_t module, struct ls_isa *isa)
{
    const struct ls_module *m = &co->modules[module];
    co->site_ids[module] = calloc(m->n_sites + 1u, sizeof(int64_t));
    if (!co->site_ids[module])
        return;
    struct ls_match *match = isa ? ls_match_create(m) : NULL;
    co->site_state[module] = match ? calloc(m->n_sites + 1u, 1) : NULL;
    for (uint32_t n = 0; n < m->n_kernels; n++) {
        struct ls_isa_listing l = {0};
        const char *why;
        struct ls_kernel *k = kernel_of_entry(co, m, n);
        if (k) {
            store_kernel(k, isa);
            if (isa && ls_record_needs() & LANESCOPE_NEEDS_CODE)
                k->code = ls_code_read(m, n, isa);
            if (isa && ls_isa_list(isa, k->mangled, &l, &why) == 0)
                store_instructions(co, module, m->kernels[n].name, k->db_id, &l);
            else if (isa)
                ls_log(LS_LOG_INFO, "%s: no disassembly: %s", k->demangled, why);
        }
        store_sites_of(co, module, n, k, &l);
        if (match && k)
            ls_match_listing(match, m->kernels[n].name, &l);
        ls_isa_listing_free(&l);
    }
    store_sites_of(co, module, LS_NONE, NULL, NULL);
    if (!match || !co->site_state[module])
        return;
    match_functions(co, module, isa, match);
    pthread_mutex_lock(&match_lock);
    ls_match_solve(match);
    co->match[module] = match;
    store_joins(co, module);
    pthread_mutex_unlock(&match_lock);
}

static void code_object_locked(struct ls_code_object *co)
{
    const char *why = NULL;
    if (!db || co->stored)
        return;
    store_code_object(co);
    if (!co->n_modules || !co->module_ids || !co->site_ids || !co->match || !co->site_state)
        return;
    struct ls_isa *isa = co->image ? ls_isa_open(co->image, co->bytes, co->agent->isa, &why) : NULL;
    if (why) {
        char text[256];
        snprintf(text, sizeof text, "no hardware instructions are listed: %s", why);
        note_locked(LS_LOG_WARNING, text);
    }
    for (size_t i = 0; i < co->n_modules; i++)
        store_module(co, i, isa);
    if (isa)
        ls_isa_close(isa);
    free(co->image);
    co->image = NULL;
    commit_soon();
}

void ls_record_code_object(struct ls_code_object *co)
{
    pthread_mutex_lock(&lock);
    code_object_locked(co);
    pthread_mutex_unlock(&lock);
}

/* ---- dispatches ---- */

static void fill_info(struct ls_slot *s)
{
    struct ls_slot_use *u = &s->use;
    struct lanescope_dispatch *d = &u->info;
    const struct ls_kernel *k = u->kernel;
    *d = (struct lanescope_dispatch){.size = sizeof *d,
                                     .id = u->number,
                                     .kernel = k->demangled,
                                     .mangled = k->mangled,
                                     .arch = s->agent->arch,
                                     .lanes = s->agent->lanes,
                                     .lds_bytes = u->lds_bytes,
                                     .scratch_bytes = u->scratch_bytes,
                                     .n_sites = k->module->n_sites,
                                     .sites = k->module->sites};
    memcpy(d->grid, u->grid, sizeof d->grid);
    memcpy(d->workgroup, u->workgroup, sizeof d->workgroup);
    d->n_allocations = u->allocations ? u->allocations->n : 0;
    d->allocations = u->allocations ? u->allocations->list : NULL;
    if (ls_record_needs() & LANESCOPE_NEEDS_CODE) {
        ls_record_code_object(k->code_object); /* the first dispatch may come before */
        d->n_functions = k->code ? k->code->n : 0;
        d->functions = k->code ? k->code->functions : NULL;
    }
}

static struct ls_match *match_of(const struct ls_kernel *k)
{
    const struct ls_code_object *co = k->code_object;
    return co->match ? co->match[module_index(k)] : NULL;
}

bool ls_record_reduces(void)
{
    return pipeline && ls_pipeline_reduces(pipeline);
}

void ls_record_joins(struct ls_kernel *k, void (*f)(void *user, struct ls_match *match), void *user)
{
    ls_record_code_object(k->code_object);
    pthread_mutex_lock(&match_lock);
    f(user, match_of(k));
    pthread_mutex_unlock(&match_lock);
}

static void learn(void *user, const void *chunk, size_t size)
{
    const struct ls_slot *s = user;
    ls_match_learn(match_of(s->use.kernel), s->use.number, chunk, size);
}

static void feed(void *user, const void *chunk, size_t size)
{
    ls_pipeline_chunk(user, chunk, size);
}

/* Handlers start when it is known which instructions did the accesses. */
static bool begin_work(struct ls_slot *s)
{
    struct ls_slot_use *u = &s->use;
    if (u->work)
        return true;
    ls_record_code_object(u->kernel->code_object);
    fill_info(s);
    struct ls_match *match = match_of(u->kernel);
    if (match) {
        pthread_mutex_lock(&match_lock);
        if (u->held) {
            ls_held_each(u, learn, s);
            ls_match_solve(match);
        }
        /* what the GPU reduced, it reduced by what was known when the dispatch was launched */
        u->info.isa = u->reduction && !u->reduction->open ? u->reduction->isa : ls_match_isa(match);
        pthread_mutex_unlock(&match_lock);
    }
    u->work = ls_pipeline_begin(pipeline, &u->info);
    if (u->work)
        ls_held_each(u, feed, u->work);
    ls_held_free(u);
    return u->work != NULL;
}

/* Whether the chunk waits, because accesses in it may still tell something about the machine code. */
static bool hold(struct ls_slot *s, const void *chunk, size_t size)
{
    struct ls_slot_use *u = &s->use;
    if (u->work || u->held_bytes >= LS_HELD_LIMIT)
        return false;
    if (!u->held) {
        ls_record_code_object(u->kernel->code_object);
        struct ls_match *match = match_of(u->kernel);
        pthread_mutex_lock(&match_lock);
        bool wants =
            match && ls_match_wants(match, (uint32_t)(u->kernel->entry - u->kernel->module->kernels));
        pthread_mutex_unlock(&match_lock);
        if (!wants)
            return false;
    }
    return ls_held_add(u, chunk, size);
}

void ls_record_chunk(struct ls_slot *s, const void *chunk, size_t size)
{
    if (((const struct ls_chunk *)chunk)->flags & LS_CHUNK_SUMMARY)
        s->use.summary_seen = true;
    if (!s->use.kernel || !s->use.kernel->module || s->use.not_observed || s->use.ended)
        return;
    if (!hold(s, chunk, size) && begin_work(s))
        ls_pipeline_chunk(s->use.work, chunk, size);
}

/* Results of one dispatch, kept until its row is in the database. */
struct results {
    struct value {
        uint32_t site, metric;
        int64_t value;
    } *values;
    size_t n_values, room;
    struct row {
        char *handler, *table, *json;
        uint32_t site;
    } *rows;
    size_t n_rows;
    bool lost; /* out of memory */
};

static void keep_value(void *user, uint32_t site, uint32_t metric, int64_t value)
{
    struct results *r = user;
    if (r->n_values == r->room) {
        size_t room = r->room ? 2 * r->room : 256;
        struct value *grown = realloc(r->values, room * sizeof *grown);
        if (!grown) {
            r->lost = true;
            return;
        }
        r->values = grown;
        r->room = room;
    }
    r->values[r->n_values++] = (struct value){site, metric, value};
}

static void keep_row(void *user, const char *handler, const char *table, uint32_t site, const char *json)
{
    struct results *r = user;
    struct row *grown = realloc(r->rows, (r->n_rows + 1) * sizeof *grown);
    if (!grown) {
        r->lost = true;
        return;
    }
    r->rows = grown;
    r->rows[r->n_rows++] = (struct row){strdup(handler), strdup(table), strdup(json), site};
}

static int64_t site_id(const struct ls_kernel *k, uint32_t site)
{
    if (site == LANESCOPE_NO_SITE || !k->module || site >= k->module->n_sites)
        return 0;
    const int64_t *ids = k->code_object->site_ids ? k->code_object->site_ids[module_index(k)] : NULL;
    return ids ? ids[site] : 0;
}

static void store_results(const struct ls_kernel *k, int64_t dispatch, struct results *r)
{
    for (size_t i = 0; i < r->n_values; i++)
        ls_db_add_value(db, dispatch, site_id(k, r->values[i].site), metric_id(r->values[i].metric),
                        r->values[i].value);
    for (size_t i = 0; i < r->n_rows; i++) {
        struct row *row = &r->rows[i];
        if (row->handler && row->table && row->json)
            ls_db_add_row(db, dispatch, site_id(k, row->site), row->handler, row->table, row->json);
        free(row->handler);
        free(row->table);
        free(row->json);
    }
    if (r->lost)
        note_locked(LS_LOG_ERROR, "results of a dispatch are incomplete: out of memory");
    free(r->values);
    free(r->rows);
}

static void store_dispatch(struct ls_agent *a, const struct ls_slot_use *u, uint64_t start, uint64_t end,
                           const struct ls_chunk_stats *stats, struct results *r)
{
    struct ls_kernel *k = u->kernel;
    pthread_mutex_lock(&lock);
    code_object_locked(k->code_object);
    if (db && !k->db_id)
        store_kernel(k, NULL);
    struct ls_db_dispatch d = {.number = u->number,
                               .kernel = k->db_id,
                               .agent = a->db_id,
                               .queue = (uint64_t)(uintptr_t)u->queue,
                               .lds_bytes = u->lds_bytes,
                               .scratch_bytes = u->scratch_bytes,
                               .start_ns = start,
                               .end_ns = end,
                               .observed = !u->not_observed,
                               .not_observed = u->not_observed,
                               .chunks = stats->chunks,
                               .bytes = stats->bytes,
                               .messages = stats->messages,
                               .bad = stats->bad_chunks + stats->bad_messages,
                               .dropped = u->dropped};
    memcpy(d.grid, u->grid, sizeof d.grid);
    memcpy(d.workgroup, u->workgroup, sizeof d.workgroup);
    if (db && d.observed && match_of(k)) {
        pthread_mutex_lock(&match_lock);
        store_joins(k->code_object, module_index(k));
        pthread_mutex_unlock(&match_lock);
    }
    int64_t id = db ? ls_db_add_dispatch(db, &d) : 0;
    n_dispatches++;
    n_observed += d.observed;
    if (id > 0)
        store_results(k, id, r);
    if (db)
        commit_soon();
    pthread_mutex_unlock(&lock);
}

void ls_record_dispatch(const struct ls_api *api, struct ls_slot *s)
{
    struct ls_slot_use *u = &s->use;
    struct results r = {0};
    struct ls_chunk_stats stats = {0};
    struct ls_result_sink sink = {&r, keep_value, keep_row};
    hsa_amd_profiling_dispatch_time_t t = {0, 0};
    if (!u->aborted &&
        api->amd.profiling_get_dispatch_time(s->agent->hsa, s->signal, &t) != HSA_STATUS_SUCCESS)
        t.start = t.end = 0;
    ls_times_final(u->app_signal, u->number, t.start, t.end);
    if (!u->not_observed && !begin_work(s))
        u->not_observed = "out of memory: no room for the handlers' state";
    if (u->work)
        ls_pipeline_end(u->work, &sink, &stats);
    u->work = NULL;
    ls_allocations_put(u->allocations);
    u->allocations = NULL;
    u->ended = true;
    s->summary_used = u->summary && !u->summary_seen;
    if (u->aborted && !u->not_observed)
        ls_record_note(LS_LOG_WARNING, "dispatch %llu of %s did not complete: its results are partial",
                       (unsigned long long)u->number, u->kernel->demangled);
    else if (u->summary && !u->summary_seen && !u->not_observed)
        ls_record_note(LS_LOG_ERROR, "dispatch %llu of %s did not send its counters: its results are partial",
                       (unsigned long long)u->number, u->kernel->demangled);
    store_dispatch(s->agent, u, t.start, t.end, &stats, &r);
}

void ls_record_untimed(struct ls_kernel *k, const struct ls_slot_use *use, struct ls_agent *a)
{
    struct results r = {0};
    struct ls_chunk_stats stats = {0};
    if (k)
        store_dispatch(a, use, 0, 0, &stats, &r);
}

/* ---- copies and markers ---- */

void ls_record_copy(const struct ls_copy *c)
{
    struct ls_db_copy x = {.number = c->number,
                           .from = c->from ? c->from->db_id : 0,
                           .to = c->to ? c->to->db_id : 0,
                           .bytes = c->bytes,
                           .start_ns = c->start,
                           .end_ns = c->end};
    pthread_mutex_lock(&lock);
    if (db) {
        ls_db_add_copy(db, &x);
        commit_soon();
    }
    pthread_mutex_unlock(&lock);
}

void ls_record_marker(struct ls_marker *m)
{
    struct ls_db_marker x = {
        .kind = m->kind, .thread = m->thread, .start_ns = m->start, .end_ns = m->end, .text = m->text};
    pthread_mutex_lock(&lock);
    if (db) {
        ls_db_add_marker(db, &x);
        commit_soon();
    }
    pthread_mutex_unlock(&lock);
    ls_marker_free(m);
}

/* ---- closing ---- */

/* Says how many accesses of one module are counted by estimate for that reason, and where the first of them
 * are. */
static void note_estimates_for(const struct ls_module *m, const struct ls_match *match, enum ls_match_why why,
                               const char *reason)
{
    char places[256] = "", text[640];
    unsigned n = 0;
    for (uint32_t i = 0; i < m->n_sites; i++) {
        const struct lanescope_site *s = &m->sites[i];
        size_t used = strlen(places);
        if (!ls_match_estimated(match, i) || ls_match_why(match, i) != why)
            continue;
        if (n++ < 3 && s->n_frames)
            snprintf(places + used, sizeof places - used, "%s%s:%u",
                     used ? ", " : " (first: ", s->frames[0].file, s->frames[0].line);
    }
    if (!n)
        return;
    snprintf(
        text, sizeof text,
        "%u accesses are not joined with hardware instructions, because %s; their numbers are estimated from "
        "width and alignment%s%s",
        n, reason, places, *places ? ")" : "");
    note_locked(LS_LOG_WARNING, text);
}

static void note_estimates(const struct ls_code_object *co)
{
    for (size_t module = 0; co->match && module < co->n_modules; module++) {
        const struct ls_match *match = co->match[module];
        if (!match)
            continue;
        note_estimates_for(&co->modules[module], match, LS_MATCH_UNCLEAR, "it is not clear which these are");
        note_estimates_for(&co->modules[module], match, LS_MATCH_MOVED,
                           "the compiler moved these into or out of a loop, or repeats them");
    }
}

static void closing_notes(void)
{
    bool instrumented = false, damaged = false;
    for (struct ls_code_object *co = ls_code_objects(); co; co = co->next) {
        instrumented |= co->n_modules != 0;
        damaged |= co->damage != NULL;
        if (co->n_modules || co->damage)
            code_object_locked(co);
        note_estimates(co);
    }
    if (!n_dispatches)
        note_locked(LS_LOG_INFO, "the program dispatched no kernels");
    else if (!instrumented && !damaged)
        note_locked(LS_LOG_WARNING,
                    "no kernel of the program is instrumented: compile it with lanescope hipcc");
    else if (!n_observed)
        note_locked(LS_LOG_WARNING, "no dispatch was observed; each dispatch's row tells why");
}

void ls_record_close(bool complete)
{
    char *error = NULL;
    pthread_mutex_lock(&lock);
    if (pipeline)
        ls_pipeline_destroy(pipeline);
    pipeline = NULL;
    n_handlers = 0;
    if (db) {
        closing_notes();
        check_db();
        if (ls_db_finish(db, complete, &error) != 0 && !error_told)
            ls_log(LS_LOG_ERROR, "results are incomplete: %s", error ? error : "out of memory");
        else if (!error)
            ls_log(LS_LOG_INFO, "results are in %s", path);
        db = NULL;
    }
    free(error);
    free(path);
    path = NULL;
    pthread_mutex_unlock(&lock);
}
