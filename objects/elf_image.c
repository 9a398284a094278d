/* elf_image.c - see elf_image.h. libelf checks the tables; what it hands out is checked against the image. */
#include "elf_image.h"

#include <gelf.h>
#include <string.h>

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

static bool symbol_code(Elf *elf, size_t bytes, const GElf_Sym *sym, const void *image,
                        struct ls_elf_code *out)
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
    return true;
}

static bool find_in_table(Elf *elf, Elf_Scn *table, const GElf_Shdr *h, const void *image, size_t bytes,
                          const char *name, int type, struct ls_elf_code *out)
{
    Elf_Data *d = elf_getdata(table, NULL);
    if (!d || !h->sh_entsize)
        return false;
    for (size_t i = 0; i < h->sh_size / h->sh_entsize; i++) {
        GElf_Sym sym;
        const char *n;
        if (!gelf_getsym(d, (int)i, &sym) || GELF_ST_TYPE(sym.st_info) != type || !sym.st_size ||
            !(n = elf_strptr(elf, h->sh_link, sym.st_name)) || strcmp(n, name))
            continue;
        return symbol_code(elf, bytes, &sym, image, out);
    }
    return false;
}

static bool find_symbol(const void *image, size_t bytes, const char *name, int type, struct ls_elf_code *out)
{
    Elf *elf = open_image(image, bytes);
    bool found = false;
    if (!elf)
        return false;
    for (Elf_Scn *s = NULL; !found && (s = elf_nextscn(elf, s)) != NULL;) {
        GElf_Shdr h;
        if (gelf_getshdr(s, &h) && (h.sh_type == SHT_DYNSYM || h.sh_type == SHT_SYMTAB))
            found = find_in_table(elf, s, &h, image, bytes, name, type, out);
    }
    elf_end(elf);
    return found;
}

static void each_in_table(Elf *elf, Elf_Scn *table, const GElf_Shdr *h, const void *image, size_t bytes,
                          void (*f)(void *user, const char *name, const struct ls_elf_code *code), void *user)
{
    Elf_Data *d = elf_getdata(table, NULL);
    for (size_t i = 0; d && h->sh_entsize && i < h->sh_size / h->sh_entsize; i++) {
        GElf_Sym sym;
        struct ls_elf_code code;
        const char *name;
        if (gelf_getsym(d, (int)i, &sym) && GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_size &&
            (name = elf_strptr(elf, h->sh_link, sym.st_name)) && symbol_code(elf, bytes, &sym, image, &code))
            f(user, name, &code);
    }
}

void ls_elf_each_function(const void *image, size_t bytes,
                          void (*f)(void *user, const char *name, const struct ls_elf_code *code), void *user)
{
    Elf *elf = open_image(image, bytes);
    for (Elf_Scn *s = elf ? elf_nextscn(elf, NULL) : NULL; s; s = elf_nextscn(elf, s)) {
        GElf_Shdr h;
        if (gelf_getshdr(s, &h) && (h.sh_type == SHT_DYNSYM || h.sh_type == SHT_SYMTAB))
            each_in_table(elf, s, &h, image, bytes, f, user);
    }
    if (elf)
        elf_end(elf);
}

bool ls_elf_function(const void *image, size_t bytes, const char *name, struct ls_elf_code *out)
{
    return find_symbol(image, bytes, name, STT_FUNC, out);
}

bool ls_elf_object(const void *image, size_t bytes, const char *name, struct ls_elf_code *out)
{
    return find_symbol(image, bytes, name, STT_OBJECT, out);
}
