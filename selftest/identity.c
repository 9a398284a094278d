/* identity.c - which GPU, runtime and link this is, as far as the profiler's ways depend on it. */
#include "common/hsa_link.h"
#include "parts.h"
#include "partition.h"

/* Attributes of ROCr 5.7 and later (hsa_ext_amd.h), for headers that are older. */
enum { INFO_UCODE_VERSION = 0xA108, INFO_IOMMU = 0xA110, INFO_NEAREST_CPU = 0xA113 };

static bool agent_number(const struct gpu *g, unsigned attribute, uint32_t *out)
{
    *out = 0;
    return hsa_agent_get_info(g->agent, (hsa_agent_info_t)attribute, out) == HSA_STATUS_SUCCESS;
}

static void add_agent(const struct gpu *g, json_t *part, const char *name, unsigned attribute)
{
    uint32_t value;
    if (agent_number(g, attribute, &value))
        json_object_set_new(part, name, json_integer(value));
}

static void add_runtime(json_t *part)
{
    uint16_t major = 0, minor = 0;
    hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major);
    hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MINOR, &minor);
    json_object_set_new(part, "hsa", json_sprintf("%u.%u", major, minor));
}

static void add_isa(const struct gpu *g, json_t *part)
{
    hsa_isa_t isa;
    uint32_t length = 0;
    char name[128] = "";
    if (hsa_agent_get_info(g->agent, HSA_AGENT_INFO_ISA, &isa) == HSA_STATUS_SUCCESS &&
        hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length) == HSA_STATUS_SUCCESS &&
        length < sizeof name && hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name) == HSA_STATUS_SUCCESS)
        json_object_set_new(part, "isa", json_string(name));
}

/* The rings lie in memory of the host: without atomics over the link nothing can be streamed. */
static void add_link(struct gpu *g, json_t *part)
{
    struct ls_link link;
    if (!ls_link_of(hsa_amd_agent_memory_pool_get_info, g->agent, g->host, &link))
        return;
    json_object_set_new(part, "link",
                        json_pack("{s:i, s:i, s:b, s:b}", "hops", (int)link.hops, "type", (int)link.type,
                                  "atomics_32", link.atomics_32, "atomics_64", link.atomics_64));
    if (!link.atomics_32 || !link.atomics_64)
        problem(
            part,
            "the link between GPU and host has no atomic operations, so accesses cannot be streamed: in a "
            "virtual machine, pass PCIe atomics through");
}

static void add_memory(struct gpu *g, json_t *part)
{
    hsa_amd_memory_pool_access_t access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
    size_t bytes = 0;
    hsa_amd_agent_memory_pool_get_info(g->cpu, g->device, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access);
    hsa_amd_memory_pool_get_info(g->device, HSA_AMD_MEMORY_POOL_INFO_SIZE, &bytes);
    json_object_set_new(part, "device_memory_gib", json_integer((json_int_t)(bytes >> 30)));
    json_object_set_new(part, "large_bar", json_boolean(access != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED));
}

static void add_nearest(const struct gpu *g, json_t *part)
{
    hsa_agent_t nearest = {0};
    if (hsa_agent_get_info(g->agent, (hsa_agent_info_t)INFO_NEAREST_CPU, &nearest) == HSA_STATUS_SUCCESS)
        json_object_set_new(part, "nearest_cpu_is_first", json_boolean(nearest.handle == g->cpu.handle));
}

/* One card of MI300 can be up to eight agents, each with some of its dies and of its memory. */
static void add_partition(const struct gpu *g, json_t *part)
{
    struct partition p;
    uint32_t domain, location;
    if (!g->measures || !agent_number(g, HSA_AMD_AGENT_INFO_DOMAIN, &domain) ||
        !agent_number(g, HSA_AMD_AGENT_INFO_BDFID, &location))
        return;
    partition_read("/sys/bus/pci/devices", domain, location, &p);
    if (*p.compute || *p.memory)
        json_object_set_new(
            part, "partition",
            json_pack("{s:s, s:s, s:i}", "compute", p.compute, "memory", p.memory, "number", (int)p.number));
}

void part_identity(struct gpu *g, json_t *part)
{
    json_object_set_new(part, "gpu", json_string(g->name));
    add_isa(g, part);
    json_object_set_new(part, "lanes", json_integer(g->lanes));
    json_object_set_new(part, "compute_units", json_integer(g->units));
    if (gpu_xccs(g))
        json_object_set_new(part, "xccs", json_integer(gpu_xccs(g)));
    add_agent(g, part, "waves_per_unit", HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU);
    add_agent(g, part, "simds_per_unit", HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU);
    add_agent(g, part, "shader_engines", HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES);
    add_agent(g, part, "clock_mhz", HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY);
    add_agent(g, part, "firmware", INFO_UCODE_VERSION);
    add_agent(g, part, "iommu", INFO_IOMMU);
    add_runtime(part);
    add_partition(g, part);
    add_memory(g, part);
    add_nearest(g, part);
    add_link(g, part);
}
