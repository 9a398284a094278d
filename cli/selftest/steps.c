/* steps.c - which steps there are, and their directory. */
#include "child.h"
#include "cli/common/cli.h"
#include "cli/run/launch.h"
#include "cli/common/temporary.h"
#include "common/temporary.h"
#include "gpus/gpus.h"
#include "selftest.h"
#include "step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct step steps[] = {
    {"identity", "identity", STEP_PLAIN, {NULL}},
    {"atomic operations", "atomics", STEP_PLAIN, {NULL}},
    {"rates", "rates", STEP_PLAIN, {NULL}},
    {"clocks", "clocks", STEP_PLAIN, {NULL}},
    {"ring", "ring", STEP_EXACT, {NULL}},
    {"small ring", "ring", STEP_EXACT, {"--ring-size=256K"}},
    {"ring of one chunk", "slow-ring", STEP_EXACT, {"--ring-size=1K", "--chunk-size=1K"}},
    {"ring that drops", "ring", STEP_DROPPED, {"--ring-size=64K", "--on-full=drop"}},
    {"summary", "ring", STEP_SUMMARY, {"--summary-mode"}},
    {"ring at full speed", "fast-ring", STEP_EXACT, {NULL}},
    {"launches", "launches", STEP_EXACT, {NULL}},
    {"1000 launches", "many-launches", STEP_TOTALS, {NULL}},
    {"launches by HIP", "hip", STEP_EXACT, {NULL}},
    {"LDS phases", "lds", STEP_PLAIN, {NULL}},
    {"coalescing", "coalescing", STEP_PLAIN, {NULL}},
    {"counters of LDS", "counters", STEP_COUNTED, {"SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE"}},
    {"counters of vL1D", "counters", STEP_COUNTED, {"TCP_TOTAL_ACCESSES_sum"}},
};
enum { N_STEPS = sizeof steps / sizeof steps[0] };

static void tell_end(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* Whether the first step found a GPU; else why not is on stderr, from `run` or ROCr. */
static bool found_gpu(const json_t *identity)
{
    if (json_object_get(identity, "gpu"))
        return true;
    tell_end();
    message("there is no GPU that the self-test could use");
    return false;
}

/* Whether a step can run here: RDNA's counters of LDS read zero, and of vL1D it has none of this kind. */
static bool possible(const struct step *s, const struct step_place *place)
{
    const struct ls_gpu_family *family = place->gpu_name ? ls_gpu_family_of(place->gpu_name) : NULL;
    return s->check != STEP_COUNTED || (place->rocprofv3 && family && family->counts_requests);
}

/* How many steps run here, by what is known until now: the first one tells which GPU it is. */
static size_t n_possible(const struct step_place *place)
{
    size_t n = 0;
    for (size_t i = 0; i < N_STEPS; i++)
        n += possible(&steps[i], place);
    return n;
}

static void tell(size_t nth, const struct step *s, const struct step_place *place)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kself-test: step %zu of %zu, %s", nth, n_possible(place), s->name);
}

/* Adds the objects of all steps to the list; 0 or an exit code. */
static int run_all(json_t *list, struct step_place *place)
{
    for (size_t i = 0, nth = 0; i < N_STEPS; i++) {
        if (!possible(&steps[i], place))
            continue;
        tell(++nth, &steps[i], place);
        json_t *o = child_signal() ? NULL : step_run(&steps[i], place);
        if (!o || json_array_append_new(list, o)) {
            tell_end();
            message(child_signal() ? "the self-test was stopped at step %zu of %zu; there are no results"
                                   : "out of memory at step %zu of %zu",
                    nth, n_possible(place));
            return EXIT_FAILED;
        }
        if (!i && !found_gpu(o))
            return EXIT_MISSING;
        if (!i)
            place->gpu_name = json_string_value(json_object_get(o, "gpu"));
    }
    tell_end();
    return 0;
}

json_t *selftest_steps(const char *gpu, const char *rocprofv3, int seconds, int *code)
{
    char *directory = temporary_directory("selftest", "the recordings");
    json_t *list = directory ? json_array() : NULL;
    struct step_place place = {
        .directory = directory, .gpu = gpu, .rocprofv3 = rocprofv3, .seconds = seconds};
    *code = EXIT_FAILED;
    child_take_signals();
    if (list && child_prepare(directory))
        message("%s: cannot be written to: %s; TMPDIR names another place", directory, strerror(errno));
    else if (list)
        *code = run_all(list, &place);
    if (directory)
        ls_remove_folder(directory);
    free(directory);
    child_leave_signals();
    if (!*code)
        return list;
    json_decref(list);
    if (child_signal())
        *code = repeat_status(child_signal()); /* as a wait status: ended by that signal */
    return NULL;
}
