#include "report.h"

#include <stdio.h>
#include <unistd.h>

void report_prepare(void)
{
}

void fault_report(struct gpu *g, const struct sg_cp_fault *fault)
{
    (void)g;
    dprintf(STDERR_FILENO, "lanescope: GPU fault: %s\n", fault->fault->message);
}
