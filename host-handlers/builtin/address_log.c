/*
 * address_log.c - handler: every observed access, as it was, in a file.
 *
 * Options, separated by colons: file=PATH (%p is replaced by the process id; default
 * lanescope-addresses-%p.csv, .jsonl or .bin) and format=csv|json|binary. LDS addresses are byte offsets in
 * the work-group's LDS. Order: per wavefront as executed.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lanescope/sdk/rows.h"
#include "address_log_format.h"
#include "lanescope/output.h"

struct self {
    const struct lanescope_host *host;
    pthread_mutex_t lock; /* of the file */
    FILE *file;
    char *path;
    const struct address_log_format *format;
    uint32_t logged; /* the metric */
    bool failed;     /* a write error was reported */
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    uint64_t logged[]; /* accesses per site */
};

/* Replaces the first %p by the process id. A relative path is one from where `lanescope run` was started: the
 * program may have changed its directory since. malloc'd. */
static char *expand(const char *path)
{
    char *out = NULL;
    const char *p = strstr(path, "%p"), *from = *path == '/' ? NULL : getenv("LANESCOPE_DIRECTORY");
    const char *slash = from && *from ? "/" : "";
    from = from ? from : "";
    int rc = p ? asprintf(&out, "%s%s%.*s%d%s", from, slash, (int)(p - path), path, (int)getpid(), p + 2)
               : asprintf(&out, "%s%s%s", from, slash, path);
    return rc < 0 ? NULL : out;
}

static const struct address_log_format *format_of(const char *name)
{
    static const struct address_log_format *const all[] = {&address_log_csv, &address_log_json,
                                                           &address_log_binary};
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!strcmp(all[i]->name, name))
            return all[i];
    return NULL;
}

static int default_path(struct self *self)
{
    char name[64];
    snprintf(name, sizeof name, "lanescope-addresses-%%p.%s", self->format->suffix);
    self->path = expand(name);
    return self->path ? 0 : -ENOMEM;
}

static int parse_options(struct self *self, const char *options)
{
    char *copy = strdup(options), *rest = copy, *word;
    int rc = copy ? 0 : -ENOMEM;
    self->format = &address_log_csv;
    while (!rc && (word = strsep(&rest, ":"))) {
        const struct address_log_format *format = strncmp(word, "format=", 7) ? NULL : format_of(word + 7);
        if (!*word)
            continue;
        if (!strncmp(word, "file=", 5) && word[5]) {
            free(self->path);
            self->path = expand(word + 5);
            rc = self->path ? 0 : -ENOMEM;
        } else if (format) {
            self->format = format;
        } else {
            self->host->log(self->host, LANESCOPE_LOG_ERROR,
                            "address_log: unknown option '%s'; known: file=PATH, format=csv|json|binary",
                            word);
            rc = -EINVAL;
        }
    }
    if (!rc && !self->path)
        rc = default_path(self);
    free(copy);
    return rc;
}

/* Logs of earlier runs are replaced, nothing else. */
static int open_file(struct self *self)
{
    int fd = lanescope_open_output(self->path, self->format->mark, strlen(self->format->mark));
    if (fd >= 0 && (self->file = fdopen(fd, "w")))
        return 0;
    int rc = -errno;
    self->host->log(self->host, LANESCOPE_LOG_ERROR,
                    "address_log: cannot write %s: %s; give file=PATH of a writable place", self->path,
                    rc == -EEXIST  ? "it exists and is no log of this form"
                    : rc == -ELOOP ? "it is a symbolic link"
                                   : strerror(-rc));
    if (fd >= 0)
        close(fd);
    return rc;
}

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    struct self *self = calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    self->host = host;
    int rc = parse_options(self, options);
    if (!rc)
        rc = open_file(self);
    if (rc) {
        free(self->path);
        free(self);
        return rc;
    }
    self->logged = host->metric(host, "Accesses Logged", "accesses", "accesses that are in the log");
    pthread_mutex_init(&self->lock, NULL);
    if (self->format->head)
        self->format->head(self->file);
    *out = self;
    return 0;
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    struct self *self = handler;
    struct state *st = calloc(1, sizeof *st + d->n_sites * sizeof st->logged[0]);
    if (!st)
        return -ENOMEM;
    st->self = self;
    st->dispatch = d;
    pthread_mutex_lock(&self->lock);
    if (self->format->dispatch)
        self->format->dispatch(self->file, d);
    pthread_mutex_unlock(&self->lock);
    *out = st;
    return 0;
}

static void note_failure(struct self *self)
{
    if (!self->failed)
        self->host->log(self->host, LANESCOPE_LOG_ERROR,
                        "address_log: writing %s failed: the log is incomplete", self->path);
    self->failed = true;
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    struct state *st = state;
    struct self *self = st->self;
    bool written = true;
    pthread_mutex_lock(&self->lock);
    for (size_t i = 0; i < n; i++)
        written &= self->format->access(self->file, st->dispatch, &a[i], !st->logged[a[i].site]++);
    if (!written || ferror(self->file))
        note_failure(self);
    pthread_mutex_unlock(&self->lock);
}

/* Where the dispatch's accesses are. */
static void write_row(const struct self *self, uint64_t accesses, struct lanescope_results *r)
{
    static const struct lanescope_column columns[] = {{"file", LANESCOPE_TEXT},
                                                      {"format", LANESCOPE_TEXT},
                                                      {"accesses", LANESCOPE_UNSIGNED},
                                                      {"complete", LANESCOPE_BOOL}};
    static const struct lanescope_table files = {"files", columns, sizeof columns / sizeof *columns};
    const struct lanescope_value row[] = {lanescope_text(self->path), lanescope_text(self->format->name),
                                          lanescope_unsigned(accesses), lanescope_bool(!self->failed)};
    lanescope_add_row(self->host, r, &files, LANESCOPE_NO_SITE, row);
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = state;
    struct self *self = st->self;
    uint64_t sum = 0;
    pthread_mutex_lock(&self->lock);
    if (fflush(self->file))
        note_failure(self);
    for (uint32_t i = 0; i < st->dispatch->n_sites; i++) {
        sum += st->logged[i];
        if (st->logged[i])
            self->host->add(r, i, self->logged, (int64_t)st->logged[i]);
    }
    write_row(self, sum, r);
    pthread_mutex_unlock(&self->lock);
    free(state);
}

static void close_handler(void *handler)
{
    struct self *self = handler;
    if (fclose(self->file) && !self->failed)
        self->host->log(self->host, LANESCOPE_LOG_ERROR,
                        "address_log: writing %s failed: the log is incomplete", self->path);
    pthread_mutex_destroy(&self->lock);
    free(self->path);
    free(self);
}

LANESCOPE_HANDLER = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "address_log",
    .version = LANESCOPE_VERSION,
    .description = "every observed access with its lane addresses, as CSV, JSON lines or binary records",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .accesses = accesses,
    .dispatch_end = dispatch_end,
    .close = close_handler,
};
