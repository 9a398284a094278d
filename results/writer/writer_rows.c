/* writer_rows.c - the rows of each table (writer.h). */
#include "common/vector.h"
#include "results/file/error_text.h"
#include "writer_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* uthash would otherwise end the profiled program when memory runs out. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* Text or structure that was stored before, and its id. */
struct interned {
    UT_hash_handle hh;
    int64_t id;
    char key[];
};

static int64_t lookup(struct interned *table, const void *key, size_t n)
{
    struct interned *e;
    HASH_FIND(hh, table, key, n, e);
    return e ? e->id : 0;
}

static void remember(struct ls_db *db, struct interned **table, const void *key, size_t n, int64_t id)
{
    struct interned *e = malloc(sizeof(*e) + n);
    if (!e) {
        db->error = db->error ? db->error : strdup("out of memory");
        return;
    }
    memcpy(e->key, key, n);
    e->id = id;
    HASH_ADD_KEYPTR(hh, *table, e->key, n, e);
    if (!e->hh.tbl) {
        free(e);
        db->error = db->error ? db->error : strdup("out of memory");
    }
}

void ls_db_forget(struct interned **table)
{
    struct interned *e, *next;
    HASH_ITER(hh, *table, e, next)
    {
        HASH_DEL(*table, e);
        free(e);
    }
}

/* 0 for an unknown file. */
static int64_t file_id(struct ls_db *db, const char *path)
{
    if (!path || !*path)
        return 0;
    size_t n = strlen(path);
    int64_t id = lookup(db->files, path, n);
    if (!id && (id = WRITE(db, ADD_FILE, TEXT(path))))
        remember(db, &db->files, path, n, id);
    return id;
}

int ls_db_add_source_sum(struct ls_db *db, const char *path, const char *md5)
{
    int64_t file = lookup(db->files, path, strlen(path));
    if (file)
        WRITE(db, SET_FILE_SUM, ID(file), TEXT(md5));
    return db->error ? -1 : 0;
}

int ls_db_add_source_text(struct ls_db *db, const char *path, const char *text)
{
    int64_t file = ls_db_usable(db) && db->sources != LS_SOURCES_NONE ? file_id(db, path) : 0;
    if (file)
        WRITE(db, SET_FILE_TEXT, ID(file), TEXT(text));
    return db->error ? -1 : 0;
}

static int64_t frame_id(struct ls_db *db, const struct ls_db_frame *f, int64_t parent)
{
    int64_t file = file_id(db, f->file);
    const char *function = or_empty(f->function);
    char *key =
        ls_text("%lld %u %u %lld %s", (long long)file, f->line, f->column, (long long)parent, function);
    if (!key) {
        db->error = db->error ? db->error : strdup("out of memory");
        return 0;
    }
    size_t n = strlen(key);
    int64_t id = lookup(db->frames, key, n);
    bool fresh = !id;
    if (fresh && (id = WRITE(db, ADD_FRAME, REF_ID(SOURCE_FILE, file), INT(f->line), INT(f->column),
                             TEXT(function), REF_ID(FRAME, parent))))
        remember(db, &db->frames, key, n, id);
    if (fresh && f->origin)
        WRITE(db, SET_ORIGIN, INT(file), INT(f->origin));
    free(key);
    return id;
}

int64_t ls_db_add_agent(struct ls_db *db, const struct ls_db_agent *a)
{
    return WRITE(db, ADD_AGENT, REF(PROCESS, db->process), INT(a->handle), TEXT(or_empty(a->arch)),
                 TEXT(or_empty(a->name)), INT(a->compute_units), INT(a->lanes));
}

int64_t ls_db_add_code_object(struct ls_db *db, const struct ls_db_code_object *c)
{
    return WRITE(db, ADD_CODE_OBJECT, REF(AGENT, c->agent), TEXT(c->uri), INT(c->bytes), INT(c->load_base),
                 INT(c->instrumented), TEXT(c->compiler));
}

int64_t ls_db_add_module(struct ls_db *db, const struct ls_db_module *m)
{
    char hash[17];
    snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)m->hash);
    return WRITE(db, ADD_MODULE, REF(CODE_OBJECT, m->code_object), TEXT(hash), INT(m->llvm_major),
                 TEXT(or_empty(m->target)));
}

int64_t ls_db_add_kernel(struct ls_db *db, const struct ls_db_kernel *k)
{
    const char *mangled = or_empty(k->mangled);
    if (!ls_db_usable(db))
        return 0;
    return WRITE(db, ADD_KERNEL, REF(CODE_OBJECT, k->code_object), REF_ID(MODULE, k->module), TEXT(mangled),
                 TEXT(k->demangled ? k->demangled : mangled), REF_ID(SOURCE_FILE, file_id(db, k->file)),
                 INT(k->line), INT(k->lds_bytes), INT(k->scratch_bytes), INT(k->sgprs), INT(k->vgprs),
                 INT(k->agprs), INT(k->clone_scratch_bytes), INT(k->clone_sgprs), INT(k->clone_vgprs),
                 INT(k->clone_agprs), TEXT(k->not_instrumented), ID(k->lanes));
}

static int64_t chain_id(struct ls_db *db, const struct ls_db_frame *frames, size_t n)
{
    int64_t frame = 0;
    while (n-- > 0) /* outermost first: the parent's id is needed */
        frame = frame_id(db, &frames[n], frame);
    return frame;
}

int ls_db_add_part(struct ls_db *db, int64_t site, uint32_t number, const struct ls_db_frame *frames,
                   size_t n)
{
    if (!ls_db_usable(db))
        return -1;
    return WRITE(db, ADD_PART, REF(SITE, site), INT(number), REF(FRAME, chain_id(db, frames, n))) < 0 ? -1
                                                                                                      : 0;
}

int64_t ls_db_add_site(struct ls_db *db, const struct ls_db_site *s)
{
    if (!ls_db_usable(db))
        return 0;
    const int64_t frame = chain_id(db, s->frames, s->n_frames);
    return WRITE(db, ADD_SITE, REF(MODULE, s->module), INT(s->index), REF_ID(KERNEL, s->kernel), INT(s->kind),
                 INT(s->space), INT(s->bytes), INT(s->align), INT(s->flags), INT(s->reason),
                 TEXT(or_empty(s->instruction)), TEXT(or_empty(s->function)), REF_ID(FRAME, frame),
                 TEXT(s->isa), INT(s->isa_merged), INT(s->alone),
                 s->alone ? INT(s->offset) : TEXT(NULL)); /* alone: joined as it stands */
}

int ls_db_join_site(struct ls_db *db, int64_t site, const struct ls_db_join *j)
{
    if (!ls_db_usable(db))
        return -1;
    int64_t frame = j->frame ? frame_id(db, j->frame, 0) : 0;
    return WRITE(db, JOIN_SITE, INT(site), TEXT(j->isa), INT(j->merged), INT(j->state), INT(j->flags),
                 INT(j->reason), REF_ID(FRAME, frame), REF_ID(SITE, j->counted_at)) < 0
               ? -1
               : 0;
}

int ls_db_estimate_site(struct ls_db *db, int64_t site, const char *reason)
{
    return ls_db_usable(db) && WRITE(db, ESTIMATE_SITE, INT(site), TEXT(reason)) >= 0 ? 0 : -1;
}

int64_t ls_db_add_instruction(struct ls_db *db, const struct ls_db_instruction *i)
{
    if (!ls_db_usable(db))
        return 0;
    int64_t id = WRITE(db, ADD_INSTRUCTION, REF_ID(KERNEL, i->kernel), INT(i->offset),
                       TEXT(or_empty(i->text)), REF_ID(SOURCE_FILE, file_id(db, i->file)), INT(i->line),
                       INT(i->column), TEXT(i->function), REF_ID(MODULE, i->module));
    if (i->vector && id > 0)
        WRITE(db, ADD_VECTOR_INSTRUCTION, REF(INSTRUCTION, id), INT(i->together));
    return id;
}

int ls_db_join_instruction(struct ls_db *db, int64_t instruction, int64_t site, bool tells)
{
    return ls_db_usable(db) && WRITE(db, JOIN_INSTRUCTION, INT(instruction), REF_ID(SITE, site)) >= 0 &&
                   WRITE(db, JOIN_VECTOR_INSTRUCTION, INT(instruction), INT(tells)) >= 0
               ? 0
               : -1;
}

/* NULL for a metric of which its handler said nothing. */
static struct cell said(const struct ls_db_metric *m, int64_t value)
{
    return m->view.position ? INT(value) : TEXT(NULL);
}

int64_t ls_db_add_metric(struct ls_db *db, const struct ls_db_metric *m)
{
    return WRITE(db, ADD_METRIC, TEXT(or_empty(m->handler)), TEXT(or_empty(m->name)), TEXT(or_empty(m->unit)),
                 TEXT(or_empty(m->description)), INT(m->is_ratio), REAL(m->is_ratio ? m->scale : 0),
                 REF_ID(METRIC, m->a), REF_ID(METRIC, m->b), REF_ID(METRIC, m->c), REF_ID(METRIC, m->d),
                 TEXT(m->view.title), said(m, m->view.direction), said(m, m->view.show),
                 said(m, m->view.excess), said(m, m->view.cost), ID(m->view.position), said(m, m->view.role));
}

int ls_db_add_handler(struct ls_db *db, const char *name, const char *title, const char *clean)
{
    return WRITE(db, ADD_HANDLER, TEXT(name), TEXT(title), TEXT(clean)) < 0 ? -1 : 0;
}

/* The row of a stream of the process, added when it is met first; 0: unknown, or out of memory. `thread`: that
 * works for it now. */
static int64_t stream_id(struct ls_db *db, const struct ls_stream *s, int64_t thread)
{
    if (s->kind == LS_STREAM_UNKNOWN || s->number < 0)
        return 0;
    while (db->n_streams <= (size_t)s->number) {
        if (!LS_ROOM(db->streams, db->n_streams))
            return 0;
        db->streams[db->n_streams++] = 0;
    }
    int64_t *id = &db->streams[s->number];
    if (!*id)
        *id = WRITE(db, ADD_STREAM, REF(PROCESS, db->process), INT(s->number), INT(s->kind),
                    ID(s->kind == LS_STREAM_PER_THREAD ? thread : 0));
    return *id > 0 ? *id : 0;
}

int64_t ls_db_add_dispatch(struct ls_db *db, const struct ls_db_dispatch *d)
{
    const int64_t stream = stream_id(db, &d->stream, d->thread);
    const int64_t same = ls_db_same_values(db, d->values, d->n_values);
    const struct cell cells[DISPATCH_COLUMNS] = {
        INT(0), /* the row's id */
        REF(PROCESS, db->process),
        INT(d->number),
        REF(KERNEL, d->kernel),
        REF(AGENT, d->agent),
        INT(d->queue),
        INT(d->grid[0]),
        INT(d->grid[1]),
        INT(d->grid[2]),
        INT(d->workgroup[0]),
        INT(d->workgroup[1]),
        INT(d->workgroup[2]),
        INT(d->lds_bytes),
        INT(d->scratch_bytes),
        INT(d->start_ns),
        INT(d->end_ns),
        INT(d->observed),
        TEXT(d->not_observed),
        INT(d->chunks),
        INT(d->bytes),
        INT(d->messages),
        INT(d->bad),
        INT(d->dropped),
        INT(d->alone),
        INT(d->unlisted),
        ID((int64_t)d->submit_ns),
        ID(d->thread),
        REF_ID(STREAM, stream),
        REF_ID(DISPATCH, same),
    };
    const int64_t id = ls_db_keep_dispatch(db, cells);
    for (size_t i = 0; id && !same && i < d->n_values; i++)
        if (ls_db_add_value(db, id, d->values[i].site, d->values[i].metric, d->values[i].value))
            return 0;
    if (id && !same)
        ls_db_remember_values(db, id, d->values, d->n_values);
    return id;
}

int ls_db_add_value(struct ls_db *db, int64_t dispatch, int64_t site, int64_t metric, int64_t value)
{
    if (site)
        return ls_db_keep_value(db, dispatch, site, metric, value);
    WRITE(db, db->shared ? ADD_OWN_DISPATCH_VALUE : ADD_DISPATCH_VALUE, REF(DISPATCH, dispatch),
          REF(METRIC, metric), INT(value));
    return ls_db_usable(db) ? 0 : -1;
}

int ls_db_add_row(struct ls_db *db, int64_t dispatch, int64_t site, const char *handler, const char *table,
                  const char *json)
{
    return WRITE(db, ADD_ROW, REF(DISPATCH, dispatch), REF_ID(SITE, site), TEXT(or_empty(handler)),
                 TEXT(or_empty(table)), TEXT(json ? json : "null"))
               ? 0
               : -1;
}

int ls_db_add_call(struct ls_db *db, int64_t dispatch, int64_t site, uint64_t executions, uint64_t lanes)
{
    WRITE(db, ADD_CALL, REF(DISPATCH, dispatch), REF(SITE, site), INT(executions), INT(lanes));
    return ls_db_usable(db) ? 0 : -1;
}

int64_t ls_db_add_copy(struct ls_db *db, const struct ls_db_copy *c)
{
    const int64_t stream = stream_id(db, &c->stream, c->thread);
    return WRITE(db, ADD_COPY, REF(PROCESS, db->process), INT(c->number), REF_ID(AGENT, c->from),
                 REF_ID(AGENT, c->to), INT(c->bytes), INT(c->start_ns), INT(c->end_ns),
                 ID((int64_t)c->submit_ns), ID(c->thread), REF_ID(STREAM, stream));
}

int64_t ls_db_add_marker(struct ls_db *db, const struct ls_db_marker *m)
{
    return WRITE(db, ADD_MARKER, REF(PROCESS, db->process), INT(m->thread), INT(m->kind),
                 TEXT(or_empty(m->text)), INT(m->start_ns), ID((int64_t)m->end_ns));
}

int ls_db_add_note(struct ls_db *db, int level, const char *text)
{
    return WRITE(db, ADD_NOTE, REF(PROCESS, db->process), INT(level), TEXT(or_empty(text))) ? 0 : -1;
}
