/* filters.h - which part of the wavefronts a recording is about. */
#ifndef RESULTS_FILTERS_H
#define RESULTS_FILTERS_H

/* A sentence on the filters that the GPU applied, from the settings in `process.options` (a JSON object);
 * NULL when all wavefronts of observed dispatches reported. The caller frees it. */
char *ls_filters_text(const char *options);

#endif
