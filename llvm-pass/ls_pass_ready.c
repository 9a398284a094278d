/*
 * ls_pass_ready.c - gives functions of the device library the machine code that was made of them when the
 * plugin was built (device_code.c), so that not every file compiles them again.
 *
 * Such a function keeps its declaration, and its body becomes inline assembly that lists the registers which
 * it changes. So code generation knows of it all that it would find out from the body, and gives the clones
 * the same code. What only these functions call lies together in one more function, the cold code.
 */
#include "device_code.h"
#include "ls_pass.h"
#include "ls_ready.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The cold code begins this many bytes behind its function's start: code generation puts waits in front, of a
 * length that depends on its version. */
#define COLD_OFFSET 64

typedef VEC(char) text_vec;

__attribute__((format(printf, 2, 3))) static void add(text_vec *text, const char *format, ...)
{
    char piece[96];
    va_list args;
    va_start(args, format);
    vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    for (const char *p = piece; *p; p++)
        VEC_PUSH(*text, *p);
}

/* A byte of a string: as it is where neither assemblers nor inline assembly read more out of it. */
static void add_byte(text_vec *text, unsigned char byte)
{
    if (byte >= ' ' && byte <= '~' && !strchr("\"\\${|}", byte)) {
        VEC_PUSH(*text, (char)byte);
        return;
    }
    VEC_PUSH(*text, '\\');
    for (int shift = 6; shift >= 0; shift -= 3)
        VEC_PUSH(*text, (char)('0' + (byte >> shift & 7)));
}

static void add_string(text_vec *text, const uint32_t *words, uint32_t n)
{
    add(text, "\n\t.ascii \"");
    for (uint32_t i = 0; i < n; i++)
        for (int shift = 0; shift < 32; shift += 8)
            add_byte(text, (unsigned char)(words[i] >> shift));
    VEC_PUSH(*text, '"');
}

/* Operand 0 of the text is the cold code's function. What lies between references is a string: assemblers take their time for
 * each number. */
static void add_words(text_vec *text, const struct ls_ready_function *ready)
{
    const struct ls_ready_reference *r = ready->references, *end = r + ready->n_references;
    for (uint32_t i = 0, next; i < ready->n_words; i = next) {
        next = r < end ? r->word : ready->n_words;
        if (next > i) {
            add_string(text, ready->words + i, next - i);
            continue;
        }
        add(text, "\n\t.long ${0:c}@rel32@%s+%u", r->high ? "hi" : "lo", r->target + COLD_OFFSET);
        r++;
        next = i + 1;
    }
    VEC_PUSH(*text, 0);
}

static void replace(LLVMValueRef f, const struct ls_ready_function *ready, LLVMValueRef cold)
{
    text_vec text = {0};
    add_words(&text, ready);
    ls_replace_by_assembly(f, text.v, ready->clobbers, ready->n_references ? cold : NULL, ready->scratch);
    VEC_FREE(text);
}

/* In a process that makes many modules the same text serves all; kept as long as that. */
static struct {
    bool wanted;
    const struct ls_ready_function *of;
    text_vec text;
} apart;

void ls_keep_cold_apart(void)
{
    apart.wanted = true;
}

const char *ls_cold_apart(void)
{
    return apart.of ? apart.text.v : "";
}

static void add_cold(text_vec *text, const struct ls_ready_function *ready)
{
    add(text, "\n\ts_nop 0\n\t.p2align %d", __builtin_ctz(COLD_OFFSET));
    add_words(text, ready);
}

static void set_apart(const struct ls_ready_function *ready)
{
    if (apart.of == ready)
        return;
    apart.of = ready;
    apart.text.n = 0;
    add_cold(&apart.text, ready);
}

static LLVMValueRef make_cold(struct ls_module *m, const struct ls_ready_function *ready)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(m->context), NULL, 0, false);
    LLVMValueRef cold = LLVMAddFunction(m->module, LS_COLD_CODE, type);
    LLVMSetAlignment(cold, COLD_OFFSET);
    ls_adapt_device(m, cold, m->clones->from);
    if (apart.wanted) {
        set_apart(ready);
        ls_replace_by_assembly(cold, "\n" LS_COLD_STAND_IN, "", NULL, 0);
        return cold;
    }
    text_vec text = {0};
    add_cold(&text, ready);
    ls_replace_by_assembly(cold, text.v, "", NULL, 0);
    VEC_FREE(text);
    return cold;
}

/* Whether code for the processor as it is by default does for these kernels. Modes with two states and a
 * default for both (xnack, sramecc) are no question, neither is one that asks for less (cumode). */
static bool fits(const struct ls_module *m)
{
    static const char *const other[] = {"+tgsplit", "+precise-memory"};
    const char *features = ls_function_attribute(m->clones->from, "target-features");
    for (unsigned i = 0; features && i < sizeof other / sizeof *other; i++)
        if (strstr(features, other[i]))
            return false;
    return m->wave32 == (m->family->lanes == 32);
}

/* Whether a function leaves such a register as it was by the calling convention: LLVM's AMDGPUUsage, "Non-Kernel Functions", of which
 * LLVM 22 has changed the scalar ones (AMDGPUCallingConv.td, CSR_AMDGPU_SGPRs). */
static bool is_preserved(char kind, unsigned number)
{
    if (kind == 'v')
        return number >= 40 && (number - 40) % 16 < 8;
    return kind == 's' && number >= 30 &&
           (ls_built_major < 22 || number < 32 || number % 16 < 8 || number >= 104);
}

static bool keeps_convention(const struct ls_ready_function *ready)
{
    char kind;
    unsigned number;
    for (const char *at = ready->clobbers; (at = strchr(at, '{')); at++)
        if (sscanf(at, "{%c%u}", &kind, &number) == 2 && is_preserved(kind, number))
            return false;
    return true;
}

static bool is_called(const struct ls_module *m, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(m->module, name);
    return f && LLVMGetFirstUse(f);
}

static bool calls_elsewhere(const struct ls_module *m)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f))
        if (LLVMIsDeclaration(f) && !ls_is_intrinsic(f) && LLVMGetFirstUse(f))
            return true;
    return false;
}

/* Whether there is a call of which only the program knows where it goes: perhaps into another code object, as where another
 * file makes the objects whose virtual functions are called here. */
static bool calls_through_pointers(const struct ls_module *m)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f)) {
        FOR_EACH_INSTRUCTION(i, f)
        if (LLVMGetInstructionOpcode(i) == LLVMCall && !ls_called_function(i) &&
            !LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
            return true;
    }
    return false;
}

static void set_all(struct ls_module *m, const char *name)
{
    LLVMAttributeRef a = LLVMCreateStringAttribute(m->context, name, (unsigned)strlen(name), "", 0);
    for (struct ls_clone *c = m->clones; c; c = c->hh.next)
        if (c->to)
            LLVMAddAttributeAtIndex(c->to, LLVMAttributeFunctionIndex, a);
}

/* LLVM 15 takes it that who calls a function that it has to leave alone needs all that a kernel can be handed. Says of clones
 * what they do not need, as nobody in the module does; false where that is not plain. */
static bool need_little(struct ls_module *m)
{
    static const struct {
        const char *intrinsic, *attribute;
    } needs[] = {{"llvm.amdgcn.dispatch.ptr", "amdgpu-no-dispatch-ptr"},
                 {"llvm.amdgcn.dispatch.id", "amdgpu-no-dispatch-id"}};
    static const char *const never[] = {"amdgpu-no-queue-ptr", "amdgpu-no-implicitarg-ptr",
                                        "amdgpu-no-hostcall-ptr", "amdgpu-no-heap-ptr",
                                        "amdgpu-no-multigrid-sync-arg"};
    static const char *const callers[] = {"llvm.amdgcn.implicitarg.ptr", "llvm.amdgcn.queue.ptr", "llvm.trap",
                                          "llvm.debugtrap", "llvm.ubsantrap"};
    if (calls_elsewhere(m) || calls_through_pointers(m))
        return false;
    for (unsigned i = 0; i < sizeof callers / sizeof *callers; i++)
        if (is_called(m, callers[i]))
            return false;
    for (unsigned i = 0; i < sizeof never / sizeof *never; i++)
        set_all(m, never[i]);
    for (unsigned i = 0; i < sizeof needs / sizeof *needs; i++)
        if (!is_called(m, needs[i].intrinsic))
            set_all(m, needs[i].attribute);
    return true;
}

/* Whether code that was made for `cpu` is that of the module's processor. */
static bool is_for(const struct ls_module *m, const char *cpu)
{
    const char *too = m->family->ready_too;
    return !strcmp(cpu, m->cpu) || (too && !strcmp(too, m->cpu) && !strcmp(cpu, m->family->ready));
}

/* Optimised code knows what the function does to each register; other code takes it that all keep to the convention. */
static LLVMValueRef ready_function(const struct ls_module *m, LLVMModuleRef in,
                                   const struct ls_ready_function *ready)
{
    if (!ready->name || !is_for(m, ready->cpu))
        return NULL;
    if (!ls_code_level(m->compiler, m->clones->from) && !keeps_convention(ready))
        return NULL;
    return LLVMGetNamedFunction(in, ready->name);
}

bool ls_can_use_ready(struct ls_module *m)
{
    return m->clones && fits(m) && (ls_built_major >= 16 || need_little(m));
}

void ls_leave_out_ready(struct ls_module *m, LLVMModuleRef library)
{
    if (!m->clones || !fits(m))
        return;
    for (unsigned i = 0; i < ls_n_ready; i++) {
        LLVMValueRef f = ready_function(m, library, &ls_ready[i]);
        if (!f)
            continue;
        ls_leave_out(f);
        m->left_out = true;
    }
}

void ls_use_ready_code(struct ls_module *m)
{
    LLVMValueRef cold = NULL;
    for (unsigned i = 0; i < ls_n_ready; i++) { /* they call each other: without bodies only clones do */
        LLVMValueRef f = ready_function(m, m->module, &ls_ready[i]);
        if (f)
            ls_drop_body(f);
    }
    for (unsigned i = 0; i < ls_n_ready; i++) {
        const struct ls_ready_function *ready = &ls_ready[i];
        LLVMValueRef f = ready_function(m, m->module, ready);
        if (!ready->name && is_for(m, ready->cpu))
            cold = make_cold(m, ready);
        else if (f && LLVMGetFirstUse(f))
            replace(f, ready, cold);
    }
}
