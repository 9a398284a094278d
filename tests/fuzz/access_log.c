/* access_log.c - access logs of the software GPU (docs/internals/access-log.md). */
#include "fuzz.h"
#include "soft-gpu/isa/log/log_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *why;
    union sg_log_any record;
    uint64_t address[SG_MAX_LANES];
    struct sg_log_reader *r = sg_log_open(fuzz_file(data, size), &why);
    while (r && sg_log_next(r, &record, address) == 1)
        ;
    if (r)
        sg_log_reader_close(r);
    return 0;
}
