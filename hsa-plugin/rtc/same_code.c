/*
 * same_code.c - see same_code.h. By <elf.h> alone: this library is preloaded into all of the program's processes,
 * and brings no libelf into them.
 */
#include "same_code.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

struct object {
    const char *bytes;
    size_t size;
    const Elf64_Shdr *sections;
    unsigned n_sections;
    const Elf64_Sym *symbols;
    size_t n_symbols;
    const char *names;
    size_t names_size;
};

static const void *inside(const struct object *o, uint64_t offset, uint64_t size)
{
    return offset <= o->size && size <= o->size - offset ? o->bytes + offset : NULL;
}

/* Files of compilers have their tables at multiples of 8, and malloc'd bytes begin at one. */
static bool open_object(struct object *o, const char *bytes, size_t size)
{
    *o = (struct object){.bytes = bytes, .size = size};
    const Elf64_Ehdr *h = inside(o, 0, sizeof *h);
    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_shoff % 8)
        return false;
    o->n_sections = h->e_shnum;
    o->sections = inside(o, h->e_shoff, (uint64_t)h->e_shnum * sizeof *o->sections);
    for (unsigned i = 0; o->sections && i < o->n_sections; i++) {
        const Elf64_Shdr *s = &o->sections[i];
        if (s->sh_type != SHT_SYMTAB || s->sh_link >= o->n_sections || s->sh_offset % 8)
            continue;
        const Elf64_Shdr *strings = &o->sections[s->sh_link];
        o->symbols = inside(o, s->sh_offset, s->sh_size);
        o->n_symbols = s->sh_size / sizeof *o->symbols;
        o->names = inside(o, strings->sh_offset, strings->sh_size);
        o->names_size = strings->sh_size;
    }
    return o->symbols && o->names && o->names_size && !o->names[o->names_size - 1];
}

/* Name of a function with code, or NULL. */
static const char *function(const struct object *o, const Elf64_Sym *s, const char **code)
{
    if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || !s->st_size || s->st_shndx >= o->n_sections ||
        s->st_name >= o->names_size)
        return NULL;
    const Elf64_Shdr *in = &o->sections[s->st_shndx];
    if (s->st_value > in->sh_size || s->st_size > in->sh_size - s->st_value)
        return NULL;
    *code = inside(o, in->sh_offset, in->sh_size);
    if (*code)
        *code += s->st_value;
    return *code ? o->names + s->st_name : NULL;
}

static bool has(const struct object *o, const char *name, const char *code, size_t size)
{
    for (size_t i = 0; i < o->n_symbols; i++) {
        const char *own, *own_name = function(o, &o->symbols[i], &own);
        if (own_name && o->symbols[i].st_size == size && !strcmp(own_name, name) && !memcmp(own, code, size))
            return true;
    }
    return false;
}

bool rtc_same_code(const char *plain, size_t plain_size, const char *other, size_t other_size)
{
    struct object a, b;
    if (!open_object(&a, plain, plain_size) || !open_object(&b, other, other_size))
        return false;
    for (size_t i = 0; i < a.n_symbols; i++) {
        const char *code, *name = function(&a, &a.symbols[i], &code);
        if (name && !has(&b, name, code, a.symbols[i].st_size))
            return false;
    }
    return true;
}
