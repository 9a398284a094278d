/*
 * wave.c - beginning and end of a wavefront.
 */
#include "message.h"
#include "summary.h"

static inline _Bool in_filter(ctx_ptr ctx, const uint32_t id[3])
{
    _Bool in = 1;
    UNROLLED
    for (int i = 0; i < 3; i++)
        in &= id[i] >= ctx->filter_lo[i] && id[i] < ctx->filter_hi[i];
    return in;
}

/* Hands over the chunk of a wavefront that ends, in summary mode with all that was counted. */
PROBE(__ls_end)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    if (ctx_of(w)->flags & LS_CTX_SUMMARY)
        TAIL_CALL(__ls_end_summary(wave, low, high, head));
    TAIL_CALL(__ls_hand_over(wave, LS_CHUNK_LAST, 0, 0));
}

PROBE(__ls_hand_over)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    uint64_t cursor = uniform64(LOAD(&w->cursor, WAVEFRONT));
    if (cursor && bits_below(active_lanes()) == 0)
        give_chunk(w, ctx_of(w), cursor, readfirstlane(low));
}

/* End of a wavefront: tells its life. */
PROBE(__ls_finish)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    uint64_t start = uniform64(LOAD(&w->start, WAVEFRONT));
    if (start) {
        uint64_t ticks = realtime() - start;
        emit(w, active_lanes(), LS_KIND_WAVE << 24, start, ticks > 0xffffffff ? 0xffffffff : (uint32_t)ticks,
             0, 0, 0);
    }
    TAIL_CALL(__ls_end(wave, low, high, head));
}

/* Fills the record of a wavefront of work-group id[] and returns its address, or 0 when it does not report.
 * With ENDS when it does not, but has to be counted as ended, as all wavefronts of a dispatch in summary
 * mode. */
#define ENDS 1u
COLD uint64_t __ls_begin(uint64_t context, uint32_t x, uint32_t y, uint32_t z, uint32_t linear)
{
    ctx_ptr ctx = (ctx_ptr)uniform64(context);
    uint32_t id[3] = {readfirstlane(x), readfirstlane(y), readfirstlane(z)};
    uint32_t wave = readfirstlane(linear) / LS_LANES;
    uint64_t group = ((uint64_t)id[2] * ctx->n_workgroups[1] + id[1]) * ctx->n_workgroups[0] + id[0];
    uint64_t flat = group * ctx->waves_per_workgroup + wave;
    _Bool reports = !(ctx->flags & LS_CTX_FILTER && !in_filter(ctx, id)) &&
                    !(ctx->flags & LS_CTX_SAMPLE && (uint32_t)flat % ctx->sample_every);
    if (!reports && !(ctx->flags & LS_CTX_SUMMARY))
        return 0;
    uint64_t record = ctx->waves + flat * sizeof(struct ls_wave);
    wave_ptr w = (wave_ptr)record;
    if (bits_below(active_lanes()) == 0) {
        STORE(&w->ctx, (uint64_t)ctx, WAVEFRONT);
        STORE(&w->cursor, 0, WAVEFRONT);
        STORE(&w->sequence, 0, WAVEFRONT);
        STORE(&w->longest, 0, WAVEFRONT);
        STORE(&w->wave, wave, WAVEFRONT);
        STORE(&w->flat, (uint32_t)flat, WAVEFRONT);
        STORE(&w->start, reports && ctx->flags & LS_CTX_LIVES ? realtime() : 0, WAVEFRONT);
        UNROLLED
        for (int i = 0; i < 3; i++)
            STORE(&w->workgroup[i], id[i], WAVEFRONT);
    }
    return reports ? record : record | ENDS;
}

/*
 * Called once at the kernel's entry with all lanes of the wavefront active. Only what a kernel alone can read
 * is done here. In a partial work-group (grid no multiple of the work-group) the hardware packs lanes by the
 * partial sizes; wavefront numbers computed from the full sizes still are distinct and in range, as the first
 * lanes of two wavefronts then lie at least LS_LANES apart.
 */
uint64_t __ls_enter(uint64_t context)
{
    ctx_ptr ctx = (ctx_ptr)uniform64(context);
    uint32_t x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(),
             z = __builtin_amdgcn_workitem_id_z();
    uint32_t linear = (z * ctx->workgroup_size[1] + y) * ctx->workgroup_size[0] + x;
    uint64_t record =
        uniform64(__ls_begin(context, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
                             __builtin_amdgcn_workgroup_id_z(), linear));
    if (!(record & ENDS))
        return record;
    __ls_finish(record - ENDS, 0, 0, 0);
    return 0;
}

/* The same value in scalar registers: functions get the record's address in vector registers. */
uint64_t __ls_uniform(uint64_t wave)
{
    return uniform64(wave);
}

/* Called where the wavefront ends: hands over what it holds. */
void __ls_exit(uint64_t wave)
{
    if (wave)
        __ls_finish(wave, 0, 0, 0);
}
