/* elf_image.c - see elf_image.h. libelf checks the tables; what it hands out is checked against the image. */
#include "elf_image.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/vector.h"

static Elf *open_image(const void *image, size_t bytes)
{
    /* elf_memory takes a non-const pointer but only reads an image that is not changed through libelf. */
    if (bytes < sizeof(Elf64_Ehdr) || elf_version(EV_CURRENT) == EV_NONE)
        return NULL;
    Elf *elf = elf_memory((char *)(uintptr_t)image, bytes);
    if (elf && elf_kind(elf) != ELF_K_ELF) {
        elf_end(elf);
        return NULL;
    }
    return elf;
}

int ls_elf_section(const void *image, size_t bytes, const char *name, const void **data, size_t *size)
{
    Elf *elf = open_image(image, bytes);
    size_t strings;
    int found = -1;
    if (!elf)
        return -1;
    if (elf_getshdrstrndx(elf, &strings) == 0) {
        found = 0;
        for (Elf_Scn *s = NULL; !found && (s = elf_nextscn(elf, s)) != NULL;) {
            GElf_Shdr h;
            const char *n;
            if (!gelf_getshdr(s, &h) || !(n = elf_strptr(elf, strings, h.sh_name)) || strcmp(n, name))
                continue;
            found = h.sh_type == SHT_PROGBITS && h.sh_offset <= bytes && h.sh_size <= bytes - h.sh_offset
                        ? 1
                        : -1;
            *data = (const char *)image + h.sh_offset;
            *size = h.sh_size;
        }
    }
    elf_end(elf);
    return found;
}

/* *room: bytes from there to the section's end. */
static bool symbol_code(Elf *elf, size_t bytes, const GElf_Sym *sym, const void *image,
                        struct ls_elf_code *out, size_t *room)
{
    GElf_Shdr h;
    Elf_Scn *s = elf_getscn(elf, sym->st_shndx);
    if (!s || !gelf_getshdr(s, &h) || h.sh_type != SHT_PROGBITS || h.sh_offset > bytes ||
        h.sh_size > bytes - h.sh_offset || sym->st_value < h.sh_addr ||
        sym->st_value - h.sh_addr > h.sh_size || sym->st_size > h.sh_size - (sym->st_value - h.sh_addr))
        return false;
    out->address = sym->st_value;
    out->code = (const uint8_t *)image + h.sh_offset + (sym->st_value - h.sh_addr);
    out->size = sym->st_size;
    *room = h.sh_size - (sym->st_value - h.sh_addr);
    return true;
}

/* Who is shown the symbols that have contents, and functions that do not say how many. */
struct visitor {
    void (*f)(void *user, const char *name, int type, const struct ls_elf_code *code, size_t room);
    void *user;
};

static void each_in_table(Elf *elf, Elf_Scn *table, const GElf_Shdr *h, const void *image, size_t bytes,
                          const struct visitor *v)
{
    Elf_Data *d = elf_getdata(table, NULL);
    for (size_t i = 0; d && h->sh_entsize && i < h->sh_size / h->sh_entsize; i++) {
        GElf_Sym sym;
        struct ls_elf_code code;
        const char *name;
        size_t room;
        if (!gelf_getsym(d, (int)i, &sym))
            continue;
        const int type = GELF_ST_TYPE(sym.st_info);
        if ((type == STT_FUNC || (type == STT_OBJECT && sym.st_size)) &&
            (name = elf_strptr(elf, h->sh_link, sym.st_name)) &&
            symbol_code(elf, bytes, &sym, image, &code, &room) && room)
            v->f(v->user, name, type, &code, room);
    }
}

static void each_symbol(Elf *elf, const void *image, size_t bytes, const struct visitor *v)
{
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        GElf_Shdr h;
        if (gelf_getshdr(s, &h) && (h.sh_type == SHT_DYNSYM || h.sh_type == SHT_SYMTAB))
            each_in_table(elf, s, &h, image, bytes, v);
    }
}

/* ---- names ---- */

struct name {
    const char *text; /* libelf's */
    int type;
    struct ls_elf_code code;
    size_t room; /* bytes to the end of its section */
};

struct ls_elf_names {
    Elf *elf;
    struct name *items; /* in the file's order */
    size_t n;
    const struct name **sorted; /* by type and text; the first in the file first */
    bool failed;                /* out of memory */
};

static void add_name(void *user, const char *text, int type, const struct ls_elf_code *code, size_t room)
{
    struct ls_elf_names *x = user;
    if (!x->failed && LS_ROOM(x->items, x->n)) {
        x->items[x->n] = (struct name){text, type, *code, room};
        x->n++;
    } else {
        x->failed = true;
    }
}

static int compare_keys(const struct name *a, const struct name *b)
{
    return a->type != b->type ? a->type - b->type : strcmp(a->text, b->text);
}

static int compare_names(const void *p, const void *q)
{
    const struct name *a = *(const struct name *const *)p, *b = *(const struct name *const *)q;
    const int c = compare_keys(a, b);
    return c ? c : (a > b) - (a < b);
}

static int compare_addresses(const void *p, const void *q)
{
    const uint64_t a = *(const uint64_t *)p, b = *(const uint64_t *)q;
    return (a > b) - (a < b);
}

/* Bytes from `address` to the next function, or to the end of what there is. */
static size_t to_next(const uint64_t *starts, size_t n, uint64_t address, size_t room)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (starts[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && starts[low] - address < room ? starts[low] - address : room;
}

/* Assembly that people or Tensile wrote need not say how long a function is: it ends where the next one begins. False: out of
 * memory. */
static bool find_sizes(struct ls_elf_names *x)
{
    uint64_t *starts = calloc(x->n + 1, sizeof *starts);
    size_t n = 0;
    if (!starts)
        return false;
    for (size_t i = 0; i < x->n; i++)
        if (x->items[i].type == STT_FUNC)
            starts[n++] = x->items[i].code.address;
    qsort(starts, n, sizeof *starts, compare_addresses);
    for (size_t i = 0; i < x->n; i++)
        if (!x->items[i].code.size)
            x->items[i].code.size = to_next(starts, n, x->items[i].code.address, x->items[i].room);
    free(starts);
    return true;
}

struct ls_elf_names *ls_elf_names_open(const void *image, size_t bytes)
{
    struct ls_elf_names *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->elf = open_image(image, bytes);
    if (x->elf)
        each_symbol(x->elf, image, bytes, &(struct visitor){add_name, x});
    x->sorted = calloc(x->n + 1, sizeof(struct name *));
    if (!x->elf || x->failed || !x->sorted || !find_sizes(x)) {
        ls_elf_names_close(x);
        return NULL;
    }
    for (size_t i = 0; i < x->n; i++)
        x->sorted[i] = &x->items[i];
    qsort(x->sorted, x->n, sizeof *x->sorted, compare_names);
    return x;
}

void ls_elf_names_close(struct ls_elf_names *x)
{
    if (!x)
        return;
    if (x->elf)
        elf_end(x->elf);
    free(x->sorted);
    free(x->items);
    free(x);
}

/* The first one in the file of those that have the name. */
static bool find_name(const struct ls_elf_names *x, const char *text, int type, struct ls_elf_code *out)
{
    const struct name key = {.text = text, .type = type};
    size_t low = 0, high = x ? x->n : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_keys(x->sorted[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (!x || low == x->n || compare_keys(x->sorted[low], &key) != 0)
        return false;
    *out = x->sorted[low]->code;
    return true;
}

bool ls_elf_names_function(const struct ls_elf_names *x, const char *name, struct ls_elf_code *out)
{
    return find_name(x, name, STT_FUNC, out);
}

bool ls_elf_names_object(const struct ls_elf_names *x, const char *name, struct ls_elf_code *out)
{
    return find_name(x, name, STT_OBJECT, out);
}

bool ls_elf_names_descriptor(const struct ls_elf_names *x, const char *kernel, struct ls_elf_code *out)
{
    char *name = NULL;
    if (asprintf(&name, "%s.kd", kernel) < 0)
        return false;
    const bool found = ls_elf_names_object(x, name, out);
    free(name);
    return found;
}

void ls_elf_names_each_function(const struct ls_elf_names *x,
                                void (*f)(void *user, const char *name, const struct ls_elf_code *code),
                                void *user)
{
    for (size_t i = 0; x && i < x->n; i++)
        if (x->items[i].type == STT_FUNC)
            f(user, x->items[i].text, &x->items[i].code);
}
