/* drain_workers.c - how many threads decode, where nobody says so. */
#include "drain.h"

#include <sched.h>

/* Processors that this process may use: ranks of a job have some of the machine's each. */
static unsigned processors(void)
{
    enum { MOST = 1 << 16 };
    unsigned n = 0;
    for (int cpus = 1024; !n && cpus <= MOST; cpus *= 2) { /* EINVAL: the machine has more than the set */
        cpu_set_t *set = CPU_ALLOC((size_t)cpus);
        if (!set)
            break;
        if (!sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)cpus), set))
            n = (unsigned)CPU_COUNT_S(CPU_ALLOC_SIZE((size_t)cpus), set);
        CPU_FREE(set);
    }
    return n;
}

/* Half of them are the program's. */
unsigned ls_drain_usual_workers(void)
{
    const unsigned n = processors();
    return n < 4 ? 1 : n / 2 < LS_PARTS_MAX ? n / 2 : LS_PARTS_MAX;
}
