/* isa.c - see isa.h. Disassembly and metadata by comgr, source lines by libdw. */
#include "isa.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bases.h"
#include "comgr.h"
#include "elf_image.h"
#include "lanes.h"
#include "loops.h"
#include "operands.h"
#include "lanescope/handler.h"
#include "lanescope/sites.h"

struct ls_isa {
    const void *image;
    size_t bytes;
    const struct ls_comgr *comgr;
    amd_comgr_disassembly_info_t disassembler;
    amd_comgr_data_t data;
    amd_comgr_metadata_node_t metadata;
    bool has_metadata;
    Elf *elf;
    Dwarf *dwarf; /* NULL: no line table */
};

/* What one disassembly call reads and writes. */
struct cursor {
    const struct ls_elf_code *code;
    char text[512];
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

static void open_lines(struct ls_isa *x)
{
    elf_version(EV_CURRENT);
    x->elf = elf_memory((char *)(uintptr_t)x->image, x->bytes);
    x->dwarf = x->elf ? dwarf_begin_elf(x->elf, DWARF_C_READ, NULL) : NULL;
}

static void open_metadata(struct ls_isa *x)
{
    const struct ls_comgr *c = x->comgr;
    if (c->create_data(AMD_COMGR_DATA_KIND_EXECUTABLE, &x->data) != AMD_COMGR_STATUS_SUCCESS)
        return;
    if (c->set_data(x->data, x->bytes, x->image) == AMD_COMGR_STATUS_SUCCESS &&
        c->get_data_metadata(x->data, &x->metadata) == AMD_COMGR_STATUS_SUCCESS)
        x->has_metadata = true;
    else
        c->release_data(x->data);
}

struct ls_isa *ls_isa_open(const void *image, size_t bytes, const char *isa, const char **why)
{
    struct ls_isa *x = calloc(1, sizeof *x);
    *why = "out of memory";
    if (!x)
        return NULL;
    x->image = image;
    x->bytes = bytes;
    x->comgr = ls_comgr();
    *why = "libamd_comgr is not there";
    if (x->comgr) {
        *why = "libamd_comgr does not know this target";
        if (x->comgr->create_disassembly_info(isa, read_code, keep_text, ignore_address, &x->disassembler) ==
            AMD_COMGR_STATUS_SUCCESS) {
            *why = NULL;
            open_lines(x);
            open_metadata(x);
            return x;
        }
    }
    free(x);
    return NULL;
}

void ls_isa_close(struct ls_isa *x)
{
    if (x->has_metadata) {
        x->comgr->destroy_metadata(x->metadata);
        x->comgr->release_data(x->data);
    }
    if (x->dwarf)
        dwarf_end(x->dwarf);
    if (x->elf)
        elf_end(x->elf);
    x->comgr->destroy_disassembly_info(x->disassembler);
    free(x);
}

/* Appends the inlined calls that contain the address, outermost first, and returns whether the entry does. */
static void inlined_calls(Dwarf_Die *parent, uint64_t address, uint32_t calls[][2], unsigned *n,
                          unsigned room)
{
    Dwarf_Die child;
    if (dwarf_child(parent, &child) != 0)
        return;
    do {
        Dwarf_Attribute a;
        Dwarf_Word line = 0, column = 0;
        int tag = dwarf_tag(&child);
        if (dwarf_haspc(&child, address) != 1)
            continue;
        if (tag == DW_TAG_inlined_subroutine && *n < room) {
            if (dwarf_attr(&child, DW_AT_call_line, &a))
                dwarf_formudata(&a, &line);
            if (dwarf_attr(&child, DW_AT_call_column, &a))
                dwarf_formudata(&a, &column);
            calls[*n][0] = (uint32_t)line;
            calls[(*n)++][1] = (uint32_t)column;
        }
        inlined_calls(&child, address, calls, n, room);
        return;
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* malloc'd text of ls_isa_instruction.calls; NULL when out of memory. */
static char *calls_of(Dwarf *dwarf, uint64_t address)
{
    enum { DEPTH = 64 };
    Dwarf_Off unit = 0, next;
    size_t header, size;
    uint32_t calls[DEPTH][2];
    unsigned n = 0;
    char *text = NULL;
    while (dwarf && !n && dwarf_nextcu(dwarf, unit, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die die;
        if (dwarf_offdie(dwarf, unit + header, &die))
            inlined_calls(&die, address, calls, &n, DEPTH);
        unit = next;
    }
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    while (n--)
        fprintf(f, "%u:%u|", calls[n][0], calls[n][1]);
    fclose(f);
    return text;
}

/* Compilers for AMDGPU write no .debug_aranges, so each unit is asked in turn. */
static Dwarf_Line *line_of(Dwarf *dwarf, uint64_t address)
{
    Dwarf_Off unit = 0, next;
    size_t header;
    Dwarf_Line *line = NULL;
    while (dwarf && !line && dwarf_nextcu(dwarf, unit, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die die;
        if (dwarf_offdie(dwarf, unit + header, &die))
            line = dwarf_getsrc_die(&die, address);
        unit = next;
    }
    return line;
}

static void find_line(struct ls_isa *x, uint64_t address, struct ls_isa_instruction *i)
{
    Dwarf_Line *line = line_of(x->dwarf, address);
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0, column = 0;
    unsigned tag = 0;
    if (!file || dwarf_lineno(line, &number) != 0)
        return;
    dwarf_linecol(line, &column);
    i->file = strdup(file);
    i->line = number > 0 ? (uint32_t)number : 0;
    i->column = column > 0 ? (uint32_t)column : 0;
    if (dwarf_linediscriminator(line, &tag) == 0)
        i->tag = LS_MARK_TAG(tag);
    Dwarf_Addr row;
    if (dwarf_lineaddr(line, &row) == 0)
        i->row = row;
    i->calls = calls_of(x->dwarf, address);
}

/* What the instructions before one tell of it. */
struct before {
    struct ls_base base;
    uint32_t mask, epoch;
    struct ls_lanes_region one; /* that it stands in, if it does */
    bool input;
};

static int add_instruction(struct ls_isa *x, struct ls_isa_listing *out, uint64_t address, uint64_t offset,
                           const char *text, const struct before *b)
{
    struct ls_isa_instruction *grown = realloc(out->items, (out->n + 1) * sizeof *grown);
    if (!grown)
        return -1;
    out->items = grown;
    struct ls_isa_instruction *i = &grown[out->n];
    *i = (struct ls_isa_instruction){.offset = offset,
                                     .text = strdup(text),
                                     .base = b->base.number,
                                     .root = b->base.root,
                                     .shift = b->base.shift,
                                     .mask = b->mask,
                                     .epoch = b->epoch,
                                     .one = b->one,
                                     .input = b->input,
                                     .form = ls_isa_form(text)};
    if (!i->text)
        return -1;
    out->n++;
    find_line(x, address, i);
    return 0;
}

struct branches {
    struct ls_branch *items;
    size_t n;
};

/* Offset of the target in units of 4 bytes behind the instruction: the low half of all SOPP encodings (AMD
 * "Vega" 7nm and "CDNA" ISA documents, section "SOPP"). Returns -1 when out of memory. */
static int add_branch(struct branches *l, const char *text, const unsigned char *code, uint64_t at,
                      uint64_t size)
{
    int16_t distance;
    bool always = ls_text_starts(text, "s_branch"), maybe = ls_text_starts(text, "s_cbranch");
    if (!always && !maybe && !ls_text_starts(text, "s_endpgm") && !ls_text_starts(text, "s_setpc"))
        return 0;
    struct ls_branch *grown = realloc(l->items, (l->n + 1) * sizeof *grown);
    if (!grown)
        return -1;
    memcpy(&distance, code + at, sizeof distance);
    l->items = grown;
    grown[l->n++] = (struct ls_branch){.at = at,
                                       .next = at + size,
                                       .target = at + 4 + (uint64_t)(int64_t)distance * 4,
                                       .jumps = always || maybe,
                                       .falls = maybe};
    return 0;
}

/* Beside the numbers of blocks: for instructions in a condition that has no branch, only a mask of lanes. */
static const uint32_t MASKED = 0x80000000u;

/* Follows conditions without branch: from where lanes are switched off to where they come back. Returns the
 * new mask. */
static uint32_t follow_mask(uint32_t mask, bool narrows, const char *text, uint64_t at)
{
    if (narrows)
        return (uint32_t)at + 1;
    if (ls_text_starts(text, "s_or_b64 exec") || ls_text_starts(text, "s_mov_b64 exec") ||
        ls_text_starts(text, "s_or_saveexec") || ls_text_starts(text, "s_cbranch") ||
        ls_text_starts(text, "s_branch"))
        return 0;
    return mask;
}

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

static int count_loops(struct ls_isa_listing *l, const struct branches *b, uint64_t size)
{
    struct ls_loops *loops = ls_loops_find(b->items, b->n, size);
    if (!loops)
        return -1;
    for (size_t k = 0; k < l->n; k++) {
        struct ls_isa_instruction *i = &l->items[k];
        i->loops = ls_loops_at(loops, i->offset);
        i->block = ls_loops_block(loops, i->offset);
        i->together = together(loops, i->offset, i->mask);
        i->one_lane = is_one_lane(loops, b, i);
        i->around = i->one_lane ? together(loops, i->one.start - 1, i->one.mask) : i->together;
    }
    ls_loops_free(loops);
    return 0;
}

/* Whether b may be part of the access that a is of. Of loads code generation may leave out a part, so that
 * the rest and a load of something else look like both parts: these must have the same registers. */
static bool may_be_parts(const struct ls_isa_instruction *a, const struct ls_isa_instruction *b)
{
    return a->form.class == b->form.class && a->form.store == b->form.store &&
           a->form.atomic == b->form.atomic && a->block == b->block && (a->form.store || a->root == b->root);
}

/* Code generation gives no row of the line table to an instruction without place, unless a block begins with
 * it: it stands in the row of the one before it. So of several in one row the first is where the row says,
 * and with it those that may be parts of the same access. */
static void find_followers(struct ls_isa_listing *l)
{
    for (size_t i = 1, first = 0; i < l->n; i++) {
        struct ls_isa_instruction *a = &l->items[i];
        if (!a->row || a->row != l->items[first].row) {
            first = i;
            continue;
        }
        a->follows = true;
        for (size_t k = first; k < i && a->follows; k++)
            a->follows = !may_be_parts(a, &l->items[k]) || (k > first && l->items[k].follows);
        a->other_way = a->follows && a->form.store != l->items[first].form.store;
    }
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

/* Scalar registers in which a kernel starts with pointers to what the runtime made: the first ones. Those of
 * preloaded arguments follow. Where they stand: LLVM's "User Guide for AMDGPU Backend", sections "Kernel
 * Descriptor" (bits of kernel_code_properties, bytes 56 and 57) and "Initial Kernel Execution State". */
static unsigned count_inputs(const struct ls_isa *x, const char *kernel)
{
    enum { PROPERTIES = 56, PRIVATE_BUFFER = 1, DISPATCH = 2, QUEUE = 4, KERNARG = 8 };
    char name[4096];
    struct ls_elf_code descriptor;
    int n = snprintf(name, sizeof name, "%s.kd", kernel);
    if (n < 0 || (size_t)n >= sizeof name || !ls_elf_object(x->image, x->bytes, name, &descriptor) ||
        descriptor.size <= PROPERTIES)
        return 0; /* no kernel */
    unsigned bits = descriptor.code[PROPERTIES];
    return (bits & PRIVATE_BUFFER ? 4 : 0) + (bits & DISPATCH ? 2 : 0) + (bits & QUEUE ? 2 : 0) +
           (bits & KERNARG ? 2 : 0);
}

/* Marks instructions that a branch may lead to, one byte for each 4 of the code. A constant that looks like a
 * branch marks too much: nothing known is lost by that but what bases.h follows. SOPP encodings 2 and 4 to 9:
 * AMD "CDNA3" ISA document, section "SOPP". */
static void mark_targets(bool *targets, const struct ls_elf_code *code)
{
    int64_t n = (int64_t)(code->size / 4);
    for (int64_t i = 0; i < n; i++) {
        int16_t distance;
        uint16_t operation;
        memcpy(&distance, code->code + 4 * i, sizeof distance);
        memcpy(&operation, code->code + 4 * i + 2, sizeof operation);
        int64_t target = i + 1 + distance;
        if ((operation == 0xbf82 || (operation >= 0xbf84 && operation <= 0xbf89)) && target >= 0 &&
            target < n)
            targets[target] = targets[i + 1 < n ? i + 1 : i] = true;
    }
}

int ls_isa_list(struct ls_isa *x, const char *kernel, struct ls_isa_listing *out, const char **why)
{
    struct ls_elf_code code;
    struct cursor c = {.code = &code};
    struct branches branches = {0};
    struct ls_bases *bases = calloc(1, sizeof *bases);
    struct ls_lanes lanes = {0};
    struct before before = {0};
    bool pair, store;
    uint32_t bytes;
    unsigned inputs = count_inputs(x, kernel);
    int rc = bases ? 0 : -1;
    memset(out, 0, sizeof *out);
    *why = "the code object has no symbol of that kernel's code";
    if (!ls_elf_function(x->image, x->bytes, kernel, &code)) {
        free(bases);
        return -1;
    }
    bool *targets = calloc(code.size / 4 + 1, sizeof *targets);
    if (targets)
        mark_targets(targets, &code);
    else
        rc = -1;
    for (uint64_t at = 0, size; !rc && at < code.size; at += size) {
        size = 0;
        c.text[0] = 0;
        /* Padding behind the code need not decode; 4 bytes is the unit of all encodings. */
        if (x->comgr->disassemble_instruction(x->disassembler, code.address + at, &c, &size) !=
                AMD_COMGR_STATUS_SUCCESS ||
            !size) {
            size = 4;
            continue;
        }
        bool narrows = ls_lanes_narrows(&lanes, c.text);
        if (targets[at / 4])
            ls_bases_block(bases);
        before.input = ls_bases_input(bases, c.text, inputs);
        before.base = ls_bases_next(bases, c.text);
        before.one = ls_lanes_next(&lanes, c.text, at, size, before.mask);
        before.epoch = lanes.epoch;
        before.mask = follow_mask(before.mask, narrows, c.text, at);
        if (ls_isa_classify(c.text, &pair, &store, &bytes) != LS_ISA_NONE)
            rc = add_instruction(x, out, code.address + at, at, c.text, &before);
        else
            rc = add_branch(&branches, c.text, code.code, at, size);
    }
    if (!rc)
        rc = count_loops(out, &branches, code.size);
    find_followers(out);
    out->counts_lanes = !rc && lanes.counts > count_one_lane_regions(out);
    free(branches.items);
    free(targets);
    free(bases);
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

/* SOPP branches: target = address + 4 + 4 * the signed low half of the word (CDNA3 ISA document,
 * section 12.5).
 */
static int64_t branch_target(const char *text, const unsigned char *code, uint64_t at)
{
    int16_t words;
    if (!ls_text_starts(text, "s_branch") && !ls_text_starts(text, "s_cbranch"))
        return -1;
    memcpy(&words, code + at, sizeof words);
    return (int64_t)at + 4 + 4 * (int64_t)words;
}

static void place_instruction(struct ls_isa *x, uint64_t start, struct lanescope_instruction *i)
{
    Dwarf_Line *line = line_of(x->dwarf, start + i->offset);
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0, column = 0;
    unsigned block = 0;
    Dwarf_Addr row = 0;
    if (!file || dwarf_lineno(line, &number) != 0)
        return;
    dwarf_linecol(line, &column);
    dwarf_linediscriminator(line, &block);
    dwarf_lineaddr(line, &row);
    if (row >= start)
        i->row = row - start;
    i->file = strdup(file);
    i->line = number > 0 ? (uint32_t)number : 0;
    i->column = column > 0 ? (uint32_t)column : 0;
    i->site = LS_MARK_BLOCK(block);
}

struct code_list {
    struct lanescope_instruction *items;
    uint32_t n, room;
};

static struct lanescope_instruction *next_instruction(struct code_list *l)
{
    if (l->n == l->room) {
        uint32_t room = l->room ? 2 * l->room : 64;
        struct lanescope_instruction *grown = realloc(l->items, room * sizeof *grown);
        if (!grown)
            return NULL;
        l->items = grown;
        l->room = room;
    }
    return &l->items[l->n];
}

static int list_code(struct ls_isa *x, const struct ls_elf_code *code, struct code_list *l)
{
    struct cursor c = {.code = code};
    for (uint64_t at = 0, size; at < code->size; at += size) {
        size = 0;
        c.text[0] = 0;
        if (x->comgr->disassemble_instruction(x->disassembler, code->address + at, &c, &size) !=
                AMD_COMGR_STATUS_SUCCESS ||
            !size) {
            size = 4;
            continue;
        }
        struct lanescope_instruction *i = next_instruction(l);
        char *text = i ? strdup(c.text) : NULL;
        if (!text)
            return -1;
        *i = (struct lanescope_instruction){.offset = at,
                                            .text = text,
                                            .row = ~0ull,
                                            .site = LANESCOPE_NO_SITE,
                                            .target = branch_target(text, code->code, at)};
        place_instruction(x, code->address, i);
        l->n++;
    }
    return 0;
}

int ls_isa_code(struct ls_isa *x, const char *name, struct lanescope_instruction **out, uint32_t *n,
                const char **why)
{
    struct ls_elf_code code;
    struct code_list l = {0};
    *out = NULL;
    *n = 0;
    *why = "the code object has no symbol of that function's code";
    if (!ls_elf_function(x->image, x->bytes, name, &code))
        return -1;
    *why = NULL;
    if (list_code(x, &code, &l) != 0) {
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

/* ---- metadata: the note's "amdhsa.kernels" list ---- */

static bool node_string(const struct ls_comgr *c, amd_comgr_metadata_node_t map, const char *key, char *text,
                        size_t room)
{
    amd_comgr_metadata_node_t node;
    size_t size = 0;
    if (c->metadata_lookup(map, key, &node) != AMD_COMGR_STATUS_SUCCESS)
        return false;
    bool ok = c->get_metadata_string(node, &size, NULL) == AMD_COMGR_STATUS_SUCCESS && size <= room &&
              c->get_metadata_string(node, &size, text) == AMD_COMGR_STATUS_SUCCESS;
    c->destroy_metadata(node);
    return ok;
}

static uint32_t node_number(const struct ls_comgr *c, amd_comgr_metadata_node_t map, const char *key)
{
    char text[32];
    return node_string(c, map, key, text, sizeof text) ? (uint32_t)strtoul(text, NULL, 0) : 0;
}

static bool registers_of(const struct ls_comgr *c, amd_comgr_metadata_node_t kernel, const char *name,
                         struct ls_isa_registers *out)
{
    char text[4096];
    if (!node_string(c, kernel, ".name", text, sizeof text) || strcmp(text, name))
        return false;
    out->sgprs = node_number(c, kernel, ".sgpr_count");
    out->vgprs = node_number(c, kernel, ".vgpr_count");
    out->agprs = node_number(c, kernel, ".agpr_count");
    return true;
}

bool ls_isa_registers(struct ls_isa *x, const char *kernel, struct ls_isa_registers *out)
{
    const struct ls_comgr *c = x->comgr;
    amd_comgr_metadata_node_t list, item;
    size_t n = 0;
    bool found = false;
    if (!x->has_metadata ||
        c->metadata_lookup(x->metadata, "amdhsa.kernels", &list) != AMD_COMGR_STATUS_SUCCESS)
        return false;
    if (c->get_metadata_list_size(list, &n) != AMD_COMGR_STATUS_SUCCESS)
        n = 0;
    for (size_t i = 0; i < n && !found; i++) {
        if (c->index_list_metadata(list, i, &item) != AMD_COMGR_STATUS_SUCCESS)
            break;
        found = registers_of(c, item, kernel, out);
        c->destroy_metadata(item);
    }
    c->destroy_metadata(list);
    return found;
}
