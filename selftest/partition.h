/* partition.h - how a GPU is divided, as the kernel driver tells. */
#ifndef SELFTEST_PARTITION_H
#define SELFTEST_PARTITION_H

#include <stdint.h>

enum { PARTITION_NAME = 16 };

struct partition {
    char compute[PARTITION_NAME]; /* "SPX", "CPX", ...; empty: the driver does not tell */
    char memory[PARTITION_NAME];  /* "NPS1", "NPS4", ... */
    unsigned number;              /* of this agent among those of its card */
};

/* `devices`: "/sys/bus/pci/devices". domain and location: ROCr's HSA_AMD_AGENT_INFO_DOMAIN and _BDFID, where the kernel
 * driver puts the number of the partition into bits 31 to 28 (kfd_topology_add_device, location_id). */
void partition_read(const char *devices, uint32_t domain, uint32_t location, struct partition *out);

#endif
