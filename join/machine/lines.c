/* lines.c - see lines.h. */
#include "lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include "common/unit_folder.h"
#include "common/vector.h"

enum { DEEPEST = 64 };

/* Addresses from `low`, below `high`. */
struct range {
    uint64_t low, high;
    Dwarf_Off die; /* the unit, or the function */
    size_t order;  /* in the file */
};

struct ranges {
    struct range *items; /* by address */
    size_t n;
    bool overlap; /* then they are asked one by one, in the file's order */
};

/* One range of an entry of a function: an inlined call, or a block. */
struct span {
    uint64_t low, high;
    size_t order, outer; /* the index + 1 of the smallest span around it; 0: none */
    uint32_t line, column;
    bool call;
};

/* A relative path of a line table with its folder; malloc'd. */
struct joined {
    const char *file; /* libdw's */
    char *whole;
};

struct ls_lines {
    Elf *elf;
    Dwarf *dwarf;                   /* NULL: no line table */
    struct ranges units, functions; /* of the line tables; children of the units */
    bool failed;                    /* out of memory */
    Dwarf_Off function;             /* whose spans these are; 0: none's */
    struct span *spans;             /* by address, outer ones first */
    size_t n_spans;
    struct joined *joined; /* of the relative paths */
    size_t n_joined;
};

/* ---- ranges ---- */

static void add_range(struct ls_lines *x, struct ranges *r, uint64_t low, uint64_t high, Dwarf_Off die)
{
    if (low >= high)
        return;
    if (!LS_ROOM(r->items, r->n)) {
        x->failed = true;
        return;
    }
    r->items[r->n] = (struct range){low, high, die, r->n};
    r->n++;
}

static int compare_ranges(const void *p, const void *q)
{
    const struct range *a = p, *b = q;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int compare_orders(const void *p, const void *q)
{
    const struct range *a = p, *b = q;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void sort_ranges(struct ranges *r)
{
    if (r->n)
        qsort(r->items, r->n, sizeof *r->items, compare_ranges);
    for (size_t i = 1; i < r->n && !r->overlap; i++)
        r->overlap = r->items[i].low < r->items[i - 1].high;
    if (r->overlap)
        qsort(r->items, r->n, sizeof *r->items, compare_orders);
}

/* The first one in the file that has the address; NULL: none has. */
static const struct range *find_range(const struct ranges *r, uint64_t address)
{
    size_t low = 0, high = r->n;
    if (r->overlap) {
        for (size_t i = 0; i < r->n; i++)
            if (address - r->items[i].low < r->items[i].high - r->items[i].low)
                return &r->items[i];
        return NULL;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->items[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < r->items[low - 1].high ? &r->items[low - 1] : NULL;
}

/* What the unit's line table covers: sequences of rows, each with an end. */
static void add_rows(struct ls_lines *x, Dwarf_Die *unit)
{
    Dwarf_Lines *lines;
    size_t n;
    bool open = false;
    uint64_t low = 0;
    if (dwarf_getsrclines(unit, &lines, &n) != 0)
        return;
    for (size_t i = 0; i < n; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        Dwarf_Addr at;
        bool end;
        if (!line || dwarf_lineaddr(line, &at) != 0 || dwarf_lineendsequence(line, &end) != 0)
            continue;
        if (!open)
            low = at;
        if (end)
            add_range(x, &x->units, low, at, dwarf_dieoffset(unit));
        open = !end;
    }
}

static void add_functions(struct ls_lines *x, Dwarf_Die *unit)
{
    Dwarf_Die child;
    if (dwarf_child(unit, &child) != 0)
        return;
    do {
        Dwarf_Addr base, low, high;
        ptrdiff_t at = 0;
        while ((at = dwarf_ranges(&child, at, &base, &low, &high)) > 0)
            add_range(x, &x->functions, low, high, dwarf_dieoffset(&child));
    } while (dwarf_siblingof(&child, &child) == 0);
}

static void add_units(struct ls_lines *x)
{
    Dwarf_Off unit = 0, next;
    size_t header;
    while (!x->failed && dwarf_nextcu(x->dwarf, unit, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die die;
        if (dwarf_offdie(x->dwarf, unit + header, &die)) {
            add_rows(x, &die);
            add_functions(x, &die);
        }
        unit = next;
    }
    sort_ranges(&x->units);
    sort_ranges(&x->functions);
}

struct ls_lines *ls_lines_open(const void *image, size_t bytes)
{
    struct ls_lines *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    elf_version(EV_CURRENT);
    x->elf = elf_memory((char *)(uintptr_t)image, bytes); /* is not changed */
    x->dwarf = x->elf ? dwarf_begin_elf(x->elf, DWARF_C_READ, NULL) : NULL;
    if (x->dwarf)
        add_units(x);
    if (!x->failed)
        return x;
    ls_lines_close(x);
    return NULL;
}

void ls_lines_close(struct ls_lines *x)
{
    if (!x)
        return;
    if (x->dwarf)
        dwarf_end(x->dwarf);
    if (x->elf)
        elf_end(x->elf);
    free(x->units.items);
    free(x->functions.items);
    free(x->spans);
    for (size_t i = 0; i < x->n_joined; i++)
        free(x->joined[i].whole);
    free(x->joined);
    free(x);
}

/* The path as the compiler plugin's tables have it: whole, where the unit says in which folder it begins. */
static const char *whole_path(struct ls_lines *x, Dwarf_Die *unit, const char *file)
{
    const char *folder = ls_unit_folder(unit, file);
    char *whole = NULL;
    for (size_t i = 0; folder && i < x->n_joined; i++)
        if (x->joined[i].file == file)
            return x->joined[i].whole;
    if (!folder || asprintf(&whole, "%s/%s", folder, file) < 0)
        return file;
    if (!LS_ROOM(x->joined, x->n_joined)) {
        free(whole);
        return file;
    }
    x->joined[x->n_joined++] = (struct joined){file, whole};
    return whole;
}

bool ls_lines_place(struct ls_lines *x, uint64_t address, struct ls_place *out)
{
    const struct range *unit = x ? find_range(&x->units, address) : NULL;
    Dwarf_Die die;
    Dwarf_Line *line =
        unit && dwarf_offdie(x->dwarf, unit->die, &die) ? dwarf_getsrc_die(&die, address) : NULL;
    int number = 0, column = 0;
    *out = (struct ls_place){.file = line ? dwarf_linesrc(line, NULL, NULL) : NULL};
    if (!out->file || dwarf_lineno(line, &number) != 0)
        return false;
    out->file = whole_path(x, &die, out->file);
    dwarf_linecol(line, &column);
    dwarf_linediscriminator(line, &out->marks);
    dwarf_lineaddr(line, &out->row);
    out->line = number > 0 ? (uint32_t)number : 0;
    out->column = column > 0 ? (uint32_t)column : 0;
    return true;
}

/* ---- definitions ---- */

/* Of the DIE or of what it stands for; 0: it has none. */
static Dwarf_Word declared(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    Dwarf_Word value;
    return dwarf_attr_integrate(die, attribute, &a) && dwarf_formudata(&a, &value) == 0 ? value : 0;
}

/* dwarf_decl_file() knows no file 0, which is DWARF 5's first one. */
bool ls_lines_definition(struct ls_lines *x, uint64_t address, struct ls_place *out)
{
    const struct range *function = x ? find_range(&x->functions, address) : NULL;
    const struct range *unit = function ? find_range(&x->units, address) : NULL;
    Dwarf_Die of, die;
    Dwarf_Files *files;
    size_t n;
    if (!unit || !dwarf_offdie(x->dwarf, unit->die, &of) || !dwarf_offdie(x->dwarf, function->die, &die) ||
        dwarf_getsrcfiles(&of, &files, &n) != 0)
        return false;
    const Dwarf_Word file = declared(&die, DW_AT_decl_file), line = declared(&die, DW_AT_decl_line);
    *out = (struct ls_place){.file = file < n ? dwarf_filesrc(files, file, NULL, NULL) : NULL};
    if (!out->file || !line || line > UINT32_MAX)
        return false;
    out->file = whole_path(x, &of, out->file);
    out->line = (uint32_t)line;
    return true;
}

/* ---- inlined calls ---- */

static uint32_t number(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    Dwarf_Word value = 0;
    if (dwarf_attr(die, attribute, &a))
        dwarf_formudata(&a, &value);
    return (uint32_t)value;
}

/* The ranges of the entry, and of those in it. */
static void add_spans(struct ls_lines *x, Dwarf_Die *entry, unsigned deep)
{
    Dwarf_Die child;
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    const bool call = dwarf_tag(entry) == DW_TAG_inlined_subroutine;
    const struct span s = {.line = call ? number(entry, DW_AT_call_line) : 0,
                           .column = call ? number(entry, DW_AT_call_column) : 0,
                           .call = call};
    while ((at = dwarf_ranges(entry, at, &base, &low, &high)) > 0) {
        if (low >= high || !LS_ROOM(x->spans, x->n_spans))
            continue;
        x->spans[x->n_spans] = s;
        x->spans[x->n_spans].low = low;
        x->spans[x->n_spans].high = high;
        x->spans[x->n_spans].order = x->n_spans;
        x->n_spans++;
    }
    if (deep == DEEPEST || dwarf_child(entry, &child) != 0)
        return;
    do {
        add_spans(x, &child, deep + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static int compare_spans(const void *p, const void *q)
{
    const struct span *a = p, *b = q;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high > b->high ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static void read_function(struct ls_lines *x, Dwarf_Off function)
{
    Dwarf_Die die;
    free(x->spans);
    x->spans = NULL;
    x->n_spans = 0;
    x->function = function;
    if (dwarf_offdie(x->dwarf, function, &die))
        add_spans(x, &die, 0);
    if (x->n_spans)
        qsort(x->spans, x->n_spans, sizeof *x->spans, compare_spans);
    for (size_t i = 0, outer = 0; i < x->n_spans; i++) {
        while (outer && x->spans[outer - 1].high <= x->spans[i].low)
            outer = x->spans[outer - 1].outer;
        x->spans[i].outer = outer;
        outer = i + 1;
    }
}

/* The index + 1 of the innermost span with the address; 0: none. */
static size_t innermost(const struct ls_lines *x, uint64_t address)
{
    size_t low = 0, high = x->n_spans;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (x->spans[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    while (low && x->spans[low - 1].high <= address)
        low = x->spans[low - 1].outer;
    return low;
}

char *ls_lines_calls(struct ls_lines *x, uint64_t address)
{
    const struct range *function = find_range(&x->functions, address);
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    if (function && function->die != x->function)
        read_function(x, function->die);
    for (size_t i = function ? innermost(x, address) : 0; i; i = x->spans[i - 1].outer)
        if (x->spans[i - 1].call && x->spans[i - 1].high > address)
            fprintf(f, "%u:%u|", x->spans[i - 1].line, x->spans[i - 1].column);
    return fclose(f) == 0 ? text : NULL;
}
