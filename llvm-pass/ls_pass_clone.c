/*
 * ls_pass_clone.c - which functions get a copy with probes, and making the copies.
 *
 * Each kernel k gets a copy __ls_k_<k> with one more parameter behind its own, the address of struct ls_ctx.
 * Device functions that kernels reach by direct calls get a copy __ls_f_<f> with one more parameter, the
 * address of the wavefront's struct ls_wave.
 */
#include "ls_pass.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>

/* Attribute on originals and clones alike, so that a second run (compiler and linker) leaves both alone. */
#define DONE "lanescope"

bool ls_starts_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

struct ls_clone *ls_find_clone(struct ls_module *m, LLVMValueRef from)
{
    struct ls_clone *c;
    HASH_FIND_PTR(m->clones, &from, c);
    return c;
}

LLVMValueRef ls_called_function(LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    while (f && LLVMIsAGlobalAlias(f))
        f = LLVMAliasGetAliasee(f);
    return f && LLVMIsAFunction(f) ? f : NULL;
}

bool ls_is_intrinsic(LLVMValueRef function)
{
    /* "llvm." is reserved for intrinsics: one without number is of a newer LLVM, whose text this one has
     * read. */
    return LLVMGetIntrinsicID(function) != 0 || ls_starts_with(LLVMGetValueName(function), "llvm.");
}

bool ls_is_debug_call(LLVMValueRef i)
{
    LLVMValueRef f = LLVMGetInstructionOpcode(i) == LLVMCall ? ls_called_function(i) : NULL;
    return f && ls_starts_with(LLVMGetValueName(f), "llvm.dbg.");
}

static bool has_attribute(LLVMValueRef function, const char *name)
{
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name,
                                         (unsigned)strlen(name)) != NULL;
}

/* ---- calls through pointers ---- */

static bool is_direct_call(LLVMValueRef user, LLVMValueRef f)
{
    if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != f)
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
        if (LLVMGetOperand(user, i) == f)
            return false;
    return true;
}

static bool address_taken(LLVMValueRef f)
{
    for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u))
        if (!is_direct_call(LLVMGetUser(u), f))
            return true;
    return false;
}

unsigned ls_call_targets(struct ls_module *m, LLVMValueRef call, LLVMValueRef out[LS_MAX_TARGETS])
{
    unsigned n = 0;
    if (ls_called_function(call) || LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
        return 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f && n <= LS_MAX_TARGETS;
         f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || LLVMGlobalGetValueType(f) != LLVMGetCalledFunctionType(call) ||
            LLVMGetFunctionCallConv(f) != LLVMGetInstructionCallConv(call) || has_attribute(f, DONE) ||
            !address_taken(f))
            continue;
        if (n < LS_MAX_TARGETS)
            out[n] = f;
        n++;
    }
    return n;
}

/* ---- what to clone ---- */

static struct ls_clone *add_clone(struct ls_module *m, LLVMValueRef from, bool is_kernel)
{
    struct ls_clone *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    c->from = from;
    c->is_kernel = is_kernel;
    c->kernel = LS_NONE;
    HASH_ADD_PTR(m->clones, from, c);
    return c;
}

/* Kernels whose arguments the compiler itself extended (preloaded hidden arguments) have no room for one
 * more. */
static bool has_hidden_parameter(LLVMValueRef kernel)
{
    static const char name[] = "amdgpu-hidden-argument";
    for (unsigned i = 0; i < LLVMCountParams(kernel); i++)
        if (LLVMGetStringAttributeAtIndex(kernel, i + 1, name, sizeof name - 1))
            return true;
    return false;
}

static void add_callee(struct ls_module *m, struct ls_clone *caller, LLVMValueRef call)
{
    LLVMValueRef f = ls_called_function(call), targets[LS_MAX_TARGETS];
    if (!f) {
        if (!LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
            caller->kernel_flags |= LS_KERNEL_INDIRECT_CALLS;
        unsigned n = ls_call_targets(m, call, targets);
        for (unsigned i = 0; n <= LS_MAX_TARGETS && i < n; i++)
            if (!ls_find_clone(m, targets[i]))
                add_clone(m, targets[i], false);
    } else if (ls_is_intrinsic(f)) {
        return;
    } else if (LLVMIsDeclaration(f)) {
        caller->kernel_flags |= LS_KERNEL_EXTERNAL_CALLS;
    } else if (!ls_find_clone(m, f)) {
        add_clone(m, f, false);
    }
}

/* Functions of the device libraries (ocml, ockl) come without debug information: no line could be named. They
 * are listed, not cloned, unless the whole module has no debug information. */
static bool is_library(struct ls_module *m, const struct ls_clone *c)
{
    return !c->is_kernel && m->has_debug_info && !LLVMGetSubprogram(c->from);
}

static bool is_call(LLVMValueRef i)
{
    return LLVMGetInstructionOpcode(i) == LLVMCall;
}

/* Marks everything that `c` reaches as reached by kernel `k`, `chosen` if that is, and gathers the flags. */
static uint32_t reach(struct ls_module *m, struct ls_clone *c, unsigned k, bool chosen)
{
    if (c->visit == k + 1)
        return 0;
    c->kernel = c->visit ? LS_NONE : k;
    c->visit = k + 1;
    c->chosen |= chosen;
    uint32_t flags = c->kernel_flags;
    if (is_library(m, c))
        return flags;
    FOR_EACH_INSTRUCTION(i, c->from)
    {
        LLVMValueRef targets[LS_MAX_TARGETS], f = is_call(i) ? ls_called_function(i) : NULL;
        unsigned n = f || !is_call(i) ? 0 : ls_call_targets(m, i, targets);
        if (f)
            targets[n++] = f;
        for (unsigned t = 0; n <= LS_MAX_TARGETS && t < n; t++) {
            struct ls_clone *callee = ls_find_clone(m, targets[t]);
            if (callee)
                flags |= reach(m, callee, k, chosen);
        }
    }
    return flags;
}

bool ls_collect(struct ls_module *m)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMGetFunctionCallConv(f) != LLVMAMDGPUKERNELCallConv || LLVMIsDeclaration(f) ||
            has_attribute(f, DONE))
            continue;
        if (has_hidden_parameter(f)) {
            ls_complain("kernel %s: its hidden arguments are preloaded; it stays uninstrumented",
                        LLVMGetValueName(f));
            continue;
        }
        add_clone(m, f, true)->chosen = ls_is_chosen(m, f);
    }
    /* The list grows while it is walked. */
    for (struct ls_clone *c = m->clones; c; c = c->hh.next) {
        if (is_library(m, c))
            continue;
        FOR_EACH_INSTRUCTION(i, c->from)
        if (is_call(i))
            add_callee(m, c, i);
    }
    return m->clones != NULL;
}

/* ---- static LDS ---- */

typedef VEC(LLVMValueRef) value_vec;

typedef VEC(const struct ls_clone *) clone_vec;

/* A variable in LDS, the functions that use it, kernels apart, and how many kernels reach it through these. */
struct lds {
    LLVMValueRef variable;
    clone_vec functions;
    unsigned kernels;
};

typedef VEC(struct lds) lds_vec;

static void find_functions(struct ls_module *m, LLVMValueRef value, clone_vec *functions)
{
    for (LLVMUseRef u = LLVMGetFirstUse(value); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAInstruction(user)) {
            if (LLVMIsAConstantExpr(user))
                find_functions(m, user, functions);
            continue;
        }
        struct ls_clone *c = ls_find_clone(m, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
        if (c && !c->is_kernel)
            VEC_PUSH(*functions, c);
    }
}

/* Whether functions that the last call of reach() found (those of kernel number `kernel`) use the variable. */
static bool functions_use(const struct lds *lds, unsigned kernel)
{
    for (unsigned i = 0; i < lds->functions.n; i++)
        if (lds->functions.v[i]->visit == kernel + 1)
            return true;
    return false;
}

/* Numbers the kernels, and finds what each of them reaches. */
static void reach_all(struct ls_module *m, lds_vec *lds)
{
    unsigned k = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(m->module); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3 && LLVMGetInitializer(g))
            VEC_PUSH(*lds, (struct lds){.variable = g});
    for (unsigned i = 0; i < lds->n; i++)
        find_functions(m, lds->v[i].variable, &lds->v[i].functions);
    for (struct ls_clone *c = m->clones; c; c = c->hh.next) {
        if (!c->is_kernel)
            continue;
        c->reached_flags = reach(m, c, k, c->chosen);
        for (unsigned i = 0; i < lds->n; i++)
            lds->v[i].kernels += functions_use(&lds->v[i], k);
        k++;
    }
}

/*
 * From LLVM 17 on (AMDGPULowerModuleLDSPass), LDS that functions use is laid out by the number of kernels
 * that reach it. With one kernel it becomes part of that kernel's LDS; there, and where kernels use it
 * directly, the clones get variables of their own, because a second kernel would change how the original
 * finds it. With several, it becomes part of a struct that these kernels share, or its address is looked up
 * in a table with one column per variable: there the clones share it, because a further variable would change
 * the choice or the columns; twice as many kernels of each variable do not. LLVM 15 puts all such LDS into
 * one struct for all kernels: copies would enlarge the originals, and sharing is exact. One prefix for all
 * keeps the order of the names, which decides the layout among variables of the same alignment and size.
 */
static void copy_lds(const lds_vec *lds, value_vec *old, value_vec *copies)
{
    if (ls_built_major < 17)
        return;
    for (unsigned i = 0; i < lds->n; i++)
        if (lds->v[i].kernels < 2)
            VEC_PUSH(*old, lds->v[i].variable);
    for (unsigned i = 0; i < old->n; i++) {
        char name[4096];
        snprintf(name, sizeof name, LS_LDS_PREFIX "%s", LLVMGetValueName(old->v[i]));
        LLVMValueRef copy = ls_copy_global(old->v[i], name);
        VEC_PUSH(*copies, copy);
    }
}

static void drop_unused(value_vec *copies)
{
    for (unsigned i = 0; i < copies->n; i++)
        if (!LLVMGetFirstUse(copies->v[i]))
            LLVMDeleteGlobal(copies->v[i]);
}

/* ---- kernel argument block ---- */

static uint64_t attribute_value(LLVMValueRef f, LLVMAttributeIndex index, const char *name)
{
    LLVMAttributeRef a =
        LLVMGetEnumAttributeAtIndex(f, index, LLVMGetEnumAttributeKindForName(name, strlen(name)));
    return a ? LLVMGetEnumAttributeValue(a) : 0;
}

/* Size of the explicit arguments, rounded up to 8: there the hidden arguments of the original start, and
 * there the clone has its extra pointer. As AMDGPUSubtarget::getExplicitKernArgSize. */
static uint32_t context_offset(struct ls_module *m, LLVMValueRef kernel)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(m->module);
    unsigned byref = LLVMGetEnumAttributeKindForName("byref", strlen("byref"));
    uint64_t at = 0;
    for (unsigned i = 0; i < LLVMCountParams(kernel); i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(kernel, i));
        uint64_t align = 0;
        LLVMAttributeRef by = LLVMGetEnumAttributeAtIndex(kernel, i + 1, byref);
        if (by) {
            type = LLVMGetTypeAttributeValue(by);
            align = attribute_value(kernel, i + 1, "align");
        }
        if (!align)
            align = LLVMABIAlignmentOfType(layout, type);
        at = (at + align - 1) / align * align + LLVMABISizeOfType(layout, type);
    }
    return (uint32_t)((at + 7) & ~7ull);
}

/* ---- making clones ---- */

static LLVMValueRef declare(struct ls_module *m, const struct ls_clone *c)
{
    unsigned n = LLVMCountParams(c->from);
    LLVMTypeRef type = LLVMGlobalGetValueType(c->from), *params = ls_realloc(NULL, (n + 1) * sizeof *params);
    LLVMGetParamTypes(type, params);
    params[n] = c->is_kernel ? LLVMPointerTypeInContext(m->context, /* global memory */ 1) : m->i64;
    size_t len;
    const char *from = LLVMGetValueName2(c->from, &len),
               *prefix = c->is_kernel ? LS_CLONE_PREFIX : LS_FUNCTION_PREFIX;
    char *name = ls_realloc(NULL, len + strlen(prefix) + 1);
    strcpy(stpcpy(name, prefix), from);
    LLVMValueRef f =
        LLVMAddFunction(m->module, name,
                        LLVMFunctionType(LLVMGetReturnType(type), params, n + 1, LLVMIsFunctionVarArg(type)));
    free(name);
    free(params);
    return f;
}

static void remove_attribute(LLVMValueRef f, const char *name)
{
    LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
}

static void mark(struct ls_module *m, LLVMValueRef f, const char *value)
{
    LLVMAddAttributeAtIndex(
        f, LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(m->context, DONE, (unsigned)strlen(DONE), value, (unsigned)strlen(value)));
}

void ls_mark_clone(struct ls_module *m, LLVMValueRef f)
{
    mark(m, f, "clone");
}

bool ls_is_own_function(LLVMValueRef f)
{
    return has_attribute(f, DONE) || ls_starts_with(LLVMGetValueName(f), "__ls_");
}

/* As LLVM sees it, where inline assembly is a call of something unknown. */
static bool calls_functions(LLVMValueRef f)
{
    FOR_EACH_INSTRUCTION(i, f)
    {
        LLVMValueRef called = is_call(i) ? ls_called_function(i) : NULL;
        if (is_call(i) && !(called && ls_is_intrinsic(called)))
            return true;
    }
    return false;
}

/* LLVM 15 gives the LDS of all functions to each kernel that calls any function. The clone's calls of the
 * device library must not count: if the original gets none of it, the clone gets none. */
static void keep_out_module_lds(struct ls_module *m, const struct ls_clone *c)
{
    static const char name[] = "amdgpu-elide-module-lds";
    if (ls_built_major < 17 && c->is_kernel && !calls_functions(c->from))
        LLVMAddAttributeAtIndex(c->to, LLVMAttributeFunctionIndex,
                                LLVMCreateStringAttribute(m->context, name, sizeof name - 1, "", 0));
}

/* AMDGPUAttributor may have run already. Only what __ls_enter reads is taken back: with more, the clone would
 * get more hidden arguments than the original has. */
static void set_attributes(struct ls_module *m, const struct ls_clone *c)
{
    static const char *const used[] = {
        "amdgpu-no-workgroup-id-x", "amdgpu-no-workgroup-id-y", "amdgpu-no-workgroup-id-z",
        "amdgpu-no-workitem-id-x",  "amdgpu-no-workitem-id-y",  "amdgpu-no-workitem-id-z",
        "amdgpu-waves-per-eu", /* would make the probes' registers spill; nobody measures the clone's
                                  occupancy */
    };
    ls_strip_memory_attributes(c->to);
    if (c->is_kernel)
        for (unsigned i = 0; i < sizeof used / sizeof *used; i++)
            remove_attribute(c->to, used[i]);
    ls_mark_clone(m, c->to);
    if (c->is_kernel)
        mark(m, c->from, "original");
}

static void set_linkage(const struct ls_clone *c)
{
    ls_clear_comdat(c->to);
    LLVMLinkage linkage = LLVMGetLinkage(c->from);
    bool once = linkage == LLVMWeakODRLinkage || linkage == LLVMLinkOnceODRLinkage ||
                linkage == LLVMWeakAnyLinkage || linkage == LLVMLinkOnceAnyLinkage;
    LLVMSetVisibility(c->to, LLVMDefaultVisibility);
    if (!c->is_kernel) {
        LLVMSetLinkage(c->to, LLVMInternalLinkage);
        return;
    }
    LLVMSetLinkage(c->to, once ? LLVMWeakODRLinkage : LLVMExternalLinkage);
    LLVMSetVisibility(c->to, LLVMProtectedVisibility);
}

static void set_seen(struct ls_module *m, LLVMValueRef f, bool seen)
{
    unsigned kind = LLVMGetMDKindIDInContext(m->context, "lanescope.seen", strlen("lanescope.seen"));
    LLVMValueRef node = LLVMMetadataAsValue(m->context, LLVMMDNodeInContext2(m->context, NULL, 0));
    FOR_EACH_INSTRUCTION(i, f)
    LLVMSetMetadata(i, kind, seen ? node : NULL);
}

/* The accesses of the clone become those of the original's machine code. Done before the probes go in, so
 * that these see the accesses that the hardware gets; afterwards the probes' stores would be in the way.
 * Code generation expands atomics, puts private arrays into LDS, keeps values that were loaded on some ways
 * to a load (so that it loads on the others only), expands masked accesses, merges neighbouring accesses, and
 * then moves loads into the one branch that needs their values; before loops it has made a block of its own,
 * where these can go. Accesses without the mark "lanescope.seen" were merged. Without optimisation it does
 * nothing of this but expand atomics. */
static void place_accesses(struct ls_module *m, const struct ls_clone *c)
{
    unsigned level = ls_code_level(m->compiler, c->to);
    void *lines = ls_keep_lines(c->to);
    set_seen(m, c->to, true);
    ls_expand_atomics(m->manager, m->compiler, c->to);
    set_seen(m, c->to, true);
    ls_promote_arrays(m->manager, m->compiler, c->to);
    ls_remove_partial_loads(m->manager, m->compiler, c->to);
    set_seen(m, c->to, true);
    ls_expand_masked(m->manager, m->compiler, c->to);
    set_seen(m, c->to, true);
    ls_put_lines_back(lines, c->to);
    if (level >= 2)
        ls_merge_accesses(m->manager, m->compiler, c->to);
    if (level) {
        ls_run_pipeline(m->manager, m->compiler, c->to, "loop-simplify,sink");
        while (ls_sink_transposed(m->manager, c->to))
            ls_run_pipeline(m->manager, m->compiler, c->to, "sink");
    }
    ls_find_own_loads(c->to);
}

static void tag_access(struct ls_module *m, LLVMValueRef instruction)
{
    struct ls_access a[LS_MAX_ACCESSES];
    if (!ls_classify(m, instruction, a) && !ls_is_masked(instruction))
        return;
    ls_give_line(instruction);
    ls_set_tag(instruction, ++m->n_tags);
    ls_place_load_at(instruction);
}

void ls_tag_accesses(struct ls_module *m)
{
    for (struct ls_clone *c = m->clones; c; c = c->hh.next) {
        if (is_library(m, c))
            continue;
        ls_find_early_lines(m->compiler, c->from);
        FOR_EACH_INSTRUCTION(i, c->from) tag_access(m, i);
    }
}

/* A function without clone. */
static void leave_out(struct ls_module *m, const struct ls_clone *c)
{
    if (is_library(m, c))
        return;
    ls_forget_lines(c->from);
    if (c->is_kernel)
        mark(m, c->from, "original");
}

void ls_make_clones(struct ls_module *m)
{
    lds_vec lds = {0};
    value_vec old = {0}, copies = {0};
    reach_all(m, &lds);
    copy_lds(&lds, &old, &copies);
    void *noted = ls_note_copies(old.v, copies.v, old.n);
    for (struct ls_clone *c = m->clones; c; c = c->hh.next)
        if (c->chosen && !is_library(m, c))
            c->to = declare(m, c);
    for (struct ls_clone *c = m->clones; c; c = c->hh.next) {
        if (c->is_kernel)
            ls_add_kernel(m, c, context_offset(m, c->from),
                          c->reached_flags | (c->chosen ? 0 : LS_KERNEL_LEFT_OUT));
        if (!c->to) {
            leave_out(m, c);
            continue;
        }
        ls_clone_body(c->to, c->from, noted);
        ls_forget_lines(c->from);
        if (m->blocks)
            ls_mark_blocks(m, c->to);
        place_accesses(m, c); /* as long as the clone has the attributes of the original */
        set_attributes(m, c);
        keep_out_module_lds(m, c);
        set_linkage(c);
    }
    ls_forget_copies(noted);
    drop_unused(&copies);
    for (unsigned i = 0; i < lds.n; i++)
        VEC_FREE(lds.v[i].functions);
    VEC_FREE(lds);
    VEC_FREE(old);
    VEC_FREE(copies);
}
