/*
 * pm4.c - ROCr sends PM4 to a gfx9 queue for one purpose: to invalidate the instruction caches after it has
 * loaded code (GpuAgent::InvalidateCodeCaches). Type-3 header: [31:30] = 3, [29:16] dwords of body - 1,
 * [15:8] opcode (ROCr's amd_gpu_pm4.h).
 */
#include "pm4.h"

#include <stdio.h>
#include <string.h>

#include "internal.h"

enum pm4_opcode {
    PM4_NOP = 0x10,
    PM4_INDIRECT_BUFFER = 0x3f,
    PM4_ACQUIRE_MEM = 0x58,
};

#define TYPE3(h) ((h) >> 30 == 3)
#define OPCODE(h) ((h) >> 8 & 0xff)
#define BODY(h) (((h) >> 16 & 0x3fff) + 1)

bool pm4_execute_aql(struct sg_cp *cp, const void *packet, char *why, size_t why_size)
{
    uint32_t jump[4];
    memcpy(jump, (const uint8_t *)packet + 4, sizeof jump);
    if (!TYPE3(jump[0]) || OPCODE(jump[0]) != PM4_INDIRECT_BUFFER) {
        snprintf(why, why_size, "PM4 vendor packet without an indirect buffer (header 0x%08x)", jump[0]);
        return false;
    }
    uint64_t va = (jump[1] & ~3ull) | (uint64_t)jump[2] << 32;
    uint32_t dwords = jump[3] & 0xfffff;
    const uint32_t *ib = cp_host(cp, va, 4ull * dwords);
    if (!ib) {
        snprintf(why, why_size, "PM4 indirect buffer at unmapped address 0x%llx", (unsigned long long)va);
        return false;
    }
    for (uint32_t at = 0; at < dwords; at += 1 + BODY(ib[at])) {
        if (!TYPE3(ib[at]) || (OPCODE(ib[at]) != PM4_NOP && OPCODE(ib[at]) != PM4_ACQUIRE_MEM)) {
            snprintf(why, why_size, "PM4 command 0x%08x is not supported", ib[at]);
            return false;
        }
        if (OPCODE(ib[at]) == PM4_ACQUIRE_MEM)
            sg_engine_invalidate_code(cp->config.engine, 0, UINT64_MAX);
    }
    return true;
}
