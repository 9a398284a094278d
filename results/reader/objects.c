#include "objects.h"
#include "results/file/error_text.h"
#include "reader.h"
#include "results/file/schema.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- words of a CREATE statement ---- */

enum kind { END, WORD, NAME, STRING, OTHER }; /* NAME: in "", `` or [] */

struct token {
    enum kind kind;
    const char *start;
    size_t length;
};

static bool in_word(unsigned char c)
{
    return isalnum(c) || c == '_' || c == '$' || c >= 0x80;
}

/* After SQLite's tokenizer: blanks and comments separate. */
static const char *skip_blanks(const char *s)
{
    for (;;) {
        if (isspace((unsigned char)*s)) {
            s++;
        } else if (s[0] == '-' && s[1] == '-') {
            s += strcspn(s, "\n");
        } else if (s[0] == '/' && s[1] == '*') {
            const char *end = strstr(s + 2, "*/");
            s = end ? end + 2 : s + strlen(s);
        } else {
            return s;
        }
    }
}

/* Where a quoted text ends; a doubled quote stands for itself. */
static const char *end_of_quoted(const char *s)
{
    char end = *s == '[' ? ']' : *s;
    for (s++; *s; s++)
        if (*s == end && (end == ']' || *++s != end))
            return end == ']' ? s + 1 : s;
    return s;
}

static struct token next_token(const char **text)
{
    const char *s = skip_blanks(*text);
    struct token t = {END, s, 0};
    const char *end = s;
    if (*s == '\'' || *s == '"' || *s == '`' || *s == '[') {
        t.kind = *s == '\'' ? STRING : NAME;
        end = end_of_quoted(s);
    } else if (in_word((unsigned char)*s)) {
        t.kind = WORD;
        while (in_word((unsigned char)*end))
            end++;
    } else if (*s) {
        t.kind = OTHER;
        end++;
    }
    t.length = (size_t)(end - s);
    *text = end;
    return t;
}

static bool is(const struct token *t, const char *word)
{
    return (t->kind == WORD || t->kind == OTHER) && strlen(word) == t->length &&
           !strncasecmp(t->start, word, t->length);
}

/* ---- objects ---- */

/* What follows CREATE TABLE. */
static bool plain_table(const char *s)
{
    static const char *const refused[] = {"AS", "GENERATED", "CHECK", "COLLATE", "SELECT"};
    bool after_default = false;
    for (struct token t = next_token(&s); t.kind != END; t = next_token(&s)) {
        for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
            if (is(&t, refused[i]))
                return false;
        if (after_default && is(&t, "("))
            return false;
        after_default = is(&t, "DEFAULT");
    }
    return true;
}

static bool is_name(const struct token *t)
{
    return t->kind == WORD || t->kind == NAME;
}

/* What follows INDEX: name ON table(column [ASC|DESC], ...) and nothing else. */
static bool plain_index(const char *s)
{
    struct token name = next_token(&s), on = next_token(&s), table = next_token(&s), t = next_token(&s);
    if (!is_name(&name) || !is(&on, "ON") || !is_name(&table) || !is(&t, "("))
        return false;
    do {
        struct token column = next_token(&s);
        t = next_token(&s);
        if (is(&t, "ASC") || is(&t, "DESC"))
            t = next_token(&s);
        if (!is_name(&column))
            return false;
    } while (is(&t, ","));
    struct token last = next_token(&s);
    return is(&t, ")") && last.kind == END;
}

/* Whether it is a whole statement of the script. */
static bool writes(const char *script, const char *create)
{
    const char *at = strstr(script, create);
    return at && at[strlen(create)] == ';';
}

/* Whether this version or an earlier one writes the view so. */
static bool our_view(const char *create)
{
    bool ours = writes(ls_schema_sql, create) || writes(ls_schema_share_sql, create);
    for (size_t i = 0; ls_schema_earlier_views[i]; i++)
        ours |= !strcmp(ls_schema_earlier_views[i], create);
    return ours;
}

/* Whether an object with this CREATE statement, as SQLite stores it, is harmless. NULL: an index that SQLite
 * made itself. */
static bool ls_object_is_plain(const char *create)
{
    if (!create)
        return true;
    const char *s = create;
    struct token first = next_token(&s), what = next_token(&s);
    if (!is(&first, "CREATE"))
        return false;
    if (is(&what, "UNIQUE"))
        what = next_token(&s);
    if (is(&what, "VIEW"))
        return our_view(create);
    return is(&what, "TABLE") ? plain_table(s) : is(&what, "INDEX") && plain_index(s);
}

char *ls_objects_check(const char *path, sqlite3 *sql)
{
    sqlite3_stmt *st = NULL;
    char *error = NULL;
    int rc = sqlite3_prepare_v2(sql, "SELECT sql, type, name FROM sqlite_master", -1, &st, NULL);
    while (!error && (rc == SQLITE_OK || rc == SQLITE_ROW)) {
        rc = sqlite3_step(st);
        if (rc == SQLITE_ROW && !ls_object_is_plain((const char *)sqlite3_column_text(st, 0)))
            error = ls_text(
                "%s: holds the %s '%s' that Lanescope did not write, and which could run code when "
                "the file is read; "
                "record again, or take the original file",
                path, (const char *)sqlite3_column_text(st, 1), (const char *)sqlite3_column_text(st, 2));
    }
    if (!error && rc != SQLITE_DONE)
        error = ls_results_sql_error(path, sql);
    sqlite3_finalize(st);
    return error;
}
