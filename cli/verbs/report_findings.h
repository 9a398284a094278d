/* report_findings.h - the findings of the check for races, as text and as JSON. */
#ifndef CLI_REPORT_FINDINGS_H
#define CLI_REPORT_FINDINGS_H

#include <jansson.h>
#include "results/profile/profile.h"
#include "cli/output/terminal.h"

/* Nothing when there are none. */
void report_findings_text(const struct terminal *t, const struct ls_profile *p, bool full_paths);
/* An array. */
json_t *report_findings_json(const struct ls_profile *p);

#endif
