/* counts.c - see counts.h. Kernels are told apart by name: one may be loaded several times. */
#include "counts.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "soft-gpu/kfd/report/codeobject.h"
#include "soft-gpu/kfd/raw.h"
#include "soft-gpu/kfd/report/report.h"

struct kernel {
    struct kernel *next;
    uint64_t dispatches, instructions;
    char name[512];
};

/* Which kernel a descriptor is. */
struct known {
    struct known *next;
    uint64_t kernel_object;
    struct kernel *kernel;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel *kernels, **kernels_tail = &kernels;
static struct known *known;
static bool lost;

static struct kernel *kernel_of_name(const char *name)
{
    struct kernel *k = kernels;
    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    if (k || !(k = calloc(1, sizeof *k)))
        return k;
    snprintf(k->name, sizeof k->name, "%s", name);
    *kernels_tail = k;
    kernels_tail = &k->next;
    return k;
}

static struct kernel *kernel_of(uint64_t kernel_object)
{
    for (const struct known *k = known; k; k = k->next)
        if (k->kernel_object == kernel_object)
            return k->kernel;
    struct code_place place;
    code_locate(kernel_object, 0, &place);
    struct kernel *kernel = kernel_of_name(place.kernel);
    struct known *k = kernel ? malloc(sizeof *k) : NULL;
    if (k) {
        *k = (struct known){known, kernel_object, kernel};
        known = k;
    }
    return kernel;
}

void counts_take(uint64_t kernel_object, uint64_t instructions)
{
    pthread_mutex_lock(&lock);
    struct kernel *k = kernel_of(kernel_object);
    if (k) {
        k->dispatches++;
        k->instructions += instructions;
    }
    lost |= !k;
    pthread_mutex_unlock(&lock);
}

void counts_code_gone(uint64_t va, uint64_t size)
{
    pthread_mutex_lock(&lock);
    for (struct known **p = &known, *k; (k = *p);) {
        if (k->kernel_object - va < size) {
            *p = k->next;
            free(k);
        } else {
            p = &k->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* With one write, so that the lines of several processes stay whole. */
static int append(const char *file, const char *text, size_t size)
{
    int fd = raw_openat(AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666), rc = 0;
    if (fd < 0)
        return -errno;
    if (write(fd, text, size) != (ssize_t)size)
        rc = errno ? -errno : -EIO;
    close(fd);
    return rc;
}

void counts_finish(const char *file)
{
    char *text = NULL;
    size_t size = 0;
    pthread_mutex_lock(&lock);
    FILE *out = open_memstream(&text, &size);
    for (const struct kernel *k = kernels; out && k; k = k->next)
        fprintf(out, "%llu\t%llu\t%s\n", (unsigned long long)k->dispatches,
                (unsigned long long)k->instructions, k->name);
    int rc = !out || fclose(out) || lost ? -ENOMEM : append(file, text, size);
    if (rc)
        report_line("LANESCOPE_SOFT_COUNTS=%s: %s", file, strerror(-rc));
    free(text);
    pthread_mutex_unlock(&lock);
}

void counts_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    kernels = NULL; /* what the parent had stays allocated: freeing it might meet a half-made change */
    kernels_tail = &kernels;
    known = NULL;
    lost = false;
}
