/* record_dispatch.c - dispatches: their chunks to the handlers, their results into the database. */
#include "record_internal.h"
#include "common/plural.h"
#include "common/vector.h"

#include <stdlib.h>
#include <string.h>
#include "join/code.h"
#include "alone.h"
#include "held.h"
#include "hsa-plugin/log.h"
#include "hsa-plugin/record/reduce.h"
#include "results/file/run_progress.h"

static void fill_info(struct ls_slot *s)
{
    struct ls_slot_use *u = &s->use;
    struct lanescope_dispatch *d = &u->info;
    const struct ls_kernel *k = u->kernel;
    const struct ls_module *m = ls_module_of(k);
    *d = (struct lanescope_dispatch){.size = sizeof *d,
                                     .id = u->number,
                                     .kernel = k->demangled,
                                     .mangled = k->mangled,
                                     .arch = s->agent->arch,
                                     .lanes = ls_registers_lanes(&k->registers, s->agent->lanes),
                                     .lds_bytes = u->lds_bytes,
                                     .scratch_bytes = u->scratch_bytes,
                                     .n_sites = m->n_sites,
                                     .sites = ls_sites_told(m),
                                     .isa = k->alone ? k->alone->table->isa : NULL,
                                     .details = m->details,
                                     .by_instructions = k->alone};
    memcpy(d->grid, u->grid, sizeof d->grid);
    memcpy(d->workgroup, u->workgroup, sizeof d->workgroup);
    d->n_allocations = u->n_allocations;
    d->allocations = u->allocations;
    if (ls_record_needs() & LANESCOPE_NEEDS_CODE) {
        ls_record_code_object(k->code_object); /* the first dispatch may come before */
        d->n_functions = k->code ? k->code->n : 0;
        d->functions = k->code ? k->code->functions : NULL;
    }
}

static struct ls_match *match_of(const struct ls_kernel *k)
{
    const struct ls_code_object *co = k->code_object;
    return co->match && !k->alone ? co->match[ls_record_module_index(k)] : NULL;
}

bool ls_record_reduces(void)
{
    return ls_recorder.pipeline && ls_pipeline_reduces(ls_recorder.pipeline);
}

void ls_record_joins(struct ls_kernel *k, void (*f)(void *user, struct ls_match *match), void *user)
{
    ls_record_code_object(k->code_object);
    pthread_mutex_lock(&ls_recorder.match_lock);
    f(user, match_of(k));
    pthread_mutex_unlock(&ls_recorder.match_lock);
}

static void learn(void *user, const void *chunk, size_t size)
{
    const struct ls_slot *s = user;
    const struct ls_unsaid unsaid = ls_unsaid_of(s->use.kernel);
    ls_match_learn(match_of(s->use.kernel), &unsaid, s->use.number, chunk, size);
}

/* The works of a dispatch's parts while it begins: other threads get them when all that was held is in them. */
struct beginning {
    struct ls_work *work[LS_PARTS_MAX];
    unsigned n_parts;
    bool ordered;
};

static bool can_decode(const struct ls_work *part)
{
    return part && !ls_pipeline_lacks(part);
}

static void feed(void *user, const void *chunk, size_t size)
{
    struct beginning *b = user;
    const unsigned part = ls_part_of(chunk, b->n_parts);
    if (!b->work[part])
        b->work[part] = ls_pipeline_part(b->work[0]);
    const bool own = part && can_decode(b->work[part]);
    ls_pipeline_chunk(b->work[own ? part : 0], chunk, size);
    if (own && b->ordered)
        ls_pipeline_ordered(b->work[0], chunk, size);
}

/* Sums that the GPU made for other instructions than these now turn out to be. */
static void note_missing(const struct ls_slot_use *u)
{
    uint32_t missing = 0;
    if (u->summary && u->reduction && u->info.isa)
        missing = ls_reduction_missing(u->reduction, u->kernel, u->info.isa);
    if (missing)
        ls_record_note(LS_LOG_WARNING,
                       "dispatch %llu of %s: irregular accesses of %u %s not counted fully, because their "
                       "instructions turned out to be others than expected; without summary mode they are",
                       (unsigned long long)u->number, u->kernel->demangled, missing,
                       ls_word(missing, "site are", "sites are"));
}

/* Handlers start when it is known which instructions did the accesses. Under the slot's lock. */
static bool begin_work(struct ls_slot *s)
{
    struct ls_slot_use *u = &s->use;
    struct beginning b = {.n_parts = u->n_parts};
    if (u->work[0])
        return true;
    ls_record_code_object(u->kernel->code_object);
    fill_info(s);
    struct ls_match *match = match_of(u->kernel);
    if (match) {
        pthread_mutex_lock(&ls_recorder.match_lock);
        if (u->held) {
            ls_held_each(u, learn, s);
            ls_match_solve(match);
        }
        /* what the GPU reduced, it reduced by what was known when the dispatch was launched */
        u->info.isa = u->reduction && !u->reduction->open ? u->reduction->isa : ls_match_isa(match);
        pthread_mutex_unlock(&ls_recorder.match_lock);
    }
    note_missing(u);
    struct ls_unsaid unsaid = ls_unsaid_of(u->kernel);
    unsaid.plan = u->reduction ? u->reduction->plan : NULL;
    b.work[0] = ls_pipeline_begin(ls_recorder.pipeline, &u->info, &unsaid);
    b.ordered = b.work[0] && ls_pipeline_has_ordered(ls_recorder.pipeline);
    if (b.work[0])
        ls_held_each(u, feed, &b);
    ls_held_free(u);
    for (unsigned i = 0; i < LS_PARTS_MAX; i++)
        atomic_store(&u->work[i], b.work[i]);
    return b.work[0] != NULL;
}

/* Whether the chunk waits, because accesses in it may still tell something about the machine code. Under the slot's
 * lock. */
static bool hold(struct ls_slot *s, const void *chunk, size_t size)
{
    struct ls_slot_use *u = &s->use;
    const size_t limit =
        u->summary && u->reduction && u->reduction->open ? LS_HELD_LIMIT_SUMMARY : LS_HELD_LIMIT;
    if (u->work[0] || u->kernel->alone || u->held_bytes >= limit)
        return false;
    if (!u->held) {
        ls_record_code_object(u->kernel->code_object);
        struct ls_match *match = match_of(u->kernel);
        pthread_mutex_lock(&ls_recorder.match_lock);
        bool wants =
            match && ls_match_wants(match, (uint32_t)(u->kernel->entry - u->kernel->module->kernels));
        pthread_mutex_unlock(&ls_recorder.match_lock);
        if (!wants)
            return false;
    }
    return ls_held_add(u, chunk, size);
}

/* For whoever waits for the run. On the part's thread, or when all have ended. */
static void tell_messages(struct ls_slot_use *u, unsigned part)
{
    const struct ls_work *work = atomic_load(&u->work[part]);
    const uint64_t now = work ? ls_pipeline_messages(work) : u->told_messages[part];
    if (now > u->told_messages[part])
        ls_run_progress_add(&(struct ls_run_counts){.messages = now - u->told_messages[part]});
    u->told_messages[part] = now;
}

/* The chunk waits, or the part has a work afterwards (*none: it can't have one). */
static bool held_or_begun(struct ls_slot *s, unsigned part, const void *chunk, size_t size, bool *none)
{
    struct ls_slot_use *u = &s->use;
    pthread_mutex_lock(&s->lock);
    const bool held = hold(s, chunk, size);
    const bool begun = !held && begin_work(s);
    *none = !held && !begun;
    if (begun && !u->work[part])
        atomic_store(&u->work[part], ls_pipeline_part(u->work[0]));
    pthread_mutex_unlock(&s->lock);
    return held;
}

enum ls_chunk_left ls_record_chunk(struct ls_slot *s, unsigned part, const void *chunk, size_t size)
{
    struct ls_slot_use *u = &s->use;
    bool none = false;
    if (((const struct ls_chunk *)chunk)->flags & LS_CHUNK_SUMMARY)
        atomic_store(&u->summary_seen, true);
    if (!u->kernel || !ls_module_of(u->kernel) || u->not_observed || u->ended)
        return LS_CHUNK_DONE;
    if (!atomic_load(&u->work[part]) && (held_or_begun(s, part, chunk, size, &none) || none))
        return LS_CHUNK_DONE;
    struct ls_work *work = atomic_load(&u->work[part]);
    if (!can_decode(work))
        return LS_CHUNK_WHOLE;
    ls_pipeline_chunk(work, chunk, size);
    tell_messages(u, part);
    return part && ls_pipeline_has_ordered(ls_recorder.pipeline) ? LS_CHUNK_ORDERED : LS_CHUNK_DONE;
}

void ls_record_rest(struct ls_slot *s, enum ls_chunk_left left, const void *chunk, size_t size)
{
    struct ls_work *work = atomic_load(&s->use.work[0]);
    if (left == LS_CHUNK_ORDERED)
        ls_pipeline_ordered(work, chunk, size);
    else
        ls_pipeline_chunk(work, chunk, size);
}

/* Results of one dispatch, kept until its row is in the database. */
struct results {
    struct ls_db_value *values; /* by the handlers' numbers until name_rows */
    size_t n_values;
    struct row {
        char *handler, *table, *json;
        uint32_t site;
    } *rows;
    size_t n_rows;
    struct call {
        uint32_t site;
        uint64_t executions, lanes;
    } *calls;
    size_t n_calls;
    bool lost; /* out of memory */
};

/* Begins with what a small kernel needs, to grow once and not five times; no more than the allocator keeps at hand (1 KiB). */
static bool value_room(struct results *r)
{
    enum { FEW = 32 }; /* a power of two, as LS_ROOM grows */
    if (!r->values)
        return (r->values = malloc(FEW * sizeof *r->values));
    return r->n_values < FEW || LS_ROOM(r->values, r->n_values);
}

static void keep_value(void *user, uint32_t site, uint32_t metric, int64_t value)
{
    struct results *r = user;
    if (value_room(r))
        r->values[r->n_values++] = (struct ls_db_value){site, metric, value};
    else
        r->lost = true;
}

static void keep_row(void *user, const char *handler, const char *table, uint32_t site, const char *json)
{
    struct results *r = user;
    if (LS_ROOM(r->rows, r->n_rows))
        r->rows[r->n_rows++] = (struct row){strdup(handler), strdup(table), strdup(json), site};
    else
        r->lost = true;
}

static void keep_call(void *user, uint32_t site, uint64_t executions, uint64_t lanes)
{
    struct results *r = user;
    if (LS_ROOM(r->calls, r->n_calls))
        r->calls[r->n_calls++] = (struct call){site, executions, lanes};
    else
        r->lost = true;
}

static int64_t site_id(const struct ls_kernel *k, uint32_t site)
{
    const struct ls_module *m = ls_module_of(k);
    if (site == LANESCOPE_NO_SITE || !m || site >= m->n_sites)
        return 0;
    if (k->alone)
        return k->alone->site_ids[site];
    const int64_t *ids =
        k->code_object->site_ids ? k->code_object->site_ids[ls_record_module_index(k)] : NULL;
    return ids ? ids[site] : 0;
}

/* An atomic is never left out, and one that reads, changes and writes is no compare and swap: where the join
 * says so, the compiler has made a loop of it, which executes other instructions than the access, and more
 * often. */
static bool impossible(const struct ls_match *match, uint32_t site, uint8_t kind)
{
    if ((kind == LS_SITE_RMW || kind == LS_SITE_CMPXCHG) && ls_match_state(match, site) == LS_MATCH_ABSENT)
        return true;
    return kind == LS_SITE_RMW && ls_match_swaps(match, site);
}

/* Why handlers had to estimate the site's numbers in this dispatch; NULL: they had not. */
static const char *why_estimated(const struct ls_kernel *k, const struct lanescope_dispatch *d, uint32_t site)
{
    const struct ls_match *match = match_of(k);
    if (!match)
        return "the kernel's instructions could not be listed";
    if (lanescope_isa_of(d, site))
        return impossible(match, site, d->sites[site].kind)
                   ? "the compiler made a loop of compare and swap of it"
                   : NULL;
    if (ls_match_state(match, site) != LS_MATCH_NONE)
        return "its instructions were not known yet in the first dispatches that executed it";
    return ls_match_why_text(ls_match_why(match, site));
}

/* Stores once for each site that it has estimates. */
static void store_estimates(const struct ls_kernel *k, const struct lanescope_dispatch *d,
                            const struct results *r)
{
    unsigned char **all = k->code_object->estimated,
                  *stored = all && k->module && !k->alone ? all[ls_record_module_index(k)] : NULL;
    uint32_t last = LANESCOPE_NO_SITE;
    for (size_t i = 0; stored && i < r->n_values; i++) {
        uint32_t site = (uint32_t)r->values[i].site;
        if (site == last || site >= d->n_sites || stored[site] || LS_SITE_NO_ACCESS(d->sites[site].kind))
            continue;
        last = site;
        pthread_mutex_lock(&ls_recorder.match_lock);
        const char *why = why_estimated(k, d, site);
        pthread_mutex_unlock(&ls_recorder.match_lock);
        if (why && !ls_db_estimate_site(ls_recorder.db, site_id(k, site), why))
            stored[site] = 1;
    }
}

/* Numbers of sites and metrics become those of their rows. */
static void name_rows(const struct ls_kernel *k, struct results *r)
{
    for (size_t i = 0; i < r->n_values; i++) {
        r->values[i].site = site_id(k, (uint32_t)r->values[i].site);
        r->values[i].metric = ls_record_metric_id((uint32_t)r->values[i].metric);
    }
}

static void store_results(const struct ls_kernel *k, int64_t dispatch, struct results *r)
{
    for (size_t i = 0; i < r->n_rows; i++) {
        struct row *row = &r->rows[i];
        if (row->handler && row->table && row->json)
            ls_db_add_row(ls_recorder.db, dispatch, site_id(k, row->site), row->handler, row->table,
                          row->json);
    }
    for (size_t i = 0; i < r->n_calls; i++)
        ls_db_add_call(ls_recorder.db, dispatch, site_id(k, r->calls[i].site), r->calls[i].executions,
                       r->calls[i].lanes);
    if (r->lost)
        ls_record_note_locked(LS_LOG_ERROR, "results of a dispatch are incomplete: out of memory");
}

static void free_results(struct results *r)
{
    for (size_t i = 0; i < r->n_rows; i++) {
        free(r->rows[i].handler);
        free(r->rows[i].table);
        free(r->rows[i].json);
    }
    free(r->values);
    free(r->rows);
    free(r->calls);
}

static void store_dispatch(struct ls_agent *a, const struct ls_slot_use *u, uint64_t start, uint64_t end,
                           const struct ls_chunk_stats *stats, struct results *r)
{
    struct ls_kernel *k = u->kernel;
    pthread_mutex_lock(&ls_recorder.lock);
    ls_record_code_object_locked(k->code_object);
    if (ls_recorder.db && !k->db_id)
        ls_record_kernel(k, NULL, NULL);
    struct ls_db_dispatch d = {.number = u->number,
                               .kernel = k->db_id,
                               .agent = a->db_id,
                               .queue = (uint64_t)(uintptr_t)u->queue,
                               .lds_bytes = u->lds_bytes,
                               .scratch_bytes = u->scratch_bytes,
                               .start_ns = start,
                               .end_ns = end,
                               .submit_ns = u->submit,
                               .thread = u->thread,
                               .stream = u->stream,
                               .observed = !u->not_observed,
                               .alone = !u->not_observed && k->alone,
                               .not_observed = u->not_observed,
                               .chunks = stats->chunks,
                               .bytes = stats->bytes,
                               .messages = stats->messages,
                               .bad = stats->bad_chunks + stats->bad_messages,
                               .dropped = u->dropped,
                               .unlisted = u->unlisted};
    memcpy(d.grid, u->grid, sizeof d.grid);
    memcpy(d.workgroup, u->workgroup, sizeof d.workgroup);
    if (ls_recorder.db && d.observed && match_of(k)) {
        pthread_mutex_lock(&ls_recorder.match_lock);
        ls_record_store_joins(k->code_object, ls_record_module_index(k));
        pthread_mutex_unlock(&ls_recorder.match_lock);
    }
    if (ls_recorder.db && d.observed)
        store_estimates(k, &u->info, r);
    name_rows(k, r);
    d.values = r->values;
    d.n_values = r->n_values;
    int64_t id = ls_recorder.db ? ls_db_add_dispatch(ls_recorder.db, &d) : 0;
    ls_recorder.n_dispatches++;
    ls_recorder.n_observed += d.observed;
    ls_run_progress_add(&(struct ls_run_counts){.dispatches = 1, .observed = d.observed});
    if (id > 0)
        store_results(k, id, r);
    if (ls_recorder.db)
        ls_record_commit();
    pthread_mutex_unlock(&ls_recorder.lock);
    free_results(r);
}

void ls_record_dispatch(struct ls_slot *s, uint64_t start, uint64_t end)
{
    struct ls_slot_use *u = &s->use;
    struct results r = {0};
    struct ls_chunk_stats stats = {0};
    struct ls_result_sink sink = {&r, keep_value, keep_row, keep_call};
    ls_db_on_own_thread();
    pthread_mutex_lock(&s->lock);
    if (!u->not_observed && !begin_work(s))
        u->not_observed = "out of memory: no room for the handlers' state";
    pthread_mutex_unlock(&s->lock);
    for (unsigned i = 0; i < LS_PARTS_MAX; i++)
        tell_messages(u, i);
    for (unsigned i = 1; i < LS_PARTS_MAX; i++)
        if (u->work[i])
            ls_pipeline_join(u->work[0], u->work[i]);
    if (u->work[0])
        ls_pipeline_end(u->work[0], &sink, &stats);
    for (unsigned i = 0; i < LS_PARTS_MAX; i++)
        atomic_store(&u->work[i], NULL);
    u->ended = true;
    s->summary_used = u->summary && !u->summary_seen;
    if (u->summary_seen && u->reduction)
        ls_reduction_seen(u->reduction);
    if (u->aborted && !u->not_observed)
        ls_record_note(LS_LOG_WARNING, "dispatch %llu of %s did not complete: its results are partial",
                       (unsigned long long)u->number, u->kernel->demangled);
    else if (u->summary && !u->summary_seen && !u->not_observed)
        ls_record_note(LS_LOG_ERROR, "dispatch %llu of %s did not send its counters: its results are partial",
                       (unsigned long long)u->number, u->kernel->demangled);
    store_dispatch(s->agent, u, start, end, &stats, &r);
}

void ls_record_untimed(struct ls_kernel *k, const struct ls_slot_use *use, struct ls_agent *a)
{
    struct results r = {0};
    struct ls_chunk_stats stats = {0};
    if (k)
        store_dispatch(a, use, 0, 0, &stats, &r);
}
