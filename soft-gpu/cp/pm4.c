/*
 * pm4.c - PM4 commands in the indirect buffers of AQL vendor packets. ROCr sends one, to invalidate the
 * instruction caches after it has loaded code (GpuAgent::InvalidateCodeCaches); clients without ROCr wait for
 * memory, write fences and time stamps, and send interrupts with them.
 *
 * Type-3 header: [31:30] = 3, [29:16] dwords of body - 1, [15:8] opcode. Opcodes, fields and their values:
 * Linux drivers/gpu/drm/amd/amdgpu/soc15d.h; the selections of RELEASE_MEM: amdkfd's kfd_pm4_headers_ai.h
 * ("PM4_MES_RELEASE_MEM").
 */
#include "pm4.h"

#include <stdio.h>
#include <string.h>

#include "internal.h"

enum pm4_opcode {
    PM4_NOP = 0x10,
    PM4_PRED_EXEC = 0x23,
    PM4_WAIT_REG_MEM = 0x3c,
    PM4_INDIRECT_BUFFER = 0x3f,
    PM4_EVENT_WRITE = 0x46,
    PM4_RELEASE_MEM = 0x49,
    PM4_ACQUIRE_MEM = 0x58,
};

#define TYPE3(h) ((h) >> 30 == 3)
#define OPCODE(h) ((h) >> 8 & 0xff)
#define BODY(h) (((h) >> 16 & 0x3fff) + 1)

/* A command: its header and body. */
struct command {
    const uint32_t *body;
    uint32_t header, dwords;
};

static enum pm4_result unknown(const struct command *c, struct pm4_error *e)
{
    snprintf(e->why, sizeof e->why, "PM4 command 0x%08x (%u dwords, first 0x%08x) is not supported",
             c->header, c->dwords, c->body[0]);
    return PM4_BAD;
}

static enum pm4_result unmapped(struct pm4_error *e, uint64_t va, bool is_write)
{
    e->is_page = true;
    e->va = va;
    e->is_write = is_write;
    return PM4_BAD;
}

static uint64_t address(const uint32_t *low, uint32_t drop)
{
    return (low[0] & ~(uint64_t)drop) | (uint64_t)low[1] << 32;
}

/* ---- WAIT_REG_MEM ---- */

static bool holds(unsigned function, uint32_t value, uint32_t reference)
{
    switch (function) {
    case 0:
        return true;
    case 1:
        return value < reference;
    case 2:
        return value <= reference;
    case 3:
        return value == reference;
    case 4:
        return value != reference;
    case 5:
        return value >= reference;
    default:
        return value > reference;
    }
}

/* body: function [2:0], memory or register [5:4], operation [7:6]; address or two registers; reference; mask;
 * interval. */
static enum pm4_result wait_reg_mem(struct sg_cp *cp, const struct command *c, struct pm4_error *e)
{
    enum { REGISTER, MEMORY, WAIT = 0, WRITE_WAIT = 1 };
    const uint32_t *b = c->body;
    if (c->dwords < 6 || (b[0] & 7) == 7)
        return unknown(c, e);
    const unsigned space = b[0] >> 4 & 3, operation = b[0] >> 6 & 3;
    /* "Write one register, wait for another" has one use outside of graphics: to flush the host data path,
     * which is never behind here. */
    if (space == REGISTER && operation == WRITE_WAIT)
        return PM4_DONE;
    if (space != MEMORY || operation != WAIT)
        return unknown(c, e);
    const uint64_t va = address(b + 1, 3);
    const _Atomic uint32_t *value = cp_host(cp, va, sizeof *value);
    if (!value)
        return unmapped(e, va, false);
    return holds(b[0] & 7, atomic_load_explicit(value, memory_order_acquire) & b[4], b[3]) ? PM4_DONE
                                                                                           : PM4_POLL;
}

/* ---- RELEASE_MEM ---- */

static bool write_data(struct sg_cp *cp, unsigned select, uint64_t va, uint64_t data)
{
    enum { LOW_32 = 1, ALL_64 = 2, GPU_CLOCK = 3 };
    void *p = cp_host(cp, va, select == LOW_32 ? 4 : 8);
    if (!p)
        return false;
    if (select == LOW_32)
        atomic_store_explicit((_Atomic uint32_t *)p, (uint32_t)data, memory_order_release);
    else
        atomic_store_explicit((_Atomic uint64_t *)p,
                              select == GPU_CLOCK ? cp->config.ops->ticks(cp->config.user) : data,
                              memory_order_release);
    cp_wrote(cp, va, select == LOW_32 ? 4 : 8);
    return true;
}

/* body: event [5:0]; interrupt [26:24] and data [31:29] selections; address; data; context of the interrupt.
 * Everything before it in the queue is complete. */
static enum pm4_result release_mem(struct sg_cp *cp, const struct command *c, struct pm4_error *e)
{
    enum { NO_DATA = 0, GPU_CLOCK = 3 };
    enum { ONLY_INTERRUPT = 1, WITH_INTERRUPT = 2 };
    const uint32_t *b = c->body;
    if (c->dwords < 7 || b[1] >> 29 > GPU_CLOCK)
        return unknown(c, e);
    const unsigned data = b[1] >> 29, interrupt = b[1] >> 24 & 7;
    const uint64_t va = address(b + 2, data == 1 ? 3 : 7);
    if (data != NO_DATA && interrupt != ONLY_INTERRUPT &&
        !write_data(cp, data, va, b[4] | (uint64_t)b[5] << 32))
        return unmapped(e, va, true);
    /* An event's interrupt comes with its number: as context, or as what is written to its mailbox, which the
     * driver looks through when the context is 0. Without either it is only "the end of the pipe". */
    const uint32_t event = b[6] ? b[6] : data == NO_DATA ? 0 : b[4];
    if ((interrupt == ONLY_INTERRUPT || interrupt == WITH_INTERRUPT) && event)
        cp->config.ops->set_event(cp->config.user, event);
    return PM4_DONE;
}

/* body: event type [5:0], index [11:8]. Those that write memory have other indices. */
static enum pm4_result event_write(const struct command *c, struct pm4_error *e)
{
    enum { OTHER = 0, PARTIAL_FLUSH = 4, CACHE_FLUSH = 7 };
    const unsigned index = c->body[0] >> 8 & 15;
    return index == OTHER || index == PARTIAL_FLUSH || index == CACHE_FLUSH ? PM4_DONE : unknown(c, e);
}

/* ---- Buffers ---- */

/* Does it act only when all kernels before it are complete? */
static bool after_kernels(uint32_t header)
{
    return OPCODE(header) == PM4_RELEASE_MEM || OPCODE(header) == PM4_EVENT_WRITE;
}

static enum pm4_result execute(struct sg_cp *cp, const struct command *c, struct pm4_error *e)
{
    switch (OPCODE(c->header)) {
    case PM4_NOP:
    case PM4_PRED_EXEC: /* the emulated chiplets act as one, the first: see skipped */
        return PM4_DONE;
    case PM4_ACQUIRE_MEM:
        sg_engine_invalidate_code(cp->config.engine, 0, UINT64_MAX);
        return PM4_DONE;
    case PM4_WAIT_REG_MEM:
        return wait_reg_mem(cp, c, e);
    case PM4_RELEASE_MEM:
        return release_mem(cp, c, e);
    case PM4_EVENT_WRITE:
        return event_write(c, e);
    default:
        return unknown(c, e);
    }
}

/* PRED_EXEC: dwords [13:0] after it that chiplets not in the mask [31:24] leave out. */
static uint32_t skipped(const struct command *c)
{
    return OPCODE(c->header) == PM4_PRED_EXEC && !(c->body[0] >> 24 & 1) ? c->body[0] & 0x3fff : 0;
}

/* The indirect buffer that the packet names; NULL: e->why. */
static const uint32_t *buffer(struct sg_cp *cp, const void *packet, uint32_t *dwords, struct pm4_error *e)
{
    uint32_t jump[4];
    memcpy(jump, (const uint8_t *)packet + 4, sizeof jump);
    if (!TYPE3(jump[0]) || OPCODE(jump[0]) != PM4_INDIRECT_BUFFER) {
        snprintf(e->why, sizeof e->why, "PM4 vendor packet without an indirect buffer (header 0x%08x)",
                 jump[0]);
        return NULL;
    }
    const uint64_t va = address(jump + 1, 3);
    *dwords = jump[3] & 0xfffff;
    const uint32_t *ib = cp_host(cp, va, 4ull * *dwords);
    if (!ib)
        snprintf(e->why, sizeof e->why, "PM4 indirect buffer at unmapped address 0x%llx",
                 (unsigned long long)va);
    return ib;
}

enum pm4_result pm4_execute_aql(struct sg_cp *cp, const void *packet, bool kernels, uint32_t *at,
                                struct pm4_error *e)
{
    uint32_t dwords;
    *e = (struct pm4_error){0};
    const uint32_t *ib = buffer(cp, packet, &dwords, e);
    if (!ib)
        return PM4_BAD;
    while (*at < dwords) {
        const struct command c = {ib + *at + 1, ib[*at], BODY(ib[*at])};
        if (!TYPE3(c.header) || c.dwords >= dwords - *at) {
            snprintf(e->why, sizeof e->why, "PM4 command 0x%08x is not supported, or longer than its buffer",
                     c.header);
            return PM4_BAD;
        }
        if (kernels && after_kernels(c.header))
            return PM4_WAIT_KERNELS;
        const enum pm4_result r = execute(cp, &c, e);
        if (r != PM4_DONE)
            return r;
        const uint32_t next = 1 + c.dwords + skipped(&c);
        *at = next < dwords - *at ? *at + next : dwords;
    }
    *at = 0;
    return PM4_DONE;
}
