/*
 * safe_output.h - the ways out for texts that come from files, names of files and programs
 * (lanescope/printable.h). Texts of a database are escaped when it is read (reader.h), except for JSON, which
 * has escapes of its own.
 */
#ifndef CLI_SAFE_OUTPUT_H
#define CLI_SAFE_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* A stream that writes printable text to `to`; only line feeds and tabs stay. Escape sequences of ours do not
 * pass either: it is for output without style. Without memory it is `to` itself. */
FILE *printable_stream(FILE *to);
/* Why the last write of such a stream failed (errno); 0: none did.
 * The stream itself knows only that one did. */
int printable_error(void);
/* A text with everything escaped, line feeds too. malloc'd. */
char *printable_text(const char *text);
/* A file's name as a word that bash and zsh read back as it is,
 * and no command takes for an option. malloc'd. */
char *shell_word(const char *name);
/* Text as JSON: what is no UTF-8 becomes U+FFFD. Numbers: what is none (an infinite ratio) becomes null. */
json_t *json_text(const char *text);
json_t *json_text_n(const char *text, size_t n);
json_t *json_text_or_null(const char *text);
json_t *json_number(double value);
/* The object that the JSON of a verb is: `schema` ("lanescope-VERB/1") and `version`. */
json_t *json_root(const char *verb);
/* The text that a key has; "" when it has none. Lives as long as the object. */
const char *json_text_of(const json_t *object, const char *key);
/* Sets a key that may be anything; takes over the value. */
void json_set(json_t *object, const char *key, json_t *value);
/* Whether the object has what json_set calls so. */
bool json_has(const json_t *object, const char *key);
/* Writes JSON, and a line feed; what would not be printable stands as \\uXXXX in it, so that programs read it
 * unchanged. 0, or -1 when out of memory; what cannot be written, close_output tells. */
int write_json(const json_t *root, FILE *out);
/* The same in one line. */
int write_json_line(const json_t *root, FILE *out);
/* The same JSON, compact, as the content of a <script> of an HTML page: `<` stands as \\u003c, too, so that
 * no text of it can end the element. */
int write_json_in_html(const json_t *root, FILE *out);

#endif
