/*
 * Clients without ROCr: the device files by their ioctls alone. Objects of odd sizes, and descriptors of
 * objects, which another process receives over a Unix socket.
 *
 *     test_raw        runs under the preloaded library, and starts itself again as the other process
 */
#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "soft-gpu/kfd/abi.h"
#include "late.h"

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: failed: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno);        \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

#define KFD(nr, type) _IOWR(KFD_IOCTL_TYPE, nr, type)

enum { PAGE = 4096, PAGES = 3, METADATA = 0x5eed };

static int kfd, render;
static uint32_t gpu_id;

static void open_devices(void)
{
    struct kfd_aperture aperture;
    struct kfd_get_apertures get = {.apertures = (uintptr_t)&aperture, .num_of_nodes = 1};
    kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
    render = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    CHECK(kfd >= 0 && render >= 0);
    CHECK(ioctl(kfd, KFD(KFD_GET_PROCESS_APERTURES_NEW, struct kfd_get_apertures), &get) == 0);
    gpu_id = aperture.gpu_id;
}

static uint8_t *reserve(size_t size)
{
    uint8_t *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(p != MAP_FAILED);
    return p;
}

static void map_on_gpu(uint64_t handle)
{
    struct kfd_map_memory map = {.handle = handle, .device_ids = (uintptr_t)&gpu_id, .n_devices = 1};
    CHECK(ioctl(kfd, KFD(KFD_MAP_MEMORY, struct kfd_map_memory), &map) == 0 && map.n_success == 1);
}

static uint64_t allocate(uint8_t *at, size_t size)
{
    struct kfd_alloc_memory a = {.va = (uintptr_t)at,
                                 .size = size,
                                 .gpu_id = gpu_id,
                                 .flags = KFD_MEM_VRAM | KFD_MEM_WRITABLE | 1u << 29 /* public */};
    CHECK(ioctl(kfd, KFD(KFD_ALLOC_MEMORY, struct kfd_alloc_memory), &a) == 0);
    CHECK(a.mmap_offset); /* of a process's first object, too: 0 means "cannot be mapped" to libhsakmt */
    CHECK(mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, render, (off_t)a.mmap_offset) == at);
    map_on_gpu(a.handle);
    return a.handle;
}

static void release(uint64_t handle)
{
    struct kfd_free_memory f = {handle};
    CHECK(ioctl(kfd, _IOW(KFD_IOCTL_TYPE, KFD_FREE_MEMORY, struct kfd_free_memory), &f) == 0);
}

static int export(uint64_t handle)
{
    struct kfd_export_dmabuf e = {.handle = handle, .flags = O_CLOEXEC};
    CHECK(ioctl(kfd, KFD(KFD_EXPORT_DMABUF, struct kfd_export_dmabuf), &e) == 0);
    return (int)e.fd;
}

static uint32_t gem_of(int fd)
{
    struct drm_prime_handle p = {.fd = fd};
    CHECK(ioctl(render, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p) == 0);
    return p.handle;
}

static uint32_t metadata(uint32_t gem, uint32_t op, uint32_t value)
{
    struct drm_amdgpu_gem_metadata m = {.handle = gem, .op = op};
    m.data.data_size_bytes = op == AMDGPU_GEM_METADATA_OP_SET_METADATA ? 4 : 0;
    m.data.data[0] = value;
    CHECK(ioctl(render, DRM_IOCTL_AMDGPU_GEM_METADATA, &m) == 0);
    return m.data.data_size_bytes == 4 ? m.data.data[0] : 0;
}

static void close_gem(uint32_t gem)
{
    struct drm_gem_close c = {.handle = gem};
    CHECK(ioctl(render, DRM_IOCTL_GEM_CLOSE, &c) == 0);
}

/* ---- Descriptors over a socket ---- */

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static void send_fd(int socket, int fd)
{
    char byte = 0;
    union control control = {0};
    struct iovec io = {&byte, 1};
    struct msghdr m = {
        .msg_iov = &io, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    CHECK(sendmsg(socket, &m, 0) == 1);
}

static int receive_fd(int socket)
{
    char byte;
    int fd;
    union control control;
    struct iovec io = {&byte, 1};
    struct msghdr m = {
        .msg_iov = &io, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    CHECK(recvmsg(socket, &m, 0) == 1 && CMSG_FIRSTHDR(&m));
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    return fd;
}

/* ---- The other process ---- */

/* As ROCr 7 does it: KFD says what the descriptor is and imports it for an address. */
static void import_by_kfd(int fd)
{
    struct kfd_dmabuf_info info = {.dmabuf_fd = (uint32_t)fd};
    CHECK(ioctl(kfd, KFD(KFD_GET_DMABUF_INFO, struct kfd_dmabuf_info), &info) == 0);
    CHECK(info.size == PAGES * PAGE && info.gpu_id == gpu_id && info.flags & KFD_MEM_VRAM);
    uint8_t *at = reserve(info.size);
    struct kfd_import_dmabuf import = {.va = (uintptr_t)at, .gpu_id = info.gpu_id, .dmabuf_fd = (uint32_t)fd};
    CHECK(ioctl(kfd, KFD(KFD_IMPORT_DMABUF, struct kfd_import_dmabuf), &import) == 0);
    map_on_gpu(import.handle);
    CHECK(at[0] == 1 && at[PAGES * PAGE - 1] == 2);
    at[PAGE] = 3;
    release(import.handle);
}

/* As libdrm does it: a GEM object, its size by lseek, its bytes by mmap of the render node. */
static void import_by_drm(int fd)
{
    CHECK(lseek(fd, 0, SEEK_END) == PAGES * PAGE);
    const uint32_t gem = gem_of(fd);
    struct drm_amdgpu_gem_create_in made;
    struct drm_amdgpu_gem_op op = {
        .handle = gem, .op = AMDGPU_GEM_OP_GET_GEM_CREATE_INFO, .value = (uintptr_t)&made};
    CHECK(ioctl(render, DRM_IOCTL_AMDGPU_GEM_OP, &op) == 0);
    CHECK(made.bo_size == PAGES * PAGE && made.domains == AMDGPU_GEM_DOMAIN_VRAM);
    CHECK(metadata(gem, AMDGPU_GEM_METADATA_OP_GET_METADATA, 0) == METADATA);
    union drm_amdgpu_gem_mmap where = {.in = {.handle = gem}};
    CHECK(ioctl(render, DRM_IOCTL_AMDGPU_GEM_MMAP, &where) == 0);
    uint8_t *p =
        mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, render, (off_t)(where.out.addr_ptr + PAGE));
    CHECK(p != MAP_FAILED && p[0] == 3 && p[2 * PAGE - 1] == 2);
    p[1] = 4;
    close_gem(gem); /* the mapping stays */
    CHECK(p[1] == 4);
}

/* A handle for each object, as DRM keeps it, not for each time that its descriptor comes: nothing is left open for a
 * client that closes it once, or never. */
static void import_again(int fd)
{
    const uint32_t gem = gem_of(fd);
    const int next = dup(fd);
    for (int i = 0; i < 3; i++)
        CHECK(gem_of(fd) == gem && gem_of(next) == gem);
    close(next);
    close_gem(gem);
    struct drm_amdgpu_gem_metadata m = {.handle = gem, .op = AMDGPU_GEM_METADATA_OP_GET_METADATA};
    CHECK(ioctl(render, DRM_IOCTL_AMDGPU_GEM_METADATA, &m) == -1 && errno == ENOENT);
}

static int other_process(int socket)
{
    open_devices();
    int fd = receive_fd(socket);
    import_by_kfd(fd);
    import_by_drm(fd);
    import_again(fd);
    int second = receive_fd(socket), plain = open("/dev/null", O_RDWR);
    struct kfd_dmabuf_info info = {.dmabuf_fd = (uint32_t)plain};
    CHECK(ioctl(kfd, KFD(KFD_GET_DMABUF_INFO, struct kfd_dmabuf_info), &info) == -1 && errno == EINVAL);
    CHECK(lseek(second, 0, SEEK_END) == PAGE);
    return 0;
}

/* ---- This one ---- */

static void share(const char *self)
{
    uint8_t *first = reserve(PAGE), *p = reserve(PAGES * PAGE);
    const uint64_t other = allocate(first, 100); /* so that the shared object does not begin its file */
    const uint64_t handle = allocate(p, PAGES * PAGE - 5);
    int socket[2], status;
    char number[16];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, socket) == 0);
    p[0] = 1;
    p[PAGES * PAGE - 1] = 2;
    first[0] = 77;
    const int unmarked = export(handle);
    const uint32_t gem = gem_of(unmarked);
    metadata(gem, AMDGPU_GEM_METADATA_OP_SET_METADATA, METADATA);
    close_gem(gem); /* KFD's object stays */
    close(unmarked);
    const pid_t child = fork();
    if (!child) {
        snprintf(number, sizeof number, "%d", socket[1]);
        execl(self, self, number, NULL);
        _exit(99);
    }
    send_fd(socket[0], export(handle));
    send_fd(socket[0], export(other));
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(p[PAGE] == 3 && p[PAGE + 1] == 4 && first[0] == 77);
    release(handle);
    release(other);
}

/* Sizes are rounded to pages, as the kernel does: what the client then maps is there to the last byte. */
static void odd_sizes(void)
{
    static const size_t sizes[] = {1, 100, PAGE - 1, PAGE + 1, 5 * PAGE + 17};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *at = reserve(sizes[i]);
        const uint64_t handle = allocate(at, sizes[i]);
        int fd = export(handle);
        CHECK(lseek(fd, 0, SEEK_END) == (off_t)((sizes[i] + PAGE - 1) / PAGE * PAGE));
        close(fd);
        at[sizes[i] - 1] = 9;
        release(handle);
    }
}

/* A number in a file of the card, as rocm_smi_lib reads it. */
static unsigned long long card_number(const char *name)
{
    char path[128];
    unsigned long long n = 0;
    snprintf(path, sizeof path, "/sys/class/drm/card0/device/%s", name);
    FILE *f = fopen(path, "r");
    CHECK(f && fscanf(f, "%llu", &n) == 1);
    fclose(f);
    return n;
}

/* The files of memory in use follow what is allocated, and no heap says that more is used than there is. */
static void memory_in_use(void)
{
    static const char *const files[] = {"mem_info_vram_used", "mem_info_vis_vram_used", "mem_info_gtt_used"};
    unsigned long long before[3], with[3];
    for (int i = 0; i < 3; i++)
        before[i] = card_number(files[i]);
    uint8_t *at = reserve(PAGES * PAGE);
    struct kfd_alloc_memory gtt = {.va = (uintptr_t)reserve(PAGE),
                                   .size = PAGE,
                                   .gpu_id = gpu_id,
                                   .flags = KFD_MEM_GTT | KFD_MEM_WRITABLE};
    const uint64_t handle = allocate(at, PAGES * PAGE - 5);
    CHECK(ioctl(kfd, KFD(KFD_ALLOC_MEMORY, struct kfd_alloc_memory), &gtt) == 0);
    for (int i = 0; i < 3; i++)
        with[i] = card_number(files[i]) - before[i];
    CHECK(with[0] == PAGES * PAGE && with[1] == PAGES * PAGE && with[2] == PAGE);
    release(handle);
    release(gtt.handle);
    for (int i = 0; i < 3; i++)
        CHECK(card_number(files[i]) == before[i]);
    CHECK(card_number("mem_info_vram_total") >= before[0] && card_number("mem_info_gtt_total") >= before[2]);
}

#define NODES "/sys/class/kfd/kfd/topology/nodes"

/* A property of the link `index` of `node`; -1: there is no such link. */
static long link_property(unsigned node, const char *kind, unsigned index, const char *name)
{
    char path[160], key[64];
    long value, found = -1;
    snprintf(path, sizeof path, NODES "/%u/%s/%u/properties", node, kind, index);
    FILE *f = fopen(path, "r");
    while (f && fscanf(f, "%63s %ld", key, &value) == 2)
        if (!strcmp(key, name))
            found = value;
    if (f)
        fclose(f);
    return found;
}

/* Nodes 1 and 2 are two GPUs on PCI Express (2): Linux lists links between such among p2p_links, and every io_links
 * that does not end at a CPU is XGMI. */
static void links_of_two_gpus(void)
{
    for (unsigned node = 1; node <= 2; node++) {
        CHECK(link_property(node, "io_links", 0, "node_to") == 0 &&
              link_property(node, "io_links", 0, "type") == 2);
        CHECK(link_property(node, "io_links", 1, "type") == -1);
        CHECK(link_property(node, "p2p_links", 0, "node_to") == 3 - node);
        CHECK(link_property(node, "p2p_links", 0, "type") == 2);
        CHECK(link_property(0, "io_links", node - 1, "node_to") == node);
    }
}

/* Bit 26 of the capabilities says that register files have ECC: gfx90a and later CDNA have it, RDNA has none (LLVM
 * AMDGPUUsage, "Processors": the feature sramecc). */
static void register_file_ecc(bool expected)
{
    enum { SRAM_ECC = 26 };
    char key[64];
    long value, found = 0;
    FILE *f = fopen(NODES "/1/properties", "r");
    CHECK(f);
    while (fscanf(f, "%63s %ld", key, &value) == 2)
        if (!strcmp(key, "capability"))
            found = value;
    fclose(f);
    CHECK(found && (found >> SRAM_ECC & 1) == expected);
}

static uint64_t freed_late;

static void free_late(void)
{
    release(freed_late);
}

/* What a runtime's destructor frees behind that of the software GPU, whose engine a queue had started. The test runs with
 * freed memory filled with a pattern, so that who still reads it falls. */
static void free_after_the_end(void)
{
    uint8_t *ring = reserve(2 * PAGE);
    allocate(ring, 2 * PAGE);
    struct kfd_create_queue queue = {.ring_base = (uintptr_t)ring,
                                     .read_pointer = (uintptr_t)ring + PAGE,
                                     .write_pointer = (uintptr_t)ring + PAGE + 64,
                                     .ring_size = PAGE,
                                     .gpu_id = gpu_id,
                                     .queue_type = KFD_QUEUE_COMPUTE_AQL,
                                     .percentage = 100};
    CHECK(ioctl(kfd, KFD(KFD_CREATE_QUEUE, struct kfd_create_queue), &queue) == 0);
    freed_late = allocate(reserve(PAGE), PAGE);
    late = free_late;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "late")) {
        open_devices();
        free_after_the_end();
        return 0;
    }
    if (argc == 2 && !strcmp(argv[1], "links")) {
        links_of_two_gpus();
        return 0;
    }
    if (argc == 2 && (!strcmp(argv[1], "ecc") || !strcmp(argv[1], "no-ecc"))) {
        register_file_ecc(!strcmp(argv[1], "ecc"));
        return 0;
    }
    if (argc == 2)
        return other_process(atoi(argv[1]));
    open_devices();
    odd_sizes();
    memory_in_use();
    share("/proc/self/exe");
    return 0;
}
