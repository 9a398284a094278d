/*
 * loader.c - code objects without ROCr.
 *
 * ELF: LLVM AMDGPUUsage "Code Object", relocations "Relocation Records", hidden arguments "Code Object V5
 * Kernel Argument Metadata". AQL packet: HSA System Architecture 1.2, 2.9.6.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common/names.h"
#include "common/vector.h"
#include "loader.h"

#ifndef R_AMDGPU_ABS32_LO
enum {
    R_AMDGPU_ABS32_LO = 1,
    R_AMDGPU_ABS32_HI = 2,
    R_AMDGPU_ABS64 = 3,
    R_AMDGPU_REL32 = 4,
    R_AMDGPU_REL64 = 5,
    R_AMDGPU_ABS32 = 6,
    R_AMDGPU_RELATIVE64 = 13,
};
#endif

enum {
    PAGE = 4096,
    DESCRIPTOR_BYTES = 64,
    KERNARG_BYTES = 4096,
    DYNAMIC_STACK_BYTES = 4096,
    IMAGE_MAX = 1 << 30,  /* bytes of a loaded code object */
    SCRATCH_WAVES = 4096, /* wavefronts for which the device has scratch */
};

struct mapping {
    struct mapping *next;
    void *address;
    size_t bytes;
};

struct sg_object {
    struct sg_object *next;
    uint8_t *base;
    size_t bytes;
    struct symbol *symbols;
    size_t n_symbols;
};

struct symbol {
    char *name;
    uint64_t address, size;
    bool kernel;
};

struct sg_device {
    struct sg_mem *mem;
    struct sg_engine *engine;
    uint32_t lanes; /* of a wavefront */
    struct mapping *mappings;
    struct sg_object *objects;
    void *scratch;
    size_t scratch_bytes;
    uint64_t n_dispatches;
};

/* ---- Device ---- */

struct sg_device *sg_device_create(const struct sg_engine_config *config, const char **why)
{
    struct sg_device *d = calloc(1, sizeof *d);
    *why = "out of memory";
    if (!d || !(d->mem = sg_mem_create())) {
        free(d);
        return NULL;
    }
    struct sg_engine_config c = *config;
    c.mem = d->mem;
    c.ops = config->ops;
    d->lanes = config->arch->family->lanes;
    d->engine = sg_engine_create(&c, why);
    if (!d->engine) {
        sg_mem_destroy(d->mem);
        free(d);
        return NULL;
    }
    return d;
}

static void object_free(struct sg_object *o)
{
    for (size_t i = 0; i < o->n_symbols; i++)
        free(o->symbols[i].name);
    free(o->symbols);
    free(o);
}

void sg_device_destroy(struct sg_device *d)
{
    if (!d)
        return;
    sg_engine_destroy(d->engine);
    for (struct sg_object *o = d->objects, *next; o; o = next) {
        next = o->next;
        object_free(o);
    }
    sg_mem_destroy(d->mem);
    for (struct mapping *m = d->mappings, *next; m; m = next) {
        next = m->next;
        munmap(m->address, m->bytes);
        free(m);
    }
    free(d);
}

struct sg_engine *sg_device_engine(struct sg_device *d)
{
    return d->engine;
}

/* Host memory that the GPU sees at `va`, or where it lies when that is 0. */
static void *map_at(struct sg_device *d, uint64_t va, size_t bytes, uint32_t flags)
{
    struct mapping *m = malloc(sizeof *m);
    bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    void *p =
        m ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
          : MAP_FAILED;
    if (p == MAP_FAILED || sg_mem_map(d->mem, va ? va : (uintptr_t)p, bytes, p, flags)) {
        if (p != MAP_FAILED)
            munmap(p, bytes);
        free(m);
        return NULL;
    }
    *m = (struct mapping){d->mappings, p, bytes};
    d->mappings = m;
    return p;
}

static void *map(struct sg_device *d, size_t bytes, uint32_t flags)
{
    return map_at(d, 0, bytes, flags);
}

bool sg_device_place_code(struct sg_device *d, uint64_t va, const uint32_t *words, size_t n)
{
    void *p = map_at(d, va, n * sizeof *words, SG_RANGE_READ | SG_RANGE_EXEC);
    if (p)
        memcpy(p, words, n * sizeof *words);
    return p;
}

void *sg_device_alloc(struct sg_device *d, size_t bytes)
{
    return map(d, bytes ? bytes : 1, SG_RANGE_READ | SG_RANGE_WRITE);
}

void *sg_device_alloc_uncached(struct sg_device *d, size_t bytes)
{
    return map(d, bytes ? bytes : 1, SG_RANGE_READ | SG_RANGE_WRITE | SG_RANGE_UNCACHED);
}

/* ---- ELF ---- */

/* Whether [offset, offset + bytes) lies within `size` bytes. */
static bool within(uint64_t offset, uint64_t bytes, uint64_t size)
{
    return offset <= size && bytes <= size - offset;
}

/* Size of the image that the loadable segments span; 0 when there are none, or some that no file of this
 * kind has. */
static size_t image_size(Elf *elf)
{
    size_t n = 0, size = 0;
    GElf_Phdr h;
    elf_getphdrnum(elf, &n);
    for (size_t i = 0; i < n; i++) {
        if (!gelf_getphdr(elf, (int)i, &h) || h.p_type != PT_LOAD)
            continue;
        if (!within(h.p_vaddr, h.p_memsz, IMAGE_MAX) || h.p_filesz > h.p_memsz)
            return 0;
        if (h.p_vaddr + h.p_memsz > size)
            size = h.p_vaddr + h.p_memsz;
    }
    return size;
}

static bool copy_segments(Elf *elf, int fd, struct sg_object *o)
{
    size_t n;
    GElf_Phdr h;
    elf_getphdrnum(elf, &n);
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(elf, (int)i, &h) && h.p_type == PT_LOAD &&
            pread(fd, o->base + h.p_vaddr, h.p_filesz, (off_t)h.p_offset) != (ssize_t)h.p_filesz)
            return false;
    return true;
}

static bool add_symbol(struct sg_object *o, const char *name, const GElf_Sym *sym)
{
    if (!LS_ROOM(o->symbols, o->n_symbols))
        return false;
    struct symbol *s = &o->symbols[o->n_symbols];
    s->kernel = ls_stem(name, ".kd") && sym->st_size >= DESCRIPTOR_BYTES;
    s->name = strdup(name);
    s->address = (uintptr_t)o->base + sym->st_value;
    s->size = sym->st_size;
    if (!s->name)
        return false;
    o->n_symbols++;
    return true;
}

static bool read_symbols(Elf *elf, struct sg_object *o)
{
    GElf_Shdr h;
    GElf_Sym sym;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        if (!gelf_getshdr(scn, &h) || h.sh_type != SHT_DYNSYM || !h.sh_entsize)
            continue;
        Elf_Data *data = elf_getdata(scn, NULL);
        for (size_t i = 0; data && i < h.sh_size / h.sh_entsize; i++) {
            if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
                continue;
            const char *name = elf_strptr(elf, h.sh_link, sym.st_name);
            if (name && *name && within(sym.st_value, sym.st_size, o->bytes) && !add_symbol(o, name, &sym))
                return false;
        }
    }
    return true;
}

/* Value of symbol `index` of the symbol table section `table`. False when it is undefined. */
static bool symbol_value(Elf *elf, size_t table, size_t index, const struct sg_object *o, uint64_t *value)
{
    Elf_Scn *scn = elf_getscn(elf, table);
    Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
    GElf_Sym sym;
    if (!index) {
        *value = 0;
        return true;
    }
    if (!data || !gelf_getsym(data, (int)index, &sym) || sym.st_shndx == SHN_UNDEF)
        return false;
    *value = (uintptr_t)o->base + sym.st_value;
    return true;
}

static bool apply(struct sg_object *o, unsigned type, uint64_t offset, uint64_t symbol, uint64_t addend)
{
    if (!within(offset, 8, o->bytes))
        return false;
    uint64_t value = symbol + addend, place = (uintptr_t)o->base + offset;
    uint8_t *at = o->base + offset;
    switch (type) {
    case R_AMDGPU_RELATIVE64:
        value = (uintptr_t)o->base + addend;
        memcpy(at, &value, 8);
        return true;
    case R_AMDGPU_ABS64:
        memcpy(at, &value, 8);
        return true;
    case R_AMDGPU_REL64:
        value -= place;
        memcpy(at, &value, 8);
        return true;
    case R_AMDGPU_ABS32_HI:
        value >>= 32;
        memcpy(at, &value, 4);
        return true;
    case R_AMDGPU_ABS32_LO:
    case R_AMDGPU_ABS32:
        memcpy(at, &value, 4);
        return true;
    case R_AMDGPU_REL32:
        value -= place;
        memcpy(at, &value, 4);
        return true;
    default:
        return false;
    }
}

static bool relocate(Elf *elf, struct sg_object *o, char *why, size_t size)
{
    GElf_Shdr h;
    GElf_Rela r;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        if (!gelf_getshdr(scn, &h) || h.sh_type != SHT_RELA || !(h.sh_flags & SHF_ALLOC) || !h.sh_entsize)
            continue;
        Elf_Data *data = elf_getdata(scn, NULL);
        for (size_t i = 0; data && i < h.sh_size / h.sh_entsize; i++) {
            uint64_t symbol;
            if (!gelf_getrela(data, (int)i, &r) ||
                !symbol_value(elf, h.sh_link, GELF_R_SYM(r.r_info), o, &symbol)) {
                snprintf(why, size, "the code object refers to an undefined symbol");
                return false;
            }
            if (!apply(o, (unsigned)GELF_R_TYPE(r.r_info), r.r_offset, symbol, (uint64_t)r.r_addend)) {
                snprintf(why, size, "relocation type %u is not supported", (unsigned)GELF_R_TYPE(r.r_info));
                return false;
            }
        }
    }
    return true;
}

static struct sg_object *load(struct sg_device *d, Elf *elf, int fd, char *why, size_t size)
{
    size_t bytes = elf && elf_kind(elf) == ELF_K_ELF ? image_size(elf) : 0;
    GElf_Ehdr header;
    if (!bytes || !gelf_getehdr(elf, &header) || header.e_machine != EM_AMDGPU) {
        snprintf(why, size, "not an AMDGPU code object");
        return NULL;
    }
    struct sg_object *o = calloc(1, sizeof *o);
    snprintf(why, size, "out of memory");
    if (!o || !(o->base = map(d, bytes + 4 * PAGE, SG_RANGE_READ | SG_RANGE_WRITE | SG_RANGE_EXEC))) {
        free(o);
        return NULL;
    }
    o->bytes = bytes + PAGE;
    if (!copy_segments(elf, fd, o))
        snprintf(why, size, "the file is cut off");
    else if (read_symbols(elf, o) && relocate(elf, o, why, size))
        return o;
    object_free(o);
    return NULL;
}

struct sg_object *sg_object_load(struct sg_device *d, const char *path, char *why, size_t size)
{
    struct sg_object *o = NULL;
    elf_version(EV_CURRENT);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return NULL;
    }
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    o = load(d, elf, fd, why, size);
    elf_end(elf);
    close(fd);
    if (o) {
        o->next = d->objects;
        d->objects = o;
        sg_engine_invalidate_code(d->engine, (uintptr_t)o->base, o->bytes);
    }
    return o;
}

uint64_t sg_object_symbol(const struct sg_object *o, const char *name, uint64_t *size)
{
    for (size_t i = 0; i < o->n_symbols; i++)
        if (!strcmp(o->symbols[i].name, name)) {
            if (size)
                *size = o->symbols[i].size;
            return o->symbols[i].address;
        }
    return 0;
}

void sg_object_kernels(const struct sg_object *o, void (*each)(void *user, const char *name), void *user)
{
    char name[512];
    for (size_t i = 0; i < o->n_symbols; i++)
        if (o->symbols[i].kernel) {
            snprintf(name, sizeof name, "%.*s", (int)strlen(o->symbols[i].name) - 3, o->symbols[i].name);
            each(user, name);
        }
}

/* ---- Launch ---- */

static uint32_t word(const uint8_t *p, unsigned offset)
{
    uint32_t value;
    memcpy(&value, p + offset, sizeof value);
    return value;
}

/* Hidden arguments from `at` on, as far as the kernarg segment reaches. */
static void hidden_arguments(uint8_t *kernarg, size_t at, size_t end, const struct sg_dispatch *d)
{
    uint8_t hidden[256] = {0};
    uint16_t dims = 1;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t blocks = d->grid[i] / d->workgroup[i];
        uint16_t group = d->workgroup[i], rest = (uint16_t)(d->grid[i] % d->workgroup[i]);
        memcpy(hidden + 4 * i, &blocks, 4);     /* hidden_block_count_x.. at 0 */
        memcpy(hidden + 12 + 2 * i, &group, 2); /* hidden_group_size_x.. at 12 */
        memcpy(hidden + 18 + 2 * i, &rest, 2);  /* hidden_remainder_x.. at 18 */
        if (d->grid[i] > 1)
            dims = (uint16_t)(i + 1);
    }
    memcpy(hidden + 64, &dims, 2); /* hidden_grid_dims */
    uint32_t private_base = (uint32_t)(d->private_aperture >> 32),
             shared_base = (uint32_t)(d->shared_aperture >> 32);
    memcpy(hidden + 192, &private_base, 4);
    memcpy(hidden + 196, &shared_base, 4);
    memcpy(hidden + 200, &d->queue, 8);
    if (end > at)
        memcpy(kernarg + at, hidden, end - at < sizeof hidden ? end - at : sizeof hidden);
}

/* hsa_kernel_dispatch_packet_t: a kernel reads its sizes from it. */
static void fill_packet(uint8_t *p, const struct sg_dispatch *d)
{
    uint16_t dims = 3;
    memcpy(p + 2, &dims, 2);
    memcpy(p + 4, d->workgroup, 6);
    memcpy(p + 12, d->grid, 12);
    memcpy(p + 24, &d->private_bytes, 4);
    memcpy(p + 28, &d->group_bytes, 4);
    memcpy(p + 32, &d->kernel_object, 8);
    memcpy(p + 40, &d->kernarg, 8);
}

static bool provide_scratch(struct sg_device *d, struct sg_dispatch *s)
{
    size_t wave = ((size_t)s->private_bytes * d->lanes + 1023) / 1024 * 1024;
    if (!wave)
        return true;
    if (d->scratch_bytes < wave * SCRATCH_WAVES) {
        d->scratch_bytes = wave * SCRATCH_WAVES;
        d->scratch = map(d, d->scratch_bytes, SG_RANGE_READ | SG_RANGE_WRITE);
    }
    s->scratch_base = (uintptr_t)d->scratch;
    s->scratch_bytes = d->scratch_bytes;
    return d->scratch != NULL;
}

struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t done;
    bool finished;
    struct sg_fault *fault;
};

static void on_done(void *user, const struct sg_fault *fault)
{
    struct waiter *w = user;
    pthread_mutex_lock(&w->lock);
    *w->fault = *fault;
    w->finished = true;
    pthread_cond_signal(&w->done);
    pthread_mutex_unlock(&w->lock);
}

static int run_and_wait(struct sg_device *d, const struct sg_dispatch *dispatch, struct sg_fault *fault)
{
    struct waiter w = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER, .fault = fault};
    if (sg_engine_submit(d->engine, dispatch, on_done, &w)) {
        fault->kind = SG_FAULT_RESOURCES;
        return -1;
    }
    pthread_mutex_lock(&w.lock);
    while (!w.finished)
        pthread_cond_wait(&w.done, &w.lock);
    pthread_mutex_unlock(&w.lock);
    return fault->kind == SG_FAULT_NONE ? 0 : -1;
}

static int fail(struct sg_fault *fault, const char *message)
{
    fault->kind = SG_FAULT_RESOURCES;
    snprintf(fault->message, sizeof fault->message, "%s", message);
    return -1;
}

int sg_object_launch(struct sg_device *d, struct sg_object *o, const struct sg_launch *l,
                     struct sg_fault *fault)
{
    char name[512];
    memset(fault, 0, sizeof *fault);
    snprintf(name, sizeof name, "%s.kd", l->kernel);
    uint64_t descriptor = 0;
    struct sg_dispatch s = {.kernel_object = sg_object_symbol(o, name, &descriptor)};
    /* One block: kernel arguments, AQL packet, queue. Blocks are kept until the device goes. */
    uint8_t *block = sg_device_alloc(d, KERNARG_BYTES + PAGE);
    if (!s.kernel_object || descriptor < DESCRIPTOR_BYTES)
        return fail(fault, "the code object has no such kernel");
    if (!block)
        return fail(fault, "out of memory");
    const uint8_t *kd = (const uint8_t *)(uintptr_t)s.kernel_object;
    uint32_t kernarg_bytes = word(kd, 8);
    if (l->argument_bytes > KERNARG_BYTES || kernarg_bytes > KERNARG_BYTES)
        return fail(fault, "the kernel has too many arguments");
    for (unsigned i = 0; i < 3; i++) {
        s.grid[i] = l->grid[i] ? l->grid[i] : 1;
        s.workgroup[i] = l->workgroup[i] ? l->workgroup[i] : 1;
    }
    s.kernarg = (uintptr_t)block;
    s.packet = (uintptr_t)block + KERNARG_BYTES;
    s.queue = (uintptr_t)block + KERNARG_BYTES + 64;
    s.dispatch_id = d->n_dispatches++;
    s.acquire = s.release = SG_WEAK_SYSTEM;
    s.group_bytes = word(kd, 0) + l->dynamic_lds;
    s.private_bytes = word(kd, 4);
    if (word(kd, 56) >> 11 & 1) /* USES_DYNAMIC_STACK: recursion or indirect calls */
        s.private_bytes += DYNAMIC_STACK_BYTES;
    s.shared_aperture = 1ull << 48;
    s.private_aperture = 2ull << 48;
    s.masked = l->masked;
    memcpy(s.units, l->units, sizeof s.units);
    if (!provide_scratch(d, &s))
        return fail(fault, "out of memory for scratch");
    if (l->argument_bytes)
        memcpy(block, l->arguments, l->argument_bytes);
    hidden_arguments(block, (l->argument_bytes + 7) / 8 * 8, kernarg_bytes, &s);
    fill_packet(block + KERNARG_BYTES, &s);
    return run_and_wait(d, &s, fault);
}
