/* manual.c - manual pages: what the table of verbs says of a verb and its options, and what the text adds to it. */
#include "manual.h"
#include "verb_options.h"
#include "results/file/error_text.h"
#include "results/reader/arena.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In the text: what follows belongs to the option of this name; a list of all verbs. */
#define OF_OPTION ".OPTION "
#define ALL_VERBS ".VERBS"

/* The text that stands beside the table, line by line. */
struct page_text {
    char **lines;
    size_t n, described; /* the first `described` belong to the description */
};

static int read_text(struct page_text *t, const char *path)
{
    char *line = NULL;
    size_t size = 0;
    FILE *f = fopen(path, "r");
    if (!f) {
        message("%s: cannot read the text of the page: %s", path, strerror(errno));
        return EXIT_FAILED;
    }
    while (getline(&line, &size, f) >= 0) {
        line[strcspn(line, "\n")] = 0;
        *LS_PUSH(t->lines, t->n) = strdup(line);
    }
    free(line);
    fclose(f);
    while (t->described < t->n && strncmp(t->lines[t->described], OF_OPTION, strlen(OF_OPTION)) &&
           strncmp(t->lines[t->described], ".SH ", 4))
        t->described++;
    return 0;
}

static void free_text(struct page_text *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->lines[i]);
    free(t->lines);
}

/* ---- roff ---- */

/* One line of text; what stands between ` and ` is bold. */
static void print_text(const char *s, size_t n)
{
    bool bold = false;
    if (n && (*s == '.' || *s == '\''))
        fputs("\\&", stdout);
    for (size_t i = 0; i < n; i++)
        if (s[i] == '`')
            fputs((bold = !bold) ? "\\fB" : "\\fR", stdout);
        else if (s[i] == '-')
            fputs("\\-", stdout);
        else if (s[i] == '\\')
            fputs("\\e", stdout);
        else
            putchar(s[i]);
}

/* Paragraphs, and indented lines as they are. Where "Example:" begins, the text ends; returns it or NULL. */
static const char *print_paragraphs(const char *s)
{
    bool as_is = false;
    while (s && *s && strncmp(s, "Example:\n", 9)) {
        size_t n = strcspn(s, "\n");
        if (as_is != !strncmp(s, "  ", 2)) {
            as_is = !as_is;
            puts(as_is ? ".PP\n.nf" : ".fi\n.PP");
        }
        if (n)
            print_text(s, n);
        else
            fputs(".PP", stdout);
        putchar('\n');
        s += n + (s[n] == '\n');
    }
    if (as_is)
        puts(".fi");
    return s && *s ? s : NULL;
}

static void print_example(const char *s)
{
    if (!s)
        return;
    puts(".SH EXAMPLES\n.nf");
    for (s += strlen("Example:\n"); *s;) {
        size_t n = strcspn(s, "\n"), blank = strspn(s, " ");
        print_text(s + blank, n - blank);
        putchar('\n');
        s += n + (s[n] == '\n');
    }
    puts(".fi");
}

/* "DATABASE... -o ALL.db": names in italics, words to type in bold. */
static void print_arguments(const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t word = i;
        while (word < n && !strchr(" []|", s[word]) && strncmp(s + word, "...", 3))
            word++;
        if (word > i) {
            fputs(isupper((unsigned char)s[i]) ? "\\fI" : "\\fB", stdout);
            print_text(s + i, word - i);
            fputs("\\fR", stdout);
        } else {
            putchar(s[word++]);
        }
        i = word;
    }
}

/* ---- parts of a page ---- */

static void print_title(const char *title)
{
    printf(".\\\" Made by the build; man/README.md tells of what.\n.TH ");
    for (; *title; title++)
        putchar(toupper((unsigned char)*title));
    printf(" 1 \"\" \"Lanescope " LANESCOPE_VERSION "\" \"User Commands\"\n");
}

static void print_synopsis(const struct verb *v, bool options)
{
    const char *s = v->argp->args_doc ? v->argp->args_doc : "";
    puts(".SH SYNOPSIS");
    do {
        size_t n = strcspn(s, "\n");
        printf("\\fBlanescope %s\\fR%s%s", v->name, options ? " [\\fIOPTION\\fR...]" : "", n ? " " : "");
        print_arguments(s, n);
        s += n;
        puts(*s ? "\n.br" : "");
    } while (*s++);
}

/* The lines that the text has on the option. */
static bool print_more(const struct page_text *t, const char *name)
{
    size_t i = t->described;
    while (
        i < t->n && strncmp(t->lines[i], ".SH ", 4) &&
        (strncmp(t->lines[i], OF_OPTION, strlen(OF_OPTION)) || strcmp(t->lines[i] + strlen(OF_OPTION), name)))
        i++;
    if (i == t->n || !strncmp(t->lines[i], ".SH ", 4))
        return false;
    for (i++;
         i < t->n && strncmp(t->lines[i], ".SH ", 4) && strncmp(t->lines[i], OF_OPTION, strlen(OF_OPTION));
         i++)
        puts(t->lines[i]);
    return true;
}

/* Where else the setting can be given, and what it is when it is not. */
static void print_setting(const struct setting *s)
{
    const bool flag = !s->arg;
    printf("\\%%%s%s%s, \\fI\\%%%s\\fR", s->env, flag ? "=" : "", flag ? s->flag_value : "", s->key);
    if (!flag && *s->fallback) {
        fputs(" (default: \\fB", stdout);
        print_text(s->fallback, strlen(s->fallback));
        fputs("\\fR)", stdout);
    }
    puts(".");
}

/* "-o, --output=FILE", as argp prints it. */
static void print_option_head(const struct argp_option *o)
{
    puts(".TP");
    if (o->key > ' ' && o->key < 0x7f)
        printf("\\fB\\-%c\\fR, ", o->key);
    fputs("\\fB\\-\\-", stdout);
    print_text(o->name, strlen(o->name));
    if (o->arg) {
        fputs(o->flags & OPTION_ARG_OPTIONAL ? "\\fR[\\fB=" : "=", stdout);
        print_arguments(o->arg, strlen(o->arg));
        fputs(o->flags & OPTION_ARG_OPTIONAL ? "\\fR]" : "\\fR", stdout);
    }
    puts("\\fR");
}

static void print_option(const struct verb_option *o, const struct page_text *t)
{
    const char *doc = o->is->doc ? o->is->doc : "";
    size_t word = strspn(doc, "abcdefghijklmnopqrstuvwxyz");
    print_option_head(o->is);
    if (word && doc[word] == ' ') { /* a sentence, and no list of words to type */
        putchar(toupper((unsigned char)*doc));
        print_text(doc + 1, strlen(doc) - 1);
    } else {
        print_text(doc, strlen(doc));
    }
    puts(".");
    print_more(t, o->is->name);
    if (o->setting)
        print_setting(o->setting);
}

static int check_text(const struct page_text *t, const struct verb_option *o, size_t n, const char *path)
{
    for (size_t i = t->described; i < t->n; i++) {
        if (strncmp(t->lines[i], OF_OPTION, strlen(OF_OPTION)))
            continue;
        const char *name = t->lines[i] + strlen(OF_OPTION);
        bool known = false;
        for (size_t j = 0; j < n; j++)
            known |= !strcmp(o[j].is->name, name);
        if (!known) {
            message("%s: the verb has no option --%s", path, name);
            return EXIT_FAILED;
        }
    }
    return 0;
}

static void print_options(const struct verb *v, const struct verb_option *o, size_t n,
                          const struct page_text *t)
{
    bool of_run = false;
    if (n)
        puts(".SH OPTIONS");
    for (size_t i = 0; i < n; i++) {
        if (v->run == verb_run || !o[i].of_run)
            print_option(&o[i], t);
        of_run |= v->run != verb_run && o[i].of_run;
    }
    if (of_run)
        puts(".PP\nAnd the options of\n.BR lanescope\\-run (1).");
}

static void print_verbs(void)
{
    for (size_t i = 0; i < n_verbs; i++) {
        printf(".TP\n.BR lanescope\\-%s (1)\n", verbs[i].name);
        print_text(verbs[i].summary, strlen(verbs[i].summary));
        putchar('\n');
    }
}

static void print_sections(const struct page_text *t)
{
    size_t i = t->described;
    while (i < t->n && strncmp(t->lines[i], ".SH ", 4))
        i++;
    for (; i < t->n; i++)
        if (!strcmp(t->lines[i], ALL_VERBS))
            print_verbs();
        else
            puts(t->lines[i]);
}

static int print_verb_page(const struct verb *v, const struct page_text *t, const char *path)
{
    size_t n;
    struct verb_option *o = verb_options(v, &n);
    int rc = check_text(t, o, n, path);
    if (rc) {
        free(o);
        return rc;
    }
    char *title = ls_text("lanescope-%s", v->name);
    print_title(title);
    printf(".SH NAME\nlanescope\\-%s \\- ", v->name);
    print_text(v->summary, strlen(v->summary));
    putchar('\n');
    print_synopsis(v, n);
    puts(".SH DESCRIPTION");
    const char *doc = v->argp->doc, *post = doc ? strchr(doc, '\v') : NULL;
    char *before = strndup(doc ? doc : "", post ? (size_t)(post - doc) : doc ? strlen(doc) : 0);
    print_paragraphs(before);
    for (size_t i = 0; i < t->described; i++)
        puts(t->lines[i]);
    if (post && strncmp(post + 1, "Example:\n", 9))
        puts(".PP");
    const char *example = post ? print_paragraphs(post + 1) : NULL;
    print_options(v, o, n, t);
    print_sections(t);
    print_example(example);
    puts(".SH SEE ALSO\n.BR lanescope (1),\nwhich has placeholders, files, environment and exit status.");
    free(before);
    free(title);
    free(o);
    return 0;
}

int print_manual(const char *verb, const char *path)
{
    struct page_text t = {0};
    const struct verb *v = find_verb(verb);
    int rc = read_text(&t, path);
    if (!rc && !v && strcmp(verb, "lanescope")) {
        message("%s: '%s' is no verb", path, verb);
        rc = EXIT_USAGE;
    }
    if (!rc && v) {
        rc = print_verb_page(v, &t, path);
    } else if (!rc) {
        print_title(verb);
        print_sections(&t);
    }
    free_text(&t);
    int closed = close_output(stdout, NULL);
    return rc ? rc : closed;
}
