/* state.c - see state.h. */
#include "state.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#include "hsa-plugin/transport/drain.h"

enum state { ABSENT, INSTALLED, RUNNING, FINISHED };

static struct ls_tool tool;
static atomic_int state = ABSENT;
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static bool (*start_tool)(struct ls_tool *t);
static pid_t owner;

struct ls_tool *ls_tool_originals(void)
{
    return &tool;
}

bool ls_tool_is_installed(void)
{
    return atomic_load(&state) != ABSENT;
}

bool ls_tool_records(void)
{
    int s = atomic_load(&state);
    return s == INSTALLED || s == RUNNING;
}

static atomic_bool paused;

bool ls_tool_is_paused(void)
{
    return atomic_load(&paused);
}

void ls_tool_pause(bool yes)
{
    atomic_store(&paused, yes);
}

static atomic_int chosen = LS_REGION_WANTED;

void ls_tool_region(enum ls_region region)
{
    atomic_store(&chosen, region);
}

const char *ls_tool_region_reason(void)
{
    static const char *const reasons[] = {
        [LS_REGION_PAUSED] = "paused by roctxProfilerPause",
        [LS_REGION_NOT_CHOSEN] = "outside the regions of roctxProfilerResume (--selected-regions)",
    };
    int region = atomic_load(&chosen);
    return region == LS_REGION_WANTED ? NULL : reasons[region];
}

bool ls_tool_is_owner(void)
{
    return getpid() == owner;
}

struct ls_tool *ls_tool_get(void)
{
    int s = atomic_load(&state);
    if (s == INSTALLED && !ls_drain_is_own_thread()) {
        pthread_mutex_lock(&start_lock);
        if (atomic_load(&state) == INSTALLED)
            atomic_store(&state, start_tool(&tool) ? RUNNING : FINISHED);
        pthread_mutex_unlock(&start_lock);
        s = atomic_load(&state);
    }
    return s == RUNNING ? &tool : NULL;
}

bool ls_tool_finish(void)
{
    int running = RUNNING;
    return atomic_compare_exchange_strong(&state, &running, FINISHED);
}

/* Only the forking thread exists in the child, and locks are as they happened to be:
 * touch nothing any more. */
static void in_child(void)
{
    atomic_store(&state, FINISHED);
}

void ls_tool_install(bool (*start)(struct ls_tool *t))
{
    static bool registered;
    owner = getpid();
    start_tool = start;
    if (!registered) {
        registered = true;
        pthread_atfork(NULL, NULL, in_child);
    }
    atomic_store(&state, INSTALLED);
}
