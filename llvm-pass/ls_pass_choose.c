/*
 * ls_pass_choose.c - which kernels get a clone, where the user names some: what a clone costs the compiler, the others need not pay.
 */
#include "common/demangle.h"
#include "ls_pass.h"
#include "settings/parse.h"
#include "settings/table.h"

/* As every plugin is C++ in part, the run-time library is there. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

bool ls_read_choice(struct ls_module *m)
{
    const char *text = setting_text(SET_PROBE_KERNELS);
    char *normal = NULL, why[256];
    if (!*text)
        return true;
    const char *wrong = setting_check(SET_PROBE_KERNELS, text, &normal);
    free(normal);
    m->choice = wrong ? NULL : ls_realloc(NULL, sizeof *m->choice);
    if (m->choice && ls_parse_regex(text, m->choice, why, sizeof why))
        return true;
    free(m->choice);
    m->choice = NULL;
    char *error = setting_error(SET_PROBE_KERNELS, text, wrong);
    ls_complain("%s; kernels stay uninstrumented", error ? error : "out of memory");
    free(error);
    return false;
}

bool ls_is_chosen(const struct ls_module *m, LLVMValueRef kernel)
{
    if (!m->choice)
        return true;
    char *name = ls_demangle_by(__cxa_demangle, LLVMGetValueName(kernel));
    if (!name)
        ls_no_memory();
    const bool chosen = !regexec(m->choice, name, 0, NULL, 0);
    free(name);
    return chosen;
}

void ls_free_choice(struct ls_module *m)
{
    if (m->choice)
        regfree(m->choice);
    free(m->choice);
    m->choice = NULL;
}
