#include "code_check.h"
#include "cli/common/cli.h"
#include "gpus/gpus.h"
#include "libraries.h"
#include "objects/held_code.h"
#include "settings/parse.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the GPUs that are there ---- */

/* The driver's number of a target: 90010 is gfx90a, and 0 stands for a CPU (struct ls_gpu, version). */
static void add_version(struct ls_targets *there, unsigned long version)
{
    char name[LS_TARGET_SIZE];
    if (!version || version > 999999)
        return;
    snprintf(name, sizeof name, "gfx%lu%lx%lx", version / 10000, version / 100 % 100, version % 100);
    ls_targets_add(there, name);
}

static void read_node(struct ls_targets *there, const char *path)
{
    char line[128];
    unsigned long version;
    FILE *in = fopen(path, "re");
    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "gfx_target_version %lu", &version) == 1)
            add_version(there, version);
    if (in)
        fclose(in);
}

static struct ls_targets gpus_there(const char *gpu)
{
    struct ls_targets there = {0};
    struct ls_gpu_choice c;
    glob_t nodes;
    if (strcmp(gpu, "hw")) {
        if (ls_parse_gpu(gpu, &c) && c.gpu)
            ls_targets_add(&there, c.gpu->name);
        there.features = LS_EMULATED_FEATURES;
        return there;
    }
    if (glob("/sys/class/kfd/kfd/topology/nodes/*/properties", 0, NULL, &nodes))
        return there;
    for (size_t i = 0; i < nodes.gl_pathc; i++)
        read_node(&there, nodes.gl_pathv[i]);
    globfree(&nodes);
    return there;
}

/* ---- the code ---- */

struct search {
    const struct ls_targets *there;
    struct ls_held_code code; /* of `holder` */
    char *holder;             /* the first library that holds code, none of which fits; malloc'd */
    bool fits;                /* another library's does, or may */
};

static void look_at(void *context, const char *name, const char *path)
{
    struct search *s = context;
    struct ls_held_code code;
    (void)name;
    if (s->fits || !ls_held_code(path, s->there, &code))
        return;
    s->fits = code.fits;
    if (!s->holder && !code.fits) {
        s->code = code;
        s->holder = realpath(path, NULL);
    }
}

/* Whether the program cannot do without code that fits, and has none: its own, and if it has none at all, that of the
 * libraries that it is linked with. */
static bool holds_only_other_code(struct search *s, const char *program)
{
    if (ls_held_code(program, s->there, &s->code)) {
        s->holder = strdup(program);
        return !s->code.fits;
    }
    each_library(program, look_at, s);
    return s->holder && !s->fits && !ls_makes_code(program);
}

/* ---- what to do ---- */

static const char *emulated_among(const struct ls_targets *targets)
{
    for (size_t i = 0; i < targets->n; i++)
        if (!strchr(targets->name[i], ':') && ls_gpu_find_emulated(targets->name[i]))
            return targets->name[i];
    return NULL;
}

static void tell(const char *gpu, const struct search *s)
{
    char *held = ls_targets_text(&s->code.held), *there = ls_targets_text(s->there);
    const char *other = emulated_among(&s->code.held);
    message("%s holds code for %s, and the GPU is %s%s; compile it with: lanescope hipcc --offload-arch=%s "
            "...%s%s",
            s->holder, held, there, strcmp(gpu, "hw") ? " (the software GPU)" : "", s->there->name[0],
            other ? ", or run it with --gpu soft:" : "", other ? other : "");
    free(held);
    free(there);
}

int check_code(const char *gpu, const char *program)
{
    const struct ls_targets there = gpus_there(gpu);
    struct search s = {.there = &there};
    const bool wrong = there.n && holds_only_other_code(&s, program);
    if (wrong)
        tell(gpu, &s);
    free(s.holder);
    return wrong ? EXIT_USAGE : 0;
}
