/*
 * End-to-end tests under the installed ROCr: test_rocr NAME [CODE_OBJECT [OTHER_CODE_OBJECT]], with
 * liblanescope-softgpu.so preloaded. Exit code 0 is success.
 */
#include "test_rocr.h"

const char *code_object, *other_code_object;

void fill_pattern(uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(i * 17 + (i >> 9) + seed);
}

static const struct rocr_test *const tables[] = {work_tests, error_tests, process_tests};

int main(int argc, char **argv)
{
    code_object = argc > 2 ? argv[2] : NULL;
    other_code_object = argc > 3 ? argv[3] : NULL;
    for (size_t i = 0; argc > 1 && i < sizeof tables / sizeof tables[0]; i++)
        for (const struct rocr_test *t = tables[i]; t->name; t++)
            if (!strcmp(t->name, argv[1])) {
                t->run();
                return 0;
            }
    fprintf(stderr, "usage: test_rocr NAME [CODE_OBJECT [OTHER_CODE_OBJECT]]\n");
    return 2;
}
