/* code_uri.h - where the runtime says that a code object comes from
 * (hsa_ven_amd_loader: code object URIs). */
#ifndef RESULTS_CODE_URI_H
#define RESULTS_CODE_URI_H

/* The file of "file:///a%20b#offset=4096&size=512"; NULL for others, such as code in memory. malloc'd. */
char *ls_code_uri_file(const char *uri);

#endif
