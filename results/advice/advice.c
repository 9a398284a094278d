/* advice.c - see advice.h. */
#include "advice_rows.h"
#include "results/file/error_text.h"
#include "lanescope/defaults.h"

#include <stdlib.h>
#include <string.h>

/* Sentences from `first` on stand in the handler's table; those of lanes are counted, not replayed. */
static void belong_to(struct ls_sentences *s, size_t first, const char *handler)
{
    for (size_t i = first; i < s->n; i++) {
        s->items[i].handler = handler;
        s->items[i].replayed = s->items[i].replayed > 0 ? s->items[i].replayed : 1;
    }
}

static bool wants(const char *handler, const char *name)
{
    return !handler || !strcmp(handler, name);
}

static void clear(struct ls_advice_item *item)
{
    free(item->text);
    free(item->change);
    free(item->where);
}

/* Who runs a library that came compiled can change its data and code as little as its kernels. */
static bool is_of_library(const struct ls_p_kernel *k, const struct ls_p_line *line)
{
    const char *suffix = line->alone && k->library ? strstr(k->library, ".so") : NULL;
    return suffix && (!suffix[3] || suffix[3] == '.');
}

static void leave_changes_out(struct ls_sentences *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].kind == LS_ADVICE_CHANGE)
            clear(&s->items[i]);
        else
            s->items[kept++] = s->items[i];
    s->n = kept;
}

struct ls_advice_item *ls_advice_items(const struct ls_profile *p, const struct ls_p_kernel *k,
                                       const struct ls_p_line *line, const char *handler, size_t *n)
{
    static const char lds[] = LS_LDS_HANDLER, global[] = LS_GLOBAL_HANDLER;
    struct ls_sentences s = {0};
    *n = 0;
    if (line->n_estimated) /* what the machine code does may be something else */
        return NULL;
    if (wants(handler, lds) || wants(handler, global)) {
        struct ls_rows r = ls_rows_of(k, line, "lanes");
        ls_advise_lanes(&s, p, line, &r);
        belong_to(&s, 0, strcmp(line->space, "LDS") ? global : lds);
        ls_rows_free(&r);
    }
    size_t first = s.n;
    if (wants(handler, lds)) {
        struct ls_rows r = ls_rows_of(k, line, "lds");
        ls_advise_lds(&s, p, line, &r);
        belong_to(&s, first, lds);
        ls_rows_free(&r);
    }
    first = s.n;
    if (wants(handler, global)) {
        struct ls_rows r = ls_rows_of(k, line, "global");
        ls_advise_global(&s, p, line, &r);
        ls_advise_waiting(&s, p, line, r.triton);
        belong_to(&s, first, global);
        ls_rows_free(&r);
    }
    if (is_of_library(k, line))
        leave_changes_out(&s);
    *n = s.n;
    return s.items;
}

void ls_advice_items_free(struct ls_advice_item *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        clear(&items[i]);
    free(items);
}

char **ls_advice(const struct ls_profile *p, const struct ls_p_kernel *k, const struct ls_p_line *line,
                 const char *handler, size_t *n)
{
    struct ls_advice_item *items = ls_advice_items(p, k, line, handler, n);
    char **texts = *n ? ls_realloc(NULL, *n * sizeof(*texts)) : NULL;
    for (size_t i = 0; i < *n; i++) {
        texts[i] = items[i].text;
        items[i].text = NULL;
    }
    ls_advice_items_free(items, *n);
    return texts;
}

void ls_advice_free(char **advice, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(advice[i]);
    free(advice);
}
