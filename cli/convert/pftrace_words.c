/* pftrace_words.c - see pftrace.h. */
#include "cli/common/safe_output.h"
#include "pftrace.h"
#include "results/file/error_text.h"

#include <stdlib.h>

static void say_time(const struct pftrace_part *x)
{
    if (x->part->software)
        perfetto_note(x->p, "time_source", trace_time_source(x->part));
}

static void say_size(struct perfetto *p, const char *name, const uint32_t size[3])
{
    char text[64];
    snprintf(text, sizeof(text), "%u, %u, %u", size[0], size[1], size[2]);
    perfetto_note(p, name, text);
}

static void say_values(const struct pftrace_part *x, size_t launch)
{
    for (size_t i = x->values[launch]; i < x->values[launch + 1]; i++) {
        const struct trace_value *v = &x->part->values[i];
        char *name = trace_metric_name(v->metric);
        perfetto_note_number(x->p, name, v->value);
        free(name);
    }
}

static void say_stream(const struct pftrace_part *x, const struct ls_a_stream *s)
{
    char *name = s ? ls_stream_name(s) : NULL;
    if (name)
        perfetto_note(x->p, "stream", name);
    free(name);
}

static void say_dispatch(const struct pftrace_part *x, const struct lanes_slice *s, uint64_t track)
{
    const struct ls_a_launch *l = x->part->launches[s->row];
    const struct ls_r_kernel *k = ls_results_kernel(x->part->t->r, l->kernel);
    perfetto_open(x->p, PERFETTO_BEGIN, track, s->start, "kernel_dispatch", k->name);
    if (l->thread && l->submit > 0)
        perfetto_flow(x->p, x->flows + s->row);
    perfetto_note_number(x->p, "dispatch", l->number);
    say_stream(x, l->stream);
    say_size(x->p, "grid", l->grid);
    say_size(x->p, "workgroup", l->workgroup);
    perfetto_note_number(x->p, "lds_bytes", l->lds_bytes);
    perfetto_note_number(x->p, "scratch_bytes", l->scratch_bytes);
    perfetto_note_number(x->p, "vgprs", k->vgprs);
    perfetto_note_number(x->p, "agprs", k->agprs);
    perfetto_note_number(x->p, "sgprs", k->sgprs);
    if (*x->regions[s->row])
        perfetto_note(x->p, "roctx_range", x->regions[s->row]);
    say_time(x);
    say_values(x, s->row);
    perfetto_close(x->p);
}

static void say_copy(const struct pftrace_part *x, const struct lanes_slice *s, uint64_t track)
{
    const struct ls_a_copy *c = &x->part->copies[s->row];
    perfetto_open(x->p, PERFETTO_BEGIN, track, s->start, "memory_copy", trace_copy_name(c));
    if (c->thread && c->submit > 0)
        perfetto_flow(x->p, x->flows + x->part->n_launches + s->row);
    perfetto_note_number(x->p, "copy", c->number);
    perfetto_note_number(x->p, "bytes", c->bytes);
    say_stream(x, c->stream);
    say_time(x);
    perfetto_close(x->p);
}

static void say_marker(const struct pftrace_part *x, const struct lanes_slice *s, uint64_t track)
{
    const struct ls_a_marker *m = &x->part->markers[s->row];
    perfetto_open(x->p, s->instant ? PERFETTO_INSTANT : PERFETTO_BEGIN, track, s->start, "roctx", m->text);
    if (s->end == LANES_OPEN)
        perfetto_note(x->p, "end", "it was open when the process ended");
    perfetto_close(x->p);
}

static void say_wave(const struct pftrace_part *x, const struct lanes_slice *s, uint64_t track)
{
    const struct wave *w = &x->waves[s->row];
    char name[128];
    snprintf(name, sizeof(name), "work-group %s wave %lld", w->workgroup, (long long)w->wave);
    perfetto_open(x->p, PERFETTO_BEGIN, track, s->start, "wavefront", name);
    perfetto_note_number(x->p, "dispatch", x->part->launches[w->launch]->number);
    perfetto_note_number(x->p, "simd", w->simd);
    perfetto_note_number(x->p, "slot", w->slot);
    say_time(x);
    perfetto_close(x->p);
}

static void say_launch(const struct pftrace_part *x, const struct lanes_slice *s, uint64_t track)
{
    const bool kernel = s->kind == PF_LAUNCH;
    const char *what = kernel ? ls_results_kernel(x->part->t->r, x->part->launches[s->row]->kernel)->name
                              : trace_copy_name(&x->part->copies[s->row]);
    perfetto_open(x->p, PERFETTO_INSTANT, track, s->start, "launch", what);
    perfetto_flow(x->p, x->flows + s->row + (kernel ? 0 : x->part->n_launches));
    perfetto_close(x->p);
}

void pftrace_say(void *pftrace_part, const struct lanes_slice *s, uint64_t track)
{
    static void (*const say[])(const struct pftrace_part *x, const struct lanes_slice *s, uint64_t track) = {
        [PF_DISPATCH] = say_dispatch, [PF_COPY] = say_copy, [PF_RANGE] = say_marker,
        [PF_MARK] = say_marker,       [PF_WAVE] = say_wave, [PF_LAUNCH] = say_launch,
        [PF_COPY_LAUNCH] = say_launch};
    say[s->kind](pftrace_part, s, track);
}

static void say_text(struct perfetto *p, const char *name, const char *text)
{
    if (text && *text)
        perfetto_note(p, name, text);
}

void pftrace_say_recording(const struct pftrace_part *x)
{
    const struct ls_results *r = x->part->t->r;
    const struct ls_r_process *process = x->part->process;
    char *path = printable_text(r->path);
    perfetto_open(x->p, PERFETTO_INSTANT, x->process, x->beginning, "lanescope", "recording");
    perfetto_note(x->p, "database", path);
    say_text(x->p, "guid", process->guid);
    say_text(x->p, "lanescope_version", process->version ? process->version : r->version);
    say_text(x->p, "hostname", process->hostname);
    say_text(x->p, "rank", process->rank);
    say_text(x->p, "gpu", process->gpu);
    say_text(x->p, "runtime", process->runtime);
    perfetto_note(x->p, "time_source", trace_time_source(x->part));
    if (x->part->t->estimated)
        perfetto_note(x->p, "estimates",
                      "numbers of dispatches may hold estimates; lanescope report marks them by ~");
    if (x->untimed)
        perfetto_note_number(x->p, "without_times", (int64_t)x->untimed);
    if (x->lost_waves)
        perfetto_note_number(x->p, "wavefronts_not_readable", (int64_t)x->lost_waves);
    perfetto_close(x->p);
    free(path);
}
