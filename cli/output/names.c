#include "names.h"
#include "results/file/error_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *short_path(const struct ls_profile *p, const char *path, bool full)
{
    return full ? path : ls_profile_short(p, path);
}

/* Where it stands: in the kernel itself, or in a function that it calls. */
static void print_instruction(const struct ls_p_line *line, FILE *out)
{
    bool own = !strcmp(line->function, line->kernel->mangled);
    fprintf(out, "%s%s0x%llx", own ? "" : line->function, own ? "" : "+", (unsigned long long)line->offset);
}

char *line_instruction(const struct ls_p_line *line)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "0x%llx: %s", (unsigned long long)line->offset,
            line->instruction.n ? line->instruction.items[0] : "");
    fclose(out);
    return text;
}

static void print_title(const struct ls_profile *p, const struct ls_p_line *line, bool full, FILE *out)
{
    const struct ls_p_place *t = &line->title;
    if (!*t->file && line->alone)
        print_instruction(line, out);
    else if (!*t->file)
        fprintf(out, "%s (no line)",
                !*t->function                                 ? "unknown function"
                : !strcmp(t->function, line->kernel->mangled) ? line->kernel->name
                                                              : t->function);
    else if (!t->line)
        fprintf(out, "%s (no line)", short_path(p, t->file, full));
    else
        fprintf(out, "%s:%u", short_path(p, t->file, full), t->line);
}

static void print_columns(const struct ls_p_line *line, FILE *out)
{
    for (size_t i = 0; !line->title_depth && line->title.line && i < line->n_columns; i++)
        fprintf(out, "%s%u", i ? "," : ":", line->columns[i]);
    if (line->title_depth && line->title.column)
        fprintf(out, ":%u", line->title.column);
}

static char *title_text(const struct ls_profile *p, const struct ls_p_line *line, bool full, bool columns)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    print_title(p, line, full, out);
    if (columns)
        print_columns(line, out);
    fclose(out);
    return text;
}

char *line_place(const struct ls_profile *p, const struct ls_p_line *line, bool full)
{
    return title_text(p, line, full, true);
}

char *line_title(const struct ls_profile *p, const struct ls_p_line *line, bool full)
{
    return title_text(p, line, full, false);
}

/* Bytes of a text's first characters, nearly all of which are one column wide. */
static size_t bytes_of(const char *s, int characters)
{
    size_t n = 0;
    while (s[n] && characters-- > 0)
        do
            n++;
        while (((unsigned char)s[n] & 0xc0) == 0x80);
    return n;
}

/* What is cut out stands in front of the last `end` columns. No blanks stand beside the dots: lines are broken there. */
static char *cut_before(const struct terminal *t, const char *s, int columns, int end)
{
    int width = text_width(s), room = columns - (t->utf8 ? 1 : 3);
    if (!t->cuts || width <= columns || room <= 2)
        return strdup(s);
    size_t head = bytes_of(s, room - end);
    const char *tail = s + bytes_of(s, width - end);
    while (head && s[head - 1] == ' ')
        head--;
    tail += strspn(tail, " ");
    return ls_text("%.*s%s%s", (int)head, s, t->utf8 ? "\u2026" : "...", tail);
}

char *middle_cut(const struct terminal *t, const char *s, int columns)
{
    return cut_before(t, s, columns, (columns - (t->utf8 ? 1 : 3)) / 2);
}

/* Bytes in front of the arguments of "f(int, g(char))"; 0: there are none. */
static int before_arguments(const char *name)
{
    int depth = 0;
    for (const char *p = name + strlen(name); p > name;) {
        p--;
        depth += (*p == ')') - (*p == '(');
        if (!depth)
            return *p == '(' ? (int)(p - name) : 0;
    }
    return 0;
}

char *name_cut(const struct terminal *t, const char *name, int columns)
{
    static const char type[] = "void "; /* that all kernels return; demangled templates have it */
    if (t->cuts && text_width(name) > columns && !strncmp(name, type, sizeof(type) - 1))
        name += sizeof(type) - 1;
    int own = before_arguments(name), parentheses = t->utf8 ? 3 : 5; /* and what is between them */
    return own && own + parentheses <= columns ? cut_before(t, name, columns, 1)
                                               : middle_cut(t, name, columns);
}

int print_kernel_name(const struct terminal *t, const char *name, int columns)
{
    char *cut = name_cut(t, name, columns);
    const int used = print_name(t, cut ? cut : name, columns);
    free(cut);
    return used;
}

static void print_call(const struct ls_profile *p, const struct ls_p_place *c, bool full, FILE *out)
{
    fprintf(out, "%s:%u:%u", *c->file ? short_path(p, c->file, full) : "?", c->line, c->column);
}

/* A function's name, not longer than half a line. */
static void print_function(const struct terminal *t, const char *name, FILE *out)
{
    char *cut = name_cut(t, *name ? name : "?", t->width / 2);
    fputs(cut ? cut : "?", out);
    free(cut);
}

/* The calls that the titled place was inlined into: those of libraries only where it is one itself. */
static void print_outer(const struct ls_profile *p, const struct ls_p_line *line, bool full,
                        const struct terminal *t, FILE *out)
{
    bool any = false;
    for (size_t i = line->title_depth; i < line->n_chain; i++) {
        const struct ls_p_place *c = &line->chain[i];
        if (c->library && !line->title.library)
            continue;
        fprintf(out, any ? ", at " : line->title_depth ? "; " : "in ");
        if (!any) {
            print_function(t, line->title.function, out);
            fprintf(out, ", inlined at ");
        }
        print_call(p, c, full, out);
        if (*c->function && i + 1 < line->n_chain) {
            fputs(" (", out);
            print_function(t, c->function, out);
            fputs(")", out);
        }
        any = true;
    }
}

char *line_calls(const struct ls_profile *p, const struct ls_p_line *line, bool full,
                 const struct terminal *t)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = line->n_chain ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    if (line->title_depth) {
        fputs("in ", out);
        print_function(t, line->function, out);
        if (*line->file && line->line)
            fprintf(out, ", %s:%u", short_path(p, line->file, full), line->line);
    }
    print_outer(p, line, full, t, out);
    fclose(out);
    if (*text)
        return text;
    free(text);
    return NULL;
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

char *kernel_heading(const struct ls_profile *p, const struct ls_p_kernel *k)
{
    char *name = k->twin && *k->file ? ls_text("%s [%s:%u]", k->name, short_path(p, k->file, false), k->line)
                 : k->twin && k->code_name ? ls_text("%s [code %s]", k->name, k->code_name)
                                           : strdup(k->name);
    if (!name)
        abort();
    return name;
}
