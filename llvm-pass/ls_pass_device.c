/*
 * ls_pass_device.c - finds the processor, chooses the variant of the device library for it and links that.
 *
 * The library was compiled for no particular processor, in one variant per wavefront size and generation
 * (device-lib/CMakeLists.txt); its bitcode lies in this plugin.
 */
#include "device_bitcode.h"
#include "ls_pass.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <string.h>

static const char *attribute(LLVMValueRef f, const char *name, unsigned *n)
{
    LLVMAttributeRef a =
        LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
    *n = 0;
    return a ? LLVMGetStringAttributeValue(a, n) : NULL;
}

bool ls_find_target(struct ls_module *m, LLVMValueRef kernel)
{
    unsigned n;
    const char *cpu = attribute(kernel, "target-cpu", &n);
    if (!n)
        cpu = getenv("LANESCOPE_TARGET"); /* Triton's IR names no processor */
    if (!cpu || !ls_starts_with(cpu, "gfx")) {
        ls_complain(
            "%s: no processor in the function's attributes; set LANESCOPE_TARGET, for example to gfx942",
            LLVMGetValueName(kernel));
        return false;
    }
    m->cpu = cpu;
    m->family = ls_gpu_family_of(cpu);
    if (!m->family || !m->family->probes) {
        ls_complain("%s: there are no probes for %s", LLVMGetValueName(kernel), cpu);
        return false;
    }
    m->wave32 = m->family->lanes == 32;
    const char *features = attribute(kernel, "target-features", &n);
    if (n && strstr(features, "+wavefrontsize64"))
        m->wave32 = false;
    if (n && strstr(features, "+wavefrontsize32"))
        m->wave32 = true;
    return true;
}

void ls_tell_costs(const struct ls_module *m)
{
    if (!ls_gpu_target_has_models(m->cpu))
        ls_complain(
            "%s: LDS bank conflicts and cache lines of this GPU are not known: its accesses and lanes are "
            "counted, their costs are not (`lanescope list gpus`)",
            m->cpu);
}

static const struct ls_bitcode *choose(const struct ls_module *m)
{
    unsigned lanes = m->wave32 ? 32 : 64;
    for (unsigned i = 0; i < sizeof ls_bitcodes / sizeof *ls_bitcodes; i++)
        if (ls_bitcodes[i].lanes == lanes && ls_bitcodes[i].gfx == m->family->probes)
            return &ls_bitcodes[i];
    return NULL;
}

/* What the pass makes has one letter behind the common beginning: LS_CLONE_PREFIX and the like. */
static bool is_device_function(LLVMValueRef f)
{
    const char *name = LLVMGetValueName(f);
    return ls_starts_with(name, "__ls_") && name[5] && name[6] != '_';
}

const char *ls_function_attribute(LLVMValueRef f, const char *name)
{
    unsigned n;
    const char *value = attribute(f, name, &n);
    return n ? value : NULL;
}

static LLVMAttributeRef enum_attribute(struct ls_module *m, const char *name)
{
    return LLVMCreateEnumAttribute(m->context, LLVMGetEnumAttributeKindForName(name, (unsigned)strlen(name)),
                                   0);
}

/* Probes get arguments that they do not look at; the pass gives undefined values for them. */
static void allow_undefined(LLVMValueRef f)
{
    static const char noundef[] = "noundef";
    unsigned kind = LLVMGetEnumAttributeKindForName(noundef, sizeof noundef - 1);
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        LLVMRemoveEnumAttributeAtIndex(f, i + 1, kind);
    for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u))
        for (unsigned i = 0; i < LLVMCountParams(f); i++)
            LLVMRemoveCallSiteEnumAttribute(LLVMGetUser(u), i + 1, kind);
}

static void set_attribute(struct ls_module *m, LLVMValueRef f, const char *name, const char *value,
                          unsigned n)
{
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(m->context, name, (unsigned)strlen(name), value, n));
}

static bool is_of_turns(LLVMValueRef f)
{
    return !strncmp(LLVMGetValueName(f), LS_TURNS_CODE, strlen(LS_TURNS_CODE));
}

/* Whether LLVM can be kept from using AccVGPRs, which a clone has beside its VGPRs: both count. */
static bool knows_no_agprs(void)
{
    return ls_built_major >= 22;
}

/* A clone has as many registers as the largest function that it calls: no more than the largest work-group, of 1024
 * work-items, finds on a compute unit. */
static void limit_vector_registers(struct ls_module *m, LLVMValueRef f)
{
    enum {
        FEW = 40,
        SOME = 64,
        MOST_WAVES = 1024 / 64
    }; /* of 64 lanes, in which the table counts registers */
    char most[8];
    unsigned n = m->family->vgprs * m->family->simds / MOST_WAVES;
    if (!strcmp(LLVMGetValueName(f), "__ls_group_each"))
        n = FEW; /* it keeps eleven arguments over calls, and is seldom called */
    else if (n > SOME && knows_no_agprs() && is_of_turns(f))
        n = SOME; /* what is frequent of them has fewer */
    if (m->family->unified_vgprs && knows_no_agprs())
        n /= 2; /* LLVM doubles it there, for the others */
    if (n)
        set_attribute(m, f, "amdgpu-num-vgpr", most, (unsigned)snprintf(most, sizeof most, "%u", n));
}

/* Compiled for the kernel's processor, and they need none of the values that a kernel hands down, or each call
 * would have to pass these. */
void ls_adapt_device(struct ls_module *m, LLVMValueRef f, LLVMValueRef kernel)
{
    static const char *const copied[] = {"target-cpu", "target-features"};
    static const char *const unused[] = {
        "amdgpu-no-dispatch-ptr",       "amdgpu-no-queue-ptr",         "amdgpu-no-dispatch-id",
        "amdgpu-no-implicitarg-ptr",    "amdgpu-no-workgroup-id-x",    "amdgpu-no-workgroup-id-y",
        "amdgpu-no-workgroup-id-z",     "amdgpu-no-workitem-id-x",     "amdgpu-no-workitem-id-y",
        "amdgpu-no-workitem-id-z",      "amdgpu-no-hostcall-ptr",      "amdgpu-no-heap-ptr",
        "amdgpu-no-multigrid-sync-arg", "amdgpu-no-lds-kernel-id",     "amdgpu-no-completion-action",
        "amdgpu-no-default-queue",      "amdgpu-no-flat-scratch-init", "amdgpu-no-cluster-id-x",
        "amdgpu-no-cluster-id-y",       "amdgpu-no-cluster-id-z",      "amdgpu-no-agpr",
    };
    for (unsigned i = 0; i < sizeof copied / sizeof *copied; i++) {
        unsigned n;
        const char *value = attribute(kernel, copied[i], &n);
        if (n)
            set_attribute(m, f, copied[i], value, n);
    }
    LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, "amdgpu-waves-per-eu",
                                     (unsigned)strlen("amdgpu-waves-per-eu"));
    /* Scalar registers below the return address, s[30:31]. A function that uses that one or those that it has to
     * preserve, or one that it goes on as, saves them, the hot path too. Since LLVM 17 only those of loops' turns come to
     * so many. Registers with special uses are taken off the number. */
    char sgprs[8];
    int digits = snprintf(sgprs, sizeof sgprs, "%d", 30 + m->family->special_sgprs);
    if (ls_built_major < 17 || is_of_turns(f))
        set_attribute(m, f, "amdgpu-num-sgpr", sgprs, (unsigned)digits);
    limit_vector_registers(m, f);
    if (knows_no_agprs())
        set_attribute(m, f, "amdgpu-agpr-alloc", "0", 1);
    for (unsigned i = 0; i < sizeof unused / sizeof *unused; i++)
        if (strcmp(LLVMGetValueName(f), "__ls_enter"))
            set_attribute(m, f, unused[i], "", 0);
    /* Without it a call of the function makes LLVM assume 16 KiB of stack. */
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, enum_attribute(m, "norecurse"));
    LLVMSetVisibility(f, LLVMDefaultVisibility);
    LLVMSetLinkage(f, LLVMInternalLinkage);
}

/* Bodies of functions are read when they are asked for. */
static LLVMModuleRef parse(struct ls_module *m)
{
    const struct ls_bitcode *b = choose(m);
    LLVMModuleRef library = NULL;
    if (!b || LLVMGetBitcodeModuleInContext2(m->context,
                                             LLVMCreateMemoryBufferWithMemoryRange(
                                                 (const char *)b->bytes, b->size, "lanescope-device", false),
                                             &library))
        return NULL;
    LLVMSetTarget(library, LLVMGetTarget(m->module));
    LLVMSetDataLayout(library, LLVMGetDataLayoutStr(m->module));
    ls_remove_named_metadata(library, "llvm.ident");
    ls_remove_named_metadata(library, "llvm.module.flags");
    return library;
}

/* What ls_leave_out_ready left out is needed after all. */
static void put_back(struct ls_module *m)
{
    LLVMModuleRef library = parse(m);
    if (!library) /* it was read before */
        ls_no_memory();
    ls_put_back(m->module, library);
    LLVMDisposeModule(library);
    for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f))
        if (is_device_function(f))
            allow_undefined(f);
}

/* The functions for 2 to `most` accesses. */
static void find_numbered(const struct ls_module *m, const char *prefix, unsigned most, LLVMValueRef *out)
{
    char name[32];
    for (unsigned n = 2; n <= most; n++) {
        snprintf(name, sizeof name, "%s%u", prefix, n);
        out[n - 2] = LLVMGetNamedFunction(m->module, name);
    }
}

bool ls_link_device(struct ls_module *m, LLVMValueRef kernel)
{
    LLVMModuleRef library = parse(m);
    if (library)
        ls_leave_out_ready(m, library);
    if (!library || LLVMLinkModules2(m->module, library)) {
        ls_complain("the device library for %s cannot be linked", m->cpu);
        return false;
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f))
        if (is_device_function(f) && !LLVMIsDeclaration(f)) {
            ls_adapt_device(m, f, kernel);
            allow_undefined(f);
        }
    m->device = (struct ls_device){
        .enter = LLVMGetNamedFunction(m->module, "__ls_enter"),
        .exit = LLVMGetNamedFunction(m->module, "__ls_finish"),
        .uniform = LLVMGetNamedFunction(m->module, "__ls_uniform"),
        .access = LLVMGetNamedFunction(m->module, "__ls_access"),
        .access_lds = LLVMGetNamedFunction(m->module, "__ls_access_lds"),
        .access_buffer = LLVMGetNamedFunction(m->module, "__ls_access_buffer"),
        .lds_dma = LLVMGetNamedFunction(m->module, "__ls_lds_dma"),
        .length = LLVMGetNamedFunction(m->module, "__ls_length"),
        .longest = LLVMGetNamedFunction(m->module, "__ls_longest"),
        .block = LLVMGetNamedFunction(m->module, "__ls_block"),
        .turns = LLVMGetNamedFunction(m->module, "__ls_turns"),
        .alike = LLVMGetNamedFunction(m->module, "__ls_alike2"),
    };
    find_numbered(m, "__ls_several", LS_SEVERAL_ALIKE, m->device.several);
    find_numbered(m, "__ls_shapes", LS_SEVERAL, m->device.shapes);
    find_numbered(m, "__ls_group", LS_SEVERAL, m->device.groups);
    find_numbered(m, "__ls_group_shapes", LS_SEVERAL, m->device.group_shapes);
    find_numbered(m, "__ls_loop", LS_SEVERAL, m->device.loop);
    return true;
}

void ls_prune_device(struct ls_module *m)
{
    LLVMValueRef next, reduce_long = LLVMGetNamedFunction(m->module, "__ls_reduce_long");
    const bool ready = !m->long_accesses && ls_can_use_ready(m);
    if (!ready && m->left_out)
        put_back(m);
    /* Nothing long is accessed: what takes it apart is never reached. */
    if (!m->long_accesses)
        LLVMReplaceAllUsesWith(reduce_long, LLVMGetNamedFunction(m->module, "__ls_send"));
    if (ready)
        ls_use_ready_code(m);
    for (bool again = true; again;) {
        again = false;
        for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = next) {
            next = LLVMGetNextFunction(f);
            if (is_device_function(f) && !LLVMGetFirstUse(f)) {
                LLVMDeleteFunction(f);
                again = true;
            }
        }
    }
}

bool ls_call_device(struct ls_module *m)
{
    LLVMValueRef kernel = LLVMGetFirstFunction(m->module), next;
    if (!kernel || !ls_find_target(m, kernel) || !ls_link_device(m, kernel))
        return false;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->context);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)));
    for (LLVMValueRef f = LLVMGetNextFunction(kernel); f; f = next) {
        LLVMValueRef args[24];
        LLVMTypeRef type = LLVMGlobalGetValueType(f);
        next = LLVMGetNextFunction(f);
        if (!is_device_function(f) || f == m->device.enter || f == m->device.uniform ||
            LLVMCountParams(f) > sizeof args / sizeof *args)
            continue;
        for (unsigned i = 0; i < LLVMCountParams(f); i++)
            args[i] = LLVMGetUndef(LLVMTypeOf(LLVMGetParam(f, i)));
        LLVMBuildCall2(b, type, f, args, LLVMCountParams(f), "");
    }
    LLVMDisposeBuilder(b);
    ls_prune_device(m);
    return true;
}
