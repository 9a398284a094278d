/* A shim around the default VFS (sqlite.org/vfs.html, "VFS Shims"):
 * every file holds the real one behind it. */
#include "fault_vfs.h"

#include <signal.h>
#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

struct file {
    sqlite3_file base;
    sqlite3_file *real; /* lies behind this structure */
};

static sqlite3_vfs shim, *below;
static long left;
static bool armed, hit, killing;

static bool fails(void)
{
    if (!armed || --left > 0)
        return false;
    if (killing)
        raise(SIGKILL);
    hit = true;
    return true;
}

static sqlite3_file *real(sqlite3_file *f)
{
    return ((struct file *)f)->real;
}

static int x_close(sqlite3_file *f)
{
    return real(f)->pMethods ? real(f)->pMethods->xClose(real(f)) : SQLITE_OK;
}
static int x_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
    return real(f)->pMethods->xRead(real(f), p, n, at);
}
static int x_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
    return fails() ? SQLITE_FULL : real(f)->pMethods->xWrite(real(f), p, n, at);
}
static int x_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    return fails() ? SQLITE_IOERR_TRUNCATE : real(f)->pMethods->xTruncate(real(f), size);
}
static int x_sync(sqlite3_file *f, int flags)
{
    return fails() ? SQLITE_IOERR_FSYNC : real(f)->pMethods->xSync(real(f), flags);
}
static int x_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return real(f)->pMethods->xFileSize(real(f), size);
}
static int x_lock(sqlite3_file *f, int level)
{
    return real(f)->pMethods->xLock(real(f), level);
}
static int x_unlock(sqlite3_file *f, int level)
{
    return real(f)->pMethods->xUnlock(real(f), level);
}
static int x_reserved(sqlite3_file *f, int *out)
{
    return real(f)->pMethods->xCheckReservedLock(real(f), out);
}
static int x_control(sqlite3_file *f, int op, void *arg)
{
    return real(f)->pMethods->xFileControl(real(f), op, arg);
}
static int x_sector(sqlite3_file *f)
{
    return real(f)->pMethods->xSectorSize(real(f));
}
static int x_device(sqlite3_file *f)
{
    return real(f)->pMethods->xDeviceCharacteristics(real(f));
}

static const sqlite3_io_methods methods = {
    1,         x_close,  x_read,   x_write, x_truncate, x_sync, x_size, x_lock, x_unlock, x_reserved,
    x_control, x_sector, x_device, NULL,    NULL,       NULL,   NULL,   NULL,   NULL};

static int x_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
    struct file *file = (struct file *)f;
    (void)vfs;
    file->base.pMethods = NULL;
    file->real = (sqlite3_file *)(file + 1);
    int rc = below->xOpen(below, name, file->real, flags, out);
    if (file->real->pMethods)
        file->base.pMethods = &methods;
    return rc;
}

void fault_vfs_install(void)
{
    below = sqlite3_vfs_find(NULL);
    shim = *below;
    shim.zName = "fault";
    shim.szOsFile = (int)sizeof(struct file) + below->szOsFile;
    shim.xOpen = x_open;
    shim.pNext = NULL;
    sqlite3_vfs_register(&shim, 1);
}

void fault_vfs_arm(long n)
{
    armed = n > 0;
    left = n;
    hit = false;
}

void fault_vfs_arm_kill(long n)
{
    fault_vfs_arm(n);
    killing = true;
}

bool fault_vfs_hit(void)
{
    return hit;
}
