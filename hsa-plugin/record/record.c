/* record.c - see record.h: the state, notes, copies, markers, and the end. */
#include "common/code_uri.h"
#include "common/names.h"
#include "record_internal.h"

#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hsa-plugin/log.h"

struct ls_recorder ls_recorder = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
                                  .match_lock = PTHREAD_MUTEX_INITIALIZER};
static bool error_told;         /* under lock */
static atomic_bool uncommitted; /* written under lock */
static uint64_t commit_ns;      /* what the last commit took; under lock */

/* At the latest, while there is work; of the time of pauses a 32nd at most. */
enum { COMMIT_EVERY_NS = 100000000, COMMIT_SHARE = 32 };

void ls_record_check(void)
{
    const char *e = ls_recorder.db ? ls_db_error(ls_recorder.db) : NULL;
    if (e && !error_told) {
        error_told = true;
        ls_log(LS_LOG_ERROR, "results are incomplete: %s", e);
    }
}

static void commit(uint64_t now)
{
    ls_recorder.last_commit_ns = now;
    ls_db_commit(ls_recorder.db);
    uncommitted = ls_db_waiting(ls_recorder.db);
    commit_ns = ls_now_ns() - now;
}

void ls_record_commit(void)
{
    uint64_t now = ls_now_ns();
    uncommitted = true;
    if (now - ls_recorder.last_commit_ns >= COMMIT_EVERY_NS)
        commit(now);
    ls_record_check();
}

void ls_record_busy(void)
{
    if (!uncommitted)
        return;
    pthread_mutex_lock(&ls_recorder.lock);
    if (ls_recorder.db && uncommitted)
        ls_record_commit();
    pthread_mutex_unlock(&ls_recorder.lock);
}

bool ls_record_idle(void)
{
    pthread_mutex_lock(&ls_recorder.lock);
    uint64_t now = ls_now_ns();
    if (ls_recorder.db && uncommitted && now - ls_recorder.last_commit_ns >= COMMIT_SHARE * commit_ns) {
        commit(now);
        ls_record_check();
    }
    bool waiting = ls_recorder.db && uncommitted;
    pthread_mutex_unlock(&ls_recorder.lock);
    return waiting;
}

void ls_record_note_locked(int level, const char *text)
{
    if (ls_recorder.db)
        ls_db_add_note(ls_recorder.db, level, text);
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
    pthread_mutex_lock(&ls_recorder.lock);
    ls_record_note_locked(level, text);
    pthread_mutex_unlock(&ls_recorder.lock);
    free(text);
}

void ls_record_source_text(const char *path, const char *text)
{
    pthread_mutex_lock(&ls_recorder.lock);
    if (ls_recorder.db)
        ls_db_add_source_text(ls_recorder.db, path, text);
    pthread_mutex_unlock(&ls_recorder.lock);
}

void ls_record_uninstrumented(const char *why)
{
    pthread_mutex_lock(&ls_recorder.lock);
    ls_recorder.explained = true;
    ls_record_note_locked(LS_LOG_INFO, why);
    pthread_mutex_unlock(&ls_recorder.lock);
}

bool ls_record_can_observe(void)
{
    return ls_recorder.n_handlers > 0 && ls_recorder.db;
}

uint32_t ls_record_needs(void)
{
    return ls_recorder.pipeline ? ls_pipeline_needs(ls_recorder.pipeline) : 0;
}

/* ---- copies and markers ---- */

void ls_record_copy(const struct ls_copy *c)
{
    struct ls_db_copy x = {.number = c->number,
                           .from = c->from ? c->from->db_id : 0,
                           .to = c->to ? c->to->db_id : 0,
                           .bytes = c->bytes,
                           .start_ns = c->start,
                           .end_ns = c->end,
                           .submit_ns = c->submit,
                           .thread = c->thread,
                           .stream = c->stream};
    pthread_mutex_lock(&ls_recorder.lock);
    if (ls_recorder.db) {
        ls_db_add_copy(ls_recorder.db, &x);
        ls_record_commit();
    }
    pthread_mutex_unlock(&ls_recorder.lock);
}

void ls_record_marker(const struct ls_marker *m)
{
    struct ls_db_marker x = {
        .kind = m->kind, .thread = m->thread, .start_ns = m->start, .end_ns = m->end, .text = m->text};
    pthread_mutex_lock(&ls_recorder.lock);
    if (ls_recorder.db) {
        ls_db_add_marker(ls_recorder.db, &x);
        ls_record_commit();
    }
    pthread_mutex_unlock(&ls_recorder.lock);
}

/* ---- closing ---- */

/* Says how many accesses of one module are counted by estimate for that reason. Where they are, each one's
 * row tells. */
static void note_estimates_for(const struct ls_module *m, const struct ls_match *match, enum ls_match_why why)
{
    char text[256];
    unsigned n = 0;
    for (uint32_t i = 0; i < m->n_sites; i++)
        n += ls_match_estimated(match, i) && ls_match_why(match, i) == why;
    if (!n)
        return;
    snprintf(
        text, sizeof text,
        "%u access%s of the source %s not joined with hardware instructions, so %s numbers are estimated "
        "from width and alignment: %s",
        n, n == 1 ? "" : "es", n == 1 ? "is" : "are", n == 1 ? "its" : "their", ls_match_why_text(why));
    ls_record_note_locked(LS_LOG_WARNING, text);
}

static void note_estimates(const struct ls_code_object *co)
{
    for (size_t module = 0; co->match && module < co->n_modules; module++) {
        const struct ls_match *match = co->match[module];
        if (!match)
            continue;
        note_estimates_for(&co->modules[module], match, LS_MATCH_UNCLEAR);
        note_estimates_for(&co->modules[module], match, LS_MATCH_MOVED);
        note_estimates_for(&co->modules[module], match, LS_MATCH_LONG);
    }
}

static int is_triton(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size, (void)unused;
    return !strcmp(ls_base_name(object->dlpi_name), "libtriton.so");
}

/* Whether it has other kernels than those that the runtime brings along. */
static bool has_own(const struct ls_code_object *co)
{
    bool own = false;
    for (const struct ls_kernel *k = co->kernels; k; k = k->next_of_code_object)
        own |= !ls_is_runtime_kernel(k->mangled);
    return own;
}

static bool any_own(void)
{
    bool own = false;
    for (const struct ls_code_object *co = ls_code_objects(); co; co = co->next)
        own |= has_own(co);
    return own;
}

/* Whether the code was handed over in memory, as what is compiled at run time: kernels that the runtime brings along are, too. */
static bool is_from_memory(const struct ls_code_object *co)
{
    struct ls_code_uri uri;
    return has_own(co) && ls_code_uri_read(co->uri, &uri) && !uri.path;
}

static bool any_from_memory(void)
{
    for (const struct ls_code_object *co = ls_code_objects(); co; co = co->next)
        if (is_from_memory(co))
            return true;
    return false;
}

/* What to do where no kernel is instrumented. Kernels of Triton are no compiler's whose name `lanescope` could stand before. */
static void note_none_instrumented(void)
{
    char text[400];
    const char *what = dl_iterate_phdr(is_triton, NULL)
                           ? "Python's options -I, -E and -S, and --no-rtc of run, keep Lanescope from "
                             "Triton: do without them"
                       : any_from_memory()
                           ? "compile it with lanescope hipcc, or, where it compiles kernels at run "
                             "time, do without --no-rtc and empty its own cache of them"
                           : "compile it with lanescope hipcc";
    const char *isa = ", or have the software GPU observe its instructions with --uninstrumented isa";
    snprintf(text, sizeof text, "no kernel of the program is instrumented: %s%s", what,
             ls_recorder.software ? isa : "");
    ls_record_note_locked(LS_LOG_WARNING, text);
}

static void closing_notes(void)
{
    bool instrumented = false, damaged = false;
    for (struct ls_code_object *co = ls_code_objects(); co; co = co->next) {
        instrumented |= co->n_modules != 0;
        damaged |= co->damage != NULL;
        if (co->n_modules || co->damage)
            ls_record_code_object_locked(co);
        note_estimates(co);
    }
    if (!ls_recorder.n_dispatches)
        ls_record_note_locked(LS_LOG_INFO, "the program dispatched no kernels");
    else if (!ls_recorder.n_observed && !any_own()) /* it only copies, or was to compile some and failed */
        ls_record_note_locked(LS_LOG_INFO, "the program dispatched no kernels but the runtime's own");
    else if (!instrumented && !damaged && !ls_recorder.n_observed && !ls_recorder.explained)
        note_none_instrumented();
    else if (!ls_recorder.n_observed && !ls_recorder.originals)
        ls_record_note_locked(LS_LOG_WARNING, "no dispatch was observed; each dispatch's row tells why");
}

void ls_record_close(bool complete, uint64_t ns)
{
    char *error = NULL;
    pthread_mutex_lock(&ls_recorder.lock);
    if (ls_recorder.pipeline)
        ls_pipeline_destroy(ls_recorder.pipeline);
    ls_recorder.pipeline = NULL;
    ls_recorder.n_handlers = 0;
    if (ls_recorder.db) {
        closing_notes();
        ls_db_set_time(ls_recorder.db, ns);
        ls_record_check();
        if (ls_db_finish(ls_recorder.db, complete, &error) != 0 && !error_told)
            ls_log(LS_LOG_ERROR, "results are incomplete: %s", error ? error : "out of memory");
        else if (!error)
            ls_log(LS_LOG_INFO, "results are in %s", ls_recorder.path);
        ls_recorder.db = NULL;
    }
    free(error);
    free(ls_recorder.path);
    ls_recorder.path = NULL;
    pthread_mutex_unlock(&ls_recorder.lock);
}
