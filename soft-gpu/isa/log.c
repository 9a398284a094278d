/*
 * log.c - writes the access log. Nothing here runs when no log was asked for.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "code.h"
#include "log.h"

enum { SINK_BYTES = 1 << 18 };

struct sg_log_file {
    FILE *stream;
    pthread_mutex_t lock;
};

struct sg_log {
    struct sg_log_file *file;
    size_t used;
    uint8_t buffer[SINK_BYTES];
};

struct sg_log_file *sg_log_create(const char *path, const struct sg_arch *arch)
{
    struct sg_log_file *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->stream = fopen(path, "wbe");
    struct sg_log_header h = {.version = SG_LOG_VERSION, .header_bytes = sizeof h};
    memcpy(h.magic, SG_LOG_MAGIC, sizeof h.magic);
    snprintf(h.arch, sizeof h.arch, "%s", arch->name);
    if (!f->stream || fwrite(&h, sizeof h, 1, f->stream) != 1) {
        if (f->stream)
            fclose(f->stream);
        free(f);
        return NULL;
    }
    pthread_mutex_init(&f->lock, NULL);
    return f;
}

static void write_bytes(struct sg_log_file *f, const void *data, size_t size)
{
    pthread_mutex_lock(&f->lock);
    if (fwrite(data, 1, size, f->stream) != size)
        fprintf(stderr, "soft GPU: cannot write the access log: %m\n");
    pthread_mutex_unlock(&f->lock);
}

void sg_log_close(struct sg_log_file *f)
{
    if (!f)
        return;
    if (fclose(f->stream))
        fprintf(stderr, "soft GPU: cannot write the access log: %m\n");
    pthread_mutex_destroy(&f->lock);
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
        write_bytes(l->file, l->buffer, l->used);
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
    write_bytes(f, d, sizeof *d);
}

void sg_log_write_end(struct sg_log_file *f, uint64_t dispatch, enum sg_fault_kind fault)
{
    struct sg_log_end end = {{SG_LOG_END, sizeof end}, dispatch, fault, 0};
    write_bytes(f, &end, sizeof end);
    pthread_mutex_lock(&f->lock);
    fflush(f->stream);
    pthread_mutex_unlock(&f->lock);
}

void sg_log_access(struct sg_wave *w, const struct sg_uop *u, enum sg_access_kind kind,
                   enum sg_access_space space, unsigned bytes, unsigned part, uint64_t exec,
                   const uint64_t addr[SG_LANES])
{
    struct sg_log *l = w->log;
    if (!l)
        return;
    struct sg_log_access a = {
        .record = {SG_LOG_ACCESS, (uint32_t)(sizeof a + 8 * (unsigned)__builtin_popcountll(exec))},
        .dispatch = w->wg->log_dispatch,
        .workgroup = w->wg->log_id,
        .pc = sg_uop_pc(w, u),
        .exec = exec,
        .pc_offset = (int32_t)u->pc,
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
