/*
 * The libraries that the program is linked with are searched for the target's name: a library that knows a target has its
 * name in its table of ISAs, as text or inside the instructions that make the text (soft-gpu/kfd/config/runtime.c does the
 * same with loaded ones).
 */
#include "runtime_check.h"
#include "libraries.h"
#include "objects/mapped.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool knows(const char *library, const char *target)
{
    struct mapped m;
    size_t n;
    bool found = false;
    if (!map_file(library, &m))
        return true; /* not to be told */
    const Elf64_Phdr *p = mapped_headers(&m, &n);
    bool readable = p != NULL;
    for (; n && !found; n--, p++)
        if (p->p_type == PT_LOAD && p->p_flags & PF_R && !(p->p_flags & PF_W) && mapped_holds(&m, p))
            found = memmem(m.bytes + p->p_offset, p->p_filesz, target, strlen(target)) != NULL;
    unmap_file(&m);
    return found || !readable;
}

struct search {
    const char *target;
    char *found;
};

static void look_at(void *context, const char *name, const char *path)
{
    static const char *const runtimes[] = {"libhsa-runtime64.so", "libamdhip64.so"};
    struct search *s = context;
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes && !s->found; i++)
        if (!strncmp(name, runtimes[i], strlen(runtimes[i])) && !knows(path, s->target))
            s->found = realpath(path, NULL);
}

char *runtime_without(const char *program, const char *target)
{
    struct search s = {target, NULL};
    each_library(program, look_at, &s);
    return s.found;
}
