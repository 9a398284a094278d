/* annotate_page.h - what the parts of `lanescope annotate` share; its text is one page per source file. */
#ifndef CLI_ANNOTATE_PAGE_H
#define CLI_ANNOTATE_PAGE_H

#include "annotate.h"
#include "cli/output/databases.h"
#include "cli/output/terminal.h"

enum { OPTION_COLUMNS = 17, MAX_COLUMNS = 24 }; /* those that --metric asks for; all */

struct options {
    struct view_options view;
    long context; /* lines around those with numbers; -1: all */
    bool json;
    const char **metrics;
    size_t n_metrics;
    char **databases, **files;
    size_t n_databases, n_files;
};

enum content { EXECUTIONS, LANES, LINES_AND_NEEDED, METRIC };

struct column {
    enum content content;
    int metric, other;  /* METRIC: one; LINES_AND_NEEDED: touched, needed; else -1 */
    char *head, *brief; /* malloc'd; the latter where there is little room */
    int width;
    double most; /* what the worst line of the file costs */
    bool asked;  /* by --metric */
    bool hidden; /* for want of room */
};

struct page {
    struct ls_profile *p;
    const struct options *o;
    struct terminal t;
    bool cut;              /* lines that are too long for the terminal */
    bool narrow;           /* short heads, numbers close together */
    bool hidden;           /* columns were left out for want of room */
    bool coalesced;        /* a line says 100 %, and that it touches more cache lines than needed */
    bool inexact, assumed; /* a mark was shown and is to be explained */
    int digits;            /* of the largest number of a line */
    struct column columns[MAX_COLUMNS];
    size_t n_columns;
};

/* ---- annotate_sums.c ---- */

/* Source files with numbers, worst first: *n of them, for annotate_free. */
struct source *annotate_collect(struct ls_profile *p, const struct options *o, size_t *n);
/* All that annotate_collect has made. */
void annotate_free(struct source *list, size_t n);
/* The command line names the file, or none. */
bool annotate_wants(const struct options *o, const char *path);

/* ---- annotate_columns.c ---- */

/* 0, or an exit code after a message. */
int annotate_choose_columns(struct page *pg);
/* Numbers stand closer where the source would have less than half of the width: that of the terminal, or 80 columns where the
 * text goes into a pipe or a file, which cut nothing and leave no column out. */
void annotate_measure(struct page *pg, const struct source *s);
/* Lines of the text. */
uint32_t annotate_count_lines(const struct ls_p_file *f);
/* What stands above the column. */
const char *annotate_head(const struct page *pg, const struct column *c);
/* The number of a line, with its mark; "" without one. */
void annotate_cell(const struct page *pg, const struct place *at, const struct column *c, char out[64]);
/* How a number is coloured: by what it costs beside the worst of the file. */
enum style annotate_heat(const struct page *pg, const struct place *at, const struct column *c);
/* Blanks between two columns. */
int annotate_gap(const struct page *pg);
/* Columns of a line's number, a blank before it included. */
int annotate_number_width(const struct page *pg);
/* Columns of all numbers. */
int annotate_gutter_width(const struct page *pg);
/* Columns that are left for the source. */
int annotate_source_width(const struct page *pg);

/* ---- annotate_page.c ---- */

/* Returns how many files it has shown. */
size_t annotate_print_files(struct page *pg, const struct source *list, size_t n);
/* How many numbers are exact, and what the mark means. */
void annotate_print_legend(const struct page *pg);

#endif
