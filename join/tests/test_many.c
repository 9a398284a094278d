/*
 * test_many.c - reading the code of all kernels of a code object takes work in proportion to their number: what is asked
 * of the ELF and DWARF libraries is counted (the linker's --wrap), for 20 kernels and for 100.
 *
 *   test_many FILE20 FILE100
 */
#include "tests/check.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdio.h>
#include "join/machine/isa.h"

enum { FEW = 20, MANY = 100 };
static char *const *files;

static struct counts {
    unsigned long opened, symbols, notes, entries;
} counts;

/* NOLINTBEGIN(bugprone-reserved-identifier): the names that --wrap asks for */
Elf *__real_elf_memory(char *image, size_t size);
GElf_Sym *__real_gelf_getsym(Elf_Data *data, int index, GElf_Sym *out);
size_t __real_gelf_getnote(Elf_Data *data, size_t at, GElf_Nhdr *out, size_t *name, size_t *contents);
int __real_dwarf_siblingof(Dwarf_Die *die, Dwarf_Die *out);
Elf *__wrap_elf_memory(char *image, size_t size);
GElf_Sym *__wrap_gelf_getsym(Elf_Data *data, int index, GElf_Sym *out);
size_t __wrap_gelf_getnote(Elf_Data *data, size_t at, GElf_Nhdr *out, size_t *name, size_t *contents);
int __wrap_dwarf_siblingof(Dwarf_Die *die, Dwarf_Die *out);

Elf *__wrap_elf_memory(char *image, size_t size)
{
    counts.opened++;
    return __real_elf_memory(image, size);
}

GElf_Sym *__wrap_gelf_getsym(Elf_Data *data, int index, GElf_Sym *out)
{
    counts.symbols++;
    return __real_gelf_getsym(data, index, out);
}

size_t __wrap_gelf_getnote(Elf_Data *data, size_t at, GElf_Nhdr *out, size_t *name, size_t *contents)
{
    counts.notes++;
    return __real_gelf_getnote(data, at, out, name, contents);
}

int __wrap_dwarf_siblingof(Dwarf_Die *die, Dwarf_Die *out)
{
    counts.entries++;
    return __real_dwarf_siblingof(die, out);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* Each kernel stores in the inlined function, whose call has a place, and then accesses memory itself. */
static void check_kernel(struct ls_isa *isa, const char *name)
{
    struct ls_isa_registers r = {0};
    struct ls_isa_listing l;
    const char *why;
    unsigned inlined = 0, own = 0;
    assert_true(ls_isa_registers(isa, name, &r));
    assert_true(r.vgprs > 0);
    if (ls_isa_list(isa, name, &l, &why) != 0)
        fail_msg("%s: %s", name, why);
    for (size_t i = 0; i < l.n; i++) {
        if (l.items[i].form.class != LS_ISA_VECTOR)
            continue;
        assert_non_null(l.items[i].calls);
        inlined += strchr(l.items[i].calls, '|') != NULL;
        own += !l.items[i].calls[0];
    }
    ls_isa_listing_free(&l);
    assert_int_equal(inlined, 1);
    assert_in_range(own, 1, 2); /* the load may be a scalar one */
}

static struct counts read_all(const char *path, int n_kernels)
{
    static char bytes[1 << 20];
    const char *why;
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(size < sizeof bytes);
    memset(&counts, 0, sizeof counts);
    struct ls_isa *isa = ls_isa_open(bytes, size, "amdgcn-amd-amdhsa--gfx90a", &why);
    if (!isa)
        fail_msg("%s", why);
    for (int i = 0; i < n_kernels; i++) {
        const char name[] = {(char)('a' + i / 20), (char)('0' + i % 20 / 5), (char)('0' + i % 5), 0};
        check_kernel(isa, name);
    }
    ls_isa_close(isa);
    return counts;
}

static void linear(void **state)
{
    (void)state;
    const struct counts few = read_all(files[0], FEW), many = read_all(files[1], MANY);
    assert_int_equal(many.opened, few.opened);
    assert_int_equal(many.notes, few.notes);
    /* Five times the kernels: at most five times the work, and what does not depend on them counts for less. */
    assert_in_range(many.symbols, few.symbols, MANY / FEW * few.symbols);
    assert_in_range(many.entries, few.entries, MANY / FEW * few.entries);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(linear)};
    if (argc != 3) {
        fprintf(stderr, "usage: %s FILE20 FILE100\n", argv[0]);
        return 2;
    }
    files = argv + 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
