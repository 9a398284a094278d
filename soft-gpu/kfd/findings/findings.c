/*
 * findings.c - findings of the check, from pairs of instructions to pairs of source lines.
 *
 * An unrolled loop has many instructions for one line: all of them are one entry here, which is printed once,
 * at the end of the dispatch that had it first. The file is written anew whenever there is a new entry, so
 * that a process that is killed leaves its findings; the last time, at exit, brings the final counts.
 */
#include "findings.h"
#include "lanescope/sdk/json.h"
#include "common/names.h"
#include "common/stale.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "soft-gpu/kfd/report/codeobject.h"
#include "soft-gpu/kfd/config/config.h"
#include "soft-gpu/kfd/raw.h"

struct side {
    struct sg_finding_place at;
    struct code_place place;
    char instruction[96];
};

/* A pair of source lines. */
struct entry {
    struct entry *next;
    enum sg_finding_kind kind;
    enum sg_check_space space;
    bool harmless, printed;
    unsigned gpu;
    unsigned sides;
    struct side side[2];
    uint64_t dispatch, address, count;
    uint64_t group[3];
    uint64_t groups[2]; /* work-groups in x and y */
    uint64_t base;      /* of the allocation; 0: LDS */
};

/* Which entry a pair of instructions belongs to. */
struct known {
    struct known *next;
    uint64_t kernel_object, a, b;
    enum sg_finding_kind kind;
    enum sg_check_space space;
    struct entry *entry;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries, **entries_tail = &entries;
static struct known *known;
static uint64_t dispatches, lost;

/* ---- Text ---- */

static const char *access_name(enum sg_check_kind kind)
{
    return kind == SG_CHECK_READ ? "read" : kind == SG_CHECK_WRITE ? "write" : "atomic";
}

/* One word per kind of finding, also in the file and in the database. */
static const char *kind_name(enum sg_finding_kind kind)
{
    if (kind >= SG_FOUND_UNDER_WAY)
        return ls_stales[kind - SG_FOUND_UNDER_WAY].kind;
    return kind == SG_FOUND_RACE ? "race" : kind == SG_FOUND_LANES ? "lanes" : "uninit";
}
_Static_assert(SG_FOUND_POLLED - SG_FOUND_UNDER_WAY + 1 == LS_STALES, "words for each");

/* What was found, up to the kind of memory. */
static void print_what(FILE *out, const struct entry *e)
{
    static const char *const what[] = {
        [SG_FOUND_RACE] = "race: nothing orders these two accesses to",
        [SG_FOUND_LANES] = "lanes of one store write different values to the same",
        [SG_FOUND_UNINIT] = "read before the work-group has written:",
    };
    const char *memory = e->space == SG_CHECK_LDS ? "LDS" : "global memory";
    if (e->kind < SG_FOUND_UNDER_WAY)
        fprintf(out, "lanescope: check: %s %s", what[e->kind], memory);
    else
        fprintf(out, "lanescope: check: the read finds what %s had before the write: %s", memory,
                ls_stales[e->kind - SG_FOUND_UNDER_WAY].what);
}

static unsigned long long group_x(const struct entry *e, const struct side *s)
{
    return s->at.group % e->groups[0];
}
static unsigned long long group_y(const struct entry *e, const struct side *s)
{
    return s->at.group / e->groups[0] % e->groups[1];
}
static unsigned long long group_z(const struct entry *e, const struct side *s)
{
    return s->at.group / e->groups[0] / e->groups[1];
}

static bool are_one_file(const char *a, const char *b)
{
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The path as one would type it here: without detours where that is the same file, and below the current folder from there on. In `room`. */
static const char *shown(const char *path, char room[PATH_MAX])
{
    char here[PATH_MAX];
    if (strlen(path) >= PATH_MAX)
        return path;
    ls_plain_path(path, true, room);
    if (!are_one_file(path, room)) /* ".." may be that of a link; or the source is gone */
        ls_plain_path(path, false, room);
    const size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    return n > 1 && !strncmp(room, here, n) && room[n] == '/' ? room + n + 1 : room;
}

static void print_side(FILE *out, const struct entry *e, unsigned i)
{
    const struct side *s = &e->side[i];
    char room[PATH_MAX];
    fprintf(out, "lanescope:   %s by ", access_name(s->at.kind));
    if (e->space == SG_CHECK_MEMORY)
        fprintf(out, "work-group (%llu,%llu,%llu) ", group_x(e, s), group_y(e, s), group_z(e, s));
    fprintf(out, "wavefront %u lane %u at ", s->at.wave, s->at.lane);
    if (s->place.file[0])
        fprintf(out, "%s:%d:%d%s", shown(s->place.file, room), s->place.line, s->place.column,
                s->place.inlined);
    else
        fprintf(out, "pc 0x%llx (compile with -g to see the line)", (unsigned long long)s->at.pc);
    fprintf(out, "; %s\n", s->instruction);
}

static void print_entry(FILE *out, const struct entry *e)
{
    print_what(out, e);
    if (e->side[0].place.kernel[0])
        fprintf(out, "; kernel %s", e->side[0].place.kernel);
    fputc('\n', out);
    for (unsigned i = 0; i < e->sides; i++)
        print_side(out, e, i);
    if (e->kind >= SG_FOUND_UNDER_WAY)
        fprintf(out, "lanescope:   missing: %s\n", ls_stales[e->kind - SG_FOUND_UNDER_WAY].missing);
    if (e->space == SG_CHECK_MEMORY) {
        fprintf(out, "lanescope:   byte %llu of the memory at 0x%llx; %llu time%s in this dispatch\n",
                (unsigned long long)(e->address - e->base), (unsigned long long)e->base,
                (unsigned long long)e->count, e->count == 1 ? "" : "s");
        return;
    }
    fprintf(out, "lanescope:   LDS byte %llu of work-group (%llu,%llu,%llu); %llu time%s in this dispatch\n",
            (unsigned long long)e->address, (unsigned long long)e->group[0], (unsigned long long)e->group[1],
            (unsigned long long)e->group[2], (unsigned long long)e->count, e->count == 1 ? "" : "s");
}

/* With one write, so that lines of several threads stay whole. */
static void print_new(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    for (struct entry *e = entries; e; e = e->next) {
        if (!e->harmless && !e->printed) {
            print_entry(out, e);
            e->printed = true;
        }
    }
    fclose(out);
    ssize_t written = write(STDERR_FILENO, text, size);
    (void)written; /* stderr may be closed */
    free(text);
}

/* ---- File ---- */

static void json_side(struct lanescope_json *j, const struct side *s)
{
    lanescope_json_open(j, NULL, '{');
    lanescope_json_unsigned(j, "wave", s->at.wave);
    lanescope_json_unsigned(j, "lane", s->at.lane);
    lanescope_json_unsigned(j, "pc", s->at.pc);
    lanescope_json_integer(j, "line", s->place.line);
    lanescope_json_integer(j, "column", s->place.column);
    lanescope_json_text(j, "access", access_name(s->at.kind));
    lanescope_json_text(j, "file", s->place.file);
    lanescope_json_text(j, "inlined", s->place.inlined[0] ? s->place.inlined + 2 : ""); /* without ", " */
    lanescope_json_text(j, "instruction", s->instruction);
    lanescope_json_close(j, '}');
}

static char *json_entry(const struct entry *e)
{
    struct lanescope_json j;
    lanescope_json_begin(&j);
    lanescope_json_unsigned(&j, "gpu", e->gpu);
    lanescope_json_unsigned(&j, "dispatch", e->dispatch);
    lanescope_json_unsigned(&j, "count", e->count);
    lanescope_json_unsigned(&j, "address", e->address);
    lanescope_json_open(&j, "workgroup", '[');
    for (unsigned i = 0; i < 3; i++)
        lanescope_json_unsigned(&j, NULL, e->group[i]);
    lanescope_json_close(&j, ']');
    lanescope_json_text(&j, "kind", kind_name(e->kind));
    lanescope_json_text(&j, "space", e->space == SG_CHECK_LDS ? "LDS" : "global");
    lanescope_json_text(&j, "severity", e->harmless ? "note" : "error");
    lanescope_json_text(&j, "kernel", e->side[0].place.kernel);
    lanescope_json_open(&j, "sides", '[');
    for (unsigned i = 0; i < e->sides; i++)
        json_side(&j, &e->side[i]);
    lanescope_json_close(&j, ']');
    return lanescope_json_finish(&j);
}

static char *json_process(void)
{
    struct lanescope_json j;
    lanescope_json_begin(&j);
    lanescope_json_integer(&j, "pid", getpid());
    lanescope_json_unsigned(&j, "dispatches", dispatches);
    lanescope_json_unsigned(&j, "lost", lost);
    return lanescope_json_finish(&j);
}

/* Writes the line and frees it; NULL, out of memory: nothing. */
static void put_line(FILE *out, char *json)
{
    if (json)
        fprintf(out, "%s\n", json);
    free(json);
}

static void write_whole(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t n = write(fd, text, size);
        if (n <= 0) {
            dprintf(STDERR_FILENO, "lanescope: check: cannot write the findings: %m\n");
            return;
        }
        text += n;
        size -= (size_t)n;
    }
}

static void write_file(void)
{
    const char *directory = soft_config()->check_directory;
    char path[600], *text = NULL;
    size_t size = 0;
    if (!directory[0])
        return;
    snprintf(path, sizeof path, "%s/%d.json", directory, (int)getpid());
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    put_line(out, json_process());
    for (const struct entry *e = entries; e; e = e->next)
        put_line(out, json_entry(e));
    fclose(out);
    int fd = raw_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) {
        dprintf(STDERR_FILENO, "lanescope: check: cannot write %s: %m\n", path);
    } else {
        write_whole(fd, text, size);
        close(fd);
    }
    free(text);
}

/* ---- Entries ---- */

/* A clone with probes and its original are one kernel to the user. */
static void drop_clone_mark(char *kernel)
{
    static const char mark[] = " (instrumented)";
    size_t n = strlen(kernel);
    if (n >= sizeof mark && !strcmp(kernel + n - (sizeof mark - 1), mark))
        kernel[n - (sizeof mark - 1)] = '\0';
}

static bool same_line(const struct side *x, const struct side *y)
{
    if (!x->place.file[0] || !y->place.file[0])
        return !x->place.file[0] && !y->place.file[0] && x->at.pc == y->at.pc;
    return x->place.line == y->place.line && !strcmp(x->place.file, y->place.file) &&
           (x->at.kind == SG_CHECK_READ) == (y->at.kind == SG_CHECK_READ);
}

static bool same_lines(const struct entry *x, const struct entry *y)
{
    if (x->kind != y->kind || x->space != y->space || x->sides != y->sides ||
        strcmp(x->side[0].place.kernel, y->side[0].place.kernel))
        return false;
    if (x->sides == 1)
        return same_line(&x->side[0], &y->side[0]);
    return (same_line(&x->side[0], &y->side[0]) && same_line(&x->side[1], &y->side[1])) ||
           (same_line(&x->side[0], &y->side[1]) && same_line(&x->side[1], &y->side[0]));
}

static void fill_side(struct side *s, uint64_t kernel_object, const struct sg_finding_place *at,
                      const char *instruction)
{
    s->at = *at;
    snprintf(s->instruction, sizeof s->instruction, "%s", instruction);
    code_locate(kernel_object, at->pc, &s->place);
    drop_clone_mark(s->place.kernel);
}

/* NULL when out of memory. */
static struct entry *make_entry(unsigned gpu, const struct sg_check_report *r, uint64_t base)
{
    const struct sg_finding *f = r->finding;
    struct entry *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->kind = f->kind;
    e->space = f->space;
    e->harmless = f->harmless;
    e->gpu = gpu;
    e->dispatch = r->dispatch;
    e->address = f->address;
    e->count = f->count;
    e->base = base;
    e->groups[0] = r->groups[0];
    e->groups[1] = r->groups[1];
    e->group[0] = f->group % r->groups[0];
    e->group[1] = f->group / r->groups[0] % r->groups[1];
    e->group[2] = f->group / r->groups[0] / r->groups[1];
    e->sides = f->b.pc ? 2 : 1;
    fill_side(&e->side[0], r->kernel_object, &f->a, r->instruction[0]);
    if (f->b.pc)
        fill_side(&e->side[1], r->kernel_object, &f->b, r->instruction[1]);
    return e;
}

/* Adds what was found again. An example that did harm takes the place of one that did not. */
static void absorb(struct entry *into, const struct entry *e)
{
    struct entry *next = into->next;
    uint64_t count = into->count + e->count;
    if (into->harmless && !e->harmless) {
        *into = *e;
        into->next = next;
    }
    into->count = count;
}

static struct entry *place_entry(struct entry *e)
{
    for (struct entry *old = entries; old; old = old->next) {
        if (same_lines(old, e)) {
            absorb(old, e);
            free(e);
            return old;
        }
    }
    *entries_tail = e;
    entries_tail = &e->next;
    return e;
}

static struct known *find_known(const struct sg_check_report *r)
{
    const struct sg_finding *f = r->finding;
    for (struct known *k = known; k; k = k->next)
        if (k->kernel_object == r->kernel_object && k->a == f->a.pc && k->b == f->b.pc &&
            k->kind == f->kind && k->space == f->space)
            return k;
    return NULL;
}

static void take(unsigned gpu, const struct sg_check_report *r, uint64_t base)
{
    const struct sg_finding *f = r->finding;
    struct known *k = find_known(r);
    if (k && (f->harmless || !k->entry->harmless)) {
        k->entry->count += f->count;
        return;
    }
    struct entry *e = make_entry(gpu, r, base);
    if (!e) {
        lost += f->count;
        return;
    }
    e = place_entry(e);
    if (!k && (k = malloc(sizeof *k))) {
        *k = (struct known){known, r->kernel_object, f->a.pc, f->b.pc, f->kind, f->space, e};
        known = k;
    }
}

void findings_take(unsigned gpu, const struct sg_check_report *r, uint64_t base)
{
    static bool changed; /* since the file was written; lock held */
    pthread_mutex_lock(&lock);
    if (r->finding) {
        struct entry *const *end = entries_tail;
        take(gpu, r, base);
        changed |= end != entries_tail;
    } else {
        dispatches++;
        if (r->lost && !lost)
            dprintf(STDERR_FILENO, "lanescope: check: too many findings in one kernel, or too much global "
                                   "memory; not all is followed\n");
        lost += r->lost;
        print_new();
        if (changed || dispatches == 1)
            write_file();
        changed = false;
    }
    pthread_mutex_unlock(&lock);
}

void findings_code_gone(uint64_t va, uint64_t size)
{
    pthread_mutex_lock(&lock);
    for (struct known **p = &known, *k; (k = *p);) {
        if (k->a - va < size || k->b - va < size || k->kernel_object - va < size) {
            *p = k->next;
            free(k);
        } else {
            p = &k->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

void findings_finish(void)
{
    pthread_mutex_lock(&lock);
    if (dispatches)
        write_file();
    pthread_mutex_unlock(&lock);
}

void findings_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    /* What the parent had stays allocated: freeing it might meet a half-made change. */
    entries = NULL;
    entries_tail = &entries;
    known = NULL;
    dispatches = lost = 0;
}
