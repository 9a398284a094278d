/*
 * A stand-in for the ISA engine: dispatches complete without executing, at once or when the test says so.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../isa/engine.h"
#include "fake_engine.h"

#define HELD_MAX 256

struct sg_engine {
    struct sg_engine_config config;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool hold;
static struct fake_dispatch held[HELD_MAX];
static unsigned helds;
static unsigned submitted;
static unsigned invalidations;

struct sg_engine *sg_engine_create(const struct sg_engine_config *config, const char **why)
{
    struct sg_engine *e = calloc(1, sizeof *e);
    if (!e)
        *why = "out of memory";
    else
        e->config = *config;
    return e;
}

void sg_engine_destroy(struct sg_engine *e)
{
    free(e);
}

void sg_engine_fence(struct sg_engine *e, enum sg_weak_scope acquire, enum sg_weak_scope release)
{
    (void)e;
    (void)acquire;
    (void)release;
}

bool sg_engine_has_room(struct sg_engine *e, struct sg_tlb *tlb, const struct sg_dispatch *d)
{
    (void)e, (void)tlb, (void)d;
    return true;
}

int sg_engine_submit(struct sg_engine *e, const struct sg_dispatch *d, sg_done_fn done, void *user)
{
    (void)e;
    pthread_mutex_lock(&lock);
    submitted++;
    bool keep = hold;
    if (keep) {
        if (helds == HELD_MAX) {
            pthread_mutex_unlock(&lock);
            return -ENOMEM;
        }
        held[helds++] = (struct fake_dispatch){*d, done, user};
    }
    pthread_mutex_unlock(&lock);
    if (!keep) {
        struct sg_fault none = {.kind = SG_FAULT_NONE};
        done(user, &none);
    }
    return 0;
}

void sg_engine_invalidate_code(struct sg_engine *e, uint64_t va, uint64_t size)
{
    (void)e;
    (void)va;
    (void)size;
    pthread_mutex_lock(&lock);
    invalidations++;
    pthread_mutex_unlock(&lock);
}

void sg_engine_counters(struct sg_engine *e, uint64_t *wave_instructions, uint64_t *lane_operations)
{
    (void)e;
    *wave_instructions = *lane_operations = 0;
}

void fake_hold(bool on)
{
    pthread_mutex_lock(&lock);
    hold = on;
    pthread_mutex_unlock(&lock);
}

unsigned fake_submitted(void)
{
    pthread_mutex_lock(&lock);
    unsigned n = submitted;
    pthread_mutex_unlock(&lock);
    return n;
}

unsigned fake_invalidations(void)
{
    pthread_mutex_lock(&lock);
    unsigned n = invalidations;
    pthread_mutex_unlock(&lock);
    return n;
}

bool fake_take(unsigned i, struct fake_dispatch *out)
{
    bool there = false;
    pthread_mutex_lock(&lock);
    if (i < helds) {
        *out = held[i];
        memmove(&held[i], &held[i + 1], (helds - i - 1) * sizeof held[0]);
        helds--;
        there = true;
    }
    pthread_mutex_unlock(&lock);
    return there;
}
