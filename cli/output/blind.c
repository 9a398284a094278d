/* blind.c - see blind.h. */
#include "blind.h"
#include "lanescope/defaults.h"
#include "names.h"
#include "common/names.h"
#include "results/file/error_text.h"
#include "results/reader/saturate.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 8 }; /* of a summary */

static const char *reason(const struct ls_p_kernel *k)
{
    return k->not_instrumented ? k->not_instrumented
           : k->n_not_observed ? k->not_observed[0].name
                               : "unknown reason";
}

bool blind_is_runtime_own(const struct ls_p_kernel *k)
{
    return ls_is_runtime_kernel(k->mangled);
}

static const char *library(const struct ls_p_kernel *k)
{
    return blind_is_runtime_own(k) ? "the runtime itself (as for fills and copies)"
           : k->library            ? k->library
                                   : "code that was loaded from memory";
}

static struct blind *find(struct blind *groups, size_t n, const struct ls_p_kernel *k)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(groups[i].library, library(k)) && !strcmp(groups[i].why, reason(k)))
            return &groups[i];
    return NULL;
}

static bool is_blind(const struct ls_p_kernel *k)
{
    return k->dispatches && !k->observed;
}

const struct blind *blind_of(const struct blind *groups, size_t n, const struct ls_p_kernel *k)
{
    return is_blind(k) ? find((struct blind *)groups, n, k) : NULL;
}

struct blind *blind_groups(const struct ls_profile *p, size_t *n)
{
    struct blind *groups = NULL;
    *n = 0;
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct ls_p_kernel *k = p->kernels[i];
        if (!is_blind(k))
            continue;
        struct blind *b = find(groups, *n, k);
        if (!b) {
            b = LS_PUSH(groups, *n);
            *b = (struct blind){
                .library = library(k), .why = reason(k), .first = k, .runtime = blind_is_runtime_own(k)};
        }
        b->kernels++;
        b->dispatches = ls_add(b->dispatches, k->dispatches, NULL);
    }
    return groups;
}

const char *blind_hint(const struct ls_p_kernel *k)
{
    bool skipped = k->software_time && !k->hardware_time && k->n_not_observed == 1 &&
                   !strcmp(k->not_observed[0].name, LS_COMPILED_WITHOUT);
    return skipped ? " (--uninstrumented isa observes its instructions)" : "";
}

bool blind_is_folded(const struct blind *b)
{
    return b->kernels > 1 || b->runtime;
}

char *blind_text(const struct blind *b, bool with_dispatches)
{
    char *dispatches = with_dispatches ? ls_text(", %s dispatch%s", show_count((double)b->dispatches),
                                                 b->dispatches == 1 ? "" : "es")
                                       : NULL;
    char *text =
        ls_text("%s kernel%s of %s%s: %s%s", show_count((double)b->kernels), b->kernels == 1 ? "" : "s",
                b->library, dispatches ? dispatches : "", b->why, b->runtime ? "" : blind_hint(b->first));
    free(dispatches);
    return text;
}

static void print_group(const struct terminal *t, const struct blind *b)
{
    char *text = blind_is_folded(b) ? blind_text(b, false) : NULL;
    if (text) {
        fputs(text, t->out);
    } else {
        print_kernel_name(t, b->first->name, 50);
        fprintf(t->out, ": %s%s", b->why, blind_hint(b->first));
    }
    free(text);
}

void blind_summary(const struct terminal *t, const struct ls_profile *p, const char *prefix)
{
    size_t n, more = 0;
    struct blind *groups = blind_groups(p, &n);
    for (size_t i = 0; i < n; i++) {
        if (i >= LINES) {
            more += groups[i].kernels;
            continue;
        }
        fprintf(t->out, "%s  %snot observed: ", prefix, style_on(t, STYLE_WARN));
        print_group(t, &groups[i]);
        fprintf(t->out, "%s\n", style_off(t));
    }
    if (more)
        fprintf(t->out, "%s  %s more kernel%s not observed\n", prefix, show_count((double)more),
                more == 1 ? " was" : "s were");
    free(groups);
}
