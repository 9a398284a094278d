/* address_log_binary.c - address_log as binary records; docs/handlers/address_log.md describes them. */
#include <string.h>

#include "address_log_format.h"

enum record { DISPATCH = 1, SITE = 2, ACCESS = 3 };
enum { STRIDED = 0, LISTED = 1, LENGTHS = 2 };

struct head {
    uint32_t type, bytes; /* of the whole record */
};

struct dispatch_record {
    struct head head;
    uint64_t number;
    uint32_t grid[3], workgroup[3];
    uint32_t lds_bytes, scratch_bytes;
    uint32_t lanes;
    uint32_t name_bytes; /* of the kernel's name, which follows */
};

struct site_record {
    struct head head;
    uint64_t dispatch;
    uint32_t site;
    uint32_t flags;
    uint32_t bytes, align;
    uint32_t line, column;
    uint8_t kind, space;
    uint16_t zero;
    uint32_t file_bytes; /* of the file's name, which follows */
};

struct access_record {
    struct head head;
    uint64_t dispatch;
    uint32_t site, wave;
    uint32_t workgroup[3];
    uint32_t form; /* STRIDED or LISTED, and LENGTHS */
    uint64_t exec;
    uint64_t length;
};
_Static_assert(sizeof(struct dispatch_record) == 56 && sizeof(struct site_record) == 48 &&
                   sizeof(struct access_record) == 56,
               "no padding");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are little-endian");

static uint32_t padded(size_t bytes)
{
    return (uint32_t)(bytes + 7) & ~7u;
}

static void text(FILE *f, const char *s, uint32_t bytes)
{
    static const char zero[8];
    fwrite(s, 1, bytes, f);
    fwrite(zero, 1, padded(bytes) - bytes, f);
}

static void head(FILE *f)
{
    static const uint32_t h[4] = {0x4441534c, 0x53455244, 1, sizeof h}; /* "LSADDRES" */
    fwrite(h, sizeof h, 1, f);
}

static void dispatch(FILE *f, const struct lanescope_dispatch *d)
{
    struct dispatch_record r = {.head = {DISPATCH, 0},
                                .number = d->id,
                                .lds_bytes = d->lds_bytes,
                                .scratch_bytes = d->scratch_bytes,
                                .lanes = d->lanes,
                                .name_bytes = (uint32_t)strlen(d->kernel)};
    memcpy(r.grid, d->grid, sizeof r.grid);
    memcpy(r.workgroup, d->workgroup, sizeof r.workgroup);
    r.head.bytes = (uint32_t)sizeof r + padded(r.name_bytes);
    fwrite(&r, sizeof r, 1, f);
    text(f, d->kernel, r.name_bytes);
}

static void site(FILE *f, const struct lanescope_dispatch *d, uint32_t number)
{
    const struct lanescope_site *s = &d->sites[number];
    const struct lanescope_frame at = address_log_place(s);
    struct site_record r = {.head = {SITE, 0},
                            .dispatch = d->id,
                            .site = number,
                            .flags = s->flags,
                            .bytes = s->bytes,
                            .align = s->align,
                            .line = at.line,
                            .column = at.column,
                            .kind = s->kind,
                            .space = s->space,
                            .file_bytes = (uint32_t)strlen(at.file)};
    r.head.bytes = (uint32_t)sizeof r + padded(r.file_bytes);
    fwrite(&r, sizeof r, 1, f);
    text(f, at.file, r.file_bytes);
}

/* Base and stride, or an address for each active lane. Returns how many words there are. */
static uint32_t addresses(const struct lanescope_access *a, uint64_t out[64])
{
    uint64_t all[64];
    uint32_t n = 0;
    if (a->pattern == LANESCOPE_STRIDED) {
        out[0] = a->base;
        out[1] = (uint64_t)a->stride;
        return 2;
    }
    lanescope_addresses(a, all);
    for (uint64_t m = a->exec; m; m &= m - 1)
        out[n++] = all[__builtin_ctzll(m)];
    return n;
}

static bool access_(FILE *f, const struct lanescope_dispatch *d, const struct lanescope_access *a, bool first)
{
    uint64_t words[64];
    uint32_t n = addresses(a, words), lengths = a->lengths ? a->active * 4u : 0;
    struct access_record r = {.head = {ACCESS, (uint32_t)sizeof r + n * 8 + padded(lengths)},
                              .dispatch = d->id,
                              .site = a->site,
                              .wave = a->wave->wave,
                              .form = (a->pattern == LANESCOPE_STRIDED ? STRIDED : LISTED) |
                                      (a->lengths ? LENGTHS : 0u),
                              .exec = a->exec,
                              .length = a->length};
    memcpy(r.workgroup, a->wave->workgroup, sizeof r.workgroup);
    if (first)
        site(f, d, a->site);
    fwrite(&r, sizeof r, 1, f);
    fwrite(words, 8, n, f);
    if (lengths)
        text(f, (const char *)a->lengths, lengths);
    return true;
}

const struct address_log_format address_log_binary = {"binary", "bin", "LSADDRES", head, dispatch, access_};
