/*
 * mem_page.h - a page of the wavefront's memory that is protected: an instruction of the engine that touches it faults, is
 * single-stepped with the protection off, and then the test looks.
 */
#ifndef SOFT_GPU_ISA_MEM_PAGE_H
#define SOFT_GPU_ISA_MEM_PAGE_H

#include "mem_one.h"
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

enum {
    PAGE = 4096,
    WORDS = PAGE / 4,
    TRAP_FLAG = 1 << 8, /* EFLAGS.TF: trap after the next instruction */
    PAGE_OFFSET = BENCH_BYTES,
};
static uint32_t *page;

/* Handler of SIGSEGV. */
static inline void on_touch(int sig, siginfo_t *info, void *context)
{
    ucontext_t *c = context;
    if ((uintptr_t)info->si_addr - (uintptr_t)page >= PAGE) { /* some other fault: die of it */
        signal(sig, SIG_DFL);
        return;
    }
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
    c->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

/* At the end of the handler of SIGTRAP. */
static inline void protect_again(void *context, int protection)
{
    ucontext_t *c = context;
    mprotect(page, PAGE, protection);
    c->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static inline int page_setup(void **state)
{
    bench_setup(state);
    page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    assert_int_equal(sg_mem_map(t.mem, GPU_BASE + PAGE_OFFSET, PAGE, page, SG_RANGE_READ | SG_RANGE_WRITE),
                     0);
    return 0;
}

static inline int page_teardown(void **state)
{
    munmap(page, PAGE);
    return bench_teardown(state);
}

#define ON_PAGE(test)                                                                                        \
    cmocka_unit_test_prestate_setup_teardown(test, page_setup, page_teardown, (void *)(uintptr_t)"gfx90a")

#endif
