/* diff_match.c - see diff_match.h. */
#include "diff_match.h"
#include "file_named.h"
#include "cli/common/cli.h"
#include "cli/common/safe_output.h"
#include "common/names.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* "ns::f" of "void ns::f<int>(float*)". malloc'd. */
static char *diff_base_name(const char *name)
{
    static const char anonymous[] = "(anonymous namespace)";
    char *out = ls_realloc(NULL, strlen(name) + 1);
    size_t n = 0, depth = 0;
    for (const char *s = name; *s; s++) {
        bool unnamed = !strncmp(s, anonymous, sizeof(anonymous) - 1);
        if (*s == '(' && !depth && !unnamed)
            break; /* parameters */
        for (size_t i = 0; unnamed && i + 1 < sizeof(anonymous) - 1; i++, s++)
            if (!depth)
                out[n++] = *s;
        depth += *s == '<';
        if (!depth && *s == ' ')
            n = 0; /* it was the type that is returned */
        else if (!depth)
            out[n++] = *s;
        depth -= *s == '>' && depth;
    }
    out[n] = 0;
    return out;
}

static bool has_base_name(const char *name, const char *base)
{
    char *own = diff_base_name(name);
    bool same = *own && !strcmp(own, base);
    free(own);
    return same;
}

/* Characters at both ends that two names have in common. */
static size_t likeness(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), least = n < m ? n : m, head = 0, tail = 0;
    while (head < least && a[head] == b[head])
        head++;
    while (tail < least - head && a[n - 1 - tail] == b[m - 1 - tail])
        tail++;
    return head + tail;
}

/* Components at the ends of two paths that are the same: 0 with other names. */
static size_t common_end(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    size_t common = 0;
    for (size_t i = 0;; i++) {
        common += (i == n || a[n - 1 - i] == '/') && (i == m || b[m - 1 - i] == '/');
        if (i == n || i == m || a[n - 1 - i] != b[m - 1 - i])
            return common;
    }
}

static size_t depth(const char *path)
{
    size_t n = 0;
    for (; *path; path++)
        n += *path == '/';
    return n;
}

/* How likely two paths are one file of two trees: 0 with other names; else the more of their ends is the same, and then the
 * less their depths differ. */
static size_t path_likeness(const char *a, const char *b)
{
    enum { DEPTH_MOST = 1000 };
    const size_t x = depth(a), y = depth(b), apart = x > y ? x - y : y - x;
    const size_t common = common_end(a, b);
    return common ? common * DEPTH_MOST - (apart < DEPTH_MOST ? apart : DEPTH_MOST - 1) : 0;
}

/* ---- kernels ---- */

struct matching {
    const struct diff *d;
    const struct ls_p_kernel **partner; /* by index of A's kernels */
    bool *taken;                        /* by index of B's */
    char **base[SIDES];                 /* names without template arguments */
};

bool diff_called(const struct ls_p_kernel *k, const char *name)
{
    return !strcmp(k->name, name) || !strcmp(k->mangled, name) || has_base_name(k->name, name);
}

static bool renamed(const struct diff *d, const struct ls_p_kernel *a, const struct ls_p_kernel *b)
{
    for (size_t i = 0; i < d->n_renames; i++)
        if (diff_called(a, d->renames[i].from) && diff_called(b, d->renames[i].to))
            return true;
    return false;
}

enum stage {
    BY_RENAME,
    BY_FILE,
    BY_LINKAGE_AND_NAME,
    BY_LINKAGE,
    BY_LINKAGE_ALONE,
    BY_NAME,
    BY_BASE_NAME,
    STAGES
};

static bool is_one(const struct ls_p_kernel *a, const struct ls_p_kernel *b)
{
    return !strcmp(a->linkage, b->linkage) && !strcmp(a->name, b->name) && !strcmp(a->arch, b->arch);
}

/* Another one of A's, of several files, is rather the partner of B's. */
static bool is_others(const struct matching *m, size_t i, const struct ls_p_kernel *b)
{
    const struct ls_profile *a = m->d->profile[SIDE_A];
    const size_t own = path_likeness(a->kernels[i]->file, b->file);
    for (size_t k = 0; a->kernels[i]->twin && k < a->n_kernels; k++)
        if (a->kernels[k]->twin && !m->partner[k] && is_one(a->kernels[k], b) &&
            path_likeness(a->kernels[k]->file, b->file) > own)
            return true;
    return false;
}

static bool fits(const struct matching *m, enum stage stage, size_t i, size_t j)
{
    const struct ls_p_kernel *a = m->d->profile[SIDE_A]->kernels[i], *b = m->d->profile[SIDE_B]->kernels[j];
    bool linkage = !strcmp(a->linkage, b->linkage), ran = a->dispatches && b->dispatches;
    switch (stage) {
    case BY_RENAME:
        return ran && renamed(m->d, a, b);
    case BY_FILE: /* functions of unnamed namespaces of several files have one symbol and name */
        return is_one(a, b) && path_likeness(a->file, b->file) && !is_others(m, i, b);
    case BY_LINKAGE_AND_NAME: /* Triton's kernels of one function have one symbol */
        return is_one(a, b);
    case BY_LINKAGE:
        return linkage && !strcmp(a->arch, b->arch);
    case BY_LINKAGE_ALONE: /* comparing architectures is a purpose, too */
        return linkage;
    case BY_NAME:
        return ran && !strcmp(a->name, b->name);
    default:
        return ran && *m->base[SIDE_A][i] && !strcmp(m->base[SIDE_A][i], m->base[SIDE_B][j]);
    }
}

/* What two kernels must have in common to fit in a stage. */
struct kernel_key {
    const char *text;
    size_t index;
};

static struct kernel_key key_in(const struct matching *m, enum stage stage, int side, size_t i)
{
    const struct ls_p_kernel *k = m->d->profile[side]->kernels[i];
    const char *text = stage == BY_RENAME      ? ""
                       : stage == BY_NAME      ? k->name
                       : stage == BY_BASE_NAME ? m->base[side][i]
                                               : k->linkage;
    return (struct kernel_key){text, i};
}

static int by_key(const void *x, const void *y)
{
    const struct kernel_key *a = x, *b = y;
    const int order = strcmp(a->text, b->text);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* All of B's kernels, sorted. */
static struct kernel_key *sorted_keys(const struct matching *m, enum stage stage)
{
    const size_t n = m->d->profile[SIDE_B]->n_kernels;
    struct kernel_key *list = ls_realloc(NULL, (n + 1) * sizeof(*list));
    for (size_t j = 0; j < n; j++)
        list[j] = key_in(m, stage, SIDE_B, j);
    if (n)
        qsort(list, n, sizeof(*list), by_key);
    return list;
}

/* The kernel of B that fits A's and is most alike; of those the first. As many as B has: none. */
static size_t best_partner(const struct matching *m, enum stage stage, size_t i,
                           const struct kernel_key *keys)
{
    const struct ls_profile *a = m->d->profile[SIDE_A], *b = m->d->profile[SIDE_B];
    const struct kernel_key own = key_in(m, stage, SIDE_A, i);
    size_t best = b->n_kernels, most = 0, from = 0, to = b->n_kernels;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (strcmp(keys[middle].text, own.text) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    for (; from < b->n_kernels && !strcmp(keys[from].text, own.text); from++) {
        const size_t j = keys[from].index;
        if (m->taken[j] || !fits(m, stage, i, j))
            continue;
        size_t alike = stage == BY_FILE ? path_likeness(a->kernels[i]->file, b->kernels[j]->file)
                                        : 1 + likeness(a->kernels[i]->name, b->kernels[j]->name);
        if (alike > most) {
            best = j;
            most = alike;
        }
        if (stage != BY_FILE && !strcmp(a->kernels[i]->name, b->kernels[j]->name))
            break; /* none is more alike */
    }
    return best;
}

/* Each of A's kernels that has no partner takes the one of B that fits and is most alike. */
static void pair_stage(struct matching *m, enum stage stage)
{
    const struct ls_profile *a = m->d->profile[SIDE_A], *b = m->d->profile[SIDE_B];
    struct kernel_key *keys = sorted_keys(m, stage);
    for (size_t i = 0; i < a->n_kernels; i++) {
        const size_t best = m->partner[i] ? b->n_kernels : best_partner(m, stage, i, keys);
        if (best < b->n_kernels) {
            m->partner[i] = b->kernels[best];
            m->taken[best] = true;
        }
    }
    free(keys);
}

static struct matching start(const struct diff *d)
{
    struct matching m = {.d = d};
    const size_t n = d->profile[SIDE_A]->n_kernels, other = d->profile[SIDE_B]->n_kernels;
    m.partner = ls_realloc(NULL, (n + 1) * sizeof(*m.partner));
    m.taken = ls_realloc(NULL, (other + 1) * sizeof(*m.taken));
    memset(m.partner, 0, (n + 1) * sizeof(*m.partner));
    memset(m.taken, 0, (other + 1) * sizeof(*m.taken));
    for (int side = 0; side < SIDES; side++) {
        const struct ls_profile *p = d->profile[side];
        m.base[side] = ls_realloc(NULL, (p->n_kernels + 1) * sizeof(char *));
        for (size_t i = 0; i < p->n_kernels; i++)
            m.base[side][i] = diff_base_name(p->kernels[i]->name);
    }
    return m;
}

static void finish(struct matching *m)
{
    for (int side = 0; side < SIDES; side++) {
        for (size_t i = 0; i < m->d->profile[side]->n_kernels; i++)
            free(m->base[side][i]);
        free(m->base[side]);
    }
    free(m->partner);
    free(m->taken);
}

void diff_pair_kernels(struct diff *d)
{
    struct matching m = start(d);
    const struct ls_profile *a = d->profile[SIDE_A], *b = d->profile[SIDE_B];
    for (enum stage stage = d->n_renames ? BY_RENAME : BY_FILE; stage < STAGES; stage++)
        pair_stage(&m, stage);
    for (size_t i = 0; i < a->n_kernels; i++)
        if (a->kernels[i]->dispatches || (m.partner[i] && m.partner[i]->dispatches))
            *LS_PUSH(d->kernels, d->n_kernels) =
                (struct diff_kernel){.kernel = {a->kernels[i], m.partner[i]}};
    for (size_t j = 0; j < b->n_kernels; j++)
        if (!m.taken[j] && b->kernels[j]->dispatches)
            *LS_PUSH(d->kernels, d->n_kernels) = (struct diff_kernel){.kernel = {NULL, b->kernels[j]}};
    finish(&m);
}

/* ---- source files ---- */

static const struct ls_p_file *file_called(const struct ls_profile *p, const char *name)
{
    for (size_t i = 0; i < p->n_files; i++)
        if (is_file_named(p->files[i].path, name))
            return &p->files[i];
    return NULL;
}

static int by_base_name(const void *x, const void *y)
{
    const struct ls_p_file *const *a = x, *const *b = y;
    const int order = strcmp(ls_base_name((*a)->path), ls_base_name((*b)->path));
    return order ? order : (*a > *b) - (*a < *b);
}

static const struct ls_p_file **sorted_files(const struct ls_profile *p)
{
    const struct ls_p_file **list = ls_realloc(NULL, (p->n_files + 1) * sizeof(*list));
    for (size_t i = 0; i < p->n_files; i++)
        list[i] = &p->files[i];
    if (p->n_files)
        qsort(list, p->n_files, sizeof(*list), by_base_name);
    return list;
}

/* The first file of a sorted list whose last component is not before the path's. */
static size_t first_named(const struct ls_p_file *const *list, size_t n, const char *path)
{
    size_t from = 0;
    while (from < n) {
        const size_t middle = from + (n - from) / 2;
        if (strcmp(ls_base_name(list[middle]->path), ls_base_name(path)) < 0)
            from = middle + 1;
        else
            n = middle;
    }
    return from;
}

static bool is_named(const struct ls_p_file *const *list, size_t n, size_t i, const char *path)
{
    return i < n && !strcmp(ls_base_name(list[i]->path), ls_base_name(path));
}

struct diff_files diff_files(const struct diff *d)
{
    const struct ls_profile *a = d->profile[SIDE_A], *b = d->profile[SIDE_B];
    const struct ls_p_file **known = sorted_files(a);
    struct diff_files f = {.by_base = sorted_files(b), .n = b->n_files};
    for (size_t i = 0; i < b->n_files; i++)
        if (!is_named(known, a->n_files, first_named(known, a->n_files, b->files[i].path), b->files[i].path))
            *LS_PUSH(f.strange, f.n_strange) = &b->files[i];
    free(known);
    return f;
}

void diff_files_free(struct diff_files *f)
{
    free(f->by_base);
    free(f->strange);
}

struct source_line {
    const char *text;
    size_t length;
};

static int compare_lines(const void *x, const void *y)
{
    const struct source_line *a = x, *b = y;
    int c = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return c ? c : (a->length > b->length) - (a->length < b->length);
}

/* The file's lines that are more than a brace, sorted. */
static struct source_line *sorted_lines(const struct ls_p_file *f, size_t *n)
{
    struct source_line *list = NULL;
    *n = 0;
    for (const char *s = f->text, *end = s + f->size; s < end;) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        struct source_line line = {s, (size_t)((stop ? stop : end) - s)};
        s += line.length + 1;
        while (line.length && strchr(" \t", *line.text))
            line.text++, line.length--;
        while (line.length && strchr(" \t\r", line.text[line.length - 1]))
            line.length--;
        if (line.length > 1)
            *LS_PUSH(list, *n) = line;
    }
    if (*n)
        qsort(list, *n, sizeof(*list), compare_lines);
    return list;
}

/* Which part of the longer text's lines both have, from 0 to 1. */
static double text_likeness(const struct ls_p_file *a, const struct ls_p_file *b)
{
    if (!a->text || !b->text)
        return 0;
    size_t n, m, i = 0, j = 0, both = 0;
    struct source_line *x = sorted_lines(a, &n), *y = sorted_lines(b, &m);
    while (i < n && j < m) {
        int c = compare_lines(&x[i], &y[j]);
        both += !c;
        i += c <= 0;
        j += c >= 0;
    }
    free(x);
    free(y);
    return n || m ? (double)both / (double)(n > m ? n : m) : 0;
}

/* The file of B that A knows nothing of and that has most of the text. With very many to be compared with as many
 * others nobody renamed one. */
static const struct ls_p_file *by_text(const struct diff *d, const struct diff_files *files, const char *path)
{
    enum { MOST_PAIRS = 10000 };
    const struct ls_p_file *a = ls_profile_file(d->profile[SIDE_A], path), *found = NULL;
    double most = 0.5;
    if (files->n_strange && d->profile[SIDE_A]->n_files > MOST_PAIRS / files->n_strange)
        return NULL;
    for (size_t i = 0; a && i < files->n_strange; i++) {
        const struct ls_p_file *b = files->strange[i];
        double alike = text_likeness(a, b);
        if (alike >= most && (!found || alike > most)) {
            found = b;
            most = alike;
        }
    }
    return found;
}

/* Of the files of that name, the first of which is given. NULL: no one is more alike than all others. */
static const struct ls_p_file *most_alike(const struct diff_files *files, size_t first, const char *path)
{
    const struct ls_p_file *found = NULL;
    size_t most = 0;
    for (size_t i = first; is_named(files->by_base, files->n, i, path); i++) {
        const size_t alike = path_likeness(path, files->by_base[i]->path);
        if (alike >= most)
            found = alike > most ? files->by_base[i] : NULL;
        most = alike > most ? alike : most;
    }
    return found;
}

const struct ls_p_file *diff_counterpart(const struct diff *d, const struct diff_files *files,
                                         const char *path)
{
    const struct ls_profile *b = d->profile[SIDE_B];
    for (size_t i = 0; i < d->n_renames; i++)
        if (is_file_named(path, d->renames[i].from) && file_called(b, d->renames[i].to))
            return file_called(b, d->renames[i].to);
    const struct ls_p_file *found = ls_profile_file(b, path);
    if (found)
        return found;
    const size_t first = first_named(files->by_base, files->n, path);
    if (!is_named(files->by_base, files->n, first, path))
        return by_text(d, files, path);
    return most_alike(files, first, path);
}

/* ---- the user's renames ---- */

static bool kernel_called(const struct ls_profile *p, const char *name)
{
    for (size_t i = 0; i < p->n_kernels; i++)
        if (diff_called(p->kernels[i], name))
            return true;
    return false;
}

/* That one side's name is no kernel and no file. */
static int tell_unknown(const struct diff *d, int side, const char *name)
{
    char *word = shell_word(d->profile[side]->databases[0].path);
    message("--map: the database %s has no kernel and no source file '%s'; `lanescope list kernels %s` "
            "shows its kernels",
            side == SIDE_A ? "before" : "after", name, word);
    free(word);
    return EXIT_USAGE;
}

enum { KERNEL = 1, SOURCE = 2 };

static int kinds(const struct ls_profile *p, const char *name)
{
    return (kernel_called(p, name) ? KERNEL : 0) | (file_called(p, name) ? SOURCE : 0);
}

/* Cuts the text behind the `=` before `to`. */
static void cut(struct diff_rename *r, char *to)
{
    r->to[-1] = '=';
    to[-1] = 0;
    r->to = to;
}

/* Names of kernels have signs of equality, too (f<BLOCK=256>): goes on to the next. */
static bool cut_behind(struct diff_rename *r)
{
    char *equals = strchr(r->to, '=');
    if (!equals || !equals[1])
        return false;
    cut(r, equals + 1);
    return true;
}

static int check_rename(const struct diff *d, struct diff_rename *r)
{
    const struct ls_profile *a = d->profile[SIDE_A], *b = d->profile[SIDE_B];
    char *told = r->to;
    while (!(kinds(a, r->from) & kinds(b, r->to))) {
        if (kinds(a, r->from))
            told = r->to;
        if (!cut_behind(r)) {
            cut(r, told);
            break;
        }
    }
    const int from = kinds(a, r->from), to = kinds(b, r->to);
    if (!from || !to)
        return tell_unknown(d, from ? SIDE_B : SIDE_A, from ? r->to : r->from);
    if (from & to)
        return 0;
    message("--map: '%s' is a %s, but '%s' is a %s; give two kernels or two source files", r->from,
            from & KERNEL ? "kernel" : "source file", r->to, to & KERNEL ? "kernel" : "source file");
    return EXIT_USAGE;
}

int diff_check_renames(const struct diff *d)
{
    int rc = 0;
    for (size_t i = 0; i < d->n_renames && !rc; i++)
        rc = check_rename(d, &d->renames[i]);
    return rc;
}
