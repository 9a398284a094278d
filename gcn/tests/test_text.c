/* What texts say is what traits say, where there are traits; texts of GPUs that are not decoded as LLVM writes them. */
#include "gcn/gcn.h"
#include "gcn/text.h"
#include "tests/check.h"

static void traits(void **state)
{
    (void)state;
    unsigned atomics = 0;
    for (unsigned op = 1; op < GCN_OP_COUNT; op++) {
        const struct gcn_traits *t = gcn_traits(op);
        if (gcn_text_is_global(gcn_op_name(op)) != (t->unit == GCN_UNIT_GLOBAL))
            fail_msg("%s", gcn_op_name(op));
        if (t->access != GCN_ACCESS_ATOMIC || t->unit == GCN_UNIT_SMEM)
            continue;
        atomics++;
        if (gcn_text_compares(gcn_op_name(op)) != gcn_has(op, GCN_COMPARES))
            fail_msg("%s", gcn_op_name(op));
    }
    assert_true(atomics > 200);
}

static void returns(void **state)
{
    (void)state;
    static const char *const yes[] = {
        "ds_add_rtn_u32 v0, v1, v2",
        "ds_append v0 offset:4",
        "ds_consume v0",
        "global_atomic_add v0, v1, v2, s[0:1] glc",
        "global_atomic_add v0, v1, v2, s[0:1] sc0",
        "flat_atomic_cmpswap_b32 v0, v[2:3], v[4:5] glc",
        "buffer_atomic_add_u32 v0, off, s[4:7], null th:TH_ATOMIC_RETURN",
        "global_atomic_add_u32 v0, v1, v2, s[0:1] th:TH_ATOMIC_NT_RETURN scope:SCOPE_DEV",
    };
    static const char *const no[] = {
        "ds_add_u32 v1, v2",
        "global_atomic_add v1, v2, s[0:1]",
        "global_atomic_add_f64 v0, v[2:3], s[0:1] sc1",
        "global_load_dword v0, v1, s[0:1] glc",
        "global_load_dword v0, v1, s[0:1] sc0",
        "global_atomic_add_u32 v1, v2, s[0:1] th:TH_ATOMIC_NT",
    };
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!gcn_text_returns(yes[i]))
            fail_msg("%s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (gcn_text_returns(no[i]))
            fail_msg("%s", no[i]);
}

static void compares(void **state)
{
    (void)state;
    assert_true(gcn_text_compares("ds_cmpstore_rtn_b32 v0, v1, v2, v3"));
    assert_true(gcn_text_compares("global_atomic_cmpswap_b64 v[0:1], v2, v[4:7], s[0:1] glc"));
    assert_false(gcn_text_compares("v_cmp_eq_u32_e32 vcc, v0, v1"));
    assert_false(gcn_text_compares("global_atomic_swap v0, v1, s[0:1]"));
}

static void global(void **state)
{
    (void)state;
    assert_true(gcn_text_is_global("global_load_dwordx4"));
    assert_true(gcn_text_is_global("2x global_store_dword, global_load_ushort"));
    assert_true(gcn_text_is_global("4x global_load_lds_dword"));
    assert_true(gcn_text_is_global("global_load_lds_b32, 12x global_load_b128"));
    assert_false(gcn_text_is_global("global_load_dword, flat_load_dword"));
    assert_false(gcn_text_is_global("2x flat_load_dword, global_load_dword"));
    assert_false(gcn_text_is_global("global_load_dword, 2x ds_read_b32"));
    assert_false(gcn_text_is_global(""));
    assert_false(gcn_text_is_global("ds_read_b32"));
    assert_false(gcn_text_is_global("s_load_dword"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traits),
        cmocka_unit_test(returns),
        cmocka_unit_test(compares),
        cmocka_unit_test(global),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
