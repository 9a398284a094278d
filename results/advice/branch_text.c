#include "branch_text.h"
#include "common/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 60 };

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Length of the word `word` at `at`, 0: another text stands there. */
static size_t word_at(const char *text, size_t n, size_t at, const char *word)
{
    const size_t length = strlen(word);
    bool there = at + length <= n && !memcmp(text + at, word, length) && (!at || !is_word(text[at - 1])) &&
                 (at + length == n || !is_word(text[at + length]));
    return there ? length : 0;
}

/* Length of a keyword that begins a statement with branches, 0: none. */
static size_t keyword_at(const char *text, size_t n, size_t at)
{
    static const char *const words[] = {"if", "while", "for", "switch"};
    size_t length = 0;
    for (size_t i = 0; !length && i < sizeof(words) / sizeof(*words); i++)
        length = word_at(text, n, at, words[i]);
    return length;
}

/* Where the branch that begins at `from` ends: behind the parentheses of a statement, else with the
 * expression. */
static size_t end_of(const char *text, size_t n, size_t from)
{
    const bool statement = keyword_at(text, n, from) || word_at(text, n, from, "else");
    unsigned open = 0;
    size_t i = from;
    for (; i < n; i++) {
        if (text[i] == '(')
            open++;
        else if (text[i] == ')' && !open--)
            return i;
        else if (text[i] == ')' && !open && statement)
            return i + 1;
        else if (!open && !statement && (text[i] == ';' || text[i] == ','))
            return i;
    }
    return i;
}

/* The last statement before the column whose parentheses, or one of them, reach over it; n: there is none. */
static size_t statement_around(const char *text, size_t n, size_t column)
{
    size_t found = n;
    for (size_t at = 0; at <= column && at < n; at++)
        if (keyword_at(text, n, at) && end_of(text, n, at) > column)
            found = at;
    return found;
}

static size_t skip_blanks(const char *text, size_t n, size_t at)
{
    while (at < n && (text[at] == ' ' || text[at] == '\t' || text[at] == '}'))
        at++;
    return at;
}

/* Where the branch begins: its statement, with the `else` before it. Without one its first operand if that is
 * where the column is, else all of the line. */
static size_t start_of(const char *text, size_t n, size_t column)
{
    const size_t first = skip_blanks(text, n, 0);
    if (column >= n)
        return first;
    column = skip_blanks(text, n, column);
    size_t at = statement_around(text, n, column);
    if (at == n)
        return column < n && (is_word(text[column]) || text[column] == '(' || text[column] == '!') ? column
                                                                                                   : first;
    size_t before = at;
    while (before > 0 && (text[before - 1] == ' ' || text[before - 1] == '\t'))
        before--;
    return before >= 4 && word_at(text, n, before - 4, "else") ? before - 4 : at;
}

/* ---- Triton ---- */

enum { CALL_LONGEST = 4096, DEEPEST = CALL_LONGEST };

/* Behind the string of Python that begins at `at`. */
static size_t behind_string(const char *text, size_t n, size_t at)
{
    const char quote = text[at++];
    while (at < n && text[at] != quote && text[at] != '\n')
        at += text[at] == '\\' ? 2 : 1;
    return at < n ? at + 1 : n;
}

static size_t to_line_end(const char *text, size_t n, size_t at)
{
    const char *end = at < n ? memchr(text + at, '\n', n - at) : NULL;
    return end ? (size_t)(end - text) : n;
}

static int change_of_depth(char c)
{
    return c && strchr("([{", c) ? 1 : c && strchr(")]}", c) ? -1 : 0;
}

/* Behind the argument that begins at `at`, or the end of its line. */
static size_t argument_end(const char *text, size_t n, size_t at)
{
    int open = 0;
    for (; at < n && text[at] != '\n'; at++) {
        open += change_of_depth(text[at]);
        if (open < 0 || (!open && text[at] == ','))
            break;
    }
    return at;
}

/* From `at` on to the end of the call, and of the line: the start of an argument `mask=` that stands in at most `deepest`
 * parentheses more, or n. */
static size_t mask_behind(const char *text, size_t n, size_t at, int deepest)
{
    int open = 0;
    while (at < n && open >= 0 && (open || text[at] != '\n')) {
        size_t word = word_at(text, n, at, "mask");
        if (word && open <= deepest) {
            while (at + word < n && (text[at + word] == ' ' || text[at + word] == '\t'))
                word++;
            if (at + word + 1 < n && text[at + word] == '=' && text[at + word + 1] != '=')
                return at;
        }
        if (text[at] == '"' || text[at] == '\'') {
            at = behind_string(text, n, at);
            continue;
        }
        if (text[at] == '#') {
            at = to_line_end(text, n, at);
            continue;
        }
        open += change_of_depth(text[at++]);
    }
    return n;
}

/* Lanes are switched off by the mask of an access, whose place is the access's or that of its last argument. The part of
 * the text that is the argument; empty: the call has no such word. */
static void mask_of(const char *text, size_t n, size_t column, size_t *from, size_t *end)
{
    *from = column < to_line_end(text, n, 0) ? mask_behind(text, n, column, 1) : n;
    if (*from == n)
        *from = mask_behind(text, n, 0, DEEPEST);
    *end = argument_end(text, n, *from);
}

/* The text of the branch, or false. `rest`: bytes from the start of the line to the file's end. */
static bool find(bool triton, const char *text, size_t n, size_t rest, size_t column, size_t *from,
                 size_t *end)
{
    size_t first = skip_blanks(text, n, 0);
    if (triton && !keyword_at(text, n, first)) {
        mask_of(text, rest < CALL_LONGEST ? rest : CALL_LONGEST, column, from, end);
    } else {
        *from = start_of(text, n, column);
        *end = end_of(text, n, *from);
    }
    while (*end > *from && (text[*end - 1] == ' ' || text[*end - 1] == '\r'))
        --*end;
    return *end > *from;
}

char *ls_branch_text(const struct ls_profile *p, const char *path, int64_t line, int64_t column, bool triton)
{
    const struct ls_p_file *f = ls_profile_file(p, path);
    size_t n = 0;
    const char *text =
        f && f->text && line > 0 && line <= UINT32_MAX ? ls_profile_line(f, (uint32_t)line, &n) : NULL;
    if (!text)
        return NULL;
    size_t from, end;
    if (!find(triton, text, n, f->size - (size_t)(text - f->text), column > 0 ? (size_t)column - 1 : n, &from,
              &end))
        return NULL;
    const bool cut = end - from > LONGEST;
    char *out = NULL;
    if (asprintf(&out, "%.*s%s", (int)(cut ? LONGEST : end - from), text + from, cut ? "..." : "") < 0)
        return NULL;
    return out;
}
