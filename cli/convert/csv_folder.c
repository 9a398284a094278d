/* csv_folder.c - see csv_folder.h. */
#include "csv_folder.h"
#include "cli/common/cli.h"
#include "cli/common/readers.h"
#include "csv_tables.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

int csv_folder_open(struct csv_folder *f, const char *path)
{
    memset(f, 0, sizeof(*f));
    f->path = path;
    f->made = !mkdir(path, 0777);
    if (f->made || (errno == EEXIST && is_empty(path)))
        return EXIT_OK;
    message("--output: %s: %s", path,
            errno == EEXIST ? "is not an empty folder; give a new name" : strerror(errno));
    return EXIT_FAILED;
}

static bool taken(const struct csv_folder *f, const char *prefix)
{
    for (size_t i = 0; i < f->n_processes; i++)
        if (!strcmp(f->prefixes[i], prefix))
            return true;
    return false;
}

/* Processes of several hosts or runs may have the same number. */
static char *new_prefix(struct csv_folder *f, const struct ls_r_process *p)
{
    char text[64];
    snprintf(text, sizeof(text), "%" PRId64, p->pid);
    for (size_t n = 2; taken(f, text); n++)
        snprintf(text, sizeof(text), "%" PRId64 "-%zu", p->pid, n);
    size_t n = f->n_processes;
    *LS_PUSH(f->prefixes, n) = strdup(text);
    *LS_PUSH(f->guids, f->n_processes) = strdup(p->guid);
    return f->prefixes[f->n_processes - 1];
}

static bool is_there(const struct csv_folder *f, const struct ls_r_process *p)
{
    for (size_t i = 0; i < f->n_processes; i++)
        if (*p->guid && !strcmp(f->guids[i], p->guid))
            return true;
    return false;
}

/* The files are new: none of others can stand in a folder that was empty, and O_EXCL makes sure. */
static int write_table(struct csv_folder *f, struct csv_place *p, const struct csv_table *table,
                       const char *prefix, char *database)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s_%s.csv", f->path, prefix, table->name) < 0)
        abort();
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        message("%s: cannot write the file: %s", path, strerror(errno));
        free(path);
        return EXIT_FAILED;
    }
    *LS_PUSH(f->files, f->n_files) = path;
    if (readers_apply(fd, &database, 1)) {
        message("%s: cannot set its mode: %s", path, strerror(errno));
        fclose(out);
        return EXIT_FAILED;
    }
    table->write(p, out);
    return close_output(out, path);
}

int csv_folder_add(struct csv_folder *f, const struct trace *t, char *database)
{
    struct csv_place p = {.t = t};
    for (size_t i = 0; i < t->r->n_processes; i++) {
        p.process = &t->r->processes[i];
        p.launch_ids = p.copy_ids = 0;
        if (is_there(f, p.process)) {
            message("%s: its process %" PRId64 " is in a database before it, too, and would count twice; "
                    "give each recording once",
                    database, p.process->pid);
            return EXIT_DATABASE;
        }
        const char *prefix = new_prefix(f, p.process);
        for (size_t n = 0; n < n_csv_tables; n++) {
            int rc = write_table(f, &p, &csv_tables[n], prefix, database);
            if (rc)
                return rc;
        }
    }
    return EXIT_OK;
}

static void free_all(char **texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
}

int csv_folder_close(struct csv_folder *f, int rc)
{
    for (size_t i = 0; rc && i < f->n_files; i++)
        unlink(f->files[i]);
    if (rc && f->made)
        rmdir(f->path);
    free_all(f->files, f->n_files);
    free_all(f->prefixes, f->n_processes);
    free_all(f->guids, f->n_processes);
    return rc;
}
