/*
 * scalar_memory.c - SMEM: scalar loads, stores and atomics.
 *
 * The address is base + offset with the two low bits dropped. Buffer forms are bounded by the resource: a
 * dword beyond num_records reads 0 and is not written ("AMD Instinct MI300 ISA" 8.2, scalar memory).
 */
#include <string.h>
#include "soft-gpu/isa/code/code.h"
#include "soft-gpu/isa/log/log.h"
#include "soft-gpu/isa/memory/mem_whole.h"
#include "scalar.h"

static inline uint64_t address(const struct sg_uop *u, const uint32_t *s)
{
    return (sg_s64(s, u->a) + s[u->b] + (uint64_t)(int64_t)u->imm) & ~3ull;
}

/* s_scratch_*: a register offset counts blocks of 64 bytes, the immediate bytes ("AMD CDNA4 ISA" 8.2.1.1). */
static inline uint64_t scratch_address(const struct sg_uop *u, const uint32_t *s)
{
    return (sg_s64(s, u->a) + 64ull * s[u->b] + (uint64_t)(int64_t)u->imm) & ~3ull;
}

/* The rules of mem_check.c: plain accesses are compared with each other; who waits for the result of an
 * atomic knows what others have done. */
static void check_scalar(struct sg_wave *w, const struct sg_uop *u, enum sg_access_kind kind, uint64_t va,
                         unsigned bytes)
{
    struct sg_check_access a = {.pc = sg_uop_pc(w, u),
                                .wave = w->wave_in_group,
                                .kind = kind == SG_ACCESS_LOAD ? SG_CHECK_READ : SG_CHECK_WRITE,
                                .space = SG_CHECK_MEMORY,
                                .bytes = bytes < 4 ? bytes : 4,
                                .lanes = 1,
                                .addr = &va};
    if (kind != SG_ACCESS_ATOMIC)
        for (unsigned i = 0; i < bytes; i += 4, va += 4)
            sg_check_access(w->wg->check, &a);
    else if (u->flags & SG_SMEM_RETURN)
        sg_check_acquire(w->wg->check, w->wave_in_group);
}

/* For the access log and the check: u->x says which of them is on. */
static void observe_scalar(struct sg_wave *w, const struct sg_uop *u, enum sg_access_kind kind, uint64_t va,
                           unsigned bytes)
{
    uint64_t addr[SG_MAX_LANES];
    addr[0] = va;
    if (u->x & SG_OBSERVE_LOG && w->log)
        sg_log_access(w, u, kind, SG_SPACE_SCALAR, bytes, 0, 1, addr);
    if (u->x & SG_OBSERVE_GLOBAL && w->wg->check && !(u->flags & SG_SMEM_SCRATCH))
        check_scalar(w, u, kind, va, bytes);
}

static int page_fault(struct sg_wave *w, const struct sg_uop *u, uint64_t va, bool write)
{
    return sg_fault_at(w, u, SG_FAULT_PAGE, va, 0, write,
                       write ? "scalar store to an unmapped address"
                             : "scalar load from an unmapped address");
}

/* Pairs to fours in one access of the host each, like those of vector instructions (mem_whole.h). n: 1, 2, 3, 4, 8 or 16. */
static inline __attribute__((always_inline)) void take(uint32_t *out, const void *from, unsigned n)
{
    const uint8_t *p = from;
    for (unsigned i = 0; i < n; i += 4) {
        const unsigned part = n < 4 ? n : 4;
        const sg_v4 x = part == 1 ? (sg_v4){*(const volatile sg_w32 *)p} : sg_whole_load(p + 4 * i, part);
        memcpy(&out[i], &x, 4 * part);
    }
}

static void put(void *to, const uint32_t *data, unsigned n)
{
    uint8_t *p = to;
    for (unsigned i = 0; i < n; i += 4) {
        const unsigned part = n < 4 ? n : 4;
        sg_v4 x = {0};
        memcpy(&x, &data[i], 4 * part);
        if (part == 1)
            *(volatile sg_w32 *)p = x[0];
        else
            sg_whole_store(p + 4 * i, x, part);
    }
}

/* A load that may straddle two mapped ranges, then dword by dword. Returns false with *bad set at the first unmapped
 * dword. */
static bool load_pieces(struct sg_wave *w, uint64_t va, unsigned n, uint32_t *out, uint64_t *bad)
{
    const void *whole = sg_tlb_ptr(w->tlb, va, 4 * n);
    if (whole) {
        take(out, whole, n);
        return true;
    }
    for (unsigned i = 0; i < n; i++) {
        const void *p = sg_tlb_ptr(w->tlb, va + 4 * i, 4);
        if (!p) {
            *bad = va + 4 * i;
            return false;
        }
        memcpy(&out[i], p, 4);
    }
    return true;
}

/* The words are mapped: what the scalar cache has of them. */
static void load_weak(struct sg_wave *w, const struct sg_uop *u, uint64_t va, unsigned n, uint32_t *out)
{
    sg_weak_lock(w->weak);
    sg_weak_at(w->weak, sg_uop_pc(w, u), 0);
    sg_weak_scalar_load(w->weak, va, 4 * n, out);
    sg_weak_unlock(w->weak);
    sg_take_found(w);
}

int sg_h_s_dcache_inv(SG_ARGS)
{
    sg_weak_lock(w->weak);
    sg_weak_invalidate_scalar(w->weak);
    sg_weak_unlock(w->weak);
    SG_NEXT();
}

#define LOAD(N)                                                                                              \
    int sg_h_s_load_##N(SG_ARGS)                                                                             \
    {                                                                                                        \
        uint64_t va = address(u, s), bad;                                                                    \
        const void *p = sg_tlb_ptr(w->tlb, va, 4 * N);                                                       \
        uint32_t data[N];                                                                                    \
        if (__builtin_expect(p != NULL, 1))                                                                  \
            take(data, p, N);                                                                                \
        else if (!load_pieces(w, va, N, data, &bad))                                                         \
            return page_fault(w, u, bad, false);                                                             \
        memcpy(&s[u->d], data, sizeof data);                                                                 \
        SG_NEXT();                                                                                           \
    }
LOAD(1)
LOAD(2)
LOAD(3)
LOAD(4)
LOAD(8)
LOAD(16)

/* Any number of dwords, which may be observed. 0, or the fault. */
static int load_words(struct sg_wave *w, const struct sg_uop *u, uint32_t *s, uint64_t va)
{
    uint64_t bad;
    uint32_t data[16];
    if (!load_pieces(w, va, u->c, data, &bad))
        return page_fault(w, u, bad, false);
    if (w->weak && !(u->flags & SG_SMEM_SCRATCH))
        load_weak(w, u, va, u->c, data);
    memcpy(&s[u->d], data, 4u * u->c);
    if (u->x)
        observe_scalar(w, u, SG_ACCESS_LOAD, va, 4u * u->c);
    return 0;
}

int sg_h_s_load_observed(SG_ARGS)
{
    int stop = load_words(w, u, s, address(u, s));
    if (stop)
        return stop;
    SG_NEXT();
}

int sg_h_s_scratch_load(SG_ARGS)
{
    int stop = load_words(w, u, s, scratch_address(u, s));
    if (stop)
        return stop;
    SG_NEXT();
}

/* V#: base 47:0, stride 61:48, num_records in word 2 (bytes, or elements of `stride` bytes). */
static uint64_t buffer_base(const uint32_t *v)
{
    return (uint64_t)v[0] | (uint64_t)(v[1] & 0xffff) << 32;
}

static uint64_t buffer_bytes(const uint32_t *v)
{
    unsigned stride = v[1] >> 16 & 0x3fff;
    return stride ? (uint64_t)stride * v[2] : v[2];
}

static uint64_t buffer_offset(const struct sg_uop *u, const uint32_t *s)
{
    return (s[u->b] + (uint64_t)(int64_t)u->imm) & ~3ull;
}

static bool inside(uint64_t offset, unsigned n, uint64_t limit)
{
    return offset < limit && limit - offset >= 4ull * n;
}

static inline __attribute__((always_inline)) int buffer_load(struct sg_wave *w, const struct sg_uop *u,
                                                             uint32_t *s, bool weak)
{
    const uint32_t *resource = &s[u->a];
    uint64_t base = buffer_base(resource) & ~3ull, limit = buffer_bytes(resource),
             offset = buffer_offset(u, s);
    uint32_t data[16] = {0};
    const void *whole =
        !weak && inside(offset, u->c, limit) ? sg_tlb_ptr(w->tlb, base + offset, 4 * u->c) : NULL;
    if (whole)
        take(data, whole, u->c);
    for (unsigned i = 0; i < u->c && !whole; i++, offset += 4) {
        if (offset >= limit)
            continue;
        const void *p = sg_tlb_ptr(w->tlb, base + offset, 4);
        if (!p)
            return page_fault(w, u, base + offset, false);
        if (weak)
            load_weak(w, u, base + offset, 1, &data[i]);
        else
            memcpy(&data[i], p, 4);
    }
    if (u->x)
        observe_scalar(w, u, SG_ACCESS_LOAD, base + buffer_offset(u, s), 4u * u->c);
    memcpy(&s[u->d], data, 4u * u->c);
    return 0;
}

int sg_h_s_buffer_load(SG_ARGS)
{
    int stop = buffer_load(w, u, s, false);
    if (stop)
        return stop;
    SG_NEXT();
}

int sg_h_s_buffer_load_weak(SG_ARGS)
{
    int stop = buffer_load(w, u, s, true);
    if (stop)
        return stop;
    SG_NEXT();
}

/* A byte or two, extended ("RDNA4 Instruction Set Architecture", S_LOAD_U8 and its like); beyond a buffer's end 0. */
int sg_h_s_load_part(SG_ARGS)
{
    const bool buffer = u->flags & SG_SMEM_BUFFER, is_signed = u->flags & SG_SMEM_PART_SIGNED;
    const unsigned bytes = u->flags & SG_SMEM_PART_16 ? 2 : 1;
    const uint64_t offset = s[u->b] + (uint64_t)(int64_t)u->imm;
    const uint64_t va =
        ((buffer ? buffer_base(&s[u->a]) : sg_s64(s, u->a)) + offset) & ~(uint64_t)(bytes - 1);
    uint32_t word, value = 0;
    if (!buffer || offset + bytes <= buffer_bytes(&s[u->a])) {
        const void *p = sg_tlb_ptr(w->tlb, va & ~3ull, 4);
        if (!p)
            return page_fault(w, u, va, false);
        word = *(const volatile sg_w32 *)p;
        if (w->weak)
            load_weak(w, u, va & ~3ull, 1, &word);
        value = word >> 8 * (va & 3);
        value = bytes == 2  ? is_signed ? (uint32_t)(int16_t)value : value & 0xffff
                : is_signed ? (uint32_t)(int8_t)value
                            : value & 0xff;
    }
    if (u->x)
        observe_scalar(w, u, SG_ACCESS_LOAD, va, bytes);
    s[u->d] = value;
    SG_NEXT();
}

int sg_h_s_store(SG_ARGS)
{
    bool buffer = u->flags & SG_SMEM_BUFFER;
    uint64_t offset = buffer ? buffer_offset(u, s) : 0, limit = buffer ? buffer_bytes(&s[u->a]) : UINT64_MAX;
    uint64_t base = buffer                       ? buffer_base(&s[u->a]) & ~3ull
                    : u->flags & SG_SMEM_SCRATCH ? scratch_address(u, s)
                                                 : address(u, s);
    void *whole = inside(offset, u->c, limit) ? sg_tlb_ptr(w->tlb, base + offset, 4 * u->c) : NULL;
    if (whole)
        put(whole, &s[u->d], u->c);
    for (unsigned i = 0; i < u->c && !whole; i++) {
        uint64_t at = offset + 4 * i;
        if (at >= limit)
            continue;
        void *p = sg_tlb_ptr(w->tlb, base + at, 4);
        if (!p)
            return page_fault(w, u, base + at, true);
        memcpy(p, &s[u->d + i], 4);
    }
    if (u->x)
        observe_scalar(w, u, SG_ACCESS_STORE, base + offset, 4u * u->c);
    SG_NEXT();
}

/* New memory value of an atomic; signed comparisons sign-extend from the operation's width. */
static uint64_t combine(enum sg_smem_atomic op, uint64_t old, uint64_t src, uint64_t compare, bool wide)
{
    int64_t a = wide ? (int64_t)old : (int32_t)old, b = wide ? (int64_t)src : (int32_t)src;
    switch (op) {
    case SG_SMEM_SWAP:
        return src;
    case SG_SMEM_CMPSWAP:
        return old == compare ? src : old;
    case SG_SMEM_ADD:
        return old + src;
    case SG_SMEM_SUB:
        return old - src;
    case SG_SMEM_SMIN:
        return b < a ? src : old;
    case SG_SMEM_UMIN:
        return src < old ? src : old;
    case SG_SMEM_SMAX:
        return b >= a ? src : old;
    case SG_SMEM_UMAX:
        return src >= old ? src : old;
    case SG_SMEM_AND:
        return old & src;
    case SG_SMEM_OR:
        return old | src;
    case SG_SMEM_XOR:
        return old ^ src;
    case SG_SMEM_INC:
        return old >= src ? 0 : old + 1;
    case SG_SMEM_DEC:
        return !old || old > src ? src : old - 1;
    }
    return old;
}

static uint64_t atomic64(void *p, enum sg_smem_atomic op, uint64_t src, uint64_t compare)
{
    uint64_t old = __atomic_load_n((uint64_t *)p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n((uint64_t *)p, &old, combine(op, old, src, compare, true), true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    return old;
}

static uint32_t atomic32(void *p, enum sg_smem_atomic op, uint32_t src, uint32_t compare)
{
    uint32_t old = __atomic_load_n((uint32_t *)p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n((uint32_t *)p, &old, (uint32_t)combine(op, old, src, compare, false),
                                        true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    return old;
}

int sg_h_s_atomic(SG_ARGS)
{
    bool buffer = u->flags & SG_SMEM_BUFFER, wide = u->flags & SG_SMEM_64;
    enum sg_smem_atomic op = u->flags & 255;
    uint64_t offset = buffer ? buffer_offset(u, s) : 0;
    if (buffer && offset >= buffer_bytes(&s[u->a]))
        SG_NEXT();
    uint64_t va = (buffer ? buffer_base(&s[u->a]) & ~3ull : address(u, s)) + offset;
    void *p = sg_tlb_ptr(w->tlb, va, wide ? 8 : 4);
    if (!p)
        return page_fault(w, u, va, true);
    if (wide) {
        uint64_t old = atomic64(p, op, sg_s64(s, u->d), op == SG_SMEM_CMPSWAP ? sg_s64(s, u->d + 2u) : 0);
        if (u->flags & SG_SMEM_RETURN)
            sg_set_s64(s, u->d, old);
    } else {
        uint32_t old = atomic32(p, op, s[u->d], s[u->d + 1]);
        if (u->flags & SG_SMEM_RETURN)
            s[u->d] = old;
    }
    if (u->x)
        observe_scalar(w, u, SG_ACCESS_ATOMIC, va, wide ? 8 : 4);
    SG_NEXT();
}
