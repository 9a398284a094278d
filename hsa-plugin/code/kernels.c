/* kernels.c - see kernels.h. */
#include "kernels.h"
#include "common/demangle.h"
#include "common/names.h"
#include "common/vector.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "objects/elf_image.h"
#include "kernarg.h"
#include "lanescope/defaults.h"
#include "lanescope/wire.h"
#include "hsa-plugin/log.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct ls_code_object *_Atomic code_objects;
static struct ls_kernel *by_object; /* uthash; under lock */

char *ls_demangle(const char *name)
{
    static ls_cxa_demangle demangle;
    static atomic_bool tried;
    if (!atomic_exchange(&tried, true)) {
        /* ROCr is C++, so its run-time library is there already. */
        void *lib = dlopen("libstdc++.so.6", RTLD_LAZY);
        __atomic_store_n(&demangle, lib ? (ls_cxa_demangle)dlsym(lib, "__cxa_demangle") : NULL,
                         __ATOMIC_RELEASE);
    }
    return ls_demangle_by(__atomic_load_n(&demangle, __ATOMIC_ACQUIRE), name);
}

struct ls_code_object *ls_code_objects(void)
{
    return atomic_load(&code_objects);
}

static uint64_t info64(const struct ls_api *api, hsa_loaded_code_object_t loaded, int attribute)
{
    uint64_t v = 0;
    api->loader.hsa_ven_amd_loader_loaded_code_object_get_info(
        loaded, (hsa_ven_amd_loader_loaded_code_object_info_t)attribute, &v);
    return v;
}

static char *read_uri(const struct ls_api *api, hsa_loaded_code_object_t loaded)
{
    uint32_t n = 0;
    char *uri = NULL;
    __typeof__(api->loader.hsa_ven_amd_loader_loaded_code_object_get_info) info =
        api->loader.hsa_ven_amd_loader_loaded_code_object_get_info;
    if (info(loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH, &n) == HSA_STATUS_SUCCESS && n)
        uri = calloc(n + 1u, 1);
    if (uri && info(loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI, uri) != HSA_STATUS_SUCCESS) {
        free(uri);
        uri = NULL;
    }
    return uri;
}

/* The code object's bytes: borrowed (*own NULL) or read from its file into *own. */
static const void *storage(const struct ls_api *api, hsa_loaded_code_object_t loaded, size_t *bytes,
                           void **own)
{
    uint32_t type = 0;
    *own = NULL;
    *bytes = 0;
    api->loader.hsa_ven_amd_loader_loaded_code_object_get_info(
        loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE, &type);
    if (type == HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY) {
        uint64_t base =
            info64(api, loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE);
        *bytes =
            info64(api, loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE);
        return base ? (const void *)(uintptr_t)base : NULL;
    }
    if (type != HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE)
        return NULL;
    int fd = -1;
    api->loader.hsa_ven_amd_loader_loaded_code_object_get_info(
        loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE, &fd);
    off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
    *own = end > 0 ? malloc((size_t)end) : NULL;
    for (*bytes = 0; *own && *bytes < (size_t)end;) {
        ssize_t n = pread(fd, (char *)*own + *bytes, (size_t)end - *bytes, (off_t)*bytes);
        if (n <= 0)
            break;
        *bytes += (size_t)n;
    }
    return *own;
}

/* The text that a run-time compiler's hook has left beside the code (docs/triton.md); malloc'd, or NULL. */
static char *read_note(const void *image, size_t bytes)
{
    const void *section;
    size_t size;
    if (ls_elf_section(image, bytes, ".lanescope.compiler", &section, &size) != 1 || !size ||
        !memchr(section, 0, size))
        return NULL;
    return strdup(section);
}

char *ls_note_value(const char *note, const char *key)
{
    size_t n = strlen(key);
    for (const char *p = note; p && *p; p += strcspn(p, "\n"), p += *p == '\n')
        if (!strncmp(p, key, n) && p[n] == '=')
            return strndup(p + n + 1, strcspn(p + n + 1, "\n"));
    return NULL;
}

static void keep_image(struct ls_code_object *co, const void *image, size_t bytes)
{
    co->image = malloc(bytes);
    if (co->image)
        memcpy(co->image, image, bytes);
}

/* Looks for a site table; keeps a copy of the image when there is one, and when others are observed, too. */
static void read_sites(const struct ls_api *api, struct ls_code_object *co, bool alone)
{
    void *own;
    const void *section;
    size_t bytes, size;
    const char *why = NULL;
    const void *image = storage(api, co->loaded, &bytes, &own);
    co->bytes = bytes;
    co->compiler = image ? read_note(image, bytes) : NULL;
    if (image && ls_elf_section(image, bytes, LS_SITES_SECTION, &section, &size) == 1) {
        int rc = ls_sites_parse(section, size, &co->modules, &co->n_modules, &why);
        co->damage = rc == -2 ? "out of memory" : why;
        if (rc)
            ls_log(LS_LOG_WARNING, "%s: site table not usable: %s; its kernels run unobserved",
                   co->uri ? co->uri : "code object", co->damage);
        if (rc == 0 && co->n_modules)
            keep_image(co, image, bytes);
    }
    co->keeps_image = alone && image;
    if (co->keeps_image && !co->image)
        keep_image(co, image, bytes);
    free(own);
}

static bool known(hsa_loaded_code_object_t loaded)
{
    for (struct ls_code_object *co = code_objects; co; co = co->next)
        if (!co->gone && co->loaded.handle == loaded.handle)
            return true;
    return false;
}

static void push_code_object(struct ls_code_object *co)
{
    co->next = code_objects;
    atomic_store(&code_objects, co);
}

struct ls_code_object *ls_code_object_loaded(struct ls_api *api, const struct ls_config *c,
                                             hsa_executable_t executable, hsa_loaded_code_object_t loaded)
{
    hsa_agent_t hsa = {0};
    if (!ls_api_loader(api))
        return NULL;
    api->loader.hsa_ven_amd_loader_loaded_code_object_get_info(
        loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT, &hsa);
    struct ls_agent *agent = ls_agent_of(hsa);
    struct ls_code_object *co = agent ? calloc(1, sizeof *co) : NULL;
    if (!co)
        return NULL;
    pthread_rwlock_wrlock(&lock);
    if (known(loaded)) {
        pthread_rwlock_unlock(&lock);
        free(co);
        return NULL;
    }
    co->executable = executable;
    co->loaded = loaded;
    co->agent = agent;
    co->load_base = info64(api, loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE);
    co->load_size = info64(api, loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE);
    co->uri = read_uri(api, loaded);
    read_sites(api, co, c->alone);
    push_code_object(co);
    pthread_rwlock_unlock(&lock);
    return co->n_modules ? co : NULL;
}

/* ---- kernels ---- */

static bool read_sizes(const struct ls_api *api, hsa_executable_symbol_t symbol, struct ls_kernel_sizes *s,
                       uint64_t *object)
{
    __typeof__(api->core.executable_symbol_get_info) info = api->core.executable_symbol_get_info;
    s->dynamic_stack = false;
    info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK, &s->dynamic_stack);
    return info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, object) == HSA_STATUS_SUCCESS &&
           info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &s->kernarg) ==
               HSA_STATUS_SUCCESS &&
           info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &s->group) ==
               HSA_STATUS_SUCCESS &&
           info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &s->private) ==
               HSA_STATUS_SUCCESS;
}

static bool symbol_named(const struct ls_api *api, const struct ls_code_object *co, const char *name,
                         struct ls_kernel_sizes *s, uint64_t *object)
{
    hsa_executable_symbol_t symbol;
    hsa_agent_t agent = co->agent->hsa;
    char *kd = NULL;
    if (asprintf(&kd, "%s.kd", name) < 0)
        return false;
    bool ok =
        api->core.executable_get_symbol_by_name(co->executable, kd, &agent, &symbol) == HSA_STATUS_SUCCESS &&
        read_sizes(api, symbol, s, object);
    free(kd);
    return ok;
}

/* Under the write lock. */
static struct ls_kernel *add_kernel(const struct ls_config *c, struct ls_code_object *co, uint64_t object,
                                    const char *mangled)
{
    struct ls_kernel *k = calloc(1, sizeof *k), *old;
    if (!k)
        return NULL;
    k->object = object;
    k->code_object = co;
    k->mangled = strdup(mangled);
    k->demangled =
        ls_note_value(co->compiler, "kernel"); /* one name has many kernels, by types and constants */
    if (k->mangled && !k->demangled)
        k->demangled = ls_demangle(mangled);
    if (!k->mangled || !k->demangled) {
        free(k->mangled);
        free(k->demangled);
        free(k);
        return NULL;
    }
    k->selected = ls_config_kernel(c, k->demangled);
    HASH_FIND(hh, by_object, &object, sizeof object, old);
    if (old)
        HASH_DEL(by_object, old); /* an address of a destroyed executable, used again */
    HASH_ADD(hh, by_object, object, sizeof k->object, k);
    k->next_of_code_object = co->kernels;
    __atomic_store_n(&co->kernels, k, __ATOMIC_RELEASE); /* workers walk this list */
    return k;
}

/* Two modules may define one kernel (a template, with -fgpu-rdc); the linker takes one module's, with its
 * clone. */
enum owner { OWN, ANOTHERS, AMBIGUOUS };

static enum owner owner_of_clone(const struct ls_code_object *co, const struct ls_elf_names *names,
                                 const struct ls_module *m, const char *kernel)
{
    struct ls_elf_code mark;
    uint64_t hash = 0;
    bool single = true;
    char *name = NULL;
    for (size_t i = 0; i < co->n_modules; i++)
        for (uint32_t j = 0; &co->modules[i] != m && j < co->modules[i].n_kernels; j++)
            single &= strcmp(co->modules[i].kernels[j].name, kernel) != 0;
    if (single)
        return OWN;
    if (!names || asprintf(&name, LS_MODULE_SYMBOL_PREFIX "%s", kernel) < 0)
        return AMBIGUOUS;
    bool known = ls_elf_names_object(names, name, &mark) && mark.size == sizeof hash;
    if (known)
        memcpy(&hash, mark.code, sizeof hash);
    free(name);
    return !known ? AMBIGUOUS : hash == m->hash ? OWN : ANOTHERS;
}

/* Why a kernel with a site table can't be observed; NULL when it can. */
static const char *pair(const struct ls_api *api, const struct ls_code_object *co,
                        const struct ls_elf_names *names, const struct ls_module *m,
                        const struct ls_module_kernel *e, struct ls_kernel *k)
{
    if (m->wire_version != LS_WIRE_VERSION)
        return "compiled with another version of Lanescope: compile it again";
    if (owner_of_clone(co, names, m, e->name) == AMBIGUOUS)
        return "two modules of this program define the kernel, and an older Lanescope compiled them: compile "
               "them again";
    if (!symbol_named(api, co, e->clone, &k->clone, &k->clone_object))
        return "its instrumented clone is missing in the executable";
    if (k->clone.dynamic_stack && !k->original.dynamic_stack)
        return "its clone needs a stack of unknown size, which the launch does not provide";
    return ls_kernarg_check(k->original.kernarg, k->clone.kernarg, e->ctx_offset);
}

/* How many of a cooperative launch's work-groups fit at once is a question of the clone's registers. */
static struct ls_kernel_registers registers_of(const struct ls_elf_names *names, const char *kernel)
{
    struct ls_kernel_registers r = {0};
    struct ls_elf_code descriptor;
    if (ls_elf_names_descriptor(names, kernel, &descriptor) && descriptor.size >= LS_DESCRIPTOR_BYTES)
        r = ls_registers_of(descriptor.code);
    return r;
}

/* `names`: of its image; NULL: it could not be kept. */
static void pair_module(struct ls_api *api, const struct ls_config *c, struct ls_code_object *co,
                        const struct ls_elf_names *names, const struct ls_module *m)
{
    for (uint32_t i = 0; i < m->n_kernels; i++) {
        const struct ls_module_kernel *e = &m->kernels[i];
        struct ls_kernel_sizes sizes = {0};
        uint64_t object;
        struct ls_kernel *k;
        if (!symbol_named(api, co, e->name, &sizes, &object)) {
            ls_log(LS_LOG_DEBUG, "kernel %s of a site table is not in its executable", e->name);
            continue;
        }
        if (owner_of_clone(co, names, m, e->name) == ANOTHERS)
            continue;
        k = add_kernel(c, co, object, e->name);
        if (!k)
            continue;
        k->original = sizes;
        if (e->flags & LS_KERNEL_LEFT_OUT) { /* as one without a site table, which says nothing of it */
            k->not_instrumented = LS_COMPILED_LEFT_OUT;
            continue;
        }
        k->module = m;
        k->entry = e;
        k->registers = registers_of(names, e->name);
        k->clone_registers = registers_of(names, e->clone);
        k->not_instrumented = pair(api, co, names, m, e, k);
        if (k->not_instrumented)
            k->clone_object = 0;
    }
}

static void pair_modules(struct ls_api *api, const struct ls_config *c, struct ls_code_object *co)
{
    struct ls_elf_names *names = co->n_modules && co->image ? ls_elf_names_open(co->image, co->bytes) : NULL;
    for (size_t i = 0; i < co->n_modules; i++)
        pair_module(api, c, co, names, &co->modules[i]);
    ls_elf_names_close(names);
}

/* The loader holds its own lock while it calls back: nothing is done there that might wait for ours. */
struct loaded_list {
    hsa_loaded_code_object_t *items;
    size_t n;
};

static hsa_status_t look_at_loaded(hsa_executable_t executable, hsa_loaded_code_object_t loaded, void *data)
{
    struct loaded_list *l = data;
    (void)executable;
    if (!LS_ROOM(l->items, l->n))
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    l->items[l->n++] = loaded;
    return HSA_STATUS_SUCCESS;
}

void ls_executable_frozen(struct ls_api *api, const struct ls_config *c, hsa_executable_t executable)
{
    struct loaded_list l = {0};
    if (!ls_api_loader(api))
        return;
    api->loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects(executable, look_at_loaded, &l);
    for (size_t i = 0; i < l.n; i++)
        ls_code_object_loaded(api, c, executable, l.items[i]);
    free(l.items);
    pthread_rwlock_wrlock(&lock);
    for (struct ls_code_object *co = code_objects; co; co = co->next)
        if (co->executable.handle == executable.handle && !co->gone && !co->kernels)
            pair_modules(api, c, co);
    pthread_rwlock_unlock(&lock);
}

void ls_executable_destroyed(hsa_executable_t executable)
{
    struct ls_kernel *k, *next;
    pthread_rwlock_wrlock(&lock);
    HASH_ITER(hh, by_object, k, next)
    if (k->code_object->executable.handle == executable.handle && !k->code_object->gone)
        HASH_DEL(by_object, k);
    for (struct ls_code_object *co = code_objects; co; co = co->next)
        if (co->executable.handle == executable.handle)
            co->gone = true;
    pthread_rwlock_unlock(&lock);
}

struct symbol_search {
    const struct ls_api *api;
    uint64_t object;
    struct ls_kernel_sizes sizes;
    char *name;
};

static hsa_status_t look_at_symbol(hsa_executable_t executable, hsa_agent_t agent,
                                   hsa_executable_symbol_t symbol, void *data)
{
    struct symbol_search *s = data;
    hsa_symbol_kind_t kind;
    uint64_t object = 0;
    uint32_t n = 0;
    __typeof__(s->api->core.executable_symbol_get_info) info = s->api->core.executable_symbol_get_info;
    (void)executable, (void)agent;
    if (info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind) != HSA_STATUS_SUCCESS ||
        kind != HSA_SYMBOL_KIND_KERNEL ||
        info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object) != HSA_STATUS_SUCCESS ||
        object != s->object || info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &n) != HSA_STATUS_SUCCESS)
        return HSA_STATUS_SUCCESS;
    s->name = calloc(n + 1u, 1);
    if (s->name && info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, s->name) == HSA_STATUS_SUCCESS &&
        ls_stem(s->name, ".kd"))
        s->name[ls_stem(s->name, ".kd")] = 0;
    read_sizes(s->api, symbol, &s->sizes, &object);
    return HSA_STATUS_INFO_BREAK;
}

/* Under the write lock: a kernel without a clone, seen for the first time. */
static struct ls_kernel *discover(struct ls_api *api, const struct ls_config *c, struct ls_agent *agent,
                                  uint64_t object)
{
    struct symbol_search s = {.api = api, .object = object};
    struct ls_code_object *co = code_objects;
    while (co && (co->gone || co->agent != agent || object - co->load_base >= co->load_size))
        co = co->next;
    if (co)
        api->core.executable_iterate_agent_symbols(co->executable, agent->hsa, look_at_symbol, &s);
    else
        co = calloc(1, sizeof *co);
    if (!co)
        return NULL;
    if (!co->agent) { /* not from any executable: the runtime's own kernels, for example */
        co->agent = agent;
        push_code_object(co);
    }
    char *name = s.name;
    if (!name && asprintf(&name, "kernel at 0x%llx", (unsigned long long)object) < 0)
        return NULL;
    struct ls_kernel *k = add_kernel(c, co, object, name);
    free(name);
    if (k) {
        k->original = s.sizes;
        k->not_instrumented = co->damage      ? "the site table of its code object is damaged"
                              : co->n_modules ? "not instrumented by the compiler pass"
                              : co->bytes     ? LS_COMPILED_WITHOUT
                                              : "it belongs to the runtime";
    }
    return k;
}

struct ls_kernel *ls_kernel_of(struct ls_api *api, const struct ls_config *c, struct ls_agent *agent,
                               uint64_t object)
{
    struct ls_kernel *k;
    pthread_rwlock_rdlock(&lock);
    HASH_FIND(hh, by_object, &object, sizeof object, k);
    pthread_rwlock_unlock(&lock);
    if (k)
        return k;
    pthread_rwlock_wrlock(&lock);
    HASH_FIND(hh, by_object, &object, sizeof object, k);
    if (!k)
        k = discover(api, c, agent, object);
    pthread_rwlock_unlock(&lock);
    return k;
}
