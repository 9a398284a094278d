/*
 * topology_device.c - a GPU as a PCI and DRM device: what libdrm, rocm_smi_lib and clients without ROCr read
 * below /sys/class/drm/cardN/device.
 */
#include "topology_tree.h"

#include <stdio.h>
#include <string.h>

/* "/sys/dev/char/226:128/device", where /sys/class/drm/card0 and renderD128 lead, too (vfs.c). */
static void device_path(unsigned g, const char *name, char path[160])
{
    snprintf(path, 160, "/sys/dev/char/%u:%u/device/%s", DRM_MAJOR, RENDER_MINOR_FIRST + g, name);
}

/* What libdrm looks at to decide that a device node is a DRM node, and which PCI device it is. */
static void add_drm(struct tree *t, const struct ls_gpu_card *card, unsigned g)
{
    char name[64], path[160];
    snprintf(name, sizeof name, "drm/renderD%u/dev", RENDER_MINOR_FIRST + g);
    device_path(g, name, path);
    topology_add(t, path, "%u:%u\n", DRM_MAJOR, RENDER_MINOR_FIRST + g);
    /* libdrm tells devices apart by the name of the primary node, and takes devices without one for equal. */
    snprintf(name, sizeof name, "drm/card%u/dev", g);
    device_path(g, name, path);
    topology_add(t, path, "%u:%u\n", DRM_MAJOR, g);
    device_path(g, "uevent", path);
    topology_add(t, path, "DRIVER=amdgpu\nPCI_ID=1002:%04X\nPCI_SLOT_NAME=0000:%02x:00.0\n", card->device_id,
                 3 + g);
    const struct {
        const char *name;
        unsigned value;
    } number[] = {{"vendor", 0x1002},
                  {"device", card->device_id},
                  {"subsystem_vendor", 0x1002},
                  {"subsystem_device", 0x0c34},
                  {"revision", card->revision}};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
        device_path(g, number[i].name, path);
        topology_add(t, path, i == 4 ? "0x%02x\n" : "0x%04x\n", number[i].value);
    }
    device_path(g, "subsystem", path);
    topology_add_entry(t, path, strdup("../../../../bus/pci"), true);
}

/* All of a card's memory is visible to the CPU; GTT is memory of the host that the GPU reaches. */
static void add_memory_info(struct tree *t, const struct ls_gpu_card *card, unsigned g)
{
    const struct {
        const char *name;
        uint64_t total;
        enum topology_live used;
    } heap[] = {{"vram", card->memory_bytes, LIVE_VRAM_USED},
                {"vis_vram", card->memory_bytes, LIVE_VRAM_USED},
                {"gtt", topology_host_memory(), LIVE_GTT_USED}};
    char name[64], path[160];
    for (size_t i = 0; i < sizeof heap / sizeof *heap; i++) {
        snprintf(name, sizeof name, "mem_info_%s_total", heap[i].name);
        device_path(g, name, path);
        topology_add(t, path, "%llu\n", (unsigned long long)heap[i].total);
        snprintf(name, sizeof name, "mem_info_%s_used", heap[i].name);
        device_path(g, name, path);
        topology_add(t, path, "0\n");
        topology_live(t, heap[i].used, g);
    }
}

/* rocm_smi_lib (rocm_smi_main.cc) finds the cards in /sys/class/drm, their PCI place in where the links lead,
 * the monitor of a card by its name, and the KFD node by the unique number. There is no sensor: what a
 * program asks of the monitor is "not supported". */
static void add_management(struct tree *t, const struct ls_gpu_card *card, unsigned g)
{
    char path[160];
    const unsigned minor[] = {g, RENDER_MINOR_FIRST + g};
    for (unsigned i = 0; i < 2; i++) {
        char *target = NULL;
        const char *kind = i ? "renderD" : "card";
        snprintf(path, sizeof path, "/sys/class/drm/%s%u", kind, minor[i]);
        if (asprintf(&target, "../../devices/pci0000:00/0000:%02x:00.0/drm/%s%u", 3 + g, kind, minor[i]) < 0)
            target = NULL;
        topology_add_entry(t, path, target, true);
    }
    device_path(g, "hwmon/hwmon0/name", path);
    topology_add(t, path, "amdgpu\n");
    device_path(g, "hwmon/hwmon0/in0_label", path); /* up to ROCm 5.2 a monitor without it ends the program */
    topology_add(t, path, "vddgfx\n");
    device_path(g, "vbios_version", path); /* up to ROCm 5.2 a card without it is none of AMD's */
    topology_add(t, path, "lanescope-soft-gpu\n");
    device_path(g, "unique_id", path);
    topology_add(t, path, "%016llx\n", GPU_UNIQUE_ID(g));
    device_path(g, "numa_node", path); /* the node of add_cpu */
    topology_add(t, path, "0\n");
    add_memory_info(t, card, g);
}

/* The versions of its blocks, which tell a client without ROCr how to talk to them. Numbers of the blocks:
 * Linux soc15_hw_ip.h. */
static void add_discovery(struct tree *t, const struct ls_gpu_card *card, unsigned g)
{
    enum { GC = 11, SDMA0 = 42, NBIF = 108 };
    const struct {
        unsigned id;
        const uint8_t *version;
    } block[] = {{GC, card->blocks.gc}, {SDMA0, card->blocks.sdma}, {NBIF, card->blocks.nbif}};
    static const char *const part[] = {"major", "minor", "revision"};
    char name[64], path[160];
    for (unsigned b = 0; b < 3; b++)
        for (unsigned p = 0; p < 3; p++) {
            snprintf(name, sizeof name, "ip_discovery/die/0/%u/0/%s", block[b].id, part[p]);
            device_path(g, name, path);
            topology_add(t, path, "%u\n", block[b].version[p]);
        }
}

void topology_add_device(struct tree *t, const struct soft_config *c, unsigned g)
{
    const struct ls_gpu_card *card = c->arch->card;
    add_drm(t, card, g);
    add_management(t, card, g);
    add_discovery(t, card, g);
}
