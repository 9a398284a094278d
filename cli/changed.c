/* changed.c - see changed.h. The time of the last change is compared first: most files are not read at all.
 */
#include "changed.h"
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool same_text(const struct ls_p_file *f)
{
    FILE *in = fopen(f->path, "r");
    char *now = in ? malloc(f->size + 1) : NULL;
    bool same = !now || (fread(now, 1, f->size + 1, in) == f->size && !memcmp(now, f->text, f->size));
    free(now);
    if (in)
        fclose(in);
    return same;
}

static bool changed(const struct ls_p_file *f)
{
    struct stat st;
    /* Relative names count from the directory of the run, which this need not be. */
    return f->text && f->modified_ns && f->path[0] == '/' && !stat(f->path, &st) && S_ISREG(st.st_mode) &&
           st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec != f->modified_ns && !same_text(f);
}

void tell_changed_sources(const struct ls_profile *p)
{
    enum { TELL = 3 };
    size_t n = 0;
    for (size_t i = 0; i < p->n_files; i++)
        if (changed(&p->files[i]) && n++ < TELL)
            message("%s: edited since the run; what is shown is the text of then", p->files[i].path);
    if (n > TELL)
        message("%zu more source files were edited since the run", n - TELL);
}
