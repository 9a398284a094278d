#include "databases.h"
#include "cli/common/cli.h"
#include "cli/common/progress.h"
#include "common/plural.h"
#include "names.h"
#include "results/file/error_text.h"
#include "terminal.h"
#include "cli/common/safe_output.h"
#include "cli/common/settings.h"
#include "results/profile/tables.h"
#include "settings/parse.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Compiles the value of --kernel; 0, or an exit code after a message. */
static int compile_kernel_regex(const char *text, regex_t *re)
{
    char why[128];
    if (ls_parse_regex(text, re, why, sizeof(why)))
        return 0;
    message("--kernel: '%s' is not a POSIX extended regular expression: %s", text, why);
    return EXIT_USAGE;
}

static struct ls_p_texts library_options;

void add_library_option(const char *folders)
{
    *LS_PUSH(library_options.items, library_options.n) = folders;
}

error_t take_view_option(int key, char *arg, struct view_options *view)
{
    switch (key) {
    case 'k':
        view->kernel = arg;
        return 0;
    case 'o':
        view->output = arg;
        return 0;
    case KEY_FULL_PATHS:
        view->full_paths = true;
        return 0;
    case KEY_NO_PAGER:
        view->no_pager = true;
        return 0;
    case KEY_LIBRARY:
        add_library_option(arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Folders separated by commas or colons. */
static void add_libraries(struct ls_profile *p, const char *folders)
{
    char *list = strdup(folders), *state = NULL;
    for (char *f = list ? strtok_r(list, ",:", &state) : NULL; f; f = strtok_r(NULL, ",:", &state))
        ls_profile_add_library(p, f);
    free(list);
}

void apply_libraries(struct ls_profile *p)
{
    char *fallback = library_options.n ? NULL : setting_alone(SET_LIBRARY_DIRS);
    for (size_t i = 0; i < library_options.n; i++)
        add_libraries(p, library_options.items[i]);
    if (fallback)
        add_libraries(p, fallback);
    free(fallback);
}

int load_profile(struct ls_profile **out, char *const *databases, size_t n, const char *kernel, unsigned how)
{
    return load_profile_as(out, databases, n, kernel, how, NULL);
}

int load_profile_as(struct ls_profile **out, char *const *databases, size_t n, const char *kernel,
                    unsigned how, const char *as)
{
    regex_t re;
    int rc = kernel ? compile_kernel_regex(kernel, &re) : 0;
    struct ls_profile *p = *out = ls_profile_new();
    p->as = as;
    p->raw = how & LOAD_RAW;
    p->with_code = how & LOAD_CODE;
    apply_libraries(p);
    if (rc)
        return rc;
    for (size_t i = 0; i < n && !rc; i++) {
        char *error = NULL;
        progress("reading databases", i, n);
        if (ls_profile_add_file(p, databases[i], kernel ? &re : NULL, &error)) {
            message_free(error);
            rc = EXIT_DATABASE;
        }
    }
    progress_end();
    ls_profile_added(p);
    if (!rc && kernel && !p->n_kernels) {
        char *word = shell_word(databases[0]);
        message("--kernel: no kernel matches '%s'; `lanescope list kernels %s` shows their names", kernel,
                word);
        free(word);
        rc = EXIT_FAILED;
    }
    if (kernel)
        regfree(&re);
    return rc;
}

/* "a.X, b.X"; a metric of both profiles stands once. */
static char *fitting_names(struct ls_profile *const *p, size_t n_profiles, const char *name, size_t *n_names,
                           const struct ls_p_metric **first)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct ls_p_texts seen = {0};
    for (size_t i = 0; out && i < n_profiles; i++) {
        size_t n;
        int *list = ls_metrics_named(p[i], name, &n);
        for (size_t j = 0; j < n; j++) {
            const struct ls_p_metric *m = &p[i]->metrics[list[j]];
            size_t s = 0;
            while (s < seen.n &&
                   (strcasecmp(seen.items[s], m->handler) || strcasecmp(seen.items[s + 1], m->name)))
                s += 2;
            if (s < seen.n)
                continue;
            *first = seen.n ? *first : m;
            fprintf(out, "%s%s.%s", seen.n ? ", " : "", m->handler, m->name);
            *LS_PUSH(seen.items, seen.n) = m->handler;
            *LS_PUSH(seen.items, seen.n) = m->name;
        }
        free(list);
    }
    if (out)
        fclose(out);
    *n_names = seen.n / 2;
    free(seen.items);
    return text;
}

int find_metric_of(struct ls_profile *const *p, size_t n_profiles, const char *option, const char *name,
                   const struct ls_p_metric **metric)
{
    size_t n;
    char *fitting = fitting_names(p, n_profiles, name, &n, metric);
    if (n > 1) {
        message("%s: '%s' fits several metrics: %s; give one of these names", option, name, fitting);
    } else if (!n) {
        char *all = metric_names(p[n_profiles - 1]);
        message("%s: '%s' is no metric of these databases; the metrics here are: %s", option, name,
                all ? all : "");
        free(all);
    }
    free(fitting);
    return n == 1 ? 0 : EXIT_USAGE;
}

int find_metric_option(struct ls_profile *p, const char *option, const char *name, int *metric)
{
    const struct ls_p_metric *m;
    int rc = name ? find_metric_of(&p, 1, option, name, &m) : 0;
    *metric = name && !rc ? (int)(m - p->metrics) : -1;
    return rc;
}

/* A head of so many is not read for its kernels any more. */
enum { NAME_ALL = 8, NAME_FIRST = 3 };

static bool is_special(const struct ls_profile *p, size_t i)
{
    return p->databases[i].partial || strcmp(p->databases[i].filters, p->databases[0].filters) != 0;
}

const struct ls_p_database *next_named(struct named_databases *n)
{
    const struct ls_profile *p = n->profile;
    for (; n->next < p->n_databases; n->next++) {
        const bool special = is_special(p, n->next);
        if (p->n_databases <= NAME_ALL || n->next < NAME_FIRST || (special && n->named < NAME_ALL)) {
            n->named++;
            return &p->databases[n->next++];
        }
        n->special += special;
    }
    return NULL;
}

char *more_databases(const struct named_databases *n)
{
    const size_t more = n->profile->n_databases - n->named;
    if (!more)
        return NULL;
    char *special =
        n->special ? ls_text(", %s of them partial or with other filters", show_count((double)n->special))
                   : NULL;
    char *text = ls_text("and %s more %s%s (`lanescope summary --json` names all)", show_count((double)more),
                         ls_word((double)more, "recording", "recordings"), special ? special : "");
    free(special);
    return text;
}
