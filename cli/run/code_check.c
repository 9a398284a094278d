#include "code_check.h"
#include "cli/common/cli.h"
#include "gpus/gpus.h"
#include "mapped.h"
#include "objects/fat_binary.h"
#include "results/error_text.h"
#include "settings/parse.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the GPUs that are there ---- */

enum { NAMES_MAX = 16, NAME_SIZE = 16 };

struct names {
    char name[NAMES_MAX][NAME_SIZE];
    size_t n;
};

static bool holds(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (!strcmp(names->name[i], name))
            return true;
    return false;
}

static void add_name(struct names *names, const char *name)
{
    if (names->n < NAMES_MAX && !holds(names, name))
        snprintf(names->name[names->n++], NAME_SIZE, "%s", name);
}

/* The driver's number of a target: 90010 is gfx90a, and 0 stands for a CPU (struct ls_gpu, version). */
static void add_version(struct names *names, unsigned long version)
{
    char name[NAME_SIZE];
    if (!version || version > 999999)
        return;
    snprintf(name, sizeof name, "gfx%lu%lx%lx", version / 10000, version / 100 % 100, version % 100);
    add_name(names, name);
}

static void read_node(struct names *names, const char *path)
{
    char line[128];
    unsigned long version;
    FILE *in = fopen(path, "re");
    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "gfx_target_version %lu", &version) == 1)
            add_version(names, version);
    if (in)
        fclose(in);
}

static struct names gpus_there(const char *gpu)
{
    struct names names = {0};
    struct ls_gpu_choice c;
    glob_t nodes;
    if (strcmp(gpu, "hw")) {
        if (ls_parse_gpu(gpu, &c) && c.gpu)
            add_name(&names, c.gpu->name);
        return names;
    }
    if (glob("/sys/class/kfd/kfd/topology/nodes/*/properties", 0, NULL, &nodes))
        return names;
    for (size_t i = 0; i < nodes.gl_pathc; i++)
        read_node(&names, nodes.gl_pathv[i]);
    globfree(&nodes);
    return names;
}

/* ---- the program's code ---- */

struct search {
    struct names there, held;
    bool fits;
};

/* Whether a target may be the code of a GPU of that name. Features are the runtime's to compare; what is no name of one GPU, as
 * the generic targets, may fit. */
static void look_at(void *context, const char *target)
{
    struct search *s = context;
    char name[NAME_SIZE];
    size_t n = strcspn(target, ":");
    bool one = !strncmp(target, "gfx", 3) && n > 3 && n < sizeof name &&
               3 + strspn(target + 3, "0123456789abcdef") == n;
    if (one) {
        snprintf(name, sizeof name, "%.*s", (int)n, target);
        add_name(&s->held, name);
    }
    s->fits |= !one || holds(&s->there, name);
}

/* Whether the program's code can be told, and what was seen is in `s`. */
static bool read_program(struct search *s, const char *program)
{
    struct mapped m;
    if (!map_file(program, &m))
        return false;
    bool told = ls_fat_binary(m.bytes, m.size, look_at, s);
    unmap_file(&m);
    return told;
}

/* ---- what to do ---- */

/* "gfx906 and gfx908"; malloc'd. */
static char *listed(const struct names *names)
{
    char *text = strdup("");
    for (size_t i = 0; i < names->n && text; i++) {
        const char *between = !i ? "" : i + 1 < names->n ? ", " : " and ";
        char *longer = ls_text("%s%s%s", text, between, names->name[i]);
        free(text);
        text = longer;
    }
    return text;
}

static const char *emulated_among(const struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (ls_gpu_find_emulated(names->name[i]))
            return names->name[i];
    return NULL;
}

int check_code(const char *gpu, const char *program)
{
    struct search s = {.there = gpus_there(gpu)};
    if (!s.there.n || !read_program(&s, program) || s.fits)
        return 0;
    char *held = listed(&s.held), *there = listed(&s.there);
    const char *other = emulated_among(&s.held);
    message("%s holds code for %s, and the GPU is %s%s; compile it with: lanescope hipcc --offload-arch=%s "
            "...%s%s",
            program, held, there, strcmp(gpu, "hw") ? " (the software GPU)" : "", s.there.name[0],
            other ? ", or run it with --gpu soft:" : "", other ? other : "");
    free(held);
    free(there);
    return EXIT_USAGE;
}
