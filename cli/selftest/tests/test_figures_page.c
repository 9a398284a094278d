/*
 * What a user of an MI210 reads of rates and of coalescing, and what several files say of them together. On the software
 * GPU nothing of it is shown.
 */
#include "tests/check.h"
#include "cli/selftest/selftest.h"

#include <stdlib.h>

#define FILE_OF(software, gbs)                                                                               \
    "{\"gpu\": \"gfx90a\", \"software_gpu\": " software ", \"steps\": ["                                     \
    "{\"part\": \"rates\", \"figures\": [{\"name\": \"stores\", \"value\": " gbs ", \"unit\": \"GB/s\"},"    \
    " {\"name\": \"stores\", \"value\": 99, \"unit\": \"GB/s\"}, {\"name\": 5, \"value\": \"x\"}, 7]},"      \
    "{\"part\": \"coalescing\", \"figures\": ["                                                              \
    "{\"name\": \"read_b32, 4 bytes apart\", \"value\": 16.25, \"unit\": \"cycles\", \"what\": \"read\","    \
    " \"bytes\": 4, \"stride\": 4},"                                                                         \
    "{\"name\": \"read_b32, 64 bytes apart\", \"value\": 64, \"unit\": \"cycles\", \"what\": \"read\","      \
    " \"bytes\": 4, \"stride\": 64},"                                                                        \
    "{\"name\": \"read_b32, far apart\", \"value\": 1, \"unit\": \"cycles\", \"what\": \"read\","            \
    " \"bytes\": 4, \"stride\": 1000000}]}]}"

/* Requests of four lanes each: one where they lie side by side, else one for each lane (ROCm Compute Profiler,
 * Coalescing: 16 to 64). */
static const char page[] =
    "\nMeasured on this GPU\n"
    "  stores                                                   12.5 GB/s\n"
    "  stores                                                     99 GB/s\n"
    "                                                              0 \n"
    "                                                              0 \n"
    "  read_b32, 4 bytes apart                                 16.25 cycles, 16 requests by our model\n"
    "  read_b32, 64 bytes apart                                   64 cycles, 64 requests by our model\n"
    "  read_b32, far apart                                         1 cycles\n";

static char *page_of(const char *json)
{
    char *text = NULL;
    size_t size;
    json_t *file = json_loads(json, 0, NULL);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(file);
    selftest_judge_coalescing(file);
    selftest_figures_page(file, out);
    fclose(out);
    json_decref(file);
    return text;
}

static void figures_with_our_model(void **state)
{
    char *text = page_of(FILE_OF("false", "12.5"));
    (void)state;
    assert_string_equal(text, page);
    free(text);
}

static void nothing_of_the_software_gpu(void **state)
{
    char *text = page_of(FILE_OF("true", "12.5"));
    (void)state;
    assert_string_equal(
        text,
        "\nRates, clocks and coalescing\n  not on the software GPU: its times say nothing of hardware\n");
    free(text);
}

/* 12.5, 30 and 20: half of the three are up to 20. Each file's first "stores" counts. */
static void several_files(void **state)
{
    static const char *const json[] = {FILE_OF("false", "12.5"), FILE_OF("false", "30"),
                                       FILE_OF("false", "20")};
    json_t *files[3];
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        files[i] = json_loads(json[i], 0, NULL);
    selftest_compare_figures(files, 3, out);
    fclose(out);
    assert_non_null(strstr(
        text, "  stores                                             12.5 to 30 GB/s, half of 3 up to 20\n"));
    assert_non_null(strstr(text, "16.25 to 16.25 cycles, half of 3 up to 16.25\n"));
    free(text);
    for (unsigned i = 0; i < 3; i++)
        json_decref(files[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_with_our_model),
        cmocka_unit_test(nothing_of_the_software_gpu),
        cmocka_unit_test(several_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
