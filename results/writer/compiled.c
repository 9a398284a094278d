#include "compiled.h"
#include "results/file/error_text.h"
#include "results/file/notes.h"

#include <md5.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TELL = 3 };

/* The bytes as they were read, not up to the first 0. */
static int is_other(sqlite3_stmt *row)
{
    char md5[MD5_DIGEST_STRING_LENGTH];
    const void *text = sqlite3_column_blob(row, 1);
    MD5Data(text ? text : (const uint8_t *)"", (size_t)sqlite3_column_bytes(row, 1), md5);
    /* Several sums: it was compiled with several texts, of which one at most is this. */
    return strcmp(md5, (const char *)sqlite3_column_text(row, 2)) != 0;
}

static int add_note(sqlite3_stmt *insert, const char *path, int more)
{
    char *text =
        ls_text("%s" LS_NOTE_OTHER_TEXT "%s: numbers may stand at wrong lines; build the program again", path,
                more ? " (and others are not, either)" : "");
    int rc = text ? sqlite3_bind_text(insert, 1, text, -1, SQLITE_TRANSIENT) : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        rc = sqlite3_step(insert) == SQLITE_DONE ? sqlite3_reset(insert) : SQLITE_ERROR;
    free(text);
    return rc == SQLITE_OK ? 0 : -1;
}

int ls_note_other_texts(sqlite3 *sql)
{
    static const char files[] =
        "SELECT path, CAST(text AS BLOB), md5 FROM source_file WHERE text IS NOT NULL AND md5 IS NOT NULL"
        " ORDER BY id";
    static const char note[] = "INSERT INTO note(process, level, text) SELECT max(id), 1, ?1 FROM process";
    sqlite3_stmt *list = NULL, *insert = NULL;
    char *told[TELL] = {NULL};
    int n = 0, rc = 0;
    if (sqlite3_prepare_v2(sql, files, -1, &list, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(sql, note, -1, &insert, NULL) != SQLITE_OK)
        rc = -1;
    while (!rc && sqlite3_step(list) == SQLITE_ROW)
        if (is_other(list) && n++ < TELL)
            told[n - 1] = strdup((const char *)sqlite3_column_text(list, 0));
    for (int i = 0; i < TELL && i < n; i++) {
        rc |= told[i] ? add_note(insert, told[i], n > TELL && i == TELL - 1) : -1;
        free(told[i]);
    }
    sqlite3_finalize(list);
    sqlite3_finalize(insert);
    return rc;
}
