/*
 * hsa_link.h - the link between a GPU and memory of the host, as ROCr tells it.
 */
#ifndef COMMON_HSA_LINK_H
#define COMMON_HSA_LINK_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdbool.h>

struct ls_link {
    uint32_t hops;
    hsa_amd_link_info_type_t type; /* of the first hop */
    bool atomics_32, atomics_64;   /* on all hops: read-modify-writes of the GPU in that memory take place */
};

/* Asks with `info`, which is hsa_amd_agent_memory_pool_get_info. False when ROCr does not tell, or when there is no
 * link: the memory is the agent's own. Without atomics read-modify-writes over PCI Express fail and nobody is told:
 * the kernel driver sets the links' flags from what both ends and the switches between them can
 * (kfd_set_iolink_no_atomics), gfx9 and later GPUs come up without. */
static inline bool ls_link_of(__typeof__(hsa_amd_agent_memory_pool_get_info) *info, hsa_agent_t agent,
                              hsa_amd_memory_pool_t pool, struct ls_link *out)
{
    enum { MOST = 8 };
    hsa_amd_memory_pool_link_info_t hop[MOST] = {{0}};
    *out = (struct ls_link){.atomics_32 = true, .atomics_64 = true};
    if (info(agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, &out->hops) != HSA_STATUS_SUCCESS ||
        !out->hops || out->hops > MOST ||
        info(agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO, hop) != HSA_STATUS_SUCCESS)
        return false;
    out->type = hop[0].link_type;
    for (uint32_t i = 0; i < out->hops; i++) {
        out->atomics_32 &= hop[i].atomic_support_32bit;
        out->atomics_64 &= hop[i].atomic_support_64bit;
    }
    return true;
}

#endif
