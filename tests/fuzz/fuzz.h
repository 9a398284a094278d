/* fuzz.h - what the fuzz targets share. Each is one function of libFuzzer's, on bytes that anybody may have
 * written. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a file, for what reads files; its name is valid until the next call. Ends the process when
 * there is no memory. */
const char *fuzz_file(const uint8_t *data, size_t size);
/* The bytes as a string, malloc'd. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Takes values off the front of the input; zeroes when it is used up. */
struct fuzz_input {
    const uint8_t *data;
    size_t size;
};
uint64_t fuzz_take(struct fuzz_input *in, size_t bytes);

#endif
