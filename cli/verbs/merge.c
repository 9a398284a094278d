/* lanescope merge A.db B.db... -o ALL.db */
#include "cli/common/cli.h"
#include "results/file/place.h"
#include "results/reader/reader.h"
#include "merge_file.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
    char **databases;
    size_t n;
    const char *output;
    bool force;
};

enum { KEY_FORCE = 0x100 };

static const struct argp_option merge_options[] = {
    {"output", 'o', "FILE", 0, "the database to write; an earlier merge is replaced", 0},
    {"force", KEY_FORCE, NULL, 0, "let --output replace any ordinary file that is not being recorded", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'o':
        o->output = arg;
        return 0;
    case KEY_FORCE:
        o->force = true;
        return 0;
    case ARGP_KEY_END:
        if (!o->output)
            argp_error(state, "--output names no file to write; give -o ALL.db");
        return 0;
    default:
        return take_databases(key, state, &o->databases, &o->n);
    }
}

/* Whether a merge wrote the database. */
static bool is_merge(const char *path)
{
    char *error = NULL;
    sqlite3_stmt *st = NULL;
    struct ls_results *r = ls_results_open(path, &error);
    bool merge =
        r &&
        sqlite3_prepare_v2(r->sql, "SELECT 1 FROM meta WHERE key = 'merged'", -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW;
    sqlite3_finalize(st);
    ls_results_close(r);
    free(error);
    return merge;
}

/* Why the merge must not be put there; NULL: it may. */
static const char *refusal(const struct options *o)
{
    struct stat out, in;
    if (!strcmp(o->output, "-"))
        return "a database cannot be written to standard output; give the name of a file";
    if (lstat(o->output, &out))
        return errno == ENOENT ? NULL : strerror(errno);
    for (size_t i = 0; i < o->n; i++)
        if (!stat(o->databases[i], &in) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            return "is one of the databases to merge; give another name";
    if (!S_ISREG(out.st_mode))
        return S_ISLNK(out.st_mode) ? "is a symbolic link; give another name"
                                    : "is no ordinary file; give another name";
    if (ls_place_of_database(o->output) != LS_PLACE_OURS)
        return o->force
                   ? NULL
                   : "exists and is no recording of Lanescope; give another name, or --force to replace it";
    if (ls_results_live(o->output))
        return "is still being recorded; give another name";
    return o->force || !out.st_size || is_merge(o->output)
               ? NULL
               : "is a recording and no earlier merge; give another name, or --force to replace it";
}

const struct argp merge_argp = {
    merge_options,
    parse,
    "DATABASE... -o ALL.db",
    "Writes one database that holds several recordings: processes, ranks, hosts and runs stay apart in "
    "it, and sums are "
    "those of `report` over all of them. The recordings stay as they are.",
    NULL,
    NULL,
    NULL};

int verb_merge(int argc, char **argv)
{
    struct options o = {0};
    if (argp_parse(&merge_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    const char *why = refusal(&o);
    if (why) {
        message("--output: %s: %s", o.output, why);
        return EXIT_USAGE;
    }
    return merge_databases(o.output, o.databases, o.n);
}
