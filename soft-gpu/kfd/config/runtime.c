/*
 * runtime.c - asks the loaded ROCr and HIP whether they know a target.
 *
 * There is no interface for that before hsa_init, and hsa_init itself goes on without the GPU ("Agent
 * creation failed") until HIP follows a null pointer. HIP says "no ROCm-capable device is detected", and why
 * only in its log. But a library that knows a target has its name in its table of ISAs, as text or inside the
 * instructions that make the text.
 */
#include "runtime.h"
#include "common/names.h"
#include "soft-gpu/kfd/report/report.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct search {
    const char *library; /* how its file name begins */
    const char *target;
    const char *path; /* of the library; NULL until it is found */
    bool known;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *user)
{
    struct search *s = user;
    const char *base = ls_base_name(info->dlpi_name);
    (void)size;
    if (strncmp(base, s->library, strlen(s->library)) != 0)
        return 0;
    s->path = info->dlpi_name;
    for (int i = 0; i < info->dlpi_phnum && !s->known; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && p->p_flags & PF_R && !(p->p_flags & PF_W))
            s->known = memmem((const void *)(info->dlpi_addr + p->p_vaddr), p->p_memsz, s->target,
                              strlen(s->target)) != NULL;
    }
    return 1;
}

/* False after a message when the library is loaded and does not know the target. */
static bool knows(const char *library, const char *target, const char *consequence)
{
    struct search s = {.library = library, .target = target};
    dl_iterate_phdr(look_at, &s);
    if (!s.path || s.known)
        return true;
    char *file = realpath(s.path, NULL);
    report_line("%s does not know %s: %s; use soft:%s or a newer ROCm", file ? file : s.path, target,
                consequence, ls_gpu_default()->name);
    free(file);
    return false;
}

bool runtime_knows(const char *target)
{
    if (!knows("libhsa-runtime64.so", target, "running without a GPU"))
        return false;
    /* ROCr goes on alone, for programs that do without HIP. */
    (void)knows("libamdhip64.so", target, "HIP will find no device");
    return true;
}
