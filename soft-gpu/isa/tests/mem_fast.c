/*
 * mem_fast.c - the handlers of flat, scratch and buffer loads and stores, which know the usual address patterns,
 * against the same instruction lane by lane (mem_view.c): both must leave the same registers and memory, or fault.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/check.h"
#include "soft-gpu/isa/decode/decode.h"
#include "soft-gpu/isa/memory/mem_internal.h"
#include "soft-gpu/isa/wave/wave.h"
#include "soft-gpu/mem/mem.h"

extern const struct sg_low __start_sg_low[], __stop_sg_low[];

/* The GPU address differs from the host's. LANE: bytes of private memory of one lane. */
#define GPU_BASE 0x123400000000ull
#define SHARED_APERTURE 0x1000000000000ull
#define PRIVATE_APERTURE 0x2000000000000ull
enum { ROWS = 32, LDS_BYTES = 1024, LANE = 512, HOST_BYTES = LANE * 64, ROUNDS = 400, STOPPED = 77 };
enum { ADDRESS = 16, RESULT = 8, V_SHARP = 4, SOFFSET = 8 }; /* rows, scalars */

static const uint32_t nothing = 0;

static uint32_t seed = 1;
static uint32_t any(void)
{
    seed = seed * 1664525u + 1013904223u;
    const uint32_t high = seed & 0xffff0000u;
    seed = seed * 1664525u + 1013904223u;
    return high | seed >> 16;
}

static int stop(SG_ARGS)
{
    (void)w;
    (void)u;
    (void)v;
    (void)s;
    return STOPPED;
}

struct side {
    struct sg_wave w;
    struct sg_workgroup group;
    struct sg_dispatch dispatch;
    struct sg_mem *mem;
    struct sg_tlb tlb;
    struct sg_code *code; /* what faults are described by */
    uint8_t *host, *lds;
};

static void open_side(struct side *x, const char *gpu, unsigned lanes)
{
    memset(x, 0, sizeof *x);
    assert_true(sg_wave_alloc(&x->w));
    sg_wave_set_lanes(&x->w, lanes);
    x->w.arch = ls_gpu_find_emulated(gpu);
    assert_non_null(x->w.arch);
    x->host = calloc(1, HOST_BYTES);
    x->lds = calloc(1, LDS_BYTES + 4096);
    x->mem = sg_mem_create();
    assert_non_null(x->host);
    assert_non_null(x->lds);
    assert_int_equal(sg_mem_map(x->mem, GPU_BASE, HOST_BYTES, x->host, SG_RANGE_READ | SG_RANGE_WRITE), 0);
    sg_tlb_init(&x->tlb, x->mem);
    x->group = (struct sg_workgroup){.lds = x->lds, .lds_bytes = LDS_BYTES, .n_waves = 1};
    x->dispatch.shared_aperture = SHARED_APERTURE;
    x->dispatch.private_aperture = PRIVATE_APERTURE;
    x->w.wg = &x->group;
    x->w.dispatch = &x->dispatch;
    x->w.tlb = &x->tlb;
    x->w.scratch_wave_base = GPU_BASE;
    x->w.scratch_lane_bytes = LANE;
    sg_set_s64(x->w.s, sg_flat_scratch(x->w.arch), GPU_BASE);
    x->w.code = x->code =
        sg_code_create(sg_wave_target(&x->w), &(struct sg_code_source){.words = &nothing, .dwords = 1}, 0, 0);
    assert_non_null(x->code);
}

static void close_side(struct side *x)
{
    sg_wave_free(&x->w);
    sg_code_release(x->code);
    sg_mem_destroy(x->mem);
    free(x->host);
    free(x->lds);
}

static void copy_side(struct side *to, const struct side *from)
{
    memcpy(to->w.v, from->w.v, ROWS * sizeof from->w.v[0]);
    memcpy(to->w.s, from->w.s, 256 * sizeof *from->w.s);
    memcpy(to->w.xm, from->w.xm, sizeof from->w.xm);
    memcpy(to->host, from->host, HOST_BYTES);
    memcpy(to->lds, from->lds, LDS_BYTES);
    to->w.exec = from->w.exec;
}

/* A V#: private memory as ROCr describes it, or nearly; a plain buffer; any. */
static void fill_descriptor(uint32_t *d, unsigned lanes, unsigned round)
{
    enum { SWIZZLE = 1u << 31, ADD_TID = 1 << 23 };
    static const uint32_t records[] = {0, 1, 31, 32, 64, 300, HOST_BYTES, UINT32_MAX};
    const bool is_private = round % 3 == 0;
    const unsigned bounds = any() % 4, size = any() % 4 ? (lanes == 32 ? 2 : 3) : any() % 4;
    d[0] = (uint32_t)GPU_BASE;
    d[1] = (uint32_t)(GPU_BASE >> 32) | (any() & 1 ? any() % 3 * 128 : 0) << 16;
    d[2] = records[any() % 8];
    d[3] = 4u << 15 | bounds << 28 | size << 21;
    if (is_private || any() % 8 == 0)
        d[1] |= SWIZZLE;
    if (is_private || any() % 8 == 0)
        d[3] |= ADD_TID;
    if (any() & 1) /* gfx9: of bits 18:15 come the upper bits of the stride */
        d[3] &= ~(15u << 15);
}

/* Low halves of addresses: all the same, in lane order, in eights, near, far. */
static uint32_t low_half(unsigned lane, unsigned how, uint32_t base)
{
    switch (how) {
    case 0:
        return base;
    case 1:
        return base + 4 * lane;
    case 2:
        return base + lane / 8 * 64 + lane % 8 * 4;
    case 3:
        return any() % (LANE / 2) / 4 * 4;
    case 4:
        return any() % (2 * LANE);
    default:
        return any() % 16 ? any() % LANE : any();
    }
}

static void fill_side(struct side *x, enum sg_mem_mode mode, unsigned round)
{
    static const uint64_t places[] = {GPU_BASE, SHARED_APERTURE, PRIVATE_APERTURE};
    struct sg_wave *w = &x->w;
    const unsigned how = any() % 6, place = any() % 3;
    const uint32_t base = any() % (LANE - 16) / (any() & 1 ? 4 : 1) * (any() & 1 ? 4 : 1);
    const uint64_t exec = (any() % 3 == 0 ? ~0ull : any() | (uint64_t)any() << 32) & w->all_lanes;
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned lane = 0; lane < SG_MAX_LANES; lane++)
            w->v[row][lane] = any();
    for (unsigned lane = 0; lane < SG_MAX_LANES; lane++) {
        const uint64_t at = places[round % 16 ? place : any() % 3] + low_half(lane, how, base);
        w->v[ADDRESS][lane] = (uint32_t)at;
        if (mode == SG_MODE_FLAT)
            w->v[ADDRESS + 1][lane] = (uint32_t)(at >> 32);
    }
    for (unsigned i = 0; i < 64; i++)
        w->s[i] = any() % 64;
    fill_descriptor(w->s + V_SHARP, w->lanes, round);
    for (unsigned i = 0; i < HOST_BYTES; i += 4)
        memcpy(x->host + i, &(uint32_t){any()}, 4);
    for (unsigned i = 0; i < LDS_BYTES; i += 4)
        memcpy(x->lds + i, &(uint32_t){any()}, 4);
    w->exec = exec;
    for (unsigned lane = 0; lane < SG_MAX_LANES; lane++)
        w->xm[lane] = exec >> lane & 1 ? ~0u : 0;
}

static struct sg_uop any_uop(enum sg_mem_mode mode, enum sg_mem_elem e)
{
    struct sg_uop u = {.d = any() & 1 ? RESULT : ADDRESS, .a = ADDRESS, .b = RESULT};
    u.imm = any() % 4 ? 4 * (int32_t)(any() % 8) : (int32_t)(any() % 16);
    u.flags = (uint32_t)mode | (uint32_t)e << SG_MF_ELEM_SHIFT;
    if (mode == SG_MODE_SCRATCH) {
        u.c = SOFFSET;
        u.flags |= any() % 4 ? 0 : SG_MF_NO_VADDR;
    } else if (mode == SG_MODE_BUFFER) {
        u.c = V_SHARP;
        u.x = SOFFSET;
        u.flags |= any() % 4 ? SG_MF_OFFEN : 0;
        u.flags |= any() % 16 ? 0 : SG_MF_IDXEN;
    }
    return u;
}

/* The handler that decoding takes for wavefronts of so many lanes. */
static sg_fn of_lanes(sg_fn fn, unsigned lanes)
{
    if (lanes == SG_HALF_LANES)
        for (const struct sg_low *p = __start_sg_low; p < __stop_sg_low; p++)
            if (p->fn == fn)
                return p->low;
    return fn;
}

/* Returns whether neither faulted. */
static bool compare_once(struct side *fast, struct side *slow, sg_fn fn, sg_fn by_lane,
                         const struct sg_uop *what)
{
    struct sg_uop u[2] = {*what, {.fn = stop}};
    copy_side(slow, fast);
    const int a = fn(&fast->w, u, fast->w.v, fast->w.s);
    const int b = slow->w.exec ? by_lane(&slow->w, u, slow->w.v, slow->w.s) : 0;
    assert_int_equal(a == SG_STOP_FAULT, b == SG_STOP_FAULT);
    if (b == SG_STOP_FAULT)
        return false;
    for (unsigned row = 0; row < ROWS; row++)
        assert_memory_equal(fast->w.v[row], slow->w.v[row], fast->w.lanes * 4);
    assert_memory_equal(fast->host, slow->host, HOST_BYTES);
    assert_memory_equal(fast->lds, slow->lds, LDS_BYTES);
    return true;
}

static void same_as_lane_by_lane(const char *gpu, unsigned lanes)
{
    static const struct {
        enum sg_mem_mode mode;
        const sg_fn *loads, *stores;
    } kinds[] = {{SG_MODE_FLAT, sg_flat_loads, sg_flat_stores},
                 {SG_MODE_SCRATCH, sg_scratch_loads, sg_scratch_stores},
                 {SG_MODE_BUFFER, sg_buffer_loads, sg_buffer_stores}};
    struct side fast, slow;
    open_side(&fast, gpu, lanes);
    open_side(&slow, gpu, lanes);
    for (unsigned k = 0; k < 3; k++) {
        unsigned done = 0;
        for (unsigned round = 0; round < ROUNDS; round++) {
            const enum sg_mem_elem e = (enum sg_mem_elem)(any() % SG_ELEMS);
            const bool store = any() & 1;
            const sg_fn fn = (store ? kinds[k].stores : kinds[k].loads)[e];
            const struct sg_uop u = any_uop(kinds[k].mode, e);
            if (!fn)
                continue;
            fill_side(&fast, kinds[k].mode, round);
            done += compare_once(&fast, &slow, of_lanes(fn, lanes),
                                 store ? sg_mem_slow_store : sg_mem_slow_load, &u);
        }
        assert_true(done > ROUNDS / 8);
    }
    close_side(&fast);
    close_side(&slow);
}

static void gfx9(void **state)
{
    (void)state;
    same_as_lane_by_lane("gfx90a", 64);
    same_as_lane_by_lane("gfx942", 64);
}

static void gfx10_and_later(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gfx1030", "gfx1100", "gfx1201"};
    for (unsigned i = 0; i < 3; i++) {
        same_as_lane_by_lane(gpus[i], 32);
        same_as_lane_by_lane(gpus[i], 64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gfx9), cmocka_unit_test(gfx10_and_later)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
