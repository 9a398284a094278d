/* Whether the stored source texts are those that were compiled. */
#ifndef RESULTS_COMPILED_H
#define RESULTS_COMPILED_H

#include <sqlite3.h>

/* Adds a note for files whose text is another than the compiler read (source_file.md5). Files without a sum
 * are judged by their times elsewhere. 0, or -1 when the database cannot be written. */
int ls_note_other_texts(sqlite3 *sql);

#endif
