/*
 * lanescope selftest [--gpu GPU] [-o FILE]
 * lanescope selftest --compare FILE...
 */
#include "selftest.h"
#include "cli/common/cli.h"
#include "cli/common/output_file.h"
#include "cli/common/programs.h"
#include "cli/common/safe_output.h"
#include "cli/common/settings.h"
#include "cli/run/preflight.h"
#include "results/file/error_text.h"
#include "lanescope/defaults.h"
#include "lanescope/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct options {
    const char *gpu, *output, *rocprofv3;
    int step_seconds;
    bool compare, json, force;
    char **words;
    size_t n;
};

enum { KEY_GPU = 0x3000, KEY_COMPARE, KEY_JSON, KEY_FORCE, KEY_ROCPROFV3, KEY_STEP_SECONDS };

static const struct argp_option selftest_options[] = {
    {"gpu", KEY_GPU, "GPU", 0, "hw, or soft:NAME for the software GPU (default: as `run`)", 0},
    {"output", 'o', "FILE", 0, "write the results to FILE (default: lanescope-selftest-GPU.json)", 0},
    {"force", KEY_FORCE, NULL, 0, "replace FILE even when it is no result of a self-test", 0},
    {"rocprofv3", KEY_ROCPROFV3, "FILE", 0,
     "hold our numbers against the counters of this rocprofv3 (default: the one in PATH, on hardware)", 0},
    {"step-seconds", KEY_STEP_SECONDS, "N", 0,
     "end a step that takes longer, and go on with the next (default: 60; on the software GPU 1200)", 0},
    {"json", KEY_JSON, NULL, 0, "print the results as JSON instead of a page, and write no file", 0},
    {"compare", KEY_COMPARE, NULL, 0, "sum up result files instead, which stand behind the options", 0},
    {0},
};

static int step_seconds(const char *arg, struct argp_state *state)
{
    enum { MOST = 86400 };
    char *end;
    long n = strtol(arg, &end, 10);
    if (*end || end == arg || n < 1 || n > MOST)
        argp_error(state, "--step-seconds: '%s': 1 to %d are possible", arg, MOST);
    return (int)n;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case KEY_GPU:
        o->gpu = arg;
        return 0;
    case 'o':
        if (!*arg)
            argp_error(state, "--output: an empty name");
        o->output = arg;
        return 0;
    case KEY_ROCPROFV3:
        if (access(arg, X_OK))
            argp_error(state, "--rocprofv3: %s: %s", arg, strerror(errno));
        o->rocprofv3 = arg;
        return 0;
    case KEY_STEP_SECONDS:
        o->step_seconds = step_seconds(arg, state);
        return 0;
    case KEY_FORCE:
        o->force = true;
        return 0;
    case KEY_JSON:
        o->json = true;
        return 0;
    case KEY_COMPARE:
        o->compare = true;
        return 0;
    case ARGP_KEY_ARGS:
        o->words = state->argv + state->next;
        o->n = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_END:
        if (o->compare && !o->n)
            argp_error(state, "--compare: no file given");
        if (!o->compare && o->n)
            argp_error(state, "'%s': files are for --compare", o->words[0]);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp selftest_argp = {
    selftest_options,
    parse,
    "[--compare FILE...]",
    "Tests whether Lanescope works on this machine's GPU: link, atomic operations, rings of several sizes, "
    "summary "
    "mode, launches out of the ordinary; and measures which lanes LDS serves together, which nobody has "
    "published "
    "for most GPUs. It takes less than two minutes, needs no compiler, and writes one file. To send that "
    "file to the "
    "developers helps everybody who has this GPU: nothing in it tells who or where you are.\v"
    "Examples:\n  lanescope selftest\n  lanescope selftest --gpu soft:gfx942\n  lanescope selftest --compare "
    "*.json",
    NULL,
    NULL,
    NULL};

/* The GPU as `run` would take it; false after a message. */
static bool resolve_gpu(const struct options *o, char *gpu, size_t size)
{
    struct given given = {0};
    struct effective e;
    given.value[SET_GPU] = o->gpu;
    if (settings_load(&e, &given))
        return false;
    choose_gpu(&e, gpu, size);
    settings_free(&e);
    return true;
}

static json_t *make_file(const char *gpu, const struct options *o, int *code)
{
    time_t start = time(NULL);
    const char *rocprofv3 = o->rocprofv3;
    char *found = rocprofv3 || ls_is_software_gpu(gpu) ? NULL : program_path("rocprofv3");
    json_t *steps = selftest_steps(gpu, rocprofv3 ? rocprofv3 : found, o->step_seconds, code);
    free(found);
    json_t *file = steps ? json_pack("{s:i, s:s, s:b, s:i, s:o}", SELFTEST_KEY, SELFTEST_FORMAT, "version",
                                     LANESCOPE_VERSION, "software_gpu", ls_is_software_gpu(gpu), "seconds",
                                     (int)(time(NULL) - start), "steps", steps)
                         : NULL;
    const char *name = json_string_value(json_object_get(selftest_part(file, "identity"), "gpu"));
    if (file)
        json_object_set_new(file, "gpu", json_string(name ? name : "unknown"));
    return file;
}

/* Whether the file is one that may be replaced. What is no ordinary file (a pipe, /dev/stdout) has nothing to lose. */
static bool replaceable(const char *path)
{
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
        return true;
    FILE *f = fopen(path, "r");
    json_t *old = f ? json_loadf(f, 0, NULL) : NULL;
    bool ours = json_is_integer(json_object_get(old, SELFTEST_KEY));
    json_decref(old);
    if (f)
        fclose(f);
    return ours;
}

static bool may_replace(const struct options *o, const char *path)
{
    if (o->force || replaceable(path))
        return true;
    message("%s: is no result of a self-test and was left alone; name another file with -o, or add --force",
            path);
    return false;
}

/* Why nothing can be written to the path, as errno; 0: it seems that it can. */
static int obstacle(const char *path)
{
    struct stat st;
    if (!lstat(path, &st)) {
        int why = S_ISDIR(st.st_mode)                                      ? EISDIR
                  : S_ISLNK(st.st_mode) && !lanescope_is_system_name(path) ? ELOOP
                                                                           : 0;
        return why ? why : access(path, W_OK) ? errno : 0;
    }
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[slash == folder] = 0;
    int why = !folder ? ENOMEM : access(slash ? folder : ".", W_OK) ? errno : 0;
    free(folder);
    return why;
}

/* Before two minutes are spent: whether the results can be written. Without -o their name is not known yet. */
static bool has_place(const struct options *o)
{
    if (o->json || (o->output && !strcmp(o->output, "-")))
        return true;
    const char *path = o->output ? o->output : "./lanescope-selftest";
    int why = obstacle(path);
    if (why)
        message("%s: the results cannot be written there: %s; give another name with -o", path,
                why == ELOOP ? "it is a symbolic link" : strerror(why));
    return !why && (!o->output || may_replace(o, path));
}

static int write_file(const struct options *o, const char *path, const json_t *file)
{
    FILE *out = may_replace(o, path) ? open_output(path, NULL, 0) : NULL;
    if (!out)
        return EXIT_USAGE;
    json_dumpf(file, out, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    fputc('\n', out);
    return out == stdout ? EXIT_OK : output_file_close(out, path, EXIT_OK);
}

/* The file first: who reads the page may leave before its end. */
static int print_results(const struct options *o, const json_t *file)
{
    size_t problems = selftest_problems(file);
    char name[128];
    snprintf(name, sizeof name, "lanescope-selftest-%.64s.json",
             json_string_value(json_object_get(file, "gpu")));
    const char *path = o->json ? "-" : o->output ? o->output : name;
    int code = write_file(o, path, file);
    if (strcmp(path, "-")) {
        selftest_page(file, stdout);
        if (problems)
            printf("\n%zu problem%s.\n", problems, problems == 1 ? "" : "s");
    }
    if (strcmp(path, "-") && !code)
        printf("\nThe results are in %s. It says nothing about you: please send it to the developers.\n",
               path);
    return code ? code : problems ? EXIT_FAILED : EXIT_OK;
}

int verb_selftest(int argc, char **argv)
{
    struct options o = {0};
    char gpu[32];
    int code = 0;
    argp_parse(&selftest_argp, argc, argv, 0, NULL, &o);
    if (o.compare)
        return selftest_compare(o.words, o.n, stdout);
    if (!has_place(&o) || !resolve_gpu(&o, gpu, sizeof gpu))
        return EXIT_USAGE;
    json_t *file = make_file(gpu, &o, &code);
    if (!file)
        return code ? code : EXIT_FAILED;
    selftest_judge_lds(file);
    selftest_judge_coalescing(file);
    code = print_results(&o, file);
    int closed = close_output(stdout, NULL);
    json_decref(file);
    return code ? code : closed;
}
