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
    struct held held = held_of(w);
    if (held.ctx->flags & LS_CTX_SUMMARY)
        TAIL_CALL(__ls_end_summary(wave, low, high, head));
    if (held.cursor && bits_below(active_lanes()) == 0)
        give_chunk(w, held.ctx, held.cursor, LS_CHUNK_LAST);
}

PROBE(__ls_hand_over)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    struct held held = held_of(w);
    if (held.cursor && bits_below(active_lanes()) == 0)
        give_chunk(w, held.ctx, held.cursor, readfirstlane(low));
}

/* End of a wavefront that tells its life, if it reports. */
PROBE(__ls_tell)
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

/* End of a wavefront. */
PROBE(__ls_finish)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    struct held held = held_of(w);
    if (held.ctx->flags & LS_CTX_LIVES)
        TAIL_CALL(__ls_tell(wave, low, high, head));
    if (held.ctx->flags & LS_CTX_SUMMARY)
        TAIL_CALL(__ls_end_summary(wave, low, high, head));
    if (held.cursor && bits_below(active_lanes()) == 0)
        give_chunk(w, held.ctx, held.cursor, LS_CHUNK_LAST);
}

/* The host makes sure that a dispatch's wavefronts can be numbered in 32 bits. */
static inline uint32_t number_of(ctx_ptr ctx, const uint32_t id[3], uint32_t wave)
{
    uint32_t group = (id[2] * ctx->n_workgroups[1] + id[1]) * ctx->n_workgroups[0] + id[0];
    return group * ctx->waves_per_workgroup + wave;
}

static HOT inline void fill_record(uint64_t record, uint64_t context, uint64_t cursor, uint64_t start,
                                   u32x4 place)
{
    GLOBAL u32x4 *out = (GLOBAL u32x4 *)record;
    out[0] =
        (u32x4){(uint32_t)context, (uint32_t)(context >> 32), (uint32_t)cursor, (uint32_t)(cursor >> 32)};
    out[1] = (u32x4){(uint32_t)start, (uint32_t)(start >> 32), 0, 0};
    out[2] = place;
}

/* As __ls_begin, of any dispatch. With ENDS when the wavefront does not report, but has to be counted as ended, as
 * all wavefronts of a dispatch in summary mode. */
#define ENDS 1u
#define COMMON (LS_CTX_HOLD | LS_CTX_DROP | LS_CTX_FILTER | LS_CTX_SAMPLE | LS_CTX_SUMMARY | LS_CTX_LIVES)
COLD uint64_t __ls_begin_any(uint64_t context, uint32_t x, uint32_t y, uint32_t z, uint32_t wave)
{
    ctx_ptr ctx = (ctx_ptr)uniform64(context);
    uint32_t id[3] = {readfirstlane(x), readfirstlane(y), readfirstlane(z)};
    uint32_t flat = number_of(ctx, id, readfirstlane(wave)), flags = ctx->flags;
    _Bool reports = !(flags & LS_CTX_FILTER && !in_filter(ctx, id)) &&
                    !(flags & LS_CTX_SAMPLE && flat % ctx->sample_every);
    if (!reports && !(flags & LS_CTX_SUMMARY))
        return 0;
    uint64_t record = ctx->waves + (uint64_t)flat * sizeof(struct ls_wave);
    if (bits_below(ALL_LANES) == 0)
        fill_record(record, context, 0, reports && flags & LS_CTX_LIVES ? realtime() : 0,
                    (u32x4){x, y, z, wave});
    return reports ? record : record | ENDS;
}

/* Fills the record of a wavefront of work-group x, y, z and returns its address, or 0 when it does not report. A
 * wavefront that will hold its chunk takes it here, where all is known that the header needs: that costs a third
 * of what it would at the first access. */
COLD uint64_t __ls_begin(uint64_t context, uint32_t x, uint32_t y, uint32_t z, uint32_t wave)
{
    ctx_ptr ctx = (ctx_ptr)uniform64(context);
    uint32_t id[3] = {readfirstlane(x), readfirstlane(y), readfirstlane(z)};
    uint64_t record = ctx->waves + (uint64_t)number_of(ctx, id, readfirstlane(wave)) * sizeof(struct ls_wave);
    if ((ctx->flags & COMMON) != LS_CTX_HOLD)
        TAIL_CALL(__ls_begin_any(context, x, y, z, wave));
    if (bits_below(ALL_LANES) == 0) { /* the wavefront's lanes are active from the first one on */
        u32x4 place = {x, y, z, wave};
        uint32_t chunk = wait_for_any(ctx);
        fill_record(record, context, chunk ? begin_chunk(ctx, chunk, place, 0) : 0, 0, place);
    }
    return record;
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
                             __builtin_amdgcn_workgroup_id_z(), linear / LS_LANES));
    if (!((uint32_t)record & ENDS))
        return record;
    __ls_finish(record - ENDS, nothing(), nothing(), nothing());
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
        __ls_finish(wave, nothing(), nothing(), nothing());
}
