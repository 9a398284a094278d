/* address_log_text.c - address_log as CSV and as JSON lines. */
#include <inttypes.h>
#include <string.h>

#include "address_log_format.h"
#include "common/json.h"
#include "lanescope/printable.h"

struct lanescope_frame address_log_place(const struct lanescope_site *s)
{
    return s->n_frames ? s->frames[0] : (struct lanescope_frame){.file = "", .function = ""};
}

/* What is not printable is escaped in the way of the form; JSON keeps its value, but for bytes that are no
 * UTF-8. */
static void address_log_quoted(FILE *f, const char *text, bool json)
{
    if (json) {
        ls_json_string(f, text);
        return;
    }
    putc('"', f);
    if (*text && strchr("=+-@\t\r", *text)) /* a formula for a spreadsheet */
        putc('\'', f);
    for (size_t n = strlen(text), length; n; text += length, n -= length) {
        uint32_t c;
        char escape[11];
        length = ls_character(text, n, &c);
        if (!ls_is_printable(c))
            fwrite(escape, 1, ls_escape(c, *text, escape), f);
        else if (c == '"')
            fputs("\"\"", f);
        else
            fwrite(text, 1, length, f);
    }
    putc('"', f);
}

static void addresses(FILE *f, const struct lanescope_access *a, const char *separator)
{
    uint64_t addr[64];
    const char *between = "";
    lanescope_addresses(a, addr);
    for (uint64_t m = a->exec; m; m &= m - 1, between = separator)
        fprintf(f, "%s%" PRIu64, between, addr[__builtin_ctzll(m)]);
}

static void lengths(FILE *f, const struct lanescope_access *a, const char *separator)
{
    for (unsigned k = 0; k < a->active; k++)
        fprintf(f, "%s%" PRIu32, k ? separator : "", a->lengths[k]);
}

static void csv_head(FILE *f)
{
    fputs("dispatch,kernel,site,file,line,column,kind,space,flags,bytes,workgroup_x,workgroup_y,workgroup_z,"
          "wave,"
          "exec,addresses,lengths\n",
          f);
}

static void csv_line(FILE *f, const struct lanescope_dispatch *d, const struct lanescope_access *a,
                     bool first)
{
    const struct lanescope_site *s = &d->sites[a->site];
    const struct lanescope_frame at = address_log_place(s);
    const struct lanescope_wavefront *w = a->wave;
    (void)first;
    fprintf(f, "%" PRIu64 ",", d->id);
    address_log_quoted(f, d->kernel, false);
    fprintf(f, ",%u,", a->site);
    address_log_quoted(f, at.file, false);
    fprintf(f, ",%u,%u,%u,%u,%u,%" PRIu64 ",%u,%u,%u,%u,0x%" PRIx64 ",", at.line, at.column, s->kind,
            s->space, s->flags, a->length, w->workgroup[0], w->workgroup[1], w->workgroup[2], w->wave,
            a->exec);
    addresses(f, a, " ");
    putc(',', f);
    if (a->lengths)
        lengths(f, a, " ");
    putc('\n', f);
}

static void json_line(FILE *f, const struct lanescope_dispatch *d, const struct lanescope_access *a,
                      bool first)
{
    const struct lanescope_site *s = &d->sites[a->site];
    const struct lanescope_frame at = address_log_place(s);
    const struct lanescope_wavefront *w = a->wave;
    (void)first;
    fprintf(f, "{\"dispatch\":%" PRIu64 ",\"kernel\":", d->id);
    address_log_quoted(f, d->kernel, true);
    fprintf(f, ",\"site\":%u,\"file\":", a->site);
    address_log_quoted(f, at.file, true);
    fprintf(f,
            ",\"line\":%u,\"column\":%u,\"kind\":%u,\"space\":%u,\"flags\":%u,\"bytes\":%" PRIu64
            ",\"workgroup\":[%u,%u,%u],\"wave\":%u,\"exec\":%" PRIu64 ",\"addresses\":[",
            at.line, at.column, s->kind, s->space, s->flags, a->length, w->workgroup[0], w->workgroup[1],
            w->workgroup[2], w->wave, a->exec);
    addresses(f, a, ",");
    fputs("],\"lengths\":", f);
    fputs(a->lengths ? "[" : "null", f);
    if (a->lengths) {
        lengths(f, a, ",");
        putc(']', f);
    }
    fputs("}\n", f);
}

const struct address_log_format address_log_csv = {"csv",    "csv", "dispatch,kernel,",
                                                   csv_head, NULL,  csv_line};
const struct address_log_format address_log_json = {"json", "jsonl", "{\"dispatch\":", NULL, NULL, json_line};
