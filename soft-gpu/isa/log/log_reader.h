/*
 * log_reader.h - reads access logs (log.h): for tests and tools.
 */
#ifndef SOFT_GPU_ISA_LOG_READER_H
#define SOFT_GPU_ISA_LOG_READER_H

#include "log.h"

struct sg_log_reader;
/* NULL when the file cannot be read or is no access log of a known version; *why names the cause (static
 * text). */
struct sg_log_reader *sg_log_open(const char *path, const char **why);
void sg_log_reader_close(struct sg_log_reader *r);
const struct sg_log_header *sg_log_reader_header(const struct sg_log_reader *r);

/* One record; what `record->type` says decides which member is valid. */
union sg_log_any {
    struct sg_log_record record;
    struct sg_log_dispatch dispatch;
    struct sg_log_access access;
    struct sg_log_end end;
};
/* Reads the next record. For accesses, addr[lane] is filled for the lanes in `exec`. 1, 0 at the end, -1 when
 * the file is damaged. */
int sg_log_next(struct sg_log_reader *r, union sg_log_any *record, uint64_t addr[SG_MAX_LANES]);

#endif
