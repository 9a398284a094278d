/* forms.h - the forms of `convert`, a file each. */
#ifndef CLI_CONVERT_FORMS_H
#define CLI_CONVERT_FORMS_H

#include <stdbool.h>
#include <stddef.h>

struct conversion {
    char **databases;
    size_t n;
    const char *output; /* a name, or "-" */
    const char *metric; /* --metric, or NULL */
    bool force; /* ordinary files that are no recordings are replaced, as a whole and when all is written */
};

/* Each writes the databases in its form, and no file when it fails. Nobody can read a file who cannot read the
 * databases in it. 0, or an exit code after a message. */
int convert_csv(const struct conversion *c);
int convert_rocpd(const struct conversion *c);
int convert_json(const struct conversion *c);
int convert_pftrace(const struct conversion *c);
int convert_folded(const struct conversion *c);
int convert_speedscope(const struct conversion *c);

#endif
