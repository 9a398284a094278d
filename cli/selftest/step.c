#include "step.h"
#include "child.h"
#include "cli/common/arguments.h"
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

/* The whole self-test is to take two minutes; a step that takes as long hangs. */
enum { STEP_SECONDS = 120, SOFTWARE_STEP_SECONDS = 10 * STEP_SECONDS };

static int patience(const char *gpu)
{
    return ls_is_software_gpu(gpu) ? SOFTWARE_STEP_SECONDS : STEP_SECONDS;
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

static struct arguments command(const struct step *s, const char *directory, const char *gpu)
{
    struct arguments a = {0};
    char *program = piece_path(PIECE_PROGRAM), *handler = piece_path(PIECE_HANDLER);
    add_argument(&a, "lanescope");
    add_argument(&a, "run");
    add_argument(&a, "--no-summary");
    add_argument(&a, "--no-rtc");
    if (gpu)
        add_argument(&a, "--gpu=%s", gpu);
    if (s->check != STEP_SUMMARY)
        add_argument(&a, "--handlers=%s", handler);
    for (unsigned i = 0; i < sizeof s->options / sizeof *s->options && s->options[i]; i++)
        add_argument(&a, "%s", s->options[i]);
    add_argument(&a, "--output-directory=%s", directory);
    add_argument(&a, "--output-file=observed.db");
    add_argument(&a, "--");
    add_argument(&a, "%s", program);
    add_argument(&a, "%s", s->part);
    free(program);
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

/* What stands in stderr of this machine stays out of the file. */
static void add_error(json_t *o, const char *directory, int status)
{
    char *text = read_text(directory, "errors");
    if (status == CHILD_LATE)
        step_problem(o, "it took too long and was ended");
    else if (WIFSIGNALED(status))
        step_problem(o, "it was ended by %s", strsignal(WTERMSIG(status)));
    else if (status)
        step_problem(o, "it ended with exit code %d", WEXITSTATUS(status));
    const char *line = text ? worst_line(text) : "";
    if (*line && (status || !strncmp(line, OURS, strlen(OURS))))
        fprintf(stderr, "%s\n", line);
    free(text);
}

/* Its answer is a line of stdout; a library that it has to load may write there, too. */
static json_t *answer_in(const char *text)
{
    static const char begin[] = "{\"part\":";
    const char *line = strncmp(text, begin, strlen(begin)) ? strstr(text, "\n{\"part\":") : text;
    return line ? json_loads(line, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
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
    if (o)
        step_problem(o, "the part gave no answer");
    return o;
}

static json_t *judged(const struct step *s, const char *directory, const char *database, int status)
{
    json_t *o = answer(s, directory);
    if (!o)
        return NULL;
    json_object_set_new(o, "step", json_string(s->name));
    add_error(o, directory, status);
    if (s->check != STEP_PLAIN && !status)
        step_check(s, database, o);
    return o;
}

json_t *step_run(const struct step *s, const char *directory, const char *gpu)
{
    struct arguments a = command(s, directory, gpu);
    char *database = ls_text("%s/observed.db", directory);
    pid_t pid = child_start(a.v, directory);
    int status = pid < 0 ? CHILD_LATE : child_wait(pid, patience(gpu));
    json_t *o = status == CHILD_STOPPED ? NULL : judged(s, directory, database, status);
    unlink(database);
    free(database);
    for (size_t i = 0; i < a.n; i++)
        free(a.v[i]);
    free(a.v);
    return o;
}
