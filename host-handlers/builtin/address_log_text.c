/* address_log_text.c - address_log as CSV and as JSON lines. */
#include <inttypes.h>
#include <string.h>

#include "address_log_format.h"
#include "common/formula.h"
#include "lanescope/printable.h"
#include "lanescope/sdk/json.h"

struct lanescope_frame address_log_place(const struct lanescope_site *s)
{
    return s->n_frames ? s->frames[0] : (struct lanescope_frame){.file = "", .function = ""};
}

static void csv_text(FILE *f, const char *text)
{
    putc('"', f);
    if (ls_is_formula(text))
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

static void csv_addresses(FILE *f, const struct lanescope_access *a)
{
    uint64_t addr[64];
    const char *between = "";
    lanescope_addresses(a, addr);
    for (uint64_t m = a->exec; m; m &= m - 1, between = " ")
        fprintf(f, "%s%" PRIu64, between, addr[__builtin_ctzll(m)]);
}

static void csv_head(FILE *f)
{
    fputs("dispatch,kernel,site,file,line,column,kind,space,flags,bytes,workgroup_x,workgroup_y,workgroup_z,"
          "wave,"
          "exec,addresses,lengths\n",
          f);
}

static bool csv_line(FILE *f, const struct lanescope_dispatch *d, const struct lanescope_access *a,
                     bool first)
{
    const struct lanescope_site *s = &d->sites[a->site];
    const struct lanescope_frame at = address_log_place(s);
    const struct lanescope_wavefront *w = a->wave;
    (void)first;
    fprintf(f, "%" PRIu64 ",", d->id);
    csv_text(f, d->kernel);
    fprintf(f, ",%u,", a->site);
    csv_text(f, at.file);
    fprintf(f, ",%u,%u,%u,%u,%u,%" PRIu64 ",%u,%u,%u,%u,0x%" PRIx64 ",", at.line, at.column, s->kind,
            s->space, s->flags, a->length, w->workgroup[0], w->workgroup[1], w->workgroup[2], w->wave,
            a->exec);
    csv_addresses(f, a);
    putc(',', f);
    for (unsigned k = 0; a->lengths && k < a->active; k++)
        fprintf(f, "%s%" PRIu32, k ? " " : "", a->lengths[k]);
    putc('\n', f);
    return true;
}

static void json_lanes(struct lanescope_json *j, const struct lanescope_access *a)
{
    uint64_t addr[64];
    lanescope_addresses(a, addr);
    lanescope_json_open(j, "addresses", '[');
    for (uint64_t m = a->exec; m; m &= m - 1)
        lanescope_json_unsigned(j, NULL, addr[__builtin_ctzll(m)]);
    lanescope_json_close(j, ']');
    if (!a->lengths) {
        lanescope_json_null(j, "lengths");
        return;
    }
    lanescope_json_open(j, "lengths", '[');
    for (unsigned k = 0; k < a->active; k++)
        lanescope_json_unsigned(j, NULL, a->lengths[k]);
    lanescope_json_close(j, ']');
}

static bool json_line(FILE *f, const struct lanescope_dispatch *d, const struct lanescope_access *a,
                      bool first)
{
    const struct lanescope_site *s = &d->sites[a->site];
    const struct lanescope_frame at = address_log_place(s);
    const struct lanescope_wavefront *w = a->wave;
    struct lanescope_json j;
    (void)first;
    lanescope_json_begin(&j);
    lanescope_json_unsigned(&j, "dispatch", d->id);
    lanescope_json_text(&j, "kernel", d->kernel);
    lanescope_json_unsigned(&j, "site", a->site);
    lanescope_json_text(&j, "file", at.file);
    lanescope_json_unsigned(&j, "line", at.line);
    lanescope_json_unsigned(&j, "column", at.column);
    lanescope_json_unsigned(&j, "kind", s->kind);
    lanescope_json_unsigned(&j, "space", s->space);
    lanescope_json_unsigned(&j, "flags", s->flags);
    lanescope_json_unsigned(&j, "bytes", a->length);
    lanescope_json_open(&j, "workgroup", '[');
    for (unsigned i = 0; i < 3; i++)
        lanescope_json_unsigned(&j, NULL, w->workgroup[i]);
    lanescope_json_close(&j, ']');
    lanescope_json_unsigned(&j, "wave", w->wave);
    lanescope_json_unsigned(&j, "exec", a->exec);
    json_lanes(&j, a);
    char *line = lanescope_json_finish(&j);
    if (line)
        fprintf(f, "%s\n", line);
    free(line);
    return line;
}

const struct address_log_format address_log_csv = {"csv",    "csv", "dispatch,kernel,",
                                                   csv_head, NULL,  csv_line};
const struct address_log_format address_log_json = {"json", "jsonl", "{\"dispatch\":", NULL, NULL, json_line};
