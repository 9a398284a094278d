/*
 * log.c - writes the access log. Nothing here runs when no log was asked for.
 *
 * A log that lacks accesses is worse than none: the first write that fails is told, the header becomes
 * that of no access log, and nothing more is written. The program goes on, as it does without a log that cannot be created.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/file_limit.h"
#include "soft-gpu/isa/code/code.h"
#include "lanescope/defaults.h"
#include "lanescope/output.h"
#include "log.h"

enum { SINK_BYTES = 1 << 18 };

struct sg_log_file {
    FILE *stream;
    char *path;
    bool failed;
    pthread_mutex_t lock;
};

struct sg_log {
    struct sg_log_file *file;
    size_t used;
    uint8_t buffer[SINK_BYTES];
};

/* ---- errors ---- */

static void give_up(struct sg_log_file *f)
{
    if (f->failed)
        return;
    f->failed = true;
    fprintf(stderr,
            "lanescope: %s: cannot write the access log: %m; it is incomplete and marked as unusable\n",
            f->path);
    /* The header is there, unless the very first write failed. */
    if (pwrite(fileno(f->stream), SG_LOG_MAGIC_UNUSABLE, strlen(SG_LOG_MAGIC_UNUSABLE), 0) < 0)
        (void)!ftruncate(fileno(f->stream), 0);
}

static void write_bytes(struct sg_log_file *f, const void *data, size_t size, bool flush)
{
    pthread_mutex_lock(&f->lock);
    struct ls_held_signal held = ls_hold_file_limit();
    if (!f->failed && (fwrite(data, 1, size, f->stream) != size || (flush && fflush(f->stream))))
        give_up(f);
    ls_release_file_limit(&held);
    pthread_mutex_unlock(&f->lock);
}

/* ---- the file ---- */

static FILE *open_stream(const char *path)
{
    int fd = lanescope_open_output(path, LS_ACCESS_LOG_MARK, strlen(LS_ACCESS_LOG_MARK));
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "wb");
    if (stream)
        return stream;
    const char *why = errno == EEXIST  ? "it exists and is no access log; give another name, or remove it"
                      : errno == ELOOP ? "it is a symbolic link; give the name of the file"
                                       : strerror(errno);
    fprintf(stderr, "lanescope: %s: cannot create the access log: %s; nothing is logged\n", path, why);
    if (fd >= 0)
        close(fd);
    return NULL;
}

struct sg_log_file *sg_log_create(const char *path, const struct ls_gpu *arch)
{
    struct sg_log_file *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->path = strdup(path);
    f->stream = f->path ? open_stream(path) : NULL;
    if (!f->stream) {
        free(f->path);
        free(f);
        return NULL;
    }
    struct sg_log_header h = {.version = SG_LOG_VERSION, .header_bytes = sizeof h};
    memcpy(h.magic, SG_LOG_MAGIC, sizeof h.magic);
    snprintf(h.arch, sizeof h.arch, "%s", arch->name);
    pthread_mutex_init(&f->lock, NULL);
    write_bytes(f, &h, sizeof h, true);
    return f;
}

void sg_log_close(struct sg_log_file *f)
{
    if (!f)
        return;
    write_bytes(f, "", 0, true);
    fclose(f->stream);
    pthread_mutex_destroy(&f->lock);
    free(f->path);
    free(f);
}

struct sg_log *sg_log_sink(struct sg_log_file *f)
{
    struct sg_log *l = malloc(sizeof *l);
    if (l) {
        l->file = f;
        l->used = 0;
    }
    return l;
}

void sg_log_flush(struct sg_log *l)
{
    if (l->used)
        write_bytes(l->file, l->buffer, l->used, false);
    l->used = 0;
}

void sg_log_sink_close(struct sg_log *l)
{
    if (!l)
        return;
    sg_log_flush(l);
    free(l);
}

void sg_log_write_dispatch(struct sg_log_file *f, const struct sg_log_dispatch *d)
{
    write_bytes(f, d, sizeof *d, false);
}

void sg_log_write_end(struct sg_log_file *f, uint64_t dispatch, enum sg_fault_kind fault)
{
    struct sg_log_end end = {{SG_LOG_END, sizeof end}, dispatch, fault, 0};
    write_bytes(f, &end, sizeof end, true);
}

static int32_t offset_from_entry(const struct sg_wave *w, uint64_t pc)
{
    const int64_t distance = (int64_t)(pc - sg_code_base(w->code));
    return distance == (int32_t)distance ? (int32_t)distance : INT32_MIN;
}

void sg_log_access(struct sg_wave *w, const struct sg_uop *u, enum sg_access_kind kind,
                   enum sg_access_space space, unsigned bytes, unsigned part, uint64_t exec,
                   const uint64_t addr[SG_MAX_LANES])
{
    struct sg_log *l = w->log;
    if (!l)
        return;
    const uint64_t pc = sg_uop_pc(w, u);
    struct sg_log_access a = {
        .record = {SG_LOG_ACCESS, (uint32_t)(sizeof a + 8 * (unsigned)__builtin_popcountll(exec))},
        .dispatch = w->wg->log_dispatch,
        .workgroup = w->wg->log_id,
        .pc = pc,
        .exec = exec,
        .pc_offset = offset_from_entry(w, pc),
        .wave = w->wave_in_group,
        .access_bytes = bytes,
        .kind = (uint8_t)kind,
        .space = (uint8_t)space,
        .part = (uint8_t)part,
    };
    if (l->used + a.record.bytes > SINK_BYTES)
        sg_log_flush(l);
    uint8_t *out = l->buffer + l->used;
    l->used += a.record.bytes;
    memcpy(out, &a, sizeof a);
    out += sizeof a;
    for (; exec; exec &= exec - 1, out += 8)
        memcpy(out, &addr[__builtin_ctzll(exec)], 8);
}
