/*
 * device.h - what all parts of the device library build on: types, atomics, lanes and scalar values, and what
 * the hardware tells about where and when a wavefront runs.
 *
 * The library is the code that the compiler pass inserts into a kernel's clone: entry, probes, exit. It is
 * compiled for no particular processor: the instructions are chosen when the pass has put it into user code.
 * LS_LANES (64, 32) and LS_GFX (9: up to gfx90a, 94: gfx940-gfx950, 10, 11: and later) select the variant.
 * The files are linked into one bitcode per variant (llvm-pass/CMakeLists.txt).
 *
 * State. A wavefront's state is its struct ls_wave in memory, because SSA values cannot carry it: after a
 * divergent branch each lane would hold its own copy of the cursor. It is read and written with relaxed
 * atomics of wavefront scope: these cost what plain vector accesses cost, but the compiler neither keeps
 * their value in a register nor turns them into scalar loads, whose cache does not see vector stores.
 */
#ifndef LS_DEVICE_H
#define LS_DEVICE_H

#include "head.h"
#include "lanescope/realtime.h"
#include "lanescope/wire.h"

#define GLOBAL __attribute__((address_space(1)))
#define CONSTANT __attribute__((address_space(4)))
#define HOT __attribute__((always_inline))
#define COLD __attribute__((noinline, cold))

/*
 * A probe: void(wave, low, high, head), called at the instruction that it observes. `wave` is what __ls_enter
 * returned, `head` the site's number + 1 and flags (head.h). All arguments come in vector registers: LLVM
 * 15 has no others for functions, and LLVM 22 does not get scalar ones right on processors without flat
 * scratch.
 *
 * All probes have the same parameters, so that one can go on as another: a function that calls and returns
 * has to save its return address in memory. For LLVM 15 such a tail call must be uniform: at most one return
 * or tail call may come after a branch that lanes take differently, or they become one behind a plain call.
 */
#define UNUSED __attribute__((unused))
#define PROBE(name)                                                                                          \
    __attribute__((noinline)) void name(uint64_t wave, UNUSED uint32_t low, UNUSED uint32_t high,            \
                                        UNUSED uint32_t head)
/* Likewise, for all turns of a loop: each adds `step` * `scale` (signed) to the addresses. `more`: the last 8 bytes of
 * what tells turns (LS_HEAD_TURNS). With HEAD_INDEX the step is added to `index`, which is extended from 32 bits.
 * The order gives pairs of registers to what has 64 bits: gfx90a moves them about else. */
#define TURNS_PROBE(name)                                                                                    \
    __attribute__((noinline)) void name(uint64_t wave, uint32_t low, uint32_t high, uint32_t head,           \
                                        UNUSED uint32_t index, uint64_t step, uint64_t more, uint32_t scale)
#define TAIL_CALL(call) __attribute__((musttail)) return call

/* Speed is nothing here, and each clone's module is compiled with this code in it. */
#define KEEP_LOOP _Pragma("clang loop unroll(disable)")
/* Loops over the three dimensions: an index into them that is not constant becomes one into a vector, which
 * LLVM 15's back end cannot do at -O0. */
#define UNROLLED _Pragma("clang loop unroll(full)")

enum scope { WAVEFRONT = 2, AGENT = 4, SYSTEM = 5 }; /* clang's numbers for __hip_atomic_* */

typedef uint32_t u32x2 __attribute__((ext_vector_type(2)));
typedef uint32_t u32x4 __attribute__((ext_vector_type(4)));
typedef GLOBAL struct ls_wave *wave_ptr;
typedef const CONSTANT struct ls_ctx *ctx_ptr; /* constant while the dispatch runs: scalar loads are right */
typedef GLOBAL struct ls_ring *ring_ptr;

#define LOAD(p, scope) __hip_atomic_load((p), __ATOMIC_RELAXED, (scope))
#define STORE(p, v, scope) __hip_atomic_store((p), (v), __ATOMIC_RELAXED, (scope))

#if LS_LANES == 64
typedef uint64_t mask_t;
mask_t ballot(_Bool) __asm("llvm.amdgcn.ballot.i64");
#define LOG2_LANES 6
#define ALL_LANES (~(mask_t)0)
#define FIRST_LANE(m) ((uint32_t)__builtin_ctzll(m))
#define LAST_LANE(m) (63 - (uint32_t)__builtin_clzll(m))
#define COUNT(m) ((uint32_t)__builtin_popcountll(m))
#else
typedef uint32_t mask_t;
mask_t ballot(_Bool) __asm("llvm.amdgcn.ballot.i32");
#define LOG2_LANES 5
#define ALL_LANES (~(mask_t)0)
#define FIRST_LANE(m) ((uint32_t)__builtin_ctz(m))
#define LAST_LANE(m) (31 - (uint32_t)__builtin_clz(m))
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

uint32_t writelane(uint32_t value, uint32_t lane, uint32_t into) __asm("llvm.amdgcn.writelane"
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

/* What stands between one_lane_begin and set_lanes of what it gave is done in one lane. A branch would do, too, but behind
 * one that lanes take differently LLVM 16 to 21 make no tail call of any exit. Nothing that other lanes need
 * may be computed there. */
#if __clang_major__ > 15 && __clang_major__ < 22
#define TAIL_CALLS_NEED_UNIFORM 1
#else
#define TAIL_CALLS_NEED_UNIFORM 0
#endif
/* The active lanes as a register that is written: LLVM warns of a clobber list that names them. */
#if LS_LANES == 64
#define EXEC "exec"
#define MOVE "s_mov_b64"
#define ONES "s_bfm_b64"
#else
#define EXEC "exec_lo"
#define MOVE "s_mov_b32"
#define ONES "s_bfm_b32"
#endif
static HOT inline void set_lanes(mask_t lanes)
{
    register mask_t active __asm__(EXEC);
    __asm__ volatile(MOVE " " EXEC ", %1" : "=s"(active) : "s"(lanes) : "memory");
}

/* The first lane alone, or all of them. */
static HOT inline void set_first_lane(void)
{
    register mask_t active __asm__(EXEC);
    __asm__ volatile(MOVE " " EXEC ", 1" : "=s"(active) : : "memory");
}

static HOT inline void set_all_lanes(void)
{
    register mask_t active __asm__(EXEC);
    __asm__ volatile(MOVE " " EXEC ", -1" : "=s"(active) : : "memory");
}

/* Lanes 0 up to `n`. */
static HOT inline void set_lowest_lanes(const uint32_t n)
{
    register mask_t active __asm__(EXEC);
    __asm__ volatile(MOVE " " EXEC ", %1" : "=s"(active) : "i"((1 << n) - 1) : "memory");
}

/* What follows writes registers of lanes that it makes active. Those of lanes that were not when the function was called are the
 * program's: lanes that wait or have left a loop keep values in registers that are free for the call. So all lanes are made active,
 * or others than were, only where all were, or the wavefront ends. */

/* Lanes 0 up to `n` of all, at most 32, of which some need not be active before: in each its number times 16, plus `from`. By one
 * statement, as LLVM may compute a value for lanes that become active before they are. GPUs before gfx9 have no v_lshl_add_u32. */
static HOT inline uint32_t first_lanes_begin(uint32_t n, uint32_t from)
{
    register mask_t active __asm__(EXEC);
    uint32_t at;
    __asm__ volatile(ONES " " EXEC ", %2, 0\n\t"
                          "v_mbcnt_lo_u32_b32 %1, -1, 0\n\t"
                          "v_mad_u32_u24 %1, %1, 16, %3"
                     : "=s"(active), "=v"(at)
                     : "s"(n), "s"(from)
                     : "memory");
    return at;
}

/* The lanes `m`, of which some need not be active before: in each how many of them are below it. */
static HOT inline uint32_t lanes_begin(mask_t m)
{
    register mask_t active __asm__(EXEC);
    uint32_t rank;
#if LS_LANES == 64
    __asm__ volatile("s_mov_b64 exec, %2\n\t"
                     "v_mbcnt_lo_u32_b32 %1, %3, 0\n\t"
                     "v_mbcnt_hi_u32_b32 %1, %4, %1"
                     : "=s"(active), "=v"(rank)
                     : "s"(m), "s"((uint32_t)m), "s"((uint32_t)(m >> 32))
                     : "memory");
#else
    __asm__ volatile("s_mov_b32 exec_lo, %2\n\t"
                     "v_mbcnt_lo_u32_b32 %1, %2, 0"
                     : "=s"(active), "=v"(rank)
                     : "s"(m)
                     : "memory");
#endif
    return rank;
}

/* Arguments of a function that all lanes run: what the first words are in all of them. */
struct for_all_lanes {
    uint64_t wave;
    uint32_t low, high, head;
};

/* All lanes are active from here on, of which some need not have been. Nothing may follow but the call of a function with this: LLVM
 * computes values before, constants among them, that it takes for those of lanes which were not there, too. `was`: the lanes before. */
static HOT inline struct for_all_lanes all_lanes_begin(uint64_t wave, mask_t was, uint32_t head)
{
    register mask_t active __asm__(EXEC);
    uint32_t wave_low, wave_high;
    struct for_all_lanes all;
    __asm__ volatile(MOVE " " EXEC ", -1\n\t"
                          "v_mov_b32 %1, %6\n\t"
                          "v_mov_b32 %2, %7\n\t"
                          "v_mov_b32 %3, %8\n\t"
                          "v_mov_b32 %4, %9\n\t"
                          "v_mov_b32 %5, %10"
                     : "=s"(active), "=v"(wave_low), "=v"(wave_high), "=v"(all.low), "=v"(all.high),
                       "=v"(all.head)
                     : "s"((uint32_t)wave), "s"((uint32_t)(wave >> 32)), "s"((uint32_t)was),
                       "s"((uint32_t)((uint64_t)was >> 32)), "s"(head)
                     : "memory");
    all.wave = wave_low | (uint64_t)wave_high << 32;
    return all;
}

static HOT inline mask_t one_lane_begin(uint32_t lane)
{
    mask_t all = active_lanes();
    set_lanes((mask_t)1 << lane);
    return all;
}

/* As FIRST_LANE, by one instruction: LLVM 15 looks at the halves one by one. */
static HOT inline uint32_t first_lane_of(mask_t m)
{
#if __clang_major__ == 15 && (LS_GFX == 9 || LS_GFX == 94)
    uint32_t lane;
    __asm__("s_ff1_i32_b64 %0, %1" : "=s"(lane) : "s"(m));
    return lane;
#else
    return FIRST_LANE(m);
#endif
}

/* The same in the first active lane; it is made opaque, else more instructions than two find its bit. */
static HOT inline mask_t first_lane_begin(void)
{
    mask_t all = active_lanes();
    uint32_t lane = first_lane_of(all);
    __asm__ volatile("" : "+s"(lane));
    set_lanes((mask_t)1 << lane);
    return all;
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

/* A word found out while one lane is active, for all lanes. What leaves such a part has to go through this: LLVM may hold a truth
 * value as a mask of lanes, with the bit of that lane alone, and its opposite has those of all others then. */
static HOT inline uint32_t from_one_lane(uint32_t v)
{
    v = readfirstlane(v);
    OPAQUE(v);
    return v;
}

/* An argument that a probe does not look at. */
static HOT inline uint32_t nothing(void)
{
    uint32_t any;
    __asm__("" : "=v"(any));
    return any;
}

/* Puts a pointer into vector registers: LLVM wraps an atomic at a scalar address into a reduction over the
 * wavefront, which is wasted on code that runs in one lane. */
#define VECTOR(p) __asm__ volatile("" : "+v"(p))

static HOT inline uint64_t uniform64(uint64_t v)
{
    return readfirstlane((uint32_t)v) | (uint64_t)readfirstlane((uint32_t)(v >> 32)) << 32;
}

/* What a probe gets as `wave`, in scalar registers. The upper half is hidden: else LLVM makes one value of both and is_silent compares 64
 * bits, for which there is no scalar instruction. */
static HOT inline u32x2 wave_of(uint64_t wave)
{
    uint32_t high = readfirstlane((uint32_t)(wave >> 32));
    OPAQUE(high);
    return (u32x2){readfirstlane((uint32_t)wave), high};
}

static HOT inline _Bool is_silent(u32x2 wave)
{
    return (int32_t)wave[1] < 0;
}

static HOT inline wave_ptr record_at(u32x2 wave)
{
    return (wave_ptr) __builtin_bit_cast(uint64_t, wave);
}

static HOT inline uint64_t readlane64(uint64_t v, uint32_t lane)
{
    return readlane((uint32_t)v, lane) | (uint64_t)readlane((uint32_t)(v >> 32), lane) << 32;
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

static HOT inline ctx_ptr ctx_of(wave_ptr w)
{
    return (ctx_ptr)uniform64(LOAD(&w->ctx, WAVEFRONT));
}

/* 16 bytes of a record at once, by a vector load as LOAD makes it. */
static HOT inline u32x4 load_16(GLOBAL void *p)
{
    VECTOR(p);
    return *(GLOBAL u32x4 *)p;
}

static HOT inline uint64_t uniform_pair(uint32_t low, uint32_t high)
{
    return readfirstlane(low) | (uint64_t)readfirstlane(high) << 32;
}

#endif
