/*
 * lines.h - where instructions are in the source, by libdw: rows of the line table, and inlined calls. Compilers for
 * AMDGPU write no .debug_aranges, so units and functions are sorted by address here, once: a code object may have
 * thousands, and each instruction is asked for.
 */
#ifndef JOIN_LINES_H
#define JOIN_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ls_lines;

/* The image must outlive the result. NULL when out of memory; a file without line table is one without rows. */
struct ls_lines *ls_lines_open(const void *image, size_t bytes);
void ls_lines_close(struct ls_lines *x);
/* Where an instruction is in the source, as its row of the line table says. */
struct ls_place {
    const char *file;      /* lives until ls_lines_close */
    uint32_t line, column; /* 0: none */
    unsigned marks;        /* the discriminator: LS_MARK_TAG, LS_MARK_BLOCK */
    uint64_t row;          /* address at which the row begins; 0: not known */
};
/* The place of the instruction at the address. false: it has none, or x is NULL. */
bool ls_lines_place(struct ls_lines *x, uint64_t address, struct ls_place *out);
/* Where the function at the address is defined: file and line. false: that is not known, or x is NULL. */
bool ls_lines_definition(struct ls_lines *x, uint64_t address, struct ls_place *out);
/* malloc'd "line:column|line:column|", the inlined calls around the instruction at the address, innermost first; ""
 * where there are none. NULL when out of memory. */
char *ls_lines_calls(struct ls_lines *x, uint64_t address);

#endif
