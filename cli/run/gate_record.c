/* gate_record.c - see gate_record.h. */
#include "gate_record.h"
#include "cli/common/arguments.h"
#include "cli/common/cli.h"
#include "cli/common/readers.h"
#include "cli/common/safe_output.h"
#include "cli/verbs/merge_file.h"
#include "launch.h"
#include "cli/common/temporary.h"
#include "common/temporary.h"
#include "results/reader/arena.h"
#include "results/file/error_text.h"
#include "results/file/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the run ---- */

/* `lanescope run` with the settings that the gate was given. Configuration and environment it reads itself. */
static struct arguments run_command(const char *directory, const struct given *given, char *const *program)
{
    struct arguments a = {0};
    add_argument(&a, "lanescope");
    add_argument(&a, "run");
    if (given->config)
        add_argument(&a, "--config=%s", given->config);
    for (int i = 0; i < N_SETTINGS; i++)
        if (given->value[i] && i != SET_SUMMARY) {
            if (settings[i].arg)
                add_argument(&a, "--%s=%s", settings[i].option, given->value[i]);
            else
                add_argument(&a, "--%s", settings[i].option);
        }
    add_argument(&a, "--no-summary"); /* it would name files that are removed */
    add_argument(&a, "--output-file=%%pid%%.db");
    add_argument(&a, "--output-directory=%s", directory);
    add_argument(&a, "--");
    for (; *program; program++)
        add_argument(&a, "%s", *program);
    return a;
}

static int tell_failure(struct gate_recording *r, int status, const char *program)
{
    char *name = printable_text(program);
    const char *shown = name ? name : "the program";
    r->why = WIFSIGNALED(status)
                 ? ls_text("%s was killed by %s", shown, strsignal(WTERMSIG(status)))
                 : ls_text("the run of %s ended with exit code %d", shown, WEXITSTATUS(status));
    message("%s: its numbers are not compared", r->why ? r->why : shown);
    free(name);
    return EXIT_FAILED;
}

static bool is_database(const char *name)
{
    return ends(name, ".db");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int find_recordings(struct gate_recording *r)
{
    DIR *d = opendir(r->directory);
    bool partial = false;
    for (const struct dirent *e; d && (e = readdir(d));) {
        partial |= ends(e->d_name, ".db.partial");
        if (is_database(e->d_name))
            *LS_PUSH(r->names, r->n) = ls_text("%s/%s", r->directory, e->d_name);
    }
    if (d)
        closedir(d);
    if (r->n)
        qsort(r->names, r->n, sizeof(*r->names), by_name);
    if (!partial && r->n)
        return 0;
    r->why =
        strdup(partial ? "a process of the program was killed or still runs: not all that it did is known"
                       : "nothing was recorded: the program did not start the ROCm runtime");
    message("%s, so nothing is compared", r->why ? r->why : "not all was recorded");
    return EXIT_FAILED;
}

int gate_record(struct gate_recording *r, const struct given *given, char *const *program)
{
    int code = 0;
    r->directory = temporary_directory("gate", "the recording");
    if (!r->directory)
        return EXIT_FAILED;
    struct arguments command = run_command(r->directory, given, program);
    fflush(NULL);
    int status = launch("/proc/self/exe", command.v, NULL, &code);
    if (status == -1)
        return code;
    return status ? tell_failure(r, status, program[0]) : find_recordings(r);
}

void gate_recording_free(struct gate_recording *r)
{
    if (r->directory)
        ls_remove_folder(r->directory);
    for (size_t i = 0; r->directory && i < r->n; i++)
        free(r->names[i]);
    if (r->directory)
        free(r->names);
    free(r->directory);
    free(r->why);
}

/* ---- the baseline ---- */

static bool copy_all(int from, int to)
{
    char buffer[1 << 16];
    ssize_t n;
    while ((n = read(from, buffer, sizeof(buffer))) > 0)
        for (ssize_t done = 0, m; done < n; done += m)
            if ((m = write(to, buffer + done, (size_t)(n - done))) < 0)
                return false;
    return n == 0;
}

/* A copy for those who may read the recording; 0, or errno. */
static int copy_file(char *from, const char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), out = in < 0 ? -1 : ls_place_create(to);
    bool ok = out >= 0 && copy_all(in, out) && !readers_apply(out, &from, 1) && !fsync(out);
    int why = ok ? 0 : errno;
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) && !why)
        why = errno;
    return why;
}

static int put_copy(const char *baseline, char *recording)
{
    char *copy = ls_text("%s.%d.new", baseline, (int)getpid());
    int why = copy ? copy_file(recording, copy) : ENOMEM;
    if (!why && (ls_place_clear_beside(baseline) || rename(copy, baseline)))
        why = errno;
    if (why) {
        message("%s: cannot write the baseline: %s", baseline, strerror(why));
        if (copy && why != EEXIST)
            unlink(copy);
    }
    free(copy);
    return why ? EXIT_FAILED : 0;
}

/* NULL when all are finished. */
static const char *still_written(const struct gate_recording *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (ls_place_beside(r->names[i], "-journal") || ls_place_beside(r->names[i], "-wal"))
            return r->names[i];
    return NULL;
}

int gate_write_baseline(const char *baseline, const struct gate_recording *r)
{
    const char *unfinished = still_written(r);
    if (ls_place_of_database(baseline) == LS_PLACE_FOREIGN) {
        message("%s: exists and is no recording of Lanescope; give another name for the baseline", baseline);
        return EXIT_USAGE;
    }
    if (unfinished) {
        message("%s: is still being written; a baseline is a finished recording", unfinished);
        return EXIT_FAILED;
    }
    /* The folder was for us alone. Who may read what is in it, the files' own modes say. */
    if (r->directory && chmod(r->directory, 0711)) {
        message("%s: cannot be opened for the baseline's readers: %s", r->directory, strerror(errno));
        return EXIT_FAILED;
    }
    return r->n == 1 ? put_copy(baseline, r->names[0]) : merge_databases(baseline, r->names, r->n);
}
