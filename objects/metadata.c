/*
 * metadata.c - see metadata.h. MessagePack: github.com/msgpack/msgpack/blob/master/spec.md; the note and its
 * keys: "User Guide for AMDGPU Backend" (LLVM), sections Note Records and Code Object Metadata.
 *
 * Why no library: msgpack-c makes a tree of what it reads, and allocates what a note says that it holds, 96
 * GB for five bytes (github.com/msgpack/msgpack-c/issues/1013). libmpack allocates nothing, but gives tokens
 * only: to skip, to bound and to compare stays with its user, and that is most of what stands here.
 */
#include "metadata.h"

#include <gelf.h>
#include <string.h>

enum { NT_METADATA = 32, MOST_DEEP = 16 };

struct reader {
    const unsigned char *at, *end;
};

enum shape { INVALID, NUMBER, STRING, ARRAY, MAP, OTHER };

/* The beginning of a value: `n` is the number, or how many bytes, elements or pairs follow. */
struct head {
    enum shape shape;
    uint64_t n;
};

/* A number of so many bytes, the most significant one first. */
static bool get(struct reader *r, unsigned bytes, uint64_t *value)
{
    if ((size_t)(r->end - r->at) < bytes)
        return false;
    for (*value = 0; bytes; bytes--)
        *value = *value << 8 | *r->at++;
    return true;
}

static struct head with(struct reader *r, enum shape shape, unsigned bytes)
{
    struct head h = {shape, 0};
    return get(r, bytes, &h.n) ? h : (struct head){INVALID, 0};
}

static struct head begin(struct reader *r)
{
    uint64_t first;
    if (!get(r, 1, &first))
        return (struct head){INVALID, 0};
    if (first <= 0x7f)
        return (struct head){NUMBER, first};
    if (first <= 0x9f)
        return (struct head){first <= 0x8f ? MAP : ARRAY, first & 15};
    if (first <= 0xbf)
        return (struct head){STRING, first & 31};
    if (first >= 0xcc && first <= 0xcf)
        return with(r, NUMBER, 1u << (first - 0xcc));
    if (first >= 0xd9 && first <= 0xdb)
        return with(r, STRING, 1u << (first - 0xd9));
    if (first >= 0xdc && first <= 0xdf)
        return with(r, first <= 0xdd ? ARRAY : MAP, first & 1 ? 4 : 2);
    if (first >= 0xd0 && first <= 0xd3) /* signed numbers */
        return (struct head){OTHER, 1ull << (first - 0xd0)};
    if (first == 0xca || first == 0xcb) /* of floating point */
        return (struct head){OTHER, first == 0xca ? 4 : 8};
    /* nothing, false, true, small negative numbers; else binary data and extensions, which are not there */
    bool small = first >= 0xe0 || first == 0xc0 || first == 0xc2 || first == 0xc3;
    return (struct head){small ? OTHER : INVALID, 0};
}

/* Goes behind the value. Each element takes a byte at least, so that this takes as long as the note. */
static bool skip(struct reader *r, unsigned deep)
{
    const struct head h = begin(r);
    if (h.shape == NUMBER)
        return true;
    if (h.shape == INVALID || deep == MOST_DEEP || h.n > (uint64_t)(r->end - r->at))
        return false;
    if (h.shape == STRING || h.shape == OTHER) {
        r->at += h.n;
        return true;
    }
    for (uint64_t i = 0; i < h.n; i++)
        if ((h.shape == MAP && !skip(r, deep + 1)) || !skip(r, deep + 1))
            return false;
    return true;
}

/* Whether the value is that string. Goes behind it. */
static bool is_text(struct reader *r, const char *text)
{
    struct reader before = *r;
    const struct head h = begin(&before);
    const bool same = h.shape == STRING && h.n == strlen(text) && h.n <= (uint64_t)(before.end - before.at) &&
                      !memcmp(before.at, text, h.n);
    return skip(r, 0) && same;
}

/* Finds the value of a key of the map that begins here. */
static bool find(struct reader map, const char *key, struct reader *value)
{
    const struct head h = begin(&map);
    for (uint64_t i = 0; h.shape == MAP && i < h.n && map.at < map.end; i++) {
        if (is_text(&map, key)) {
            *value = map;
            return true;
        }
        if (!skip(&map, 0))
            return false;
    }
    return false;
}

static uint32_t number_of(struct reader map, const char *key)
{
    struct reader value;
    if (!find(map, key, &value))
        return 0;
    const struct head h = begin(&value);
    return h.shape == NUMBER && h.n <= UINT32_MAX ? (uint32_t)h.n : 0;
}

bool ls_metadata_find(const void *note, size_t size, const char *kernel, struct ls_isa_registers *out)
{
    struct reader r = {note, (const unsigned char *)note + size}, name;
    if (!find(r, "amdhsa.kernels", &r))
        return false;
    const struct head h = begin(&r);
    for (uint64_t i = 0; h.shape == ARRAY && i < h.n && r.at < r.end; i++) {
        if (find(r, ".name", &name) && is_text(&name, kernel)) {
            out->sgprs = number_of(r, ".sgpr_count");
            out->vgprs = number_of(r, ".vgpr_count");
            out->agprs = number_of(r, ".agpr_count");
            return true;
        }
        if (!skip(&r, 0))
            return false;
    }
    return false;
}

static bool find_in(Elf_Data *d, const char *kernel, struct ls_isa_registers *out)
{
    static const char owner[] = "AMDGPU";
    GElf_Nhdr h;
    size_t name, contents;
    for (size_t at = 0, next; d && (next = gelf_getnote(d, at, &h, &name, &contents)) > 0; at = next) {
        const char *bytes = d->d_buf;
        if (h.n_type == NT_METADATA && h.n_namesz == sizeof owner &&
            !memcmp(bytes + name, owner, sizeof owner) &&
            ls_metadata_find(bytes + contents, h.n_descsz, kernel, out))
            return true;
    }
    return false;
}

bool ls_metadata_registers(const void *image, size_t bytes, const char *kernel, struct ls_isa_registers *out)
{
    size_t n = 0;
    bool found = false;
    if (bytes < sizeof(Elf64_Ehdr) || elf_version(EV_CURRENT) == EV_NONE)
        return false;
    Elf *elf = elf_memory((char *)(uintptr_t)image, bytes); /* is not changed */
    if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &n) != 0)
        n = 0;
    for (size_t i = 0; i < n && !found; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(elf, (int)i, &p))
            break;
        if (p.p_type == PT_NOTE && p.p_filesz <= bytes && p.p_offset <= bytes - p.p_filesz)
            found =
                find_in(elf_getdata_rawchunk(elf, (int64_t)p.p_offset, p.p_filesz, ELF_T_NHDR), kernel, out);
    }
    elf_end(elf);
    return found;
}
