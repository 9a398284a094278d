/* report_page.h - what the parts of the report for people share. */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include "cli/output/terminal.h"
#include "report.h"

enum { INDENT = 2, GAP = 2 }; /* columns before a line, and between two columns */

struct page {
    const struct report *r;
    struct terminal t;
    bool merged, inexact, assumed; /* a mark was shown and is to be explained */
};

/* ---- report_table.c ---- */

/* A table of a kernel's lines, each with its places, advice and doubts. */
void report_print_table(struct page *pg, const struct ls_p_kernel *k, const struct ls_table *table);
/* What stands behind a title whose numbers are times that say nothing about a GPU. */
const char *report_time_mark(const struct ls_profile *p, const struct ls_p_kernel *k, const char *handler);
/* Wrapped to the terminal. */
void report_print_sentence(const struct page *pg, enum style style, const char *text);

/* ---- report_rows.c ---- */

/* The tables that handlers have stored for the kernel. */
void report_print_rows(const struct page *pg, const struct ls_p_kernel *k);

#endif
