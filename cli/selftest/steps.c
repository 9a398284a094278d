/* steps.c - which steps there are, and their directory. */
#include "child.h"
#include "cli/common/cli.h"
#include "cli/run/launch.h"
#include "cli/run/temporary.h"
#include "selftest.h"
#include "step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct step steps[] = {
    {"identity", "identity", STEP_PLAIN, {NULL}},
    {"atomic operations", "atomics", STEP_PLAIN, {NULL}},
    {"ring", "ring", STEP_EXACT, {NULL}},
    {"small ring", "ring", STEP_EXACT, {"--ring-size=256K"}},
    {"ring of one chunk", "slow-ring", STEP_EXACT, {"--ring-size=1K", "--chunk-size=1K"}},
    {"ring that drops", "ring", STEP_DROPPED, {"--ring-size=64K", "--on-full=drop"}},
    {"summary", "ring", STEP_SUMMARY, {"--summary-mode"}},
    {"launches", "launches", STEP_EXACT, {NULL}},
    {"LDS phases", "lds", STEP_PLAIN, {NULL}},
};
enum { N_STEPS = sizeof steps / sizeof steps[0] };

static void tell(size_t i)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kself-test: step %zu of %d, %s", i + 1, N_STEPS, steps[i].name);
}

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

/* Adds the objects of all steps to the list; 0 or an exit code. */
static int run_all(json_t *list, const char *directory, const char *gpu)
{
    for (size_t i = 0; i < N_STEPS; i++) {
        tell(i);
        json_t *o = child_signal() ? NULL : step_run(&steps[i], directory, gpu);
        if (!o || json_array_append_new(list, o)) {
            tell_end();
            message(child_signal() ? "the self-test was stopped at step %zu of %d; there are no results"
                                   : "out of memory at step %zu of %d",
                    i + 1, N_STEPS);
            return EXIT_FAILED;
        }
        if (!i && !found_gpu(o))
            return EXIT_MISSING;
    }
    tell_end();
    return 0;
}

json_t *selftest_steps(const char *gpu, int *code)
{
    char *directory = temporary_directory("selftest");
    json_t *list = directory ? json_array() : NULL;
    *code = EXIT_FAILED;
    child_take_signals();
    if (list && child_prepare(directory))
        message("%s: cannot be written to: %s; TMPDIR names another place", directory, strerror(errno));
    else if (list)
        *code = run_all(list, directory, gpu);
    if (directory)
        remove_directory(directory);
    free(directory);
    child_leave_signals();
    if (!*code)
        return list;
    json_decref(list);
    if (child_signal())
        *code = repeat_status(child_signal()); /* as a wait status: ended by that signal */
    return NULL;
}
