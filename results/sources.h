/* Stores the text of the source files that a recording names, so that reports need no source tree. */
#ifndef RESULTS_SOURCES_H
#define RESULTS_SOURCES_H

#include <sqlite3.h>

/* Notes sources that are newer than the program's code. Fills text and modified_ns, or problem, of every row
 * of source_file. Relative names are looked up from the recorded process's directory. 0, or -1 when the
 * database cannot be written (a file that cannot be read is recorded as such and is no error). */
int ls_store_sources(sqlite3 *sql);

#endif
