/* Which recordings a profile is of, and what they note (profile.h). */
#include "profile_internal.h"
#include "common/shell_word.h"
#include "results/reader/filters.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *ls_command_text(const char *argv)
{
    json_t *list = json_loads(argv, 0, NULL), *item;
    size_t i, size = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        json_decref(list);
        return NULL;
    }
    json_array_foreach(list, i, item)
    {
        if (i)
            fputc(' ', out);
        ls_put_shell_word(out, json_string_value(item) ? json_string_value(item) : "");
    }
    fclose(out);
    json_decref(list);
    return text;
}

void profile_add_note(struct ls_profile *p, int level, const char *text)
{
    char *key = ls_text("%d %s", level, text);
    if (!key)
        abort();
    struct profile_entry *e = profile_find(p->note_index, key);
    if (e) {
        p->notes[e->index].count++;
    } else {
        profile_enter(p, &p->note_index, key)->index = p->n_notes;
        *LS_PUSH(p->notes, p->n_notes) = (struct ls_p_note){level, profile_keep(p, text), 1};
    }
    free(key);
}

/* Whether the recording was priced as on that GPU, too. */
static bool is_priced(const char *options, const char *as)
{
    json_t *o = as && options ? json_loads(options, 0, NULL) : NULL;
    const char *list = json_string_value(json_object_get(o, "as"));
    const size_t n = as ? strlen(as) : 0;
    bool found = false;
    while (list && *list && !found) {
        found = strcspn(list, ",") == n && !strncmp(list, as, n);
        list += strcspn(list, ",");
        list += *list == ',';
    }
    json_decref(o);
    return found;
}

static const char *first_text(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

static void add_process(struct profile_adding *a, const struct ls_r_process *x)
{
    struct ls_profile *p = a->p;
    struct ls_results *r = a->r;
    char *command = ls_command_text(x->argv), *filters = ls_filters_text(x->options);
    *LS_PUSH(p->databases, p->n_databases) =
        (struct ls_p_database){.path = profile_keep(p, ls_results_text(r, r->path)),
                               .created = profile_keep(p, first_text(x->created, r->created)),
                               .version = profile_keep(p, first_text(x->version, r->version)),
                               .command = profile_keep(p, ls_results_text(r, command)),
                               .gpu = profile_keep(p, x->gpu),
                               .runtime = profile_keep(p, x->runtime),
                               .hostname = profile_keep(p, x->hostname),
                               .filters = profile_keep(p, ls_results_text(r, filters)),
                               .guid = profile_keep(p, first_text(x->guid, r->guid)),
                               .partial = x->state ? strcmp(x->state, "complete") != 0 : r->partial,
                               .live = r->live,
                               .priced = is_priced(x->options, p->as),
                               .pid = x->pid,
                               .rank = profile_keep(p, x->rank),
                               .run_id = profile_keep(p, first_text(x->run_id, r->run_id)),
                               .part = profile_keep(p, x->file)};
    const struct ls_p_database *d = &p->databases[p->n_databases - 1];
    ls_seen_enter(&p->seen, d->guid, d->path);
    free(command);
    free(filters);
}

void profile_add_databases(struct profile_adding *a)
{
    const struct ls_r_process none = {.argv = "[]"};
    a->first_database = a->p->n_databases;
    for (size_t i = 0; i < a->r->n_processes; i++)
        add_process(a, &a->r->processes[i]);
    if (!a->r->n_processes)
        add_process(a, &none);
    for (size_t i = 0; i < a->r->n_notes; i++)
        profile_add_note(a->p, a->r->notes[i].level, a->r->notes[i].text);
}

char *profile_said_before(const struct ls_profile *p, const struct ls_results *r)
{
    for (size_t j = 0; j < r->n_processes; j++) {
        const char *before = ls_seen_before(&p->seen, r->processes[j].guid);
        if (before)
            return ls_text("%s: %s the same recording as %s and would count twice; give each recording once",
                           r->path, r->processes[j].file ? "holds" : "is", before);
    }
    return NULL;
}
