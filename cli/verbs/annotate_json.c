/* Annotated sources as JSON, schema lanescope-annotate/1 (docs/cli.md lists the fields). */
#include "annotate.h"
#include "profile_json.h"
#include "report_source.h"
#include "cli/common/safe_output.h"
#include "cli/output/names.h"

#include <string.h>

static json_t *source_text(const struct ls_p_file *f, uint32_t line)
{
    size_t n;
    const char *text = f->text && line ? ls_profile_line(f, line, &n) : NULL;
    return text ? json_text_n(text, n) : json_null();
}

static bool is_exact(const struct ls_profile *p, const struct place *at)
{
    for (size_t i = 0; i < p->n_metrics; i++)
        if (at->present[i] && at->estimated[i])
            return false;
    return !at->partial;
}

static json_t *line(const struct ls_profile *p, const struct ls_p_file *f, const struct place *at)
{
    const struct ls_p_values values = {at->sum, at->present, at->estimated, p->n_metrics};
    json_t *j =
        json_pack("{s:I, s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o}", "line", (json_int_t)at->line, "source",
                  source_text(f, at->line), "excess", json_number(at->weight), "metrics",
                  report_values(p, &values, NULL), "exact", is_exact(p, at), "phases_assumed", at->assumed,
                  "advice", profile_json_texts(&at->advice), "counted_at", profile_json_texts(&at->done_at),
                  "counted_here", profile_json_texts(&at->done_here));
    report_add_accesses(j, p, &values);
    return j;
}

json_t *annotate_json_file(const struct ls_profile *p, const struct source *s)
{
    json_t *lines = json_array(), *kernels = json_array();
    for (size_t i = 0; i < s->n_places; i++)
        json_array_append_new(lines, line(p, s->file, &s->places[i]));
    for (size_t i = 0; i < s->n_kernels; i++)
        json_array_append_new(kernels, json_text(s->kernels[i]));
    return json_pack("{s:o, s:o, s:b, s:o, s:b, s:o, s:o, s:o}", "path", json_text(s->file->path), "short",
                     json_text(short_path(p, s->file->path, false)), "library", s->file->library, "problem",
                     s->file->text ? json_null() : json_text(s->file->problem ? s->file->problem : "unknown"),
                     "differs", s->file->differs, "excess", json_number(s->weight), "kernels", kernels,
                     "lines", lines);
}

json_t *annotate_json_root(const struct ls_profile *p)
{
    json_t *root = json_root("annotate");
    json_object_set_new(root, "databases", profile_json_databases(p));
    json_object_set_new(root, "metrics", profile_json_metrics(p));
    json_object_set_new(root, "exactness", profile_json_all_exactness(p));
    json_object_set_new(root, "files", json_array());
    return root;
}
