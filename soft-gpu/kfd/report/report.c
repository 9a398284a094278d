/*
 * report.c - one line per stopped queue. Written with a single write, so that lines of several threads stay
 * whole.
 */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "codeobject.h"
#include "lanescope/printable.h"

struct text {
    char bytes[4096];
    size_t used;
};

__attribute__((format(printf, 2, 0))) static void say_list(struct text *t, const char *format, va_list args)
{
    int n = vsnprintf(t->bytes + t->used, sizeof t->bytes - t->used, format, args);
    if (n > 0)
        t->used += (size_t)n < sizeof t->bytes - t->used ? (size_t)n : sizeof t->bytes - t->used - 1;
}

__attribute__((format(printf, 2, 3))) static void say(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_list(t, format, args);
    va_end(args);
}

static const char *kind_name(enum sg_fault_kind kind)
{
    switch (kind) {
    case SG_FAULT_PAGE:
        return "page fault";
    case SG_FAULT_APERTURE:
        return "aperture violation";
    case SG_FAULT_ILLEGAL:
        return "illegal instruction";
    case SG_FAULT_UNIMPLEMENTED:
        return "unimplemented instruction";
    case SG_FAULT_TRAP:
        return "trap (abort or failed assertion)";
    case SG_FAULT_DEADLOCK:
        return "deadlock";
    default:
        return "error";
    }
}

static bool from_kernel(const struct sg_fault *f)
{
    return f->pc != 0;
}

/* Kernel, source line, instruction, address, place in the grid. */
static void say_where(struct text *t, uint64_t kernel_object, const struct sg_fault *f)
{
    struct code_place place;
    code_locate(kernel_object, f->pc, &place);
    if (f->message[0])
        say(t, ": %s", f->message);
    if (place.kernel[0])
        say(t, "; kernel %s", place.kernel);
    else if (kernel_object)
        say(t, "; kernel object 0x%llx", (unsigned long long)kernel_object);
    if (place.file[0])
        say(t, " at %s:%d:%d%s", place.file, place.line, place.column, place.inlined);
    if (f->instruction[0])
        say(t, "; instruction %s", f->instruction);
    if (from_kernel(f))
        say(t, "; pc 0x%llx", (unsigned long long)f->pc);
    if (f->kind == SG_FAULT_PAGE || f->kind == SG_FAULT_APERTURE)
        say(t, "; %s address 0x%llx", f->is_write ? "write to" : "read from", (unsigned long long)f->va);
    if (from_kernel(f))
        say(t, "; work-group (%u,%u,%u) wave %u lane %u", f->workgroup[0], f->workgroup[1], f->workgroup[2],
            f->wave, f->lane);
}

static void print(struct text *t)
{
    char safe[LS_PRINTABLE_GROWTH * sizeof t->bytes + 2];
    size_t size = ls_printable(safe, t->bytes, t->used, "");
    safe[size++] = '\n';
    ssize_t written = write(STDERR_FILENO, safe, size);
    (void)written; /* stderr may be closed */
}

void report_line(const char *format, ...)
{
    struct text t = {.used = 0};
    va_list args;
    say(&t, "lanescope: ");
    va_start(args, format);
    say_list(&t, format, args);
    va_end(args);
    print(&t);
}

void fault_report(unsigned gpu, const struct sg_cp_fault *fault)
{
    struct text t = {.used = 0};
    say(&t, "lanescope: GPU %u: %s", gpu, kind_name(fault->fault->kind));
    say_where(&t, fault->kernel_object, fault->fault);
    say(&t, "; queue %u packet %llu", fault->queue_id, (unsigned long long)fault->packet_index);
    print(&t);
}

void stall_report(unsigned gpu, const struct sg_dispatch *d, const struct sg_fault *where)
{
    struct text t = {.used = 0};
    say(&t, "lanescope: GPU %u: no progress", gpu);
    say_where(&t, d->kernel_object, where);
    print(&t);
}
