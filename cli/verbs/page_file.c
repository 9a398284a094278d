/* page_file.c - see page_file.h. */
#include "page_file.h"
#include "cli/common/cli.h"
#include "cli/common/output_file.h"
#include "cli/page/page.h"
#include "results/reader/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *cause(int why)
{
    return why == ELOOP ? "it is a symbolic link; give another name"
           : why == EEXIST
               ? "it exists and is no page of Lanescope; give another name, or --force to replace it"
               : strerror(why);
}

FILE *open_page(const char *path, bool force, const struct ls_profile *p)
{
    static const char mark[] = PAGE_MARK;
    if (!strcmp(path, "-"))
        return stdout;
    if (output_is_recording(path)) {
        message("--html: %s: is a recording, which a page does not replace; give another name", path);
        return NULL;
    }
    char **names = NULL;
    size_t n = 0;
    for (size_t i = 0; i < p->n_databases; i++)
        *LS_PUSH(names, n) = (char *)p->databases[i].path;
    const struct output_rules rules = {mark, force ? 0 : sizeof(mark) - 1, names, n, true};
    FILE *out = output_file_open(path, &rules);
    if (!out)
        message("--html: %s: cannot write the page: %s", path, cause(errno));
    free(names);
    return out;
}
