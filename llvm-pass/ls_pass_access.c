/*
 * ls_pass_access.c - what an instruction accesses: kind, address space, size, and where its address is.
 *
 * Every instruction that touches memory yields at least one entry; those that are not observed carry the
 * reason.
 */
#include "ls_pass.h"

#include <llvm-c/Target.h>
#include <string.h>

enum {
    SPACE_FLAT,
    SPACE_GLOBAL,
    SPACE_REGION,
    SPACE_LDS,
    SPACE_CONSTANT,
    SPACE_PRIVATE,
    SPACE_FAT_BUFFER = 7,
    SPACE_BUFFER
};

enum { MOST_JOINS = 3 }; /* ways that come together, one behind the other, that are followed back */

static unsigned type_bytes(struct ls_module *m, LLVMTypeRef type)
{
    return (unsigned)LLVMStoreSizeOfType(LLVMGetModuleDataLayout(m->module), type);
}

static unsigned space_of(LLVMValueRef pointer)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
}

static bool contains(const char *s, const char *part)
{
    return strstr(s, part) != NULL;
}

/* The object that a pointer was made from, through offsets and casts. */
static LLVMValueRef underlying(LLVMValueRef v)
{
    for (;;) {
        LLVMOpcode op = 0;
        if (LLVMIsAInstruction(v))
            op = LLVMGetInstructionOpcode(v);
        else if (LLVMIsAConstantExpr(v))
            op = LLVMGetConstOpcode(v);
        if (op != LLVMGetElementPtr && op != LLVMAddrSpaceCast && op != LLVMBitCast)
            return v;
        v = LLVMGetOperand(v, 0);
    }
}

static bool is_kernarg(LLVMValueRef object)
{
    static const char *const sources[] = {"llvm.amdgcn.implicitarg.ptr", "llvm.amdgcn.kernarg.segment.ptr",
                                          "llvm.amdgcn.dispatch.ptr", "llvm.amdgcn.queue.ptr",
                                          "llvm.amdgcn.implicit.buffer.ptr"};
    if (LLVMIsAArgument(object)) {
        LLVMValueRef f = LLVMGetParamParent(object);
        unsigned byref = LLVMGetEnumAttributeKindForName("byref", strlen("byref"));
        for (unsigned i = 0; i < LLVMCountParams(f); i++)
            if (LLVMGetParam(f, i) == object)
                return LLVMGetEnumAttributeAtIndex(f, i + 1, byref) != NULL;
    }
    LLVMValueRef called = LLVMIsACallInst(object) ? ls_called_function(object) : NULL;
    for (unsigned i = 0; called && i < sizeof sources / sizeof *sources; i++)
        if (!strcmp(LLVMGetValueName(called), sources[i]))
            return true;
    return false;
}

/* Likewise where several ways come together: what the runtime made on each of them. */
static bool is_runtimes(LLVMValueRef object, unsigned depth)
{
    bool phi = LLVMIsAPHINode(object) != NULL;
    unsigned n = phi ? LLVMCountIncoming(object) : LLVMIsASelectInst(object) ? 2 : 0;
    if (!n || !depth)
        return is_kernarg(object);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef one = phi ? LLVMGetIncomingValue(object, i) : LLVMGetOperand(object, i + 1);
        if (!is_runtimes(underlying(one), depth - 1))
            return false;
    }
    return true;
}

static void not_observed(struct ls_access *a, enum ls_site_reason reason)
{
    a->address = LS_ADDRESS_NONE;
    a->site.reason = reason;
    a->site.flags &= ~(uint32_t)LS_SITE_OBSERVED;
}

/* An access through a pointer of the IR. */
static void by_pointer(struct ls_access *a, enum ls_site_kind kind, LLVMValueRef pointer, unsigned bytes)
{
    LLVMValueRef object = underlying(pointer);
    a->address = LS_ADDRESS_POINTER;
    a->pointer = pointer;
    a->site.kind = (uint8_t)kind;
    a->site.space = (uint8_t)space_of(pointer);
    a->site.bytes = bytes;
    a->site.flags |= LS_SITE_OBSERVED;
    if (a->site.space == SPACE_CONSTANT)
        a->site.flags |= LS_SITE_INVARIANT;
    if (a->site.space == SPACE_PRIVATE || LLVMIsAAllocaInst(object))
        not_observed(a, LS_REASON_PRIVATE);
    else if (is_runtimes(object, MOST_JOINS))
        not_observed(a, LS_REASON_KERNARG);
    else if (a->site.space == SPACE_REGION ||
             (a->site.space > SPACE_PRIVATE && a->site.space != SPACE_FAT_BUFFER))
        not_observed(a, LS_REASON_UNKNOWN_INTRINSIC);
}

static void add_instruction_flags(struct ls_access *a)
{
    LLVMValueRef i = a->instruction;
    unsigned align = ls_access_align(i);
    a->site.align = (uint16_t)(align > 0x8000 ? 0x8000 : align);
    if (ls_is_volatile(i))
        a->site.flags |= LS_SITE_VOLATILE;
    if (ls_has_metadata(i, "invariant.load"))
        a->site.flags |= LS_SITE_INVARIANT;
    if (!ls_has_metadata(i, "lanescope.seen"))
        a->site.flags |= LS_SITE_MERGED;
}

/* ---- intrinsics ---- */

/* Alignment of a call's pointer argument, counted from 1, as far as the site table has room; 0: not known. */
static unsigned argument_align(LLVMValueRef call, unsigned index)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", strlen("align"));
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, index, kind);
    uint64_t align = a ? LLVMGetEnumAttributeValue(a) : 0;
    return align > 0x8000 ? 0x8000 : (unsigned)align;
}

/* Whether code generation makes one instruction of each side: dwords, pairs and quads of them that are
 * aligned as such (SITargetLowering::getOptimalMemOpType). Copies of HIP's vectors are of this kind since
 * HIP 5.7. */
static bool is_one_access(unsigned bytes, unsigned align)
{
    return align >= 4 && (bytes == 4 || bytes == 8 || bytes == 16);
}

/* memcpy, memmove, memset: one entry per side. */
static unsigned classify_copy(LLVMValueRef call, bool has_source, struct ls_access *out)
{
    LLVMValueRef length = LLVMGetOperand(call, 2);
    bool constant = LLVMIsAConstantInt(length) != NULL;
    unsigned bytes = constant ? (unsigned)LLVMConstIntGetZExtValue(length) : 0, n = 0;
    unsigned to = argument_align(call, 1), from = has_source ? argument_align(call, 2) : to;
    bool one = is_one_access(bytes, to < from ? to : from);
    if (has_source) {
        by_pointer(&out[n], one ? LS_SITE_LOAD : LS_SITE_COPY_READ, LLVMGetOperand(call, 1), bytes);
        out[n++].site.align = (uint16_t)from;
    }
    by_pointer(&out[n], one ? LS_SITE_STORE : LS_SITE_COPY_WRITE, LLVMGetOperand(call, 0), bytes);
    out[n++].site.align = (uint16_t)to;
    for (unsigned i = 0; i < n; i++)
        out[i].length = constant ? NULL : length;
    return n;
}

/* Number of operands that are arguments (the last operand is the callee). */
static LLVMValueRef argument(LLVMValueRef call, unsigned i)
{
    return i < LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, i) : NULL;
}

/* {raw,struct}[.ptr].[t]buffer.{load,store,atomic.*}: the descriptor is the first argument, behind the stored
 * data and for cmpswap behind two; then [vindex,] voffset, soffset. */
static void by_buffer(struct ls_module *m, struct ls_access *a, const char *name, enum ls_site_kind kind,
                      unsigned rsrc)
{
    LLVMValueRef call = a->instruction;
    bool indexed = ls_starts_with(name, "llvm.amdgcn.struct.");
    LLVMTypeRef data = LLVMTypeOf(kind == LS_SITE_LOAD ? call : argument(call, 0));
    a->address = LS_ADDRESS_BUFFER;
    a->site.kind = (uint8_t)kind;
    a->site.space = SPACE_BUFFER;
    a->site.flags |= LS_SITE_OBSERVED;
    a->site.bytes = LLVMGetTypeKind(data) == LLVMVoidTypeKind ? 0 : type_bytes(m, data);
    a->rsrc = argument(call, rsrc);
    a->vindex = indexed ? argument(call, rsrc + 1) : NULL;
    a->voffset = argument(call, rsrc + 1 + indexed);
    a->soffset = argument(call, rsrc + 2 + indexed);
}

/* Loads into LDS: a global or buffer side and an LDS side; the data never passes a register. */
static unsigned classify_lds_dma(struct ls_module *m, LLVMValueRef call, const char *name,
                                 struct ls_access *out)
{
    bool buffer = contains(name, "buffer.load"), indexed = contains(name, ".struct.");
    LLVMValueRef size = argument(call, 2);
    unsigned bytes = size && LLVMIsAConstantInt(size) ? (unsigned)LLVMConstIntGetZExtValue(size) : 0;
    if (buffer) {
        by_buffer(m, &out[0], name, LS_SITE_LOAD, 0);
        out[0].site.kind = LS_SITE_LDS_DMA_READ;
        out[0].site.bytes = bytes;
        out[0].vindex = indexed ? argument(call, 3) : NULL;
        out[0].voffset = argument(call, 3 + indexed);
        out[0].soffset = argument(call, 4 + indexed);
        out[0].offset = argument(call, 5 + indexed);
    } else {
        by_pointer(&out[0], LS_SITE_LDS_DMA_READ, argument(call, 0), bytes);
        out[0].offset = argument(call, 3);
    }
    by_pointer(&out[1], LS_SITE_LDS_DMA_WRITE, argument(call, 1), bytes);
    if (out[1].address == LS_ADDRESS_POINTER)
        out[1].address = LS_ADDRESS_LDS_DMA;
    out[1].offset = argument(call, buffer ? 5 + indexed : 3);
    return 2;
}

/* global.load.async.to.lds.bN: both addresses are per lane. */
static unsigned classify_async_lds(LLVMValueRef call, const char *name, struct ls_access *out)
{
    const char *b = strrchr(name, 'b');
    unsigned bytes = b ? (unsigned)strtoul(b + 1, NULL, 10) / 8 : 0;
    by_pointer(&out[0], LS_SITE_LDS_DMA_READ, argument(call, 0), bytes);
    by_pointer(&out[1], LS_SITE_LDS_DMA_WRITE, argument(call, 1), bytes);
    out[0].offset = out[1].offset = argument(call, 2);
    return 2;
}

static unsigned classify_buffer(struct ls_module *m, LLVMValueRef call, const char *name,
                                struct ls_access *out)
{
    if (contains(name, "buffer.load")) {
        by_buffer(m, out, name, LS_SITE_LOAD, 0);
    } else if (contains(name, "buffer.store")) {
        by_buffer(m, out, name, LS_SITE_STORE, 1);
    } else {
        bool swap = contains(name, ".cmpswap");
        by_buffer(m, out, name, swap ? LS_SITE_CMPXCHG : LS_SITE_RMW, swap ? 2 : 1);
        out[0].site.flags |= LS_SITE_ATOMIC;
    }
    (void)call;
    return 1;
}

/* Intrinsics of the target that access memory through their first argument. */
static bool is_pointer_load(const char *name)
{
    return contains(name, ".load.tr") || contains(name, ".read.tr") || contains(name, "load.monitor") ||
           contains(name, ".ds.load.");
}

static bool is_pointer_atomic(const char *name)
{
    static const char *const prefixes[] = {"llvm.amdgcn.global.atomic.", "llvm.amdgcn.flat.atomic.",
                                           "llvm.amdgcn.atomic.",        "llvm.amdgcn.ds.fadd",
                                           "llvm.amdgcn.ds.fmin",        "llvm.amdgcn.ds.fmax",
                                           "llvm.amdgcn.ds.append",      "llvm.amdgcn.ds.consume"};
    for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (ls_starts_with(name, prefixes[i]))
            return true;
    return false;
}

/* Intrinsics with pointer arguments that access no memory, though LLVM takes them for such as do, to keep them in
 * order with accesses. */
static bool touches_nothing(const char *name)
{
    static const char *const prefixes[] = {
        "llvm.lifetime.",
        "llvm.invariant.",
        "llvm.dbg.",
        "llvm.assume",
        "llvm.prefetch",
        "llvm.stackrestore",
        "llvm.var.annotation",
        "llvm.ptr.annotation",
        "llvm.experimental.noalias",
        "llvm.fake.use",
        "llvm.amdgcn.global.prefetch",
        "llvm.amdgcn.flat.prefetch",
        "llvm.amdgcn.s.prefetch",
        "llvm.amdgcn.s.buffer.prefetch",
        "llvm.amdgcn.s.barrier",
        "llvm.amdgcn.s.get.",
        "llvm.amdgcn.s.wakeup",
        "llvm.amdgcn.init.",
    };
    for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (ls_starts_with(name, prefixes[i]))
            return true;
    return false;
}

static bool has_pointer_argument(LLVMValueRef call)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, i))) == LLVMPointerTypeKind)
            return true;
    return false;
}

static unsigned unobserved(struct ls_access *a, enum ls_site_kind kind, enum ls_site_reason reason)
{
    a->site.kind = (uint8_t)kind;
    not_observed(a, reason);
    return 1;
}

/* One that has no meaning to us: it accesses memory if it has a pointer to some. */
static unsigned classify_intrinsic(LLVMValueRef call, const char *name, struct ls_access *out)
{
    return touches_nothing(name) || !has_pointer_argument(call) || ls_leaves_memory_alone(call)
               ? 0
               : unobserved(out, LS_SITE_OTHER, LS_REASON_UNKNOWN_INTRINSIC);
}

static unsigned classify_target_intrinsic(struct ls_module *m, LLVMValueRef call, const char *name,
                                          struct ls_access *out)
{
    if (ls_starts_with(name, "llvm.amdgcn.image."))
        return contains(name, "getresinfo") || contains(name, "getlod")
                   ? 0
                   : unobserved(out, LS_SITE_IMAGE, LS_REASON_IMAGE);
    if (ls_starts_with(name, "llvm.amdgcn.s.buffer.load")) {
        out[0].site.bytes = type_bytes(m, LLVMTypeOf(call));
        out[0].site.space = SPACE_BUFFER;
        return unobserved(out, LS_SITE_LOAD, LS_REASON_SCALAR);
    }
    if (contains(name, ".async.to.lds"))
        return ls_starts_with(name, "llvm.amdgcn.global.")
                   ? classify_async_lds(call, name, out)
                   : unobserved(out, LS_SITE_OTHER, LS_REASON_UNKNOWN_INTRINSIC);
    if (contains(name, ".load.lds") || ls_starts_with(name, "llvm.amdgcn.load.to.lds") ||
        (contains(name, "buffer.load") && contains(name, ".lds")))
        return classify_lds_dma(m, call, name, out);
    if (contains(name, "buffer.load") || contains(name, "buffer.store") || contains(name, "buffer.atomic"))
        return ls_starts_with(name, "llvm.amdgcn.raw.") || ls_starts_with(name, "llvm.amdgcn.struct.")
                   ? classify_buffer(m, call, name, out)
                   : unobserved(out, LS_SITE_OTHER, LS_REASON_UNKNOWN_INTRINSIC);
    if (contains(name, ".global.load.tr") &&
        !m->wave32) /* lanes 32 to 63 have an address and do not access it */
        return unobserved(out, LS_SITE_LOAD, LS_REASON_UNKNOWN_INTRINSIC);
    if (is_pointer_load(name)) {
        by_pointer(out, LS_SITE_LOAD, argument(call, 0), type_bytes(m, LLVMTypeOf(call)));
        return 1;
    }
    if (is_pointer_atomic(name)) {
        LLVMTypeRef type = LLVMTypeOf(call);
        if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
            type = LLVMTypeOf(argument(call, 1));
        by_pointer(out, LS_SITE_RMW, argument(call, 0), type_bytes(m, type));
        out[0].site.flags |= LS_SITE_ATOMIC;
        return 1;
    }
    if (contains(name, "tensor.") || ls_starts_with(name, "llvm.amdgcn.ds.bvh"))
        return unobserved(out, LS_SITE_OTHER, LS_REASON_UNKNOWN_INTRINSIC);
    return classify_intrinsic(call, name, out);
}

/* Whether an LDS instruction is in a text that is more than an exchange between lanes. */
static bool has_lds_access(const char *text)
{
    for (const char *at = text; (at = strstr(at, "ds_")); at++)
        if (!ls_starts_with(at, "ds_swizzle") && !ls_starts_with(at, "ds_permute") &&
            !ls_starts_with(at, "ds_bpermute") && !ls_starts_with(at, "ds_nop"))
            return true;
    return false;
}

/* Inline assembly is opaque; the text tells whether one of the target's memory instructions is in it. */
static unsigned classify_asm(LLVMValueRef assembly, struct ls_access *out)
{
    char *text = LLVMPrintValueToString(assembly);
    bool found = contains(text, "load") || contains(text, "store") || contains(text, "atomic") ||
                 contains(text, "image_") || has_lds_access(text);
    LLVMDisposeMessage(text);
    return found ? unobserved(out, LS_SITE_OTHER, LS_REASON_INLINE_ASM) : 0;
}

static unsigned classify_call(struct ls_module *m, LLVMValueRef call, struct ls_access *out)
{
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call))) {
        out[0].name = "asm";
        return classify_asm(LLVMGetCalledValue(call), out);
    }
    LLVMValueRef f = ls_called_function(call);
    const char *name = f ? LLVMGetValueName(f) : "call";
    out[0].name = out[1].name = name;
    if (!f) {
        LLVMValueRef targets[LS_MAX_TARGETS];
        unsigned n_targets = ls_call_targets(m, call, targets);
        return n_targets && n_targets <= LS_MAX_TARGETS
                   ? 0
                   : unobserved(out, LS_SITE_OTHER, LS_REASON_INDIRECT_CALL);
    }
    if (!ls_is_intrinsic(f))
        return LLVMIsDeclaration(f) ? unobserved(out, LS_SITE_OTHER, LS_REASON_EXTERNAL_CALL) : 0;
    if (ls_starts_with(name, "llvm.memcpy.") || ls_starts_with(name, "llvm.memmove."))
        return classify_copy(call, true, out);
    if (ls_starts_with(name, "llvm.memset."))
        return classify_copy(call, false, out);
    if (ls_starts_with(name, "llvm.amdgcn."))
        return classify_target_intrinsic(m, call, name, out);
    return classify_intrinsic(call, name, out);
}

unsigned ls_classify(struct ls_module *m, LLVMValueRef i, struct ls_access out[LS_MAX_ACCESSES])
{
    memset(out, 0, LS_MAX_ACCESSES * sizeof *out);
    for (unsigned k = 0; k < LS_MAX_ACCESSES; k++)
        out[k].instruction = i;
    if (ls_has_metadata(i, "lanescope.one"))
        out[0].site.flags |= LS_SITE_ONE_LANE;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        out[0].name = "load";
        by_pointer(out, LS_SITE_LOAD, LLVMGetOperand(i, 0), type_bytes(m, LLVMTypeOf(i)));
        if (LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
            out[0].site.flags |= LS_SITE_ATOMIC;
        break;
    case LLVMStore:
        out[0].name = "store";
        by_pointer(out, LS_SITE_STORE, LLVMGetOperand(i, 1), type_bytes(m, LLVMTypeOf(LLVMGetOperand(i, 0))));
        if (LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
            out[0].site.flags |= LS_SITE_ATOMIC;
        break;
    case LLVMAtomicRMW:
        out[0].name = "atomicrmw";
        by_pointer(out, LS_SITE_RMW, LLVMGetOperand(i, 0), type_bytes(m, LLVMTypeOf(i)));
        out[0].site.flags |= LS_SITE_ATOMIC;
        break;
    case LLVMAtomicCmpXchg:
        out[0].name = "cmpxchg";
        by_pointer(out, LS_SITE_CMPXCHG, LLVMGetOperand(i, 0),
                   type_bytes(m, LLVMTypeOf(LLVMGetOperand(i, 1))));
        out[0].site.flags |= LS_SITE_ATOMIC;
        break;
    case LLVMCall:
        return classify_call(m, i, out);
    default:
        return 0;
    }
    add_instruction_flags(&out[0]);
    return 1;
}
