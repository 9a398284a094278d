/* held_code.c - see held_code.h. */
#include "held_code.h"
#include "fat_binary.h"
#include "gpus/gpus.h"
#include "mapped.h"

#include <stdio.h>
#include <string.h>

/* Who calls one of these makes code while it runs, whatever it holds: rocFFT, for one. */
static const char *const compilers[] = {"hiprtcCompileProgram", "amd_comgr_do_action"};

static void add(struct ls_targets *targets, const char *name, size_t n)
{
    for (size_t i = 0; i < targets->n; i++)
        if (strlen(targets->name[i]) == n && !memcmp(targets->name[i], name, n))
            return;
    if (targets->n < LS_TARGETS_MAX && n < LS_TARGET_SIZE)
        snprintf(targets->name[targets->n++], LS_TARGET_SIZE, "%.*s", (int)n, name);
}

void ls_targets_add(struct ls_targets *targets, const char *name)
{
    add(targets, name, strcspn(name, ":"));
}

char *ls_targets_text(const struct ls_targets *targets)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < targets->n; i++)
        fprintf(out, "%s%s", !i ? "" : i + 1 < targets->n ? ", " : " and ", targets->name[i]);
    return out && !fclose(out) ? text : NULL;
}

struct look {
    const struct ls_targets *there;
    struct ls_held_code *out;
};

/* Whether the target asks for the other sign of a feature. */
static bool contradicts(const char *features, const char *target)
{
    for (const char *f = features ? strchr(target, ':') : NULL; f; f = strchr(f + 1, ':')) {
        char other[16];
        const size_t n = 1 + strcspn(f + 1, ":");
        if (n >= sizeof other)
            continue;
        snprintf(other, sizeof other, "%.*s", (int)n, f);
        other[n - 1] = other[n - 1] == '+' ? '-' : '+';
        if (strstr(features, other))
            return true;
    }
    return false;
}

static void look_at(void *context, const char *target)
{
    const struct look *l = context;
    if (contradicts(l->there->features, target)) {
        add(&l->out->held, target, strlen(target));
        return;
    }
    ls_targets_add(&l->out->held, target);
    for (size_t i = 0; i < l->there->n && !l->out->fits; i++)
        l->out->fits = ls_gpu_may_run(l->there->name[i], target);
}

static bool names_a_compiler(const struct mapped *m)
{
    bool found = false;
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers && !found; i++)
        found = memmem(m->bytes, m->size, compilers[i], strlen(compilers[i]));
    return found;
}

bool ls_makes_code(const char *path)
{
    struct mapped m;
    if (!map_file(path, &m))
        return false;
    bool makes = names_a_compiler(&m);
    unmap_file(&m);
    return makes;
}

bool ls_held_code(const char *path, const struct ls_targets *there, struct ls_held_code *out)
{
    struct mapped m;
    struct look l = {there, out};
    *out = (struct ls_held_code){0};
    if (!map_file(path, &m))
        return false;
    bool told = ls_fat_binary(m.bytes, m.size, look_at, &l);
    if (told && !out->fits)
        out->fits = names_a_compiler(&m);
    unmap_file(&m);
    return told;
}
