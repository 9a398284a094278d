/*
 * lanescope gate [OPTION...] BASELINE NEW
 * lanescope gate [OPTION...] BASELINE -- PROGRAM [ARGUMENT...]
 */
#include "cli/verbs/gate.h"
#include "cli/common/cli.h"
#include "cli/common/output_file.h"
#include "cli/common/safe_output.h"
#include "cli/common/settings.h"
#include "cli/output/changed.h"
#include "cli/output/databases.h"
#include "cli/verbs/diff_match.h"
#include "cli/verbs/file_named.h"
#include "gate_record.h"
#include "launch.h"
#include "results/reader/arena.h"
#include "results/file/error_text.h"
#include "settings/parse.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct allowance {
    const char *metric; /* NULL: all */
    struct diff_allowance is;
    const char *text; /* as it was given, for messages */
    char *words;      /* what `metric` and the place point into */
};

struct options {
    struct given given;
    const char *kernel, *json, *junit, *sarif, *root;
    const char **metrics;
    size_t n_metrics;
    struct allowance *allowed;
    size_t n_allowed;
    struct diff_rename *renames;
    size_t n_renames;
    enum gate_fails fails;
    bool per_dispatch, update, junit_without_lines;
    char *databases[SIDES];
    int n_databases;
    char **program; /* NULL: none */
};

enum {
    KEY_ALLOW = 0x2000,
    KEY_FAIL_ON,
    KEY_JSON,
    KEY_JUNIT,
    KEY_JUNIT_FAMILY,
    KEY_SARIF,
    KEY_ROOT,
    KEY_UPDATE,
    KEY_MAP,
    KEY_PER_DISPATCH
};

static const struct argp_option gate_options[] = {
    {"allow", KEY_ALLOW, "LIMIT", 0,
     "[METRIC=]PERCENT[@PLACE]: a number may grow by PERCENT (default: 0): of METRIC, or any; at PLACE (a "
     "kernel, FILE or FILE:LINE), or everywhere; can be repeated, the last that fits holds",
     0},
    {"fail-on", KEY_FAIL_ON, "worse|new|any", 0,
     "what fails: numbers that are worse (default); also lines and kernels with costs that the baseline does "
     "not "
     "have; also everything else that is not as in the baseline",
     0},
    {"metric", 'm', "METRIC", 0, "compare this metric; can be repeated (default: as in diff)", 0},
    KERNEL_OPTION,
    {"map", KEY_MAP, "OLD=NEW", 0, "the kernel, or the source file, OLD is called NEW now; can be repeated",
     0},
    {"per-dispatch", KEY_PER_DISPATCH, NULL, 0, "compare averages of the observed dispatches instead of sums",
     0},
    {"json", KEY_JSON, "FILE", 0,
     "write JSON (schema lanescope-gate/1), too; -: to standard output, in place of the text", 0},
    {"junit", KEY_JUNIT, "FILE", 0, "write JUnit XML, too; - as for JSON", 0},
    {"junit-family", KEY_JUNIT_FAMILY, "xunit1|xunit2", 0,
     "xunit1 (default): test cases have file and line, by which GitLab leads to the source; xunit2: they "
     "have "
     "not, as Jenkins' xUnit plugin demands",
     0},
    {"sarif", KEY_SARIF, "FILE", 0, "write SARIF 2.1.0, too; - as for JSON", 0},
    {"source-root", KEY_ROOT, "DIR", 0,
     "source files are named relative to DIR (default: the repository of the current directory)", 0},
    {"update", KEY_UPDATE, NULL, 0, "make the new recording the baseline, whatever the comparison says", 0},
    {0},
};

/* ---- options ---- */

/* FILE:LINE, or another name. */
static void take_place(struct diff_allowance *a, char *place)
{
    cut_columns(place);
    char *colon = strrchr(place, ':');
    a->place = place;
    uint64_t line;
    if (!colon || colon == place || !ls_parse_number(colon + 1, &line) || !line || line > UINT32_MAX)
        return;
    *colon = 0;
    a->line = (uint32_t)line;
}

/* Takes a->words apart. */
static bool cut_allowance(struct allowance *a)
{
    char *at = strchr(a->words, '@'), *equals;
    if (at) {
        *at = 0;
        if (!at[1])
            return false;
        take_place(&a->is, at + 1);
    }
    equals = strrchr(a->words, '=');
    if (equals) {
        *equals = 0;
        a->metric = a->words;
    }
    return diff_percent(equals ? equals + 1 : a->words, &a->is.percent) && equals != a->words;
}

static bool take_allowance(struct options *o, const char *arg)
{
    struct allowance *a = LS_PUSH(o->allowed, o->n_allowed);
    *a = (struct allowance){.text = arg, .words = strdup(arg)};
    return a->words && cut_allowance(a);
}

static void free_options(struct options *o)
{
    for (size_t i = 0; i < o->n_allowed; i++)
        free(o->allowed[i].words);
    free(o->allowed);
    free(o->metrics);
}

static bool take_fail_on(struct options *o, const char *arg)
{
    static const char *const names[] = {"worse", "new", "any"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(arg, names[i])) {
            o->fails = (enum gate_fails)i;
            return true;
        }
    return false;
}

/* How many of the forms go to standard output. */
static int forms_shown(const struct options *o)
{
    const char *const files[] = {o->json, o->junit, o->sarif};
    int n = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        n += files[i] && !strcmp(files[i], "-");
    return n;
}

static error_t check_words(const struct options *o, struct argp_state *state)
{
    if (forms_shown(o) > 1)
        argp_error(state, "only one of --json, --junit and --sarif can go to standard output (-)");
    if (!o->n_databases)
        argp_error(state,
                   "no baseline given; usage: lanescope gate [OPTION...] BASELINE -- PROGRAM [ARGUMENT...]");
    if (o->program && o->n_databases == SIDES)
        argp_error(state, "give the new recording, or a program that makes it, not both");
    if (!o->program && o->n_databases < SIDES)
        argp_error(state, "nothing to compare the baseline with; give a second database, or -- PROGRAM");
    if (o->given.value[SET_OUTPUT_FILE] || o->given.value[SET_OUTPUT_DIRECTORY])
        argp_error(
            state,
            "-o and -d have no use here: the recording is removed after the comparison; --update keeps "
            "it as the baseline, `lanescope run` and a second database keep both");
    return 0;
}

static error_t parse_text(int key, char *arg, struct options *o, struct argp_state *state)
{
    switch (key) {
    case KEY_ALLOW:
        if (!take_allowance(o, arg))
            argp_error(
                state,
                "--allow: '%s' is not accepted; give PERCENT, METRIC=PERCENT, or one of them and @PLACE, "
                "as 'Bank Conflict=5%%@transpose.hip:20'",
                arg);
        return 0;
    case KEY_FAIL_ON:
        if (!take_fail_on(o, arg))
            argp_error(state, "--fail-on: '%s' is not accepted; give worse, new or any", arg);
        return 0;
    case KEY_JUNIT_FAMILY:
        o->junit_without_lines = !strcmp(arg, "xunit2");
        if (!o->junit_without_lines && strcmp(arg, "xunit1"))
            argp_error(state, "--junit-family: '%s' is not accepted; give xunit1 or xunit2", arg);
        return 0;
    case KEY_MAP:
        if (!diff_rename_of(arg, LS_PUSH(o->renames, o->n_renames)))
            argp_error(state, "--map: '%s' is not accepted; give OLD=NEW, as old_kernel=new_kernel", arg);
        return 0;
    case ARGP_KEY_ARG:
        if (o->n_databases == SIDES)
            argp_error(state, "'%s' is one database too many; a program stands behind `--`", arg);
        o->databases[o->n_databases++] = arg;
        return 0;
    case ARGP_KEY_END:
        return check_words(o, state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->given;
        return 0;
    case 'm':
        *LS_PUSH(o->metrics, o->n_metrics) = arg;
        return 0;
    case 'k':
        o->kernel = arg;
        return 0;
    case KEY_JSON:
        o->json = arg;
        return 0;
    case KEY_JUNIT:
        o->junit = arg;
        return 0;
    case KEY_SARIF:
        o->sarif = arg;
        return 0;
    case KEY_ROOT:
        o->root = arg;
        return 0;
    case KEY_UPDATE:
        o->update = true;
        return 0;
    case KEY_PER_DISPATCH:
        o->per_dispatch = true;
        return 0;
    default:
        return parse_text(key, arg, o, state);
    }
}

static const struct argp_child children[] = {{&settings_argp, 0, "Options of run:", 2}, {0}};
const struct argp gate_argp = {
    gate_options,
    parse,
    "BASELINE -- PROGRAM [ARGUMENT...]\nBASELINE NEW",
    "Compares a recording with a stored baseline, for tests and CI, with or without a GPU. The program is "
    "run and "
    "recorded as `lanescope run` does. Exit status: 0 when numbers were compared and none fails; 1 when one "
    "fails, "
    "when nothing was compared, or when the program failed; 2 for wrong options; 3 when a database cannot be "
    "read. Numbers that cannot repeat "
    "exactly "
    "(estimates, times, kernels with compare-and-swap, with atomics whose results are used, or with races) "
    "are "
    "told, and judged only where --allow names their place.\v"
    "Example:\n  lanescope gate --update base.db -- ./app       once\n"
    "  lanescope gate base.db --allow 'Cache Lines=2%' --sarif gate.sarif -- ./app",
    children,
    NULL,
    NULL};

/* ---- the comparison ---- */

/* The folder of a repository that the current directory is in, else the current directory. */
static char *find_root(const char *given)
{
    char *root = given ? realpath(given, NULL) : getcwd(NULL, 0);
    if (given && !root)
        message("--source-root: %s: there is no such directory", given);
    else if (!root)
        message("the current directory cannot be found (%s); go to another, or give --source-root",
                strerror(errno));
    if (given || !root)
        return root;
    char *path = strdup(root);
    for (char *end = path ? path + strlen(path) : NULL; end && end > path;
         *end = 0, end = strrchr(path, '/')) {
        *end = 0;
        char *mark = ls_text("%s/.git", path);
        bool found = mark && !access(mark, F_OK);
        free(mark);
        if (found) {
            free(root);
            return path;
        }
    }
    free(path);
    return root;
}

static int take_allowances(struct diff *d, const struct options *o)
{
    for (size_t i = 0; i < o->n_allowed; i++) {
        struct diff_allowance a = o->allowed[i].is;
        const struct ls_p_metric *m = NULL;
        const char *name = o->allowed[i].metric;
        int rc = name ? find_metric_of(d->profile, SIDES, "--allow", name, &m) : 0;
        if (rc)
            return rc;
        if (m && !diff_compares(d, m)) {
            message("--allow: %s.%s is not compared; add --metric '%s'", m->handler, m->name, name);
            return EXIT_USAGE;
        }
        a.handler = m ? m->handler : NULL;
        a.metric = m ? m->name : NULL;
        *LS_PUSH(d->allowances, d->n_allowances) = a;
    }
    return 0;
}

/* A line may have moved: that is no error, but an allowance without effect is told. */
static void warn_of_places(const struct diff *d, const struct options *o)
{
    for (size_t i = 0; i < d->n_allowances; i++)
        if (!diff_allowance_fits(d, &d->allowances[i]))
            message("--allow: %s: no kernel, source file or line of the recordings is called so",
                    o->allowed[i].text);
}

static int compare(struct gate *g, const struct options *o)
{
    struct diff *d = &g->d;
    int rc = diff_check_renames(d);
    if (!rc)
        rc = diff_choose_metrics(d, o->metrics, o->n_metrics);
    if (!rc)
        rc = take_allowances(d, o);
    if (rc)
        return rc;
    diff_check_filters(d);
    diff_compute(d);
    warn_of_places(d, o);
    for (int side = 0; side < SIDES; side++)
        tell_doubts(d->profile[side]);
    gate_judge(g);
    return 0;
}

static int write_junit(const struct gate *g, FILE *out)
{
    gate_junit(g, out);
    return 0;
}

/* Source lines of both sides stand in it. */
static FILE *open_form(const struct gate *g, const char *path)
{
    char **names = NULL;
    size_t n = 0;
    for (int side = 0; side < SIDES; side++)
        for (size_t i = 0; g->d.profile[side] && i < g->d.profile[side]->n_databases; i++)
            *LS_PUSH(names, n) = (char *)g->d.profile[side]->databases[i].path;
    FILE *out = open_output(path, names, n);
    free(names);
    return out;
}

static int write_form(const struct gate *g, const char *path, int (*write)(const struct gate *, FILE *))
{
    FILE *out = open_form(g, path);
    int rc = 0;
    if (!out)
        return EXIT_FAILED;
    if (write(g, out)) {
        message("out of memory");
        rc = EXIT_FAILED;
    }
    return output_file_close(out, path, rc);
}

/* For CI; also when there was nothing to compare, so that no older file is taken for this run's. */
static int write_files(const struct gate *g, const struct options *o)
{
    int rc = EXIT_OK;
    if (o->junit && write_form(g, o->junit, write_junit))
        rc = EXIT_FAILED;
    if (o->sarif && write_form(g, o->sarif, gate_sarif))
        rc = EXIT_FAILED;
    if (o->json && write_form(g, o->json, gate_json))
        rc = EXIT_FAILED;
    return rc;
}

static int write_forms(const struct gate *g, const struct options *o)
{
    if (!forms_shown(o))
        gate_text(g, stdout);
    int rc = close_output(stdout, NULL), files = write_files(g, o);
    return rc ? rc : files;
}

/* ---- the recordings ---- */

static bool observed(const struct ls_profile *p)
{
    if (ls_profile_is_observed(p))
        return true;
    message("no kernel was observed: compile the program with `lanescope hipcc`, or add --uninstrumented isa "
            "on the "
            "software GPU");
    return false;
}

static int load(struct gate *g, int side, char *const *databases, size_t n, const struct options *o)
{
    return load_profile(&g->d.profile[side], databases, n, o->kernel, LOAD_CODE);
}

/* Without a baseline there is one only to be made. */
static int load_baseline(struct gate *g, const struct options *o, bool *first)
{
    *first = o->update && access(o->databases[SIDE_A], F_OK);
    if (*first)
        return 0;
    int rc = load(g, SIDE_A, &o->databases[SIDE_A], 1, o);
    if (rc == EXIT_DATABASE && access(o->databases[SIDE_A], F_OK)) {
        char *word = shell_word(o->databases[SIDE_A]);
        message("`lanescope gate --update %s ...` makes a baseline", word);
        free(word);
    }
    return rc;
}

static int get_recording(struct gate_recording *r, const struct options *o)
{
    struct effective e;
    int code = 0;
    if (!o->program) {
        r->names = (char **)&o->databases[SIDE_B];
        r->n = 1;
        return 0;
    }
    int rc = settings_load(&e, &o->given);
    settings_free(&e);
    if (rc)
        return rc;
    char *path = find_program(o->program[0], &code);
    free(path);
    return path ? gate_record(r, &o->given, o->program) : code;
}

static int update(const struct options *o, const struct gate *g, const struct gate_recording *r)
{
    int rc = observed(g->d.profile[SIDE_B]) ? gate_write_baseline(o->databases[SIDE_A], r) : EXIT_FAILED;
    if (!rc)
        message("%s is the baseline now", o->databases[SIDE_A]);
    return rc;
}

static int pass(struct gate *g, const struct options *o)
{
    struct gate_recording r = {0};
    bool first;
    int rc = load_baseline(g, o, &first);
    if (!rc)
        rc = get_recording(&r, o);
    if (!rc)
        rc = load(g, SIDE_B, r.names, r.n, o);
    int compared = rc || first ? rc : compare(g, o);
    if (compared && compared != EXIT_USAGE) {
        g->why_nothing = r.why                 ? r.why
                         : rc == EXIT_DATABASE ? "a database cannot be read"
                         : rc                  ? NULL
                                               : diff_why_nothing(&g->d);
        write_files(g, o);
    }
    if (!rc && !first && !compared)
        rc = write_forms(g, o);
    if (!rc && o->update)
        rc = compared == EXIT_USAGE ? compared : update(o, g, &r);
    else if (!rc && compared)
        rc = compared;
    else if (!rc && !gate_is_open(g))
        rc = EXIT_FAILED;
    gate_recording_free(&r);
    return rc;
}

int verb_gate(int argc, char **argv)
{
    struct options o = {0};
    int words = 1;
    while (words < argc && strcmp(argv[words], "--"))
        words++;
    if (words + 1 < argc)
        o.program = argv + words + 1;
    settings_prepare();
    settings_without_result();
    if (argp_parse(&gate_argp, words, argv, 0, NULL, &o))
        return EXIT_USAGE;
    if (o.given.value[SET_LIBRARY_DIRS])
        add_library_option(o.given.value[SET_LIBRARY_DIRS]);
    char *root = find_root(o.root);
    if (!root)
        return EXIT_USAGE;
    struct gate g = {.fails = o.fails,
                     .junit_without_lines = o.junit_without_lines,
                     .root = root,
                     .d = {.per_dispatch = o.per_dispatch, .renames = o.renames, .n_renames = o.n_renames}};
    int rc = pass(&g, &o);
    gate_free(&g);
    free_options(&o);
    free(root);
    return rc;
}
