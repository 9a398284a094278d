/*
 * lines.h - where instructions are in the source, by libdw: rows of the line table, and inlined calls. Compilers for
 * AMDGPU write no .debug_aranges, so units and functions are sorted by address here, once: a code object may have
 * thousands, and each instruction is asked for.
 */
#ifndef JOIN_LINES_H
#define JOIN_LINES_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct ls_lines;

/* The image must outlive the result. NULL when out of memory; a file without line table is one without rows. */
struct ls_lines *ls_lines_open(const void *image, size_t bytes);
void ls_lines_close(struct ls_lines *x);
/* The row of the line table that has the address; NULL: there is none. Lives until ls_lines_close. */
Dwarf_Line *ls_lines_row(struct ls_lines *x, uint64_t address);
/* malloc'd "line:column|line:column|", the inlined calls around the instruction at the address, innermost first; ""
 * where there are none. NULL when out of memory. */
char *ls_lines_calls(struct ls_lines *x, uint64_t address);

#endif
