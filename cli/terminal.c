#include "terminal.h"

#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

struct terminal terminal_of(FILE *out)
{
    struct terminal t = {.out = out, .width = 120};
    struct winsize size;
    const char *columns = getenv("COLUMNS"), *no = getenv("NO_COLOR"), *term = getenv("TERM");
    bool tty = isatty(fileno(out));
    if (tty && !ioctl(fileno(out), TIOCGWINSZ, &size) && size.ws_col)
        t.width = size.ws_col;
    else if (columns && atoi(columns) > 0)
        t.width = atoi(columns);
    if (t.width < 60)
        t.width = 60;
    t.colour = tty && !(no && *no) && term && strcmp(term, "dumb");
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

/* The next character: its bytes, its columns. Broken text and control characters: one byte shown as '?'. */
static size_t next_character(const char *s, wchar_t *c, int *columns)
{
    mbstate_t state = {0};
    size_t n = mbrtowc(c, s, MB_CUR_MAX, &state);
    if (n == (size_t)-1 || n == (size_t)-2 || n == 0)
        n = 1, *c = L'?';
    if (*c == L'\t')
        *c = L' ';
    *columns = wcwidth(*c);
    if (*columns < 0)
        *columns = 1, *c = L'?';
    return n;
}

int text_width(const char *s)
{
    int width = 0;
    while (*s) {
        wchar_t c;
        int columns;
        s += next_character(s, &c, &columns);
        width += columns;
    }
    return width;
}

static int print_character(FILE *out, const char *bytes, size_t n, wchar_t c, int columns)
{
    if (c == L'?' || c == L' ')
        fputc((char)c, out);
    else
        fwrite(bytes, 1, n, out);
    return columns;
}

int print_cut(const struct terminal *t, const char *s, int columns)
{
    bool cut = text_width(s) > columns;
    int room = columns - (cut ? (t->utf8 ? 1 : 3) : 0), used = 0;
    while (*s) {
        wchar_t c;
        int w;
        size_t n = next_character(s, &c, &w);
        if (used + w > room)
            break;
        used += print_character(t->out, s, n, c, w);
        s += n;
    }
    if (cut) {
        fputs(t->utf8 ? "…" : "...", t->out);
        used += columns - room;
    }
    return used;
}

void print_padding(const struct terminal *t, int columns)
{
    if (columns > 0)
        fprintf(t->out, "%*s", columns, "");
}

void print_wrapped(const struct terminal *t, const char *s, int at, int indent)
{
    bool fresh = true;
    while (*s) {
        size_t n = strcspn(s, " ");
        char word[512];
        snprintf(word, sizeof(word), "%.*s", (int)(n < 511 ? n : 511), s);
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
        s += n < 511 ? n : 511;
        s += strspn(s, " ");
    }
}

static char *result(void)
{
    static char text[4][48];
    static unsigned next;
    return text[next++ % 4];
}

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

static const char *with_prefix(char *text, double value, const char *const *names, double base,
                               const char *unit)
{
    size_t i = 0;
    while (fabs(value) >= base * 0.99995 && names[i + 1])
        value /= base, i++;
    int decimals = fabs(value) >= 100 ? 1 : 2;
    if (i == 0 && value == floor(value))
        decimals = 0;
    sprintf(text, "%.*f%s%s", decimals, value, names[i], unit);
    return text;
}

const char *show_count(double value)
{
    static const char *const names[] = {"", "k", "M", "G", "T", "P", "E", NULL};
    if (fabs(value) < 1e7 && value == floor(value))
        return with_commas(result(), (long long)value);
    return with_prefix(result(), value, names, 1000, "");
}

const char *show_ratio(double value)
{
    char *text = result();
    if (fabs(value) >= 1e4)
        return show_count(round(value));
    sprintf(text, "%.2f", value);
    return text;
}

const char *show_time(double ns)
{
    static const char *const names[] = {" ns", " us", " ms", " s", NULL};
    return with_prefix(result(), ns, names, 1000, "");
}

const char *show_bytes(double bytes)
{
    static const char *const names[] = {" B", " KiB", " MiB", " GiB", " TiB", NULL};
    return with_prefix(result(), bytes, names, 1024, "");
}
