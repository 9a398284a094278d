/*
 * check_waves.c - compares recordings of one program with wavefronts of 64 and of 32 lanes. A line whose lanes are as many
 * in both is reached by the same work-items, as far as their number tells; one that is not, depends on the size.
 *
 * Compilers may serve an access by other instructions for each size: a line is compared only where these are as many.
 */
#include "check_waves.h"
#include "common/plural.h"
#include "cli/common/cli.h"
#include "cli/common/safe_output.h"
#include "common/wavefronts.h"
#include "results/file/error_text.h"
#include "lanescope/defaults.h"
#include "results/profile/title.h"
#include "results/reader/filters.h"
#include "results/reader/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 2 };

/* What one line did in all dispatches of a kernel. */
struct line {
    char *kernel, *what; /* what: "store to global" */
    char *file;          /* a plain path */
    uint32_t number;     /* of the line in it; 0: none */
    int64_t wave;        /* lanes of its kernel's wavefronts */
    int64_t work;        /* work-items of all dispatches of the kernel */
    int64_t waves;       /* and their wavefronts */
    int64_t groups;      /* and their work-groups */
    int64_t lanes, executions, instructions;
    bool estimated, lost; /* lost: not all messages of the kernel's dispatches came */
};

struct side {
    const char *path;
    struct line *lines;
    size_t n;
    int64_t wave;  /* 0: none, -1: both sizes */
    char *filters; /* ls_filters_text; NULL: all wavefronts reported */
};

/* The sites of what ran; those that no wavefront came to have no values. A ds_read2 counts for the site that has it. */
static const char query[] =
    "WITH ran AS (SELECT d.kernel AS kernel, sum(grid_x * grid_y * grid_z) AS work, max(coalesce(k.lanes, "
    "g.lanes)) AS lanes,"
    "  sum(wavefronts(grid_x, grid_y, grid_z, workgroup_x, workgroup_y, workgroup_z, coalesce(k.lanes, "
    "g.lanes))) AS waves,"
    "  sum(wavefronts(grid_x, grid_y, grid_z, workgroup_x, workgroup_y, workgroup_z, 65536)) AS groups,"
    "  max(d.bad <> 0 OR d.dropped <> 0) AS lost"
    "  FROM dispatch d JOIN kernel k ON k.id = d.kernel JOIN agent g ON g.id = d.agent WHERE observed GROUP "
    "BY d.kernel),"
    " part AS (SELECT d.kernel AS kernel, v.site AS site, v.value * (m.name = 'Active Lanes') AS lanes,"
    "  v.value * (m.name = 'Executions') AS executions FROM value v JOIN metric m ON m.id = v.metric"
    "  JOIN dispatch d ON d.id = v.dispatch WHERE m.handler IN ('" LS_LDS_HANDLER "', '" LS_GLOBAL_HANDLER
    "')"
    "  AND m.name IN ('Active Lanes', 'Executions')"
    " UNION ALL SELECT s.kernel, s.id, 0, 0 FROM site s JOIN ran ON ran.kernel = s.kernel"
    "  JOIN site_kind sk ON sk.id = s.kind JOIN address_space a ON a.id = s.space"
    "  WHERE s.flags & 1 AND sk.name IN ('load', 'store', 'atomic') AND a.name IN ('global', 'LDS', 'flat'))"
    ", many AS (SELECT kernel, site, count(*) AS n FROM instruction GROUP BY kernel, site)"
    " SELECT k.name, s.frame, sk.name || ' of ' || a.name, ran.lanes, ran.work, "
    "sum(part.lanes),"
    " sum(part.executions), coalesce(many.n, 0),"
    " s.isa_join = 0, ran.waves, ran.lost, ran.groups"
    " FROM part JOIN ran ON ran.kernel = part.kernel JOIN kernel k ON k.id = part.kernel"
    " JOIN site s ON s.id = part.site"
    " LEFT JOIN many ON many.kernel = k.id AND many.site = s.id"
    " JOIN site_kind sk ON sk.id = s.kind JOIN address_space a ON a.id = s.space GROUP BY k.id, s.id";

/* SQL's wavefronts(grid x, y, z, work-group x, y, z, lanes): of one dispatch; its work-groups, if none has more work-items than
 * that. The last work-group of a row may have fewer work-items, and each work-group's last wavefront fewer lanes. NULL where a
 * number is none that a dispatch can have. */
static void count_wavefronts(sqlite3_context *context, int n, sqlite3_value **values)
{
    uint32_t size[6];
    const int64_t lanes = sqlite3_value_int64(values[n - 1]);
    bool sound = lanes > 0 && lanes <= UINT32_MAX;
    for (int i = 0; i < 6; i++) {
        const int64_t value = sqlite3_value_int64(values[i]);
        sound = sound && value > 0 && value <= (i < 3 ? UINT32_MAX : UINT16_MAX);
        size[i] = (uint32_t)value;
    }
    const unsigned __int128 sum = sound ? ls_wavefronts(size, size + 3, (uint32_t)lanes) : 0;
    if (sound && sum <= INT64_MAX)
        sqlite3_result_int64(context, (int64_t)sum);
}

static char *column_text(sqlite3_stmt *st, int i)
{
    const char *text = (const char *)sqlite3_column_text(st, i);
    return printable_text(text ? text : "");
}

/* Where the user's own source comes to the access. */
static const struct ls_r_frame *title_of(const struct ls_results *r, int64_t frame)
{
    const struct ls_profile no_libraries = {0};
    const struct ls_r_frame *f = ls_results_frame(r, frame);
    size_t depth;
    return f ? ls_title_frame(&no_libraries, r, f, &depth) : NULL;
}

static void take_row(struct side *s, const struct ls_results *r, sqlite3_stmt *st)
{
    struct line *l = LS_PUSH(s->lines, s->n);
    const struct ls_r_frame *f = title_of(r, sqlite3_column_int64(st, 1));
    const struct ls_r_file *file = f ? ls_frame_file(r, f) : NULL;
    *l = (struct line){.kernel = column_text(st, 0),
                       .file = printable_text(file ? file->path : "?"),
                       .number = f ? f->line : 0,
                       .what = column_text(st, 2),
                       .wave = sqlite3_column_int64(st, 3),
                       .work = sqlite3_column_int64(st, 4),
                       .lanes = sqlite3_column_int64(st, 5),
                       .executions = sqlite3_column_int64(st, 6),
                       .instructions = sqlite3_column_int64(st, 7),
                       .estimated = sqlite3_column_int(st, 8),
                       .waves = sqlite3_column_int64(st, 9),
                       .lost = sqlite3_column_int(st, 10),
                       .groups = sqlite3_column_int64(st, 11)};
    s->wave = !s->wave || s->wave == l->wave ? l->wave : -1;
}

static int order(const struct line *a, const struct line *b)
{
    int rc = strcmp(a->kernel, b->kernel);
    rc = rc ? rc : strcmp(a->file, b->file);
    rc = rc ? rc : (a->number > b->number) - (a->number < b->number);
    return rc ? rc : strcmp(a->what, b->what);
}

static int order_of_two(const void *a, const void *b)
{
    return order(a, b);
}

static void free_line(struct line *l)
{
    free(l->kernel);
    free(l->file);
    free(l->what);
}

/* Sites of one line become one. */
static void sum_lines(struct side *s)
{
    size_t n = 0;
    if (s->n)
        qsort(s->lines, s->n, sizeof *s->lines, order_of_two);
    for (size_t i = 0; i < s->n; i++) {
        struct line *l = n ? &s->lines[n - 1] : NULL, *next = &s->lines[i];
        if (!l || order(l, next)) {
            s->lines[n++] = *next;
            continue;
        }
        l->lanes += next->lanes;
        l->executions += next->executions;
        l->instructions += next->instructions;
        l->estimated |= next->estimated;
        free_line(next);
    }
    s->n = n;
}

/* `names`: gives files of both sides the same paths. */
static int read_side(struct side *s, struct ls_profile *names)
{
    char *error = NULL;
    struct ls_results *r = ls_results_open(s->path, &error);
    sqlite3_stmt *st = NULL;
    if (!r || ls_results_load(r, &error)) {
        message_free(error);
        ls_results_close(r);
        return EXIT_DATABASE;
    }
    ls_profile_spell(names, r);
    for (size_t i = 0; i < r->n_processes && !s->filters; i++)
        s->filters = ls_filters_text(r->processes[i].options);
    int rc =
        sqlite3_create_function(r->sql, "wavefronts", 7, SQLITE_UTF8, NULL, count_wavefronts, NULL, NULL);
    rc = rc ? rc : sqlite3_prepare_v2(r->sql, query, -1, &st, NULL);
    while (rc == SQLITE_OK || rc == SQLITE_ROW)
        if ((rc = sqlite3_step(st)) == SQLITE_ROW)
            take_row(s, r, st);
    if (rc != SQLITE_DONE)
        message("%s: %s", s->path, sqlite3_errmsg(r->sql));
    sqlite3_finalize(st);
    ls_results_close(r);
    sum_lines(s);
    return rc == SQLITE_DONE ? EXIT_OK : EXIT_DATABASE;
}

static void free_side(struct side *s)
{
    for (size_t i = 0; i < s->n; i++)
        free_line(&s->lines[i]);
    free(s->lines);
    free(s->filters);
}

/* ---- verdicts ---- */

enum verdict { SAME, DEPENDS, PER_WAVE, PER_64, OTHER_WORK, LOST, OTHER_CODE, ESTIMATED, ONE_SIDE, VERDICTS };

static const struct {
    const char *key, *words;
} verdicts[VERDICTS] = {
    [SAME] = {"same", ""},
    [DEPENDS] = {"depends",
                 "other lanes do this: a mask, or a lane's number, depends on the size of wavefronts"},
    [PER_WAVE] = {"once per wavefront",
                  "one lane does this for each wavefront: as often as there are wavefronts"},
    [PER_64] = {"once per 64",
                "one of 64 work-items does this with either size: wrong if it speaks for its wavefront"},
    [OTHER_WORK] = {"other launches",
                    "not compared: the kernel was launched with other numbers of work-items"},
    [LOST] = {"lost", "not compared: messages of its kernel were lost or damaged"},
    [OTHER_CODE] = {"other instructions", "not compared: the compilers took other numbers of instructions"},
    [ESTIMATED] = {"estimated", "not compared: its numbers are estimates"},
    [ONE_SIDE] = {"on one side", "not compared: only one recording has it"},
};

static bool one_lane_each(const struct line *a, const struct line *b)
{
    return a->lanes == a->executions && b->lanes == b->executions;
}

/* One lane for each wavefront, whichever wavefronts it is in; or one for each execution, and as often as the kernel has wavefronts,
 * or in the same ratio to them. */
static bool once_per_wavefront(const struct line *a, const struct line *b)
{
    if (!a->waves || !b->waves)
        return false;
    return (a->lanes == a->waves && b->lanes == b->waves) ||
           (one_lane_each(a, b) && (__int128)a->lanes * b->waves == (__int128)b->lanes * a->waves);
}

/* One lane of each wavefront of 64, and of each second one of 32: a lane's number taken by & 63, whatever the size is. Where
 * work-groups have no more than 64 work-items, it is just their first one. */
static bool once_per_64(const struct line *a, const struct line *b)
{
    const struct line *wide = a->wave > b->wave ? a : b;
    return one_lane_each(a, b) && wide->lanes && wide->lanes == wide->waves && wide->waves != wide->groups;
}

static enum verdict judge(const struct line *a, const struct line *b)
{
    if (!a || !b)
        return ONE_SIDE;
    if (a->work != b->work)
        return OTHER_WORK;
    if (a->lost || b->lost)
        return LOST;
    if (a->estimated || b->estimated)
        return ESTIMATED;
    if (a->instructions != b->instructions)
        return OTHER_CODE;
    if (a->lanes == b->lanes)
        return once_per_64(a, b) ? PER_64 : SAME;
    return once_per_wavefront(a, b) ? PER_WAVE : DEPENDS;
}

struct output {
    struct ls_p_texts files; /* of all lines, for their short names */
    json_t *list;            /* NULL: text */
    size_t n[VERDICTS];
    const char *kernel; /* whose heading was printed last */
};

static void print_text(struct output *o, const struct line *a, const struct line *b, enum verdict v)
{
    const struct line *l = a ? a : b;
    if (!o->kernel || strcmp(o->kernel, l->kernel))
        printf("%s\n", l->kernel);
    o->kernel = l->kernel;
    printf("  %s:%" PRIu32 ": %s: ", ls_short_name(&o->files, l->file), l->number, l->what);
    if (a && b)
        printf("%lld %s with %lld, %lld with %lld; ", (long long)a->lanes,
               ls_word((double)a->lanes, "lane", "lanes"), (long long)a->wave, (long long)b->lanes,
               (long long)b->wave);
    printf("%s\n", verdicts[v].words);
}

static json_t *number_of(const struct line *l, int64_t value)
{
    return l ? json_integer(value) : json_null();
}

static void tell(struct output *o, const struct line *a, const struct line *b)
{
    const enum verdict v = judge(a, b);
    const struct line *l = a ? a : b;
    o->n[v]++;
    if (!o->list) {
        if (v == DEPENDS || v == PER_WAVE || v == PER_64)
            print_text(o, a, b, v);
        return;
    }
    char *place = ls_text("%s:%" PRIu32, l->file, l->number);
    json_array_append_new(
        o->list,
        json_pack("{s:o, s:o, s:o, s:s, s:[o, o], s:[o, o]}", "kernel", json_text(l->kernel), "place",
                  json_text(place ? place : ""), "access", json_text(l->what), "verdict", verdicts[v].key,
                  "lanes", number_of(a, a ? a->lanes : 0), number_of(b, b ? b->lanes : 0), "executions",
                  number_of(a, a ? a->executions : 0), number_of(b, b ? b->executions : 0)));
    free(place);
}

static void collect_files(struct output *o, const struct side side[SIDES])
{
    for (unsigned s = 0; s < SIDES; s++)
        for (size_t i = 0; i < side[s].n; i++)
            if (!i || strcmp(side[s].lines[i].file, side[s].lines[i - 1].file))
                *LS_PUSH(o->files.items, o->files.n) = side[s].lines[i].file;
    ls_short_names_sort(&o->files);
}

static void compare(struct output *o, const struct side side[SIDES])
{
    size_t i = 0, k = 0;
    collect_files(o, side);
    while (i < side[0].n || k < side[1].n) {
        const struct line *a = i < side[0].n ? &side[0].lines[i] : NULL;
        const struct line *b = k < side[1].n ? &side[1].lines[k] : NULL;
        const int rc = !a ? 1 : !b ? -1 : order(a, b);
        tell(o, rc <= 0 ? a : NULL, rc >= 0 ? b : NULL);
        i += rc <= 0;
        k += rc >= 0;
    }
}

static size_t named_lines(const struct output *o)
{
    return o->n[DEPENDS] + o->n[PER_WAVE] + o->n[PER_64];
}

static size_t compared_lines(const struct output *o)
{
    return named_lines(o) + o->n[SAME];
}

/* No line of one recording is in the other. */
static bool all_on_one_side(const struct output *o)
{
    for (unsigned v = 0; v < VERDICTS; v++)
        if (v != ONE_SIDE && o->n[v])
            return false;
    return true;
}

static void print_end(const struct output *o)
{
    for (unsigned v = OTHER_WORK; v < VERDICTS; v++)
        if (o->n[v])
            printf("%zu line%s %s\n", o->n[v], o->n[v] == 1 ? "" : "s", verdicts[v].words);
    printf("%zu of %zu compared %s on the size of wavefronts; the values that lanes compute are "
           "not recorded, so "
           "compare the program's results, too\n",
           named_lines(o), compared_lines(o),
           ls_word((double)compared_lines(o), "line depends", "lines depend"));
}

static bool comparable(const struct side side[SIDES])
{
    for (unsigned i = 0; i < SIDES; i++)
        if (side[i].filters) {
            message("%s: %s: which, depends on the size of wavefronts; record it without", side[i].path,
                    side[i].filters);
            return false;
        }
    for (unsigned i = 0; i < SIDES; i++)
        if (side[i].wave <= 0) {
            message(side[i].wave
                        ? "%s: has kernels of both sizes of wavefronts; record the program with each alone"
                        : "%s: no line of it was counted",
                    side[i].path);
            return false;
        }
    if (side[0].wave != side[1].wave)
        return true;
    message("%s and %s have wavefronts of %lld lanes, both; record one with --gpu of another size, or "
            "compiled with "
            "-mwavefrontsize64",
            side[0].path, side[1].path, (long long)side[0].wave);
    return false;
}

int check_waves(char *const databases[2], bool json)
{
    struct side side[SIDES] = {{.path = databases[0]}, {.path = databases[1]}};
    struct ls_profile *names = ls_profile_new();
    int rc = read_side(&side[0], names);
    rc = rc ? rc : read_side(&side[1], names);
    ls_profile_free(names);
    if (!rc && !comparable(side))
        rc = EXIT_USAGE;
    if (!rc) {
        struct output o = {.list = json ? json_array() : NULL};
        compare(&o, side);
        if (json) {
            json_t *root = json_root("check-waves");
            json_object_set_new(root, "waves", json_pack("[I, I]", side[0].wave, side[1].wave));
            json_object_set_new(root, "lines", o.list);
            write_json(root, stdout);
            json_decref(root);
        } else {
            print_end(&o);
        }
        rc = named_lines(&o) ? EXIT_FAILED : EXIT_OK;
        if (!compared_lines(&o)) {
            message("%s and %s: no line could be compared%s", side[0].path, side[1].path,
                    all_on_one_side(&o) ? ": are they recordings of one program?" : "");
            rc = EXIT_FAILED;
        }
        free(o.files.items);
    }
    free_side(&side[0]);
    free_side(&side[1]);
    return rc;
}
