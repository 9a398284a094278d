#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last `components` components of a path. */
static const char *tail(const char *path, int components)
{
    const char *p = path + strlen(path);
    while (p > path) {
        if (p[-1] == '/' && --components == 0)
            return p;
        p--;
    }
    return path;
}

static bool clashes(const char *path, const char *other, int components)
{
    return strcmp(path, other) && !strcmp(tail(path, components), tail(other, components));
}

static bool unique(const struct ls_profile *p, const char *path, int components)
{
    for (size_t i = 0; i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_lines; j++) {
            const struct ls_p_line *line = p->kernels[i]->lines[j];
            if (clashes(path, line->file, components))
                return false;
            for (size_t c = 0; c < line->n_chain; c++)
                if (clashes(path, line->chain[c].file, components))
                    return false;
        }
    return true;
}

const char *short_path(const struct ls_profile *p, const char *path, bool full)
{
    if (full)
        return path;
    for (int n = 1; tail(path, n) != path; n++)
        if (unique(p, path, n))
            return tail(path, n);
    return path;
}

char *line_place(const struct ls_profile *p, const struct ls_p_line *line, bool full)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (!*line->file)
        fprintf(out, "%s (no line)", *line->function ? line->function : "unknown function");
    else
        fprintf(out, "%s:%u", short_path(p, line->file, full), line->line);
    for (size_t i = 0; i < line->n_columns; i++)
        fprintf(out, "%s%u", i ? "," : ":", line->columns[i]);
    fclose(out);
    return text;
}

char *line_access(const struct ls_p_line *line, bool with_space)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (!strcmp(line->kind, "block")) { /* of any address space and length */
        fputs(line->kind, out);
        fclose(out);
        return text;
    }
    fprintf(out, "%s%s%s", with_space ? line->space : "", with_space ? " " : "", line->kind);
    bool dynamic = line->n_bytes && !line->bytes[0];
    for (size_t i = dynamic; i < line->n_bytes; i++)
        fprintf(out, "%s%u", i > dynamic ? "/" : " ", line->bytes[i]);
    if (line->n_bytes > dynamic)
        fputs(" B", out);
    if (dynamic)
        fputs(line->n_bytes > 1 ? " and of any length" : " of any length", out);
    fclose(out);
    return text;
}

char *metric_names(const struct ls_profile *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < p->n_metrics; i++)
        fprintf(out, "%s%s.%s", i ? ", " : "", p->metrics[i].handler, p->metrics[i].name);
    if (out)
        fclose(out);
    return text;
}

char *joined(const struct ls_p_texts *t, const char *separator)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < t->n; i++)
        fprintf(out, "%s%s", i ? separator : "", t->items[i]);
    if (out)
        fclose(out);
    return text;
}
