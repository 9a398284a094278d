#include "advice_triton.h"
#include "common/names.h"
#include "common/numbers.h"
#include "lanescope/sites.h"
#include "results/profile/coverage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A kernel's text may have any name: of a notebook's cell, of a text that was made. */
bool ls_triton_line(const struct ls_p_kernel *k, const struct ls_p_line *line)
{
    const char *file = *line->title.file ? line->title.file : line->file;
    return k->compiler || ls_stem(file, ".py");
}

static bool same_place(const struct ls_p_line *a, const struct ls_p_line *b)
{
    return a->line == b->line && a->n_columns && b->n_columns && a->columns[0] == b->columns[0] &&
           !strcmp(a->space, b->space) && !strcmp(a->file, b->file);
}

bool ls_triton_atomic(const struct ls_p_kernel *k, const struct ls_p_line *line)
{
    for (size_t i = 0; i < k->n_lines; i++) {
        const char *kind = k->lines[i]->kind;
        if ((!strcmp(kind, ls_kind_name(LS_SITE_RMW)) || !strcmp(kind, ls_kind_name(LS_SITE_CMPXCHG))) &&
            same_place(k->lines[i], line))
            return true;
    }
    return false;
}

/* Into how many rows of the tile one of the replay goes; 0: into none, or the replay did something else there than a layout can do. Of k
 * rows that the replay takes for one it XORs all of one unit's number by the number of their group: while there are no more groups than
 * a row of the tile has units, that is what per_phase = k does. */
static int64_t rows_of_phase(const struct ls_compiler_tile *tile, int64_t pitch, int64_t unit)
{
    if (!tile->row)
        return 1;
    if (pitch % tile->row || tile->row % unit)
        return 0;
    const int64_t rows = pitch / tile->row;
    return rows == 1 || tile->rows / rows <= tile->row / unit ? rows : 0;
}

bool ls_triton_has_layout(const char *kind, const struct ls_compiler_tile *tile, int64_t pitch, int64_t add,
                          int64_t unit)
{
    const int64_t element = tile->element;
    if (!tile->plain || element <= 0 || pitch <= 0 || pitch % element || !ls_is_power_of_two(pitch / element))
        return false;
    if (!strcmp(kind, "pad"))
        return add > 0 && add % element == 0 && ls_is_power_of_two(add / element);
    return !strcmp(kind, "xor") && unit > 0 && unit % element == 0 && pitch % unit == 0 &&
           ls_is_power_of_two(unit / element) && rows_of_phase(tile, pitch, unit);
}

void ls_triton_put_pad(FILE *out, const struct ls_compiler_tile *tile, int64_t pitch, int64_t add)
{
    fprintf(out, "in Gluon PaddedSharedLayout.with_identity_for([[%" PRId64 ", %" PRId64 "]], shape, order)",
            pitch / tile->element, add / tile->element);
    if (!tile->row)
        fprintf(out, ", elements of %" PRId64 " B", tile->element);
}

void ls_triton_put_swizzle(FILE *out, const struct ls_compiler_tile *tile, int64_t pitch, int64_t unit)
{
    const int64_t row = tile->row ? tile->row : pitch;
    fprintf(out,
            "in Gluon SwizzledSharedLayout(vec=%" PRId64 ", per_phase=%" PRId64 ", max_phase=%" PRId64
            ", order)",
            unit / tile->element, rows_of_phase(tile, pitch, unit), row / unit);
    if (!tile->row)
        fprintf(out, ", rows of %" PRId64 " elements of %" PRId64 " B", pitch / tile->element, tile->element);
}

/* "name=type" up to the next ", " or the end of the list; false at its end. */
struct argument {
    const char *name, *type;
    size_t name_length, type_length;
};

static bool next_argument(const char **at, struct argument *a)
{
    while (**at) {
        size_t n = strcspn(*at, ",>");
        const char *start = *at, *equals = memchr(start, '=', n);
        *at += n + strspn(*at + n, ",> ");
        if (!equals)
            continue; /* a part of a value that has commas */
        *a = (struct argument){start, equals + 1, (size_t)(equals - start), n - (size_t)(equals + 1 - start)};
        return true;
    }
    return false;
}

static const char *arguments_of(const char *kernel)
{
    const char *list = strchr(kernel, '<');
    return list ? list + 1 : "";
}

static bool is(const struct argument *a, const char *type)
{
    return a->type_length == strlen(type) && !memcmp(a->type, type, a->type_length);
}

enum kind { INTEGERS, POINTERS };

/* Of arguments that Triton knows to be multiples of 16 the type goes on with ":16". */
static bool unknown(const struct argument *a, enum kind kind)
{
    if (kind == POINTERS)
        return a->type_length && *a->type == '*' && !memchr(a->type, ':', a->type_length);
    return is(a, "i32") || is(a, "i64") || is(a, "u32") || is(a, "u64");
}

/* "n, m"; returns how many. */
static size_t put_unknown(FILE *out, const char *kernel, enum kind kind)
{
    const char *at = arguments_of(kernel);
    struct argument a;
    size_t n = 0;
    while (next_argument(&at, &a))
        if (unknown(&a, kind))
            fprintf(out, "%s%.*s", n++ ? ", " : "", (int)a.name_length, a.name);
    return n;
}

static bool has_unknown(const char *kernel, enum kind kind)
{
    const char *at = arguments_of(kernel);
    struct argument a;
    while (next_argument(&at, &a))
        if (unknown(&a, kind))
            return true;
    return false;
}

/* tl.multiple_of does nothing to an argument of a kernel (tried with 3.2); Triton's analysis sees through the division. */
void ls_triton_put_divisibility(FILE *out, const char *kernel, int64_t pieces)
{
    const bool integers = has_unknown(kernel, INTEGERS), pointers = has_unknown(kernel, POINTERS);
    if (!integers && !pointers)
        fprintf(
            out,
            "Triton could not tell that they are one (tl.multiple_of, tl.max_contiguous, tl.max_constancy)");
    if (pointers) {
        put_unknown(out, kernel, POINTERS);
        fprintf(out, " may not start at a multiple of 16 B%s", integers ? ", " : "");
    }
    if (integers) {
        size_t n = put_unknown(out, kernel, INTEGERS);
        fprintf(out,
                " may not be divisible by 16; pad to a multiple of 16, or, where %" PRId64
                " always divides %s, use n // %" PRId64 " * %" PRId64 " for n",
                pieces, n > 1 ? "them" : "it", pieces, pieces);
    }
}

void ls_triton_put_elements(FILE *out, const char *kernel)
{
    const int64_t warps = ls_triton_option(kernel, "num_warps");
    fputs("a smaller block", out);
    if (warps > 0)
        fprintf(out, ", or more warps than num_warps=%" PRId64, warps);
}

int64_t ls_triton_option(const char *kernel, const char *option)
{
    const char *at = arguments_of(kernel);
    struct argument a;
    while (next_argument(&at, &a))
        if (a.name_length == strlen(option) && !memcmp(a.name, option, a.name_length))
            return strtoll(a.type, NULL, 10);
    return 0;
}
