/* Messages and suggestions of all verbs. */
#include "cli.h"
#include "progress.h"
#include "safe_output.h"
#include "settings/parse.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void message(const char *format, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&text, format, ap);
    va_end(ap);
    progress_end();
    char *line = printable_text(n < 0 ? "out of memory" : text);
    fprintf(stderr, "lanescope: %s\n", line);
    free(line);
    free(n < 0 ? NULL : text);
}

void message_free(char *text)
{
    message("%s", text ? text : "out of memory");
    free(text);
}

bool terminal_is_capable(void)
{
    const char *term = getenv("TERM");
    return term && *term && strcmp(term, "dumb");
}

/* Number of single-character insertions, deletions and substitutions; words are short. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(b), row[64];
    if (n >= 64 || strlen(a) >= 64)
        return 64;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[n];
}

const char *nearest(const char *word, const char *const *words, size_t n)
{
    const char *best = NULL;
    size_t limit = 1 + strlen(word) / 3;
    for (size_t i = 0; i < n; i++) {
        size_t d = distance(word, words[i]);
        bool prefix = strlen(word) >= 2 && !strncmp(words[i], word, strlen(word));
        if (prefix && !best)
            best = words[i];
        if (d <= limit) {
            best = words[i];
            limit = d ? d - 1 : 0;
        }
    }
    return best;
}

static bool stdout_is_told;

int close_output(FILE *out, const char *path)
{
    bool bad = ferror(out);
    errno = 0;
    if (bad) { /* what went wrong is forgotten, but goes wrong again */
        clearerr(out);
        fputc('\n', out);
        fflush(out);
    }
    int why = errno;
    if ((out == stdout ? fflush(out) : fclose(out)) || bad) {
        why = why ? why : errno ? errno : printable_error();
        if (why != EPIPE)
            message("%s: cannot write the output: %s", path ? path : "stdout",
                    why ? strerror(why) : "write error");
        stdout_is_told |= out == stdout;
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

/* argp ends the program with success once it has printed a help. */
static void close_help(void)
{
    if (!stdout_is_told && close_output(stdout, NULL))
        _exit(EXIT_FAILED);
}

static void print_version(FILE *out, struct argp_state *state)
{
    (void)state;
    fprintf(out, "lanescope %s\n", LANESCOPE_VERSION);
}

void setup_argp(void)
{
    atexit(close_help);
    argp_err_exit_status = EXIT_USAGE;
    argp_program_version_hook = print_version;
}

uint64_t option_number(struct argp_state *state, const char *option, const char *arg, uint64_t most,
                       const char *what)
{
    uint64_t n;
    if (!ls_parse_number(arg, &n) || n > most)
        argp_error(state, "%s: '%s' is not accepted; give %s", option, arg, what);
    return n;
}

error_t take_databases(int key, struct argp_state *state, char ***databases, size_t *n)
{
    switch (key) {
    case ARGP_KEY_ARGS:
        *databases = state->argv + state->next;
        *n = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no database given; give the files that `lanescope run` wrote (*_srclines.db)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}
