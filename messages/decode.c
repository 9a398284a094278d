/* decode.c - see decode.h. Everything read from a chunk is checked: the writer is another program on a
 * device. */
#include "decode.h"
#include "rows.h"

#include <stdbool.h>
#include <string.h>

#include "lanescope/sites.h"
#include "common/numbers.h"

struct decoder {
    const struct decode_sink *sink;
    const struct lanescope_site *sites;
    uint32_t n_sites;
    const struct ls_leads *leads; /* NULL: there are none */
    struct ls_site_numbers numbers;
    const struct ls_plan *plan; /* NULL: nothing of it is shared */
    struct ls_expand expand;
    struct ls_turns_loop loop;
    uint32_t words[128]; /* of the last access of the batch, if they had to be made */
    bool words_used;
    struct ls_rows_made rows;
    struct lanescope_wavefront wave;
    struct lanescope_access access[DECODE_BATCH];
    struct lanescope_event event[DECODE_BATCH];
    size_t n_access, n_event;
};

/* One message's parts; words points behind the fixed part and the mask. */
struct message {
    uint32_t head, kind, site;
    uint64_t value; /* word1 and word2 */
    uint32_t word3;
    uint64_t exec;
    uint32_t active;       /* lanes in exec */
    const uint32_t *turns; /* what tells turns; NULL: one access */
    const uint32_t *words;
    size_t room; /* words left in the chunk from there on */
};

static void flush(struct decoder *d)
{
    if (d->n_access)
        d->sink->accesses(d->sink->user, d->access, d->n_access);
    if (d->n_event)
        d->sink->events(d->sink->user, d->event, d->n_event);
    d->n_access = d->n_event = 0;
    d->words_used = false;
}

/* Whether the message can tell turns of a loop, and not more than one may. */
static bool has_turns(const struct message *m)
{
    const uint64_t more = (uint64_t)m->turns[2] | (uint64_t)m->turns[3] << 32;
    return ((m->kind >= LS_KIND_STRIDED && m->kind <= LS_KIND_RAW) || m->kind == LS_KIND_ROWS) &&
           LS_TURNS_MORE(more) < LS_TURNS_MOST;
}

/* Whether a message has a site; then *number becomes its index. */
static bool find_site(const struct decoder *d, uint32_t *number)
{
    if (d->numbers.n && *number >= d->numbers.n)
        return false;
    *number = ls_site_of_number(&d->numbers, *number);
    return *number < d->n_sites;
}

static bool read_message(const struct decoder *d, const uint32_t *w, size_t room, uint32_t lanes,
                         struct message *m)
{
    const uint64_t all_lanes = ls_low_bits(lanes);
    if (room < 4)
        return false;
    m->head = w[0];
    m->kind = LS_HEAD_KIND(w[0]);
    m->site = LS_HEAD_SITE(w[0]);
    m->value = (uint64_t)w[1] | (uint64_t)w[2] << 32;
    m->word3 = w[3];
    m->exec = all_lanes;
    m->active = lanes;
    size_t fixed = 4;
    if (w[0] & LS_HEAD_PARTIAL) {
        if (room < 6)
            return false;
        m->exec = (uint64_t)w[4] | (uint64_t)w[5] << 32;
        m->active = (uint32_t)__builtin_popcountll(m->exec);
        fixed = 6;
    }
    m->turns = NULL;
    if (w[0] & LS_HEAD_TURNS) {
        m->turns = w + fixed;
        fixed += 4;
    }
    if (room < fixed)
        return false;
    m->words = w + fixed;
    m->room = room - fixed;
    bool of_site = m->kind == LS_KIND_WAVE ? m->site == LANESCOPE_NO_SITE : find_site(d, &m->site);
    return of_site && m->exec && !(m->exec & ~all_lanes) && !(w[0] >> 30) && (!m->turns || has_turns(m));
}

/* Words of an access of this kind. */
static inline size_t words_of(uint32_t kind, size_t active)
{
    return kind == LS_KIND_STRIDED ? 0 : kind == LS_KIND_RAW ? 2 * active : (active + 1) & ~(size_t)1;
}

/* Words behind the fixed part and the mask, padded to 8 bytes; SIZE_MAX for a message that cannot be. */
static size_t payload_words(const struct message *m)
{
    const size_t n = m->active;
    switch (m->kind) {
    case LS_KIND_STRIDED:
    case LS_KIND_BLOCK:
    case LS_KIND_TIME:
    case LS_KIND_WAVE:
        return 0;
    case LS_KIND_COUNT:
    case LS_KIND_ROWS:
        return 2;
    case LS_KIND_COST:
        return 2 * LS_COSTS;
    case LS_KIND_EVIDENCE:
        return m->head & LS_HEAD_PARTIAL ? 128 : SIZE_MAX;
    case LS_KIND_DELTA:
    case LS_KIND_WINDOW:
    case LS_KIND_RAW:
        return m->word3 == n ? words_of(m->kind, n) : SIZE_MAX;
    case LS_KIND_LENGTH:
        return m->word3 == 0 ? 0 : m->word3 == n ? (n + 1) & ~(size_t)1 : SIZE_MAX;
    default:
        return SIZE_MAX;
    }
}

static struct lanescope_access *next_access(struct decoder *d)
{
    if (d->n_access == DECODE_BATCH || d->words_used)
        flush(d);
    return &d->access[d->n_access++];
}

/* The accesses without messages that the wavefront did before one of `site`. */
static void put_followers(struct decoder *d, uint32_t site)
{
    struct lanescope_access leader;
    const struct ls_site_lead *lead;
    while (ls_expand_before(&d->expand, site, &leader, &lead)) {
        struct lanescope_access *a = next_access(d);
        d->words_used = ls_expand_access(&leader, lead, d->sites, a, d->words);
    }
}

/* Turn by turn, what the loop does on each. */
static void put_turns(struct decoder *d)
{
    bool any = d->loop.n > 0;
    for (uint64_t turn = 0; any; turn++) {
        any = false;
        for (unsigned i = 0; i < d->loop.n; i++) {
            struct ls_turns_one *one = &d->loop.one[i];
            if (turn > one->more)
                continue;
            put_followers(d, one->access.site);
            if (!one->moves)
                flush(d); /* the words of the turn before */
            struct lanescope_access *a = next_access(d);
            ls_turns_access(one, turn, d->sites, a);
            ls_expand_behind(&d->expand, d->leads, a);
            any |= turn < one->more;
        }
    }
    d->loop.n = 0;
}

static void gather_turns(struct decoder *d, const struct message *m, const struct lanescope_access *first)
{
    const uint64_t step = (uint64_t)m->turns[0] | (uint64_t)m->turns[1] << 32,
                   more = (uint64_t)m->turns[2] | (uint64_t)m->turns[3] << 32;
    const uint32_t number = (uint32_t)(more >> LS_TURNS_BITS);
    if (ls_turns_add(&d->loop, number, first, step, LS_TURNS_MORE(more), d->sites))
        return;
    put_turns(d);
    ls_turns_add(&d->loop, number, first, step, LS_TURNS_MORE(more), d->sites);
}

static void put_access(struct decoder *d, const struct message *m)
{
    struct lanescope_access turn, *a = m->turns ? &turn : next_access(d);
    *a = (struct lanescope_access){
        .site = m->site,
        .pattern = (uint8_t)m->kind,
        .active = (uint8_t)m->active,
        .exec = m->exec,
        .base = m->value,
        .stride = m->kind == LS_KIND_STRIDED ? (int32_t)m->word3 : 0,
        .words = m->words,
        .length = d->sites[m->site].bytes,
        .wave = &d->wave,
    };
    if (m->turns)
        gather_turns(d, m, a);
    else
        ls_expand_behind(&d->expand, d->leads, a);
}

/* Words that leaders wait with must stay, and those of a loop's turns. */
static bool waited_for(const struct decoder *d, const uint32_t *words)
{
    for (unsigned i = 0; i < d->loop.n; i++)
        if (d->loop.one[i].access.words == words)
            return true;
    for (unsigned i = 0; i < d->expand.n; i++)
        if (d->expand.waiting[i].access.words == words)
            return true;
    return false;
}

/* Handlers know no rows: they see distances. */
static bool put_rows(struct decoder *d, const struct message *m)
{
    const struct ls_rows rows = {m->exec, m->word3, m->words[0], m->words[1]};
    if (!ls_rows_valid(&rows))
        return false;
    struct ls_rows_words *w = ls_rows_find(&d->rows, &rows);
    if (!w) {
        flush(d);
        for (unsigned i = 0; i < d->rows.n; i++)
            if (!waited_for(d, d->rows.of[i].words))
                d->rows.of[i].rows.exec = 0;
        w = ls_rows_find(&d->rows, &rows);
    }
    struct message made = *m;
    made.kind = w->pattern;
    made.words = w->words;
    made.value = w->pattern == LANESCOPE_RAW ? 0 : m->value;
    if (w->pattern == LANESCOPE_RAW)
        ls_rows_raw(&rows, m->value, w->words);
    put_access(d, &made);
    return true;
}

static void put_event(struct decoder *d, const struct message *m)
{
    if (d->n_event == DECODE_BATCH)
        flush(d);
    d->event[d->n_event++] = (struct lanescope_event){
        .site = m->site,
        .kind = m->kind,
        .exec = m->exec,
        .start = m->value,
        .duration = m->word3,
        .wave = &d->wave,
    };
}

/* Longer than its memory: LDS, of which handlers look at every piece of a copy,
 * or any that a GPU can have. */
static bool too_long(const struct decoder *d, const struct message *m)
{
    const uint64_t most = d->sites[m->site].space == 3 ? LS_LDS_MOST : 1ull << 48;
    bool long_one = m->value > most;
    for (uint32_t k = 0; k < m->word3; k++)
        long_one |= m->words[k] > most;
    return long_one;
}

/* A length belongs to the access before it, which is still in the batch: it is only flushed for a later
 * access. */
static bool put_length(struct decoder *d, const struct message *m)
{
    if (!d->n_access)
        return false;
    struct lanescope_access *a = &d->access[d->n_access - 1];
    if (a->site != m->site || a->exec != m->exec || a->length || too_long(d, m))
        return false;
    a->length = m->value;
    a->lengths = m->word3 ? m->words : NULL;
    return true;
}

/* Sums that a GPU could not reach in a year (an addition a nanosecond is 2^55) are damage. Handlers multiply
 * and add them up in 64 bits with sign. */
#define COUNT_MOST (1ull << 40) /* accesses; each costs less than 2^14 of anything */
#define SUM_MOST (1ull << 54)

static void give_repeated(struct decoder *d, const struct lanescope_access *a, uint64_t count)
{
    const struct ls_site_lead *lead;
    struct lanescope_access follower;
    d->sink->repeated(d->sink->user, a, count);
    for (uint32_t n = ls_followers(d->leads, a->site, &lead); n; n--, lead++) {
        ls_expand_access(a, lead, d->sites, &follower, d->words);
        d->sink->repeated(d->sink->user, &follower, count);
    }
}

/* The base is known modulo a period; this much is added so that no lane's address is negative (a lane's
 * offset from lane 0 has at most 37 bits; in LDS, where addresses have 32 bits, at most 23). */
static bool put_count(struct decoder *d, const struct message *m)
{
    const uint64_t count = (uint64_t)m->words[0] | (uint64_t)m->words[1] << 32;
    const uint32_t phase = (uint32_t)m->value & 0xff, rows = (uint32_t)m->value >> 8;
    const struct lanescope_site *s = &d->sites[m->site];
    uint32_t words[128];
    if (phase >= LS_SUMMARY_PERIOD || rows > 5 || !s->bytes || count > COUNT_MOST)
        return false;
    if (!count) /* a key that a loop took before a message told its turns */
        return true;
    struct lanescope_access a = {
        .site = m->site,
        .pattern = rows ? LANESCOPE_DELTA : LANESCOPE_STRIDED,
        .active = (uint8_t)m->active,
        .exec = m->exec,
        .base = phase + (s->space == 3 ? 1ull << 24 : 1ull << 44),
        .stride = rows ? 0 : (int32_t)m->word3,
        .words = words,
        .length = s->bytes,
    };
    const struct ls_rows of = {m->exec, m->word3, (uint32_t)(m->value >> 32), 6 - rows};
    if (rows && ls_rows_fit(&of)) {
        ls_rows_distances(&of, words);
    } else if (rows) {
        ls_rows_raw(&of, a.base, words);
        a.pattern = LANESCOPE_RAW;
        a.base = 0;
    }
    give_repeated(d, &a, count);
    return true;
}

/* What costs the same as this pass, and was not counted for itself. */
static void give_shared(struct decoder *d, const struct ls_plan_pass *pass, const struct lanescope_reduced *r)
{
    const struct ls_plan_shared *s;
    struct lanescope_reduced other = *r;
    for (uint32_t n = ls_expand_shared(d->plan, pass, &s); n; n--, s++) {
        other.site = ls_site_of_number(&d->numbers, s->site);
        other.offset = (uint16_t)s->offset;
        if (other.site < d->n_sites)
            d->sink->reduced(d->sink->user, &other);
    }
}

static bool put_cost(struct decoder *d, const struct message *m)
{
    const uint32_t word = (uint32_t)m->value, memory = word >> 24;
    uint64_t sum[LS_COSTS];
    if (memory > (LS_PLAN_LDS | LS_PLAN_FLAT) || !(word >> 16 & 0xff) || (word >> 16 & 0xff) > 16)
        return false;
    memcpy(sum, m->words, sizeof sum);
    for (unsigned i = 0; i < LS_COSTS; i++)
        if (sum[i] > SUM_MOST)
            return false;
    struct lanescope_reduced r = {
        .site = m->site,
        .offset = (uint16_t)word,
        .bytes = (uint8_t)(word >> 16),
        .lds = memory & LS_PLAN_LDS,
        .executions = sum[LS_COST_EXECUTIONS],
        .lanes = sum[LS_COST_LANES],
    };
    if (r.lds) {
        r.index_cycles = sum[LS_COST_INDEX];
        r.conflict_cycles = sum[LS_COST_CONFLICT];
        r.address_conflict = sum[LS_COST_ADDRESS];
    } else {
        r.distinct_bytes = sum[LS_COST_BYTES];
        r.lines_64 = sum[LS_COST_LINES_64];
        r.lines_128 = sum[LS_COST_LINES_128];
        r.needed_64 = sum[LS_COST_NEEDED_64];
        r.needed_128 = sum[LS_COST_NEEDED_128];
        r.requests = sum[LS_COST_REQUESTS];
    }
    d->sink->reduced(d->sink->user, &r);
    give_shared(
        d,
        &(struct ls_plan_pass){
            .site = LS_HEAD_SITE(m->head), .offset = r.offset, .bytes = r.bytes, .memory = (uint8_t)memory},
        &r);
    return true;
}

static void give_evidence(struct decoder *d, const struct decode_evidence *e)
{
    const struct ls_site_lead *lead;
    d->sink->evidence(d->sink->user, e);
    for (uint32_t n = ls_followers(d->leads, e->site, &lead); n; n--, lead++) {
        struct decode_evidence follower = *e;
        follower.site = lead->follower;
        for (uint64_t lanes = e->exec; lanes; lanes &= lanes - 1)
            follower.addr[__builtin_ctzll(lanes)] = ls_expand_address(
                e->addr[__builtin_ctzll(lanes)], lead->distance, d->sites[lead->follower].space);
        d->sink->evidence(d->sink->user, &follower);
    }
}

static void put_evidence(struct decoder *d, const struct message *m)
{
    struct decode_evidence e = {
        .site = m->site, .wave = (uint32_t)m->value, .sum = (uint32_t)(m->value >> 32), .exec = m->exec};
    for (uint64_t lanes = m->exec; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(lanes);
        e.addr[lane] = (uint64_t)m->words[64 + lane] << 32 | m->words[lane];
    }
    if (d->sink->evidence)
        give_evidence(d, &e);
}

/* Sent like an access to the address of the function. */
static bool put_call(struct decoder *d, const struct message *m)
{
    uint64_t count = 1;
    if (m->kind == LS_KIND_COUNT)
        count = (uint64_t)m->words[0] | (uint64_t)m->words[1] << 32;
    else if ((m->kind < LS_KIND_STRIDED || m->kind > LS_KIND_RAW) && m->kind != LS_KIND_ROWS)
        return false;
    if (count > COUNT_MOST)
        return false;
    if (d->sink->call)
        d->sink->call(d->sink->user, m->site, count, count * m->active);
    return true;
}

static bool put(struct decoder *d, const struct message *m)
{
    if (!m->turns && d->loop.n)
        put_turns(d);
    if (!m->turns && d->expand.n)
        put_followers(d, m->site);
    if (m->site < d->n_sites && d->sites[m->site].kind == LS_SITE_CALL && m->kind != LS_KIND_EVIDENCE)
        return put_call(d, m);
    switch (m->kind) {
    case LS_KIND_LENGTH:
        return put_length(d, m);
    case LS_KIND_BLOCK:
    case LS_KIND_TIME:
    case LS_KIND_WAVE:
        put_event(d, m);
        return true;
    case LS_KIND_COUNT:
        return put_count(d, m);
    case LS_KIND_COST:
        return put_cost(d, m);
    case LS_KIND_EVIDENCE:
        put_evidence(d, m);
        return true;
    case LS_KIND_ROWS:
        return put_rows(d, m);
    default:
        put_access(d, m);
        return true;
    }
}

/* The site of a message of an access; LANESCOPE_NO_SITE: it has none, or one of calls. */
static inline uint32_t site_of_access(const struct decoder *d, uint32_t head)
{
    uint32_t site = LS_HEAD_SITE(head);
    return find_site(d, &site) && d->sites[site].kind != LS_SITE_CALL ? site : LANESCOPE_NO_SITE;
}

/* Most messages are one access each, and nothing waits for its turn before them; of these most are in a line, in all lanes. What they
 * need of read_message and put, in a loop: up to the first message that is another one, or damaged. */
static const uint32_t *put_lines(struct decoder *d, const uint32_t *w, const uint32_t *end, uint32_t lanes)
{
    const struct lanescope_site *const sites = d->sites;
    const struct lanescope_wavefront *const wave = &d->wave;
    const uint64_t all_lanes = ls_low_bits(lanes);
    const struct ls_site_lead *lead;
    struct lanescope_access *a = d->access + d->n_access, *const full = d->access + DECODE_BATCH;
    uint32_t site;
    while (end - w >= 4 && w[0] >> 24 == LS_KIND_STRIDED && a < full &&
           (site = site_of_access(d, w[0])) != LANESCOPE_NO_SITE && !ls_followers(d->leads, site, &lead)) {
        *a++ = (struct lanescope_access){
            .site = site,
            .pattern = LS_KIND_STRIDED,
            .active = (uint8_t)lanes,
            .exec = all_lanes,
            .base = (uint64_t)w[1] | (uint64_t)w[2] << 32,
            .stride = (int32_t)w[3],
            .length = sites[site].bytes,
            .wave = wave,
        };
        w += 4;
    }
    d->n_access = (size_t)(a - d->access);
    return w;
}

/* The same for all of them. Counts the messages. */
static const uint32_t *put_plain(struct decoder *d, const uint32_t *w, const uint32_t *end, uint32_t lanes,
                                 uint64_t *messages)
{
    const uint64_t all_lanes = ls_low_bits(lanes);
    const struct ls_site_lead *lead;
    while (!d->loop.n && !d->expand.n && !d->words_used) {
        const uint32_t *lines = w;
        w = put_lines(d, w, end, lanes);
        *messages += (uint64_t)(w - lines) / 4;
        if (end - w < 6 || w[0] >> 29)
            break;
        const uint32_t kind = LS_HEAD_KIND(w[0]), site = site_of_access(d, w[0]);
        if (kind - LS_KIND_STRIDED > LS_KIND_RAW - LS_KIND_STRIDED || site == LANESCOPE_NO_SITE)
            break;
        const bool partial = w[0] & LS_HEAD_PARTIAL;
        const uint64_t exec = partial ? (uint64_t)w[4] | (uint64_t)w[5] << 32 : all_lanes;
        const uint32_t active = partial ? (uint32_t)__builtin_popcountll(exec) : lanes,
                       *words = partial ? w + 6 : w + 4;
        const size_t behind = words_of(kind, active);
        if (!exec || exec & ~all_lanes || behind > (size_t)(end - words) || (behind && w[3] != active))
            break;
        struct lanescope_access *a = next_access(d);
        *a = (struct lanescope_access){
            .site = site,
            .pattern = (uint8_t)kind,
            .active = (uint8_t)active,
            .exec = exec,
            .base = (uint64_t)w[1] | (uint64_t)w[2] << 32,
            .stride = kind == LS_KIND_STRIDED ? (int32_t)w[3] : 0,
            .words = words,
            .length = d->sites[site].bytes,
            .wave = &d->wave,
        };
        if (ls_followers(d->leads, site, &lead))
            ls_expand_behind(&d->expand, d->leads, a);
        ++*messages;
        w = words + behind;
    }
    return w;
}

static bool read_header(const struct ls_chunk *c, size_t size, struct decoder *d)
{
    if (size < sizeof *c || c->magic != LS_CHUNK_MAGIC || c->bytes < sizeof *c || c->bytes > size ||
        c->bytes % 8)
        return false;
    if (c->lanes != 32 && c->lanes != 64)
        return false;
    d->wave = (struct lanescope_wavefront){
        .workgroup = {c->workgroup[0], c->workgroup[1], c->workgroup[2]},
        .wave = c->wave,
        .hw_id = c->hw_id,
        .xcc_id = c->xcc_id,
        .sequence = c->sequence,
        .lanes = c->lanes,
        .cycles = c->cycles,
        .realtime = c->realtime,
    };
    return true;
}

void ls_decode_chunk(const void *chunk, size_t size, const struct lanescope_site *sites, uint32_t n_sites,
                     const struct ls_unsaid *unsaid, const struct decode_sink *sink,
                     struct ls_chunk_stats *stats)
{
    const struct ls_chunk *c = chunk;
    struct decoder d;
    d.sink = sink;
    d.sites = sites;
    d.n_sites = n_sites;
    d.leads = unsaid ? &unsaid->leads : NULL;
    d.numbers = unsaid ? unsaid->numbers : (struct ls_site_numbers){0};
    d.plan = unsaid ? unsaid->plan : NULL;
    d.expand.n = 0;
    d.loop.n = 0;
    d.words_used = false;
    ls_rows_forget(&d.rows);
    d.n_access = d.n_event = 0;
    stats->chunks++;
    if (!read_header(c, size, &d)) {
        stats->bad_chunks++;
        return;
    }
    stats->bytes += c->bytes;
    const uint32_t *w = (const uint32_t *)(c + 1), *end = (const uint32_t *)((const char *)c + c->bytes);
    while (w < end) {
        struct message m;
        size_t extra;
        w = put_plain(&d, w, end, c->lanes, &stats->messages);
        if (w == end)
            break;
        if (!read_message(&d, w, (size_t)(end - w), c->lanes, &m) || (extra = payload_words(&m)) > m.room ||
            !put(&d, &m)) {
            stats->bad_messages++;
            break;
        }
        stats->messages++;
        w = m.words + extra;
    }
    put_turns(&d);
    put_followers(&d, LANESCOPE_NO_SITE);
    flush(&d);
}
