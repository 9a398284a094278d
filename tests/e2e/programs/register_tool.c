/* Stands in for rocprofiler-sdk, which loads tools through rocprofiler-register: calls the tool's
 * rocprofiler_configure, lets it ask for the tables of the HSA runtime, and hands them over. ROCr gives us
 * the tables as it does to any tool (HSA_TOOLS_LIB); REGISTER_TOOL names the tool. Preloaded too, because
 * a tool finds the registration function with dlsym. As rocprofiler-sdk's registration.h and
 * intercept_table.h have it. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PUBLIC __attribute__((visibility("default")))

typedef void (*callback)(int type, uint64_t version, uint64_t instance, void **tables, uint64_t n,
                         void *data);
struct client_id {
    size_t size;
    const char *name;
    uint32_t handle;
};
typedef void *(*configure_function)(uint32_t version, const char *text, uint32_t priority,
                                    struct client_id *id);
enum { HSA_TABLE = 1 << 0 };

static callback wanted;
static void *wanted_data;

PUBLIC int rocprofiler_at_intercept_table_registration(callback f, int libraries, void *data)
{
    if (libraries != HSA_TABLE)
        return 1;
    wanted = f;
    wanted_data = data;
    return 0;
}

PUBLIC bool OnLoad(void *tables, uint64_t version, uint64_t n_failed, const char *const *failed)
{
    (void)n_failed, (void)failed;
    const char *path = getenv("REGISTER_TOOL");
    void *tool = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    configure_function configure = tool ? (configure_function)dlsym(tool, "rocprofiler_configure") : NULL;
    struct client_id id = {sizeof id, NULL, 1};
    if (!configure) {
        fprintf(stderr, "register tool: %s\n", dlerror());
        return false;
    }
    configure(10000, "1.0.0", 0, &id);
    fprintf(stderr, "register tool: client %s %s tables\n", id.name ? id.name : "without a name",
            wanted ? "wants" : "does not want");
    if (wanted)
        wanted(HSA_TABLE, version, 0, &tables, 1, wanted_data);
    return true;
}

PUBLIC void OnUnload(void)
{
}
