/* Stands for ROCm's libroctx64, which Debian 12 has not: counts calls, and tells them at the end. */
#include <stdint.h>
#include <stdio.h>

void roctxMarkA(const char *text);
int roctxRangePushA(const char *text);
int roctxRangePop(void);
uint64_t roctxRangeStartA(const char *text);
void roctxRangeStop(uint64_t id);

static int depth, calls, open_ids;

void roctxMarkA(const char *text)
{
    calls += *text != 0;
}

int roctxRangePushA(const char *text)
{
    calls += *text != 0;
    return depth++;
}

int roctxRangePop(void)
{
    calls++;
    return --depth;
}

uint64_t roctxRangeStartA(const char *text)
{
    calls += *text != 0;
    open_ids++;
    return 1000 + (uint64_t)calls;
}

void roctxRangeStop(uint64_t id)
{
    calls += id > 1000;
    open_ids--;
}

__attribute__((destructor)) static void tell(void)
{
    fprintf(stderr, "roctx: %d calls, depth %d, %d open\n", calls, depth, open_ids);
}
