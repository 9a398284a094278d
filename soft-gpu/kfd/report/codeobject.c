/*
 * codeobject.c - walks ROCr's list of loaded code objects, the one that debuggers read.
 *
 * ROCr exports _amdgpu_r_debug, a struct r_debug whose link_map entries name each code object by a URI
 * (common/code_uri.h) and give its load address. The list may change while we read: all reads go through the
 * kernel, which refuses bad addresses.
 */
#include "codeobject.h"
#include "common/code_uri.h"
#include "common/demangle.h"
#include "common/names.h"
#include "common/unit_folder.h"
#include "lanescope/printable.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "lanescope/sites.h"
#include "soft-gpu/kfd/raw.h"
#include "symbol.h"

#define OBJECTS_MAX 4096u
#define IMAGE_MAX (1ull << 32)

static bool read_memory(uint64_t from, void *to, size_t size)
{
    struct iovec here = {to, size}, there = {(void *)(uintptr_t)from, size};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

static bool read_string(uint64_t from, char *to, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!read_memory(from + i, to + i, 1))
            return false;
        if (!to[i])
            return true;
    }
    return false;
}

/* The bytes of the code object that the URI names; to be freed. */
static uint8_t *read_image(const char *uri, size_t *size)
{
    struct ls_code_uri u;
    if (!ls_code_uri_read(uri, &u))
        return NULL;
    struct stat st;
    char *file = ls_code_uri_file(uri);
    int fd = file ? raw_openat(AT_FDCWD, file, O_RDONLY | O_CLOEXEC, 0) : -1;
    uint64_t length = u.size;
    if (fd >= 0 && !length && raw_fstat(fd, &st) == 0)
        length = (uint64_t)st.st_size - u.offset;
    free(file);
    uint8_t *image = length && length < IMAGE_MAX ? malloc(length) : NULL;
    bool ok = image && (!u.path ? read_memory(u.offset, image, length)
                                : fd >= 0 && pread(fd, image, length, (off_t)u.offset) == (ssize_t)length);
    if (fd >= 0)
        close(fd);
    if (!ok) {
        free(image);
        return NULL;
    }
    *size = length;
    return image;
}

static bool loads(Elf *elf, uint64_t address)
{
    size_t n = 0;
    elf_getphdrnum(elf, &n);
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr p;
        if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD && address >= p.p_vaddr &&
            address - p.p_vaddr < p.p_memsz)
            return true;
    }
    return false;
}

static void demangle(const char *name, char *out, size_t size)
{
    char *text = ls_demangle_by(loaded_symbol("libstdc++.so", "__cxa_demangle"), name);
    ls_printable_cut(out, size, text ? text : name);
    free(text);
}

/* A clone with probes is called by its original's name. */
static void name_kernel(const char *name, struct code_place *out)
{
    static const char prefix[] = LS_CLONE_PREFIX, mark[] = " (instrumented)";
    bool clone = !strncmp(name, prefix, sizeof prefix - 1);
    demangle(clone ? name + sizeof prefix - 1 : name, out->kernel, sizeof out->kernel - sizeof mark);
    if (clone)
        strcat(out->kernel, mark);
}

/* The descriptor of kernel NAME is the symbol NAME.kd. */
static void find_kernel(Elf *elf, uint64_t descriptor, struct code_place *out)
{
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
        GElf_Shdr h;
        Elf_Data *data;
        if (!gelf_getshdr(s, &h) || (h.sh_type != SHT_SYMTAB && h.sh_type != SHT_DYNSYM) || !h.sh_entsize ||
            !(data = elf_getdata(s, NULL)))
            continue;
        for (size_t i = 0; i < h.sh_size / h.sh_entsize; i++) {
            GElf_Sym sym;
            char name[512];
            if (!gelf_getsym(data, (int)i, &sym) || sym.st_value != descriptor)
                continue;
            const char *full = elf_strptr(elf, h.sh_link, sym.st_name);
            size_t n = full ? ls_stem(full, ".kd") : 0;
            if (!n || n >= sizeof name)
                continue;
            snprintf(name, sizeof name, "%.*s", (int)n, full);
            name_kernel(name, out);
            return;
        }
    }
}

static int number(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    Dwarf_Word value;
    return dwarf_formudata(dwarf_attr(die, attribute, &a), &value) == 0 ? (int)value : 0;
}

/* The path, whole where the unit says in which folder it begins, as text that may be printed. */
static void put_path(Dwarf_Die *unit, const char *file, char *out, size_t size)
{
    const char *folder = ls_unit_folder(unit, file);
    char *whole = NULL;
    if (!folder || asprintf(&whole, "%s/%s", folder, file) < 0)
        whole = NULL;
    ls_printable_cut(out, size, whole ? whole : file);
    free(whole);
}

/* Where the function that holds `address` was inlined, and so on outwards. */
static void find_calls(Dwarf_Die *unit, uint64_t address, struct code_place *out)
{
    Dwarf_Die *innermost, *scope;
    Dwarf_Files *files;
    size_t at = 0, n_files;
    if (dwarf_getscopes(unit, address, &innermost) <= 0)
        return;
    /* Beyond the first inlined function that list goes on with where it was written. */
    int n = dwarf_getscopes_die(innermost, &scope);
    free(innermost);
    if (n <= 0)
        return;
    if (dwarf_getsrcfiles(unit, &files, &n_files) != 0)
        n_files = 0;
    for (int i = 0; i < n; i++) {
        size_t file = (size_t)number(&scope[i], DW_AT_call_file);
        const char *name = file < n_files ? dwarf_filesrc(files, file, NULL, NULL) : NULL;
        if (dwarf_tag(&scope[i]) != DW_TAG_inlined_subroutine || !name)
            continue;
        char safe[sizeof out->file];
        put_path(unit, name, safe, sizeof safe);
        int written = snprintf(out->inlined + at, sizeof out->inlined - at, ", inlined at %s:%d:%d", safe,
                               number(&scope[i], DW_AT_call_line), number(&scope[i], DW_AT_call_column));
        if ((size_t)written >= sizeof out->inlined - at) {
            out->inlined[at] = 0; /* only whole places */
            break;
        }
        at += (size_t)written;
    }
    free(scope);
}

static void find_line(Elf *elf, uint64_t address, struct code_place *out)
{
    Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    if (!dwarf)
        return;
    Dwarf_Off at = 0, next;
    size_t header;
    while (!out->file[0] && dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        Dwarf_Line *line = NULL;
        if (dwarf_offdie(dwarf, at + header, &unit))
            line = dwarf_getsrc_die(&unit, address);
        const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
        if (file && dwarf_lineno(line, &out->line) == 0 && out->line > 0) {
            put_path(&unit, file, out->file, sizeof out->file);
            dwarf_linecol(line, &out->column);
            find_calls(&unit, address, out);
        }
        at = next;
    }
    dwarf_end(dwarf);
}

static void search_object(uint64_t bias, const char *uri, uint64_t kernel_object, uint64_t pc,
                          struct code_place *out)
{
    size_t size;
    uint8_t *image = read_image(uri, &size);
    Elf *elf = image ? elf_memory((char *)image, size) : NULL;
    if (elf) {
        if (kernel_object && loads(elf, kernel_object - bias))
            find_kernel(elf, kernel_object - bias, out);
        if (pc && loads(elf, pc - bias))
            find_line(elf, pc - bias, out);
        elf_end(elf);
    }
    free(image);
}

void code_locate(uint64_t kernel_object, uint64_t pc, struct code_place *out)
{
    *out = (struct code_place){.line = 0};
    void *list = loaded_symbol("libhsa-runtime64", "_amdgpu_r_debug");
    struct r_debug debug;
    struct link_map entry;
    if (!list || !read_memory((uintptr_t)list, &debug, sizeof debug))
        return;
    elf_version(EV_CURRENT);
    uint64_t at = (uintptr_t)debug.r_map;
    for (unsigned n = 0; at && n < OBJECTS_MAX && read_memory(at, &entry, sizeof entry); n++) {
        char uri[4096];
        if (entry.l_name && read_string((uintptr_t)entry.l_name, uri, sizeof uri))
            search_object(entry.l_addr, uri, kernel_object, pc, out);
        if (out->kernel[0] && (out->file[0] || !pc))
            return;
        at = (uintptr_t)entry.l_next;
    }
}
