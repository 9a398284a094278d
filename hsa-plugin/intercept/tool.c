/*
 * tool.c - entry points of liblanescope-hsa.so and the life of the tool.
 *
 * ROCr loads us through HSA_TOOLS_LIB (OnLoad), or rocprofiler-register does (rocprofiler_configure); both
 * end in install(), which only puts hooks into the tables. The rest (agents, database, threads) starts when
 * the program first creates a queue or loads a code object, and ends in finish(), from whatever end of the
 * program comes first. A forked child records nothing; what it executes loads its own copy of us.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include "hsa-plugin/transport/agent.h"
#include "allocations.h"
#include "copies.h"
#include "hsa-plugin/transport/drain.h"
#include "hsa-plugin/log.h"
#include "markers.h"
#include "objects/comgr.h"
#include "hsa-plugin/preload/preload.h"
#include "queue.h"
#include "hsa-plugin/record/record.h"
#include "state.h"
#include "streams.h"
#include "times.h"

#define PUBLIC __attribute__((visibility("default")))

static bool have_preload;

/* ---- what the transport's threads find ---- */

/* The program may ask for the kernel's times as soon as its signal is carried. */
static void over(struct ls_slot *s)
{
    const struct ls_api *api = &ls_tool_originals()->api;
    struct ls_slot_use *u = &s->use;
    hsa_amd_profiling_dispatch_time_t t = {0, 0};
    if (!u->aborted &&
        api->amd.profiling_get_dispatch_time(s->agent->hsa, s->signal, &t) != HSA_STATUS_SUCCESS)
        t.start = t.end = 0;
    ls_times_final(u->app_signal, u->number, t.start, t.end);
    ls_record_dispatch(s, t.start, t.end);
    ls_allocations_put(u->allocations_owner);
    u->allocations_owner = NULL;
}

static const struct ls_sink sink = {ls_record_chunk, ls_record_rest, over, ls_record_idle, ls_record_busy};

/* ---- the life of the tool ---- */

/* Set when the program ends, perhaps with libraries whose destructors have run: of comgr's LLVM, in whose registry of
 * passes a search then has no end. Nothing is disassembled any more. */
static bool ending;

static bool start(struct ls_tool *t)
{
    const char *why = NULL;
    if (ls_agents_find(&t->api, &why) != 0) {
        ls_log(LS_LOG_ERROR, "nothing will be recorded: %s", why);
        return false;
    }
    if (ls_record_open(&t->api, &t->config) != 0)
        return false;
    if (!ending)
        ls_comgr_set_up();
    if (ls_drain_start(&t->api, &sink, t->config.decode_threads) != 0) {
        ls_record_close(false, 0);
        return false;
    }
    t->observing = ls_record_can_observe();
    t->config.lives = ls_record_needs() & LANESCOPE_NEEDS_LIVES;
    ls_copies_start(&t->api);
    ls_markers_start(t->config.selected_regions);
    return true;
}

/* The end of the recording; later calls do nothing. Not in a child, whatever way it shares our memory. */
static void finish(void)
{
    if (!ls_tool_is_owner() || ls_drain_is_own_thread())
        return;
    ending = true;
    ls_tool_get(); /* a program that used no GPU leaves a database that says so */
    if (!ls_tool_finish())
        return;
    const uint32_t seconds = ls_tool_originals()->config.finish_timeout;
    const bool idle = ls_drain_wait(NULL, seconds), computing = !idle && ls_drain_is_computing();
    if (computing) {
        ls_log(LS_LOG_WARNING,
               "handlers have not got on for %u s; all kernels are through, and what handlers make of them "
               "is waited for",
               seconds);
    } else if (!idle) {
        ls_log(LS_LOG_WARNING, "kernels did not complete: their results are partial");
        ls_record_note(LS_LOG_WARNING, "kernels did not complete before the program ended");
    }
    const uint64_t ns = ls_drain_stop(), damaged = ls_agents_damaged();
    if (damaged)
        ls_record_note(
            LS_LOG_WARNING,
            "%llu time%s something else than Lanescope's probes wrote into its memory on the GPU: a "
            "kernel stores far beside its buffers, and numbers may be missing",
            (unsigned long long)damaged, damaged == 1 ? "" : "s");
    ls_markers_stop();
    ls_record_close(idle || computing, ns);
}

static void at_exit(void)
{
    if (!have_preload)
        finish();
}

static void connect_preload(void (*f)(void))
{
    ls_preload_register reg = (ls_preload_register)dlsym(RTLD_DEFAULT, LS_PRELOAD_REGISTER);
    have_preload = reg != NULL;
    if (reg)
        reg(f);
}

/* Programs open HIP, find it too old, or no GPU, and close it, which takes ROCr away with it and does not shut it down: what we
 * call at the program's end would be gone. From now on it stays. */
static void keep_runtime(const struct ls_api *api)
{
    Dl_info where; /* wheels bring along a ROCr of another name */
    if (dladdr((void *)(uintptr_t)api->core.system_get_info, &where))
        dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    dlopen("libhsa-runtime64.so.1",
           RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE); /* another tool's function may stand there */
}

static bool install(struct ls_api_tables *tables, const char *via)
{
    static bool registered;
    struct ls_tool *tool = ls_tool_originals();
    const char *why = NULL;
    char *error = NULL;
    if (ls_tool_is_installed())
        return true; /* the second entry point, or a runtime initialised again after the end */
    if (ls_config_load(&tool->config, &error) != 0) {
        ls_log(LS_LOG_ERROR, "nothing will be recorded: %s", error ? error : "out of memory");
        free(error);
        return true;
    }
    ls_log_threshold(tool->config.log_level);
    if (!ls_api_copy(&tool->api, tables, &why)) {
        ls_log(LS_LOG_ERROR, "nothing will be recorded: this version of ROCr is not supported: %s", why);
        return true;
    }
    if (!registered)
        atexit(at_exit);
    registered = true;
    keep_runtime(&tool->api);
    connect_preload(finish);
    ls_queue_hooks(tables->core, tables->amd);
    ls_copies_hooks(tables->amd);
    ls_streams_hooks(tables->core);
    ls_allocations_hooks(tables->amd);
    ls_tool_install(start);
    ls_log(LS_LOG_DEBUG, "loaded through %s, tables %u/%u/%u", via, tables->version.major_id,
           tables->core->version.major_id, tables->amd->version.minor_id);
    return true;
}

/* ROCr's tool interface (its LoadTools): false would only make it tell that the tool failed. */
PUBLIC bool OnLoad(void *table, uint64_t runtime_version, uint64_t failed_count, const char *const *failed)
{
    (void)runtime_version, (void)failed_count, (void)failed;
    return install(table, "HSA_TOOLS_LIB");
}

/* The runtime goes away, and we are unloaded. */
PUBLIC void OnUnload(void)
{
    if (!ls_tool_is_installed())
        return;
    finish();
    connect_preload(NULL);
    if (ls_tool_is_owner()) {
        ls_copies_release(&ls_tool_originals()->api);
        ls_agents_release(&ls_tool_originals()->api);
    }
}

/* ---- for lanescope_triton (triton-plugin/) ---- */

/* Until `measures` is 0 again kernels run as they are, as what is measured is not to be our probes. */
PUBLIC void lanescope_autotuner_measures(int measures)
{
    ls_tool_pause(measures != 0);
}

/* A line for the report, UTF-8. */
PUBLIC void lanescope_note(const char *text)
{
    if (ls_tool_get())
        ls_record_note(LS_LOG_INFO, "%s", text);
}

/* The text of a source that is no file, UTF-8. */
PUBLIC void lanescope_source_text(const char *path, const char *text)
{
    if (ls_tool_get())
        ls_record_source_text(path, text);
}

/* A line, of kernels that its run-time compiler could not instrument: nobody need be told to compile them another way. */
PUBLIC void lanescope_uninstrumented(const char *why)
{
    if (ls_tool_get())
        ls_record_uninstrumented(why);
}

/* ---- rocprofiler-register ---- */

/* As in rocprofiler-sdk's registration.h and intercept_table.h; only what we use. */
struct client_id {
    size_t size;
    const char *name;
    uint32_t handle;
};
enum { HSA_TABLE = 1 << 0 };
typedef void (*table_callback)(int type, uint64_t version, uint64_t instance, void **tables, uint64_t n,
                               void *data);
typedef int (*at_table_registration)(table_callback callback, int libraries, void *data);

static void on_tables(int type, uint64_t version, uint64_t instance, void **tables, uint64_t n, void *data)
{
    (void)version, (void)instance, (void)data;
    if (type == HSA_TABLE && n)
        install(tables[0], "rocprofiler-register");
}

PUBLIC void *rocprofiler_configure(uint32_t version, const char *runtime_version, uint32_t priority,
                                   struct client_id *id)
{
    (void)version, (void)runtime_version, (void)priority;
    at_table_registration reg =
        (at_table_registration)dlsym(RTLD_DEFAULT, "rocprofiler_at_intercept_table_registration");
    id->name = "lanescope";
    if (reg)
        reg(on_tables, HSA_TABLE, NULL);
    return NULL; /* no contexts, no services: the tables are all we want */
}
