/* regions.h - the ROCTx ranges in which a process launched its dispatches. */
#ifndef CLI_CONVERT_REGIONS_H
#define CLI_CONVERT_REGIONS_H

#include "trace.h"

/* For each launch of the part the text of the innermost range that its thread had pushed when it was submitted;
 * "" where there was none, or who launched it is not known. The list is malloc'd, its texts belong to the trace. */
const char **regions_of(const struct trace_part *part);

#endif
