/*
 * hip.c - launches that only HIP makes: graphs and managed memory. HIP is loaded when the part runs, as the self-test
 * needs ROCr alone; where there is none the part is left out. Prototypes: hip_runtime_api.h, the same from HIP 5 to 7.
 */
#include "expect.h"
#include "parts.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAPH "graph launch"
#define MANAGED "managed memory"

enum { GROUP = 256, ITEMS = 1024, WRAP = 2, GRAPH_LAUNCHES = 3, ATTACH_GLOBAL = 1 };

/* hipKernelNodeParams. HIP takes a function of a module in the place of one that the compiler registered. */
struct node {
    uint32_t group[3];
    void **extra, *function;
    uint32_t grid[3];
    void **arguments;
    uint32_t lds;
};

/* HIP's functions by the names that they have there: hipError_t is an int, 0 for success; handles are pointers. */
#define HIP_FUNCTIONS(F)                                                                                     \
    F(Init, (unsigned flags))                                                                                \
    F(SetDevice, (int device))                                                                               \
    F(ModuleLoadData, (void **module, const void *code))                                                     \
    F(ModuleGetFunction, (void **function, void *module, const char *name))                                  \
    F(ModuleLaunchKernel,                                                                                    \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned group_x,                  \
       unsigned group_y, unsigned group_z, unsigned lds, void *stream, void **arguments, void **extra))      \
    F(MallocManaged, (void **memory, size_t bytes, unsigned flags))                                          \
    F(StreamCreate, (void **stream))                                                                         \
    F(StreamSynchronize, (void *stream))                                                                     \
    F(GraphCreate, (void **graph, unsigned flags))                                                           \
    F(GraphAddKernelNode,                                                                                    \
      (void **node, void *graph, void *const *after, size_t n_after, const struct node *kernel))             \
    F(GraphInstantiate, (void **exec, void *graph, void *node, char *log, size_t size))                      \
    F(GraphLaunch, (void *exec, void *stream))

struct hip {
#define MEMBER(name, params) int(*name) params;
    HIP_FUNCTIONS(MEMBER)
#undef MEMBER
    void *function, *stream; /* work_stores */
    json_t *part, *expect;
    uint32_t lanes;
};

/* ---- loading ---- */

/* The HIP beside this ROCr, else the one that the loader finds. */
static void *open_hip(void)
{
    static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                        "libamdhip64.so"};
    Dl_info rocr;
    const char *slash = NULL;
    if (dladdr((void *)(uintptr_t)hsa_init, &rocr) && rocr.dli_fname)
        slash = strrchr(rocr.dli_fname, '/');
    for (unsigned beside = slash ? 2 : 1; beside-- > 0;)
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
            char path[4096];
            snprintf(path, sizeof path, "%.*s%s", beside ? (int)(slash + 1 - rocr.dli_fname) : 0,
                     beside ? rocr.dli_fname : "", names[i]);
            void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
            if (library)
                return library;
        }
    return NULL;
}

static bool find_functions(struct hip *h, void *library)
{
#define FIND(name, params) h->name = (int(*) params)(uintptr_t)dlsym(library, "hip" #name);
    HIP_FUNCTIONS(FIND)
#undef FIND
#define THERE(name, params) &&h->name
    return true HIP_FUNCTIONS(THERE);
#undef THERE
}

/* ---- launches ---- */

/* False with a problem, named by what could not be done. */
static bool did(const struct hip *h, int error, const char *what)
{
    if (error)
        problem(h->part, "%s: HIP's error %d", what, error);
    return !error;
}

static void expect(struct hip *h, const struct work_arguments *a)
{
    json_array_append_new(h->expect, expect_stores(a, ITEMS / h->lanes));
}

static void check(struct hip *h, const struct work_arguments *a, const char *what)
{
    if (!stores_are_right(a))
        problem(h->part, "%s: the kernel's results are wrong", what);
}

/* The host writes first and reads last, without a copy. */
static void managed(struct hip *h)
{
    struct work_arguments a = {NULL, ITEMS, 3, WRAP};
    void *arguments[] = {&a.out, &a.items, &a.stores, &a.wrap};
    part_at(MANAGED);
    if (!did(h, h->MallocManaged((void **)&a.out, sizeof *a.out * ITEMS * WRAP, ATTACH_GLOBAL), MANAGED))
        return;
    memset(a.out, 0xff, sizeof *a.out * ITEMS * WRAP);
    expect(h, &a);
    if (did(h,
            h->ModuleLaunchKernel(h->function, ITEMS / GROUP, 1, 1, GROUP, 1, 1, 0, h->stream, arguments,
                                  NULL),
            MANAGED) &&
        did(h, h->StreamSynchronize(h->stream), MANAGED))
        check(h, &a, MANAGED);
}

/* Two launches, the second behind the first. */
static bool build_graph(struct hip *h, struct work_arguments a[2], void **exec)
{
    void *graph = NULL, *nodes[2] = {NULL};
    if (!did(h, h->GraphCreate(&graph, 0), GRAPH))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        void *arguments[] = {&a[i].out, &a[i].items, &a[i].stores, &a[i].wrap};
        struct node n = {.group = {GROUP, 1, 1},
                         .function = h->function,
                         .grid = {ITEMS / GROUP, 1, 1},
                         .arguments = arguments};
        if (!did(h, h->GraphAddKernelNode(&nodes[i], graph, nodes, i, &n), GRAPH))
            return false;
    }
    return did(h, h->GraphInstantiate(exec, graph, NULL, NULL, 0), GRAPH);
}

static bool launch_graph(struct hip *h, struct work_arguments a[2], void *exec)
{
    for (unsigned i = 0; i < 2; i++) {
        memset(a[i].out, 0xff, sizeof *a[i].out * ITEMS * WRAP);
        expect(h, &a[i]);
    }
    if (!did(h, h->GraphLaunch(exec, h->stream), GRAPH) || !did(h, h->StreamSynchronize(h->stream), GRAPH))
        return false;
    check(h, &a[0], GRAPH);
    check(h, &a[1], GRAPH);
    return true;
}

static void graph(struct gpu *g, struct hip *h)
{
    struct work_arguments a[2] = {{NULL, ITEMS, 2, WRAP}, {NULL, ITEMS, 5, WRAP}};
    void *exec = NULL;
    part_at(GRAPH);
    for (unsigned i = 0; i < 2; i++)
        if (!(a[i].out = gpu_alloc(g, g->host, sizeof *a[i].out * ITEMS * WRAP))) {
            problem(h->part, GRAPH ": %s", g->problem);
            return;
        }
    bool ok = build_graph(h, a, &exec);
    for (unsigned i = 0; ok && i < GRAPH_LAUNCHES; i++)
        ok = launch_graph(h, a, exec);
}

void part_hip(struct gpu *g, json_t *part)
{
    struct hip h = {.part = part, .expect = json_array(), .lanes = g->lanes};
    void *library = open_hip(), *module = NULL;
    const void *code = find_code(g, CODE_PROBED);
    json_object_set_new(part, "expect", h.expect);
    if (!library || !find_functions(&h, library)) {
        json_object_set_new(part, "skipped",
                            json_string(library ? "this HIP has no graphs" : "there is no HIP"));
        return;
    }
    if (!code) {
        problem(part, "%s", g->problem);
        return;
    }
    bool ok = did(&h, h.Init(0), "hipInit") && did(&h, h.SetDevice(0), "hipSetDevice") &&
              did(&h, h.ModuleLoadData(&module, code), "hipModuleLoadData") &&
              did(&h, h.ModuleGetFunction(&h.function, module, "work_stores"), "hipModuleGetFunction") &&
              did(&h, h.StreamCreate(&h.stream), "hipStreamCreate");
    if (ok) {
        managed(&h);
        graph(g, &h);
    }
}
