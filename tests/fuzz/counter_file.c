/* counter_file.c - a file of counters as rocprofv3 writes it, with wrong bytes. */
#include "cli/selftest/counter_file.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_decref(counter_file_read(fuzz_file(data, size)));
    return 0;
}
