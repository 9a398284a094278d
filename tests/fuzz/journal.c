/* journal.c - a rollback journal beside a database, judged before SQLite may apply it to a copy. The first bytes are the database's. */
#include "fuzz.h"
#include "results/reader/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEADER = 100 };
    static int database = -1;
    char name[64];
    size_t head = size < HEADER ? size : HEADER;
    if (database < 0)
        database = memfd_create("database", 0);
    if (database < 0 || ftruncate(database, 0) || (head && pwrite(database, data, head, 0) != (ssize_t)head))
        abort();
    snprintf(name, sizeof name, "/proc/self/fd/%d", database);
    ls_journal_judge(fuzz_file(data + head, size - head), name);
    return 0;
}
