/* Reads the tables of a results database into memory (reader.h). */
#include "columns.h"
#include "common/hash.h"
#include "lanescope/printable.h"
#include "lanescope/sites.h"
#include "results/file/error_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One table: its query and how to take a row. */
struct loader {
    const char *query;
    const char *older; /* the same of files that lack the newest columns; NULL: all have them */
    void (*row)(struct ls_results *r, sqlite3_stmt *st);
};

/* `n` bytes as they are given away. */
static char *kept(struct ls_results *r, const char *s, size_t n, const char *keep, size_t *size)
{
    char *text = NULL;
    *size = n;
    if (!r->raw) {
        text = ls_realloc(NULL, LS_PRINTABLE_GROWTH * n + 1);
        *size = ls_printable(text, s, n, keep);
    }
    char *copy = memcpy(ls_arena_alloc(&r->arena, *size + 1), text ? text : s, *size);
    free(text);
    return copy;
}

/* The beginning of a longer text, with its length and a number of its content, so that texts which differ further on still do. */
static const char *beginning(struct ls_results *r, const char *s, size_t n)
{
    char end[64], begin[LS_TEXT_MOST - sizeof end];
    size_t size;
    memcpy(begin, s, sizeof begin - 1);
    begin[sizeof begin - 1] = 0;
    ls_whole_end(begin);
    snprintf(end, sizeof end, "... (%zu bytes, %016llx)", n,
             (unsigned long long)ls_hash(LS_HASH_BEGIN, s, n));
    const char *text = kept(r, begin, strlen(begin), "", &size);
    char *all = ls_arena_alloc(&r->arena, size + sizeof end);
    memcpy(all, text, size);
    strcpy(all + size, end);
    r->texts_cut = true;
    return all;
}

const char *ls_results_text(struct ls_results *r, const char *s)
{
    size_t size = s ? strlen(s) : 0;
    if (size > LS_TEXT_MOST)
        return beginning(r, s, size);
    return s ? kept(r, s, size, "", &size) : NULL;
}

static void load_process(struct ls_results *r, sqlite3_stmt *st)
{
    *LS_PUSH(r->processes, r->n_processes) = (struct ls_r_process){.id = number(st, 0),
                                                                   .pid = number(st, 1),
                                                                   .ppid = number(st, 2),
                                                                   .hostname = text0(r, st, 3),
                                                                   .cwd = text0(r, st, 4),
                                                                   .argv = json0(r, st, 5),
                                                                   .gpu = text0(r, st, 6),
                                                                   .runtime = text0(r, st, 7),
                                                                   .start_ns = number(st, 8),
                                                                   .end_ns = number(st, 9),
                                                                   .options = json0(r, st, 10),
                                                                   .guid = text0(r, st, 11)};
}

static struct ls_r_process *process_of(struct ls_results *r, int64_t id)
{
    return (struct ls_r_process *)ls_results_process(r, id);
}

static void load_rank(struct ls_results *r, sqlite3_stmt *st)
{
    struct ls_r_process *p = process_of(r, number(st, 0));
    if (p)
        p->rank = text(r, st, 1);
}

static void load_merged(struct ls_results *r, sqlite3_stmt *st)
{
    struct ls_r_process *p = process_of(r, number(st, 0));
    if (!p)
        return;
    p->file = text0(r, st, 1);
    p->run_id = text0(r, st, 2);
    p->created = text0(r, st, 3);
    p->version = text0(r, st, 4);
    p->state = text0(r, st, 5);
}

static void load_module(struct ls_results *r, sqlite3_stmt *st)
{
    *LS_PUSH(r->modules, r->n_modules) = (struct ls_r_module){number(st, 0), text0(r, st, 1)};
}

static void load_file(struct ls_results *r, sqlite3_stmt *st)
{
    struct ls_r_file *f = LS_PUSH(r->files, r->n_files);
    f->id = number(st, 0);
    f->path = text0(r, st, 1);
    f->problem = text(r, st, 3);
    f->modified_ns = number(st, 4);
    f->origin = number32(st, 5);
    const char *data = (const char *)sqlite3_column_text(st, 2);
    const size_t n = (size_t)sqlite3_column_bytes(st, 2), mark = data ? ls_mark_length(data, n) : 0;
    if (data)
        f->text = kept(r, data + mark, n - mark, "\n\t", &f->size);
}

/* Its entries stand on lines of their own. */
static const char *load_compiler(struct ls_results *r, sqlite3_stmt *st, int column)
{
    const char *data = (const char *)sqlite3_column_text(st, column);
    size_t size;
    return data ? kept(r, data, (size_t)sqlite3_column_bytes(st, column), "\n", &size) : NULL;
}

static void load_kernel(struct ls_results *r, sqlite3_stmt *st)
{
    *LS_PUSH(r->kernels, r->n_kernels) = (struct ls_r_kernel){.id = number(st, 0),
                                                              .module = number(st, 1),
                                                              .mangled = text0(r, st, 2),
                                                              .name = text0(r, st, 3),
                                                              .arch = text0(r, st, 4),
                                                              .file = number(st, 5),
                                                              .line = number32(st, 6),
                                                              .lds_bytes = number32(st, 7),
                                                              .scratch_bytes = number32(st, 8),
                                                              .sgprs = number32(st, 9),
                                                              .vgprs = number32(st, 10),
                                                              .agprs = number32(st, 11),
                                                              .not_instrumented = text(r, st, 12),
                                                              .uri = text(r, st, 13),
                                                              .process = number(st, 14),
                                                              .compiler = load_compiler(r, st, 15)};
}

static void load_frame(struct ls_results *r, sqlite3_stmt *st)
{
    *LS_PUSH(r->frames, r->n_frames) = (struct ls_r_frame){.id = number(st, 0),
                                                           .file = number(st, 1),
                                                           .line = number32(st, 2),
                                                           .column = number32(st, 3),
                                                           .function = text0(r, st, 4),
                                                           .parent = number(st, 5)};
}

static void load_site(struct ls_results *r, sqlite3_stmt *st)
{
    *LS_PUSH(r->sites, r->n_sites) = (struct ls_r_site){.id = number(st, 0),
                                                        .module = number(st, 1),
                                                        .number = number32(st, 2),
                                                        .kernel = number(st, 3),
                                                        .kind = number32(st, 4),
                                                        .space = number32(st, 5),
                                                        .bytes = number32(st, 6),
                                                        .align = number32(st, 7),
                                                        .flags = number32(st, 8),
                                                        .reason = number32(st, 9),
                                                        .instruction = text0(r, st, 10),
                                                        .function = text0(r, st, 11),
                                                        .frame = number(st, 12),
                                                        .isa = text(r, st, 13),
                                                        .isa_merged = number(st, 14) != 0,
                                                        .join = number32(st, 15),
                                                        .estimate = text(r, st, 16),
                                                        .counted_at = number(st, 17)};
}

/* As the handler said it; a file of others may hold any number. */
static struct ls_metric_view metric_view(struct ls_results *r, sqlite3_stmt *st)
{
    if (sqlite3_column_type(st, 16) == SQLITE_NULL)
        return ls_older_view(text0(r, st, 1), text0(r, st, 2));
    return (struct ls_metric_view){.title = text(r, st, 11),
                                   .direction = (int)ls_clamp(number(st, 12), -1, 1),
                                   .show = (uint32_t)ls_clamp(number(st, 13), 0, LANESCOPE_SHOW_EXPORT),
                                   .excess = (int)ls_clamp(number(st, 14), -1, 1),
                                   .cost = number(st, 15) != 0,
                                   .position = (uint32_t)ls_clamp(number(st, 16), 0, INT32_MAX),
                                   .role = (uint32_t)ls_clamp(number(st, 17), 0, INT32_MAX)};
}

static void load_handler(struct ls_results *r, sqlite3_stmt *st)
{
    struct ls_r_handler h = {text0(r, st, 0), text(r, st, 1), text(r, st, 2)};
    if (!h.title)
        h.title = ls_older_title(h.name, &h.clean);
    if (h.title)
        *LS_PUSH(r->handlers, r->n_handlers) = h;
}

static void load_metric(struct ls_results *r, sqlite3_stmt *st)
{
    *LS_PUSH(r->metrics, r->n_metrics) = (struct ls_r_metric){.id = number(st, 0),
                                                              .handler = text0(r, st, 1),
                                                              .name = text0(r, st, 2),
                                                              .unit = text0(r, st, 3),
                                                              .description = text0(r, st, 4),
                                                              .is_ratio = number(st, 5) != 0,
                                                              .scale = sqlite3_column_double(st, 6),
                                                              .a = number(st, 7),
                                                              .b = number(st, 8),
                                                              .c = number(st, 9),
                                                              .d = number(st, 10),
                                                              .view = metric_view(r, st)};
}

static void load_dispatches(struct ls_results *r, sqlite3_stmt *st)
{
    *LS_PUSH(r->dispatches, r->n_dispatches) = (struct ls_r_dispatches){.kernel = number(st, 0),
                                                                        .observed = number(st, 1) != 0,
                                                                        .reason = text0(r, st, 2),
                                                                        .count = number(st, 3),
                                                                        .duration_ns = joined(r, st, 4),
                                                                        .chunks = joined(r, st, 6),
                                                                        .bytes = joined(r, st, 8),
                                                                        .messages = joined(r, st, 10),
                                                                        .bad = joined(r, st, 12),
                                                                        .dropped = joined(r, st, 14)};
}

/* Rows that are sorted by id. */
static void load_alone_site(struct ls_results *r, sqlite3_stmt *st)
{
    struct ls_r_site *s = (struct ls_r_site *)ls_results_site(r, number(st, 0));
    if (!s)
        return;
    s->alone = true;
    s->offset = (uint64_t)number(st, 1);
}

static void load_alone_kernel(struct ls_results *r, sqlite3_stmt *st)
{
    struct ls_r_kernel *k = (struct ls_r_kernel *)ls_results_kernel(r, number(st, 0));
    if (k)
        k->alone = true;
}

static void load_kernel_lanes(struct ls_results *r, sqlite3_stmt *st)
{
    struct ls_r_kernel *k = (struct ls_r_kernel *)ls_results_kernel(r, number(st, 0));
    if (k && (number(st, 1) == 32 || number(st, 1) == 64))
        k->lanes = number32(st, 1);
}

static void load_unlisted(struct ls_results *r, sqlite3_stmt *st)
{
    struct ls_r_kernel *k = (struct ls_r_kernel *)ls_results_kernel(r, number(st, 0));
    if (k)
        k->unlisted = joined(r, st, 1);
}

static void load_shape(struct ls_results *r, sqlite3_stmt *st)
{
    struct ls_r_shape *s = LS_PUSH(r->shapes, r->n_shapes);
    s->kernel = number(st, 0);
    for (int i = 0; i < 6; i++)
        s->size[i] = number32(st, 1 + i);
}

/* Rows come in order of sites. A borrowed place is what the machine code has; to users, the access is its first part's. */
static void load_part(struct ls_results *r, sqlite3_stmt *st)
{
    struct ls_r_site *s = (struct ls_r_site *)ls_results_site(r, number(st, 0));
    const bool first = !r->n_parts || r->parts[r->n_parts - 1].site != number(st, 0);
    if (s && first && s->flags & LS_SITE_BORROWED)
        s->frame = number(st, 1);
    *LS_PUSH(r->parts, r->n_parts) = (struct ls_r_part){number(st, 0), number(st, 1)};
}

static void load_note(struct ls_results *r, sqlite3_stmt *st)
{
    *LS_PUSH(r->notes, r->n_notes) = (struct ls_r_note){(int)ls_clamp(number(st, 0), 0, 2), text0(r, st, 1)};
}

static void load_rows(struct ls_results *r, sqlite3_stmt *st)
{
    *LS_PUSH(r->rows, r->n_rows) = (struct ls_r_rows){text0(r, st, 0), text0(r, st, 1), number(st, 2)};
}

#define SITE_COLUMNS                                                                                         \
    " id, module, number, kernel, kind, space, bytes, align, flags, reason, instruction, function, frame,"   \
    " isa, isa_merged, isa_join"
#define METRIC_COLUMNS " id, handler, name, unit, description, is_ratio, scale, a, b, c, d"
#define KERNEL_COLUMNS                                                                                       \
    " k.id, k.module, k.mangled, k.name, a.arch, k.file, k.line, k.lds_bytes, k.scratch_bytes, k.sgprs,"     \
    " k.vgprs, k.agprs, k.not_instrumented, c.uri, a.process"
#define KERNEL_TABLES                                                                                        \
    " FROM kernel k LEFT JOIN code_object c ON c.id = k.code_object LEFT JOIN agent a ON a.id = c.agent"     \
    " ORDER BY k.id"
static const struct loader loaders[] = {
    {"SELECT id, pid, ppid, hostname, cwd, argv, gpu, runtime, start_ns, end_ns, options, guid FROM process"
     " ORDER BY id",
     NULL, load_process},
    {"SELECT id, rank FROM process", "SELECT NULL, NULL WHERE 0", load_rank},
    {"SELECT process, file, run_id, created, lanescope_version, state FROM merged", "SELECT NULL WHERE 0",
     load_merged},
    {"SELECT id, hash FROM module ORDER BY id", NULL, load_module},
    {"SELECT id, path, text, problem, modified_ns, origin FROM source_file ORDER BY id",
     "SELECT id, path, text, problem, modified_ns, 0 FROM source_file ORDER BY id", load_file},
    {"SELECT" KERNEL_COLUMNS ", c.compiler" KERNEL_TABLES, "SELECT" KERNEL_COLUMNS ", NULL" KERNEL_TABLES,
     load_kernel},
    {"SELECT id, lanes FROM kernel WHERE lanes IS NOT NULL", "SELECT NULL WHERE 0", load_kernel_lanes},
    {"SELECT id, file, line, \"column\", function, parent FROM frame ORDER BY id", NULL, load_frame},
    {"SELECT" SITE_COLUMNS ", estimate, counted_at FROM site ORDER BY id",
     "SELECT" SITE_COLUMNS ", NULL, 0 FROM site ORDER BY id", load_site},
    {"SELECT" METRIC_COLUMNS ", title, direction, show, excess, cost, position, role FROM metric ORDER BY id",
     "SELECT" METRIC_COLUMNS ", NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM metric ORDER BY id",
     load_metric},
    {"SELECT DISTINCT m.handler, h.title, h.clean FROM metric m LEFT JOIN handler h ON h.name = m.handler",
     "SELECT DISTINCT handler, NULL, NULL FROM metric", load_handler},
    {"SELECT kernel, observed, coalesce(not_observed, ''), count(*), " SUM("end_ns - start_ns") ", " SUM(
         "chunks") ", " SUM("bytes") ", " SUM("messages") ", " SUM("bad") ", " SUM("dropped") " FROM "
                                                                                              "dispatch "
                                                                                              "GROUP BY 1, "
                                                                                              "2, 3 ORDER BY "
                                                                                              "1, 2 DESC, "
                                                                                              "4 DESC",
     NULL, load_dispatches},
    {"SELECT id, code_offset FROM site WHERE code_offset IS NOT NULL", "SELECT NULL, NULL WHERE 0",
     load_alone_site},
    {"SELECT DISTINCT kernel FROM dispatch WHERE by_instructions", "SELECT NULL WHERE 0", load_alone_kernel},
    {"SELECT kernel, " SUM("unlisted") " FROM dispatch WHERE unlisted GROUP BY 1",
     "SELECT NULL, NULL, NULL WHERE 0", load_unlisted},
    {"SELECT kernel, grid_x, grid_y, grid_z, workgroup_x, workgroup_y, workgroup_z FROM dispatch"
     " GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY kernel, min(id)",
     NULL, load_shape},
    {"SELECT site, frame FROM site_part ORDER BY site, number", "SELECT NULL, NULL WHERE 0", load_part},
    {"SELECT level, text FROM note ORDER BY level, id", NULL, load_note},
    {"SELECT handler, table_name, count(*) FROM handler_row GROUP BY 1, 2 ORDER BY 1, 2", NULL, load_rows},
};

static int run_loader(struct ls_results *r, const struct loader *l, char **error)
{
    sqlite3_stmt *st = NULL;
    int rc = prepare_rows(r, l->query, l->older, &st);
    while (next_row(st, &rc))
        l->row(r, st);
    return end_rows(r, st, rc, error);
}

/* Callers have smaller ids than what was inlined into them: no chain is a circle. One that is longer than any
 * compiler makes it would be spelled out for each of its sites. */
static void cut_chains(struct ls_results *r)
{
    uint32_t *depth = ls_realloc(NULL, (r->n_frames + 1) * sizeof(*depth));
    for (size_t i = 0; i < r->n_frames; i++) {
        struct ls_r_frame *f = &r->frames[i];
        const struct ls_r_frame *parent = f->parent < f->id ? ls_results_frame(r, f->parent) : NULL;
        /* In a damaged file ids may not ascend: a caller that comes later is none. */
        depth[i] = parent && parent < f ? depth[parent - r->frames] + 1 : 0;
        if (depth[i] == LS_CHAIN_MAX)
            depth[i] = 0, r->chains_cut = true;
        if (!depth[i])
            f->parent = 0;
    }
    free(depth);
}

static void tell_cut(const struct ls_results *r)
{
    char *text = r->texts_cut && ls_results_notice
                     ? ls_text("%s: names and texts of more than %d bytes are shown cut, with their length; "
                               "`lanescope query` shows them whole",
                               r->path, LS_TEXT_MOST)
                     : NULL;
    if (text)
        ls_results_notice(text);
    free(text);
}

int ls_results_load(struct ls_results *r, char **error)
{
    for (size_t i = 0; i < sizeof(loaders) / sizeof(*loaders); i++)
        if (run_loader(r, &loaders[i], error))
            return -1;
    cut_chains(r);
    tell_cut(r);
    return 0;
}

/* ---- lookup ---- */

/* Every element starts with its id. */
static const void *find(const void *array, size_t n, size_t size, int64_t id)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const char *element = (const char *)array + mid * size;
        int64_t here;
        memcpy(&here, element, sizeof(here));
        if (here == id)
            return element;
        if (here < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

const struct ls_r_process *ls_results_process(const struct ls_results *r, int64_t id)
{
    return find(r->processes, r->n_processes, sizeof(*r->processes), id);
}

const struct ls_r_module *ls_results_module(const struct ls_results *r, int64_t id)
{
    return find(r->modules, r->n_modules, sizeof(*r->modules), id);
}

const struct ls_r_file *ls_results_file(const struct ls_results *r, int64_t id)
{
    return find(r->files, r->n_files, sizeof(*r->files), id);
}

const struct ls_r_kernel *ls_results_kernel(const struct ls_results *r, int64_t id)
{
    return find(r->kernels, r->n_kernels, sizeof(*r->kernels), id);
}

const struct ls_r_frame *ls_results_frame(const struct ls_results *r, int64_t id)
{
    return find(r->frames, r->n_frames, sizeof(*r->frames), id);
}

const struct ls_r_site *ls_results_site(const struct ls_results *r, int64_t id)
{
    return find(r->sites, r->n_sites, sizeof(*r->sites), id);
}

const struct ls_r_metric *ls_results_metric(const struct ls_results *r, int64_t id)
{
    return find(r->metrics, r->n_metrics, sizeof(*r->metrics), id);
}

const char *ls_file_line(const struct ls_r_file *f, uint32_t line, size_t *length)
{
    *length = 0;
    if (!f || !f->text || !line)
        return NULL;
    const char *p = f->text, *end = f->text + f->size;
    for (uint32_t i = 1; i < line; i++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p || ++p == end)
            return NULL;
    }
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    *length = (size_t)((stop ? stop : end) - p);
    if (*length && p[*length - 1] == '\r')
        --*length;
    return p;
}
