/*
 * runtime.c - asks the loaded ROCr whether it knows a target.
 *
 * There is no interface for that before hsa_init, and hsa_init itself goes on without the GPU ("Agent
 * creation failed") until HIP follows a null pointer. But a ROCr that knows a target has its name in its
 * table of ISAs, as text or inside the instructions that make the text.
 */
#include "runtime.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct search {
    const char *target;
    const char *library; /* path of ROCr; NULL until it is found */
    bool known;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *user)
{
    struct search *s = user;
    const char *base = strrchr(info->dlpi_name, '/');
    (void)size;
    base = base ? base + 1 : info->dlpi_name;
    if (strncmp(base, "libhsa-runtime64.so", 19) != 0)
        return 0;
    s->library = info->dlpi_name;
    for (int i = 0; i < info->dlpi_phnum && !s->known; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && p->p_flags & PF_R && !(p->p_flags & PF_W))
            s->known = memmem((const void *)(info->dlpi_addr + p->p_vaddr), p->p_memsz, s->target,
                              strlen(s->target)) != NULL;
    }
    return 1;
}

bool runtime_knows(const char *target)
{
    struct search s = {.target = target};
    dl_iterate_phdr(look_at, &s);
    if (!s.library || s.known)
        return true;
    char *file = realpath(s.library, NULL);
    dprintf(STDERR_FILENO,
            "lanescope: %s does not know %s: running without a GPU; use soft:gfx90a or a newer ROCm\n",
            file ? file : s.library, target);
    free(file);
    return false;
}
