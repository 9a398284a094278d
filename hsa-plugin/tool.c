/*
 * tool.c - entry points of liblanescope-hsa.so and the life of the tool.
 *
 * ROCr loads us through HSA_TOOLS_LIB (OnLoad), or rocprofiler-register does (rocprofiler_configure); both
 * end in install(), which only puts hooks into the tables. The rest (agents, database, threads) starts when
 * the program first creates a queue or loads a code object, and ends in finish(), from whatever end of the
 * program comes first. A forked child records nothing; what it executes loads its own copy of us.
 */
#include "tool.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent.h"
#include "allocations.h"
#include "copies.h"
#include "drain.h"
#include "log.h"
#include "markers.h"
#include "preload.h"
#include "queue.h"
#include "record.h"

#define PUBLIC __attribute__((visibility("default")))

enum state { ABSENT, INSTALLED, RUNNING, FINISHED };

static struct ls_tool tool;
static atomic_int state = ABSENT;
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t owner;
static bool have_preload;

struct ls_tool *ls_tool_originals(void)
{
    return &tool;
}

bool ls_tool_records(void)
{
    int s = atomic_load(&state);
    return s == INSTALLED || s == RUNNING;
}

/* Under start_lock. */
static void start(void)
{
    const char *why = NULL;
    if (ls_agents_find(&tool.api, &why) != 0) {
        ls_log(LS_LOG_ERROR, "nothing will be recorded: %s", why);
    } else if (ls_record_open(&tool.api, &tool.config) == 0) {
        if (ls_drain_start(&tool.api) == 0) {
            tool.observing = ls_record_can_observe();
            tool.config.lives = ls_record_needs() & LANESCOPE_NEEDS_LIVES;
            ls_copies_start(&tool.api);
            ls_markers_start();
            atomic_store(&state, RUNNING);
            return;
        }
        ls_record_close(false);
    }
    atomic_store(&state, FINISHED);
}

struct ls_tool *ls_tool_get(void)
{
    int s = atomic_load(&state);
    if (s == INSTALLED && !ls_drain_is_own_thread()) {
        pthread_mutex_lock(&start_lock);
        if (atomic_load(&state) == INSTALLED)
            start();
        pthread_mutex_unlock(&start_lock);
        s = atomic_load(&state);
    }
    return s == RUNNING ? &tool : NULL;
}

/* The end of the recording; later calls do nothing. Not in a child, whatever way it shares our memory. */
static void finish(void)
{
    if (getpid() != owner || ls_drain_is_own_thread())
        return;
    ls_tool_get(); /* a program that used no GPU leaves a database that says so */
    int running = RUNNING;
    if (!atomic_compare_exchange_strong(&state, &running, FINISHED))
        return;
    bool complete = ls_drain_wait(NULL, tool.config.finish_timeout);
    if (!complete) {
        ls_log(LS_LOG_WARNING, "kernels did not complete: their results are partial");
        ls_record_note(LS_LOG_WARNING, "kernels did not complete before the program ended");
    }
    ls_drain_stop();
    ls_markers_stop();
    ls_record_close(complete);
}

static void at_exit(void)
{
    if (!have_preload)
        finish();
}

/* Only the forking thread exists in the child, and locks are as they happened to be: touch nothing any more.
 */
static void in_child(void)
{
    atomic_store(&state, FINISHED);
}

static void connect_preload(void (*f)(void))
{
    ls_preload_register reg = (ls_preload_register)dlsym(RTLD_DEFAULT, LS_PRELOAD_REGISTER);
    have_preload = reg != NULL;
    if (reg)
        reg(f);
}

static bool install(struct ls_api_tables *tables, const char *via)
{
    static bool registered;
    const char *why = NULL;
    char *error = NULL;
    if (atomic_load(&state) != ABSENT)
        return true; /* the second entry point, or a runtime initialised again after the end */
    if (ls_config_load(&tool.config, &error) != 0) {
        ls_log(LS_LOG_ERROR, "nothing will be recorded: %s", error ? error : "out of memory");
        free(error);
        return true;
    }
    ls_log_threshold(tool.config.log_level);
    if (!ls_api_copy(&tool.api, tables, &why)) {
        ls_log(LS_LOG_ERROR, "nothing will be recorded: this version of ROCr is not supported: %s", why);
        return true;
    }
    owner = getpid();
    if (!registered) {
        registered = true;
        pthread_atfork(NULL, NULL, in_child);
        atexit(at_exit);
    }
    connect_preload(finish);
    ls_queue_hooks(tables->core, tables->amd);
    ls_copies_hooks(tables->amd);
    ls_allocations_hooks(tables->amd);
    atomic_store(&state, INSTALLED);
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
    if (atomic_load(&state) == ABSENT)
        return;
    finish();
    connect_preload(NULL);
    if (getpid() == owner) {
        ls_copies_release(&tool.api);
        ls_agents_release(&tool.api);
    }
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
