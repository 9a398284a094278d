#include "verb_options.h"
#include "gpus/gpus.h"
#include "results/reader/arena.h"
#include "results/file/error_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct setting *setting_of(const struct argp_option *o)
{
    for (int i = 0; i < N_SETTINGS; i++)
        if (!strcmp(settings[i].option, o->name))
            return &settings[i];
    return NULL;
}

static void take(struct verb_option **list, size_t *n, const struct argp *argp)
{
    const bool of_run = argp == &settings_argp;
    for (const struct argp_option *o = argp->options; o && (o->name || o->key); o++)
        if (o->name && !(o->flags & OPTION_HIDDEN))
            *LS_PUSH(*list, *n) = (struct verb_option){o, of_run, of_run ? setting_of(o) : NULL};
    for (const struct argp_child *c = argp->children; c && c->argp; c++)
        take(list, n, c->argp);
}

struct verb_option *verb_options(const struct verb *v, size_t *n)
{
    struct verb_option *list = NULL;
    settings_prepare();
    if (v->run == verb_gate)
        settings_without_result();
    *n = 0;
    take(&list, n, v->argp);
    return list;
}

/* "wait|drop" as "wait drop"; "" for one name alone, which stands for anything. */
static char *alternatives(const char *text)
{
    char *words = strdup(text && strchr(text, '|') ? text : "");
    for (char *s = words; s && *s; s++)
        *s = *s == '|' ? ' ' : *s;
    return words;
}

/* One more word behind those that there are, which are freed; NULL when memory ran out. */
static char *joined(char *words, const char *word)
{
    char *more = words ? ls_text("%s%s%s", words, *words ? " " : "", word) : NULL;
    free(words);
    return more;
}

static char *gpus_with_models(void)
{
    char *words = strdup("");
    const struct ls_gpu *gpu;
    for (size_t i = 0; words && (gpu = ls_gpu_at(i)); i++)
        if (ls_gpu_has_models(gpu))
            words = joined(words, gpu->name);
    return words;
}

static bool names_gpus(const struct verb_option *o)
{
    return o->setting ? o->setting->type == TYPE_GPUS : !strcmp(o->is->name, "as");
}

char *option_choices(const struct verb_option *o)
{
    char names[256];
    if (names_gpus(o))
        return gpus_with_models();
    if (o->setting ? o->setting->type == TYPE_GPU : !strcmp(o->is->name, "gpu"))
        return ls_text("%shw soft %s", o->setting ? "auto " : "",
                       ls_gpu_names(names, sizeof(names), "soft:", " ", " "));
    if (!o->setting || !o->setting->names)
        return alternatives(o->is->arg);
    char *words = strdup("");
    for (const char *const *name = o->setting->names; *name && words; name++)
        words = joined(words, *name);
    return words;
}

bool option_takes_several(const struct verb_option *o)
{
    return o->setting && (o->setting->type == TYPE_GPUS || o->setting->type == TYPE_SET);
}

bool option_takes_file(const struct verb_option *o)
{
    return o->is->arg && (!strcmp(o->is->arg, "FILE") || !strcmp(o->is->arg, "OUT"));
}

bool option_takes_folder(const struct verb_option *o)
{
    return o->is->arg && !strncmp(o->is->arg, "DIR", 3);
}

/* Lower-case words of the arguments' description, each once, but for options and what follows them. */
char *verb_words(const struct verb *v)
{
    char *words = strdup(" "), *copy = strdup(v->argp->args_doc ? v->argp->args_doc : ""), *rest = copy;
    bool value = false;
    for (char *token; words && (token = strsep(&rest, " \n"));) {
        const bool option = token[0] == '-' || value;
        value = token[0] == '-';
        for (char *word; !option && words && (word = strsep(&token, "[]|."));) {
            char *one = islower((unsigned char)*word) ? ls_text(" %s ", word) : NULL;
            if (one && !strstr(words, one)) {
                char *more = ls_text("%s%s ", words, word);
                free(words);
                words = more;
            }
            free(one);
        }
    }
    free(copy);
    if (!words)
        return strdup("");
    char *trimmed = strndup(words + 1, strlen(words) > 1 ? strlen(words) - 2 : 0);
    free(words);
    return trimmed;
}
