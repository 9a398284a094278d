/* overlap.c - see overlap.h. */
#include "overlap.h"
#include "cli/common/safe_output.h"
#include "csv.h"
#include "names.h"
#include "results/file/error_text.h"
#include "results/reader/saturate.h"

#include <stdlib.h>

enum { INDENT = 2 };

double percent_of(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* "gfx942 GPU 1, "; with its process when there are several. malloc'd. */
static char *gpu_name(const char *arch, uint32_t gpu, int64_t pid, bool with_process)
{
    return with_process ? ls_text("process %lld, %s GPU %u, ", (long long)pid, arch, gpu)
                        : ls_text("%s GPU %u, ", arch, gpu);
}

/* "gfx942 GPU 1, queue 2". malloc'd. */
static char *queue_name(const struct ls_t_queue *q, bool with_process)
{
    char *gpu = gpu_name(q->arch, q->gpu, q->pid, with_process);
    char *name = gpu ? ls_text("%squeue %u", gpu, q->queue) : NULL;
    free(gpu);
    return name;
}

/* "gfx942 GPU 1, stream 3 (queue 2)". malloc'd. */
static char *stream_name(const struct ls_t_stream *s, bool with_process)
{
    char *gpu = gpu_name(s->arch, s->gpu, s->pid, with_process);
    char *name = gpu ? ls_text("%s%s", gpu, s->name) : NULL;
    for (size_t i = 0; name && i < s->n_queues; i++) {
        char *longer = ls_text("%s%s%u%s", name,
                               i                 ? ", "
                               : s->n_queues > 1 ? ", on queues "
                                                 : ", on queue ",
                               s->queues[i], "");
        free(name);
        name = longer;
    }
    free(gpu);
    return name;
}

/* ---- text ---- */

static char *queue_text(const struct ls_t_queue *q)
{
    if (!q->copies_ns)
        return ls_text("kernels %s; no copies of a known time", show_time((double)q->kernels_ns));
    if (!q->both_ns)
        return ls_text("kernels %s, copies %s: never at the same time", show_time((double)q->kernels_ns),
                       show_time((double)q->copies_ns));
    return ls_text("kernels %s, copies %s: both at once for %s (%.1f %% of the copies' time)",
                   show_time((double)q->kernels_ns), show_time((double)q->copies_ns),
                   show_time((double)q->both_ns), percent_of(q->both_ns, q->copies_ns));
}

/* Of one kind of work: "copies 3.00 us, 1.50 us of it (50.0 %) while kernels ran". */
static char *work_text(const char *work, const char *others, int64_t n, int64_t ns, int64_t hidden)
{
    return !n        ? ls_text("no %s", work)
           : !ns     ? ls_text("%s of unknown times", work)
           : !hidden ? ls_text("%s %s, never while %s ran", work, show_time((double)ns), others)
                     : ls_text("%s %s, %s of it (%.1f %%) while %s ran", work, show_time((double)ns),
                               show_time((double)hidden), percent_of(hidden, ns), others);
}

static char *stream_text(const struct ls_t_stream *s)
{
    char *kernels = work_text("kernels", "copies", s->kernels, s->kernels_ns, s->kernels_hidden_ns);
    char *copies = work_text("copies", "kernels", s->copies, s->copies_ns, s->copies_hidden_ns);
    char *text = kernels && copies ? ls_text("%s; %s", kernels, copies) : NULL;
    free(kernels);
    free(copies);
    return text;
}

/* Frees both. */
static void print_line(const struct terminal *t, char *name, char *text)
{
    char *line = name && text ? ls_text("%s: %s", name, text) : NULL;
    print_padding(t, INDENT);
    print_wrapped(t, line ? line : "", INDENT, 2 * INDENT);
    fputc('\n', t->out);
    free(name);
    free(text);
    free(line);
}

void print_overlap(const struct terminal *t, const struct ls_profile *p, size_t most)
{
    const struct ls_times *x = &p->times;
    const bool with_process = p->n_databases > 1;
    size_t n = 0;
    if (!x->n_queues && !x->n_streams)
        return;
    fprintf(t->out, "  %sCopies and kernels at the same time%s\n", style_on(t, STYLE_HEAD), style_off(t));
    for (size_t i = 0; i < x->n_streams; i++)
        if (n++ < most || !most)
            print_line(t, stream_name(&x->streams[i], with_process), stream_text(&x->streams[i]));
    for (size_t i = 0; i < x->n_queues; i++)
        if (!x->queues[i].streams && (n++ < most || !most))
            print_line(t, queue_name(&x->queues[i], with_process), queue_text(&x->queues[i]));
    if (most && n > most)
        fprintf(t->out, "  %s%s more with --stats%s\n", style_on(t, STYLE_DIM),
                show_count((double)(n - most)), style_off(t));
}

char *overlap_summary(const struct ls_times *x)
{
    int64_t busy = 0, both = 0;
    size_t with_copies = 0, hidden = 0;
    for (size_t i = 0; i < x->n_queues; i++) {
        busy = ls_add(busy, x->queues[i].copies_ns, NULL);
        both = ls_add(both, x->queues[i].both_ns, NULL);
    }
    for (size_t i = 0; i < x->n_streams; i++) {
        with_copies += x->streams[i].copies_ns > 0;
        hidden += x->streams[i].copies_hidden_ns > 0;
    }
    if (!busy)
        return ls_text("no kernels in their recordings");
    if (!both)
        return ls_text("no kernel ran at the same time");
    return with_copies > 1
               ? ls_text("kernels ran at the same time as those of %zu of %zu streams", hidden, with_copies)
               : ls_text("kernels ran at the same time");
}

/* ---- JSON ---- */

json_t *overlap_queues_json(const struct ls_times *x)
{
    json_t *list = json_array();
    for (size_t i = 0; i < x->n_queues; i++) {
        const struct ls_t_queue *q = &x->queues[i];
        json_array_append_new(
            list, json_pack("{s:o, s:I, s:o, s:I, s:I, s:b, s:I, s:I, s:I, s:I, s:I}", "database",
                            json_text(q->database), "pid", (json_int_t)q->pid, "arch", json_text(q->arch),
                            "gpu", (json_int_t)q->gpu, "queue", (json_int_t)q->queue, "streams_known",
                            (int)q->streams, "kernels", (json_int_t)q->kernels, "copies",
                            (json_int_t)q->copies, "kernels_ns", (json_int_t)q->kernels_ns, "copies_ns",
                            (json_int_t)q->copies_ns, "both_ns", (json_int_t)q->both_ns));
    }
    return list;
}

json_t *overlap_streams_json(const struct ls_times *x)
{
    json_t *list = json_array();
    for (size_t i = 0; i < x->n_streams; i++) {
        const struct ls_t_stream *s = &x->streams[i];
        json_t *queues = json_array();
        for (size_t k = 0; k < s->n_queues; k++)
            json_array_append_new(queues, json_integer((json_int_t)s->queues[k]));
        json_array_append_new(
            list,
            json_pack("{s:o, s:I, s:o, s:I, s:I, s:s, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "database",
                      json_text(s->database), "pid", (json_int_t)s->pid, "arch", json_text(s->arch), "gpu",
                      (json_int_t)s->gpu, "stream", (json_int_t)s->number, "kind", s->kind, "thread",
                      s->thread ? json_integer((json_int_t)s->thread) : json_null(), "queues", queues,
                      "kernels", (json_int_t)s->kernels, "copies", (json_int_t)s->copies, "kernels_ns",
                      (json_int_t)s->kernels_ns, "copies_ns", (json_int_t)s->copies_ns,
                      "kernels_while_copies_ns", (json_int_t)s->kernels_hidden_ns, "copies_while_kernels_ns",
                      (json_int_t)s->copies_hidden_ns));
    }
    return list;
}

/* ---- CSV ---- */

struct overlap {
    int64_t kernels, kernels_ns, copies, copies_ns, both_ns;
};

/* Frees the name. */
static void csv_row(FILE *out, char *name, const struct overlap *o, const char *source)
{
    csv_field(out, "COPY_KERNEL_OVERLAP", 1);
    csv_field(out, name ? name : "", 0);
    fprintf(out, ",%lld,%lld,", (long long)o->copies, (long long)o->both_ns);
    csv_double(out, percent_of(o->both_ns, o->copies_ns), 0);
    fprintf(out, ",,,,,%lld,%lld,%lld", (long long)o->kernels, (long long)o->kernels_ns,
            (long long)o->copies);
    csv_field(out, source, 0);
    csv_end(out);
    free(name);
}

void overlap_csv(const struct ls_profile *p, const char *source, FILE *out)
{
    const struct ls_times *x = &p->times;
    for (size_t i = 0; i < x->n_streams; i++) {
        const struct ls_t_stream *s = &x->streams[i];
        const struct overlap o = {s->kernels, s->kernels_ns, s->copies, s->copies_ns, s->copies_hidden_ns};
        csv_row(out, stream_name(s, true), &o, source);
    }
    for (size_t i = 0; i < x->n_queues; i++) {
        const struct ls_t_queue *q = &x->queues[i];
        const struct overlap o = {q->kernels, q->kernels_ns, q->copies, q->copies_ns, q->both_ns};
        if (!q->streams)
            csv_row(out, queue_name(q, true), &o, source);
    }
}
