/*
 * log.h - the access log: every memory access of every wavefront instruction, in a file. docs/internals/access-log.md
 * describes the format for other tools; the structs here are it.
 *
 * Writing: one file per engine, one sink per worker thread. Records of one sink keep their order; sinks are
 * interleaved in pieces.
 */
#ifndef SOFT_GPU_ISA_LOG_H
#define SOFT_GPU_ISA_LOG_H

#include "soft-gpu/isa/code/uop.h"

#define SG_LOG_MAGIC "LSGPULOG"
#define SG_LOG_MAGIC_UNUSABLE "LSGPUBAD" /* something could not be written */
enum { SG_LOG_VERSION = 1 };

struct sg_log_header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes; /* records start here */
    char arch[16];         /* "gfx90a", padded with zeros */
    uint8_t reserved[32];
};
_Static_assert(sizeof(struct sg_log_header) == 64, "layout of the log file");

enum sg_log_type { SG_LOG_DISPATCH = 1, SG_LOG_ACCESS = 2, SG_LOG_END = 3 };

/* Starts every record. */
struct sg_log_record {
    uint32_t type;  /* enum sg_log_type */
    uint32_t bytes; /* of the whole record; a multiple of 8 */
};

/* Comes before the accesses of its dispatch. */
struct sg_log_dispatch {
    struct sg_log_record record;
    uint64_t dispatch;      /* number in this engine, from 0 */
    uint64_t kernel_object; /* GPU address of the kernel descriptor */
    uint64_t entry;         /* GPU address of the first instruction that runs */
    uint32_t grid[3];       /* work-items */
    uint32_t workgroup[3];
    uint32_t group_bytes, private_bytes;
};
_Static_assert(sizeof(struct sg_log_dispatch) == 64, "layout of the log file");

/* Followed by one uint64_t address per set bit of `exec`, lowest lane first. */
struct sg_log_access {
    struct sg_log_record record;
    uint64_t dispatch;
    uint64_t workgroup; /* flat id: x + y * groups_x + z * groups_x * groups_y */
    uint64_t pc;        /* GPU address of the instruction */
    uint64_t exec;      /* lanes that access */
    int32_t pc_offset;  /* pc - entry of the kernel; INT32_MIN: farther away than that says */
    uint32_t wave;      /* index in the work-group */
    uint32_t access_bytes;
    uint8_t kind;  /* enum sg_access_kind */
    uint8_t space; /* enum sg_access_space; addresses are GPU addresses, for LDS byte offsets */
    uint8_t part;  /* 0; 1 for the second access of read2/write2; image_sample: number of the texel */
    uint8_t reserved;
};
_Static_assert(sizeof(struct sg_log_access) == 56, "layout of the log file");

/* Comes after all accesses of its dispatch. */
struct sg_log_end {
    struct sg_log_record record;
    uint64_t dispatch;
    uint32_t fault; /* enum sg_fault_kind */
    uint32_t reserved;
};
_Static_assert(sizeof(struct sg_log_end) == 24, "layout of the log file");

struct sg_log_file;
/* NULL after a message when the file cannot be created; one that is no access log is not replaced. */
struct sg_log_file *sg_log_create(const char *path, const struct ls_gpu *arch);
/* Sinks must be closed before. */
void sg_log_close(struct sg_log_file *f);
/* A thread's sink, NULL when out of memory. */
struct sg_log *sg_log_sink(struct sg_log_file *f);
void sg_log_sink_close(struct sg_log *l);
void sg_log_flush(struct sg_log *l);
/* Records without a sink. */
void sg_log_write_dispatch(struct sg_log_file *f, const struct sg_log_dispatch *d);
void sg_log_write_end(struct sg_log_file *f, uint64_t dispatch, enum sg_fault_kind fault);

/* One memory access of one wavefront instruction, by handlers that were built while logging was on. addr[lane] is
 * valid where exec has the bit. For LDS: byte offset in the work-group's LDS. `part` counts the accesses of one
 * instruction (read2/write2: 0 and 1; image_sample: up to 8). */
void sg_log_access(struct sg_wave *w, const struct sg_uop *u, enum sg_access_kind kind,
                   enum sg_access_space space, unsigned bytes, unsigned part, uint64_t exec,
                   const uint64_t addr[SG_MAX_LANES]);

#endif
