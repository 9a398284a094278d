/* For which GPUs a program holds code: bundles written here by hand, whole and damaged. */
#include "tests/check.h"
#include "objects/fat_binary.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* An ELF file of one section .hip_fatbin, in which a test writes. */
struct file {
    Elf64_Ehdr head;
    char names[32];
    Elf64_Shdr sections[3];
    char fat[1024];
};

static void begin(struct file *f)
{
    static const char names[] = "\0.hip_fatbin\0.shstrtab";
    memset(f, 0, sizeof *f);
    memcpy(f->head.e_ident, ELFMAG, SELFMAG);
    f->head.e_ident[EI_CLASS] = ELFCLASS64;
    f->head.e_ident[EI_DATA] = ELFDATA2LSB;
    f->head.e_ident[EI_VERSION] = EV_CURRENT;
    f->head.e_type = ET_DYN;
    f->head.e_machine = EM_X86_64;
    f->head.e_version = EV_CURRENT;
    f->head.e_ehsize = sizeof f->head;
    f->head.e_shoff = offsetof(struct file, sections);
    f->head.e_shentsize = sizeof *f->sections;
    f->head.e_shnum = 3;
    f->head.e_shstrndx = 2;
    memcpy(f->names, names, sizeof names);
    f->sections[1] = (Elf64_Shdr){.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_addralign = 1};
    f->sections[1].sh_offset = offsetof(struct file, fat);
    f->sections[2] = (Elf64_Shdr){.sh_name = 13, .sh_type = SHT_STRTAB, .sh_addralign = 1};
    f->sections[2].sh_offset = offsetof(struct file, names);
    f->sections[2].sh_size = sizeof names;
}

static void add(struct file *f, const void *bytes, size_t n)
{
    memcpy(f->fat + f->sections[1].sh_size, bytes, n);
    f->sections[1].sh_size += n;
}

static void add_number(struct file *f, uint64_t n)
{
    add(f, &n, sizeof n);
}

static void add_bundle(struct file *f, size_t n, const char *const *names)
{
    add(f, "__CLANG_OFFLOAD_BUNDLE__", 24);
    add_number(f, n);
    for (size_t i = 0; i < n; i++) {
        add_number(f, 4096);
        add_number(f, 16);
        add_number(f, strlen(names[i]));
        add(f, names[i], strlen(names[i]));
    }
}

static void note(void *context, const char *target)
{
    char *out = context;
    snprintf(out + strlen(out), 200 - strlen(out), "%s ", target);
}

static const char *targets(const struct file *f, size_t size)
{
    static char out[200];
    out[0] = 0;
    return ls_fat_binary(f, size, note, out) ? out : NULL;
}

/* As clang 15, clang 22 and hipcc with -fgpu-rdc name entries. */
static const char *const first[] = {"host-x86_64-unknown-linux", "hipv4-amdgcn-amd-amdhsa--gfx906",
                                    "hip-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"};
static const char *const second[] = {"host-x86_64-unknown-linux-gnu-",
                                     "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic",
                                     "hipv4-amdgcn-amd-amdhsa-unknown--gfx942"};

static void whole(void **state)
{
    struct file f;
    (void)state;
    begin(&f);
    assert_null(targets(&f, sizeof f));
    add_bundle(&f, 3, first);
    assert_string_equal(targets(&f, sizeof f), "gfx906 gfx90a:sramecc+:xnack- ");
    add_number(&f, 0); /* padding between bundles */
    add_bundle(&f, 3, second);
    assert_string_equal(targets(&f, sizeof f), "gfx906 gfx90a:sramecc+:xnack- gfx9-4-generic gfx942 ");
}

static void only_the_host(void **state)
{
    struct file f;
    (void)state;
    begin(&f);
    add_bundle(&f, 1, first);
    assert_null(targets(&f, sizeof f));
}

/* The bundle of `names` as clang compresses it: version 1 to 3, method 0 (zlib) or 1 (zstd). */
static void add_compressed(struct file *f, int version, int method, size_t n, const char *const *names)
{
    static struct file plain;
    unsigned char packed[512];
    const uint16_t numbers[] = {(uint16_t)version, (uint16_t)method};
    begin(&plain);
    add_bundle(&plain, n, names);
    size_t size = plain.sections[1].sh_size, head = version == 1 ? 20 : version == 2 ? 24 : 32;
    uLongf length = sizeof packed;
    if (method == 0)
        assert_int_equal(compress(packed, &length, (const Bytef *)plain.fat, size), Z_OK);
    else
        length = ZSTD_compress(packed, sizeof packed, plain.fat, size, 3);
    const uint64_t sizes[] = {head + length, size}, hash = 0;
    add(f, "CCOB", 4);
    add(f, numbers, sizeof numbers);
    for (int i = version == 1; i < 2; i++)
        add(f, &sizes[i], version == 3 ? 8 : 4);
    add(f, &hash, sizeof hash);
    add(f, packed, length);
}

static void compressed(void **state)
{
    struct file f;
    (void)state;
    for (int version = 1; version <= 3; version++)
        for (int method = 0; method <= 1; method++) {
            begin(&f);
            add_compressed(&f, version, method, 3, first);
            add_number(&f, 0);
            add_compressed(&f, version, method, 3, second);
            assert_string_equal(targets(&f, sizeof f),
                                "gfx906 gfx90a:sramecc+:xnack- gfx9-4-generic gfx942 ");
        }
}

/* Of what is cut, or in a form that is not known, nothing is told, whatever else there is. */
static void not_to_be_unpacked(void **state)
{
    struct file f;
    (void)state;
    begin(&f);
    add_bundle(&f, 3, first);
    size_t before = f.sections[1].sh_size;
    for (int version = 2; version <= 3; version++) {
        f.sections[1].sh_size = before;
        add_compressed(&f, version, 1, 3, second);
        for (size_t n = f.sections[1].sh_size - 1; n >= before + 4; n--) {
            f.sections[1].sh_size = n;
            assert_null(targets(&f, sizeof f));
        }
    }
    static const char *const unknown[] = {"CCOB\4\0\1\0", "CCOB\0\0\1\0", "CCOB\1\0\2\0"};
    for (size_t i = 0; i < 3; i++) {
        f.sections[1].sh_size = before;
        add(&f, unknown[i], 8);
        add(&f, "0123456789abcdef0123456789abcdef", 32);
        assert_null(targets(&f, sizeof f));
    }
}

/* What lies between the beginnings of two bundles is code, which may hold anything. */
static void code_is_not_looked_into(void **state)
{
    struct file f;
    (void)state;
    begin(&f);
    const uint64_t entry[] = {0, 200, strlen(first[1])}, one = 1;
    add(&f, "__CLANG_OFFLOAD_BUNDLE__", 24);
    add(&f, &one, sizeof one);
    add(&f, entry, sizeof entry);
    add(&f, first[1], strlen(first[1]));
    size_t head = f.sections[1].sh_size;
    add(&f, "CCOB\7\7\7\7__CLANG_OFFLOAD_BUNDLE__", 32);
    f.sections[1].sh_size = 200;
    assert_true(head + 32 < 200);
    add_bundle(&f, 3, second);
    assert_string_equal(targets(&f, sizeof f), "gfx906 gfx9-4-generic gfx942 ");
}

/* A bundle that is cut anywhere in its head, or whose numbers are too large, is not to be told. */
static void damaged(void **state)
{
    struct file f;
    (void)state;
    begin(&f);
    add_bundle(&f, 3, first);
    size_t size = f.sections[1].sh_size;
    for (size_t n = 0; n < size; n++) {
        f.sections[1].sh_size = n;
        assert_null(targets(&f, sizeof f));
    }
    f.sections[1].sh_size = size;
    for (size_t at = 24; at < 24 + 4 * 8; at += 24) { /* how many entries; how long the first name is */
        uint64_t huge = UINT64_MAX, kept;
        memcpy(&kept, f.fat + at, sizeof kept);
        memcpy(f.fat + at, &huge, sizeof huge);
        assert_null(targets(&f, sizeof f));
        memcpy(f.fat + at, &kept, sizeof kept);
    }
    for (size_t n = 0; n < sizeof f; n += 8)
        (void)targets(&f, n); /* for the sanitizers */
    f.sections[1].sh_size = UINT64_MAX;
    assert_null(targets(&f, sizeof f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),
        cmocka_unit_test(only_the_host),
        cmocka_unit_test(compressed),
        cmocka_unit_test(not_to_be_unpacked),
        cmocka_unit_test(code_is_not_looked_into),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
