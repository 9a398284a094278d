/*
 * vram.c - offsets in the sparse memfd of one GPU: a sorted list of free spans, lowest first fit.
 */
#include "vram.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common/numbers.h"
#include "common/vector.h"
#include "file_size.h"

struct span {
    uint64_t offset, size;
};

struct sg_vram {
    int fd;
    uint8_t *alias;
    uint64_t space;
    pthread_mutex_t lock;
    struct span *free_span; /* sorted by offset, never adjacent */
    uint32_t spans;
};

struct sg_vram *sg_vram_create(const char *name, uint64_t space)
{
    struct sg_vram *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->space = space;
    v->fd = memfd_create(name, MFD_CLOEXEC);
    v->alias = MAP_FAILED;
    if (v->fd >= 0 && LS_ROOM(v->free_span, v->spans) && sg_set_file_size(v->fd, space) == 0)
        v->alias = mmap(NULL, space, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, v->fd, 0);
    if (v->alias == MAP_FAILED) {
        int saved = errno;
        if (v->fd >= 0)
            close(v->fd);
        free(v->free_span);
        free(v);
        errno = saved;
        return NULL;
    }
    /* Not in core dumps (a terabyte of offsets), and not in a forked child, whose GPU starts afresh. */
    madvise(v->alias, space, MADV_DONTDUMP);
    madvise(v->alias, space, MADV_DONTFORK);
    /* Fewer first-touch faults, where the system allows large pages for shared memory. */
    madvise(v->alias, space, MADV_HUGEPAGE);
    v->free_span[0] = (struct span){SG_VRAM_ALIGN, space - SG_VRAM_ALIGN};
    v->spans = 1;
    pthread_mutex_init(&v->lock, NULL);
    return v;
}

void sg_vram_destroy(struct sg_vram *v)
{
    if (!v)
        return;
    munmap(v->alias, v->space);
    close(v->fd);
    pthread_mutex_destroy(&v->lock);
    free(v->free_span);
    free(v);
}

int sg_vram_fd(const struct sg_vram *v)
{
    return v->fd;
}

void *sg_vram_host(const struct sg_vram *v, uint64_t offset)
{
    return v->alias + offset;
}

static void remove_span(struct sg_vram *v, uint32_t i)
{
    memmove(&v->free_span[i], &v->free_span[i + 1], (v->spans - i - 1) * sizeof(struct span));
    v->spans--;
}

int sg_vram_alloc(struct sg_vram *v, uint64_t size, uint64_t *offset)
{
    int err = -ENOMEM;
    if (!size || size > v->space)
        return -ENOMEM;
    size = ls_round_up(size, SG_VRAM_ALIGN);
    pthread_mutex_lock(&v->lock);
    for (uint32_t i = 0; i < v->spans; i++) {
        struct span *s = &v->free_span[i];
        if (s->size < size)
            continue;
        *offset = s->offset;
        s->offset += size;
        s->size -= size;
        if (!s->size)
            remove_span(v, i);
        err = 0;
        break;
    }
    pthread_mutex_unlock(&v->lock);
    return err;
}

/* Puts a span back, merged with its neighbours. False when the list cannot grow. */
static bool insert_span(struct sg_vram *v, uint64_t offset, uint64_t size)
{
    uint32_t i = 0;
    while (i < v->spans && v->free_span[i].offset < offset)
        i++;
    bool left = i > 0 && v->free_span[i - 1].offset + v->free_span[i - 1].size == offset;
    bool right = i < v->spans && offset + size == v->free_span[i].offset;
    if (left) {
        v->free_span[i - 1].size += size;
        if (right) {
            v->free_span[i - 1].size += v->free_span[i].size;
            remove_span(v, i);
        }
        return true;
    }
    if (right) {
        v->free_span[i].offset = offset;
        v->free_span[i].size += size;
        return true;
    }
    if (!LS_ROOM(v->free_span, v->spans))
        return false;
    memmove(&v->free_span[i + 1], &v->free_span[i], (v->spans - i) * sizeof(struct span));
    v->free_span[i] = (struct span){offset, size};
    v->spans++;
    return true;
}

void sg_vram_free(struct sg_vram *v, uint64_t offset, uint64_t size)
{
    size = ls_round_up(size, SG_VRAM_ALIGN);
    fallocate(v->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)size);
    pthread_mutex_lock(&v->lock);
    /* When the list cannot grow the offsets are lost, not the memory: the hole is punched. */
    (void)insert_span(v, offset, size);
    pthread_mutex_unlock(&v->lock);
}
