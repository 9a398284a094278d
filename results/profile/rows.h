/* rows.h - what stands in the rows that handlers stored. */
#ifndef RESULTS_ROWS_H
#define RESULTS_ROWS_H

#include <jansson.h>
#include "profile.h"

/* The row's content, parsed; NULL when it is no JSON. It belongs to the profile, and to all rows of the same text: read only. */
json_t *ls_row_content(const struct ls_p_row *row);

#endif
