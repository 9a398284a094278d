/*
 * topology.c - the KFD topology in sysfs: one CPU node, one node per GPU, PCIe links between them.
 *
 * Names and meaning of the properties: Linux drivers/gpu/drm/amd/amdkfd/kfd_topology.c; the reader is
 * libhsakmt's topology.c. Values are those of the card in the table of GPUs (gpus/table.c).
 */
#include "topology_tree.h"
#include "common/vector.h"
#include "soft-gpu/kfd/raw.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GIB (1024ull * 1024 * 1024)
uint32_t gpu_id_of(unsigned index)
{
    return 19762 + index * 101; /* any distinct numbers that are not 0 */
}

/* capability bits (KFD's HSA_CAP_*): 3 queue size power of two, 4 queue size 32 bit, 7 watch points with 4 of
   them (2 << 8), 12 doorbell type 2 (64 bit), 15 debug trap, 22 ASIC revision 1, 27 SVM; 26 SRAM ECC, which the register
   files of the gfx10 and gfx11 GPUs do not have (LLVM AMDGPUUsage, "Processors": no sramecc). Bit 1
   must stay clear: it would select the APU path. Bit 29, the exception interface of newer debuggers, is
   clear, so that errors go through queue_inactive_signal in every runtime. */
#define CAPABILITY (1u << 3 | 1u << 4 | 1u << 7 | 2u << 8 | 2u << 12 | 1u << 15 | 1u << 22 | 1u << 27)
#define CAPABILITY_SRAM_ECC (1u << 26)

void topology_add_entry(struct tree *t, const char *path, char *content, bool is_link)
{
    char *copy = strdup(path);
    if (!copy || !content || !LS_ROOM(t->file, t->count)) {
        t->failed = true;
        free(copy);
        free(content);
        return;
    }
    t->file[t->count++] = (struct topology_file){copy, content, is_link, LIVE_NONE, 0};
}

void topology_add(struct tree *t, const char *path, const char *format, ...)
{
    char *content = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&content, format, args) < 0)
        content = NULL;
    va_end(args);
    topology_add_entry(t, path, content, false);
}

void topology_live(struct tree *t, enum topology_live what, unsigned g)
{
    if (t->failed)
        return;
    t->file[t->count - 1].live = what;
    t->file[t->count - 1].gpu = g;
}

#define NODES "/sys/devices/virtual/kfd/kfd/topology/nodes"

/* Links between GPUs across PCI Express are the driver's p2p_links; io_links between them are XGMI, and rocm_smi_lib
 * stops at any other. Flags as CRAT_IOLINK_FLAGS_* of the kernel's driver: 1 they are valid, 4 and 8 no atomic operations of 32 and 64 bits. */
static void add_link(struct tree *t, const struct soft_config *c, unsigned from, unsigned index, unsigned to)
{
    const char *kind = from && to ? "p2p_links" : "io_links";
    const unsigned flags = c->link_atomics ? 1 : 1 | 4 | 8;
    char path[160];
    /* type 2: PCI Express; 31504 MB/s: sixteen lanes of generation 4 */
    snprintf(path, sizeof path, NODES "/%u/%s/%u/properties", from, kind, index);
    topology_add(
        t, path,
        "type 2\nversion_major 0\nversion_minor 0\nnode_from %u\nnode_to %u\nweight 20\nmin_latency 0\n"
        "max_latency 0\nmin_bandwidth 312\nmax_bandwidth 31504\nrecommended_transfer_size 0\nflags %u\n",
        from, to, flags);
}

static void add_memory(struct tree *t, unsigned node, unsigned heap, uint64_t bytes, unsigned width,
                       unsigned clock)
{
    char path[160];
    snprintf(path, sizeof path, NODES "/%u/mem_banks/0/properties", node);
    topology_add(t, path, "heap_type %u\nsize_in_bytes %llu\nflags 0\nwidth %u\nmem_clk_max %u\n", heap,
                 (unsigned long long)bytes, width, clock);
}

static void add_cache(struct tree *t, unsigned node, unsigned index, unsigned level, unsigned kib,
                      unsigned line, unsigned type)
{
    char path[160];
    snprintf(path, sizeof path, NODES "/%u/caches/%u/properties", node, index);
    topology_add(
        t, path,
        "processor_id_low 0\nlevel %u\nsize %u\ncache_line_size %u\ncache_lines_per_tag 1\nassociation 8\n"
        "latency 0\ntype %u\nsibling_map 1,0\n",
        level, kib, line, type);
}

uint64_t topology_host_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 4 * GIB;
}

static void add_cpu(struct tree *t, const struct soft_config *c)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    topology_add(t, NODES "/0/gpu_id", "0\n");
    topology_add(t, NODES "/0/name", "\n");
    /* One cache, or the reader would search the host's sysfs, which virtual machines often lack. */
    topology_add(
        t, NODES "/0/properties",
        "cpu_cores_count %ld\nsimd_count 0\nmem_banks_count 1\ncaches_count 1\nio_links_count %u\n"
        "p2p_links_count 0\ncpu_core_id_base 0\nsimd_id_base 0\nmax_waves_per_simd 0\nlds_size_in_kb 0\n"
        "gds_size_in_kb 0\nnum_gws 0\nwave_front_size 0\narray_count 0\nsimd_arrays_per_engine 0\n"
        "cu_per_simd_array 0\nsimd_per_cu 0\nmax_slots_scratch_cu 0\ngfx_target_version 0\nvendor_id 0\n"
        "device_id 0\nlocation_id 0\ndomain 0\ndrm_render_minor 0\nhive_id 0\nnum_sdma_engines 0\n"
        "num_sdma_xgmi_engines 0\nnum_sdma_queues_per_engine 0\nnum_cp_queues 0\n"
        "max_engine_clk_ccompute 3000\n",
        cores > 0 ? cores : 1, c->gpus);
    add_memory(t, 0, 0, topology_host_memory(), 64, 3200);
    add_cache(t, 0, 0, 1, 32, 64, 5);
    for (unsigned g = 0; g < c->gpus; g++)
        add_link(t, c, 0, g, g + 1);
}

static void add_gpu(struct tree *t, const struct soft_config *c, unsigned g)
{
    const struct ls_gpu *a = c->arch;
    const struct ls_gpu_family *f = a->family;
    const struct ls_gpu_card *card = a->card;
    unsigned node = g + 1, link = 0;
    char path[160];
    snprintf(path, sizeof path, NODES "/%u/gpu_id", node);
    topology_add(t, path, "%u\n", gpu_id_of(g));
    snprintf(path, sizeof path, NODES "/%u/name", node);
    topology_add(t, path, "%s\n", a->name);
    snprintf(path, sizeof path, NODES "/%u/properties", node);
    topology_add(
        t, path,
        "cpu_cores_count 0\nsimd_count %u\nmem_banks_count 1\ncaches_count 2\nio_links_count 1\n"
        "p2p_links_count %u\ncpu_core_id_base 0\nsimd_id_base 2147487744\nmax_waves_per_simd %u\n"
        "lds_size_in_kb %u\ngds_size_in_kb 0\nnum_gws 64\nwave_front_size %u\narray_count %u\n"
        "simd_arrays_per_engine %u\ncu_per_simd_array %u\nsimd_per_cu %u\nmax_slots_scratch_cu 32\n"
        "gfx_target_version %u\nvendor_id 4098\ndevice_id %u\nlocation_id %u\ndomain 0\n"
        "drm_render_minor %u\nhive_id 0\nnum_sdma_engines 2\nnum_sdma_xgmi_engines 0\n"
        "num_sdma_queues_per_engine 8\nnum_cp_queues 24\nmax_engine_clk_fcompute 1700\nlocal_mem_size 0\n"
        "fw_version %u\ncapability %u\ndebug_prop 1495\nsdma_fw_version 8\nunique_id %llu\nnum_xcc %u\n"
        "max_engine_clk_ccompute 3000\n",
        f->simds * card->compute_units, c->gpus - 1, f->waves_per_simd, f->lds_bytes / 1024, f->lanes,
        card->dies * card->engines * card->arrays, card->arrays, card->array_units, f->simds, a->version,
        card->device_id, 768 + g * 256, RENDER_MINOR_FIRST + g, card->firmware,
        CAPABILITY | (a->d16_keeps_half ? 0 : CAPABILITY_SRAM_ECC), GPU_UNIQUE_ID(g), card->dies);
    add_memory(t, node, 1, card->memory_bytes, 4096, 1600); /* heap 1: all of it visible to the CPU */
    add_cache(t, node, 0, 1, card->l1_kib, a->l1_line, 9);  /* type 9: data cache of a compute unit */
    add_cache(t, node, 1, 2, card->l2_kib, a->l2_line, 9);
    add_link(t, c, node, 0, 0);
    for (unsigned other = 0; other < c->gpus; other++)
        if (other != g)
            add_link(t, c, node, link++, other + 1);
}

/* Tools ask whether the kernel module is loaded: old rocminfo through lsmod, new rocminfo through sysfs. */
static void add_module(struct tree *t)
{
    char *text = NULL;
    size_t size = 0;
    /* The modules that are really loaded stay visible. */
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        t->failed = true;
        return;
    }
    int fd = raw_openat(AT_FDCWD, "/proc/modules", O_RDONLY | O_CLOEXEC, 0);
    if (fd >= 0) {
        char chunk[4096];
        for (ssize_t n; (n = read(fd, chunk, sizeof chunk)) > 0;)
            fwrite(chunk, 1, (size_t)n, out);
        close(fd);
    }
    fprintf(out, "amdgpu 9674752 0 - Live 0x0000000000000000\n");
    fclose(out);
    topology_add_entry(t, "/proc/modules", text, false);
    topology_add(t, "/sys/module/amdgpu/initstate", "live\n");
    topology_add(t, "/sys/module/amdgpu/refcnt", "0\n");
    topology_add(t, "/sys/module/amdgpu/coresize", "9674752\n");
    topology_add(t, "/sys/module/amdgpu/version", "6.10.5\n");
    topology_add(t, "/sys/module/amdgpu/holders/.none", "");
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct topology_file *)a)->path, ((const struct topology_file *)b)->path);
}

const struct topology_file *topology_files(const struct soft_config *config, unsigned *count)
{
    struct tree t = {0};
    topology_add(&t, "/sys/devices/virtual/kfd/kfd/topology/generation_id", "2\n");
    topology_add(&t, "/sys/devices/virtual/kfd/kfd/topology/system_properties",
                 "platform_oem 0\nplatform_id 0\nplatform_rev 0\n");
    add_cpu(&t, config);
    for (unsigned g = 0; g < config->gpus; g++) {
        add_gpu(&t, config, g);
        topology_add_device(&t, config, g);
    }
    /* No process is listed: each sees GPUs of its own. Readers need the folder, and skip names with a dot. */
    topology_add(&t, "/sys/devices/virtual/kfd/kfd/proc/.none", "");
    add_module(&t);
    *count = t.failed ? 0 : t.count;
    if (!t.failed)
        qsort(t.file, t.count, sizeof *t.file, by_path);
    return t.file;
}
