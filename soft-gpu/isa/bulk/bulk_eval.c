/*
 * bulk_eval.c - runs a kernel once for all work-items of a grid.
 *
 * A register holds a formula over the work-items (bulk_value.h), the name of something loaded, or nothing
 * that is known; EXEC and the results of comparisons are boxes of work-items. Where wavefronts part at a
 * branch, or a mask would be no box, the box of wavefronts is split and each half goes on alone. What cannot
 * be expressed stops the evaluation of that range: its work-groups are left to the interpreter.
 */
#include <stdlib.h>
#include "bulk_state.h"
#include "soft-gpu/isa/code/code_state.h"

/* Instructions to look at before giving up. One costs as much as the interpreter needs for some 15
 * wavefronts, so that a study in vain is a small part of what the interpreter then does. */
enum { STEPS = 1 << 15, STEPS_PER_WAVE = 16 };

static unsigned fetch(struct eval *e, uint64_t pc, struct gcn_inst *in)
{
    uint32_t words[GCN_WORDS];
    return gcn_decode(gcn_target_of(e->arch), words, sg_code_mapped(e->tlb, pc, words), pc, in);
}

static uint64_t number_of_waves(const struct sg_bulk *p, struct sg_items waves)
{
    return sg_items_number(waves) / ((uint64_t)p->wave[0] * p->wave[1] * p->wave[2]);
}

static void count(struct eval *e, struct sg_items exec, bool is_vector)
{
    e->plan->n_inst += number_of_waves(e->plan, e->st->waves);
    if (is_vector)
        e->plan->n_lane_ops += sg_items_number(exec);
}

static void step(struct eval *e)
{
    struct gcn_inst in;
    struct state *st = e->st;
    const uint64_t pc = st->pc;
    const struct sg_items exec = st->exec;
    unsigned size = fetch(e, pc, &in);
    e->trouble = FINE;
    if (!size || ++e->steps > e->max_steps) {
        give_up(e);
        return;
    }
    st->pc = pc + size;
    if (in.format <= GCN_FMT_SMEM)
        sg_bulk_scalar(e, &in);
    else if (in.format <= GCN_FMT_VOP3P)
        sg_bulk_vector(e, &in);
    else if (in.format == GCN_FMT_GLOBAL || in.format == GCN_FMT_FLAT)
        sg_bulk_memory(e, &in);
    else
        give_up(e);
    if (e->trouble == FINE)
        count(e, exec, in.format > GCN_FMT_SMEM);
    else
        st->pc = pc;
}

static struct state *push(struct eval *e)
{
    struct state *st = e->n_stack < STATES ? malloc(sizeof *st) : NULL;
    if (st)
        e->stack[e->n_stack++] = st;
    return st;
}

/* The wavefronts from split_at on become a state of their own. */
static bool split(struct eval *e)
{
    struct state *st = e->st, *rest = push(e);
    if (!rest)
        return false;
    *rest = *st;
    rest->waves.from[e->split_axis] = st->waves.to[e->split_axis] = e->split_at;
    rest->exec = sg_items_and(rest->exec, rest->waves);
    st->exec = sg_items_and(st->exec, st->waves);
    return true;
}

/* The work-groups of the current state are the interpreter's. */
static bool leave(struct eval *e)
{
    struct sg_bulk *p = e->plan;
    if (p->n_left == SG_BULK_LEFT)
        return false;
    struct sg_items *left = &p->left[p->n_left++];
    for (unsigned i = 0; i < SG_AXES; i++) {
        left->from[i] = e->st->waves.from[i] / p->group[i];
        left->to[i] = (e->st->waves.to[i] + p->group[i] - 1) / p->group[i];
    }
    return true;
}

/* Work-item ids stand in fields of ten bits of v0, those that the kernel asks for; work-group ids in registers of their own. */
static void start_ids(struct eval *e, const struct sg_kernel *k)
{
    const struct sg_bulk *p = e->plan;
    struct state *st = e->st;
    unsigned next = k->says.rsrc2 >> 1 & 31;
    struct sg_affine items = sg_affine_const(0);
    for (unsigned i = 0; i < SG_AXES; i++) {
        struct sg_affine id = sg_affine_const(0);
        id.per_group[i] = p->groups[i] > 1;
        if (k->says.rsrc2 >> (7 + i) & 1)
            st->s[next++] = low(id);
        if (p->group[i] > 1 && i <= sg_kernel_asks_ids(k))
            items.per_item[i] = 1 << 10 * i;
    }
    st->v[0] = low(items);
    st->v[0].in = st->exec;
}

static void start_registers(struct eval *e, const struct sg_kernel *k, const struct sg_user_sgprs *user)
{
    struct state *st = e->st;
    const struct sg_bulk *p = e->plan;
    memset(st, 0, sizeof *st);
    for (unsigned i = 0; i < user->n; i++)
        st->s[i] = number(user->dword[i]);
    st->pc = k->entry;
    st->exec = st->waves = p->grid;
    for (unsigned i = 0; i < SG_AXES; i++)
        st->waves.to[i] = (p->grid.to[i] + p->wave[i] - 1) / p->wave[i] * p->wave[i];
    st->scc = number(0);
    start_ids(e, k);
}

/* Goes on with the newest state until it ends. False: the plan is worthless. */
static bool run_state(struct eval *e)
{
    while (!e->end) {
        step(e);
        if (e->trouble == SPLIT && split(e))
            continue;
        if (e->trouble != FINE)
            return e->steps <= e->max_steps && leave(e);
    }
    return true;
}

bool sg_bulk_evaluate(struct sg_bulk *p, const struct ls_gpu *arch, struct sg_tlb *tlb,
                      const struct sg_kernel *k, const struct sg_user_sgprs *user)
{
    struct eval e = {.plan = p, .arch = arch, .tlb = tlb};
    uint64_t steps = number_of_waves(p, p->grid) * STEPS_PER_WAVE;
    e.max_steps = steps < STEPS ? (unsigned)steps : STEPS;
    bool good = (e.st = push(&e)) != NULL;
    if (good)
        start_registers(&e, k, user);
    while (good && e.n_stack) {
        /* Halves that split off are pushed above: the state being run is taken off first. */
        e.st = e.stack[--e.n_stack];
        e.end = false;
        good = run_state(&e);
        free(e.st);
    }
    while (e.n_stack)
        free(e.stack[--e.n_stack]);
    return good;
}
