/* bundle_head.c - see bundle_head.h. After the magic come version and method, in 16 bits each; from version 2 on the size of
 * all that is compressed with its head; the size of what was compressed; 64 bits of a hash. Sizes have 32 bits, from
 * version 3 on 64. */
#include "bundle_head.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { ZLIB, ZSTD }; /* llvm::compression::Format */

struct head {
    uint16_t version, method;
    size_t size;  /* of this head */
    size_t whole; /* 0: not told */
};

static bool read_head(const unsigned char *data, size_t size, struct head *h)
{
    enum { MAGIC = sizeof LS_COMPRESSED_MAGIC - 1, FIXED = MAGIC + 4, HASH = 8 };
    uint32_t narrow;
    uint64_t wide;
    if (size < FIXED)
        return false;
    memcpy(&h->version, data + MAGIC, sizeof h->version);
    memcpy(&h->method, data + MAGIC + 2, sizeof h->method);
    h->whole = 0;
    h->size = FIXED + HASH + (h->version == 1 ? 4 : h->version == 2 ? 8 : 16);
    if (h->version < 1 || h->version > 3 || size < h->size)
        return false;
    if (h->version == 2) {
        memcpy(&narrow, data + FIXED, sizeof narrow);
        h->whole = narrow;
    } else if (h->version == 3) {
        memcpy(&wide, data + FIXED, sizeof wide);
        h->whole = wide;
    }
    return h->version == 1 || (h->whole > h->size && h->whole <= size);
}

/* Unpacks into `room` bytes, and where `to_end` asks for it, goes on to the end of what is packed, whose length it puts into
 * `used`. Returns the bytes in `out`; 0: damaged. */
static size_t unpack_zlib(const unsigned char *data, size_t size, void *out, size_t room, bool to_end,
                          size_t *used)
{
    unsigned char rest[1 << 12];
    size_t got = 0;
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .next_out = out};
    z.avail_in = size > UINT32_MAX ? UINT32_MAX : (uInt)size;
    z.avail_out = (uInt)room;
    if (inflateInit(&z) != Z_OK)
        return 0;
    int rc = inflate(&z, Z_SYNC_FLUSH);
    bool good = rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR;
    got = good ? room - z.avail_out : 0;
    while (to_end && rc == Z_OK) {
        z.next_out = rest;
        z.avail_out = sizeof rest;
        rc = inflate(&z, Z_SYNC_FLUSH);
    }
    *used = z.total_in;
    inflateEnd(&z);
    return to_end && rc != Z_STREAM_END ? 0 : got;
}

static size_t unpack_zstd(const unsigned char *data, size_t size, void *out, size_t room, bool to_end,
                          size_t *used)
{
    unsigned char rest[1 << 12];
    ZSTD_DCtx *z = ZSTD_createDCtx();
    ZSTD_inBuffer from = {data, size, 0};
    ZSTD_outBuffer to = {out, room, 0};
    size_t before, got = 0, left = z ? 1 : 0;
    while (left && !ZSTD_isError(left) && (got < room || to_end)) {
        if (got == room)
            to = (ZSTD_outBuffer){rest, sizeof rest, 0};
        before = from.pos + to.pos;
        left = ZSTD_decompressStream(z, &to, &from);
        got = to.dst == out ? to.pos : got;
        if (from.pos + to.pos == before)
            break; /* cut */
    }
    *used = from.pos;
    ZSTD_freeDCtx(z);
    return ZSTD_isError(left) || (to_end && left) ? 0 : got;
}

size_t ls_bundle_head(const void *data, size_t size, void *out, size_t room, size_t *whole)
{
    struct head h;
    size_t used = 0, got;
    if (!read_head(data, size, &h) || h.method > ZSTD)
        return 0;
    got = (h.method == ZLIB ? unpack_zlib : unpack_zstd)((const unsigned char *)data + h.size, size - h.size,
                                                         out, room, !h.whole, &used);
    *whole = h.whole ? h.whole : h.size + used;
    return got;
}
