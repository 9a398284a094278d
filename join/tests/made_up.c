/* made_up.c - see made_up.h. */
#include "tests/check.h"
#include "made_up.h"
#include "join/machine/text/op_text.h"

#include <stdio.h>

static const char FUNCTION_NAME[] = "f";
enum { MOST = 16, ROOM = 512 };

struct made_up {
    struct ls_module module;
    struct lanescope_site sites[MOST];
    struct ls_site raw[MOST];
    struct ls_site_place places[MOST];
    struct lanescope_frame frames[MOST][2];
    const char *functions[MOST];
    struct ls_match *match;
    char text[ROOM];
};

static void add_access(struct made_up *m, const struct access *a)
{
    const uint32_t n = m->module.n_sites++, flags = (a->reason ? 0 : LS_SITE_OBSERVED) | a->flags;
    m->frames[n][0] = (struct lanescope_frame){"/home/user/a.hip", a->line, a->column, "g"};
    m->frames[n][1] = (struct lanescope_frame){"/home/user/a.hip", a->call, 1, "f"};
    m->sites[n] = (struct lanescope_site){.kind = a->kind,
                                          .space = a->space,
                                          .align = a->align,
                                          .bytes = a->bytes,
                                          .flags = flags & ((1u << LS_SITE_UNUSED_SHIFT) - 1),
                                          .n_frames = a->call ? 2 : 1,
                                          .frames = m->frames[n],
                                          .instruction = ""};
    m->raw[n] = (struct ls_site){
        .kind = a->kind, .space = a->space, .bytes = a->bytes, .flags = flags, .reason = a->reason};
    m->places[n] = (struct ls_site_place){.tag = a->tag,
                                          .merged = a->merged,
                                          .loops = a->loops,
                                          .barriers = a->barriers,
                                          .together = (uint16_t)a->together,
                                          .group = a->group,
                                          .distance = a->distance,
                                          .variable = a->variable};
    m->functions[n] = FUNCTION_NAME;
}

static struct ls_isa_instruction instruction(const struct code *c, uint32_t number)
{
    char calls[32] = "";
    if (c->call)
        snprintf(calls, sizeof calls, "%u:1|", c->call);
    return (struct ls_isa_instruction){.offset = 8 * number,
                                       .text = strdup(c->text),
                                       .file = c->line ? strdup("a.hip") : NULL,
                                       .line = c->line,
                                       .column = c->column,
                                       .calls = strdup(calls),
                                       .tag = c->tag,
                                       .row = c->row,
                                       .block = c->block,
                                       .loops = c->loops,
                                       .together = c->together,
                                       .around = c->one_lane ? c->around : c->together,
                                       .barriers = c->barriers,
                                       .base = c->registers && !c->shift ? c->registers : 0,
                                       .root = c->registers,
                                       .shift = c->shift,
                                       .low = c->low,
                                       .low_shift = c->low_shift,
                                       .moved = c->moved,
                                       .in_clause = c->in_clause,
                                       .one_lane = c->one_lane,
                                       .follows = c->follows,
                                       .behind_scratch = c->behind_scratch,
                                       .input = c->input,
                                       .form = ls_isa_form(c->text)};
}

static void add_code(struct made_up *m, const struct code *code, uint32_t n, bool counts_lanes)
{
    struct ls_isa_listing l = {calloc(n + 1, sizeof *l.items), n, counts_lanes};
    assert_non_null(l.items);
    for (uint32_t i = 0; i < n; i++)
        l.items[i] = instruction(&code[i], i);
    ls_match_listing(m->match, FUNCTION_NAME, &l);
}

static struct made_up *make(const struct access *accesses, uint32_t n_accesses, const struct code *code,
                            uint32_t n_code, bool counts_lanes)
{
    struct made_up *m = calloc(1, sizeof *m);
    assert_non_null(m);
    assert_in_range(n_accesses, 1, MOST);
    m->module = (struct ls_module){.sites = m->sites, .raw = m->raw, .places = m->places};
    m->module.functions = m->functions;
    for (uint32_t i = 0; i < n_accesses; i++)
        add_access(m, &accesses[i]);
    m->match = ls_match_create(&m->module);
    assert_non_null(m->match);
    add_code(m, code, n_code, counts_lanes);
    ls_match_solve(m->match);
    return m;
}

struct made_up *made_up(const struct access *accesses, uint32_t n_accesses, const struct code *code,
                        uint32_t n_code)
{
    return make(accesses, n_accesses, code, n_code, false);
}

struct made_up *made_up_counting(const struct access *accesses, uint32_t n_accesses, const struct code *code,
                                 uint32_t n_code)
{
    return make(accesses, n_accesses, code, n_code, true);
}

struct ls_match *made_up_match(struct made_up *m)
{
    return m->match;
}

void made_up_free(struct made_up *m)
{
    ls_match_destroy(m->match);
    free(m);
}

void made_up_saw(struct made_up *m, uint32_t access, uint64_t exec, uint64_t address, uint64_t stride)
{
    struct ls_seen *s = &m->match->seen[access];
    *s = (struct ls_seen){.dispatch = 1, .exec = exec, .count = 1, .masks = exec};
    for (unsigned lane = 0; lane < 64; lane++)
        s->addr[lane] = address + lane * stride;
}

void made_up_again(struct made_up *m)
{
    ls_match_solve(m->match);
}

static const char *state_of(const struct made_up *m, uint32_t access)
{
    static const char *const reasons[] = {
        [LS_MATCH_UNCLEAR] = "unclear", [LS_MATCH_MOVED] = "moved", [LS_MATCH_LONG] = "too long"};
    const struct join *j = &m->match->join[access];
    switch (ls_match_state(m->match, access)) {
    case LS_MATCH_NONE:
        return reasons[ls_match_why(m->match, access)];
    case LS_MATCH_SCALAR:
        return "scalar";
    case LS_MATCH_ABSENT:
        return "absent";
    default:
        return j->one_lane ? "one lane" : "exact";
    }
}

const char *made_up_result(struct made_up *m, uint32_t access)
{
    const struct join *j = &m->match->join[access];
    size_t n;
    if (ls_match_state(m->match, access) == LS_MATCH_SHARED)
        n = (size_t)snprintf(m->text, ROOM, "shared at %u", ls_match_counted_at(m->match, access));
    else
        n = (size_t)snprintf(m->text, ROOM, "%s", state_of(m, access));
    for (unsigned k = 0; k < j->n && n < ROOM; k++)
        n += (size_t)snprintf(m->text + n, ROOM - n, ", #%u %u..%u", j->instructions[k], j->passes[k].offset,
                              j->passes[k].offset + j->passes[k].bytes - 1u);
    return m->text;
}

void made_up_expect(struct made_up *m, const char *const *results, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        assert_string_equal(made_up_result(m, i), results[i]);
    made_up_free(m);
}

int made_up_counts(const struct made_up *m, uint32_t instruction)
{
    uint32_t site = ls_match_site(m->match, 0, instruction);
    return site == LS_NONE ? -1 : (int)site;
}
