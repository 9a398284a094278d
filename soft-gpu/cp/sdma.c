/*
 * sdma.c - the system DMA engine of gfx9: the packets that ROCr writes.
 *
 * Packet layouts: ROCr's sdma_registers.h (struct SDMA_PKT_*), which follow the "sDMA packets" of the GFX9
 * register documents. Sizes in dwords stand in the table below. Ring pointers are byte counters that never
 * wrap (gfx9 and later).
 */
#include "internal.h"
#include "copy.h"
#include "hsa_signal.h"

#include <stdio.h>
#include <string.h>

enum sdma_op {
    SDMA_NOP = 0,
    SDMA_COPY = 1,
    SDMA_FENCE = 5,
    SDMA_TRAP = 6,
    SDMA_POLL_REGMEM = 8,
    SDMA_ATOMIC = 10,
    SDMA_CONST_FILL = 11,
    SDMA_TIMESTAMP = 13,
    SDMA_GCR = 17,
};

enum sdma_result {
    SDMA_FINISHED,
    SDMA_MORE,    /* budget used up, continue at the next step */
    SDMA_BLOCKED, /* poll condition not met */
    SDMA_FAULT,   /* page fault, see struct sdma_exec */
    SDMA_UNKNOWN, /* a packet or a variant that this engine does not know */
};

/* One packet being executed. */
struct sdma_exec {
    struct sg_cp *cp;
    struct sg_queue *q;
    uint32_t dw[16];
    struct copy_fault fault;
};

static uint64_t address(const uint32_t *dw)
{
    return dw[0] | (uint64_t)dw[1] << 32;
}

static enum sdma_result finish_copy(struct sdma_exec *x, struct copy_job *job)
{
    job->done = x->q->sdma_done;
    if (!copy_some(x->cp, job, COPY_BUDGET, &x->fault))
        return SDMA_FAULT;
    x->q->sdma_done = job->done;
    return job->done == job->bytes ? SDMA_FINISHED : SDMA_MORE;
}

/* count-1 in 22 bits, 30 on gfx90a and later; the upper bits are zero where only 22 are used. */
static enum sdma_result copy_linear(struct sdma_exec *x)
{
    struct copy_job job = {
        .bytes = (x->dw[1] & 0x3fffffff) + 1ull, .src = address(&x->dw[3]), .dst = address(&x->dw[5])};
    return finish_copy(x, &job);
}

/* One side of a rectangle copy: base address, offsets, pitch and slice pitch in bytes. */
struct rect_side {
    uint64_t start, pitch, slice;
};

/* How wide the fields of that packet are; x and y stand in the halves of a word, and z at the bottom of one, below the
 * pitch. */
struct rect_fields {
    uint32_t xy, z, slice; /* masks */
    unsigned pitch_at;
};
static const struct rect_fields rect_gfx9 = {0x3fff, 0x7ff, 0xfffffff, 13},
                                rect_gfx12 = {0xffff, 0x3fff, 0xffffffff, 16};

static struct rect_side rect_side(const struct rect_fields *f, const uint32_t *dw, unsigned element)
{
    struct rect_side s = {
        .pitch = ((dw[3] >> f->pitch_at) + 1ull) << element,
        .slice = ((dw[4] & f->slice) + 1ull) << element,
    };
    uint64_t x = dw[2] & f->xy, y = dw[2] >> 16 & f->xy, z = dw[3] & f->z;
    s.start = address(dw) + (x << element) + y * s.pitch + z * s.slice;
    return s;
}

/* SDMA_PKT_COPY_LINEAR_RECT and SDMA_PKT_COPY_LINEAR_RECT_GFX12: sizes minus one, in elements of 1 << [31:29] bytes. */
static enum sdma_result copy_rect(struct sdma_exec *x)
{
    const struct rect_fields *f = x->cp->config.arch->family->wide_rect ? &rect_gfx12 : &rect_gfx9;
    unsigned element = x->dw[0] >> 29;
    struct rect_side src = rect_side(f, &x->dw[1], element), dst = rect_side(f, &x->dw[6], element);
    uint64_t width = ((x->dw[11] & f->xy) + 1ull) << element;
    uint64_t height = (x->dw[11] >> 16 & f->xy) + 1, depth = (x->dw[12] & f->z) + 1, budget = COPY_BUDGET;
    while (x->q->sdma_done < height * depth) {
        uint64_t y = x->q->sdma_done % height, z = x->q->sdma_done / height;
        struct copy_job row = {
            .bytes = width,
            .src = src.start + y * src.pitch + z * src.slice,
            .dst = dst.start + y * dst.pitch + z * dst.slice,
        };
        if (!copy_some(x->cp, &row, width, &x->fault))
            return SDMA_FAULT;
        x->q->sdma_done++;
        if (budget <= width)
            return x->q->sdma_done == height * depth ? SDMA_FINISHED : SDMA_MORE;
        budget -= width;
    }
    return SDMA_FINISHED;
}

static enum sdma_result copy(struct sdma_exec *x)
{
    switch (x->dw[0] >> 8 & 0xff) {
    case 0:
        return copy_linear(x);
    case 4:
        return copy_rect(x);
    default:
        return SDMA_UNKNOWN;
    }
}

/* fillsize [31:30]: 0 bytes, 2 dwords; count is in bytes, minus one unit. */
static enum sdma_result const_fill(struct sdma_exec *x)
{
    struct copy_job job = {.is_fill = true, .dst = address(&x->dw[1]), .pattern = x->dw[3]};
    uint32_t count = x->dw[4] & 0x3fffffff;
    switch (x->dw[0] >> 30) {
    case 0:
        job.bytes = count + 1ull;
        job.pattern = (job.pattern & 0xff) * 0x01010101u;
        break;
    case 2:
        job.bytes = (count & ~3u) + 4ull;
        break;
    default:
        return SDMA_UNKNOWN;
    }
    return finish_copy(x, &job);
}

/* The host address that a packet writes; NULL and a fault when it is not mapped. */
static void *target(struct sdma_exec *x, uint64_t va, uint64_t size)
{
    void *host = sg_tlb_ptr(&x->cp->tlb, va, size);
    if (!host)
        x->fault = (struct copy_fault){va, true};
    return host;
}

static enum sdma_result fence(struct sdma_exec *x)
{
    _Atomic uint32_t *p = target(x, address(&x->dw[1]), 4);
    if (!p)
        return SDMA_FAULT;
    atomic_store_explicit(p, x->dw[3], memory_order_release);
    return SDMA_FINISHED;
}

static enum sdma_result trap(struct sdma_exec *x)
{
    x->cp->config.ops->set_event(x->cp->config.user, x->dw[1] & 0xfffffff);
    return SDMA_FINISHED;
}

/* func [30:28]; with mem_poll [31] clear it polls a register: only the HDP flush does so, which is nothing
 * here because the host sees GPU memory directly. */
static enum sdma_result poll_regmem(struct sdma_exec *x)
{
    if (!(x->dw[0] >> 31))
        return SDMA_FINISHED;
    _Atomic uint32_t *p = sg_tlb_ptr(&x->cp->tlb, address(&x->dw[1]), 4);
    if (!p) {
        x->fault = (struct copy_fault){address(&x->dw[1]), false};
        return SDMA_FAULT;
    }
    uint32_t value = atomic_load_explicit(p, memory_order_acquire) & x->dw[4], reference = x->dw[3];
    bool met;
    switch (x->dw[0] >> 28 & 7) {
    case 0:
        met = true;
        break;
    case 1:
        met = value < reference;
        break;
    case 2:
        met = value <= reference;
        break;
    case 3:
        met = value == reference;
        break;
    case 4:
        met = value != reference;
        break;
    case 5:
        met = value >= reference;
        break;
    case 6:
        met = value > reference;
        break;
    default:
        return SDMA_UNKNOWN;
    }
    return met ? SDMA_FINISHED : SDMA_BLOCKED;
}

/* operation [31:25]: ROCr uses 47, ADD64. */
static enum sdma_result atomic(struct sdma_exec *x)
{
    if (x->dw[0] >> 25 != 47)
        return SDMA_UNKNOWN;
    _Atomic uint64_t *p = target(x, address(&x->dw[1]), 8);
    if (!p)
        return SDMA_FAULT;
    atomic_fetch_add_explicit(p, address(&x->dw[3]), memory_order_acq_rel);
    return SDMA_FINISHED;
}

/* sub-opcode 2: global time stamp counter */
static enum sdma_result timestamp(struct sdma_exec *x)
{
    if ((x->dw[0] >> 8 & 0xff) != 2)
        return SDMA_UNKNOWN;
    _Atomic uint64_t *p = target(x, address(&x->dw[1]), 8);
    if (!p)
        return SDMA_FAULT;
    atomic_store_explicit(p, x->cp->config.ops->ticks(x->cp->config.user), memory_order_release);
    return SDMA_FINISHED;
}

/* Cache control: nothing to do, memory is coherent here. */
static enum sdma_result nothing(struct sdma_exec *x)
{
    (void)x;
    return SDMA_FINISHED;
}

static const struct {
    unsigned dwords;
    enum sdma_result (*run)(struct sdma_exec *x);
} sdma_packets[] = {
    [SDMA_NOP] = {1, nothing},
    [SDMA_COPY] = {7, copy},
    [SDMA_FENCE] = {4, fence},
    [SDMA_TRAP] = {2, trap},
    [SDMA_POLL_REGMEM] = {6, poll_regmem},
    [SDMA_ATOMIC] = {8, atomic},
    [SDMA_CONST_FILL] = {5, const_fill},
    [SDMA_TIMESTAMP] = {3, timestamp},
    [SDMA_GCR] = {5, nothing},
};

static unsigned packet_dwords(uint32_t header)
{
    uint32_t op = header & 0xff;
    if (op >= sizeof sdma_packets / sizeof sdma_packets[0])
        return 0;
    if (op == SDMA_NOP)
        return 1 + (header >> 16 & 0x3fff);
    if (op == SDMA_COPY && (header >> 8 & 0xff) == 4)
        return 13;
    return sdma_packets[op].dwords;
}

static uint32_t ring_dword(const struct sg_queue *q, uint64_t byte)
{
    uint32_t value;
    memcpy(&value, q->ring + (byte & (q->desc.ring_bytes - 1)), sizeof value);
    return value;
}

static enum step_result stop_queue(struct sdma_exec *x, enum sdma_result why)
{
    struct sg_fault f = {.kind = SG_FAULT_PAGE};
    if (why == SDMA_FAULT) {
        f.va = x->fault.va;
        f.is_write = x->fault.is_write;
        snprintf(f.message, sizeof f.message, "SDMA engine: %s of unmapped GPU address 0x%llx",
                 f.is_write ? "write" : "read", (unsigned long long)f.va);
    } else {
        /* Hardware would hang; a page fault at the packet makes ROCr end the program instead. */
        f.va = x->q->desc.ring + (x->q->sdma_read & (x->q->desc.ring_bytes - 1));
        snprintf(f.message, sizeof f.message, "SDMA engine: unknown packet, header 0x%08x", x->dw[0]);
    }
    snprintf(f.instruction, sizeof f.instruction, "SDMA packet 0x%08x", x->dw[0]);
    cp_raise(x->cp, x->q, &f, 0, x->q->sdma_read);
    return STEP_PROGRESS;
}

enum step_result sdma_step(struct sg_cp *cp, struct sg_queue *q)
{
    bool progress = false;
    for (unsigned packets = 0; packets < 256; packets++) {
        uint64_t written = atomic_load_explicit(q->write_pointer, memory_order_acquire);
        uint64_t rung =
            atomic_load_explicit((const _Atomic uint64_t *)q->desc.doorbell, memory_order_acquire);
        if (rung > written && rung - q->sdma_read <= q->desc.ring_bytes)
            written = rung;
        if (q->sdma_read >= written)
            return progress ? STEP_PROGRESS : STEP_IDLE;
        struct sdma_exec x = {.cp = cp, .q = q, .dw = {ring_dword(q, q->sdma_read)}};
        unsigned n = packet_dwords(x.dw[0]);
        if (!n)
            return stop_queue(&x, SDMA_UNKNOWN);
        if (written - q->sdma_read < 4ull * n)
            return progress ? STEP_PROGRESS : STEP_IDLE;
        for (unsigned i = 1; i < n && i < 16; i++)
            x.dw[i] = ring_dword(q, q->sdma_read + 4 * i);
        enum sdma_result r = sdma_packets[x.dw[0] & 0xff].run(&x);
        if (r == SDMA_MORE)
            return STEP_PROGRESS;
        if (r == SDMA_BLOCKED)
            return progress ? STEP_PROGRESS : STEP_POLLING;
        if (r != SDMA_FINISHED)
            return stop_queue(&x, r);
        q->sdma_done = 0;
        q->sdma_read += 4ull * n;
        atomic_store_explicit(q->read_pointer, q->sdma_read, memory_order_release);
        progress = true;
    }
    return STEP_PROGRESS;
}
