/*
 * wave.c - a wavefront's storage and start, and the single-wavefront runner for tests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "wave.h"
#include "soft-gpu/isa/code/bits.h"
#include "soft-gpu/isa/code/place.h"
#include "soft-gpu/isa/decode/decode.h"
#include "gcn/constants.h"
#include "gcn/gcn.h"

/* Inline constants stand in the scalar file at their encodings. */
static void fill_inline_constants(uint32_t *s)
{
    int32_t integer;
    for (unsigned i = 0; i < 256; i++)
        if (gcn_inline_integer(i, &integer))
            s[i] = (uint32_t)integer;
        else if (gcn_is_inline_float(i))
            s[i] = sg_u32((float)gcn_inline_float(i));
}

bool sg_wave_alloc(struct sg_wave *w)
{
    enum { FIRST_SIZE = 1024 };
    /* Rows that a kernel does not use must not cost memory:
     * a whole GPU full of wavefronts may be resident. */
    void *rows = mmap(NULL, SG_ROWS * sizeof w->v[0], PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (rows == MAP_FAILED)
        return false;
    w->s = calloc(FIRST_SIZE, sizeof *w->s);
    if (!w->s) {
        munmap(rows, SG_ROWS * sizeof w->v[0]);
        return false;
    }
    w->v = rows;
    w->s_size = FIRST_SIZE;
    w->units = 1;
    sg_wave_set_lanes(w, SG_MAX_LANES); /* until the dispatch says how many */
    fill_inline_constants(w->s);
    return true;
}

void sg_wave_free(struct sg_wave *w)
{
    if (w->v)
        munmap(w->v, SG_ROWS * sizeof w->v[0]);
    free(w->s);
    w->v = NULL;
    w->s = NULL;
}

bool sg_wave_start(struct sg_wave *w, struct sg_code *code, const struct sg_code_entry *entry)
{
    w->code = code;
    if (w->weak)
        sg_weak_wave_begin(w->weak, sg_wave_xcc_id(w), sg_wave_cache_unit(w), w->wg->log_id,
                           w->wave_in_group);
    if (!sg_code_load_constants(code, w))
        return false;
    uint32_t *s = w->s;
    uint64_t shared = w->dispatch->shared_aperture, private = w->dispatch->private_aperture;
    sg_set_s64(s, SG_S_APERTURES, shared);
    sg_set_s64(s, SG_S_APERTURES + 2, shared + 0xffffffff);
    sg_set_s64(s, SG_S_APERTURES + 4, private);
    sg_set_s64(s, SG_S_APERTURES + 6, private + 0xffffffff);
    sg_wave_load_exec(w);
    w->next = entry->uop;
    w->n_inst = 0 - (uint64_t)(int64_t)entry->number;
    w->n_vector = 0 - (uint64_t)(int64_t)entry->vectors;
    w->vector_mark = 0;
    w->n_lane_ops = 0;
    w->fault.kind = SG_FAULT_NONE; /* the rest is filled when it is another */
    return true;
}

/* ---- One wavefront on raw code ---- */

struct raw {
    struct sg_wave wave;
    struct sg_workgroup wg;
    struct sg_dispatch dispatch;
    struct sg_tlb tlb;
    struct sg_mem *own_mem;
    uint32_t *words;
    struct sg_code *code;
};

static bool raw_prepare(struct raw *r, const struct ls_gpu *arch, struct sg_mem *mem, const uint32_t *code,
                        size_t dwords, const struct sg_wave_image *image)
{
    enum { LDS_SPARE = 64 };
    if (!mem)
        mem = r->own_mem = sg_mem_create();
    r->words = malloc((dwords + 1) * sizeof *r->words);
    r->wg.lds = calloc(1, image->lds_bytes + LDS_SPARE);
    if (!mem || !r->words || !r->wg.lds || !sg_wave_alloc(&r->wave))
        return false;
    memcpy(r->words, code, dwords * sizeof *code);
    const struct gcn_target target = {arch, image->lanes ? image->lanes : arch->family->lanes};
    r->words[dwords] = gcn_end_word(target);
    if (image->lds)
        memcpy(r->wg.lds, image->lds, image->lds_bytes);
    r->wg.lds_bytes = image->lds_bytes;
    r->wg.n_waves = r->wg.alive = 1;
    r->dispatch.shared_aperture = 1ull << 48;
    r->dispatch.private_aperture = 2ull << 48;
    sg_tlb_init(&r->tlb, mem);
    struct sg_code_source source = {.words = r->words, .dwords = dwords + 1};
    r->code = sg_code_create(target, &source, 0, 0);
    if (!r->code)
        return false;
    struct sg_wave *w = &r->wave;
    w->arch = arch;
    sg_wave_set_lanes(w, target.lanes);
    w->tlb = &r->tlb;
    w->wg = &r->wg;
    w->dispatch = &r->dispatch;
    w->mode = image->mode;
    w->exact_matrix = image->exact_matrix;
    memcpy(w->v, image->v, sizeof image->v);
    memcpy(w->s, image->s, sizeof image->s);
    w->s[SG_S_SCC] = image->scc != 0;
    return sg_wave_start(w, r->code, sg_code_find(r->code, 0));
}

static void raw_free(struct raw *r)
{
    sg_wave_free(&r->wave);
    sg_code_release(r->code);
    if (r->own_mem)
        sg_mem_destroy(r->own_mem);
    free(r->words);
    free(r->wg.lds);
    free(r);
}

/* It is alone, so the split barrier that it signals is complete. */
static bool raw_signalled(struct sg_workgroup *wg, enum sg_stop stop)
{
    if (stop != SG_STOP_SIGNAL)
        return false;
    wg->complete = wg->signalled;
    wg->signalled = 0;
    return true;
}

int sg_engine_exec_raw(const struct ls_gpu *arch, struct sg_mem *mem, const uint32_t *code, size_t dwords,
                       struct sg_wave_image *image, struct sg_fault *fault)
{
    struct raw *r = aligned_alloc(64, (sizeof *r + 63) / 64 * 64);
    memset(fault, 0, sizeof *fault);
    if (r)
        memset(r, 0, sizeof *r);
    if (!r || !raw_prepare(r, arch, mem, code, dwords, image)) {
        fault->kind = SG_FAULT_RESOURCES;
        snprintf(fault->message, sizeof fault->message, "out of memory");
        if (r)
            raw_free(r);
        return -1;
    }
    struct sg_wave *w = &r->wave;
    enum sg_stop stop;
    uint32_t left = image->max_jumps;
    do
        stop = sg_wave_run(w, image->max_jumps ? 0 : INT32_MAX);
    while ((stop == SG_STOP_BARRIER || stop == SG_STOP_YIELD || raw_signalled(&r->wg, stop)) &&
           (!image->max_jumps || left--));
    image->unfinished = stop == SG_STOP_BARRIER || stop == SG_STOP_YIELD;
    memcpy(image->v, w->v, sizeof image->v);
    memcpy(image->s, w->s, sizeof image->s);
    image->scc = w->s[SG_S_SCC];
    image->mode = w->mode;
    image->pc_out = sg_uop_pc(w, w->next);
    if (image->lds)
        memcpy(image->lds, r->wg.lds, image->lds_bytes);
    *fault = w->fault;
    raw_free(r);
    return stop == SG_STOP_FAULT ? -1 : 0;
}
