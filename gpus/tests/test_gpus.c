/* The questions of gpus.h, and what must hold for every row, so that no consumer meets a row that it cannot
 * use. */
#include "gpus.h"
#include "lanescope/wire.h"

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

static void names(void **state)
{
    (void)state;
    assert_string_equal(ls_gpu_find("gfx90a:sramecc+:xnack-")->name, "gfx90a");
    assert_null(ls_gpu_find("gfx90"));
    assert_null(ls_gpu_find("gfx90a0"));
    assert_null(ls_gpu_find(""));
    assert_null(ls_gpu_find(NULL));
    assert_null(ls_gpu_find_emulated("gfx1103")); /* the models know it, no more */
    assert_non_null(ls_gpu_find("gfx1103"));
}

/* Families: the longest beginning decides. Generic targets are LLVM's names (AMDGPUUsage, "Processors"). */
static void families(void **state)
{
    static const struct {
        const char *name, *prefix;
        unsigned lanes, probes;
    } rows[] = {{"gfx90a", "gfx90a", 64, 9},
                {"gfx908", "gfx908", 64, 9},
                {"gfx906:xnack-", "gfx9", 64, 9},
                {"gfx940", "gfx94", 64, 94},
                {"gfx950", "gfx950", 64, 94},
                {"gfx9-generic", "gfx9", 64, 9},
                {"gfx9-4-generic", "gfx9-4-generic", 64, 94},
                {"gfx1012", "gfx101", 32, 10},
                {"gfx1030", "gfx103", 32, 10},
                {"gfx10-3-generic", "gfx10", 32, 10},
                {"gfx1151", "gfx1151", 32, 11},
                {"gfx1152", "gfx115", 32, 11},
                {"gfx11-generic", "gfx11", 32, 11},
                {"gfx1200", "gfx12", 32, 11},
                {"gfx12-generic", "gfx12", 32, 11}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct ls_gpu_family *f = ls_gpu_family_of(rows[i].name);
        assert_non_null(f);
        assert_string_equal(f->prefix, rows[i].prefix);
        assert_int_equal(f->lanes, rows[i].lanes);
        assert_int_equal(ls_gpu_lanes(rows[i].name), rows[i].lanes);
        assert_int_equal(f->probes, rows[i].probes);
    }
    assert_null(ls_gpu_family_of("gfx1500"));
    assert_null(ls_gpu_family_of("sm_90"));
    assert_null(ls_gpu_family_of(NULL));
    assert_int_equal(ls_gpu_lanes("gfx1500"), 64);
}

/* The generic targets' GPUs are LLVM's (AMDGPUUsage, "Generic processor code objects"). */
static void targets(void **state)
{
    static const char *const fit[][2] = {{"gfx90a", "gfx90a:sramecc+:xnack-"},
                                         {"gfx942", "gfx9-4-generic"},
                                         {"gfx950", "gfx9-4-generic:xnack+"},
                                         {"gfx906", "gfx9-generic"},
                                         {"gfx1030", "gfx10-3-generic"},
                                         {"gfx1151", "gfx11-generic"},
                                         {"gfx90a", "amdgcnspirv"},
                                         {"gfx90a", "gfx13-generic"}};
    static const char *const other[][2] = {{"gfx90a", "gfx9-generic"},    {"gfx90a", "gfx9-4-generic"},
                                           {"gfx908", "gfx9-generic"},    {"gfx90a", "gfx90"},
                                           {"gfx90", "gfx9-generic"},     {"gfx90a", "gfx906"},
                                           {"gfx1030", "gfx10-1-generic"}};
    (void)state;
    for (size_t i = 0; i < sizeof fit / sizeof *fit; i++)
        assert_true(ls_gpu_may_run(fit[i][0], fit[i][1]));
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_false(ls_gpu_may_run(other[i][0], other[i][1]));
    assert_true(ls_gpu_target_has_models("gfx90a") && ls_gpu_target_has_models("gfx9-4-generic"));
    assert_false(ls_gpu_target_has_models("gfx906") || ls_gpu_target_has_models("gfx9-generic"));
}

static void lists(void **state)
{
    char text[192], small[12];
    (void)state;
    assert_string_equal(ls_gpu_names(text, sizeof text, "soft:", ", ", " or "),
                        "soft:gfx90a, soft:gfx942, soft:gfx950, soft:gfx1030, soft:gfx1100, soft:gfx1101, "
                        "soft:gfx1102, soft:gfx1151, soft:gfx1200 or soft:gfx1201");
    assert_string_equal(ls_gpu_names(small, sizeof small, "", "|", "|"), "gfx90a|gfx9");
    assert_string_equal(ls_gpu_default()->name, "gfx90a");
    assert_null(ls_gpu_emulated_at(10));
}

static void check_phases(const struct ls_lds_phases phases[LS_LDS_WIDTHS], unsigned lanes)
{
    for (unsigned w = 0; w < LS_LDS_WIDTHS; w++) {
        uint64_t all = 0;
        assert_true(phases[w].banks == 32 || phases[w].banks == 64);
        for (unsigned i = 0; i < phases[w].n; i++) {
            assert_int_equal(all & phases[w].groups[i], 0); /* each lane once */
            all |= phases[w].groups[i];
        }
        assert_int_equal(all, lanes == 64 ? ~0ull : (1ull << lanes) - 1);
    }
}

static void rows(void **state)
{
    const struct ls_gpu *gpu;
    (void)state;
    for (size_t i = 0; (gpu = ls_gpu_at(i)); i++) {
        const struct ls_gpu_family *f = gpu->family;
        assert_ptr_equal(ls_gpu_find(gpu->name), gpu);
        assert_true(strlen(gpu->name) < 16); /* the access log's field */
        assert_int_equal(strncmp(gpu->name, f->prefix, strlen(f->prefix)), 0);
        assert_true(f->lanes == 32 || f->lanes == 64);
        assert_true(f->lds_bytes <= LS_LDS_MOST); /* longer copies are damage, to who reads messages */
        assert_true(f->cycle_bits >= 1 && f->cycle_bits <= 64 && f->probes);
        assert_true(gpu->version);
        /* ROCm Compute Profiler has panels of requests for every gfx9 */
        assert_int_equal(f->counts_requests, gpu->version / 10000 == 9);
        if (gpu->lds)
            check_phases(gpu->lds->read, f->lanes), check_phases(gpu->lds->write, f->lanes);
        assert_true(!gpu->is_wide && ls_gpu_wave(gpu) == f->lanes && ls_gpu_in_waves(gpu, f->lanes) == gpu);
        assert_ptr_equal(ls_gpu_in_waves(gpu, 96 - f->lanes), gpu->wide);
        if (gpu->wide) {
            const struct ls_gpu *w = gpu->wide;
            assert_true(f->lanes == 32 && w->is_wide && ls_gpu_wave(w) == 64 && w->family == f);
            assert_true(w->version == gpu->version && w->l1_line == gpu->l1_line &&
                        !strcmp(w->name, gpu->name));
            check_phases(w->lds->read, 64), check_phases(w->lds->write, 64);
            assert_false(ls_gpu_lds_any(w, true));
        }
        assert_true(gpu->isa != LS_GPU_ISA_NONE || !gpu->card);
        assert_true(gpu->family->encoding >= 9);
        if (gpu->isa != LS_GPU_ISA_NONE)
            assert_true(f->scratch_granule && f->permuted_lanes);
        if (gpu->card)
            assert_true(gpu->card->dies && gpu->card->engines && gpu->card->l1_kib && gpu->card->l2_kib &&
                        f->simds && f->waves_per_simd &&
                        gpu->card->compute_units <= gpu->card->dies * gpu->card->engines * gpu->card->arrays *
                                                        gpu->card->array_units);
    }
}

/* docs/hardware.md's table of what is measured:
 * gfx90a b32 reads alone; gfx942 all but b96 and narrow writes. */
static void measured(void **state)
{
    (void)state;
    const struct ls_gpu_lds *a = ls_gpu_find("gfx90a")->lds, *b = ls_gpu_find("gfx942")->lds;
    assert_true(a->read[LS_LDS_B32].measured && !a->read[LS_LDS_B64].measured &&
                !a->write[LS_LDS_B32].measured);
    assert_true(b->read[LS_LDS_B128].measured && !b->read[LS_LDS_B96].measured &&
                b->write[LS_LDS_B128].measured);
    assert_true(ls_gpu_lds_any(ls_gpu_find("gfx90a"), true) && ls_gpu_lds_any(ls_gpu_find("gfx90a"), false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names),   cmocka_unit_test(families),
                                       cmocka_unit_test(targets), cmocka_unit_test(lists),
                                       cmocka_unit_test(rows),    cmocka_unit_test(measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
