#include "partition.h"

#include <ctype.h>
#include <stdio.h>

/* The driver's names are letters and digits; what else a file may have is left out of what users send. */
static void read_name(const char *device, const char *file, char name[PARTITION_NAME])
{
    char path[512];
    unsigned n = 0;
    int c;
    snprintf(path, sizeof path, "%s/%s", device, file);
    FILE *f = fopen(path, "re");
    while (f && n + 1 < PARTITION_NAME && (c = fgetc(f)) != EOF && isalnum(c))
        name[n++] = (char)c;
    name[n] = 0;
    if (f)
        fclose(f);
}

void partition_read(const char *devices, uint32_t domain, uint32_t location, struct partition *out)
{
    char device[256];
    snprintf(device, sizeof device, "%s/%04x:%02x:%02x.%x", devices, domain, location >> 8 & 0xff,
             location >> 3 & 0x1f, location & 7);
    read_name(device, "current_compute_partition", out->compute);
    read_name(device, "current_memory_partition", out->memory);
    out->number = location >> 28;
}
