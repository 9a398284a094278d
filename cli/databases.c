#include "databases.h"
#include "cli.h"
#include "names.h"
#include "tables.h"

#include <stdlib.h>

int compile_kernel_regex(const char *text, regex_t *re)
{
    char why[128];
    int rc = regcomp(re, text, REG_EXTENDED | REG_NOSUB);
    if (!rc)
        return 0;
    regerror(rc, re, why, sizeof(why));
    message("--kernel: '%s' is not a POSIX extended regular expression: %s", text, why);
    return EXIT_USAGE;
}

int load_profile(struct ls_profile **out, char *const *databases, size_t n, const char *kernel, bool raw)
{
    regex_t re;
    int rc = kernel ? compile_kernel_regex(kernel, &re) : 0;
    struct ls_profile *p = *out = ls_profile_new();
    p->raw = raw;
    if (rc)
        return rc;
    for (size_t i = 0; i < n && !rc; i++) {
        char *error = NULL;
        if (ls_profile_add_file(p, databases[i], kernel ? &re : NULL, &error)) {
            message_free(error);
            rc = EXIT_DATABASE;
        }
    }
    if (!rc && kernel && !p->n_kernels) {
        message("--kernel: no kernel matches '%s'; `lanescope summary` shows their names", kernel);
        rc = EXIT_FAILED;
    }
    if (kernel)
        regfree(&re);
    return rc;
}

int find_metric_option(const struct ls_profile *p, const char *option, const char *name, int *metric)
{
    *metric = name ? ls_find_metric(p, name) : -1;
    if (!name || *metric >= 0)
        return 0;
    char *list = metric_names(p);
    message("%s: '%s' %s; the metrics here are: %s", option, name,
            *metric == -2 ? "fits several metrics" : "is no metric of these databases", list ? list : "");
    free(list);
    return EXIT_USAGE;
}
