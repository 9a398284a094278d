/*
 * address_log.c - handler: every observed access, as it was, in a text file.
 *
 * Options, separated by colons: file=PATH (%p is replaced by the process id; default
 * lanescope-addresses-%p.csv, or .jsonl) and format=csv|json. CSV: one line per access; JSON: one object per
 * line. Addresses are those of the active lanes in lane order; LDS addresses are byte offsets in the
 * work-group's LDS. Order: per wavefront as executed.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lanescope/handler.h"

struct self {
    const struct lanescope_host *host;
    pthread_mutex_t lock; /* of the file */
    FILE *file;
    char *path;
    int json;
    int failed; /* a write error was reported */
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
};

/* Replaces the first %p by the process id. malloc'd. */
static char *expand(const char *path)
{
    char *out = NULL;
    const char *p = strstr(path, "%p");
    int rc = p ? asprintf(&out, "%.*s%d%s", (int)(p - path), path, (int)getpid(), p + 2)
               : asprintf(&out, "%s", path);
    return rc < 0 ? NULL : out;
}

static int parse_options(struct self *self, const char *options)
{
    char *copy = strdup(options), *rest = copy, *word;
    int rc = copy ? 0 : -ENOMEM;
    const char *path = NULL;
    while (!rc && (word = strsep(&rest, ":"))) {
        if (!*word)
            continue;
        if (!strncmp(word, "file=", 5) && word[5])
            path = word + 5;
        else if (!strcmp(word, "format=csv"))
            self->json = 0;
        else if (!strcmp(word, "format=json"))
            self->json = 1;
        else {
            self->host->log(self->host, 0,
                            "address_log: unknown option '%s'; known: file=PATH, format=csv|json", word);
            rc = -EINVAL;
        }
    }
    if (!rc) {
        self->path = expand(path         ? path
                            : self->json ? "lanescope-addresses-%p.jsonl"
                                         : "lanescope-addresses-%p.csv");
        rc = self->path ? 0 : -ENOMEM;
    }
    free(copy);
    return rc;
}

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    struct self *self = calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    self->host = host;
    int rc = parse_options(self, options);
    if (!rc && !(self->file = fopen(self->path, "we"))) {
        rc = -errno;
        host->log(host, 0, "address_log: cannot write %s: %s; give file=PATH of a writable place", self->path,
                  strerror(errno));
    }
    if (rc) {
        free(self->path);
        free(self);
        return rc;
    }
    pthread_mutex_init(&self->lock, NULL);
    if (!self->json)
        fputs("dispatch,kernel,site,file,line,column,kind,space,flags,bytes,workgroup_x,workgroup_y,"
              "workgroup_z,"
              "wave,exec,"
              "addresses\n",
              self->file);
    *out = self;
    return 0;
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    struct state *st = malloc(sizeof *st);
    if (!st)
        return -ENOMEM;
    *st = (struct state){handler, d};
    *out = st;
    return 0;
}

/* Writes text as the inside of a quoted CSV field or JSON string. */
static void quoted(FILE *f, const char *text, int json)
{
    putc('"', f);
    for (; *text; text++) {
        if (json && ((unsigned char)*text < 0x20 || *text == '\\' || *text == '"'))
            fprintf(f, "\\u%04x", (unsigned char)*text);
        else if (!json && *text == '"')
            fputs("\"\"", f);
        else
            putc(*text, f);
    }
    putc('"', f);
}

static void addresses(FILE *f, const struct lanescope_access *a, const char *separator)
{
    uint64_t addr[64];
    const char *between = "";
    lanescope_addresses(a, addr);
    for (uint64_t m = a->exec; m; m &= m - 1, between = separator)
        fprintf(f, "%s%" PRIu64, between, addr[__builtin_ctzll(m)]);
}

static void csv_line(FILE *f, const struct lanescope_dispatch *d, const struct lanescope_access *a)
{
    const struct lanescope_site *s = &d->sites[a->site];
    const struct lanescope_frame none = {.file = "", .function = ""},
                                 *at = s->n_frames ? &s->frames[0] : &none;
    const struct lanescope_wavefront *w = a->wave;
    fprintf(f, "%" PRIu64 ",", d->id);
    quoted(f, d->kernel, 0);
    fprintf(f, ",%u,", a->site);
    quoted(f, at->file, 0);
    fprintf(f, ",%u,%u,%u,%u,%u,%" PRIu64 ",%u,%u,%u,%u,0x%" PRIx64 ",", at->line, at->column, s->kind,
            s->space, s->flags, a->length, w->workgroup[0], w->workgroup[1], w->workgroup[2], w->wave,
            a->exec);
    addresses(f, a, " ");
    putc('\n', f);
}

static void json_line(FILE *f, const struct lanescope_dispatch *d, const struct lanescope_access *a)
{
    const struct lanescope_site *s = &d->sites[a->site];
    const struct lanescope_frame none = {.file = "", .function = ""},
                                 *at = s->n_frames ? &s->frames[0] : &none;
    const struct lanescope_wavefront *w = a->wave;
    fprintf(f, "{\"dispatch\":%" PRIu64 ",\"kernel\":", d->id);
    quoted(f, d->kernel, 1);
    fprintf(f, ",\"site\":%u,\"file\":", a->site);
    quoted(f, at->file, 1);
    fprintf(f,
            ",\"line\":%u,\"column\":%u,\"kind\":%u,\"space\":%u,\"flags\":%u,\"bytes\":%" PRIu64
            ",\"workgroup\":[%u,%u,%u],\"wave\":%u,\"exec\":%" PRIu64 ",\"addresses\":[",
            at->line, at->column, s->kind, s->space, s->flags, a->length, w->workgroup[0], w->workgroup[1],
            w->workgroup[2], w->wave, a->exec);
    addresses(f, a, ",");
    fputs("]}\n", f);
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    struct state *st = state;
    struct self *self = st->self;
    pthread_mutex_lock(&self->lock);
    for (size_t i = 0; i < n; i++)
        (self->json ? json_line : csv_line)(self->file, st->dispatch, &a[i]);
    if (ferror(self->file) && !self->failed) {
        self->failed = 1;
        self->host->log(self->host, 0, "address_log: writing %s failed: the log is incomplete", self->path);
    }
    pthread_mutex_unlock(&self->lock);
}

static void merge(void *state, void *other)
{
    (void)state;
    free(other);
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    (void)r;
    struct self *self = ((struct state *)state)->self;
    pthread_mutex_lock(&self->lock);
    fflush(self->file);
    pthread_mutex_unlock(&self->lock);
    free(state);
}

static void close_handler(void *handler)
{
    struct self *self = handler;
    if (fclose(self->file) && !self->failed)
        self->host->log(self->host, 0, "address_log: writing %s failed: the log is incomplete", self->path);
    pthread_mutex_destroy(&self->lock);
    free(self->path);
    free(self);
}

__attribute__((visibility("default"))) const struct lanescope_handler lanescope_handler = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "address_log",
    .version = LANESCOPE_VERSION,
    .description = "every observed access with its lane addresses, as CSV or JSON lines",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .accesses = accesses,
    .merge = merge,
    .dispatch_end = dispatch_end,
    .close = close_handler,
};
