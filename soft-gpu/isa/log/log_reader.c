/*
 * log_reader.c - reads access logs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "log_reader.h"

struct sg_log_reader {
    FILE *stream;
    struct sg_log_header header;
};

struct sg_log_reader *sg_log_open(const char *path, const char **why)
{
    struct sg_log_reader *r = calloc(1, sizeof *r);
    *why = "out of memory";
    if (!r)
        return NULL;
    r->stream = fopen(path, "rbe");
    if (!r->stream)
        *why = "cannot open the file";
    else if (fread(&r->header, sizeof r->header, 1, r->stream) == 1 &&
             !memcmp(r->header.magic, SG_LOG_MAGIC_UNUSABLE, sizeof r->header.magic))
        *why = "the access log is incomplete: it could not be written";
    else if (ferror(r->stream) || feof(r->stream) ||
             memcmp(r->header.magic, SG_LOG_MAGIC, sizeof r->header.magic))
        *why = "not an access log";
    else if (r->header.version != SG_LOG_VERSION)
        *why = "access log of another version";
    else if (!fseek(r->stream, (long)r->header.header_bytes, SEEK_SET))
        return r;
    sg_log_reader_close(r);
    return NULL;
}

void sg_log_reader_close(struct sg_log_reader *r)
{
    if (!r)
        return;
    if (r->stream)
        fclose(r->stream);
    free(r);
}

const struct sg_log_header *sg_log_reader_header(const struct sg_log_reader *r)
{
    return &r->header;
}

/* Size of the fixed part of a record type; 0: unknown. */
static size_t fixed_size(uint32_t type)
{
    switch (type) {
    case SG_LOG_DISPATCH:
        return sizeof(struct sg_log_dispatch);
    case SG_LOG_ACCESS:
        return sizeof(struct sg_log_access);
    case SG_LOG_END:
        return sizeof(struct sg_log_end);
    default:
        return 0;
    }
}

int sg_log_next(struct sg_log_reader *r, union sg_log_any *record, uint64_t addr[SG_MAX_LANES])
{
    struct sg_log_record *head = &record->record;
    if (fread(head, sizeof *head, 1, r->stream) != 1)
        return feof(r->stream) ? 0 : -1;
    size_t fixed = fixed_size(head->type), extra = 0;
    if (!fixed || head->bytes < fixed ||
        fread((uint8_t *)record + sizeof *head, fixed - sizeof *head, 1, r->stream) != 1)
        return -1;
    if (head->type == SG_LOG_ACCESS) {
        for (uint64_t exec = record->access.exec; exec; exec &= exec - 1, extra += 8)
            if (fread(&addr[__builtin_ctzll(exec)], 8, 1, r->stream) != 1)
                return -1;
    }
    return fixed + extra == head->bytes ? 1 : -1;
}
