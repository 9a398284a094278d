/* changed.h - what makes the shown lines or numbers doubtful. */
#ifndef CLI_CHANGED_H
#define CLI_CHANGED_H

#include "results/profile/profile.h"

/* Tells on stderr which of the profile's source files hold another text now, where they can be read here. */
void tell_changed_sources(const struct ls_profile *p);
/* Tells on stderr what the report has as notes: sources that are not those that were compiled, sums that did
 * not fit, rows that refer to nothing. For verbs that show no notes; call it when their sums are done. */
void tell_doubts(const struct ls_profile *p);
/* Tells a recording's note on stderr if it is one of these. */
bool tell_doubt(const char *note);

#endif
