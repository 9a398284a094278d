/* references.c - see references.h. */
#include "references.h"
#include "cli/common/cli.h"

int references_refuse(const char *path, size_t rows)
{
    message("%s: %zu reference%s to a process, code object, kernel, GPU, stream, dispatch, place or metric "
            "%s nothing; "
            "`lanescope check` tells more, and a new recording helps",
            path, rows, rows == 1 ? "" : "s", rows == 1 ? "leads to" : "lead to");
    return EXIT_DATABASE;
}

int references_check(struct ls_results *r, const char *path)
{
    char *error = NULL;
    int64_t lost;
    if (ls_results_dangling(r, &lost, &error)) {
        message_free(error);
        return EXIT_DATABASE;
    }
    return lost ? references_refuse(path, (size_t)lost) : EXIT_OK;
}

int references_check_profile(const struct ls_profile *p)
{
    for (size_t i = 0; i < p->n_databases; i++)
        if (p->databases[i].dangling)
            return references_refuse(p->databases[i].path, (size_t)p->databases[i].dangling);
    return EXIT_OK;
}
