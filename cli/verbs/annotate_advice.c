/* annotate_advice.c - see annotate_advice.h. */
#include "annotate_advice.h"
#include "cli/common/text_numbers.h"
#include "cli/output/names.h"
#include "results/advice/advice.h"
#include "results/file/error_text.h"
#include "results/reader/arena.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void annotate_hear(struct heard_list *list, const struct ls_profile *p, const struct ls_p_kernel *k,
                   const struct ls_p_line *line)
{
    size_t n;
    struct ls_advice_item *advice = ls_advice_items(p, k, line, NULL, &n);
    for (size_t i = 0; i < n; i++)
        *LS_PUSH(list->items, list->n) = (struct heard){.text = strdup(advice[i].text),
                                                        .access = line_access(line, true),
                                                        .of_some = advice[i].of_some,
                                                        .kernel = k};
    ls_advice_items_free(advice, n);
}

/* ---- how many accesses and kernels say a sentence ---- */

/* Counters of a line, by what they count. */
struct counters {
    struct text_number *table;
};

static size_t *counter(struct counters *c, char *key)
{
    if (!key)
        abort();
    return text_number(&c->table, key, 0);
}

/* Counts what the second key stands for, each once, for the first. */
static void count_once(struct counters *c, const char *of, const char *what)
{
    if (!(*counter(c, ls_text("seen %s | %s", of, what)))++)
        (*counter(c, ls_text("number %s", of)))++;
}

static size_t counted(struct counters *c, const char *of)
{
    return *counter(c, ls_text("number %s", of));
}

/* What sentences are counted for: kernels of all of the line, of an access, of a sentence, of a sentence on an access; and accesses. */
enum count { KERNELS, OF_ACCESS, OF_TEXT, OF_BOTH, ACCESSES, ACCESSES_OF_TEXT, COUNTS };

static char *key_of(const struct heard *h, enum count count)
{
    switch (count) {
    case OF_ACCESS:
        return ls_text("access %s", h->access);
    case OF_TEXT:
        return ls_text("text %s", h->text);
    case OF_BOTH:
        return ls_text("both %s | %s", h->access, h->text);
    case ACCESSES:
        return ls_text("accesses");
    case ACCESSES_OF_TEXT:
        return ls_text("accesses of %s", h->text);
    default:
        return ls_text("kernels");
    }
}

static void count_all(struct counters *c, const struct heard *h)
{
    char *kernel = ls_text("%p", (const void *)h->kernel);
    for (enum count i = 0; i < COUNTS; i++) {
        char *key = key_of(h, i);
        if (!key || !kernel)
            abort();
        count_once(c, key, i == ACCESSES || i == ACCESSES_OF_TEXT ? h->access : kernel);
        free(key);
    }
    free(kernel);
}

static size_t number_of(struct counters *c, const struct heard *h, enum count count)
{
    char *key = key_of(h, count);
    const size_t n = key ? counted(c, key) : 0;
    free(key);
    return n;
}

/* ---- the sentences ---- */

/* "global load 4 B in f(int*): ". */
static void put_owner(FILE *out, const struct ls_profile *p, const struct heard *h, bool every_access,
                      size_t kernels, size_t all)
{
    char *heading = kernel_heading(p, h->kernel);
    if (!every_access)
        fputs(h->access, out);
    if (!every_access && kernels < all)
        fputc(' ', out);
    if (kernels < all && kernels == 1)
        fprintf(out, "in %s", heading);
    else if (kernels < all)
        fprintf(out, "in %zu of %zu kernels", kernels, all);
    if (!every_access || kernels < all)
        fputs(h->of_some ? ", " : ": ", out);
    free(heading);
}

static void tell(struct counters *c, const struct ls_profile *p, const struct heard *h,
                 struct ls_p_texts *out)
{
    const bool every_access = number_of(c, h, ACCESSES_OF_TEXT) == number_of(c, h, ACCESSES);
    char *text = NULL, *key = key_of(h, every_access ? OF_TEXT : OF_BOTH);
    size_t size = 0;
    const bool again = !key || (*counter(c, ls_text("told %s", key)))++;
    FILE *file = again ? NULL : open_memstream(&text, &size);
    free(key);
    if (!file)
        return;
    put_owner(file, p, h, every_access, number_of(c, h, every_access ? OF_TEXT : OF_BOTH),
              number_of(c, h, every_access ? KERNELS : OF_ACCESS));
    fputs(h->text, file);
    fclose(file);
    *LS_PUSH(out->items, out->n) = text;
}

void annotate_tell(struct heard_list *list, const struct ls_profile *p, struct ls_p_texts *out)
{
    struct counters c = {NULL};
    for (size_t i = 0; i < list->n; i++)
        count_all(&c, &list->items[i]);
    for (size_t i = 0; i < list->n; i++)
        tell(&c, p, &list->items[i], out);
    for (size_t i = 0; i < list->n; i++) {
        free(list->items[i].text);
        free(list->items[i].access);
    }
    free(list->items);
    *list = (struct heard_list){NULL, 0};
    text_numbers_free(c.table);
}
