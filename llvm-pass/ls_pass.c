/*
 * ls_pass.c - the order of work on one module. The code of the originals is never touched (their memory
 * accesses get numbers in the debug locations); see docs/internals/site-table.md for the result.
 */
#include "ls_pass.h"
#include "settings/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ls_no_memory(void)
{
    ls_complain("out of memory");
    abort();
}

void *ls_realloc(void *p, size_t bytes)
{
    p = realloc(p, bytes);
    if (!p)
        ls_no_memory();
    return p;
}

void ls_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("lanescope: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

static void free_module(struct ls_module *m)
{
    struct ls_clone *c, *next;
    HASH_ITER(hh, m->clones, c, next)
    {
        HASH_DEL(m->clones, c);
        free(c);
    }
    struct ls_variable *v, *next_variable;
    HASH_ITER(hh, m->variables, v, next_variable)
    {
        HASH_DEL(m->variables, v);
        free(v);
    }
    ls_free_choice(m);
    ls_free_table(&m->table);
}

struct in_order {
    struct ls_clone *clone;
    unsigned found;
};

/* Those that several kernels reach first; then each kernel, and what it alone reaches. */
static int compare_clones(const void *a, const void *b)
{
    const struct in_order *x = a, *y = b;
    const uint32_t one = x->clone->kernel + 1, other = y->clone->kernel + 1; /* LS_NONE: 0 */
    if (one != other)
        return one < other ? -1 : 1;
    return (x->found > y->found) - (x->found < y->found);
}

/* Sites in the order of which struct ls_site_numbers speaks. */
static void probe_all(struct ls_module *m)
{
    const unsigned n = HASH_COUNT(m->clones);
    struct in_order *all = ls_realloc(NULL, n * sizeof *all);
    unsigned found = 0;
    for (struct ls_clone *c = m->clones; c; c = c->hh.next, found++)
        all[found] = (struct in_order){c, found};
    qsort(all, n, sizeof *all, compare_clones);
    uint32_t shared = 0, skip = 0, before = LS_NONE; /* the kernel of the last one that has sites */
    for (unsigned i = 0; i < n; i++) {
        struct ls_clone *c = all[i].clone;
        if (!c->chosen)
            continue;
        if (c->kernel != before) {
            shared = before == LS_NONE ? m->table.sites.n : shared;
            skip = m->table.sites.n - shared;
        }
        before = c->kernel;
        c->skip = skip;
        ls_probe_function(m, c);
    }
    free(all);
}

static unsigned count_chosen(const struct ls_module *m)
{
    unsigned n = 0;
    for (const struct ls_clone *c = m->clones; c; c = c->hh.next)
        n += c->is_kernel && c->chosen;
    return n;
}

static bool instrument(struct ls_module *m)
{
    if (!ls_collect(m) || !ls_find_target(m, m->clones->from))
        return false;
    const unsigned some = count_chosen(m);
    m->many = some >= LS_MANY_KERNELS;
    if (some && !ls_link_device(m, m->clones->from))
        return false;
    if (some)
        ls_tell_costs(m);
    ls_tag_accesses(m);
    ls_make_clones(m);
    probe_all(m);
    ls_separate_libraries(m);
    if (some)
        ls_prune_device(m);
    ls_emit_table(m);
    if (!some || !ls_generate_beside(m))
        ls_spare_clones(m->module, m->many);
    return true;
}

/* In the environment, because a pass plugin gets no options of its own on all compilers. */
static bool read_setting(enum setting_id id, uint64_t *value)
{
    char *error = NULL;
    const bool ok = setting_read(id, value, &error);
    if (!ok)
        ls_complain("%s; kernels stay uninstrumented", error ? error : "out of memory");
    free(error);
    return ok;
}

static bool read_settings(struct ls_module *m)
{
    uint64_t blocks, beside;
    if (!read_setting(SET_PROBE_BLOCKS, &blocks) || !read_setting(SET_PROBE_BESIDE, &beside))
        return false;
    m->blocks = (enum ls_blocks)blocks;
    m->beside = (enum ls_beside)beside;
    return ls_read_choice(m);
}

static struct ls_module describe(LLVMModuleRef module, void *manager, const struct ls_compiler *compiler)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    return (struct ls_module){
        .module = module,
        .context = context,
        .manager = manager,
        .compiler = compiler,
        .has_debug_info = LLVMGetNamedMetadata(module, "llvm.dbg.cu", strlen("llvm.dbg.cu")) != NULL,
        .i32 = LLVMInt32TypeInContext(context),
        .i64 = LLVMInt64TypeInContext(context),
    };
}

bool ls_run_device(LLVMModuleRef module, void *manager, const struct ls_compiler *compiler)
{
    struct ls_module m = describe(module, manager, compiler);
    return ls_call_device(&m);
}

bool ls_run(LLVMModuleRef module, void *manager, const struct ls_compiler *compiler)
{
    /* The host side of a HIP program is compiled by the same command. */
    if (!ls_starts_with(LLVMGetTarget(module), "amdgcn"))
        return false;
    struct ls_module m = describe(module, manager, compiler);
    bool changed = read_settings(&m) && instrument(&m);
    free_module(&m);
    return changed;
}
