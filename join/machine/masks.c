/*
 * masks.c - see masks.h. How LLVM writes conditions (SILowerControlFlow), here without the branches that it
 * leaves out where little is skipped:
 *
 *     s_and_saveexec_b64 s[2:3], vcc       the condition; s[2:3]: all
 *     s_xor_b64 s[2:3], exec, s[2:3]       s[2:3]: the others
 *     ...
 *     s_andn2_saveexec_b64 s[2:3], s[2:3]  else; or s_or_saveexec_b64 s[2:3], s[2:3] (all, s[2:3]: those of
 *     ...                                  the condition) and s_xor_b64 exec, exec, s[2:3]
 *     s_or_b64 exec, exec, s[2:3]          all
 */
#include "masks.h"

#include <stddef.h>

static const uint32_t UNKNOWN = ~0u;

/* Its number among those that are known; LS_MASKS: none. */
static unsigned number_of(const struct ls_masks *m, uint32_t set)
{
    unsigned i = 0;
    while (i < LS_MASKS && (!set || m->sets[i].set != set))
        i++;
    return i;
}

static uint32_t parent_of(const struct ls_masks *m, uint32_t set)
{
    unsigned i = number_of(m, set);
    return i < LS_MASKS ? m->sets[i].parent : UNKNOWN;
}

/* Whether both together are the set that they are parts of. */
static bool are_halves(const struct ls_masks *m, uint32_t a, uint32_t b)
{
    unsigned i = number_of(m, a), k = number_of(m, b);
    return i < LS_MASKS && k < LS_MASKS && m->sets[i].parent == m->sets[k].parent &&
           (m->sets[i].without == b || m->sets[k].without == a);
}

/* Whether all lanes of `part` are in `set`. */
static bool contains(const struct ls_masks *m, uint32_t set, uint32_t part)
{
    for (unsigned i = 0; i <= LS_MASKS && part != UNKNOWN; i++) {
        if (part == set)
            return true;
        part = parent_of(m, part);
    }
    return false;
}

static uint32_t make(struct ls_masks *m, uint64_t at, uint32_t parent, uint32_t without)
{
    uint32_t set = (uint32_t)at + 1;
    m->sets[m->made].set = set;
    m->sets[m->made].parent = parent;
    m->sets[m->made].without = without;
    m->made = (m->made + 1) % LS_MASKS;
    return set;
}

static const struct ls_masks_saved *find(const struct ls_masks *m, struct ls_registers r)
{
    for (unsigned i = 0; i < LS_MASKS_SAVED; i++)
        if (m->saved[i].r.n && ls_registers_equal(m->saved[i].r, r))
            return &m->saved[i];
    return NULL;
}

static void forget_written(struct ls_masks *m, const struct ls_op *op)
{
    for (unsigned i = 0; i < op->n_written; i++)
        for (unsigned k = 0; k < LS_MASKS_SAVED; k++)
            if (m->saved[k].r.n && ls_registers_meet(m->saved[k].r, op->written[i]))
                m->saved[k].r.n = 0;
}

static void save(struct ls_masks *m, struct ls_masks_saved what)
{
    if (what.r.file != LS_FILE_SCALAR)
        return;
    m->saved[m->last] = what;
    m->last = (m->last + 1) % LS_MASKS_SAVED;
}

/* What registers hold that come together with the active lanes. A mask from another block switches on who came
 * here another way. */
static uint32_t united(struct ls_masks *m, const struct ls_masks_saved *s, uint64_t at)
{
    if (!s)
        return 0;
    if (s->part && !s->rest)
        return make(m, at, s->set, UNKNOWN);
    uint32_t parent = parent_of(m, m->now);
    if (s->rest ? parent == s->set : contains(m, s->set, m->now))
        return s->set;
    return !s->rest && are_halves(m, s->set, m->now) ? parent : make(m, at, 0, UNKNOWN);
}

/* The lanes that are in one of them, the active ones or those in registers. */
static uint32_t others(struct ls_masks *m, const struct ls_masks_saved *s, uint64_t at)
{
    if (s && contains(m, s->set, m->now))
        return make(m, at, s->set, m->now);
    bool smaller = s && !s->part && contains(m, m->now, s->set);
    return smaller ? make(m, at, m->now, s->set) : make(m, at, 0, UNKNOWN);
}

static uint32_t changed(struct ls_masks *m, const struct ls_op *op, uint64_t at)
{
    const struct ls_masks_saved *s = find(m, op->from.r);
    switch (op->exec) {
    case LS_EXEC_AND:
    case LS_EXEC_LESS:
        return make(m, at, m->now, UNKNOWN);
    case LS_EXEC_MOVE:
        return !s ? 0 : s->part ? make(m, at, s->set, UNKNOWN) : s->set;
    case LS_EXEC_OR:
        return united(m, s, at);
    case LS_EXEC_XOR:
    case LS_EXEC_REST:
        return others(m, s, at);
    default:
        return make(m, at, 0, UNKNOWN);
    }
}

/* Masks that are put into registers while exec stays. */
static struct ls_masks_saved computed(const struct ls_masks *m, const struct ls_op *op)
{
    struct ls_masks_saved x = {.r = op->to, .set = m->now};
    bool first = op->n_sources && ls_is_exec(op, op->source[0].r);
    bool second = op->n_sources > 1 && ls_is_exec(op, op->source[1].r);
    const struct ls_masks_saved *s = op->n_sources > 1 ? find(m, op->source[first].r) : NULL;
    x.part = op->kind != LS_OP_MOVE;
    x.rest = op->kind == LS_OP_XOR;
    if (x.rest && s && !s->part)
        x.set = s->set;
    bool known = op->kind == LS_OP_MOVE || op->kind == LS_OP_AND_NOT ? first
                 : op->kind == LS_OP_AND                             ? first || second
                 : op->kind == LS_OP_XOR                             ? (first || second) && s
                                                                     : false;
    if (!known)
        x.r.file = -1;
    return x;
}

void ls_masks_next(struct ls_masks *m, const struct ls_op *op, uint64_t at)
{
    struct ls_masks_saved x = {.r = op->saved, .set = m->now};
    if (op->flags & LS_OP_JUMPS) {
        *m = (struct ls_masks){0};
        return;
    }
    if (op->exec != LS_EXEC_SAME)
        m->now = changed(m, op, at);
    else
        x = computed(m, op);
    forget_written(m, op);
    save(m, x);
    for (unsigned i = 0; op->flags & LS_OP_CLOBBERS && i < LS_MASKS_SAVED; i++)
        m->saved[i].r.n = 0;
}
