/* changed.c - see changed.h. The time of the last change is compared first:
 * most files are not read at all. */
#include "changed.h"
#include "common/plural.h"
#include "cli/common/cli.h"
#include "lanescope/printable.h"
#include "results/file/notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The stored text as the profile has it: without a mark, control characters escaped. */
static bool same_text(const struct ls_p_file *f)
{
    const size_t most = f->size + 1 + strlen(LS_TEXT_MARK); /* what is printable is no shorter */
    FILE *in = fopen(f->path, "r");
    char *text = in ? malloc(most) : NULL, *shown = text ? malloc(LS_PRINTABLE_GROWTH * most + 1) : NULL;
    bool same = true;
    if (shown) {
        size_t n = fread(text, 1, most, in);
        const size_t mark = ls_mark_length(text, n);
        const char *now = text + mark;
        n -= mark;
        same = ls_printable(shown, now, n, "\n\t") == f->size && !memcmp(shown, f->text, f->size);
        same |= n == f->size && !memcmp(now, f->text, f->size); /* raw, for JSON */
    }
    free(text);
    free(shown);
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
        message("%zu more source %s edited since the run", n - TELL,
                ls_word((double)(n - TELL), "file was", "files were"));
}

bool tell_doubt(const char *note)
{
    static const char *const parts[] = {LS_NOTE_OTHER_TEXT, LS_NOTE_TEXTS, LS_NOTE_NEWER, LS_NOTE_SATURATED,
                                        LS_NOTE_DANGLING};
    size_t i = 0;
    while (i < sizeof(parts) / sizeof(*parts) && !strstr(note, parts[i]))
        i++;
    if (i == sizeof(parts) / sizeof(*parts))
        return false;
    message("%s", note);
    return true;
}

void tell_doubts(const struct ls_profile *p)
{
    bool told = false;
    for (size_t i = 0; i < p->n_notes; i++)
        told |= tell_doubt(p->notes[i].text) && strstr(p->notes[i].text, LS_NOTE_SATURATED);
    if (p->saturated && !told)
        message("%s", LS_NOTE_SATURATED);
}
