/* allocations.c - see allocations.h. */
#include "allocations.h"

#include <pthread.h>
#include <stdlib.h>
#include <uthash.h>
#include "state.h"

struct entry {
    UT_hash_handle hh;
    struct lanescope_allocation at;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;          /* by address; under lock */
static uint64_t count;                 /* allocations so far; under lock */
static struct ls_allocations *current; /* of `entries` as they are; NULL: to be made; under lock */

static void changed(void)
{
    ls_allocations_put(current);
    current = NULL;
}

/* Without memory for an entry its pages are shown as of no known allocation. */
static void keep(uint64_t address, uint64_t bytes)
{
    struct entry *e = calloc(1, sizeof *e), *old = NULL;
    pthread_mutex_lock(&lock);
    count++;
    if (e) {
        e->at = (struct lanescope_allocation){address, bytes, count};
        HASH_REPLACE(hh, entries, at.address, sizeof e->at.address, e, old);
        if (!e->hh.tbl)
            free(e);
        free(old);
        changed();
    }
    pthread_mutex_unlock(&lock);
}

static void forget(uint64_t address)
{
    struct entry *e;
    pthread_mutex_lock(&lock);
    HASH_FIND(hh, entries, &address, sizeof address, e);
    if (e) {
        HASH_DEL(entries, e);
        free(e);
        changed();
    }
    pthread_mutex_unlock(&lock);
}

static hsa_status_t pool_allocate(hsa_amd_memory_pool_t pool, size_t bytes, uint32_t flags, void **out)
{
    hsa_status_t rc = ls_tool_originals()->api.amd.memory_pool_allocate(pool, bytes, flags, out);
    if (rc == HSA_STATUS_SUCCESS && ls_tool_records())
        keep((uint64_t)(uintptr_t)*out, bytes);
    return rc;
}

/* Forgotten before it is freed: another thread may get the same address at once. */
static hsa_status_t pool_free(void *p)
{
    if (p && ls_tool_records())
        forget((uint64_t)(uintptr_t)p);
    return ls_tool_originals()->api.amd.memory_pool_free(p);
}

void ls_allocations_hooks(struct ls_amd_table *amd)
{
    amd->memory_pool_allocate = pool_allocate;
    amd->memory_pool_free = pool_free;
}

static int by_address(const void *a, const void *b)
{
    const struct lanescope_allocation *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static struct ls_allocations *make(void)
{
    struct ls_allocations *a = malloc(sizeof *a + HASH_COUNT(entries) * sizeof a->list[0]);
    if (!a)
        return NULL;
    atomic_init(&a->references, 1);
    a->n = 0;
    for (struct entry *e = entries; e; e = e->hh.next)
        a->list[a->n++] = e->at;
    qsort(a->list, a->n, sizeof a->list[0], by_address);
    return a;
}

struct ls_allocations *ls_allocations_get(void)
{
    pthread_mutex_lock(&lock);
    if (!current && entries)
        current = make();
    struct ls_allocations *a = current;
    if (a)
        atomic_fetch_add(&a->references, 1);
    pthread_mutex_unlock(&lock);
    return a;
}

void ls_allocations_put(struct ls_allocations *a)
{
    if (a && atomic_fetch_sub(&a->references, 1) == 1)
        free(a);
}
