/* held.c - looks into the files of what is loaded: the section with the code is found by the file's headers. */
#include "held.h"
#include "objects/held_code.h"
#include "soft-gpu/kfd/report/report.h"

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct search {
    struct ls_targets there;
    struct ls_held_code code; /* of the first that holds code */
    char *holder;             /* malloc'd */
    bool fits;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *user)
{
    struct search *s = user;
    struct ls_held_code code;
    const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe"; /* the program's has no name */
    (void)size;
    if (!ls_held_code(path, &s->there, &code)) {
        s->fits |= !*info->dlpi_name && ls_makes_code(path);
        return s->fits;
    }
    s->fits |= code.fits;
    if (!s->holder) {
        s->code = code;
        s->holder = realpath(path, NULL);
    }
    return s->fits;
}

void tell_other_code(const char *target)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    struct search s = {0};
    const int error = errno;
    if (atomic_flag_test_and_set(&told))
        return;
    ls_targets_add(&s.there, target);
    s.there.features = LS_EMULATED_FEATURES;
    dl_iterate_phdr(look_at, &s);
    char *held = s.holder && !s.fits ? ls_targets_text(&s.code.held) : NULL;
    if (held)
        report_line(
            "%s holds code for %s, and the GPU is %s (the software GPU); compile it with: lanescope hipcc "
            "--offload-arch=%s ...",
            s.holder, held, target, target);
    free(held);
    free(s.holder);
    errno = error;
}
