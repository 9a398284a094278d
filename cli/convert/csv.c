/* csv.c - the form csv: files with rocprofv3's names and columns, in a folder. */
#include "cli/common/cli.h"
#include "csv_tables.h"
#include "folder.h"
#include "forms.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int write_table(struct folder *f, const struct csv_table *table, const struct trace_part *part,
                       const char *prefix, char *database)
{
    char name[64];
    const char *path, *shown;
    snprintf(name, sizeof(name), "%s.csv", table->name);
    int fd = folder_file(f, prefix, name, database, &path, &shown);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        if (fd >= 0) {
            message("%s: cannot write the file: %s", shown, strerror(errno));
            close(fd);
        }
        return EXIT_FAILED;
    }
    table->write(part, out);
    return close_output(out, shown);
}

static int add(void *to, const struct trace_part *part, char *database)
{
    struct folder *f = to;
    const char *prefix = folder_prefix(f, part->process);
    int rc = EXIT_OK;
    for (size_t n = 0; n < n_csv_tables && !rc; n++)
        rc = write_table(f, &csv_tables[n], part, prefix, database);
    return rc;
}

int convert_csv(const struct conversion *c)
{
    struct folder folder;
    int rc = folder_open(&folder, c);
    return rc ? rc : folder_close(&folder, trace_each(c->databases, c->n, false, add, &folder));
}
