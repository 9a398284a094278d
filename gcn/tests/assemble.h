/*
 * assemble.h - machine code of assembly text, by the llvm-mc of the toolchain.
 */
#ifndef GCN_TESTS_ASSEMBLE_H
#define GCN_TESTS_ASSEMBLE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct code {
    size_t n;
    uint32_t *words;
};

/* The code of some lines of assembly for `arch` ("gfx90a"). It belongs to this file and lives as long as the
 * process: a text is assembled once. A text that llvm-mc refuses fails the test; what it said is on stderr. */
const struct code *assemble(const char *arch, const char *text);
/* Likewise of a format and its arguments, of at most 4095 characters. */
const struct code *assemble_format(const char *arch, const char *format, va_list arguments);
/* "v20", of several "v[20:23]". `file`: "v", "a" or "s". Valid until the eighth call after this one. */
const char *registers(const char *file, unsigned first, unsigned count);

#endif
