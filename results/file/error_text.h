/* Error texts: malloc'd lines of the form "file: cause; fix". */
#ifndef RESULTS_ERROR_TEXT_H
#define RESULTS_ERROR_TEXT_H

/* asprintf that returns the text; NULL when out of memory. The caller frees it. */
char *ls_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
