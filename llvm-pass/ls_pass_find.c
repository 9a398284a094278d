/*
 * ls_pass_find.c - finds what of a function gets probes, and lists what it accesses in the site table.
 *
 * Accesses of one basic block that always lie the same distance apart share the probe of the first one
 * (struct ls_site_lead in lanescope/sites.h, docs/internals/site-table.md).
 */
#include "lanescope/wire.h"
#include "ls_pass_probe.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* Groups of a block that an access is compared with. */
enum { GROUP_TRIES = 32 };
/* Earlier accesses of a block that an access is compared with, and those that one probe may stand for: in summary
 * mode all of them have one list of passes (LS_PLAN_SITE_MAX). */
enum { SHARE_TRIES = 256, SHARE_MOST = 64 };
/* Nothing in LDS lies farther apart; addresses there wrap. */
enum { SHARE_LDS = 1 << 16 };

static void mark_uniform(void *uniformity, struct ls_access *a)
{
    if (a->address == LS_ADDRESS_POINTER && ls_is_uniform(uniformity, a->pointer))
        a->site.flags |= LS_SITE_UNIFORM;
}

/* What of a load is not used, in LS_SITE_UNUSED_UNIT. */
static void mark_unused(struct ls_access *a)
{
    uint32_t bytes = a->site.bytes, unit = LS_SITE_UNUSED_UNIT(bytes);
    if (a->site.kind != LS_SITE_LOAD || bytes < 2 || bytes > 64)
        return;
    uint64_t used = ls_used_bytes(a->instruction);
    for (uint32_t k = 0; used && (k + 1) * unit <= bytes; k++)
        if (!(used >> k * unit & ((1ull << unit) - 1)))
            a->site.flags |= 1u << (LS_SITE_UNUSED_SHIFT + k);
}

static uint32_t add_block_site(struct inserter *in, LLVMValueRef where, const char *name)
{
    struct ls_access a = {.instruction = where, .name = name};
    a.site.kind = LS_SITE_BLOCK;
    a.site.flags = LS_SITE_OBSERVED;
    return ls_add_site(in->m, in->c, &a);
}

/* Site of a block, or LS_NONE. Its line is that of its first instruction that has one. */
static uint32_t find_block(struct inserter *in, LLVMBasicBlockRef block)
{
    LLVMValueRef located = LLVMGetBasicBlockTerminator(block);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMMetadataRef l = LLVMInstructionGetDebugLoc(i);
        if (LLVMGetInstructionOpcode(i) == LLVMPHI || ls_is_debug_call(i) || !l || !LLVMDILocationGetLine(l))
            continue;
        located = i;
        break;
    }
    return add_block_site(in, located, "block");
}

/*
 * Writes the block's site into the debug locations of the original's block, beside the tags of its accesses.
 * Marks stand in the line table only, so the code stays the same, and code generation carries them along:
 * they tell the host which block a machine instruction comes from (docs/handlers/instruction_mix.md).
 */
static void mark_block(LLVMBasicBlockRef original, uint32_t site)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(original); i; i = LLVMGetNextInstruction(i)) {
        if (ls_is_debug_call(i))
            continue;
        unsigned tag = ls_get_tag(i);
        if (site <= LS_MARK_BLOCK_MAX && tag <= LS_MARK_TAG_MAX)
            ls_set_tag(i, LS_MARK_OF(site, tag));
    }
}

static void find_marks(struct inserter *in, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(in->c->from); b; b = LLVMGetNextBasicBlock(b))
        VEC_PUSH(in->blocks, (struct block){NULL, LS_NONE});
    FOR_EACH_INSTRUCTION(i, function)
    {
        uint32_t block = ls_marked_block(i);
        if (block != LS_NONE)
            in->blocks.v[block].mark = i;
    }
}

void ls_find_blocks(struct inserter *in, LLVMValueRef function)
{
    in->calibration = in->end = LS_NONE;
    if (in->m->blocks == LS_BLOCKS_OFF)
        return;
    find_marks(in, function);
    LLVMBasicBlockRef original = LLVMGetFirstBasicBlock(in->c->from);
    for (unsigned i = 0; i < in->blocks.n; i++, original = LLVMGetNextBasicBlock(original)) {
        uint32_t site = in->blocks.v[i].mark ? find_block(in, original) : LS_NONE;
        if (site != LS_NONE)
            mark_block(original, site);
        in->blocks.v[i].site = site;
    }
    if (in->c->is_kernel) {
        LLVMValueRef nowhere = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(function));
        in->calibration = add_block_site(in, nowhere, "calibration");
        in->end = add_block_site(in, nowhere, "end");
    }
}

static void number_variables(struct ls_module *m)
{
    unsigned n = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(m->module); g; g = LLVMGetNextGlobal(g)) {
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != 3)
            continue;
        struct ls_variable *v = ls_realloc(NULL, sizeof *v);
        *v = (struct ls_variable){.variable = g, .number = ++n};
        HASH_ADD_PTR(m->variables, variable, v);
    }
}

/* NULL: 0. */
static unsigned number_of_variable(struct ls_module *m, LLVMValueRef variable)
{
    struct ls_variable *v = NULL;
    if (variable && !m->variables)
        number_variables(m);
    if (variable)
        HASH_FIND_PTR(m->variables, &variable, v);
    return v ? v->number : 0;
}

/* Puts an access into the group of an earlier one of its block, or begins a new group. */
static void find_group(struct inserter *in, const struct probe *p)
{
    struct ls_site_place *all = in->m->table.places.v;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(p->access.instruction);
    uint32_t group = p->site + 1;
    int64_t distance = 0;
    unsigned tried = 0;
    for (unsigned i = in->probes.n;
         p->access.address == LS_ADDRESS_POINTER && !p->access.offset && i > 0 && tried < GROUP_TRIES; i--) {
        const struct probe *q = &in->probes.v[i - 1];
        if (LLVMGetInstructionParent(q->access.instruction) != block)
            break;
        bool first = all[q->site].group == q->site + 1;
        if (!first || q->access.address != LS_ADDRESS_POINTER || q->access.offset)
            continue;
        tried++;
        if (ls_constant_distance(in->m->manager, q->access.pointer, p->access.pointer, in->c->to,
                                 &distance)) {
            group = all[q->site].group;
            break;
        }
    }
    if (p->access.address == LS_ADDRESS_POINTER)
        all[p->site].variable = number_of_variable(in->m, ls_variable_of(p->access.pointer, in->c->to));
    all[p->site].group = group;
    all[p->site].distance = group == p->site + 1 ? 0 : (int32_t)distance;
}

/* Whether what an access does is known from its address, and its place in time does not matter. */
static bool can_share(const struct inserter *in, const struct ls_access *a)
{
    const struct ls_site *s = &a->site;
    if (a->address != LS_ADDRESS_POINTER || a->offset || a->length || s->flags & LS_SITE_ATOMIC ||
        !s->bytes || s->bytes > LS_PLAN_LONG)
        return false;
    bool plain = s->kind == LS_SITE_LOAD || s->kind == LS_SITE_STORE || s->kind == LS_SITE_COPY_READ ||
                 s->kind == LS_SITE_COPY_WRITE;
    bool known = s->space == 1 || s->space == 3 || s->space == 4 || (s->space == 0 && in->optimised);
    return plain && known;
}

static bool same_variable(const struct ls_site_place *a, const struct ls_site_place *b)
{
    return a->group == b->group && a->variable == b->variable;
}

/* Finds an earlier access of the stretch whose probe stands for this one, too. */
static void share_probe(struct inserter *in, struct probe *p)
{
    const struct ls_site_place *all = in->m->table.places.v, *mine = &all[p->site];
    LLVMBasicBlockRef block = LLVMGetInstructionParent(p->access.instruction);
    unsigned tried = 0;
    for (unsigned i = in->probes.n; p->shares && i > 0 && tried < SHARE_TRIES; i--, tried++) {
        struct probe *q = &in->probes.v[i - 1];
        if (q->stretch != p->stretch || LLVMGetInstructionParent(q->access.instruction) != block)
            break;
        if (!q->shares || q->led || q->leads == SHARE_MOST - 1 || !same_variable(mine, &all[q->site]) ||
            q->access.site.space != p->access.site.space)
            continue;
        int64_t distance = (int64_t)mine->distance - all[q->site].distance;
        int64_t most = p->access.site.space == 3 ? SHARE_LDS : INT32_MAX;
        if (distance > most || distance < -most)
            continue;
        VEC_PUSH(in->m->table.leads, (struct ls_site_lead){q->site, p->site, (int32_t)distance});
        q->leads++;
        p->led = true;
        break;
    }
}

/* Whether it may be one of several that one probe tells. */
static bool is_one_of_several(const struct inserter *in, const struct probe *p)
{
    unsigned space = p->access.site.space;
    return in->optimised && p->shares && !p->led && !p->told.turns &&
           (space == 1 || space == 3 || space == 4);
}

/* Whether one probe may find out for both what scattered lanes cost. */
static bool are_alike(const struct probe *a, const struct probe *b)
{
    const struct ls_site *one = &a->access.site, *other = &b->access.site;
    return !a->several && one->space != 3 && other->space != 3 && one->bytes == other->bytes;
}

/* How many one probe can tell that are at such distances, of which some may have a stride of their own. */
static unsigned most_of_several(const struct inserter *in, const struct probe *first, enum ls_apart apart)
{
    return in->m->many || first->shapes || apart != LS_APART_ALIKE ? LS_SEVERAL : LS_SEVERAL_ALIKE;
}

static bool comes_in_time(const struct probe *p, LLVMValueRef before)
{
    return ls_comes_in_time(p->access.pointer, before, p->access.instruction);
}

/* The same of what is in another block than the first one: it is executed by the same lanes if the condition holds in all. */
static bool comes_if_all(const struct probe *p, LLVMValueRef before, void *uniformity)
{
    return comes_in_time(p, before) &&
           (!p->fork || (ls_mostly_holds(uniformity, p->condition, p->negated) &&
                         ls_comes_in_time(p->condition, before, p->access.instruction)));
}

/* Whether one probe can tell both at its place, as far as what is executed goes, and what is computed when. */
static bool can_be_together(const struct inserter *in, const struct probe *first, const struct probe *p,
                            void *uniformity)
{
    LLVMValueRef begin = ls_place_of_several(first, first->branches || first->block != p->block);
    if (!first->branches && first->block == p->block)
        return comes_in_time(p, begin);
    if (in->m->many || in->m->blocks != LS_BLOCKS_OFF || first->scattered ||
        !ls_continues(first->block, p->block) || !comes_if_all(p, begin, uniformity) ||
        ls_seldom_whole(uniformity, LLVMGetInstructionParent(begin)))
        return false;
    return first->branches || !first->fork ||
           (!first->several && first->at_start && comes_if_all(first, begin, uniformity));
}

/* Finds the access in front of it, if one probe may tell both, and what that one's tells. */
static void find_several(struct inserter *in, struct probe *p, void *uniformity)
{
    unsigned i = in->probes.n;
    while (i > 0 && in->probes.v[i - 1].led)
        i--;
    if (!i || !is_one_of_several(in, p))
        return;
    unsigned number = in->probes.v[i - 1].first ? in->probes.v[i - 1].first : i;
    struct probe *first = &in->probes.v[number - 1];
    if (!is_one_of_several(in, first) || first->stretch != p->stretch ||
        p->site - first->site > LS_SEVERAL_SITES)
        return;
    const bool branches = first->branches || first->block != p->block;
    enum ls_apart apart =
        ls_lie_apart(uniformity, first->access.pointer, p->access.pointer, first->access.instruction);
    if (apart == LS_APART_UNKNOWN || (apart == LS_APART_SCATTERED && (branches || !are_alike(first, p))) ||
        first->several >= most_of_several(in, first, apart) || !can_be_together(in, first, p, uniformity))
        return;
    first->shapes |= apart == LS_APART_EVENLY;
    first->scattered = apart == LS_APART_SCATTERED;
    first->branches = branches;
    first->several += first->several ? 1 : 2;
    p->first = number;
}

static struct ls_told told_by_loop(struct inserter *in, const struct ls_access *a, uint32_t site)
{
    struct ls_turns *turns = ls_turns_of(in->loops, a->instruction, a->pointer);
    if (turns && (ls_is_guarded(turns) || ls_alternates(turns)) && !in->optimised)
        turns = NULL;
    return (struct ls_told){.turns = turns, .number = site - in->c->skip, .lds = a->site.space == 3};
}

/* Finds an access before it of which the same loop's turns are told, if one probe may tell both. */
static void find_loop(struct inserter *in, struct probe *p)
{
    for (unsigned i = in->probes.n, tried = 0; in->optimised && i > 0 && tried < SHARE_TRIES; i--, tried++) {
        const struct probe *q = &in->probes.v[i - 1];
        if (!q->told.turns || !ls_same_loop(q->told.turns, p->told.turns))
            continue;
        unsigned number = q->first ? q->first : i;
        struct probe *first = &in->probes.v[number - 1];
        if (first->several == LS_SEVERAL || p->site - first->site > LS_SEVERAL_SITES)
            return;
        first->several += first->several ? 1 : 2;
        p->first = number;
        return;
    }
}

/* An access that gets a probe, or shares one. */
static void add_probe(struct inserter *in, const struct ls_access *a, uint32_t site, void *uniformity)
{
    struct probe p = {.access = *a, .site = site, .stretch = in->stretch, .shares = can_share(in, a)};
    p.block = LLVMGetInstructionParent(a->instruction);
    p.at_start = in->at_start == in->stretch;
    p.fork = ls_branch_over(p.block, &p.condition, &p.negated);
    find_group(in, &p);
    share_probe(in, &p);
    /* Flat addresses may lie in another memory on another turn. */
    if (p.shares && !p.led && a->site.space != 0)
        p.told = told_by_loop(in, a, site);
    if (p.told.turns)
        find_loop(in, &p);
    else
        find_several(in, &p, uniformity);
    VEC_PUSH(in->probes, p);
}

void ls_find_sites(struct inserter *in, LLVMValueRef function, void *uniformity)
{
    unsigned seen = LLVMGetMDKindIDInContext(in->m->context, "lanescope.seen", strlen("lanescope.seen"));
    unsigned merged =
        LLVMGetMDKindIDInContext(in->m->context, "lanescope.merged", strlen("lanescope.merged"));
    FOR_EACH_INSTRUCTION(i, function)
    {
        if (i == LLVMGetFirstInstruction(LLVMGetInstructionParent(i)))
            in->at_start = in->stretch;
        struct ls_access a[LS_MAX_ACCESSES];
        unsigned n = ls_is_own_load(i) ? 0 : ls_classify(in->m, i, a);
        for (unsigned k = 0; k < n; k++) {
            if (uniformity)
                mark_uniform(uniformity, &a[k]), mark_unused(&a[k]);
            else
                a[k].site.reason = LS_REASON_NO_LINE,
                a[k].site.flags &= ~(uint32_t)(LS_SITE_OBSERVED | LS_SITE_MERGED);
            if (uniformity && in->m->blocks == LS_BLOCKS_ONLY && a[k].address != LS_ADDRESS_NONE) {
                a[k].address = LS_ADDRESS_NONE;
                a[k].site.reason = LS_REASON_FILTERED;
                a[k].site.flags &= ~(uint32_t)LS_SITE_OBSERVED;
            }
            uint32_t site = ls_add_site(in->m, in->c, &a[k]);
            if (!uniformity || site == LS_NONE || a[k].address == LS_ADDRESS_NONE)
                continue;
            add_probe(in, &a[k], site, uniformity);
        }
        in->stretch += ls_separates(i);
        if (uniformity && LLVMGetInstructionOpcode(i) == LLVMCall && ls_marked_block(i) == LS_NONE)
            VEC_PUSH(in->calls, i);
        if (uniformity)
            LLVMSetMetadata(i, seen, NULL), LLVMSetMetadata(i, merged, NULL);
    }
    ls_forget_lines(function);
}
