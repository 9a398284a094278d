/* folder.c - see folder.h. */
#include "folder.h"
#include "cli/common/cli.h"
#include "cli/common/output_file.h"
#include "cli/common/readers.h"
#include "cli/common/unfinished.h"
#include "results/file/error_text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>

static bool is_empty(const char *path)
{
    DIR *dir = opendir(path);
    size_t n = 0;
    for (struct dirent *e; dir && (e = readdir(dir));)
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    if (dir)
        closedir(dir);
    return dir && !n;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int folder_open(struct folder *f, const struct conversion *c)
{
    *f = (struct folder){.path = c->output, .force = c->force};
    sigset_t before;
    unfinished_hold(&before);
    f->made = !mkdir(f->path, 0777);
    int why = errno;
    unfinished_add(f->made ? f->path : NULL, &before);
    if (f->made || (why == EEXIST && (is_empty(f->path) || (f->force && is_folder(f->path)))))
        return EXIT_OK;
    message("--output: %s: %s", f->path,
            why != EEXIST ? strerror(why)
            : !is_folder(f->path)
                ? "is no folder; give a new name"
                : "is not an empty folder; give a new name, or --force to replace files in it");
    return EXIT_FAILED;
}

/* What the files of the processes of one number begin with: the number itself, "11-2" for the second. */
struct folder_prefix {
    UT_hash_handle hh;
    int64_t pid;
    size_t n; /* processes so far */
    char **texts;
};

static struct folder_prefix *prefix_of(struct folder *f, int64_t pid)
{
    struct folder_prefix *found;
    HASH_FIND(hh, f->prefixes, &pid, sizeof pid, found);
    if (!found) {
        found = ls_realloc(NULL, sizeof *found);
        *found = (struct folder_prefix){.pid = pid};
        HASH_ADD(hh, f->prefixes, pid, sizeof pid, found);
    }
    return found;
}

/* Processes of several hosts or runs may have the same number. */
const char *folder_prefix(struct folder *f, const struct ls_r_process *p)
{
    struct folder_prefix *x = prefix_of(f, p->pid);
    const size_t before = x->n;
    char **text = LS_PUSH(x->texts, x->n);
    *text = before ? ls_text("%" PRId64 "-%zu", p->pid, before + 1) : ls_text("%" PRId64, p->pid);
    if (!*text)
        abort();
    return *text;
}

static void free_prefixes(struct folder *f)
{
    struct folder_prefix *x, *next;
    HASH_ITER(hh, f->prefixes, x, next)
    {
        HASH_DEL(f->prefixes, x);
        for (size_t i = 0; i < x->n; i++)
            free(x->texts[i]);
        free(x->texts);
        free(x);
    }
}

/* None of others can stand in a folder that was empty, and O_EXCL makes sure. */
static int create(const char *name, char *database, char **file)
{
    sigset_t before;
    unfinished_hold(&before);
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600), why = errno;
    unfinished_add(fd < 0 ? NULL : name, &before);
    *file = fd < 0 ? NULL : strdup(name);
    if (fd >= 0 && (!*file || readers_apply(fd, &database, 1))) {
        why = errno;
        close(fd);
        unlink(name);
        unfinished_end(name);
        free(*file);
        fd = -1;
    }
    errno = why;
    return fd;
}

int folder_file(struct folder *f, const char *prefix, const char *name, char *database, const char **path,
                const char **shown)
{
    char *whole = NULL, *file = NULL;
    if (asprintf(&whole, "%s/%s_%s", f->path, prefix, name) < 0)
        abort();
    const struct output_rules rules = {.databases = &database, .n = 1};
    bool kept = f->force && output_is_recording(whole);
    int fd = kept ? -1 : f->force ? output_file_beside(whole, &rules, &file) : create(whole, database, &file);
    if (fd < 0) {
        message("%s: cannot write the file: %s", whole,
                kept ? "it is a recording, which is not replaced" : output_file_cause(errno));
        free(whole);
        return -1;
    }
    *LS_PUSH(f->files, f->n_files) = (struct folder_entry){file, whole};
    *path = file;
    *shown = whole;
    return fd;
}

static void give_names(struct folder *f, int *rc)
{
    for (size_t i = 0; !*rc && i < f->n_files; i++) {
        const struct folder_entry *e = &f->files[i];
        if (rename(e->file, e->name)) {
            message("%s: cannot write the file: %s", e->name, strerror(errno));
            *rc = EXIT_FAILED;
        }
    }
}

int folder_close(struct folder *f, int rc)
{
    give_names(f, &rc);
    for (size_t i = 0; rc && i < f->n_files; i++)
        unlink(f->files[i].file);
    if (rc && f->made)
        rmdir(f->path);
    for (size_t i = f->n_files; i-- > 0;) { /* what came last is found first */
        unfinished_end(f->files[i].file);
        free(f->files[i].file);
        free(f->files[i].name);
    }
    if (f->made)
        unfinished_end(f->path);
    free(f->files);
    free_prefixes(f);
    return rc;
}
