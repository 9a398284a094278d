/*
 * lanescope run [OPTION...] -- PROGRAM [ARGUMENT...]
 *
 * Checks everything that can be checked before the program starts, sets the variables that make ROCr load the
 * tool library, starts the program, and prints the summary of what its processes wrote.
 */
#include "check_results.h"
#include "cli/common/cli.h"
#include "code_check.h"
#include "cost.h"
#include "cli/output/databases.h"
#include "common/make_folders.h"
#include "common/names.h"
#include "results/file/error_text.h"
#include "found.h"
#include "launch.h"
#include "observed.h"
#include "cli/common/loadable.h"
#include "cli/common/paths.h"
#include "placeholders.h"
#include "preflight.h"
#include "privileges.h"
#include "cache_limit.h"
#include "cli/common/cache.h"
#include "rtc.h"
#include "results/file/run_files.h"
#include "cli/common/safe_output.h"
#include "cli/common/settings.h"
#include "still_running.h"
#include "cli/common/temporary.h"
#include "cli/verbs/summary.h"
#include "watch.h"
#include "lanescope/defaults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct run {
    struct given given;
    struct effective e;
    char **program; /* NULL-terminated */
    char *path;     /* of the program */
    char *output;   /* name for the tool library: absolute, with %p and %h */
    char gpu[32];   /* "hw" or "soft:..." */
    bool record;
    char run_id[96];
    char *directory;       /* where processes tell the names of their databases; NULL: nowhere */
    char *check_directory; /* where the check's findings arrive; NULL: no check */
    time_t started;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct run *run = state->input;
    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &run->given;
        return 0;
    case ARGP_KEY_ARG:
        run->program = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no program given; usage: lanescope run [OPTION...] -- PROGRAM [ARGUMENT...]");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&settings_argp, 0, NULL, 0}, {0}};
const struct argp run_argp = {
    NULL,
    parse,
    "-- PROGRAM [ARGUMENT...]",
    "Runs a program, records its kernels into a database per process, and prints a summary on stderr. The "
    "exit "
    "status is the program's.\v"
    "Every option has an environment variable and a key in the configuration file (`lanescope config` lists "
    "them). "
    "The program must have been compiled with `lanescope hipcc` (or another compiler behind `lanescope`) to "
    "be "
    "observed.\n\nExample:\n  lanescope run -o first --kernel-include-regex gemm -- ./app 1024",
    children,
    NULL,
    NULL};

/* Something that keeps us from recording: an error, or a warning with --keep-going. */
static int cannot_record(struct run *run, int code)
{
    if (!setting_true(&run->e, SET_KEEP_GOING))
        return code;
    message("going on without recording (--keep-going)");
    run->record = false;
    return 0;
}

/* ---- where the results go ---- */

/* Creates the directories of `path` up to the first component that only the process itself knows. */
static int make_directories(const char *path)
{
    char *copy = strdup(path);
    copy[strcspn(copy, "%")] = 0;
    const char *problem = ls_make_parents(copy, 0777) ? NULL : "create";
    if (!problem) {
        *strrchr(copy, '/') = 0;
        problem = access(*copy ? copy : "/", X_OK)   ? "use"
                  : access(*copy ? copy : "/", W_OK) ? "write to"
                                                     : NULL;
    }
    if (problem)
        message("%s: cannot %s the output directory: %s; give another with -d", copy, problem,
                strerror(errno));
    free(copy);
    return problem ? EXIT_USAGE : 0;
}

static int choose_output(struct run *run)
{
    char *error = NULL, *dir = NULL, *file = NULL, *here = getcwd(NULL, 0);
    int rc = 0, why = here ? 0 : errno;
    char *cwd = here ? escape_percent(here) : NULL;
    if (!(dir = expand_placeholders(run->e.value[SET_OUTPUT_DIRECTORY], run->program, &error)) ||
        !(file = expand_placeholders(run->e.value[SET_OUTPUT_FILE], run->program, &error))) {
        message_free(error);
        rc = EXIT_USAGE;
        goto out;
    }
    if (!*ls_base_name(file)) {
        message("--output-file: '%s' ends in a slash; give a file name, and the directory with -d", file);
        rc = EXIT_USAGE;
        goto out;
    }
    if (!strcmp(dir, "."))
        dir[0] = 0; /* no "/./" in names that users see */
    if (!here && file[0] != '/' && dir[0] != '/') {
        message("the current directory cannot be named: %s; give a whole path with -o or -d", strerror(why));
        rc = EXIT_USAGE;
        goto out;
    }
    bool whole = ls_stem(file, ".db"), rooted = file[0] == '/', rooted_dir = dir[0] == '/';
    run->output = ls_text("%s%s%s%s%s%s",
                          rooted || rooted_dir ? ""
                          : cwd                ? cwd
                                               : "",
                          rooted || rooted_dir || (cwd && !strcmp(cwd, "/")) ? "" : "/", rooted ? "" : dir,
                          rooted || !*dir ? "" : "/", file, whole ? "" : "_srclines.db");
    rc = make_directories(run->output);
    if (!rc)
        rc = check_outputs(&run->e, run->output);
out:
    free(dir);
    free(file);
    free(here);
    free(cwd);
    return rc ? cannot_record(run, rc) : 0;
}

/* ---- pieces ---- */

static int missing(const char *name)
{
    char *path = piece_path(name);
    message("%s: not found; this installation is incomplete: build or install Lanescope again", path);
    free(path);
    return EXIT_MISSING;
}

static int check_pieces(struct run *run)
{
    if (!loadable_directory()) {
        message(
            "%s: a path with blanks or colons cannot be preloaded, and there is no place for a link to it; "
            "set XDG_CACHE_HOME or TMPDIR to a folder of yours without them, or install Lanescope elsewhere",
            piece_directory());
        return EXIT_MISSING;
    }
    bool soft = ls_is_software_gpu(run->gpu);
    if (soft && !piece_exists(PIECE_SOFT_GPU))
        return missing(PIECE_SOFT_GPU); /* without it there is no GPU at all: not to be gone on from */
    if (!piece_exists(PIECE_TOOL))
        return cannot_record(run, missing(PIECE_TOOL));
    return 0;
}

static int check_check_option(struct run *run)
{
    if (!*run->e.value[SET_CHECK]) {
        if (!*run->e.value[SET_CHECK_EXIT_CODE])
            return 0;
        message("--check-exit-code: nothing is checked; add --check");
        return EXIT_USAGE;
    }
    if (!ls_is_software_gpu(run->gpu)) {
        message("--check: only the software GPU can check; add --gpu soft");
        return EXIT_USAGE;
    }
    run->check_directory = temporary_directory("check", "what --check finds");
    return run->check_directory ? 0 : EXIT_FAILED;
}

static int check_uninstrumented(const struct run *run)
{
    if (strcmp(run->e.value[SET_UNINSTRUMENTED], "isa") || ls_is_software_gpu(run->gpu))
        return 0;
    message("--uninstrumented isa: only the software GPU can observe instructions; add --gpu soft, or "
            "compile the "
            "kernels with `lanescope hipcc`");
    return EXIT_USAGE;
}

/* ---- environment ---- */

/* Puts `path` before what the variable holds. */
static void prepend(const char *variable, const char *path, char separator)
{
    const char *old = getenv(variable);
    char *text = old && *old ? ls_text("%s%c%s", path, separator, old) : strdup(path);
    if (text)
        setenv(variable, text, 1);
    free(text);
}

static void prepend_piece(const char *variable, const char *name, char separator)
{
    char *path = ls_text("%s/%s", loadable_directory(), name);
    if (path)
        prepend(variable, path, separator);
    free(path);
}

/* "./mine.so:x=1,heatmap" with the paths of handlers from `here` on: the program may change its directory
 * before it starts the runtime. Separators cannot stand in a path. */
static char *absolute_handlers(const char *list, const char *here)
{
    char *text = NULL;
    size_t size;
    FILE *out = strpbrk(here, ",:") ? NULL : open_memstream(&text, &size);
    for (const char *s = list; out && *s;) {
        size_t name = strcspn(s, ",:"), whole = strcspn(s, ",");
        if (*s != '/' && memchr(s, '/', name))
            fprintf(out, "%s/", here);
        fwrite(s, 1, whole + (s[whole] == ','), out);
        s += whole + (s[whole] == ',');
    }
    return out && !fclose(out) ? text : NULL;
}

static void replace(char **value, char *by)
{
    if (!by)
        return;
    free(*value);
    *value = by;
}

/* What the program's process opens by name. */
static void name_files_from_here(struct run *run)
{
    char *here = getcwd(NULL, 0), **log = &run->e.value[SET_ACCESS_LOG];
    if (!here)
        return;
    replace(&run->e.value[SET_HANDLERS], absolute_handlers(run->e.value[SET_HANDLERS], here));
    if (**log && **log != '/')
        replace(log, ls_text("%s/%s", here, *log));
    setenv("LANESCOPE_DIRECTORY", here, 1);
    free(here);
}

static void export_settings(struct run *run)
{
    for (int i = 0; i < N_SETTINGS; i++) {
        const char *v = run->e.value[i];
        /* 0 is a valid seed for the software GPU; off is the absence of the variable. */
        bool off = !*v || ((i == SET_SOFT_POISON || i == SET_SOFT_SHUFFLE) && !strcmp(v, "0"));
        if (off)
            unsetenv(settings[i].env);
        else
            setenv(settings[i].env, v, 1);
    }
    setenv("LANESCOPE_GPU", run->gpu, 1);
    if (run->check_directory)
        setenv("LANESCOPE_SOFT_CHECK_DIRECTORY", run->check_directory, 1);
    else
        unsetenv("LANESCOPE_SOFT_CHECK_DIRECTORY");
}

static void set_environment(struct run *run)
{
    struct timespec now;
    char host[64] = "";
    gethostname(host, sizeof(host) - 1);
    clock_gettime(CLOCK_REALTIME, &now);
    run->started = now.tv_sec - 1; /* file times are coarser than clocks */
    snprintf(run->run_id, sizeof(run->run_id), "%s-%d-%llx", host, (int)getpid(),
             (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec);
    name_files_from_here(run);
    export_settings(run);
    if (ls_is_software_gpu(run->gpu))
        prepend_piece("LD_PRELOAD", PIECE_SOFT_GPU, ':');
    if (!run->record) {
        unsetenv("LANESCOPE_OUTPUT");
        return;
    }
    char *modules = ls_text("%s/handlers", loadable_directory());
    setenv("LANESCOPE_MODULE_DIR", modules ? modules : "", 1);
    free(modules);
    setenv("LANESCOPE_OUTPUT", run->output, 1);
    setenv("LANESCOPE_RUN_ID", run->run_id, 1);
    run->directory = temporary_directory(
        "run", "the names of recordings, without which the summary lacks killed programs");
    if (run->directory)
        setenv("LANESCOPE_RUN_DIRECTORY", run->directory, 1);
    else
        unsetenv("LANESCOPE_RUN_DIRECTORY");
    /* ROCr splits HSA_TOOLS_LIB at blanks, and loads tools of the old kind only when told so. */
    prepend_piece("HSA_TOOLS_LIB", PIECE_TOOL, ' ');
    setenv("HSA_TOOLS_ROCPROFILER_V1_TOOLS", "1", 1);
    if (piece_exists(PIECE_PRELOAD))
        prepend_piece("LD_PRELOAD", PIECE_PRELOAD, ':');
    if (!setting_true(&run->e, SET_RTC)) {
        rtc_off();
        return;
    }
    if (piece_exists(PIECE_PYTHON))
        prepend_piece("PYTHONPATH", PIECE_PYTHON, ':');
    if (piece_exists(PIECE_PRELOAD))
        rtc_prepare();
}

/* ---- the end ---- */

/* Names below the current directory are shown as the user would type them. */
static void shorten(char **names, size_t n)
{
    char *cwd = getcwd(NULL, 0);
    size_t length = cwd ? strlen(cwd) : 0;
    for (size_t i = 0; i < n && length > 1; i++)
        if (!strncmp(names[i], cwd, length) && names[i][length] == '/')
            memmove(names[i], names[i] + length + 1, strlen(names[i] + length + 1) + 1);
    free(cwd);
}

/* The command that shows more, to be typed as it stands unless there are many files. */
static void print_next_step(char **names, size_t n)
{
    fprintf(stderr, "lanescope:   all lines: lanescope report");
    for (size_t i = 0; i < n && i < 4; i++) {
        char *word = shell_word(names[i]);
        fprintf(stderr, " %s", word);
        free(word);
    }
    fprintf(stderr, n > 4 ? " ...\n" : "\n");
}

static void print_summaries(const struct run *run, const struct found *f, int status)
{
    size_t n = f->n, running = say_still_running(f, run->run_id, run->output);
    if (running || f->n_live || f->n_unread)
        ; /* nothing is lost: they write when they get to it */
    else if (!n && WIFEXITED(status))
        message("no database was written: the program did not start the ROCm runtime, or cleared its "
                "environment before, or has more rights than who starts it, so that nothing is preloaded (or "
                "could not write; see messages above)");
    else if (!n)
        message("no database was written: the program was killed by %s before anything was recorded",
                strsignal(WTERMSIG(status)));
    shorten(f->names, n);
    shorten(f->live, f->n_live);
    if (n && !summary_print(stderr, (const char *const *)f->names, n, "lanescope: ")) {
        const struct observing_cost cost = observing_cost_of(f);
        observing_cost_print(&cost, &run->e);
        print_next_step(f->names, n);
    }
    for (size_t i = 0; i < f->n_unread; i++)
        message("%s", f->unread[i]);
    for (size_t i = 0; i < f->n_live; i++)
        message("%s: still recorded by process %d of the program", f->live[i], f->live_pids[i]);
}

/* Takes what the check found into the databases. Returns the number of errors among it. */
static size_t finish_check(struct run *run, char **databases, size_t n)
{
    struct check_results c;
    if (!run->check_directory)
        return 0;
    check_results_read(&c, run->check_directory);
    check_results_store(&c, databases, n);
    check_results_print(&c, run->e.value[SET_CHECK]);
    size_t errors = check_results_errors(&c);
    check_results_free(&c);
    return errors;
}

static void forget_directory(struct run *run)
{
    if (run->directory)
        ls_run_files_remove(run->directory);
    free(run->directory);
    run->directory = NULL;
}

static void limit_cache(const struct run *run)
{
    uint64_t most;
    char *base = cache_folder();
    if (base && run->record && setting_true(&run->e, SET_RTC) &&
        setting_number(SET_CACHE_SIZE, run->e.value[SET_CACHE_SIZE], &most))
        cache_limit(base, most, run->started);
    free(base);
}

/* The exit code that a setting puts in the place of the program's success; 0: none. */
static int judge(const struct run *run, const struct found *f, size_t errors)
{
    uint64_t code;
    if (errors && setting_number(SET_CHECK_EXIT_CODE, run->e.value[SET_CHECK_EXIT_CODE], &code))
        return (int)code;
    return setting_true(&run->e, SET_REQUIRE_OBSERVED) && !anything_observed(f) ? EXIT_FAILED : 0;
}

/* What remains to be done when the program has ended with `status`. Returns the exit code. */
static int finish(struct run *run, int status)
{
    struct found f = {0};
    bool summary = setting_true(&run->e, SET_SUMMARY),
         wanted = summary || run->check_directory || setting_true(&run->e, SET_REQUIRE_OBSERVED);
    if (run->record && wanted)
        f = find_databases(run->directory, run->output, run->run_id, run->started);
    size_t errors = finish_check(run, f.names, f.n);
    if (*run->e.value[SET_LIBRARY_DIRS])
        add_library_option(run->e.value[SET_LIBRARY_DIRS]);
    if (run->record && summary)
        print_summaries(run, &f, status);
    int code = judge(run, &f, errors);
    found_free(&f);
    limit_cache(run);
    forget_directory(run); /* repeating a signal ends this process */
    return code && WIFEXITED(status) && !WEXITSTATUS(status) ? code : repeat_status(status);
}

/* Of the default handlers, those that work with counts instead of single accesses. */
static void choose_handlers(struct run *run)
{
    if (setting_true(&run->e, SET_SUMMARY_MODE) && run->e.origin[SET_HANDLERS] == ORIGIN_DEFAULT) {
        free(run->e.value[SET_HANDLERS]);
        run->e.value[SET_HANDLERS] = strdup(LS_COUNTING_HANDLERS);
    }
}

static int prepare(struct run *run)
{
    int rc = settings_load(&run->e, &run->given);
    if (!rc)
        choose_handlers(run);
    if (!rc && !(run->path = find_program(run->program[0], &rc)))
        return rc;
    if (!rc)
        rc = check_handlers(&run->e);
    if (!rc)
        choose_gpu(&run->e, run->gpu, sizeof(run->gpu));
    if (!rc)
        rc = check_check_option(run);
    if (!rc)
        rc = check_uninstrumented(run);
    if (!rc)
        rc = check_pieces(run);
    if (!rc)
        rc = check_gpu_is_there(&run->e, run->gpu, run->path);
    if (!rc)
        rc = check_privileges(&run->e, run->gpu, run->path);
    if (!rc && !setting_true(&run->e, SET_KEEP_GOING))
        rc = check_code(run->gpu, run->path);
    if (!rc)
        rc = choose_output(run);
    return rc;
}

static void free_run(struct run *run)
{
    settings_free(&run->e);
    free(run->path);
    free(run->output);
    if (run->check_directory)
        rmdir(run->check_directory); /* there still when the program was not started */
    free(run->check_directory);
    forget_directory(run);
}

/* Number of words before the program's, if it stands behind "--"; else before the first that is no option and
 * no option's value for sure. */
static int options_of(int argc, char **argv)
{
    int n = 1;
    while (n < argc && argv[n][0] == '-' && strcmp(argv[n], "--"))
        n++;
    for (int i = n; i < argc; i++)
        if (!strcmp(argv[i], "--"))
            return i;
    return n;
}

int verb_run(int argc, char **argv)
{
    struct run run = {.record = true};
    hold_broken_pipes();
    settings_prepare();
    if (settings_spelling(options_of(argc, argv), argv))
        return EXIT_USAGE;
    if (argp_parse(&run_argp, argc, argv, ARGP_IN_ORDER, NULL, &run))
        return EXIT_USAGE;
    int rc = prepare(&run);
    if (rc) {
        free_run(&run);
        return rc;
    }
    set_environment(&run);
    fflush(NULL);
    struct watch *w = setting_true(&run.e, SET_PROGRESS) ? watch_begin(run.directory) : NULL;
    int status = launch(run.path, run.program, w, &rc);
    watch_end(w);
    if (status == -1) {
        free_run(&run);
        return rc;
    }
    rc = finish(&run, status);
    free_run(&run);
    return rc;
}
