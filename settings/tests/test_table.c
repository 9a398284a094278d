/* The table of settings: every row, and that all its readers understand the same words. */
#include "settings/table.h"
#include "tests/check.h"

static void rows(void **state)
{
    (void)state;
    for (int i = 0; i < N_VARIABLES; i++) {
        char *normal = NULL;
        assert_non_null(settings[i].env);
        assert_non_null(settings[i].fallback);
        assert_null(setting_check((enum setting_id)i, settings[i].fallback, &normal));
        assert_string_equal(normal, settings[i].fallback);
        free(normal);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(settings[i].env, settings[k].env);
        if (i >= N_SETTINGS)
            continue;
        assert_true(settings[i].key && settings[i].option && settings[i].help);
        assert_true(settings[i].arg || settings[i].flag_value); /* a flag stands for something */
        for (int k = 0; k < i; k++)
            assert_true(strcmp(settings[i].key, settings[k].key) &&
                        strcmp(settings[i].option, settings[k].option));
    }
}

struct sample {
    enum setting_id id;
    const char *text, *normal; /* NULL: not accepted */
    uint64_t value;
};

/* Words that one reader took and another refused once, and the limits. */
static const struct sample samples[] = {
    {SET_RING_SIZE, "64m", "67108864", 67108864},
    {SET_RING_SIZE, "1K", "1024", 1024},
    {SET_RING_SIZE, "1023", NULL, 0},
    {SET_RING_SIZE, "65G", NULL, 0},
    {SET_CHUNK_SIZE, "4k", "4096", 4096},
    {SET_CHUNK_SIZE, "3K", NULL, 0},
    {SET_CHUNK_SIZE, "128K", NULL, 0},
    {SET_SUMMARY_MODE, "Yes", "true", 1},
    {SET_SUMMARY_MODE, "1", "true", 1},
    {SET_SUMMARY_MODE, "2", NULL, 0},
    {SET_SAMPLE_WAVES, "1/4", "4", 4},
    {SET_SAMPLE_WAVES, "4", "4", 4},
    {SET_SAMPLE_WAVES, "1/0", NULL, 0},
    {SET_SAMPLE_WAVES, "4294967296", NULL, 0},
    {SET_SOFT_POISON, "yes", "1", 1},
    {SET_SOFT_POISON, "off", "0", 0},
    {SET_SOFT_POISON, "18446744073709551615", "18446744073709551615", UINT64_MAX},
    {SET_SOFT_POISON, "0x10", NULL, 0},
    {SET_PROBE_BLOCKS, "yes", "true", 1},
    {SET_PROBE_BLOCKS, "0", "false", 0},
    {SET_PROBE_BLOCKS, "only", "only", 2},
    {SET_PROBE_BLOCKS, "all", NULL, 0},
    {SET_PROBE_BESIDE, "off", "false", 0},
    {SET_PROBE_BESIDE, "always", "always", 2},
    {SET_PROBE_BESIDE, "never", NULL, 0},
    {SET_CHECK, "true", "races,uninit", 3},
    {SET_CHECK, "global,races", "races,global", 5},
    {SET_CHECK, "no", "", 0},
    {SET_CHECK, "leaks", NULL, 0},
    {SET_ON_FULL, "drop", "drop", 1},
    {SET_LOG_LEVEL, "debug", "debug", 3},
    {SET_LOG_LEVEL, "Debug", NULL, 0},
    {SET_SOURCES, "none", "none", 2},
    {SET_FINISH_TIMEOUT, "86400", "86400", 86400},
    {SET_FINISH_TIMEOUT, "-1", NULL, 0},
    {SET_FINISH_TIMEOUT, "1s", NULL, 0},
};

static void words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *s = &samples[i];
        char *normal = NULL, *error = NULL;
        const char *wrong = setting_check(s->id, s->text, &normal);
        uint64_t value;
        setenv(settings[s->id].env, s->text, 1);
        bool read = setting_read(s->id, &value, &error);
        unsetenv(settings[s->id].env);
        if ((wrong == NULL) != (s->normal != NULL) || read != (s->normal != NULL))
            fail_msg("%s=%s", settings[s->id].env, s->text);
        if (s->normal) {
            assert_string_equal(normal, s->normal);
            assert_int_equal(value, s->value);
            if (*normal) {
                uint64_t again;
                assert_true(setting_number(s->id, normal, &again) && again == value);
            }
        } else {
            assert_null(normal);
            assert_non_null(strstr(error, settings[s->id].env));
            assert_non_null(strstr(error, s->text));
            assert_non_null(strstr(error, wrong));
        }
        free(normal);
        free(error);
    }
}

static void texts(void **state)
{
    (void)state;
    char *normal = NULL;
    assert_null(setting_check(SET_GPU, "soft", &normal));
    assert_string_equal(normal, "soft:gfx90a");
    free(normal);
    assert_null(setting_check(SET_GPU, "soft:gfx942x2", &normal));
    assert_string_equal(normal, "soft:gfx942x2");
    free(normal);
    normal = NULL;
    assert_non_null(setting_check(SET_OUTPUT_FILE, "", &normal));
    assert_non_null(strstr(setting_check(SET_INCLUDE, "(", &normal), "regular expression"));
    assert_non_null(setting_check(SET_ITERATIONS, "0", &normal));
    assert_non_null(setting_check(SET_BLOCKS, "2:1", &normal));
    assert_null(normal);
}

/* Each preset is a name of the setting, and sets what is accepted and what is not the default anyway, once. */
static void presets(void **state)
{
    (void)state;
    for (const struct setting_preset *p = setting_presets; p->preset; p++) {
        char *normal = NULL;
        assert_null(setting_check(SET_PRESET, p->preset, &normal));
        free(normal);
        normal = NULL;
        assert_in_range(p->id, 0, N_SETTINGS - 1);
        assert_true(p->id != SET_PRESET);
        if (setting_check(p->id, p->value, &normal))
            fail_msg("%s: %s=%s", p->preset, settings[p->id].key, p->value);
        assert_string_not_equal(normal, settings[p->id].fallback);
        assert_string_not_equal(p->preset, settings[SET_PRESET].fallback);
        free(normal);
        for (const struct setting_preset *q = setting_presets; q < p; q++)
            assert_true(q->id != p->id || strcmp(q->preset, p->preset) != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows), cmocka_unit_test(words),
                                       cmocka_unit_test(texts), cmocka_unit_test(presets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
