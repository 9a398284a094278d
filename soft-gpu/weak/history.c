/*
 * history.c - who has stored what, and who may know of it: which loads find what they must not find.
 *
 * A wavefront knows of a store when it has read something that the same wavefront stored later, or somebody who knew of
 * it. Knowing is what a program has arranged by a flag, a counter or a barrier, whatever caches have made of it. Who
 * knows of a store and then finds what was there before has run into a missing fence: the writer's, if the store has
 * not come to where the reader looks; else the reader's own, whose cache is old.
 *
 * Nodes are wavefronts, work-groups with barriers, and words with read-modify-writes, which hand on what all their
 * writers knew. A node's events say until when it knows of which other node. Times count what is done, in the order in
 * which the only thread does it.
 */
#include "common/vector.h"
#include "internal.h"

#include <stdlib.h>

enum {
    WORDS = 1 << 20,  /* dwords that are followed */
    EVENTS = 1 << 22, /* of all nodes */
    VISITS = 1 << 16, /* of a search */
    LOOK_BACK = 32,   /* events, for one that says the same */
    POLLS = 8,        /* the same old value so often is no chance */
};

struct event {
    uint64_t when;  /* it was learnt */
    uint64_t until; /* what is known of `from` */
    uint32_t from;
};

struct node {
    struct event *event;
    uint32_t n;
    uint64_t group;
    unsigned wave;
    const struct sg_weak_wave *live; /* the wavefront that it is; NULL: it has ended, or is none */
    uint64_t seen;                   /* in a search: until when its events were looked at */
};

/* The last store to a dword. */
struct word {
    uint64_t at; /* address / 4 */
    uint64_t when, pc;
    uint32_t writer, shared; /* nodes; shared: 0 until a read-modify-write */
    uint32_t data;
    uint8_t mask; /* bytes of it that were stored, a bit each; 0: what is unknown */
    uint8_t lane;
    bool tells;      /* it changed the dword: who finds it knows of the store */
    bool through;    /* it goes to memory: maybe a relaxed atomic */
    uint32_t coming; /* read-modify-writes that are under way */
    UT_hash_handle hh;
};

struct history {
    struct node *node; /* number 0 is nobody */
    uint32_t n;
    uint32_t n_events, n_live;
    uint64_t now;
    struct word *words;
    uint32_t *stack;
};

static uint32_t new_node(struct history *h, uint64_t group, unsigned wave)
{
    if (!LS_ROOM(h->node, h->n))
        return 0;
    h->node[h->n] = (struct node){.group = group, .wave = wave};
    return h->n++;
}

struct history *history_create(void)
{
    struct history *h = calloc(1, sizeof *h);
    if (h && (h->stack = calloc(VISITS, sizeof *h->stack))) {
        (void)new_node(h, 0, 0);
        if (h->n)
            return h;
    }
    history_destroy(h);
    return NULL;
}

static void forget_words(struct history *h)
{
    struct word *word, *next;
    HASH_ITER(hh, h->words, word, next)
    {
        HASH_DEL(h->words, word);
        free(word);
    }
}

void history_destroy(struct history *h)
{
    if (!h)
        return;
    forget_words(h);
    for (uint32_t i = 0; i < h->n; i++)
        free(h->node[i].event);
    free(h->node);
    free(h->stack);
    free(h);
}

void history_begin(struct history *h, struct sg_weak_wave *v)
{
    v->node = new_node(h, v->place.group, v->place.wave);
    v->barrier = 0;
    v->polls = 0;
    if (!v->node)
        return;
    h->node[v->node].live = v;
    h->n_live++;
}

void history_end(struct history *h, struct sg_weak_wave *v)
{
    if (v->node) {
        h->node[v->node].live = NULL;
        h->n_live--;
    }
    v->node = 0;
}

void history_dispatch_ended(struct history *h)
{
    if (h->n_live)
        return;
    forget_words(h);
    for (uint32_t i = 1; i < h->n; i++)
        free(h->node[i].event);
    h->n = 1;
    h->n_events = 0;
}

static void learn(struct history *h, uint32_t who, uint32_t from, uint64_t until)
{
    struct node *node = &h->node[who];
    if (!who || !from || who == from || h->n_events >= EVENTS)
        return;
    for (uint32_t i = node->n, looked = 0; i-- && looked < LOOK_BACK; looked++)
        if (node->event[i].from == from) {
            if (node->event[i].until >= until)
                return;
            break;
        }
    if (!LS_ROOM(node->event, node->n))
        return;
    node->event[node->n++] = (struct event){++h->now, until, from};
    h->n_events++;
}

/* Does node `who` know now of what `of` did at `when`? */
static bool knows(struct history *h, uint32_t who, uint32_t of, uint64_t when)
{
    uint32_t n = 0, visits = 0;
    for (uint32_t i = 0; i < h->n; i++)
        h->node[i].seen = 0;
    h->node[who].seen = h->now;
    h->stack[n++] = who;
    while (n && visits++ < VISITS) {
        const struct node *node = &h->node[h->stack[--n]];
        for (uint32_t i = 0; i < node->n && node->event[i].when <= node->seen; i++) {
            const struct event *e = &node->event[i];
            if (e->from == of && e->until >= when)
                return true;
            if (e->until > h->node[e->from].seen && n < VISITS) {
                h->node[e->from].seen = e->until;
                h->stack[n++] = e->from;
            }
        }
    }
    return false;
}

uint64_t history_now(struct history *h)
{
    return h ? ++h->now : 0;
}

void history_barrier(struct history *h, struct sg_weak_wave *const *v, unsigned n)
{
    if (!v[0]->barrier)
        v[0]->barrier = new_node(h, v[0]->place.group, 0);
    const uint32_t all = v[0]->barrier;
    for (unsigned i = 0; i < n && all; i++)
        learn(h, all, v[i]->node, h->now);
    for (unsigned i = 0; i < n && all; i++)
        learn(h, v[i]->node, all, h->now);
}

static struct word *find_word(struct history *h, uint64_t at, bool add)
{
    struct word *word;
    HASH_FIND(hh, h->words, &at, sizeof at, word);
    if (word || !add)
        return word;
    if (HASH_COUNT(h->words) >= WORDS)
        forget_words(h);
    if ((word = calloc(1, sizeof *word))) {
        word->at = at;
        HASH_ADD(hh, h->words, at, sizeof word->at, word);
    }
    return word;
}

/* ---- Stores ---- */

/* `before`: the line as the writer sees it. */
void history_store(struct history *h, const struct sg_weak_wave *v, uint64_t va, unsigned n, bool through,
                   const uint8_t *data, const uint8_t before[LINE])
{
    for (unsigned i = 0; i < n;) {
        const unsigned offset = (unsigned)((va + i) % 4), part = n - i < 4 - offset ? n - i : 4 - offset;
        struct word *word = find_word(h, (va + i) / 4, true);
        if (!word)
            return;
        const uint8_t mask = (uint8_t)(((1u << part) - 1) << offset);
        uint8_t *bytes = (uint8_t *)&word->data;
        const bool known = word->when && (word->mask & mask) == mask;
        word->tells = memcmp(known ? bytes + offset : before + (va + i) % LINE, data + i, part) != 0;
        word->when = ++h->now;
        word->pc = v->place.pc;
        word->lane = (uint8_t)v->place.lane;
        word->mask = word->writer == v->node ? word->mask | mask : mask;
        word->writer = v->node;
        word->through = through;
        memcpy(bytes + offset, data + i, part);
        i += part;
    }
}

/* A read-modify-write without a result is under way. */
void history_rmw_comes(struct history *h, uint64_t va)
{
    struct word *word = find_word(h, va / 4, true);
    if (word)
        word->coming++;
}

/* A read-modify-write has taken place; `now` is what the dword is now. */
void history_rmw(struct history *h, const struct op *op, uint64_t va, uint32_t now, uint32_t reader)
{
    struct word *word = find_word(h, va / 4, true);
    if (word && op->issue && word->coming)
        word->coming--;
    if (!word || (!word->shared && !(word->shared = new_node(h, 0, 0))))
        return;
    if (word->tells && word->writer)
        learn(h, word->shared, word->writer, word->when);
    learn(h, reader, word->shared, h->now);
    learn(h, word->shared, op->node, op->when);
    word->when = op->when;
    word->pc = op->pc;
    word->lane = op->lane;
    word->writer = op->node;
    word->data = now;
    word->mask = 15;
    word->tells = word->through = true;
}

/* ---- Loads ---- */

static bool is_under_way(const struct sg_weak_wave *v, const struct word *word)
{
    const struct sg_weak *w = v->w;
    const struct sg_weak_wave *live = w->history->node[word->writer].live;
    const uint64_t line = word->at / (LINE / 4);
    for (unsigned i = 0; live && i < live->n; i++)
        if (live->op[i].kind == STORE && live->op[i].at == line)
            return true;
    for (unsigned i = 0; i < w->n_orphans; i++)
        if (w->orphan[i].kind == STORE && w->orphan[i].at == line && w->orphan[i].node == word->writer)
            return true;
    return false;
}

static bool is_in_other_l2(struct sg_weak *w, unsigned die, const struct word *word)
{
    const uint64_t bytes = bytes_mask((unsigned)(word->at % (LINE / 4)) * 4, 4);
    for (unsigned i = 0; i < w->config.dies; i++) {
        const struct line *l = i == die ? NULL : cache_find(&w->l2[i], word->at / (LINE / 4));
        if (l && l->mask & bytes)
            return true;
    }
    return false;
}

static void found(struct sg_weak_wave *v, const struct word *word, enum sg_weak_why why)
{
    const struct node *writer = &v->w->history->node[word->writer];
    if (v->has_found)
        return;
    v->has_found = true;
    v->found = (struct sg_weak_finding){
        .why = why,
        .write = {.group = writer->group, .wave = writer->wave, .pc = word->pc, .lane = word->lane},
        .read = v->place,
        .address = word->at * 4,
    };
}

/* The same load finds the same old value again and again, although the new one has long arrived: nobody has to know of it
 * to expect that this ends. */
static bool is_polled(struct sg_weak_wave *v, const struct word *word)
{
    if (v->poll_pc != v->place.pc || v->poll_at != word->at) {
        v->poll_pc = v->place.pc;
        v->poll_at = word->at;
        v->polls = 0;
    }
    if (v->poll_issue != v->issued)
        v->polls++;
    v->poll_issue = v->issued;
    return v->polls == POLLS;
}

static void found_old(struct sg_weak_wave *v, const struct word *word, enum cached cached)
{
    struct sg_weak *w = v->w;
    const bool known = knows(w->history, v->node, word->writer, word->when);
    enum sg_weak_why why = cached == SCALAR ? SG_WEAK_STALE_SCALAR : SG_WEAK_STALE;
    if (is_under_way(v, word))
        why = SG_WEAK_UNDER_WAY;
    else if (is_in_other_l2(w, v->die, word))
        why = SG_WEAK_OTHER_L2;
    if (known)
        found(v, word, why);
    else if (cached != BYPASS && (why == SG_WEAK_STALE || why == SG_WEAK_STALE_SCALAR) && is_polled(v, word))
        found(v, word, SG_WEAK_POLLED);
}

/* Would the dword that the wavefront sees be another one, had this read-modify-write taken place? */
static bool would_change(const struct sg_weak_wave *v, const struct word *word, const struct op *op)
{
    const uint64_t first = op->rmw.va / 4;
    uint8_t line[LINE];
    uint64_t now = 0;
    if (op->kind != RMW || word->at < first || word->at > first + op->rmw.wide)
        return false;
    line_view(v->w, v->die, op->at, line);
    memcpy(&now, line + op->rmw.va % LINE, op->rmw.wide ? 8 : 4);
    uint64_t then = now;
    (void)v->w->config.rmw(&then, op->rmw.op, op->rmw.wide, op->rmw.a, op->rmw.b);
    return then != now;
}

/* The dword lacks a read-modify-write that the wavefront knows of. */
static void found_coming(struct sg_weak_wave *v, const struct word *word, const struct op *op)
{
    if (op->node == v->node || !would_change(v, word, op) ||
        !knows(v->w->history, v->node, op->node, op->when))
        return;
    const struct word coming = {.at = word->at, .writer = op->node, .pc = op->pc, .lane = op->lane};
    found(v, &coming, SG_WEAK_UNDER_WAY);
}

static void look_for_coming(struct sg_weak_wave *v, const struct word *word)
{
    const struct sg_weak *w = v->w;
    const struct history *h = w->history;
    for (uint32_t i = 1; i < h->n; i++)
        for (unsigned k = 0; h->node[i].live && k < h->node[i].live->n; k++)
            found_coming(v, word, &h->node[i].live->op[k]);
    for (unsigned k = 0; k < w->n_orphans; k++)
        found_coming(v, word, &w->orphan[k]);
}

void history_load(struct sg_weak_wave *v, uint64_t va, unsigned n, enum cached cached, const uint8_t *data)
{
    struct history *h = v->w->history;
    for (unsigned i = 0; i < n;) {
        const unsigned offset = (unsigned)((va + i) % 4), part = n - i < 4 - offset ? n - i : 4 - offset;
        const struct word *word = find_word(h, (va + i) / 4, false);
        const unsigned mask = ((1u << part) - 1) << offset & (word ? word->mask : 0u);
        bool same = true;
        if (word && word->coming && cached != BYPASS)
            look_for_coming(v, word);
        for (unsigned k = 0; k < part && word; k++)
            same &= !(mask >> (offset + k) & 1) || ((const uint8_t *)&word->data)[offset + k] == data[i + k];
        if (word && word->writer != v->node && mask) {
            if (same && word->tells)
                learn(h, v->node, word->writer, word->when);
            if (same && word->shared)
                learn(h, v->node, word->shared, h->now);
            /* Both may be relaxed atomics, of which nobody may expect an order. With one die their stores look like
             * any other. */
            if (!same && !(cached == BYPASS && (word->through || v->w->config.dies == 1)))
                found_old(v, word, cached);
        }
        i += part;
    }
}
