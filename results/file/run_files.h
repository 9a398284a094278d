/*
 * run_files.h - how the processes of a run tell `lanescope run` the names of their databases, so that it does
 * not have to look into other runs' files for them: each leaves a file with the name in the directory that
 * LANESCOPE_RUN_DIRECTORY names.
 */
#ifndef RESULTS_RUN_FILES_H
#define RESULTS_RUN_FILES_H

#include <stddef.h>

/* In a recorded process. Nothing happens without such a directory, or when it cannot be written. */
void ls_run_files_tell(const char *database);
struct ls_run_file {
    char *database; /* malloc'd */
    int pid;        /* of the process that told it, as that process sees itself */
};
/* The names that were told; malloc'd. */
struct ls_run_file *ls_run_files_read(const char *directory, size_t *n);
/* Removes the directory and what processes left there. */
void ls_run_files_remove(const char *directory);

#endif
