#include "step.h"
#include "child.h"
#include "cli/common/arguments.h"
#include "cli/common/loadable.h"
#include "cli/common/paths.h"
#include "cli/common/safe_output.h"
#include "results/file/error_text.h"
#include "lanescope/defaults.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE_PROGRAM "lanescope-selftest"
#define PIECE_HANDLER "selftest.so"
#define OURS "lanescope: " /* how our messages begin */

/* The whole self-test is to take two minutes; a step that takes one hangs. On a GPU that hangs the others would take as
 * long. */
enum { STEP_SECONDS = 60, SOFTWARE_STEP_SECONDS = 20 * STEP_SECONDS, WHEN_LATE = 3 };

static int patience(const struct step_place *place)
{
    int seconds = place->seconds                   ? place->seconds
                  : ls_is_software_gpu(place->gpu) ? SOFTWARE_STEP_SECONDS
                                                   : STEP_SECONDS;
    return place->late ? (seconds + WHEN_LATE - 1) / WHEN_LATE : seconds;
}

void step_problem(json_t *o, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_array_append_new(json_object_get(o, "problems"), json_text(text));
}

/* ---- the process ---- */

#define COUNTED "counted" /* the files of rocprofv3 begin so */

static void add_part(struct arguments *a, const struct step *s)
{
    char *program = piece_path(PIECE_PROGRAM);
    add_argument(a, "--");
    add_argument(a, "%s", program);
    add_argument(a, "%s", s->part);
    free(program);
}

static struct arguments counting(const struct step *s, const struct step_place *place)
{
    struct arguments a = {0};
    add_argument(&a, "%s", place->rocprofv3);
    add_argument(&a, "--pmc");
    for (unsigned i = 0; i < sizeof s->options / sizeof *s->options && s->options[i]; i++)
        add_argument(&a, "%s", s->options[i]);
    add_argument(&a, "--output-format");
    add_argument(&a, "csv");
    add_argument(&a, "--output-directory");
    add_argument(&a, "%s", place->directory);
    add_argument(&a, "--output-file");
    add_argument(&a, COUNTED);
    add_part(&a, s);
    return a;
}

static struct arguments observing(const struct step *s, const struct step_place *place)
{
    struct arguments a = {0};
    const char *folder = loadable_directory(); /* --handlers is split at colons */
    char *handler = ls_text("%s/%s", folder ? folder : piece_directory(), PIECE_HANDLER);
    add_argument(&a, "lanescope");
    add_argument(&a, "run");
    add_argument(&a, "--no-summary");
    add_argument(&a, "--no-rtc");
    if (place->gpu)
        add_argument(&a, "--gpu=%s", place->gpu);
    if (s->check != STEP_SUMMARY)
        add_argument(&a, "--handlers=%s", handler);
    for (unsigned i = 0; i < sizeof s->options / sizeof *s->options && s->options[i]; i++)
        add_argument(&a, "%s", s->options[i]);
    add_argument(&a, "--output-directory=%s", place->directory);
    add_argument(&a, "--output-file=observed.db");
    add_part(&a, s);
    free(handler);
    return a;
}

/* ---- what it said ---- */

static char *read_text(const char *directory, const char *name)
{
    char *path = ls_text("%s/%s", directory, name), *text = NULL;
    size_t room = 0;
    FILE *f = fopen(path, "r");
    free(path);
    if (!f)
        return NULL;
    if (getdelim(&text, &room, 0, f) < 0) {
        free(text);
        text = NULL;
    }
    fclose(f);
    return text;
}

/* Of what it wrote on stderr, the first line of ours, else the first. It cuts the text behind it. */
static const char *worst_line(char *text)
{
    char *ours = strncmp(text, OURS, strlen(OURS)) ? strstr(text, "\n" OURS) : text;
    char *line = ours ? ours + (*ours == '\n') : text;
    line[strcspn(line, "\n")] = 0;
    return line;
}

/* How it ended, if not well; NULL when it did. Freed by the caller. */
static char *bad_end(int status)
{
    if (status == CHILD_LATE)
        return ls_text("it took too long and was ended");
    if (WIFSIGNALED(status))
        return ls_text("it was ended by %s", strsignal(WTERMSIG(status)));
    return status ? ls_text("it ended with exit code %d", WEXITSTATUS(status)) : NULL;
}

/* What stands in stderr of this machine stays out of the file. Without the counters of rocprofv3 nothing is wrong with
 * the GPU: that is told, and is no problem. */
static void add_error(const struct step *s, json_t *o, const char *directory, int status)
{
    char *text = read_text(directory, "errors"), *end = bad_end(status);
    if (end && s->check == STEP_COUNTED)
        json_object_set_new(o, "skipped", json_sprintf("rocprofv3: %s", end));
    else if (end)
        step_problem(o, "%s", end);
    const char *line = text ? worst_line(text) : "";
    if (*line && (status || !strncmp(line, OURS, strlen(OURS))))
        fprintf(stderr, "%s\n", line);
    free(text);
    free(end);
}

/* Its answer is a line of stdout; a library that it has to load may write there, too. */
static json_t *answer_in(const char *text)
{
    static const char begin[] = "{\"part\":";
    const char *line = strncmp(text, begin, strlen(begin)) ? strstr(text, "\n{\"part\":") : text;
    return line ? json_loads(line, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
}

/* What a part was trying last: the last of the lines by which it says so (part_at of selftest/parts.h); NULL:
 * it says nothing. Freed by the caller. */
static char *last_tried(const char *directory)
{
    static const char begin[] = "{\"at\":";
    char *text = read_text(directory, "out"), *line, *rest = text, *what = NULL;
    while ((line = strsep(&rest, "\n"))) {
        json_t *o = strncmp(line, begin, strlen(begin)) ? NULL : json_loads(line, 0, NULL);
        if (*json_text_of(o, "at")) {
            free(what);
            what = strdup(json_text_of(o, "at"));
        }
        json_decref(o);
    }
    free(text);
    return what;
}

static json_t *answer(const struct step *s, const char *directory)
{
    char *text = read_text(directory, "out");
    json_t *o = text ? answer_in(text) : NULL;
    free(text);
    if (json_is_object(o) && json_is_array(json_object_get(o, "problems")))
        return o;
    json_decref(o);
    o = json_pack("{s:s, s:[]}", "part", s->part, "problems");
    char *at = last_tried(directory);
    if (o)
        step_problem(o, "the part gave no answer%s%s", at ? "; it was at: " : "", at ? at : "");
    free(at);
    return o;
}

static void check(const struct step *s, const struct step_place *place, json_t *o)
{
    bool counted = s->check == STEP_COUNTED;
    char *file = counted ? ls_text("%s/" COUNTED "_counter_collection.csv", place->directory)
                         : ls_text("%s/observed.db", place->directory);
    if (counted)
        step_check_counted(s, file, place->gpu_name, o);
    else
        step_check(s, file, o);
    free(file);
}

static json_t *judged(const struct step *s, const struct step_place *place, int status)
{
    json_t *o = answer(s, place->directory);
    if (!o)
        return NULL;
    json_object_set_new(o, "step", json_string(s->name));
    add_error(s, o, place->directory, status);
    if (s->check != STEP_PLAIN && !status && !json_object_get(o, "skipped"))
        check(s, place, o);
    return o;
}

/* What it left, so that the next one finds nothing of it. */
static void remove_files(const char *directory)
{
    static const char *const left[] = {"observed.db", COUNTED "_counter_collection.csv"};
    for (unsigned i = 0; i < sizeof left / sizeof *left; i++) {
        char *path = ls_text("%s/%s", directory, left[i]);
        unlink(path);
        free(path);
    }
}

json_t *step_run(const struct step *s, struct step_place *place)
{
    bool counted = s->check == STEP_COUNTED;
    struct arguments a = counted ? counting(s, place) : observing(s, place);
    pid_t pid = child_start(counted ? place->rocprofv3 : NULL, a.v, place->directory);
    int status = pid < 0 ? CHILD_LATE : child_wait(pid, patience(place));
    place->late |= status == CHILD_LATE;
    json_t *o = status == CHILD_STOPPED ? NULL : judged(s, place, status);
    remove_files(place->directory);
    for (size_t i = 0; i < a.n; i++)
        free(a.v[i]);
    free(a.v);
    return o;
}
