/* record_open.c - opens the database and the handlers: the process, its agents, the metrics. See record.h. */
#include "record_internal.h"
#include "lanescope/defaults.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "hsa-plugin/beside.h"
#include "hsa-plugin/log.h"
#include "output_path.h"
#include "results/file/run_progress.h"
#include "settings/table.h"

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

/* The settings that shape the results, for the record: each by its variable without LANESCOPE_, in its normal form, so that
 * nobody has to know a second time what it accepts. malloc'd. */
static char *options_json(const struct ls_config *c)
{
    static const enum setting_id shaping[] = {SET_INCLUDE,      SET_EXCLUDE, SET_ITERATIONS, SET_BLOCKS,
                                              SET_SAMPLE_WAVES, SET_ON_FULL, SET_RING_SIZE,  SET_CHUNK_SIZE,
                                              SET_SUMMARY_MODE, SET_AS};
    json_t *o = json_object();
    json_object_set_new(o, "handlers", json_string(c->handlers));
    for (size_t i = 0; i < sizeof shaping / sizeof *shaping; i++) {
        const char *variable = settings[shaping[i]].env, *v = getenv(variable);
        char key[64], *normal = NULL;
        size_t k = strlen("LANESCOPE_"), n = 0;
        for (; variable[k] && n < sizeof key - 1; k++)
            key[n++] = (char)(variable[k] == '_' ? '_' : variable[k] + ('a' - 'A'));
        key[n] = 0;
        if (v && *v && !setting_check(shaping[i], v, &normal) && normal)
            json_object_set_new(o, key, json_string(normal));
        free(normal);
    }
    char *text = json_dumps(o, JSON_SORT_KEYS);
    json_decref(o);
    return text;
}

/* What launchers tell a process of its rank; the same that %rank% stands for in names of results. */
static const char *rank_of(void)
{
    for (const char *const *name = ls_rank_variables; *name; name++) {
        const char *v = getenv(*name);
        if (v && *v)
            return v;
    }
    return NULL;
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
                                    .start_ns = ls_now_ns(),
                                    .options_json = options ? options : "{}",
                                    .rank = rank_of(),
                                    .sources = c->sources};
    ls_recorder.software = ls_is_software_gpu(c->gpu);
    ls_recorder.path = ls_output_path(c->output);
    ls_recorder.db = ls_recorder.path ? ls_db_create(ls_recorder.path, &process, &error) : NULL;
    if (!ls_recorder.db)
        ls_log(LS_LOG_ERROR, "nothing will be recorded: %s", error ? error : "out of memory");
    free(error);
    free(options);
    free_text(&t);
    return ls_recorder.db ? 0 : -1;
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
        list[i].db_id = ls_db_add_agent(ls_recorder.db, &a);
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
    pthread_mutex_lock(&ls_recorder.lock);
    if (n < NOTES_MAX)
        ls_record_note_locked(level, line);
    else if (n == NOTES_MAX)
        ls_record_note_locked(LS_LOG_WARNING, "handlers said more than is kept here");
    n++;
    pthread_mutex_unlock(&ls_recorder.lock);
}

static void tell_handler(char *error)
{
    ls_log(LS_LOG_ERROR, "%s", error ? error : "out of memory");
    ls_record_note_locked(LS_LOG_ERROR, error ? error : "a handler could not be loaded: out of memory");
    free(error);
}

static void load_handler(const struct ls_config *c, const char *dir, const char *spec)
{
    char *error = NULL;
    if (ls_pipeline_load(ls_recorder.pipeline, dir, spec, &error)) {
        tell_handler(error);
        return;
    }
    ls_recorder.n_handlers++;
    for (size_t i = 0; i < c->n_as; i++)
        if (ls_pipeline_load_as(ls_recorder.pipeline, dir, spec, c->as[i], &error))
            tell_handler(error);
}

static void load_handlers(const struct ls_config *c)
{
    char *own = c->module_dir ? NULL : ls_beside("handlers");
    const char *dir = c->module_dir ? c->module_dir : own ? own : ".";
    char *list = strdup(c->handlers), *save = NULL;
    ls_recorder.pipeline = list ? ls_pipeline_create(pipeline_line, NULL) : NULL;
    if (ls_recorder.pipeline && c->summary)
        ls_pipeline_summary(ls_recorder.pipeline);
    for (char *spec = ls_recorder.pipeline ? strtok_r(list, ",", &save) : NULL; spec;
         spec = strtok_r(NULL, ",", &save))
        load_handler(c, dir, spec);
    free(list);
    free(own);
}

int64_t ls_record_metric_id(uint32_t number)
{
    return number >= 1 && number <= ls_recorder.n_metrics ? ls_recorder.metric_ids[number - 1] : 0;
}

static struct ls_metric_view metric_view(const struct ls_view_info *v)
{
    return (struct ls_metric_view){.title = v->title,
                                   .direction = v->direction,
                                   .excess = v->excess,
                                   .show = v->show,
                                   .cost = v->cost,
                                   .role = v->role,
                                   .position = v->position};
}

static void store_titles(void)
{
    const struct ls_title_info *t;
    size_t n = ls_recorder.pipeline ? ls_pipeline_titles(ls_recorder.pipeline, &t) : 0;
    for (size_t i = 0; i < n; i++)
        ls_db_add_handler(ls_recorder.db, t[i].handler, t[i].title, t[i].clean);
}

static void store_metrics(void)
{
    const struct ls_metric_info *m;
    const struct ls_ratio_info *r;
    size_t n = ls_recorder.pipeline ? ls_pipeline_metrics(ls_recorder.pipeline, &m) : 0;
    ls_recorder.metric_ids = calloc(n + 1, sizeof *ls_recorder.metric_ids);
    ls_recorder.n_metrics = ls_recorder.metric_ids ? n : 0;
    for (size_t i = 0; i < ls_recorder.n_metrics; i++) {
        struct ls_db_metric x = {.handler = m[i].handler,
                                 .name = m[i].name,
                                 .unit = m[i].unit,
                                 .description = m[i].description,
                                 .view = metric_view(&m[i].view)};
        ls_recorder.metric_ids[i] = ls_db_add_metric(ls_recorder.db, &x);
    }
    n = ls_recorder.n_metrics ? ls_pipeline_ratios(ls_recorder.pipeline, &r) : 0;
    for (size_t i = 0; i < n; i++) {
        const struct lanescope_ratio *q = &r[i].ratio;
        struct ls_db_metric x = {.handler = r[i].handler,
                                 .name = q->name,
                                 .unit = q->unit,
                                 .description = q->description,
                                 .view = metric_view(&r[i].view),
                                 .is_ratio = true,
                                 .scale = q->scale,
                                 .a = ls_record_metric_id(q->a),
                                 .b = ls_record_metric_id(q->b),
                                 .c = ls_record_metric_id(q->c),
                                 .d = ls_record_metric_id(q->d)};
        ls_db_add_metric(ls_recorder.db, &x);
    }
}

int ls_record_open(const struct ls_api *api, const struct ls_config *c)
{
    pthread_mutex_lock(&ls_recorder.lock);
    int rc = open_db(api, c);
    if (!rc) {
        ls_recorder.originals = c->originals;
        store_agents();
        load_handlers(c);
        store_metrics();
        store_titles();
        ls_db_commit(ls_recorder.db);
        ls_recorder.last_commit_ns = ls_now_ns();
        ls_run_progress_open();
        ls_record_check();
    }
    pthread_mutex_unlock(&ls_recorder.lock);
    return rc;
}
