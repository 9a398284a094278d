/*
 * writer_same.c - values that an earlier dispatch has, too, are stored once.
 *
 * Launches of one kernel mostly do the same, and their values are most rows of a recording. A dispatch whose values are remembered names
 * the one that has them. The first one makes the file one of the second version (schema.h): files without such dispatches stay readable
 * for older readers.
 */
#include "results/file/schema.h"
#include "writer_internal.h"

#include <stdlib.h>
#include <string.h>

struct ls_db_values {
    uint64_t hash;
    int64_t dispatch;
    size_t n;
    struct ls_db_value values[];
};

static uint64_t mix(uint64_t hash, int64_t word)
{
    hash = (hash ^ (uint64_t)word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint64_t hash_of(const struct ls_db_value *values, size_t n)
{
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++)
        hash = mix(mix(mix(hash, values[i].site), values[i].metric), values[i].value);
    return hash;
}

/* Makes the file one in which dispatches share values. */
static bool share(struct ls_db *db)
{
    static const enum statement gone[] = {ADD_VALUES, ADD_DISPATCH_VALUE};
    if (db->shared)
        return true;
    for (unsigned i = 0; i < sizeof gone / sizeof *gone; i++) {
        sqlite3_finalize(db->statements[gone[i]]);
        db->statements[gone[i]] = NULL;
    }
    db->shared = ls_db_change(db, ls_schema_share_sql);
    return db->shared;
}

int64_t ls_db_same_values(struct ls_db *db, const struct ls_db_value *values, size_t n)
{
    if (!n || n > KNOWN_VALUES_MOST || !ls_db_usable(db))
        return 0;
    const uint64_t hash = hash_of(values, n);
    const struct ls_db_values *v = db->known[hash % KNOWN_VALUES];
    if (!v || v->hash != hash || v->n != n || memcmp(v->values, values, n * sizeof *values))
        return 0;
    return share(db) ? v->dispatch : 0;
}

void ls_db_remember_values(struct ls_db *db, int64_t dispatch, const struct ls_db_value *values, size_t n)
{
    if (!n || n > KNOWN_VALUES_MOST)
        return;
    const uint64_t hash = hash_of(values, n);
    struct ls_db_values *v = malloc(sizeof *v + n * sizeof *values);
    if (!v) /* values are stored again, then */
        return;
    v->hash = hash;
    v->dispatch = dispatch;
    v->n = n;
    memcpy(v->values, values, n * sizeof *values);
    free(db->known[hash % KNOWN_VALUES]);
    db->known[hash % KNOWN_VALUES] = v;
}

void ls_db_forget_values(struct ls_db *db)
{
    for (unsigned i = 0; i < KNOWN_VALUES; i++)
        free(db->known[i]);
}
