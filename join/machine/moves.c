/* moves.c - see moves.h. */
#include "moves.h"

#include <stdbool.h>
#include <string.h>

static bool is_followed(struct ls_registers r)
{
    return (r.file == LS_FILE_VECTOR || r.file == LS_FILE_ACCUMULATION) && r.first + r.n <= LS_REGISTERS;
}

static struct ls_moved stored(const struct ls_moves *m, const struct ls_op *op)
{
    const unsigned dwords = ls_form_dwords(&op->form), parts = ls_form_parts(&op->form);
    struct ls_moved moved = {.load = {0}};
    for (unsigned k = 0; k < parts * dwords && k < LS_MOVED_DWORDS; k++) {
        const struct ls_registers r = op->data[k / dwords];
        if (!is_followed(r) || r.n != dwords)
            continue;
        moved.load[k] = m->in[r.file][r.first + k % dwords].load;
        moved.dword[k] = m->in[r.file][r.first + k % dwords].dword;
    }
    return moved;
}

/* Only active lanes are written: a copy within others would hold two values. */
static void copy_registers(struct ls_moves *m, const struct ls_op *op)
{
    struct ls_registers from = op->source[0].r, to = op->to;
    for (unsigned k = 0; k < to.n; k++)
        m->in[to.file][to.first + k] = is_followed(from) && from.n == to.n ? m->in[from.file][from.first + k]
                                                                           : (struct ls_moves_in){0, 0};
}

static void fill(struct ls_moves *m, const struct ls_op *op, uint32_t number)
{
    const struct ls_registers r = op->n_written == 1 ? op->written[0] : (struct ls_registers){.file = -1};
    for (unsigned k = 0;
         is_followed(r) && r.n == ls_form_dwords(&op->form) * ls_form_parts(&op->form) && k < r.n; k++)
        m->in[r.file][r.first + k] = (struct ls_moves_in){number + 1, (uint8_t)k};
}

struct ls_moved ls_moves_next(struct ls_moves *m, const struct ls_op *op, uint32_t number)
{
    const bool memory = op->form.class == LS_ISA_LDS || op->form.class == LS_ISA_VECTOR;
    const struct ls_moved moved = memory && op->form.store ? stored(m, op) : (struct ls_moved){.load = {0}};
    if (op->flags & LS_OP_CLOBBERS || op->exec != LS_EXEC_SAME) /* other lanes hold something else */
        ls_moves_block(m);
    if (op->kind == LS_OP_MOVE && op->n_written == 1 && is_followed(op->to)) {
        copy_registers(m, op);
        return moved;
    }
    for (unsigned i = 0; i < op->n_written; i++)
        for (unsigned k = 0; is_followed(op->written[i]) && k < op->written[i].n; k++)
            m->in[op->written[i].file][op->written[i].first + k].load = 0;
    if (memory && op->fills)
        fill(m, op, number);
    return moved;
}

void ls_moves_block(struct ls_moves *m)
{
    memset(m, 0, sizeof *m);
}
