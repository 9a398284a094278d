/*
 * symbol.c - look-up in a loaded object's GNU hash table (DT_GNU_HASH, as written by every linker today).
 */
#include "symbol.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct search {
    const char *library, *name;
    void *found;
};

struct dynamic {
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *hash;
};

static struct dynamic read_dynamic(const struct dl_phdr_info *info, const ElfW(Dyn) * d)
{
    struct dynamic out = {0};
    for (; d->d_tag != DT_NULL; d++) {
        /* The dynamic linker has relocated these in place, except where the section is read-only. */
        uintptr_t at = d->d_un.d_ptr < info->dlpi_addr ? d->d_un.d_ptr + info->dlpi_addr : d->d_un.d_ptr;
        if (d->d_tag == DT_SYMTAB)
            out.symbols = (const void *)at;
        else if (d->d_tag == DT_STRTAB)
            out.strings = (const void *)at;
        else if (d->d_tag == DT_GNU_HASH)
            out.hash = (const void *)at;
    }
    return out;
}

static uint32_t gnu_hash(const char *s)
{
    uint32_t h = 5381;
    for (; *s; s++)
        h = h * 33 + (unsigned char)*s;
    return h;
}

/* Table: buckets, first symbol, words of the Bloom filter, its shift; filter; buckets; chains. */
static const ElfW(Sym) * look_up(const struct dynamic *d, const char *name)
{
    uint32_t buckets = d->hash[0], first = d->hash[1], filter_words = d->hash[2];
    const uint32_t *bucket = d->hash + 4 + filter_words * (sizeof(ElfW(Addr)) / 4);
    const uint32_t *chain = bucket + buckets;
    uint32_t h = gnu_hash(name);
    if (!buckets)
        return NULL;
    uint32_t i = bucket[h % buckets];
    if (i < first)
        return NULL;
    for (;; i++) {
        uint32_t entry = chain[i - first];
        if ((entry | 1) == (h | 1) && !strcmp(d->strings + d->symbols[i].st_name, name))
            return &d->symbols[i];
        if (entry & 1)
            return NULL;
    }
}

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *s = arg;
    (void)size;
    if (!info->dlpi_name || !strstr(info->dlpi_name, s->library))
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        struct dynamic d = read_dynamic(info, (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
        const ElfW(Sym) *sym = d.symbols && d.strings && d.hash ? look_up(&d, s->name) : NULL;
        if (sym && sym->st_shndx != SHN_UNDEF)
            s->found = (void *)(info->dlpi_addr + sym->st_value);
    }
    return s->found != NULL;
}

void *loaded_symbol(const char *library, const char *name)
{
    struct search s = {library, name, NULL};
    dl_iterate_phdr(visit, &s);
    return s.found;
}
