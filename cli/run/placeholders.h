/*
 * placeholders.h - names of result files: %pid%, %hostname%, ... as rocprofv3 has them (also {pid}, and the
 * short %p %h %j %r %s). What differs per process (%pid%, %hostname%) becomes %p and %h, which the tool
 * library fills in; everything else is known here.
 */
#ifndef CLI_PLACEHOLDERS_H
#define CLI_PLACEHOLDERS_H

/* argv: the program and its arguments.
 * malloc'd text; NULL with *error (malloc'd) for an unknown placeholder. */
char *expand_placeholders(const char *text, char *const *argv, char **error);
/* The text with every % doubled; malloc'd, NULL when out of memory. */
char *escape_percent(const char *text);

#endif
