/* counter_file.h - the counters of rocprofv3 as its file NAME_counter_collection.csv has them. */
#ifndef CLI_SELFTEST_COUNTER_FILE_H
#define CLI_SELFTEST_COUNTER_FILE_H

#include <jansson.h>

/* An array of {"kernel": ..., "counters": {NAME: value, ...}}, one for each dispatch, in the order of dispatches. NULL:
 * the file cannot be read, or has other columns. Columns are found by their titles (rocprofiler-sdk, csv output:
 * Dispatch_Id, Kernel_Name, Counter_Name, Counter_Value); what a counter has in several rows is added up. */
json_t *counter_file_read(const char *path);

#endif
