/* host.c - see host.h. */
#include <stdlib.h>
#include <ucontext.h>
#include "host.h"

u32 host_local_id, host_group_id;

enum { STACK_BYTES = 64 * 1024 };

static struct {
    ucontext_t scheduler, fiber[GROUP];
    char *stack[GROUP];
    int ended[GROUP];
    kernel_fn kernel;
    const u32 *a, *b;
    u32 *out, n;
} run;

static void fiber_main(void)
{
    u32 id = host_local_id;
    run.kernel(run.a, run.b, run.out, run.n);
    run.ended[id] = 1;
    swapcontext(&run.fiber[id], &run.scheduler);
}

void barrier(void)
{
    u32 id = host_local_id;
    swapcontext(&run.fiber[id], &run.scheduler);
}

static void run_group(u32 group)
{
    host_group_id = group;
    for (u32 i = 0; i < GROUP; i++) {
        if (!run.stack[i] && !(run.stack[i] = malloc(STACK_BYTES)))
            abort();
        getcontext(&run.fiber[i]);
        run.fiber[i].uc_stack.ss_sp = run.stack[i];
        run.fiber[i].uc_stack.ss_size = STACK_BYTES;
        run.fiber[i].uc_link = NULL;
        makecontext(&run.fiber[i], fiber_main, 0);
        run.ended[i] = 0;
    }
    /* One round is one section between two barriers. */
    for (u32 alive = GROUP; alive;) {
        alive = 0;
        for (u32 i = 0; i < GROUP; i++) {
            if (run.ended[i])
                continue;
            host_local_id = i;
            swapcontext(&run.scheduler, &run.fiber[i]);
            alive += !run.ended[i];
        }
    }
}

void host_run(kernel_fn kernel, const u32 *a, const u32 *b, u32 *out, u32 n)
{
    run.kernel = kernel;
    run.a = a, run.b = b, run.out = out, run.n = n;
    for (u32 g = 0; g < GROUPS; g++)
        run_group(g);
}
