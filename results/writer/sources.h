/* Stores the text of the source files that a recording names, so that reports need no source tree. */
#ifndef RESULTS_SOURCES_H
#define RESULTS_SOURCES_H

#include "writer.h"

#include <sqlite3.h>
#include <sys/types.h>

/* Notes sources that are newer than the program's code. Fills text and modified_ns, or problem, of every row
 * of source_file. Relative names are looked up from the recorded process's directory. *narrowest keeps those
 * read permissions (with the write permission beside each) that all stored sources give; file: the
 * database's descriptor, whose owner and group are compared with theirs. 0, or -1 when the database cannot be
 * written (a file that cannot be read is recorded as such and is no error). */
int ls_store_sources(sqlite3 *sql, enum ls_sources which, int file, mode_t *narrowest);

#endif
