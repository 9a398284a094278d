/* arena.c - see arena.h. */
#include "arena.h"

#include <stdlib.h>

enum { PAGES = LS_ARENA_SHARED / LS_ARENA_PAGE };

struct ls_arena_block {
    struct ls_arena_block *next;
    void *memory; /* as the runtime gave it: guard, pieces, guard */
    char *pieces;
    uint64_t bytes;        /* of all pieces; more than LS_ARENA_SHARED: there is one */
    uint32_t used;         /* pages in use; of a block of one piece: 1 */
    uint16_t taken[PAGES]; /* pages of the piece that begins here; 0: none does */
};

void ls_arena_init(struct ls_arena *a, hsa_amd_memory_pool_t pool, hsa_agent_t agent, bool shared)
{
    *a = (struct ls_arena){.pool = pool, .agent = agent, .shared = shared};
    pthread_mutex_init(&a->lock, NULL);
}

static struct ls_arena_block *new_block(const struct ls_api *api, struct ls_arena *a, uint64_t bytes)
{
    struct ls_arena_block *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    if (api->amd.memory_pool_allocate(a->pool, bytes + 2 * LS_ARENA_GUARD, 0, &b->memory) !=
        HSA_STATUS_SUCCESS)
        goto no_memory;
    if (a->shared && api->amd_tail.agents_allow_access(1, &a->agent, NULL, b->memory) != HSA_STATUS_SUCCESS)
        goto no_access;
    b->pieces = (char *)b->memory + LS_ARENA_GUARD;
    b->bytes = bytes;
    b->next = a->blocks;
    a->blocks = b;
    return b;
no_access:
    api->amd.memory_pool_free(b->memory);
no_memory:
    free(b);
    return NULL;
}

/* The first page of that many free ones, or -1. */
static int free_pages(const struct ls_arena_block *b, uint32_t wanted)
{
    uint32_t page = 0, run = 0;
    while (page < PAGES && run < wanted) {
        run = b->taken[page] ? 0 : run + 1;
        page += b->taken[page] ? b->taken[page] : 1;
    }
    return run == wanted ? (int)(page - wanted) : -1;
}

static void *take_shared(const struct ls_api *api, struct ls_arena *a, uint32_t pages)
{
    struct ls_arena_block *b = a->blocks;
    int at = -1;
    for (; b; b = b->next)
        if (b->bytes == LS_ARENA_SHARED && PAGES - b->used >= pages && (at = free_pages(b, pages)) >= 0)
            break;
    if (!b) {
        b = new_block(api, a, LS_ARENA_SHARED);
        at = 0;
    }
    if (!b)
        return NULL;
    b->taken[at] = (uint16_t)pages;
    b->used += pages;
    return b->pieces + (uint64_t)at * LS_ARENA_PAGE;
}

static void *take_whole(const struct ls_api *api, struct ls_arena *a, uint64_t bytes)
{
    struct ls_arena_block *b = new_block(api, a, bytes);
    if (!b)
        return NULL;
    b->used = 1;
    return b->pieces;
}

void *ls_arena_get(const struct ls_api *api, struct ls_arena *a, uint64_t bytes)
{
    if (!bytes || bytes > UINT64_MAX / 2)
        return NULL;
    uint64_t rounded = (bytes + LS_ARENA_PAGE - 1) / LS_ARENA_PAGE * LS_ARENA_PAGE;
    pthread_mutex_lock(&a->lock);
    void *piece = rounded > LS_ARENA_SHARED ? take_whole(api, a, rounded)
                                            : take_shared(api, a, (uint32_t)(rounded / LS_ARENA_PAGE));
    pthread_mutex_unlock(&a->lock);
    return piece;
}

/* Takes the piece out of its block; the block itself out of the list, if it is empty now, else NULL. */
static struct ls_arena_block *take_out(struct ls_arena *a, uintptr_t piece)
{
    struct ls_arena_block **link = &a->blocks, *b;
    while ((b = *link) && piece - (uintptr_t)b->pieces >= b->bytes)
        link = &b->next;
    if (!b)
        return NULL;
    if (b->bytes == LS_ARENA_SHARED) {
        uint16_t *pages = &b->taken[(piece - (uintptr_t)b->pieces) / LS_ARENA_PAGE];
        b->used -= *pages;
        *pages = 0;
    } else
        b->used = 0;
    if (b->used)
        return NULL;
    *link = b->next;
    return b;
}

void ls_arena_put(const struct ls_api *api, struct ls_arena *a, void *piece)
{
    if (!piece)
        return;
    pthread_mutex_lock(&a->lock);
    struct ls_arena_block *empty = take_out(a, (uintptr_t)piece);
    pthread_mutex_unlock(&a->lock);
    if (empty)
        api->amd.memory_pool_free(empty->memory);
    free(empty);
}
