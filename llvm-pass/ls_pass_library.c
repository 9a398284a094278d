/*
 * ls_pass_library.c - clones call copies of their own of functions that get no probes (those of the device
 * libraries, which come without debug information).
 *
 * Code generation deduces attributes across calls and in both directions: a function loses
 * "amdgpu-no-lds-kernel-id" when a kernel that reaches it looks up its LDS in a table (LLVM 17 and later,
 * AMDGPULowerModuleLDSPass), and gets the work-group sizes of its callers (AMDGPUAttributor). Were a function
 * shared, the clones would change in this way what originals pass to it, and so their registers.
 */
#include "ls_pass.h"

#include <string.h>

struct copies {
    struct ls_module *m;
    VEC(LLVMValueRef) from;
    VEC(LLVMValueRef) to; /* copy of from.v[i] */
};

static LLVMValueRef make_copy(struct copies *s, LLVMValueRef from)
{
    size_t length;
    const char *name = LLVMGetValueName2(from, &length);
    char *copied = ls_realloc(NULL, length + sizeof LS_FUNCTION_PREFIX);
    strcpy(stpcpy(copied, LS_FUNCTION_PREFIX), name);
    LLVMValueRef to = LLVMAddFunction(s->m->module, copied, LLVMGlobalGetValueType(from));
    free(copied);
    ls_clone_body(to, from, NULL);
    ls_mark_clone(s->m, to);
    ls_clear_comdat(to);
    LLVMSetVisibility(to, LLVMDefaultVisibility);
    LLVMSetLinkage(to, LLVMInternalLinkage);
    return to;
}

/* The copy of a function that clones may not share; NULL for all others. */
static LLVMValueRef find_copy(struct copies *s, LLVMValueRef called)
{
    for (unsigned i = 0; i < s->from.n; i++)
        if (s->from.v[i] == called)
            return s->to.v[i];
    if (LLVMIsDeclaration(called) || ls_is_intrinsic(called) || ls_is_own_function(called))
        return NULL;
    LLVMValueRef to = make_copy(s, called);
    VEC_PUSH(s->from, called);
    VEC_PUSH(s->to, to);
    return to;
}

static void redirect(struct copies *s, LLVMValueRef function)
{
    FOR_EACH_INSTRUCTION(i, function)
    {
        LLVMValueRef called = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        LLVMValueRef copy = called && LLVMIsAFunction(called) ? find_copy(s, called) : NULL;
        if (copy) /* the called function is the last operand of a call */
            LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, copy);
    }
}

void ls_separate_libraries(struct ls_module *m)
{
    struct copies s = {.m = m};
    for (struct ls_clone *c = m->clones; c; c = c->hh.next)
        if (c->to)
            redirect(&s, c->to);
    for (unsigned i = 0; i < s.to.n; i++) /* grows while it is walked */
        redirect(&s, s.to.v[i]);
    VEC_FREE(s.from);
    VEC_FREE(s.to);
}
