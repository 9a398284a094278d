#include "terminal.h"
#include "pager.h"
#include "cli/common/cli.h"
#include "lanescope/printable.h"

#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define NARROWEST 40 /* columns */
#define WIDEST 10000

struct terminal terminal_of(FILE *out)
{
    struct terminal t = {.out = out, .width = 120};
    struct winsize size;
    const char *columns = getenv("COLUMNS"), *no = getenv("NO_COLOR");
    int fd = out == stdout && pager_terminal() >= 0 ? pager_terminal()
             : out == stdout                        ? STDOUT_FILENO
                                                    : fileno(out);
    bool tty = isatty(fd);
    if (tty && !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
        t.width = size.ws_col;
    else if (columns && strtol(columns, NULL, 10) > 0)
        t.width = strtol(columns, NULL, 10) < WIDEST ? (int)strtol(columns, NULL, 10) : WIDEST;
    t.cuts = tty || (columns && *columns);
    if (t.width < NARROWEST)
        t.width = NARROWEST;
    /* Escaping streams have no descriptor, and let no style pass. */
    t.colour = tty && fileno(out) >= 0 && !(no && *no) && terminal_is_capable();
    t.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
    return t;
}

const char *style_on(const struct terminal *t, enum style s)
{
    static const char *const codes[] = {
        [STYLE_TITLE] = "\033[1m",  [STYLE_HEAD] = "\033[4m",  [STYLE_PLACE] = "\033[36m",
        [STYLE_CODE] = "",          [STYLE_DIM] = "\033[2m",   [STYLE_GOOD] = "\033[32m",
        [STYLE_BAD] = "\033[1;31m", [STYLE_WARN] = "\033[33m",
    };
    return t->colour ? codes[s] : "";
}

const char *style_off(const struct terminal *t)
{
    return t->colour ? "\033[0m" : "";
}

/* What is printed for a character. */
struct glyph {
    char text[12];
    size_t size;
    int columns;
};

/* The next character of a text; returns its bytes. What is not printable stands as its escape, what the
 * locale lacks as '?'. */
static size_t next_glyph(const char *s, struct glyph *g)
{
    uint32_t c;
    mbstate_t state = {0};
    wchar_t wide;
    /* A text ends with 0, which continues no character: there is no need to know how long it is. */
    size_t n = ls_character(s, 4, &c);
    g->columns = 1;
    if (c == '\t') {
        g->size = 1, g->text[0] = ' ';
    } else if (!ls_is_printable(c)) {
        g->size = ls_escape(c, *s, g->text);
        g->columns = (int)g->size;
    } else if (c < 0x80) {
        g->size = 1, g->text[0] = *s;
    } else if (mbrtowc(&wide, s, n, &state) != n || (g->columns = wcwidth(wide)) < 0) {
        g->size = 1, g->text[0] = '?', g->columns = 1;
    } else {
        g->size = n;
        memcpy(g->text, s, n);
    }
    return n;
}

int text_width(const char *s)
{
    struct glyph g;
    int width = 0;
    for (; *s; width += g.columns)
        s += next_glyph(s, &g);
    return width;
}

void print_padding(const struct terminal *t, int columns)
{
    if (columns > 0)
        fprintf(t->out, "%*s", columns, "");
}

int print_cut(const struct terminal *t, const char *s, int columns)
{
    bool cut = text_width(s) > columns;
    int room = columns - (cut ? (t->utf8 ? 1 : 3) : 0), used = 0, blanks = 0;
    while (*s) {
        struct glyph g;
        size_t n = next_glyph(s, &g);
        if (used + blanks + g.columns > room)
            break;
        s += n;
        if (g.size == 1 && *g.text == ' ') { /* none stands before the dots, where a line would be broken */
            blanks++;
            continue;
        }
        print_padding(t, blanks);
        fwrite(g.text, 1, g.size, t->out);
        used += blanks + g.columns;
        blanks = 0;
    }
    if (cut) {
        fputs(t->utf8 ? "…" : "...", t->out);
        return used + columns - room;
    }
    print_padding(t, blanks);
    return used + blanks;
}

int print_name(const struct terminal *t, const char *s, int columns)
{
    return print_cut(t, s, t->cuts ? columns : text_width(s));
}

void print_wrapped(const struct terminal *t, const char *s, int at, int indent)
{
    bool fresh = true;
    while (*s) {
        char word[512];
        size_t n = 0;
        while (n < sizeof(word) && s[n] && s[n] != ' ')
            n++;
        if (n >= sizeof(word)) /* cut between two characters */
            for (n = sizeof(word) - 1; n > sizeof(word) - 4 && ((unsigned char)s[n] & 0xc0) == 0x80;)
                n--;
        memcpy(word, s, n);
        word[n] = 0;
        int w = text_width(word);
        if (!fresh && at + 1 + w > t->width) {
            fputc('\n', t->out);
            print_padding(t, indent);
            at = indent;
        } else if (!fresh) {
            fputc(' ', t->out);
            at++;
        }
        at += print_cut(t, word, w);
        fresh = false;
        s += n;
        s += strspn(s, " ");
    }
}

/* The columns of `n` bytes: characters, but for the escape sequences of styles. */
static int styled_width(const char *s, size_t n)
{
    int columns = 0;
    for (size_t i = 0; i < n; i++)
        if (s[i] == '\033')
            while (i + 1 < n && s[i] != 'm')
                i++;
        else
            columns += ((unsigned char)s[i] & 0xc0) != 0x80;
    return columns;
}

void print_broken(const struct terminal *t, const char *lines, const char *prefix, int indent)
{
    int at = 0;
    while (*lines) {
        const size_t blanks = strspn(lines, " "), word = strcspn(lines + blanks, " \n");
        const int w = styled_width(lines, blanks + word), before = text_width(prefix) + indent;
        const bool breaks = t->cuts && word && at > before && at + w > t->width;
        if (breaks)
            fprintf(t->out, "\n%s%*s", prefix, indent, "");
        fwrite(lines + (breaks ? blanks : 0), 1, word + (breaks ? 0 : blanks), t->out);
        at = breaks ? before + w - (int)blanks : at + w;
        lines += blanks + word;
        if (*lines == '\n') {
            fputc(*lines++, t->out);
            at = 0;
        }
    }
}

#define RESULT_SIZE 48

static char *result(void)
{
    static char text[4][RESULT_SIZE];
    static unsigned next;
    return text[next++ % 4];
}

/* |n| below ten million. */
static char *with_commas(char *text, long long n)
{
    char digits[32];
    int length = snprintf(digits, sizeof(digits), "%lld", n < 0 ? -n : n);
    char *p = text;
    if (n < 0)
        *p++ = '-';
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *p++ = ',';
        *p++ = digits[i];
    }
    *p = 0;
    return text;
}

static const char *with_prefix(char *text, double value, const char *const *names)
{
    size_t i = 0;
    if (!isfinite(value) || fabs(value) >= 1e24) { /* none that was counted */
        snprintf(text, RESULT_SIZE, "%.2e", value);
        return text;
    }
    while (fabs(value) >= 1000 * 0.99995 && names[i + 1])
        value /= 1000, i++;
    int decimals = fabs(value) >= 100 ? 1 : 2;
    if (i == 0 && value == floor(value))
        decimals = 0;
    snprintf(text, RESULT_SIZE, "%.*f%s", decimals, value, names[i]);
    return text;
}

const char *show_count(double value)
{
    static const char *const names[] = {"", "k", "M", "G", "T", "P", "E", NULL};
    if (fabs(value) < 1e7 && value == floor(value))
        return with_commas(result(), (long long)value);
    return with_prefix(result(), value, names);
}

const char *show_ratio(double value)
{
    char *text = result();
    if (!(fabs(value) < 1e4))
        return show_count(round(value));
    snprintf(text, RESULT_SIZE, "%.2f", value);
    return text;
}

const char *show_time(double ns)
{
    static const char *const names[] = {" ns", " us", " ms", " s", NULL};
    return with_prefix(result(), ns, names);
}
