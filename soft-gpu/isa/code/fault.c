/*
 * fault.c - the end of a wavefront by a fault: what it was doing, and how far it had come.
 */
#include <stdio.h>
#include <string.h>
#include "code.h"

void sg_fault_describe(const struct sg_wave *w, uint64_t pc, enum sg_fault_kind kind, const char *message,
                       struct sg_fault *f)
{
    uint32_t words[GCN_WORDS];
    memset(f, 0, sizeof *f);
    f->kind = kind;
    f->pc = pc;
    f->wave = w->wave_in_group;
    if (w->wg)
        memcpy(f->workgroup, w->wg->id, sizeof f->workgroup);
    unsigned n = sg_code_words((struct sg_code *)(uintptr_t)w->code, pc, words);
    gcn_disassemble(sg_wave_target(w), words, n, pc, f->instruction, sizeof f->instruction);
    snprintf(f->message, sizeof f->message, "%s", message);
}

int sg_fault_at(struct sg_wave *w, const struct sg_uop *u, enum sg_fault_kind kind, uint64_t va,
                unsigned lane, bool is_write, const char *message)
{
    struct sg_fault *f = &w->fault;
    sg_fault_describe(w, sg_uop_pc(w, u), kind, message, f);
    f->va = va;
    f->is_write = is_write;
    f->lane = lane;
    sg_code_count_to((struct sg_code *)(uintptr_t)w->code, w, f->pc);
    w->next = u;
    return SG_STOP_FAULT;
}
