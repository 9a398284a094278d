/*
 * wave.c - beginning and end of a wavefront.
 *
 * Every wavefront of a clone pays for these, however little it does: what is usual (a chunk held, nothing left out,
 * nothing counted) goes straight through, in one lane, which the active lanes say and no branch does; all else
 * is another function's.
 */
#include "message.h"
#include "summary.h"
#include "summary_key.h"

/* ---- the end ---- */

/* Hands over what the record holds, by its first active lane. */
static HOT inline void hand_over_held(wave_ptr w, struct way_out c, uint64_t cursor, uint32_t flags)
{
    cursor = send_what_waits(w, cursor, 0, active_lanes());
    mask_t lanes = first_lane_begin();
    hand_over(c, cursor, flags);
    set_lanes(lanes);
}

PROBE(__ls_hand_over)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    struct held held = held_of(w);
    if (held.cursor)
        hand_over_held(w, way_out_of(held.ctx), held.cursor, readfirstlane(low));
}

/* All that this wavefront has counted is there for the agent. It counts by atomics of agent scope alone, which take place
 * where all dies see them: so no cache has anything to write back, and a wait is enough. */
static HOT inline void counted(void)
{
#if LS_GFX == 9 || LS_GFX == 94
    COMPILER_FENCE();
    __builtin_amdgcn_s_waitcnt(0);
#else
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
#endif
}

/* Where the dispatch's wavefronts are counted that ended. Of a die with counters of its own it says that they may not be 0. */
static HOT inline summary_ptr end_on_die(ctx_ptr ctx)
{
    summary_ptr s = (summary_ptr)ctx->summary;
    VECTOR(s);
#if LS_GFX == 94
    mask_t lanes = first_lane_begin();
    STORE(&s->used, 1, AGENT);
    set_lanes(lanes);
    s = (summary_ptr)ctx->first_summary;
    VECTOR(s);
#endif
    return s;
}

/* Whether this is the last wavefront of the dispatch; what the others counted comes before it. */
static HOT inline _Bool is_last(ctx_ptr ctx)
{
    summary_ptr s = end_on_die(ctx);
    counted();
    mask_t lanes = first_lane_begin();
    uint32_t ended = readfirstlane(__hip_atomic_fetch_add(&s->ended, 1, __ATOMIC_RELAXED, AGENT)) + 1;
    set_lanes(lanes);
    if (ended != ctx->n_waves)
        return 0;
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    return 1;
}

#define END_SUMMARY(ctx, cursor)                                                                             \
    do {                                                                                                     \
        if (is_last(ctx))                                                                                    \
            TAIL_CALL(__ls_send_summary(wave, LS_CHUNK_LAST | LS_CHUNK_SUMMARY, high, head));                \
        if (cursor)                                                                                          \
            TAIL_CALL(__ls_hand_over(wave, LS_CHUNK_LAST, high, head));                                      \
        return;                                                                                              \
    } while (0)

PROBE(__ls_end_summary)
{
    struct held held = held_of((wave_ptr)uniform64(wave));
    END_SUMMARY(held.ctx, held.cursor);
}

/* Hands over the chunk of a wavefront that ends, in summary mode with all that was counted. */
PROBE(__ls_end)
{
    if (ctx_of((wave_ptr)uniform64(wave))->flags & LS_CTX_SUMMARY)
        TAIL_CALL(__ls_end_summary(wave, low, high, head));
    TAIL_CALL(__ls_hand_over(wave, LS_CHUNK_LAST, high, head));
}

/* End of a wavefront that tells its life, if it reports. */
PROBE(__ls_tell)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    ctx_ptr ctx = ctx_of(w);
    uint64_t start = ctx->flags & LS_CTX_LIVES ? uniform64(LOAD(&w->start, WAVEFRONT)) : 0;
    if (start) {
        uint64_t ticks = ls_realtime() - start;
        emit(w, active_lanes(), LS_KIND_WAVE << 24, start, ticks > 0xffffffff ? 0xffffffff : (uint32_t)ticks,
             0, 0, 0);
    }
    TAIL_CALL(__ls_end(wave, low, high, head));
}

/* Of one that does not report. */
PROBE(__ls_finish_silent)
{
    uint64_t w = uniform64(wave);
    if (w == WAVE_SILENT)
        return;
    TAIL_CALL(__ls_end(w - WAVE_SILENT, low, high, head));
}

/* Called where the wavefront ends: hands over what it holds. */
PROBE(__ls_finish)
{
    if (is_silent(wave_of(wave)))
        TAIL_CALL(__ls_finish_silent(wave, low, high, head));
    u32x4 words = *(GLOBAL u32x4 *)wave; /* by a vector load: the address is no scalar */
    struct held held = {(ctx_ptr)uniform_pair(words[0], words[1]), uniform_pair(words[2], words[3])};
    struct way_out c = way_out_of(held.ctx);
    if ((c.flags & (LS_CTX_LIVES | LS_CTX_SUMMARY)) == LS_CTX_SUMMARY)
        END_SUMMARY(held.ctx, held.cursor);
    if (c.flags & (LS_CTX_LIVES | LS_CTX_WRITE_BACK))
        TAIL_CALL(__ls_tell(wave, low, high, head));
    if (held.cursor)
        hand_over_held((wave_ptr)wave, c, held.cursor, LS_CHUNK_LAST); /* no scalar here, too */
}

/* ---- the beginning ---- */

/* Whether the work-group of a wavefront's number is between the bounds. */
static inline _Bool in_filter(ctx_ptr ctx, uint32_t number)
{
    uint32_t rest = number / ctx->waves_per_workgroup, id[3] = {0};
    _Bool in = 1;
    id[0] = rest % ctx->n_workgroups[0];
    rest /= ctx->n_workgroups[0];
    id[1] = rest % ctx->n_workgroups[1];
    id[2] = rest / ctx->n_workgroups[1];
    UNROLLED
    for (int i = 0; i < 3; i++)
        in &= id[i] >= ctx->filter_lo[i] && id[i] < ctx->filter_hi[i];
    return in;
}

/* What the record keeps for the headers of chunks. */
static HOT inline u32x4 first_of(struct way_out c, uint32_t number)
{
    return (u32x4){c.slot, number, hw_id(), (LS_LANES == 32 ? LS_ORDER_32_LANES : 0) | xcc_id()};
}

/* Of a dispatch in summary mode that of the die, which has counters of its own. */
static HOT inline uint64_t context_of_die(uint64_t context)
{
#if LS_GFX == 94
    context += (xcc_id() & (LS_DIES - 1)) * (uint32_t)sizeof(struct ls_ctx);
#endif
    return context;
}

static HOT inline void fill_record(uint64_t record, uint64_t context, uint64_t cursor, u32x4 first)
{
    GLOBAL u32x4 *out = (GLOBAL u32x4 *)record;
    out[0] =
        (u32x4){(uint32_t)context, (uint32_t)(context >> 32), (uint32_t)cursor, (uint32_t)(cursor >> 32)};
    out[1] = first;
}

static HOT inline uint64_t record_of(struct way_out c, uint32_t number)
{
    uint64_t record = c.waves;
    uint32_t bytes = sizeof(struct ls_wave);
    VECTOR(record); /* as in begin_chunk */
    OPAQUE(bytes);  /* else a shift and an addition of two registers each */
    return record + (uint64_t)number * bytes;
}

/* Of a work-item and a work-group, of which all lanes of a wavefront have the same, the numbers in the dispatch's three dimensions. Arguments
 * and result lie in the registers in which they are stored: the result in the first two, then 16 bytes with the context in
 * front and 16 with the wavefront's number in second place; what is added to a product in the first one of a pair. */
#define BEGIN(name)                                                                                          \
    COLD uint64_t name(UNUSED uint32_t x, UNUSED uint32_t z, UNUSED uint32_t y, UNUSED uint32_t group_z,     \
                       uint64_t context, UNUSED uint32_t group_y, UNUSED uint32_t this,                      \
                       UNUSED uint32_t group_x, uint32_t number)
#define GO_ON(name) TAIL_CALL(name(x, z, y, group_z, context, group_y, this, group_x, number))

/* As __ls_begin, of any dispatch, and with the wavefront's number. In summary mode all wavefronts are counted when they end. */
#define COMMON (LS_CTX_HOLD | LS_CTX_DROP | LS_CTX_FILTER | LS_CTX_SAMPLE | LS_CTX_SUMMARY | LS_CTX_LIVES)
BEGIN(__ls_begin_any)
{
    ctx_ptr ctx = (ctx_ptr)uniform64(context);
    struct way_out c = way_out_of(ctx);
    number = readfirstlane(number);
    _Bool reports = !(c.flags & LS_CTX_FILTER && !in_filter(ctx, number)) &&
                    !(c.flags & LS_CTX_SAMPLE && number % ctx->sample_every);
    if (!reports && !(c.flags & LS_CTX_SUMMARY))
        return WAVE_SILENT;
    uint64_t record = record_of(c, number);
    if (c.flags & LS_CTX_SUMMARY)
        context = context_of_die(context);
    if (bits_below(ALL_LANES) == 0) {
        fill_record(record, context, 0, first_of(c, number));
        if (c.flags & LS_CTX_LIVES)
            ((wave_ptr)record)->start = reports ? ls_realtime() : 0;
    }
    return reports ? record : record + WAVE_SILENT;
}

/* Takes a chunk and fills the record; its address. `room`: as of take_any. The first lane runs this. */
static HOT inline uint64_t begin_held(ctx_ptr ctx, struct way_out c, uint64_t context, uint32_t number,
                                      uint32_t room)
{
    u32x4 first = first_of(c, number);
    uint64_t record = record_of(c, number), cursor = take_any(ctx, c, first, room);
    fill_record(record, context, cursor, first);
    return record;
}

/* In summary mode with few wavefronts: what goes into a chunk is cheaper to send than to count, and to send when all have
 * ended. Then there is no chunk, or one without room, and the wavefront counts. */
BEGIN(__ls_begin_few)
{
    ctx_ptr ctx = (ctx_ptr)uniform64(context);
    struct way_out c = way_out_of(ctx);
    mask_t lanes = active_lanes();
    uint32_t room = c.chunk_bytes - (uint32_t)sizeof(struct ls_chunk);
    set_first_lane();
    uint64_t record = begin_held(ctx, c, context_of_die(context), readfirstlane(number),
                                 (room < LS_FEW_BYTES ? room : LS_FEW_BYTES) - 1);
    set_lanes(lanes);
    return record;
}

/* What numbers a wavefront, by one scalar load. */
typedef uint32_t u32x8 __attribute__((ext_vector_type(8), aligned(8)));

/*
 * Called once at the kernel's entry with all lanes of the wavefront active: fills the wavefront's record and returns its address, with
 * WAVE_SILENT when it does not report. In summary mode that is all. A wavefront that will hold its chunk takes it here, where all is known that
 * the header needs: that costs a third of what it would at the first access.
 *
 * In a partial work-group (grid no multiple of the work-group) the hardware packs lanes by the partial sizes; wavefront numbers computed
 * from the full sizes still are distinct and in range, as the first lanes of two wavefronts then lie at least LS_LANES
 * apart. The host makes sure that a dispatch's wavefronts can be numbered in 32 bits.
 */
BEGIN(__ls_begin)
{
    ctx_ptr ctx = (ctx_ptr)uniform64(context);
    u32x8 n = *(const CONSTANT u32x8 *)ctx->n_workgroups; /* and behind: wavefronts of one, its size */
    uint32_t linear = (z * n[5] + y) * n[4] + x, group = (group_z * n[1] + group_y) * n[0] + group_x;
    number = group * n[3] + linear / LS_LANES;
    VECTOR(number);
    OPAQUE(ctx); /* else both loads are done first, and scalar registers are saved for that */
    struct way_out c = way_out_of(ctx);
    mask_t lanes = active_lanes();
    if ((c.flags & COMMON) != LS_CTX_HOLD) {
        if ((c.flags & (COMMON & ~LS_CTX_HOLD)) != LS_CTX_SUMMARY)
            GO_ON(__ls_begin_any);
        if (c.flags & LS_CTX_FEW)
            GO_ON(__ls_begin_few);
        uint64_t record = record_of(c, number);
        set_first_lane();
        fill_record(record, context_of_die(context), 0, first_of(c, number));
        set_lanes(lanes);
        return record;
    }
    set_first_lane(); /* the wavefront's lanes are active from the first one on */
    uint64_t record = begin_held(ctx, c, context, number, 0);
    set_lanes(lanes);
    return record;
}

/* The kernel's call of that: what only a kernel can read. `none`: nothing. */
uint64_t __ls_enter(uint64_t context, uint32_t none)
{
    return __ls_begin(__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_z(),
                      __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workgroup_id_z(), context,
                      __builtin_amdgcn_workgroup_id_y(), none, __builtin_amdgcn_workgroup_id_x(), none);
}

/* The same value in scalar registers: functions get the record's address in vector registers. */
uint64_t __ls_uniform(uint64_t wave)
{
    return uniform64(wave);
}
