/* rocpd_file.h - one file in rocpd's schema (rocpd_schema.h): makes it, takes rows, checks it. */
#ifndef CLI_CONVERT_ROCPD_FILE_H
#define CLI_CONVERT_ROCPD_FILE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What stands in a column. */
struct rocpd_cell {
    enum { ROCPD_NUMBER, ROCPD_REAL, ROCPD_TEXT } type;
    int64_t number;
    double real;
    const char *text;
};
#define NUMBER(n) ((struct rocpd_cell){.type = ROCPD_NUMBER, .number = (n)})
#define REAL(x) ((struct rocpd_cell){.type = ROCPD_REAL, .real = (x)})
#define TEXT(s) ((struct rocpd_cell){.type = ROCPD_TEXT, .text = (s)})

/* Into which tables rows go, with the columns that rocpd_file_row fills; the others have their defaults. */
enum rocpd_kind {
    ROCPD_METADATA,    /* tag, value */
    ROCPD_NODE,        /* id, hash, machine_id, hostname */
    ROCPD_PROCESS,     /* id, nid, ppid, pid, init, fini, start, end, command, extdata */
    ROCPD_THREAD,      /* id, nid, ppid, pid, tid, name */
    ROCPD_AGENT,       /* id, nid, pid, type, absolute, logical, type index, name, product_name, user_name */
    ROCPD_QUEUE,       /* id, nid, pid, name */
    ROCPD_STREAM,      /* id, nid, pid, name */
    ROCPD_PMC,         /* id, nid, pid, agent, name, symbol, description, component, units, block, extdata */
    ROCPD_CODE_OBJECT, /* id, nid, pid, agent, uri, load_base, load_size, storage_type */
    ROCPD_KERNEL, /* id, nid, pid, code object, kernel_name, display_name, lds, scratch, sgpr, vgpr, agpr, extdata */
    ROCPD_TRACK,     /* nid, pid, tid, name */
    ROCPD_EVENT,     /* category, stack_id, extdata */
    ROCPD_PMC_EVENT, /* event, pmc, value, extdata */
    ROCPD_REGION,    /* nid, pid, tid, start, end, name, event */
    ROCPD_SAMPLE,    /* track, timestamp, event */
    ROCPD_DISPATCH, /* nid, pid, tid, agent, kernel, dispatch_id, queue, stream, start, end, scratch, lds, workgroup x y z,
                          grid x y z, region name, event */
    ROCPD_COPY, /* nid, pid, tid, start, end, name, destination, source, size, stream, event */
    ROCPD_KINDS
};

struct rocpd_file {
    const char *path; /* as users know it */
    sqlite3 *sql;
    char guid[40], uuid[48];
    sqlite3_stmt *insert[ROCPD_KINDS], *add_string;
    struct rocpd_string *strings;
    bool failed; /* a message said why; everything after it does nothing */
};

/* Makes the tables and views in the empty file at `path`, which messages call `shown`, for a recording called `guid`. */
void rocpd_file_open(struct rocpd_file *f, const char *path, const char *shown, const char *guid);
/* Adds a row of the kind's columns; returns its id. */
int64_t rocpd_file_row(struct rocpd_file *f, enum rocpd_kind kind, const struct rocpd_cell *cells);
/* The id of a text; equal ones have one. */
int64_t rocpd_file_string(struct rocpd_file *f, const char *text);
/* Makes the views, sees that every reference leads somewhere, closes. 0, or EXIT_FAILED after a message. */
int rocpd_file_close(struct rocpd_file *f);

#endif
