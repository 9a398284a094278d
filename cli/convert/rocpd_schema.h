/*
 * rocpd_schema.h - the tables and views of rocpd's schema 3, as rocprofv3 of ROCm 7.0 writes them: names, types, defaults
 * and references, which AMD's importer and merge compare. In all texts {{uuid}} and {{guid}} stand for a recording's.
 */
#ifndef CLI_CONVERT_ROCPD_SCHEMA_H
#define CLI_CONVERT_ROCPD_SCHEMA_H

#include <stddef.h>

/* A table is called rocpd_NAME{{uuid}}, and the view rocpd_NAME selects all of it. */
struct rocpd_table {
    const char *name, *columns;
};
extern const struct rocpd_table rocpd_tables[];
extern const size_t n_rocpd_tables;

/* Views for people, in the order in which they need each other. AMD's importer makes its own. */
struct rocpd_view {
    const char *name, *select;
};
extern const struct rocpd_view rocpd_views[];
extern const size_t n_rocpd_views;

#endif
