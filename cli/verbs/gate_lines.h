/*
 * gate_lines.h - the lines of a source file as GitHub's code scanning tells them from each other.
 *
 * An alert is the same one from commit to commit while its rule and the fingerprint of its line are. A fingerprint is of the
 * 100 characters from the line's first on, so that it does not change when lines before it do. The `upload-sarif` action makes
 * these itself, and warns of others; who uploads by the API has to bring them. The algorithm is that of
 * github/codeql-action, src/fingerprints.ts.
 */
#ifndef CLI_GATE_LINES_H
#define CLI_GATE_LINES_H

#include <stddef.h>
#include <stdint.h>

struct gate_lines;

/* The lines of a file; NULL: it cannot be read, or out of memory. */
struct gate_lines *gate_lines_read(const char *path);
void gate_lines_free(struct gate_lines *lines);

/* "c129715d7a2bc9a3:1" of a line, which counts from 1. malloc'd; NULL: there is no such line, or out of memory. */
char *gate_lines_fingerprint(const struct gate_lines *lines, uint32_t line);

/* SARIF's columns count UTF-16 code units from 1, the compiler's bytes. The column of a byte of a line; that of what follows
 * the line's last character when `column` is behind it. 0: there is no such line. */
uint32_t gate_lines_column(const struct gate_lines *lines, uint32_t line, uint32_t column);

#endif
