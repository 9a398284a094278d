/*
 * test_code_versions.c - instrumented code objects of versions 4, 5 and 6: site table, registers from the
 * metadata, machine code. The runtime of ROCm 5.2 runs version 4 alone; reading must not depend on that.
 *
 *   test_code_versions FILE4 FILE5 FILE6
 */
#include "tests/check.h"
#include <stdio.h>
#include "objects/elf_image.h"
#include "join/machine/isa.h"
#include "objects/sites.h"

enum { ABI_VERSION = 8 }; /* of the ELF header: 2, 3 and 4 for versions 4, 5 and 6 (LLVM AMDGPUUsage) */
static char *const *files;

struct file {
    unsigned char bytes[1 << 20];
    size_t n;
};

static void parse(const struct file *f)
{
    const void *section;
    size_t size, n;
    const char *why = NULL;
    struct ls_module *modules;
    assert_int_equal(ls_elf_section(f->bytes, f->n, ".lanescope.sites", &section, &size), 1);
    ls_sites_parse(section, size, &modules, &n, &why);
    if (why)
        fail_msg("%s", why);
    assert_int_equal(n, 1);
    assert_int_equal(modules[0].n_kernels, 1);
    assert_string_equal(modules[0].kernels[0].name, "store_one");
    assert_int_equal(modules[0].n_sites, 1);
    assert_int_equal(modules[0].sites[0].kind, LS_SITE_STORE);
    struct ls_isa *isa = ls_isa_open(f->bytes, f->n, "amdgcn-amd-amdhsa--gfx90a", &why);
    if (!isa)
        fail_msg("%s", why);
    struct ls_isa_registers original = {0}, clone = {0};
    assert_true(ls_isa_registers(isa, "store_one", &original));
    assert_true(ls_isa_registers(isa, modules[0].kernels[0].clone, &clone));
    /* The work-item and its address, and what the probe needs on top. */
    assert_true(original.vgprs >= 1 && original.sgprs >= 2 && clone.vgprs > original.vgprs);
    struct ls_isa_listing l = {0};
    assert_int_equal(ls_isa_list(isa, "store_one", &l, &why), 0);
    unsigned stores = 0;
    for (size_t i = 0; i < l.n; i++)
        stores += !strncmp(l.items[i].text, "global_store_dword", 18);
    assert_int_equal(stores, 1);
    ls_isa_listing_free(&l);
    ls_isa_close(isa);
    ls_sites_free(modules, n);
}

static void versions(void **state)
{
    static struct file f;
    (void)state;
    for (unsigned version = 4; version <= 6; version++) {
        FILE *in = fopen(files[version - 4], "rb");
        assert_non_null(in);
        f.n = fread(f.bytes, 1, sizeof f.bytes, in);
        fclose(in);
        assert_true(f.n > 64 && f.n < sizeof f.bytes);
        assert_int_equal(f.bytes[ABI_VERSION], version - 2);
        parse(&f);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(versions)};
    if (argc != 4) {
        fprintf(stderr, "usage: %s FILE4 FILE5 FILE6\n", argv[0]);
        return 2;
    }
    files = argv + 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
