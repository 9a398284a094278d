/* isa.c - see isa.h. Disassembly by comgr. */
#include "isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bases.h"
#include "common/vector.h"
#include "gcn/gcn.h"
#include "gpus/occupancy.h"
#include "objects/comgr.h"
#include "objects/elf_image.h"
#include "lanes.h"
#include "join/machine/text/op_text.h"
#include "lines.h"
#include "loops.h"
#include "masks.h"
#include "objects/metadata.h"
#include "rows.h"
#include "scratch.h"
#include "target.h"
#include "lanescope/handler.h"
#include "lanescope/sites.h"

struct ls_isa {
    const struct ls_comgr *comgr;
    amd_comgr_disassembly_info_t disassembler;
    char name[256]; /* of the target */
    struct ls_elf_names *names;
    struct ls_metadata *metadata;
    struct ls_lines *lines; /* NULL: out of memory, no instruction has a place */
    struct gcn_target target;
    bool decodes; /* gcn/ knows the target */
};

/* A function's code on the way through it. */
struct cursor {
    const struct ls_isa *isa;
    const struct ls_elf_code *code;
    unsigned lanes; /* of its wavefronts */
    char text[512]; /* of the instruction that was disassembled last */
};

static uint64_t read_code(uint64_t from, char *to, uint64_t size, void *data)
{
    const struct cursor *c = data;
    if (from < c->code->address || from - c->code->address >= c->code->size)
        return 0;
    uint64_t at = from - c->code->address, left = c->code->size - at;
    if (size > left)
        size = left;
    memcpy(to, c->code->code + at, size);
    return size;
}

static void keep_text(const char *text, void *data)
{
    struct cursor *c = data;
    while (*text == ' ' || *text == '\t')
        text++;
    snprintf(c->text, sizeof c->text, "%s", text);
    for (char *s = c->text; *s; s++)
        if (*s == '\t')
            *s = ' ';
}

static void ignore_address(uint64_t address, void *data)
{
    (void)address, (void)data;
}

struct ls_isa *ls_isa_open(const void *image, size_t bytes, const char *isa, const char **why)
{
    struct ls_isa *x = calloc(1, sizeof *x);
    *why = "out of memory";
    if (!x)
        return NULL;
    x->decodes = gcn_target_find(ls_target_gpu(isa), &x->target);
    snprintf(x->name, sizeof x->name, "%s", isa);
    x->comgr = ls_comgr();
    *why = x->comgr ? "libamd_comgr does not know this target" : "libamd_comgr is not there";
    if (!x->comgr || x->comgr->create_disassembly_info(isa, read_code, keep_text, ignore_address,
                                                       &x->disassembler) != AMD_COMGR_STATUS_SUCCESS) {
        free(x);
        return NULL;
    }
    *why = NULL;
    x->names = ls_elf_names_open(image, bytes);
    x->metadata = ls_metadata_of_image(image, bytes);
    x->lines = ls_lines_open(image, bytes);
    return x;
}

void ls_isa_close(struct ls_isa *x)
{
    ls_lines_close(x->lines);
    ls_metadata_free(x->metadata);
    ls_elf_names_close(x->names);
    x->comgr->destroy_disassembly_info(x->disassembler);
    free(x);
}

static void find_line(struct ls_isa *x, uint64_t address, struct ls_isa_instruction *i)
{
    struct ls_place place;
    if (!ls_lines_place(x->lines, address, &place))
        return;
    i->file = strdup(place.file);
    i->line = place.line;
    i->column = place.column;
    i->tag = LS_MARK_TAG(place.marks);
    i->row = place.row;
    i->calls = ls_lines_calls(x->lines, address);
}

/* What the instructions before one tell of it. */
struct before {
    struct ls_base base;
    struct ls_moved moved;
    uint32_t mask, epoch;
    struct ls_lanes_region one; /* that it stands in, if it does */
    bool input, scratch, in_clause;
};

/* Puts the text of the instruction at offset `at` into c->text; returns its size, 0: there is none. */
static uint64_t disassemble(struct cursor *c, uint64_t at)
{
    uint64_t size = 0;
    c->text[0] = 0;
    return c->isa->comgr->disassemble_instruction(c->isa->disassembler, c->code->address + at, c, &size) ==
                   AMD_COMGR_STATUS_SUCCESS
               ? size
               : 0;
}

/* What the instruction at offset `at` does: by its words, or by its text where there is no decoder. Returns its
 * size; 0: there is none, as in the padding behind a function's code. */
static uint64_t read_op(struct cursor *c, uint64_t at, struct ls_op *op)
{
    struct gcn_inst in;
    uint32_t words[GCN_WORDS] = {0};
    uint64_t left = c->code->size - at, size;
    unsigned n = (unsigned)((left < sizeof words ? left : sizeof words) / 4);
    memcpy(words, c->code->code + at, 4 * n);
    const struct gcn_target target = {c->isa->target.gpu, c->lanes};
    size = c->isa->decodes ? gcn_decode(target, words, n, c->code->address + at, &in) : 0;
    if (size) {
        *op = ls_op_decoded(target, &in, (int64_t)at);
        return size;
    }
    size = disassemble(c, at);
    if (size)
        *op = ls_op_text(c->text, c->lanes, words[0], (int64_t)at);
    return size;
}

static int add_instruction(struct ls_isa *x, struct cursor *c, struct ls_isa_listing *out, uint64_t offset,
                           const struct ls_isa_form *form, const struct before *b)
{
    disassemble(c, offset);
    if (!LS_ROOM(out->items, out->n))
        return -1;
    struct ls_isa_instruction *i = &out->items[out->n];
    *i = (struct ls_isa_instruction){.offset = offset,
                                     .text = strdup(c->text),
                                     .base = b->base.number,
                                     .root = b->base.root,
                                     .shift = b->base.shift,
                                     .low = b->base.low,
                                     .low_shift = b->base.low_shift,
                                     .mask = b->mask,
                                     .epoch = b->epoch,
                                     .one = b->one,
                                     .moved = b->moved,
                                     .input = b->input,
                                     .in_clause = b->in_clause,
                                     .form = *form};
    if (!i->text)
        return -1;
    if (b->scratch)
        i->form.class = LS_ISA_SCRATCH;
    out->n++;
    find_line(x, c->code->address + offset, i);
    return 0;
}

/* What makes the flow of a function. */
struct branches {
    struct ls_branch *items;
    size_t n;
    uint64_t *barriers; /* offsets */
    size_t n_barriers;
};

/* Returns -1 when out of memory. */
static int add_barrier(struct branches *l, uint64_t at)
{
    if (!LS_ROOM(l->barriers, l->n_barriers))
        return -1;
    l->barriers[l->n_barriers++] = at;
    return 0;
}

/* Returns -1 when out of memory. */
static int add_branch(struct branches *l, const struct ls_op *op, uint64_t at, uint64_t size)
{
    if (!LS_ROOM(l->items, l->n))
        return -1;
    l->items[l->n++] = (struct ls_branch){.at = at,
                                          .next = at + size,
                                          .target = (uint64_t)op->target,
                                          .jumps = op->flags & LS_OP_JUMPS,
                                          .falls = op->flags & LS_OP_FALLS};
    return 0;
}

static int add_flow(struct branches *l, const struct ls_op *op, uint64_t at, uint64_t size)
{
    if (op->flags & (LS_OP_JUMPS | LS_OP_STOPS) && add_branch(l, op, at, size) != 0)
        return -1;
    return op->flags & LS_OP_BARRIER ? add_barrier(l, at) : 0;
}

/* Beside the numbers of blocks: for instructions in a condition that has no branch, only a mask of lanes. */
static const uint32_t MASKED = 0x80000000u;

static bool is_target(const struct branches *b, uint64_t offset)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->items[i].jumps && b->items[i].target == offset)
            return true;
    return false;
}

static uint32_t together(const struct ls_loops *l, uint64_t offset, uint32_t mask)
{
    return mask && ls_loops_block(l, mask - 1) == ls_loops_block(l, offset) ? MASKED | mask
                                                                            : ls_loops_together(l, offset);
}

/* Whether only the lowest active lane of those that come to the region's start executes the instruction: from
 * where the lanes were counted to where all but one are switched off there is no way in or out, and no other
 * way to the instruction. */
static bool is_one_lane(const struct ls_loops *l, const struct branches *b,
                        const struct ls_isa_instruction *i)
{
    const struct ls_lanes_region *r = &i->one;
    if (!r->start || ls_loops_block(l, r->counted) != ls_loops_block(l, r->start - 1))
        return false;
    if (i->block == ls_loops_block(l, r->start - 1))
        return true;
    return r->behind && i->block == ls_loops_block(l, r->behind) && !is_target(b, r->behind);
}

/* Without any barrier the program may have some that code generation left out, for a work-group of one
 * wavefront needs none. */
static uint32_t barriers_before(const struct ls_loops *l, const struct branches *b, uint64_t offset)
{
    uint32_t n = ls_loops_barriers(l, b->barriers, b->n_barriers, offset);
    return b->n_barriers && n != 0xffffffffu ? n + 1 : 0;
}

static int count_loops(struct ls_isa_listing *l, const struct branches *b, uint64_t size)
{
    struct ls_loops *loops = ls_loops_find(b->items, b->n, size);
    if (!loops || ls_loops_find_barriers(loops, b->barriers, b->n_barriers)) {
        ls_loops_free(loops);
        return -1;
    }
    for (size_t k = 0; k < l->n; k++) {
        struct ls_isa_instruction *i = &l->items[k];
        i->loops = ls_loops_at(loops, i->offset);
        i->block = ls_loops_block(loops, i->offset);
        i->together = together(loops, i->offset, i->mask);
        i->barriers = barriers_before(loops, b, i->offset);
        i->one_lane = is_one_lane(loops, b, i);
        i->around = i->one_lane ? together(loops, i->one.start - 1, i->one.mask) : i->together;
    }
    ls_loops_free(loops);
    return 0;
}

/* Regions with an access that one lane does. */
static uint32_t count_one_lane_regions(const struct ls_isa_listing *l)
{
    uint64_t last = 0;
    uint32_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->items[i].one_lane && l->items[i].one.start != last) {
            last = l->items[i].one.start;
            n++;
        }
    return n;
}

const struct ls_elf_names *ls_isa_names(const struct ls_isa *x)
{
    return x->names;
}

struct ls_lines *ls_isa_lines(const struct ls_isa *x)
{
    return x->lines;
}

static bool is_kernel(const struct ls_isa *x, const char *name)
{
    struct ls_elf_code descriptor;
    return ls_elf_names_descriptor(x->names, name, &descriptor);
}

/* Scalar registers in which a kernel starts with pointers to what the runtime made: the first ones. Those of
 * preloaded arguments follow. Where they stand: LLVM's "User Guide for AMDGPU Backend", sections "Kernel
 * Descriptor" (bits of kernel_code_properties, bytes 56 and 57) and "Initial Kernel Execution State". */
static unsigned count_inputs(const struct ls_isa *x, const char *kernel)
{
    enum { PROPERTIES = 56, PRIVATE_BUFFER = 1, DISPATCH = 2, QUEUE = 4, KERNARG = 8 };
    struct ls_elf_code descriptor;
    if (!ls_elf_names_descriptor(x->names, kernel, &descriptor) || descriptor.size <= PROPERTIES)
        return 0; /* no kernel */
    unsigned bits = descriptor.code[PROPERTIES];
    return (bits & PRIVATE_BUFFER ? 4 : 0) + (bits & DISPATCH ? 2 : 0) + (bits & QUEUE ? 2 : 0) +
           (bits & KERNARG ? 2 : 0);
}

/* Marks where blocks begin, one byte for each 4 of the code: where branches lead to, and behind them. */
static void mark_blocks(bool *begins, struct cursor *c)
{
    struct ls_op op;
    for (uint64_t at = 0, size; at < c->code->size; at += size ? size : 4) {
        size = read_op(c, at, &op);
        if (!size || !(op.flags & LS_OP_JUMPS))
            continue;
        if (op.target >= 0 && (uint64_t)op.target < c->code->size)
            begins[op.target / 4] = true;
        begins[(at + size) / 4] = true;
    }
}

/* Tells which blocks write which registers. False: some instruction may write any. */
static bool expect_writes(struct ls_bases *bases, const bool *begins, struct cursor *c)
{
    struct ls_op op;
    uint32_t block = 1;
    for (uint64_t at = 0, size; at < c->code->size; at += size ? size : 4) {
        size = read_op(c, at, &op);
        block += begins[at / 4];
        if (size && op.flags & LS_OP_CLOBBERS)
            return false;
        if (size)
            ls_bases_expect(bases, &op, block);
    }
    return true;
}

/* Lanes of the function's wavefronts. Where there are two sizes, a kernel's descriptor says which one it has; of other
 * functions nothing does. */
static unsigned count_lanes(const struct ls_isa *x, const char *function)
{
    struct ls_elf_code descriptor;
    unsigned usual = x->decodes ? x->target.lanes : ls_gpu_lanes(ls_target_gpu(x->name));
    if (!ls_elf_names_descriptor(x->names, function, &descriptor) || descriptor.size < LS_DESCRIPTOR_BYTES)
        return usual;
    const struct ls_kernel_registers registers = ls_registers_of(descriptor.code);
    return ls_registers_lanes(&registers, usual);
}

/* What follows the instructions of a function. */
struct followers {
    struct ls_bases bases;
    struct ls_moves moves;
    struct ls_lanes lanes;
    struct ls_masks masks;
    struct ls_scratch scratch;
    unsigned inputs;
    unsigned clause; /* instructions of this one that are still to come */
    bool clause_began;
    bool *begins; /* a block, by 4 bytes */
};

static struct followers *follow(const struct ls_isa *x, struct cursor *c, const char *kernel)
{
    struct followers *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->begins = calloc(c->code->size / 4 + 2, sizeof *f->begins);
    if (!f->begins) {
        free(f);
        return NULL;
    }
    f->scratch = ls_scratch_begin(is_kernel(x, kernel), ls_scratch_has_instructions(x->name));
    f->inputs = count_inputs(x, kernel);
    mark_blocks(f->begins, c);
    f->bases.expected = is_kernel(x, kernel) && expect_writes(&f->bases, f->begins, c);
    return f;
}

/* Whether it stands in a clause, behind the first instruction. */
static bool follow_clause(struct followers *f, const struct ls_op *op)
{
    bool inside = f->clause && f->clause_began;
    f->clause_began = f->clause;
    f->clause -= f->clause ? 1 : 0;
    if (op->clause) {
        f->clause = op->clause;
        f->clause_began = false;
    }
    return inside;
}

/* `number`: of the instruction in the listing, if it goes there. */
static struct before next_of(struct followers *f, const struct ls_op *op, uint64_t at, uint64_t size,
                             size_t number)
{
    struct before b = {.mask = f->masks.now};
    if (f->begins[at / 4]) {
        ls_bases_block(&f->bases);
        ls_moves_block(&f->moves);
    }
    b.moved = ls_moves_next(&f->moves, op, (uint32_t)number);
    b.input = ls_bases_input(&f->bases, op, f->inputs);
    b.base = ls_bases_next(&f->bases, op);
    b.scratch = ls_scratch_next(&f->scratch, op);
    b.one = ls_lanes_next(&f->lanes, op, at, size, b.mask);
    b.epoch = f->lanes.epoch;
    ls_masks_next(&f->masks, op, at);
    b.in_clause = follow_clause(f, op);
    return b;
}

static int list_memory(struct ls_isa *x, struct cursor *c, struct followers *f, struct ls_isa_listing *out)
{
    struct branches branches = {0};
    int rc = 0;
    for (uint64_t at = 0, size; !rc && at < c->code->size; at += size ? size : 4) {
        struct ls_op op;
        size = read_op(c, at, &op);
        if (!size)
            continue;
        const struct before before = next_of(f, &op, at, size, out->n);
        rc = op.form.class != LS_ISA_NONE ? add_instruction(x, c, out, at, &op.form, &before)
                                          : add_flow(&branches, &op, at, size);
    }
    if (!rc)
        rc = count_loops(out, &branches, c->code->size);
    free(branches.items);
    free(branches.barriers);
    return rc;
}

int ls_isa_list(struct ls_isa *x, const char *kernel, struct ls_isa_listing *out, const char **why)
{
    struct ls_elf_code code;
    struct cursor c = {.isa = x, .code = &code, .lanes = count_lanes(x, kernel)};
    memset(out, 0, sizeof *out);
    *why = "the code object has no symbol of that kernel's code";
    if (!ls_elf_names_function(x->names, kernel, &code))
        return -1;
    struct followers *f = follow(x, &c, kernel);
    int rc = f ? list_memory(x, &c, f, out) : -1;
    ls_rows_find_followers(out);
    out->counts_lanes = !rc && f->lanes.counts > count_one_lane_regions(out);
    if (f)
        free(f->begins);
    free(f);
    *why = rc ? "out of memory" : NULL;
    if (rc)
        ls_isa_listing_free(out);
    return rc;
}

void ls_isa_listing_free(struct ls_isa_listing *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->items[i].text);
        free(l->items[i].file);
        free(l->items[i].calls);
    }
    free(l->items);
    memset(l, 0, sizeof *l);
}

/* ---- all instructions ---- */

static void place_instruction(struct ls_isa *x, uint64_t start, struct lanescope_instruction *i)
{
    struct ls_place place;
    if (!ls_lines_place(x->lines, start + i->offset, &place))
        return;
    if (place.row >= start)
        i->row = place.row - start;
    i->file = strdup(place.file);
    i->line = place.line;
    i->column = place.column;
    i->site = LS_MARK_BLOCK(place.marks);
}

struct code_list {
    struct lanescope_instruction *items;
    uint32_t n;
};

static uint8_t flags_of(const struct ls_op *op)
{
    bool goes_on = !(op->flags & LS_OP_STOPS) && (!(op->flags & LS_OP_JUMPS) || op->flags & LS_OP_FALLS);
    return (uint8_t)((goes_on ? 0 : LANESCOPE_CODE_ENDS) |
                     (op->flags & LS_OP_BARRIER ? LANESCOPE_CODE_BARRIER : 0));
}

static int list_code(struct ls_isa *x, struct cursor *c, struct code_list *l)
{
    for (uint64_t at = 0, size; at < c->code->size; at += size ? size : 4) {
        struct ls_op op;
        size = read_op(c, at, &op);
        if (!size || !disassemble(c, at))
            continue;
        char *text = LS_ROOM(l->items, l->n) ? strdup(c->text) : NULL;
        if (!text)
            return -1;
        struct lanescope_instruction *i = &l->items[l->n];
        *i = (struct lanescope_instruction){.offset = at,
                                            .text = text,
                                            .row = ~0ull,
                                            .site = LANESCOPE_NO_SITE,
                                            .code_class = op.code_class,
                                            .flags = flags_of(&op),
                                            .target = op.flags & LS_OP_JUMPS ? op.target : -1};
        place_instruction(x, c->code->address, i);
        l->n++;
    }
    return 0;
}

int ls_isa_code(struct ls_isa *x, const char *name, struct lanescope_instruction **out, uint32_t *n,
                const char **why)
{
    struct ls_elf_code code;
    *out = NULL;
    *n = 0;
    *why = "the code object has no symbol of that function's code";
    return ls_elf_names_function(x->names, name, &code) ? ls_isa_code_at(x, name, &code, out, n, why) : -1;
}

int ls_isa_code_at(struct ls_isa *x, const char *name, const struct ls_elf_code *code,
                   struct lanescope_instruction **out, uint32_t *n, const char **why)
{
    struct cursor c = {.isa = x, .code = code, .lanes = count_lanes(x, name)};
    struct code_list l = {0};
    *out = NULL;
    *n = 0;
    *why = NULL;
    if (list_code(x, &c, &l) != 0) {
        *why = "out of memory";
        ls_isa_code_free(l.items, l.n);
        return -1;
    }
    *out = l.items;
    *n = l.n;
    return 0;
}

void ls_isa_code_free(struct lanescope_instruction *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        free((char *)list[i].text);
        free((char *)list[i].file);
    }
    free(list);
}

bool ls_isa_registers(struct ls_isa *x, const char *kernel, struct ls_isa_registers *out)
{
    return ls_metadata_registers(x->metadata, kernel, out);
}
