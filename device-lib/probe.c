/*
 * probe.c - the code that the compiler pass inserts into a kernel's clone: entry, probes, exit.
 *
 * One probe is executed by a whole wavefront and writes at most one message (wire.h). The hot path, inlined
 * at each access, finds out whether the lanes' addresses form a line (base + lane * stride) and whether the
 * held chunk has room; if both hold it stores 16 bytes (24 when lanes are missing) and moves the cursor. All
 * else - other address patterns, no chunk yet, chunk nearly full - is one call of ls_slow.
 *
 * State. A wavefront's state is its struct ls_wave in memory, because SSA values cannot carry it: after a
 * divergent branch each lane would hold its own copy of the cursor. It is read and written with relaxed
 * atomics of wavefront scope: these cost what plain vector accesses cost, but the compiler neither keeps
 * their value in a register nor turns them into scalar loads, whose cache does not see vector stores.
 *
 * Invariant: while a chunk is held, at least LS_MESSAGE_MAX bytes of it are free, so no message ever has to
 * be split or moved. Without LS_CTX_HOLD a chunk starts with exactly that many and so is handed over after
 * its first message.
 *
 * Summary mode (LS_CTX_SUMMARY) costs the hot path nothing: a cursor then always says that one byte is left,
 * so that every access comes to ls_slow, which counts what it can in memory (struct ls_summary) and sends the
 * rest.
 *
 * Compiled for no particular processor: the instructions are chosen when the pass has inlined it into user
 * code. LS_LANES (64, 32) and LS_GFX (9: up to gfx90a, 94: gfx940-gfx950, 10, 11: and later) select the
 * variant.
 */
#include "lanescope/wire.h"

#define GLOBAL __attribute__((address_space(1)))
#define CONSTANT __attribute__((address_space(4)))
#define HOT __attribute__((always_inline))
#define COLD __attribute__((noinline, cold))
/* Speed is nothing here, and each clone's module is compiled with this code in it. */
#define KEEP_LOOP _Pragma("clang loop unroll(disable)")

enum scope { WAVEFRONT = 2, AGENT = 4, SYSTEM = 5 }; /* clang's numbers for __hip_atomic_* */

typedef uint32_t u32x4 __attribute__((ext_vector_type(4)));
typedef GLOBAL struct ls_wave *wave_ptr;
typedef const CONSTANT struct ls_ctx *ctx_ptr; /* constant while the dispatch runs: scalar loads are right */
typedef GLOBAL struct ls_ring *ring_ptr;

#define LOAD(p, scope) __hip_atomic_load((p), __ATOMIC_RELAXED, (scope))
#define STORE(p, v, scope) __hip_atomic_store((p), (v), __ATOMIC_RELAXED, (scope))

#if LS_LANES == 64
typedef uint64_t mask_t;
mask_t ballot(_Bool) __asm("llvm.amdgcn.ballot.i64");
#define ALL_LANES (~(mask_t)0)
#define FIRST_LANE(m) ((uint32_t)__builtin_ctzll(m))
#define COUNT(m) ((uint32_t)__builtin_popcountll(m))
#else
typedef uint32_t mask_t;
mask_t ballot(_Bool) __asm("llvm.amdgcn.ballot.i32");
#define ALL_LANES (~(mask_t)0)
#define FIRST_LANE(m) ((uint32_t)__builtin_ctz(m))
#define COUNT(m) ((uint32_t)__builtin_popcount(m))
#endif

uint32_t readfirstlane(uint32_t) __asm("llvm.amdgcn.readfirstlane"
#if __clang_major__ >= 19
                                       ".i32" /* overloaded since LLVM 19 */
#endif
);
uint32_t readlane(uint32_t, uint32_t) __asm("llvm.amdgcn.readlane"
#if __clang_major__ >= 19
                                            ".i32"
#endif
);

/* The exec mask. Inline assembly, because LLVM 15 folds ballot(true) to a register read that it may move. */
static HOT inline mask_t active_lanes(void)
{
    mask_t m;
#if LS_LANES == 64
    __asm__ volatile("s_mov_b64 %0, exec" : "=s"(m));
#else
    __asm__ volatile("s_mov_b32 %0, exec_lo" : "=s"(m));
#endif
    return m;
}

/* Number of set bits of m below this lane. */
static HOT inline uint32_t bits_below(mask_t m)
{
    uint32_t n = __builtin_amdgcn_mbcnt_lo((uint32_t)m, 0);
#if LS_LANES == 64
    n = __builtin_amdgcn_mbcnt_hi((uint32_t)(m >> 32), n);
#endif
    return n;
}

/* Hides where a scalar value comes from. The compiler otherwise keeps results of comparisons alive between
 * probes, or widens a value before branches meet, and then needs many more instructions. */
#define OPAQUE(v) __asm__ volatile("" : "+s"(v))

/* Puts a pointer into vector registers: LLVM wraps an atomic at a scalar address into a reduction over the
 * wavefront, which is wasted on code that runs in one lane. */
#define VECTOR(p) __asm__ volatile("" : "+v"(p))

static HOT inline uint64_t uniform64(uint64_t v)
{
    return readfirstlane((uint32_t)v) | (uint64_t)readfirstlane((uint32_t)(v >> 32)) << 32;
}

/* HW_ID: hwreg 4 on gfx9, hwreg 23 (HW_ID1) from gfx10 on; XCC_ID: hwreg 20 on gfx940 and later CDNA. The
 * operand is id | offset << 6 | (size - 1) << 11 (CDNA3 ISA document, S_GETREG_B32). */
static inline uint32_t hw_id(void)
{
#if LS_GFX == 9 || LS_GFX == 94
    return (uint32_t)__builtin_amdgcn_s_getreg(4 | 31 << 11);
#else
    return (uint32_t)__builtin_amdgcn_s_getreg(23 | 31 << 11);
#endif
}

static inline uint32_t xcc_id(void)
{
#if LS_GFX == 94
    return (uint32_t)__builtin_amdgcn_s_getreg(20 | 31 << 11);
#else
    return 0;
#endif
}

/* 100 MHz counter: s_memrealtime until gfx10, message 0x83 (RTN_GET_REALTIME) from gfx11 on. */
#if LS_GFX == 11
uint64_t sendmsg_rtn(uint32_t) __asm("llvm.amdgcn.s.sendmsg.rtn.i64");
static inline uint64_t realtime(void)
{
    return sendmsg_rtn(0x83);
}
#else
uint64_t memrealtime(void) __asm("llvm.amdgcn.s.memrealtime");
static inline uint64_t realtime(void)
{
    return memrealtime();
}
#endif

/* Flags of the `head` that the pass gives to probes, beside the site's number + 1. */
#define HEAD_SITE 0xffffffu
#define HEAD_LDS (1u << 30)
#define HEAD_EXACT (1u << 31) /* this site's addresses matter: never count it */

/* ---- chunks; this part runs in one lane ---- */

#define CURSOR(address, left) ((address) | (uint64_t)(left) << 48)
#define CURSOR_ADDRESS(cursor) ((cursor) & 0xffffffffffffull)
#define CURSOR_LEFT(cursor) ((uint32_t)((cursor) >> 48))

/* A ticket of the free list, without waiting: only when the host has put in more entries than were taken. */
static inline _Bool ticket_if_any(ring_ptr ring, uint32_t *ticket)
{
    uint32_t head = LOAD(&ring->free_head, AGENT);
    do {
        if ((int32_t)(LOAD(&ring->free_tail, SYSTEM) - head) <= 0)
            return 0;
    } while (!__hip_atomic_compare_exchange_weak(&ring->free_head, &head, head + 1, __ATOMIC_RELAXED,
                                                 __ATOMIC_RELAXED, AGENT));
    *ticket = head;
    return 1;
}

/* Waits for the host to fill the free list's entry. 0 when it never will: the ring is closed, or the
 * heartbeat stood still for dead_after polls; then the ring is closed for everybody, so that the next
 * wavefront need not find out. */
static inline uint32_t wait_for_chunk(ctx_ptr ctx, ring_ptr ring, GLOBAL uint32_t *entry)
{
    uint32_t beat = LOAD(&ring->heartbeat, SYSTEM), still = 0, chunk;
    /* Taken with an exchange: when the list has gone round, another wavefront waits for the same entry, and
     * must not take what we have seen but not yet zeroed. */
    while (!LOAD(entry, SYSTEM) || !(chunk = __hip_atomic_exchange(entry, 0u, __ATOMIC_RELAXED, SYSTEM))) {
        __builtin_amdgcn_s_sleep(16); /* 16 * 64 cycles */
        uint32_t now = LOAD(&ring->heartbeat, SYSTEM);
        still = now == beat ? still + 1 : 0;
        beat = now;
        if (still > ctx->dead_after)
            STORE(&ring->closed, 2, SYSTEM);
        if (LOAD(&ring->closed, SYSTEM))
            return 0;
    }
    return chunk;
}

static inline void write_header(ctx_ptr ctx, wave_ptr w, GLOBAL u32x4 *out)
{
    uint64_t cycles = __builtin_readcyclecounter(), time = realtime();
    out[0] = (u32x4){LS_CHUNK_MAGIC, 0, ctx->slot, LOAD(&w->wave, WAVEFRONT)};
    out[1] = (u32x4){LOAD(&w->workgroup[0], WAVEFRONT), LOAD(&w->workgroup[1], WAVEFRONT),
                     LOAD(&w->workgroup[2], WAVEFRONT), hw_id()};
    out[2] = (u32x4){xcc_id(), LOAD(&w->sequence, WAVEFRONT), (uint32_t)cycles, (uint32_t)(cycles >> 32)};
    out[3] = (u32x4){(uint32_t)time, (uint32_t)(time >> 32), 0, LS_LANES};
}

/* Takes a chunk and writes its header: the cursor behind it, or 0 when the message has to be dropped. */
static inline uint64_t take_chunk(wave_ptr w, ctx_ptr ctx)
{
    ring_ptr ring = (ring_ptr)ctx->ring;
    uint32_t ticket, chunk = 0;
    VECTOR(ring);
    if (!LOAD(&ring->closed, SYSTEM)) {
        _Bool have = 1;
        if (ctx->flags & LS_CTX_DROP)
            have = ticket_if_any(ring, &ticket);
        else
            ticket = __hip_atomic_fetch_add(&ring->free_head, 1, __ATOMIC_RELAXED, AGENT);
        if (have) {
            GLOBAL uint32_t *entry = (GLOBAL uint32_t *)ctx->free + (ticket & ctx->list_mask);
            chunk = wait_for_chunk(ctx, ring, entry);
            if (chunk)
                __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
        }
    }
    if (!chunk) {
        GLOBAL uint64_t *dropped =
            (GLOBAL uint64_t *)((uint64_t)ctx + __builtin_offsetof(struct ls_ctx, dropped));
        VECTOR(dropped);
        __hip_atomic_fetch_add(dropped, 1, __ATOMIC_RELAXED, AGENT);
        return 0;
    }
    uint64_t start = ctx->chunks + ((uint64_t)(chunk - 1) << ctx->chunk_shift);
    write_header(ctx, w, (GLOBAL u32x4 *)start);
    uint32_t left = ctx->flags & LS_CTX_HOLD ? (1u << ctx->chunk_shift) - (uint32_t)sizeof(struct ls_chunk)
                                             : LS_MESSAGE_MAX;
    if (LOAD(&w->counts, WAVEFRONT))
        left = 1;
    return CURSOR(start + sizeof(struct ls_chunk), left);
}

/* Start of the chunk in which the messages before `end` lie. */
static HOT inline uint64_t chunk_of(ctx_ptr ctx, uint64_t end)
{
    return ctx->chunks + (((end - 1 - ctx->chunks) >> ctx->chunk_shift) << ctx->chunk_shift);
}

/* Hands the chunk over. The release orders the stores of the whole wavefront: its wait counts all of them. */
static inline void give_chunk(wave_ptr w, ctx_ptr ctx, uint64_t cursor, uint32_t flags)
{
    ring_ptr ring = (ring_ptr)ctx->ring;
    VECTOR(ring);
    uint64_t end = CURSOR_ADDRESS(cursor), start = chunk_of(ctx, end);
    uint32_t number = (uint32_t)((start - ctx->chunks) >> ctx->chunk_shift);
    GLOBAL struct ls_chunk *chunk = (GLOBAL struct ls_chunk *)start;
    chunk->bytes = (uint32_t)(end - (uint64_t)chunk);
    if (flags)
        chunk->flags = flags;
    STORE(&w->sequence, LOAD(&w->sequence, WAVEFRONT) + 1, WAVEFRONT);
    STORE(&w->cursor, 0, WAVEFRONT);
    uint32_t ticket = __hip_atomic_fetch_add(&ring->done_head, 1, __ATOMIC_RELAXED, AGENT);
    GLOBAL uint32_t *entry = (GLOBAL uint32_t *)ctx->done + (ticket & ctx->list_mask);
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
#if LS_GFX == 9 || LS_GFX == 94
    /* LLVM 22 drops the wait behind the write-back of the L2 that the fence asks for (AMDGPUUsage, memory
     * model gfx942: buffer_wbl2, s_waitcnt vmcnt(0), then the store). */
    __builtin_amdgcn_s_waitcnt(0);
#endif
    STORE(entry, number + 1, SYSTEM);
}

static HOT inline ctx_ptr ctx_of(wave_ptr w)
{
    return (ctx_ptr)uniform64(LOAD(&w->ctx, WAVEFRONT));
}

/* ---- messages; the whole wavefront runs this ---- */

/* Whether this wavefront counts accesses instead of sending them. */
static HOT inline _Bool counts(wave_ptr w, ctx_ptr ctx)
{
    return ctx->flags & LS_CTX_SUMMARY && readfirstlane(LOAD(&w->counts, WAVEFRONT));
}

/* Cursor for the next message, in all lanes; takes a chunk if none is held. 0: the message is dropped. */
static HOT inline uint64_t open_message(wave_ptr w, ctx_ptr ctx, uint32_t rank)
{
    uint64_t cursor = uniform64(LOAD(&w->cursor, WAVEFRONT));
    if (!cursor) {
        if (rank == 0)
            cursor = take_chunk(w, ctx);
        cursor = uniform64(cursor); /* of the first active lane, which is the one that took it */
    }
    return cursor;
}

/* Behind a message of `size` bytes at `cursor`: hands the chunk over when it has no room for another one. */
static HOT inline void close_message(wave_ptr w, ctx_ptr ctx, uint64_t cursor, uint32_t size, uint32_t rank)
{
    uint32_t left;
    if (counts(w, ctx)) {
        cursor += size;
        uint64_t end = CURSOR_ADDRESS(cursor);
        left =
            ctx->flags & LS_CTX_HOLD ? (uint32_t)(chunk_of(ctx, end) + (1ull << ctx->chunk_shift) - end) : 0;
    } else {
        cursor += size - ((uint64_t)size << 48);
        left = CURSOR_LEFT(cursor);
    }
    if (rank == 0) {
        if (left < LS_MESSAGE_MAX)
            give_chunk(w, ctx, cursor, 0);
        else
            STORE(&w->cursor, cursor, WAVEFRONT);
    }
}

/* A message in general: 16 fixed bytes and `per_lane` (0, 1, 2) words of each active lane, all of the first
 * words before all of the second. Takes and hands over chunks as needed. */
static HOT inline void emit(wave_ptr w, mask_t exec, uint32_t head, uint64_t base, uint32_t word3,
                            uint32_t per_lane, uint32_t first, uint32_t second)
{
    uint32_t rank = bits_below(exec), n = COUNT(exec);
    ctx_ptr ctx = ctx_of(w);
    uint64_t cursor = open_message(w, ctx, rank);
    if (!cursor)
        return;
    uint64_t at = CURSOR_ADDRESS(cursor), lanes_at = at + 16;
    uint32_t size = 16 + ((n * per_lane * 4 + 7) & ~7u);
    if (exec != ALL_LANES) {
        head |= LS_HEAD_PARTIAL;
        size += 8;
        lanes_at += 8;
    }
    if (rank == 0) {
        *(GLOBAL u32x4 *)at = (u32x4){head, (uint32_t)base, (uint32_t)(base >> 32), word3};
        if (exec != ALL_LANES)
            *(GLOBAL uint64_t *)(at + 16) = exec;
    }
    if (per_lane > 0)
        ((GLOBAL uint32_t *)lanes_at)[rank] = first;
    if (per_lane > 1)
        ((GLOBAL uint32_t *)lanes_at)[n + rank] = second;
    close_message(w, ctx, cursor, size, rank);
}

/* A line through lane addresses: address(lane) = base + lane * stride. */
struct line {
    uint64_t base;
    int32_t stride;
    uint32_t first; /* first active lane */
};

/*
 * The line through the addresses of the first two active lanes; whether the others lie on it is the caller's
 * question. A gap between the two that is no power of two gives a wrong stride: such an access goes out as
 * deltas. With all lanes active, much the most frequent case, nothing has to be searched or extrapolated.
 */
static HOT inline struct line line_through(mask_t exec, uint64_t address)
{
    struct line l = {uniform64(address), 0, 0};
    if (exec == ALL_LANES) {
        l.stride = (int32_t)(readlane((uint32_t)address, 1) - (uint32_t)l.base);
        return l;
    }
    mask_t rest = exec & (exec - 1);
    l.first = FIRST_LANE(exec);
    if (rest) {
        uint32_t second = FIRST_LANE(rest);
        l.stride = (int32_t)(readlane((uint32_t)address, second) - (uint32_t)l.base) >>
                   __builtin_ctz(second - l.first);
    }
    l.base -= (uint64_t)((int64_t)l.stride * l.first);
    return l;
}

static HOT inline uint64_t line_at(struct line l, uint32_t lane)
{
    return l.base + (uint64_t)((int64_t)l.stride * (int32_t)lane);
}

/* ---- counting instead of sending; one lane runs this ---- */

typedef GLOBAL struct ls_summary *summary_ptr;

/* Finds `wanted` in a table of words that are 0 until somebody takes them, or takes one for it. Looks at
 * `probes` of `size` (a power of two) words, `step` words apart. NULL: no room. */
static inline GLOBAL uint64_t *find_word(GLOBAL uint64_t *table, uint32_t size, uint32_t step,
                                         uint32_t probes, uint64_t wanted)
{
    uint32_t at = (uint32_t)((wanted * 0x9e3779b97f4a7c15ull) >> 40);
    KEEP_LOOP for (uint32_t i = 0; i < probes; i++, at++)
    {
        GLOBAL uint64_t *word = table + (at & (size - 1)) * step;
        uint64_t have = LOAD(word, AGENT);
        if (!have) {
            __hip_atomic_compare_exchange_strong(word, &have, wanted, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                                 AGENT);
            if (!have)
                return word;
        }
        if (have == wanted)
            return word;
    }
    return 0;
}

#define KEY_VALID (1ull << 63)
#define KEY_MASK 57 /* first bit of each field */
#define KEY_ROWS 55
#define KEY_PHASE 48
#define KEY_STRIDE 32

/* Counts an access whose key (without exec mask) is known; 0 when there is no room for it. */
static inline _Bool count_access(summary_ptr s, mask_t exec, uint32_t head, uint64_t key)
{
    if (exec != ALL_LANES) {
        /* Number 0 is taken; a mask found there would be told as all lanes. */
        GLOBAL uint64_t *at = find_word(s->masks, LS_SUMMARY_MASKS, 1, LS_SUMMARY_PROBES, exec);
        if (!at || at == s->masks)
            return 0;
        key |= (uint64_t)(at - s->masks) << KEY_MASK;
    }
    GLOBAL struct ls_summary_entry *entries = s->entries + ((head & HEAD_SITE) - 1) * LS_SUMMARY_WAYS;
    GLOBAL uint64_t *found = find_word(&entries->key, LS_SUMMARY_WAYS, 2, LS_SUMMARY_PROBES, key);
    if (!found)
        return 0;
    __hip_atomic_fetch_add(found + 1, 1, __ATOMIC_RELAXED, AGENT);
    return 1;
}

/* Key of an access in rows, 0 when it is none. All lanes are active, `l` is the line through lanes 0 and 1.
 */
static inline uint64_t rows_key(uint64_t address, struct line l)
{
    uint32_t lane = bits_below(ALL_LANES);
    KEEP_LOOP for (uint32_t rows = LS_LANES == 64 ? 1 : 2; rows <= 3; rows++)
    {
        uint32_t shift = 6 - rows;
        int32_t step = (int32_t)(readlane((uint32_t)address, 1u << shift) - (uint32_t)l.base);
        uint64_t expected = l.base + (uint64_t)((int64_t)l.stride * (int32_t)(lane & ((1u << shift) - 1)) +
                                                (int64_t)step * (int32_t)(lane >> shift));
        if (l.stride == (int16_t)l.stride && step > -LS_SUMMARY_STEP_MAX && step < LS_SUMMARY_STEP_MAX &&
            !ballot(address != expected))
            return (uint64_t)rows << KEY_ROWS | (uint64_t)(uint16_t)l.stride << KEY_STRIDE | (uint32_t)step;
    }
    return 0;
}

static inline uint64_t key_of(mask_t exec, uint64_t address, uint32_t head, struct line l, _Bool off)
{
    uint64_t key = (uint32_t)l.stride;
    if (off && (exec != ALL_LANES || !(key = rows_key(address, l))))
        return 0;
    uint64_t period = head & HEAD_LDS ? LS_SUMMARY_PERIOD_LDS : LS_SUMMARY_PERIOD;
    return key | KEY_VALID | (l.base & (period - 1)) << KEY_PHASE;
}

/* Any access, whatever its addresses and the state of the chunk. */
COLD void __ls_slow(uint64_t wave, uint64_t address, uint32_t head)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    mask_t exec = active_lanes();
    head = readfirstlane(head);
    struct line l = line_through(exec, address);
    uint32_t kind = LS_KIND_STRIDED, word3 = (uint32_t)l.stride, per_lane = 0;
    uint32_t low = (uint32_t)address, high = (uint32_t)(address >> 32), word = low;
    uint64_t base = l.base;
    ctx_ptr ctx = ctx_of(w);
    _Bool off = ballot(address != line_at(l, bits_below(ALL_LANES))) != 0;
    uint64_t key = 0;
    if (!(head & HEAD_EXACT) && counts(w, ctx))
        key = key_of(exec, address, head, l, off);
    if (key) {
        uint32_t counted = 0;
        summary_ptr s = (summary_ptr)ctx->summary;
        VECTOR(s);
        if (bits_below(exec) == 0)
            counted = count_access(s, exec, head, key);
        if (readfirstlane(counted))
            return;
    }
    if (off) {
        uint64_t first = uniform64(address), delta = address - first;
        word3 = COUNT(exec);
        per_lane = 1;
        if (!ballot((int64_t)delta != (int32_t)delta)) {
            kind = LS_KIND_DELTA;
            base = first;
            word = (uint32_t)delta;
        } else if (!ballot(high != (uint32_t)(first >> 32))) {
            kind = LS_KIND_WINDOW;
            base = first & ~0xffffffffull;
        } else {
            kind = LS_KIND_RAW;
            base = 0;
            per_lane = 2;
        }
    }
    emit(w, exec, (head & HEAD_SITE) | kind << 24, base, word3, per_lane, word, high);
}

/* Cursor after a message of n bytes: address up, bytes left down. */
#define ADVANCE(n) ((uint64_t)(n) - ((uint64_t)(n) << 48))

/*
 * The hot path. `wave` is what __ls_enter returned, `head` the site's number + 1. The cursor is loaded first
 * and used last. LDS offsets have at most 17 bits, so for them 32-bit products do.
 */
static HOT inline void access(uint64_t wave, uint64_t address, uint32_t head, const _Bool lds)
{
    OPAQUE(wave);
    if (!wave)
        return;
    wave_ptr w = (wave_ptr)wave;
    uint64_t loaded = LOAD(&w->cursor, WAVEFRONT);
    mask_t exec = active_lanes();
    uint32_t lane = bits_below(ALL_LANES);
    struct line l = line_through(exec, address);
    OPAQUE(l.stride);
    mask_t off = lds ? ballot((uint32_t)address != (uint32_t)l.base + (uint32_t)l.stride * lane)
                     : ballot(address != line_at(l, lane));
    uint32_t at = readfirstlane((uint32_t)loaded), left = readfirstlane((uint32_t)(loaded >> 32));
    OPAQUE(left);
    if (__builtin_expect((off != 0) | (left < (LS_MESSAGE_MAX + 24) << 16), 0)) {
        __ls_slow(wave, address, lds ? head | HEAD_LDS : head);
        return;
    }
    if (lane == l.first) {
        GLOBAL u32x4 *out = (GLOBAL u32x4 *)(at | (uint64_t)(left & 0xffff) << 32);
        uint64_t next = (at | (uint64_t)left << 32) + ADVANCE(16);
        uint32_t flags = LS_KIND_STRIDED << 24;
        OPAQUE(exec);
        if (exec != ALL_LANES) {
            *(GLOBAL uint64_t *)(out + 1) = exec;
            next += ADVANCE(8);
            flags |= LS_HEAD_PARTIAL;
        }
        *out = (u32x4){(head & HEAD_SITE) | flags, (uint32_t)l.base, (uint32_t)(l.base >> 32),
                       (uint32_t)l.stride};
        STORE(&w->cursor, next, WAVEFRONT);
    }
}

/* Probe of an access with a 64-bit address. */
void __ls_access(uint64_t wave, uint64_t address, uint32_t head)
{
    access(wave, address, head, 0);
}

/* Probe of an LDS access: the address is a byte offset. */
void __ls_access_lds(uint64_t wave, uint32_t offset, uint32_t head)
{
    access(wave, offset, head, 1);
}

/* The same as calls: arguments come in vector registers. */
COLD void __ls_access_far(uint64_t wave, uint64_t address, uint32_t head)
{
    access(uniform64(wave), address, readfirstlane(head), 0);
}

COLD void __ls_access_lds_far(uint64_t wave, uint32_t offset, uint32_t head)
{
    access(uniform64(wave), offset, readfirstlane(head), 1);
}

/*
 * Where a swizzled structured buffer has `offset` of record `index`: groups of 8 to 64 records (index stride,
 * bits 22:21 of the descriptor's last word) lie interleaved by dwords. The address is that of the lane's
 * first dword.
 */
static inline uint64_t swizzled(uint32_t stride, uint32_t last_word, uint32_t index, uint32_t offset)
{
    uint32_t group = 8u << (last_word >> 21 & 3);
    return ((uint64_t)(index / group) * stride + (offset & ~3u)) * group + (index % group) * 4 + (offset & 3);
}

/*
 * Probe of a buffer access. The address of a lane is base + soffset + voffset, plus index * stride for
 * structured buffers (CDNA3 ISA document, section 9.1.5); lanes out of range access nothing and are left out.
 * `control`: bit 0 structured (the range is that of the index), bits 31:8 bytes to add to the address.
 */
COLD void __ls_access_buffer(uint64_t wave, uint64_t low, uint64_t high, uint32_t voffset, uint32_t soffset,
                             uint32_t index, uint32_t control, uint32_t head)
{
    uint64_t base = low & 0xffffffffffffull, offset = (uint64_t)voffset + soffset + (control >> 8);
    uint32_t stride = (uint32_t)(low >> 48) & 0x3fff, records = (uint32_t)high;
    _Bool structured = control & 1;
    uint64_t limited = structured && stride ? index : (uint64_t)voffset + (control >> 8);
    if (limited < records) {
        if (structured && low >> 63)
            offset = soffset + swizzled(stride, (uint32_t)(high >> 32), index, voffset + (control >> 8));
        else if (structured)
            offset += (uint64_t)stride * index;
        __ls_access(uniform64(wave), base + offset, readfirstlane(head));
    }
}

/* LDS side of a load to LDS: lane i's data goes to base + i * step. */
COLD void __ls_lds_dma(uint64_t wave, uint32_t base, uint32_t step, uint32_t head)
{
    __ls_access_lds(uniform64(wave), base + bits_below(ALL_LANES) * step, readfirstlane(head));
}

/* Follows the probe of an access whose length is known at run time only. */
COLD void __ls_length(uint64_t wave, uint64_t bytes, uint32_t head)
{
    wave = uniform64(wave);
    if (!wave)
        return;
    wave_ptr w = (wave_ptr)wave;
    mask_t exec = active_lanes();
    uint64_t first = uniform64(bytes);
    uint32_t differ = ballot(bytes != first) != 0;
    emit(w, exec, (readfirstlane(head) & HEAD_SITE) | LS_KIND_LENGTH << 24, first, differ ? COUNT(exec) : 0,
         differ, (uint32_t)bytes, 0);
}

/* Entry into a block at the time `now`, whatever the state of the chunk. */
COLD void __ls_block_slow(uint64_t wave, uint64_t now, uint32_t head)
{
    emit((wave_ptr)uniform64(wave), active_lanes(), readfirstlane(head) | LS_KIND_BLOCK << 24, uniform64(now),
         0, 0, 0, 0);
}

/* Entry into a block; as access(), without an address. */
static HOT inline void block(uint64_t wave, uint32_t head)
{
    OPAQUE(wave);
    if (!wave)
        return;
    wave_ptr w = (wave_ptr)wave;
    uint64_t loaded = LOAD(&w->cursor, WAVEFRONT), now = __builtin_readcyclecounter();
    mask_t exec = active_lanes();
    uint32_t at = readfirstlane((uint32_t)loaded), left = readfirstlane((uint32_t)(loaded >> 32));
    OPAQUE(left);
    if (__builtin_expect(left < (LS_MESSAGE_MAX + 24) << 16, 0)) {
        __ls_block_slow(wave, now, head);
        return;
    }
    if (bits_below(exec) == 0) {
        GLOBAL u32x4 *out = (GLOBAL u32x4 *)(at | (uint64_t)(left & 0xffff) << 32);
        uint64_t next = (at | (uint64_t)left << 32) + ADVANCE(16);
        uint32_t flags = LS_KIND_BLOCK << 24;
        OPAQUE(exec);
        if (exec != ALL_LANES) {
            *(GLOBAL uint64_t *)(out + 1) = exec;
            next += ADVANCE(8);
            flags |= LS_HEAD_PARTIAL;
        }
        *out = (u32x4){head | flags, (uint32_t)now, (uint32_t)(now >> 32), 0};
        STORE(&w->cursor, next, WAVEFRONT);
    }
}

void __ls_block(uint64_t wave, uint32_t head)
{
    block(wave, head);
}

/* The same as a call. */
COLD void __ls_block_far(uint64_t wave, uint32_t head)
{
    block(uniform64(wave), readfirstlane(head));
}

/* A time interval that began at `start` (readcyclecounter). */
COLD void __ls_time(uint64_t wave, uint64_t start, uint32_t head)
{
    wave = uniform64(wave);
    if (!wave)
        return;
    uint64_t cycles = __builtin_readcyclecounter() - uniform64(start);
    emit((wave_ptr)wave, active_lanes(), readfirstlane(head) | LS_KIND_TIME << 24, uniform64(start),
         cycles > 0xffffffff ? 0xffffffff : (uint32_t)cycles, 0, 0, 0);
}

/* ---- beginning and end of a wavefront ---- */

/* Loops over the three dimensions: an index into them that is not constant becomes one into a vector, which
 * LLVM 15's back end cannot do at -O0. */
#define UNROLLED _Pragma("clang loop unroll(full)")

static inline _Bool in_filter(ctx_ptr ctx, const uint32_t id[3])
{
    _Bool in = 1;
    UNROLLED
    for (int i = 0; i < 3; i++)
        in &= id[i] >= ctx->filter_lo[i] && id[i] < ctx->filter_hi[i];
    return in;
}

static HOT inline uint64_t readlane64(uint64_t v, uint32_t lane)
{
    return readlane((uint32_t)v, lane) | (uint64_t)readlane((uint32_t)(v >> 32), lane) << 32;
}

static inline void emit_count(wave_ptr w, ctx_ptr ctx, uint32_t rank, uint32_t site, uint64_t key,
                              uint64_t mask, uint64_t count)
{
    uint64_t cursor = open_message(w, ctx, rank);
    if (!cursor)
        return;
    uint32_t size = mask ? 32 : 24, head = LS_HEAD(site, LS_KIND_COUNT) | (mask ? LS_HEAD_PARTIAL : 0);
    if (rank == 0) {
        GLOBAL uint64_t *out = (GLOBAL uint64_t *)CURSOR_ADDRESS(cursor);
        uint32_t rows = (uint32_t)(key >> KEY_ROWS) & 3, low = (uint32_t)key;
        uint32_t phase = (uint32_t)(key >> KEY_PHASE) & (LS_SUMMARY_PERIOD - 1);
        uint32_t stride = rows ? (uint32_t)(int16_t)(key >> KEY_STRIDE) : low;
        *(GLOBAL u32x4 *)out = (u32x4){head, phase | rows << 8, rows ? low : 0, stride};
        if (mask)
            out[2] = mask;
        out[size / 8 - 1] = count;
    }
    close_message(w, ctx, cursor, size, rank);
}

/* Sends what the dispatch counted and zeroes it. Lanes look for entries in parallel, then send one by one. */
static inline void send_summary(wave_ptr w, ctx_ptr ctx, summary_ptr s, mask_t exec)
{
    uint32_t rank = bits_below(exec), lanes = COUNT(exec), n = ctx->summary_sites * LS_SUMMARY_WAYS;
    KEEP_LOOP for (uint32_t first = 0; first < n; first += lanes)
    {
        uint32_t i = first + rank;
        uint64_t key = 0, count = 0;
        if (i < n && (key = LOAD(&s->entries[i].key, AGENT))) {
            count = LOAD(&s->entries[i].count, AGENT);
            STORE(&s->entries[i].key, 0, AGENT);
            STORE(&s->entries[i].count, 0, AGENT);
        }
        for (mask_t found = ballot(key != 0); found; found &= found - 1) {
            uint32_t lane = FIRST_LANE(found);
            uint64_t one = readlane64(key, lane);
            uint32_t number = (uint32_t)(one >> KEY_MASK) & (LS_SUMMARY_MASKS - 1);
            uint64_t mask = number ? uniform64(LOAD(&s->masks[number], AGENT)) : 0;
            emit_count(w, ctx, rank, readlane(i, lane) / LS_SUMMARY_WAYS, one, mask, readlane64(count, lane));
        }
    }
    KEEP_LOOP for (uint32_t i = rank; i < LS_SUMMARY_MASKS; i += lanes) STORE(&s->masks[i], 0, AGENT);
    if (rank == 0)
        STORE(&s->ended, 0, AGENT);
}

/* The dispatch's last wavefront sends the counts; the fences order what the others counted before it. Returns
 * the flags of its last chunk. */
static inline uint32_t finish_summary(wave_ptr w, ctx_ptr ctx, mask_t exec)
{
    summary_ptr s = (summary_ptr)ctx->summary;
    uint32_t rank = bits_below(exec), ended = 0;
    VECTOR(s);
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    if (rank == 0)
        ended = __hip_atomic_fetch_add(&s->ended, 1, __ATOMIC_RELAXED, AGENT) + 1;
    if (readfirstlane(ended) != ctx->n_waves)
        return 0;
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    send_summary(w, ctx, s, exec);
    uint64_t cursor = open_message(w, ctx, rank); /* a chunk with the flag goes out in any case */
    if (rank == 0)
        STORE(&w->cursor, cursor, WAVEFRONT);
    return LS_CHUNK_SUMMARY;
}

/* End of a wavefront: tells its life and hands over its chunk, in summary mode with all that was counted. */
COLD void __ls_finish(uint64_t wave)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    ctx_ptr ctx = ctx_of(w);
    mask_t exec = active_lanes();
    uint32_t rank = bits_below(exec), flags = LS_CHUNK_LAST;
    uint64_t start = uniform64(LOAD(&w->start, WAVEFRONT));
    if (start) {
        uint64_t ticks = realtime() - start;
        emit(w, exec, LS_KIND_WAVE << 24, start, ticks > 0xffffffff ? 0xffffffff : (uint32_t)ticks, 0, 0, 0);
    }
    if (ctx->flags & LS_CTX_SUMMARY)
        flags |= finish_summary(w, ctx, exec);
    uint64_t cursor = uniform64(LOAD(&w->cursor, WAVEFRONT));
    if (cursor && rank == 0)
        give_chunk(w, ctx, cursor, flags);
}

/* Whether a wavefront of work-group `id` counts instead of sending. */
static inline _Bool may_count(ctx_ptr ctx, const uint32_t id[3])
{
    _Bool first = 1;
    UNROLLED
    for (int i = 0; i < 3; i++)
        first &= id[i] == (ctx->flags & LS_CTX_FILTER ? ctx->filter_lo[i] : 0);
    return ctx->flags & LS_CTX_SUMMARY && !(ctx->flags & LS_CTX_SAMPLES && first);
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
        STORE(&w->wave, wave, WAVEFRONT);
        STORE(&w->counts, (uint32_t)may_count(ctx, id), WAVEFRONT);
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
    __ls_finish(record - ENDS);
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
        __ls_finish(wave);
}
