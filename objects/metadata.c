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
#include <stdlib.h>
#include <string.h>
#include "common/vector.h"

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

/* ---- kernels ---- */

struct kernel {
    const char *name; /* in the note; not ended by 0 */
    size_t length, order;
    struct ls_isa_registers registers;
};

struct ls_metadata {
    Elf *elf;             /* whose memory the names may be in; NULL: of a note alone */
    struct kernel *items; /* by name */
    size_t n;
    bool failed; /* out of memory */
};

static void add_kernel(struct ls_metadata *x, struct reader map)
{
    struct reader name;
    struct head h = {INVALID, 0};
    if (find(map, ".name", &name))
        h = begin(&name);
    if (h.shape != STRING || h.n > (uint64_t)(name.end - name.at))
        return;
    if (x->failed || !LS_ROOM(x->items, x->n)) {
        x->failed = true;
        return;
    }
    x->items[x->n] = (struct kernel){(const char *)name.at,
                                     (size_t)h.n,
                                     x->n,
                                     {number_of(map, ".sgpr_count"), number_of(map, ".vgpr_count"),
                                      number_of(map, ".agpr_count"), number_of(map, ".wavefront_size")}};
    x->n++;
}

/* As far as the note can be read. */
static void add_note(struct ls_metadata *x, const void *note, size_t size)
{
    struct reader r = {note, (const unsigned char *)note + size};
    if (!find(r, "amdhsa.kernels", &r))
        return;
    const struct head h = begin(&r);
    for (uint64_t i = 0; h.shape == ARRAY && i < h.n && r.at < r.end; i++) {
        add_kernel(x, r);
        if (!skip(&r, 0))
            return;
    }
}

static void add_notes(struct ls_metadata *x, Elf_Data *d)
{
    static const char owner[] = "AMDGPU";
    GElf_Nhdr h;
    size_t name, contents;
    for (size_t at = 0, next; d && (next = gelf_getnote(d, at, &h, &name, &contents)) > 0; at = next) {
        const char *bytes = d->d_buf;
        if (h.n_type == NT_METADATA && h.n_namesz == sizeof owner &&
            !memcmp(bytes + name, owner, sizeof owner))
            add_note(x, bytes + contents, h.n_descsz);
    }
}

static void add_image(struct ls_metadata *x, const void *image, size_t bytes)
{
    size_t n = 0;
    if (bytes < sizeof(Elf64_Ehdr) || elf_version(EV_CURRENT) == EV_NONE)
        return;
    x->elf = elf_memory((char *)(uintptr_t)image, bytes); /* is not changed */
    if (!x->elf || elf_kind(x->elf) != ELF_K_ELF || elf_getphdrnum(x->elf, &n) != 0)
        n = 0;
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(x->elf, (int)i, &p))
            break;
        if (p.p_type == PT_NOTE && p.p_filesz <= bytes && p.p_offset <= bytes - p.p_filesz)
            add_notes(x, elf_getdata_rawchunk(x->elf, (int64_t)p.p_offset, p.p_filesz, ELF_T_NHDR));
    }
}

static int compare_texts(const char *a, size_t n, const char *b, size_t m)
{
    const int c = memcmp(a, b, n < m ? n : m);
    return c ? c : (n > m) - (n < m);
}

static int compare_kernels(const void *p, const void *q)
{
    const struct kernel *a = p, *b = q;
    const int c = compare_texts(a->name, a->length, b->name, b->length);
    return c ? c : (a->order > b->order) - (a->order < b->order);
}

static struct ls_metadata *sorted(struct ls_metadata *x)
{
    if (x->failed) {
        ls_metadata_free(x);
        return NULL;
    }
    if (x->n)
        qsort(x->items, x->n, sizeof *x->items, compare_kernels);
    return x;
}

struct ls_metadata *ls_metadata_of_image(const void *image, size_t bytes)
{
    struct ls_metadata *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    add_image(x, image, bytes);
    return sorted(x);
}

struct ls_metadata *ls_metadata_of_note(const void *note, size_t size)
{
    struct ls_metadata *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    add_note(x, note, size);
    return sorted(x);
}

void ls_metadata_free(struct ls_metadata *x)
{
    if (!x)
        return;
    if (x->elf)
        elf_end(x->elf);
    free(x->items);
    free(x);
}

bool ls_metadata_registers(const struct ls_metadata *x, const char *kernel, struct ls_isa_registers *out)
{
    const size_t length = strlen(kernel);
    size_t low = 0, high = x ? x->n : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_texts(x->items[middle].name, x->items[middle].length, kernel, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (!x || low == x->n || compare_texts(x->items[low].name, x->items[low].length, kernel, length) != 0)
        return false;
    *out = x->items[low].registers;
    return true;
}
