/*
 * ls_pass_probe.c - inserts probes into a clone.
 *
 * First all sites are found in the unchanged clone (ls_pass_find.c), because asking the uniformity analysis needs an
 * unchanged function; then calls of the device library go in front of the accesses. Only the entry of a kernel
 * is inlined, by itself, so that no other function of the module is touched. Probes stay calls: inlined
 * they made clones three times as large, and compiling them took most of the compiler's time.
 */
#include "device-lib/head.h"
#include "lanescope/wire.h"
#include "ls_pass_probe.h"

#include <string.h>

static LLVMValueRef call(struct inserter *in, LLVMValueRef f, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f);
    bool is_void = LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind;
    return LLVMBuildCall2(in->b, type, f, args, n, is_void ? "" : "ls");
}

/* A probe that gets a 64-bit value. */
static void probe64(struct inserter *in, LLVMValueRef f, LLVMValueRef value, LLVMValueRef head)
{
    LLVMValueRef high = LLVMBuildLShr(in->b, value, LLVMConstInt(in->m->i64, 32, 0), "");
    LLVMValueRef args[] = {in->c->wave, LLVMBuildTrunc(in->b, value, in->m->i32, ""),
                           LLVMBuildTrunc(in->b, high, in->m->i32, ""), head};
    call(in, f, args, 4);
}

/* One that gets a 32-bit value, or none (NULL), and perhaps another one. */
static void probe32(struct inserter *in, LLVMValueRef f, LLVMValueRef low, LLVMValueRef high,
                    LLVMValueRef head)
{
    LLVMValueRef nothing = LLVMGetUndef(in->m->i32);
    LLVMValueRef args[] = {in->c->wave, low ? low : nothing, high ? high : nothing, head};
    call(in, f, args, 4);
}

static LLVMValueRef const32(struct inserter *in, uint32_t v)
{
    return LLVMConstInt(in->m->i32, v, 0);
}

/* What a probe of a site gets to tell it by. */
static LLVMValueRef head_of(struct inserter *in, uint32_t site, uint32_t flags)
{
    return const32(in, LS_HEAD(site - in->c->skip, LS_KIND_STRIDED) | flags);
}

/* ---- inserting ---- */

/* Inlining splits blocks; fixed-size allocas must stay in the entry block or they turn into dynamic stack. */
static LLVMValueRef hoist_allocas(struct inserter *in)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(in->c->to);
    LLVMValueRef first = LLVMGetFirstInstruction(entry), next;
    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    for (LLVMValueRef i = first; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (!LLVMIsAAllocaInst(i) || !LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
            continue;
        LLVMInstructionRemoveFromParent(i);
        LLVMPositionBuilderBefore(in->b, first);
        LLVMInsertIntoBuilder(in->b, i);
    }
    return first;
}

static void insert_block_probe(struct inserter *in, uint32_t site)
{
    probe32(in, in->m->device.block, NULL, NULL, const32(in, site - in->c->skip + 1));
}

static void insert_block_probes(struct inserter *in)
{
    /* The builder stands behind the entry code. The first probe takes a chunk; the time from the second one
     * to that of the first block is what a probe costs. */
    for (int i = 0; i < 2 && in->calibration != LS_NONE; i++)
        insert_block_probe(in, in->calibration);
    for (unsigned i = 0; i < in->blocks.n; i++) {
        struct block *block = &in->blocks.v[i];
        if (!block->mark)
            continue;
        LLVMPositionBuilderBefore(in->b, block->mark);
        if (block->site != LS_NONE)
            insert_block_probe(in, block->site);
        LLVMInstructionEraseFromParent(block->mark);
    }
}

static void insert_entry(struct inserter *in)
{
    struct ls_clone *c = in->c;
    LLVMValueRef at = hoist_allocas(in), arg = LLVMGetParam(c->to, LLVMCountParams(c->to) - 1);
    LLVMPositionBuilderBefore(in->b, at);
    if (c->is_kernel) {
        arg = LLVMBuildPtrToInt(in->b, arg, in->m->i64, "ls.ctx");
        LLVMValueRef args[] = {arg, LLVMGetUndef(in->m->i32)};
        arg = call(in, in->m->device.enter, args, 2);
        VEC_PUSH(in->inserted, arg);
    }
    /* Also in kernels: LLVM 15 else moves the value into vector registers when a call gets it as argument. */
    c->wave = call(in, in->m->device.uniform, &arg, 1);
    VEC_PUSH(in->inserted, c->wave);
}

static LLVMValueRef buffer_word(struct inserter *in, LLVMValueRef rsrc, unsigned shift)
{
    LLVMTypeRef i128 = LLVMIntTypeInContext(in->m->context, 128);
    LLVMValueRef v = LLVMGetTypeKind(LLVMTypeOf(rsrc)) == LLVMPointerTypeKind
                         ? LLVMBuildPtrToInt(in->b, rsrc, i128, "")
                         : LLVMBuildBitCast(in->b, rsrc, i128, "");
    return LLVMBuildTrunc(in->b, LLVMBuildLShr(in->b, v, LLVMConstInt(i128, shift, 0), ""), in->m->i64, "");
}

static uint64_t immediate(LLVMValueRef v)
{
    return v && LLVMIsAConstantInt(v) ? LLVMConstIntGetZExtValue(v) : 0;
}

static void insert_buffer_probe(struct inserter *in, const struct ls_access *a, LLVMValueRef head)
{
    uint32_t control = (uint32_t)immediate(a->offset) << 8 | (a->vindex ? 1 : 0);
    LLVMValueRef args[] = {in->c->wave,
                           buffer_word(in, a->rsrc, 0),
                           buffer_word(in, a->rsrc, 64),
                           a->voffset,
                           a->soffset,
                           a->vindex ? a->vindex : const32(in, 0),
                           const32(in, control),
                           head};
    call(in, in->m->device.access_buffer, args, 8);
}

/* Fat buffer pointer (address space 7, 160 bits): descriptor << 32 | offset; the descriptor's low 48 bits are
 * the base. */
static LLVMValueRef fat_buffer_address(struct inserter *in, LLVMValueRef pointer)
{
    LLVMTypeRef i160 = LLVMIntTypeInContext(in->m->context, 160);
    LLVMValueRef v = LLVMBuildPtrToInt(in->b, pointer, i160, "");
    LLVMValueRef base =
        LLVMBuildTrunc(in->b, LLVMBuildLShr(in->b, v, LLVMConstInt(i160, 32, 0), ""), in->m->i64, "");
    LLVMValueRef offset = LLVMBuildZExt(in->b, LLVMBuildTrunc(in->b, v, in->m->i32, ""), in->m->i64, "");
    base = LLVMBuildAnd(in->b, base, LLVMConstInt(in->m->i64, 0xffffffffffffull, 0), "");
    return LLVMBuildAdd(in->b, base, offset, "");
}

static void insert_pointer_probe(struct inserter *in, const struct ls_access *a, LLVMValueRef head)
{
    bool lds = a->site.space == 3;
    LLVMTypeRef type = lds ? in->m->i32 : in->m->i64;
    LLVMValueRef address = a->site.space == 7 ? fat_buffer_address(in, a->pointer)
                                              : LLVMBuildPtrToInt(in->b, a->pointer, type, "");
    if (immediate(a->offset))
        address = LLVMBuildAdd(in->b, address, LLVMConstInt(type, immediate(a->offset), 0), "");
    const struct ls_device *d = &in->m->device;
    if (a->address == LS_ADDRESS_LDS_DMA)
        probe32(in, d->lds_dma, address, const32(in, a->site.bytes > 4 ? a->site.bytes : 4), head);
    else if (lds)
        probe32(in, d->access_lds, address, NULL, head);
    else
        probe64(in, d->access, address, head);
}

static void insert_access_probe(struct inserter *in, const struct probe *p)
{
    const struct ls_access *a = &p->access;
    LLVMPositionBuilderBefore(in->b, a->instruction);
    bool exact = a->length || a->site.space == 0 || !a->site.bytes;
    LLVMValueRef head = head_of(in, p->site, exact ? HEAD_EXACT : 0);
    LLVMValueRef length = LLVMConstInt(in->m->i64, 0, 0);
    if (a->length)
        length = LLVMBuildZExtOrBitCast(in->b, a->length, in->m->i64, "");
    in->m->long_accesses |= !a->site.bytes || a->site.bytes > LS_PLAN_LONG;
    if (!a->site.bytes)
        probe64(in, in->m->device.longest, length, head);
    if (a->address == LS_ADDRESS_BUFFER)
        insert_buffer_probe(in, a, head);
    else
        insert_pointer_probe(in, a, head);
    if (!a->site.bytes)
        probe64(in, in->m->device.length, length, head);
}

/* The accesses that the probe of an access tells, that one in front; their number. */
static unsigned find_told(struct inserter *in, unsigned number, struct probe **one)
{
    unsigned n = 0;
    one[n++] = &in->probes.v[number - 1];
    for (unsigned i = number; n < one[0]->several; i++)
        if (in->probes.v[i].first == number)
            one[n++] = &in->probes.v[i];
    return n;
}

/* What the builder's place in front of the loop gets for some accesses of it. */
static void call_turns_probe(struct inserter *in, struct probe *const *one, unsigned n)
{
    struct ls_told *told[LS_SEVERAL];
    for (unsigned i = 0; i < n; i++)
        told[i] = &one[i]->told;
    if (n > 1)
        one[0]->left = ls_probe_loop(in->m, in->b, told, n);
    else
        ls_probe_turns(in->m, in->b, told[0]);
}

/* Whether the probe in front of the loop is for some lanes, or there are two. */
static bool is_late(const struct ls_told *t)
{
    return ls_is_guarded(t->turns) || ls_alternates(t->turns);
}

/* In front of the loop, what its turns access: this access and those that are told with it. */
static void insert_turns_probe(struct inserter *in, unsigned number)
{
    struct probe *one[LS_SEVERAL];
    unsigned n = find_told(in, number, one);
    for (unsigned i = 0; i < n; i++)
        ls_tell_turns(in->m, in->b, in->c->wave, &one[i]->told);
    if (!is_late(&one[0]->told))
        call_turns_probe(in, one, n);
}

static void insert_probe(struct inserter *in, unsigned number)
{
    const struct probe *p = &in->probes.v[number - 1];
    LLVMValueRef wave = in->c->wave;
    if (p->told.turns && !p->first)
        insert_turns_probe(in, number);
    if (p->told.turns)
        in->c->wave = p->told.inside;
    if (in->c->wave)
        insert_access_probe(in, p);
    in->c->wave = wave;
}

static LLVMValueRef word(struct inserter *in, LLVMValueRef address, unsigned shift)
{
    LLVMValueRef part =
        shift ? LLVMBuildLShr(in->b, address, LLVMConstInt(in->m->i64, shift, 0), "") : address;
    return LLVMBuildTrunc(in->b, part, in->m->i32, "");
}

/* The probe that tells these accesses together. */
static LLVMValueRef probe_of_several(const struct inserter *in, const struct probe *first, unsigned n)
{
    const struct ls_device *d = &in->m->device;
    if (first->scattered)
        return d->alike;
    if (in->m->many)
        return (first->shapes ? d->group_shapes : d->groups)[n - 2];
    return (first->shapes ? d->shapes : d->several)[n - 2];
}

/* Its call: the first one's number, and how far the others' lie from it. */
static LLVMValueRef call_several(struct inserter *in, struct probe *const *one, unsigned n)
{
    enum {
        HEAD = 1 + 2 * LS_SEVERAL,
        SITES,
        MORE,
        MORE_SITES = MORE + 2 * (LS_SEVERAL_ALIKE - LS_SEVERAL),
        N
    };
    LLVMValueRef args[N] = {in->c->wave};
    uint32_t sites[2] = {0};
    for (unsigned i = 0; i < LS_SEVERAL_ALIKE; i++) {
        LLVMValueRef *arg = args + (i < LS_SEVERAL ? 1 + 2 * i : MORE + 2 * (i - LS_SEVERAL));
        arg[0] = arg[1] = LLVMGetUndef(in->m->i32);
        if (i >= n)
            continue;
        bool lds = one[i]->access.site.space == 3;
        LLVMValueRef pointer = one[i]->access.pointer;
        LLVMValueRef address = LLVMBuildPtrToInt(in->b, pointer, lds ? in->m->i32 : in->m->i64, "");
        arg[0] = lds ? address : word(in, address, 0);
        arg[1] = lds ? const32(in, 0) : word(in, address, 32);
        sites[i / 4] |= (one[i]->site - one[0]->site + (lds ? SITES_LDS : 0)) << 8 * (i % 4);
    }
    args[HEAD] = head_of(in, one[0]->site, 0);
    args[SITES] = const32(in, sites[0]);
    args[MORE_SITES] = const32(in, sites[1]);
    return call(in, probe_of_several(in, one[0], n), args, n > LS_SEVERAL ? N : MORE);
}

LLVMValueRef ls_place_of_several(const struct probe *first, bool branches)
{
    return branches && first->fork ? first->fork : first->access.instruction;
}

/* Whether a lane that is at that place does not execute all of the accesses; NULL: all do. */
static LLVMValueRef find_absent(struct inserter *in, struct probe *const *one, unsigned n, LLVMValueRef at)
{
    LLVMValueRef absent = NULL, last = NULL;
    for (unsigned i = 0; i < n; i++)
        if (one[i]->fork && one[i]->fork != last && (i || at == one[0]->fork)) {
            last = one[i]->fork;
            ls_compute_before(one[i]->condition, at, one[i]->access.instruction);
            LLVMPositionBuilderBefore(in->b, at);
            LLVMValueRef not =
                one[i]->negated ? one[i]->condition : LLVMBuildNot(in->b, one[i]->condition, "");
            absent = absent ? LLVMBuildOr(in->b, absent, not, "") : not;
        }
    return absent;
}

/* The call for accesses of several blocks, if all lanes execute all of them. Returns whether they are left to probes of their own, which is
 * the same in all lanes. */
static LLVMValueRef call_if_all(struct inserter *in, struct probe *const *one, unsigned n, LLVMValueRef at)
{
    LLVMValueRef absent = find_absent(in, one, n, at);
    LLVMValueRef there = absent ? ls_unless_any(absent, at, in->m->wave32) : at;
    LLVMPositionBuilderBefore(in->b, there);
    LLVMValueRef left = ls_of_first_lane(there, call_several(in, one, n));
    return absent ? ls_or_one(left, at) : left;
}

/* The probe of several accesses, the first of them this one, and those of each, for when it tells none and leaves them to the
 * clone: behind it, but for accesses of other blocks. */
static void insert_several_probes(struct inserter *in, unsigned number)
{
    struct probe *one[LS_SEVERAL_ALIKE];
    unsigned n = find_told(in, number, one), here = n;
    LLVMValueRef at = ls_place_of_several(one[0], one[0]->branches);
    for (unsigned i = 0; i < n; i++)
        ls_compute_before(one[i]->access.pointer, at, one[i]->access.instruction);
    LLVMPositionBuilderBefore(in->b, at);
    if (one[0]->branches)
        for (here = 0; at == one[0]->access.instruction && one[here]->block == one[0]->block;)
            here++;
    LLVMValueRef left = one[0]->branches ? call_if_all(in, one, n, at) : call_several(in, one, n);
    if (LLVMGetTypeKind(LLVMTypeOf(left)) == LLVMVoidTypeKind)
        return;
    if (!one[0]->branches)
        left = ls_of_first_lane(at, left);
    if (here)
        LLVMPositionBuilderBefore(in->b, ls_unless_zero(left, at));
    for (unsigned i = 0; i < n; i++) {
        if (i >= here)
            LLVMPositionBuilderBefore(in->b, ls_unless_zero(left, one[i]->access.instruction));
        insert_pointer_probe(in, &one[i]->access, head_of(in, one[i]->site, 0));
    }
}

/* Those of each access, where the probe of several in front of a loop told none. */
static void insert_left_probes(struct inserter *in, struct probe *const *one, unsigned n)
{
    if (!one[0]->left)
        return;
    LLVMValueRef at = LLVMGetNextInstruction(one[0]->left);
    LLVMPositionBuilderBefore(in->b, ls_unless_zero(ls_of_first_lane(at, one[0]->left), at));
    for (unsigned i = 0; i < n; i++)
        ls_probe_turns(in->m, in->b, &one[i]->told);
    one[0]->left = NULL;
}

/* The first, third, and further turns, then the others, if there is a second one. */
static void insert_alternating_probes(struct inserter *in, struct probe *const *one, unsigned n,
                                      LLVMValueRef before)
{
    LLVMValueRef more = one[0]->told.more, step = LLVMConstInt(in->m->i64, 1, 0);
    LLVMPositionBuilderBefore(in->b, before);
    LLVMValueRef some = LLVMBuildICmp(in->b, LLVMIntNE, more, LLVMConstInt(in->m->i64, 0, 0), "");
    LLVMValueRef half = LLVMBuildLShr(in->b, more, step, "");
    LLVMValueRef others = LLVMBuildLShr(in->b, LLVMBuildSub(in->b, more, step, ""), step, "");
    for (unsigned i = 0; i < n; i++)
        one[i]->told.more = half;
    call_turns_probe(in, one, n);
    insert_left_probes(in, one, n);
    LLVMPositionBuilderBefore(in->b, ls_if(some, before));
    for (unsigned i = 0; i < n; i++) {
        one[i]->told.address = one[i]->told.other;
        one[i]->told.more = others;
    }
    call_turns_probe(in, one, n);
    insert_left_probes(in, one, n);
}

/* In front of the loop, perhaps for the lanes only that make the accesses on some turns; and in it, where it may turn out not to be
 * known on which. */
static void insert_late_probes(struct inserter *in, struct probe *const *one, unsigned n)
{
    struct ls_turns *turns = one[0]->told.turns;
    LLVMValueRef before = ls_before_turns(turns), left = NULL;
    if (ls_is_guarded(turns)) {
        before = ls_if(ls_guard_lanes(turns), before);
        left = ls_guard_left(turns);
    }
    LLVMPositionBuilderBefore(in->b, before);
    if (ls_alternates(turns))
        insert_alternating_probes(in, one, n, before);
    else
        call_turns_probe(in, one, n);
    for (unsigned i = 0; left && i < n; i++) {
        LLVMPositionBuilderBefore(in->b, ls_if(left, one[i]->access.instruction));
        insert_pointer_probe(in, &one[i]->access, head_of(in, one[i]->site, 0));
    }
}

/* Splits blocks, so that the other probes have to stand. */
static void insert_all_several(struct inserter *in)
{
    struct probe *one[LS_SEVERAL];
    for (unsigned i = 0; i < in->probes.n; i++) {
        const struct probe *p = &in->probes.v[i];
        if (p->told.turns && !p->first && is_late(&p->told))
            insert_late_probes(in, one, find_told(in, i + 1, one));
    }
    for (unsigned i = 0; i < in->probes.n; i++)
        if (in->probes.v[i].left)
            insert_left_probes(in, one, find_told(in, i + 1, one));
        else if (in->probes.v[i].several && !in->probes.v[i].told.turns)
            insert_several_probes(in, i + 1);
}

/* ---- calls and ends ---- */

static bool ends_wavefront(LLVMValueRef called)
{
    const char *name = LLVMGetValueName(called);
    return !strcmp(name, "llvm.amdgcn.endpgm") || !strcmp(name, "llvm.trap") ||
           !strcmp(name, "llvm.ubsantrap");
}

static void insert_exit(struct inserter *in, LLVMValueRef before)
{
    LLVMPositionBuilderBefore(in->b, before);
    if (in->end != LS_NONE)
        insert_block_probe(in, in->end);
    probe32(in, in->m->device.exit, NULL, NULL, LLVMGetUndef(in->m->i32));
}

static void call_clone(struct inserter *in, LLVMValueRef call_, const struct ls_clone *callee)
{
    ls_strip_memory_attributes(ls_rebuild_call(call_, callee->to, in->c->wave));
}

/* Reports, as if it were an access, that a function without probes is called, and its address. */
static void insert_call_probe(struct inserter *in, LLVMValueRef made)
{
    struct ls_access a = {.instruction = made, .name = "call"};
    a.site.kind = LS_SITE_CALL;
    a.site.flags = LS_SITE_OBSERVED;
    uint32_t site = ls_add_site(in->m, in->c, &a);
    if (site == LS_NONE)
        return;
    LLVMPositionBuilderBefore(in->b, made);
    LLVMValueRef address = LLVMBuildPtrToInt(in->b, LLVMGetCalledValue(made), in->m->i64, "");
    probe64(in, in->m->device.access, address, head_of(in, site, 0));
}

/* Each function of the module that the pointer may lead to is compared with it and, if it is that one, its
 * clone called. What is left is called as it stands, and counted: a function of another module, or any where
 * too many of this one would fit. */
static void redirect_indirect_call(struct inserter *in, LLVMValueRef made)
{
    LLVMValueRef targets[LS_MAX_TARGETS];
    unsigned n = ls_call_targets(in->m, made, targets);
    for (unsigned i = 0; n <= LS_MAX_TARGETS && i < n; i++) {
        struct ls_clone *callee = ls_find_clone(in->m, targets[i]);
        LLVMValueRef direct = callee && callee->to ? ls_split_call(made, targets[i]) : NULL;
        if (direct)
            call_clone(in, direct, callee);
    }
    insert_call_probe(in, made);
}

static void redirect_calls(struct inserter *in)
{
    for (unsigned i = 0; i < in->calls.n; i++) {
        LLVMValueRef made = in->calls.v[i], f = ls_called_function(made);
        struct ls_clone *callee = f ? ls_find_clone(in->m, f) : NULL;
        if (callee && callee->to)
            call_clone(in, made, callee);
        else if (f && ends_wavefront(f))
            insert_exit(in, made);
        else if (!f && !LLVMIsAInlineAsm(LLVMGetCalledValue(made)))
            redirect_indirect_call(in, made);
    }
}

/* One exit for all returns:
 * lanes that return early must not hand over the chunk that the others still fill. */
static void insert_return_exit(struct inserter *in)
{
    value_vec returns = {0};
    FOR_EACH_INSTRUCTION(i, in->c->to)
    if (LLVMGetInstructionOpcode(i) == LLVMRet)
        VEC_PUSH(returns, i);
    if (returns.n > 1) {
        LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(in->m->context, in->c->to, "ls.end");
        for (unsigned i = 0; i < returns.n; i++) {
            LLVMPositionBuilderBefore(in->b, returns.v[i]);
            LLVMBuildBr(in->b, end);
            LLVMInstructionEraseFromParent(returns.v[i]);
        }
        LLVMPositionBuilderAtEnd(in->b, end);
        returns.v[0] = LLVMBuildRetVoid(in->b);
    }
    if (returns.n)
        insert_exit(in, returns.v[0]);
    VEC_FREE(returns);
}

void ls_probe_function(struct ls_module *m, struct ls_clone *c)
{
    struct inserter in = {.m = m, .c = c};
    if (!c->to) {
        ls_find_sites(&in, c->from, NULL);
        return;
    }
    in.b = LLVMCreateBuilderInContext(m->context);
    in.optimised = ls_code_level(m->compiler, c->to) > 0;
    c->together = ls_number_together(m->manager, c->to);
    void *uniformity = ls_uniformity(m->manager, c->to);
    c->branches = ls_find_branches(m->manager, c->to, uniformity);
    in.loops = ls_find_loops(m->manager, c->to, uniformity, m->wave32);
    ls_find_sites(&in, c->to, uniformity);
    ls_free_together(c->together);
    ls_free_branches(c->branches);
    c->together = NULL;
    c->branches = NULL;
    ls_find_blocks(&in, c->to);
    insert_entry(&in);
    insert_block_probes(&in);
    for (unsigned i = 0; i < in.probes.n; i++) {
        const struct probe *p = &in.probes.v[i];
        if (!p->led && (p->told.turns || (!p->several && !p->first)))
            insert_probe(&in, i + 1);
    }
    insert_all_several(&in);
    ls_free_loops(in.loops);
    redirect_calls(&in);
    if (c->is_kernel)
        insert_return_exit(&in);
    for (unsigned i = 0; i < in.inserted.n; i++)
        ls_inline_call(in.inserted.v[i]);
    ls_place_arrays(c->to);
    ls_invalidate(m->manager, c->to);
    LLVMDisposeBuilder(in.b);
    VEC_FREE(in.probes);
    VEC_FREE(in.blocks);
    VEC_FREE(in.calls);
    VEC_FREE(in.inserted);
}
