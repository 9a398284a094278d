/* Hardware instructions by their mnemonics, and which source accesses they carry out. */
#include "tests/check.h"
#include "join/machine/text/op_text.h"
#include "join/machine/isa.h"
#include "join/join.h"

static void classes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum ls_isa_class class;
        bool pair, store;
        uint32_t bytes;
    } cases[] = {
        {"ds_read_b32 v0, v1", LS_ISA_LDS, false, false, 4},
        {"ds_read2_b32 v[0:1], v2 offset1:1", LS_ISA_LDS, true, false, 4},
        {"ds_read2st64_b64 v[0:3], v4 offset1:8", LS_ISA_LDS, true, false, 8},
        {"ds_write2_b64 v0, v[1:2], v[3:4] offset1:1", LS_ISA_LDS, true, true, 8},
        {"ds_read_u8_d16_hi v0, v1", LS_ISA_LDS, false, false, 1},
        {"ds_write_b128 v0, v[1:4]", LS_ISA_LDS, false, true, 16},
        {"ds_load_2addr_b32 v[0:1], v2", LS_ISA_LDS, true, false, 4},
        {"ds_add_u32 v0, v1", LS_ISA_LDS, false, false, 4},
        {"ds_pk_add_f16 v0, v1", LS_ISA_LDS, false, false, 4},
        {"ds_pk_add_rtn_bf16 v2, v0, v1", LS_ISA_LDS, false, false, 4},
        {"global_atomic_pk_add_f16 v0, v1, s[0:1]", LS_ISA_VECTOR, false, false, 4},
        {"ds_bpermute_b32 v0, v1, v2", LS_ISA_NONE, false, false, 4},
        {"ds_swizzle_b32 v0, v1 offset:swizzle", LS_ISA_NONE, false, false, 4},
        {"global_load_dword v0, v[1:2], off", LS_ISA_VECTOR, false, false, 4},
        {"global_load_dwordx4 v[0:3], v[4:5], off", LS_ISA_VECTOR, false, false, 16},
        {"global_store_short v[0:1], v2, off", LS_ISA_VECTOR, false, true, 2},
        {"flat_load_ubyte v0, v[1:2]", LS_ISA_VECTOR, false, false, 1},
        {"buffer_load_dwordx2 v[0:1], v2, s[0:3], 0 offen", LS_ISA_VECTOR, false, false, 8},
        {"buffer_wbinvl1_vol", LS_ISA_NONE, false, false, 0},
        {"s_load_dwordx16 s[0:15], s[0:1], 0x0", LS_ISA_SCALAR, false, false, 64},
        {"s_buffer_load_dword s0, s[4:7], 0x0", LS_ISA_SCALAR, false, false, 4},
        {"scratch_load_dword v0, off, s0", LS_ISA_SCRATCH, false, false, 4},
        {"v_add_u32_e32 v0, v1, v2", LS_ISA_NONE, false, false, 0},
        {"s_waitcnt vmcnt(0)", LS_ISA_NONE, false, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ls_isa_form f = ls_isa_form(cases[i].text);
        if (f.class != cases[i].class)
            fail_msg("%s: class %d", cases[i].text, f.class);
        if (f.class == LS_ISA_NONE)
            continue;
        if (f.pair != cases[i].pair || f.store != cases[i].store || f.bytes != cases[i].bytes)
            fail_msg("%s: pair %d store %d bytes %u", cases[i].text, f.pair, f.store, f.bytes);
    }
}

/* A kernel whose line 5 loads LDS `n` times, 4 bytes each. */
static struct ls_module module_of(unsigned n, uint32_t bytes, struct lanescope_site *sites,
                                  struct ls_site *raw)
{
    static const struct lanescope_frame frame = {"/src/a.hip", 5, 9, "k"};
    for (unsigned i = 0; i < n; i++) {
        sites[i] = (struct lanescope_site){.kind = LS_SITE_LOAD,
                                           .space = 3,
                                           .bytes = bytes,
                                           .n_frames = 1,
                                           .frames = &frame,
                                           .instruction = "load"};
        raw[i] = (struct ls_site){.kernel = 0};
    }
    return (struct ls_module){.n_sites = n, .sites = sites, .raw = raw};
}

static struct ls_isa_listing with_forms(struct ls_isa_instruction *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        items[i].form = ls_isa_form(items[i].text);
    return (struct ls_isa_listing){.items = items, .n = n};
}

/* All sites of the module are one kernel's. */
static char *join_site(const struct ls_module *m, uint32_t index, const struct ls_isa_listing *l,
                       uint32_t *is_merged)
{
    struct ls_site_groups g;
    assert_true(ls_site_groups_make(&g, m));
    char *text = ls_join_site(m, ls_site_group(&g, 0), index, l, is_merged);
    ls_site_groups_free(&g);
    return text;
}

static void merged(void **state)
{
    (void)state;
    struct lanescope_site sites[4];
    struct ls_site raw[4];
    char read2[] = "ds_read2_b32 v[0:1], v2 offset1:1", read1[] = "ds_read_b32 v3, v2", file[] = "a.hip";
    struct ls_isa_instruction items[] = {{.offset = 0, .text = read2, .file = file, .line = 5, .column = 9},
                                         {.offset = 8, .text = read2, .file = file, .line = 5, .column = 9},
                                         {.offset = 16, .text = read1, .file = file, .line = 6, .column = 1}};
    struct ls_isa_listing l = with_forms(items, 3);
    uint32_t is_merged;
    /* Four loads, two instructions on that line: each instruction does two. */
    struct ls_module m = module_of(4, 4, sites, raw);
    char *text = join_site(&m, 0, &l, &is_merged);
    assert_string_equal(text, "2x ds_read2_b32");
    assert_int_equal(is_merged, 1);
    free(text);
    /* Two loads, two instructions: each is one 8-byte access that was not aligned enough. */
    m = module_of(2, 8, sites, raw);
    text = join_site(&m, 0, &l, &is_merged);
    assert_string_equal(text, "2x ds_read2_b32");
    assert_int_equal(is_merged, 0);
    free(text);
    /* Three 16-byte loads, four b64 pairs: three of them are the under-aligned 16-byte loads, the fourth does
     * the two 8-byte loads at once; four 4-byte loads are done by two b32 pairs. */
    struct lanescope_site many[9];
    struct ls_site many_raw[9];
    char pair64[] = "ds_read2_b64 v[0:3], v4 offset1:7";
    struct ls_isa_instruction six[6];
    for (int i = 0; i < 6; i++)
        six[i] = (struct ls_isa_instruction){
            .offset = (uint64_t)i * 8, .text = i < 4 ? pair64 : read2, .file = file, .line = 5, .column = 9};
    struct ls_isa_listing l6 = with_forms(six, 6);
    m = module_of(9, 16, many, many_raw);
    many[3].bytes = many[4].bytes = 8;
    for (int i = 5; i < 9; i++)
        many[i].bytes = 4;
    for (uint32_t i = 0; i < 9; i++) {
        text = join_site(&m, i, &l6, &is_merged);
        /* By its width alone, an 8-byte load may also be one under-aligned b32 pair. */
        assert_string_equal(text, i < 3   ? "4x ds_read2_b64"
                                  : i < 5 ? "4x ds_read2_b64, 2x ds_read2_b32"
                                          : "2x ds_read2_b32");
        assert_int_equal(is_merged, i >= 3);
        free(text);
    }
    /* Another kernel's instructions are not this one's; neither are other lines'. */
    items[0].line = items[1].line = 4;
    assert_null(join_site(&m, 0, &l, &is_merged));
    /* A global access is not done by an LDS instruction. */
    items[0].line = items[1].line = 5;
    many[0].space = 1;
    assert_null(join_site(&m, 0, &l, &is_merged));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(classes), cmocka_unit_test(merged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
