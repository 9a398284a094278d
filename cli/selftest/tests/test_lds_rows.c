/*
 * What a user of a gfx1100 reads of the lane groups that the self-test found: all of them in the form of the table of GPUs, and
 * ours where it differs. The software GPU, on which the other tests run, finds none.
 */
#include "tests/check.h"
#include "cli/selftest/selftest.h"

#include <stdlib.h>

/* Groups of eight lanes side by side: not those of the table, lanes 0 to 3 and 20 to 23 and so on. */
static const char found[] =
    "{'gpu': 'gfx1100', 'software_gpu': false, 'steps': [{'part': 'lds', 'rows': ["
    "{'way': 'read_b64', 'what': 'read', 'bytes': 8, 'verdict': 'found', 'banks': 32,"
    " 'groups': ['00000000ffff0000', '000000000000ffff']},"
    "{'way': 'read_b128', 'what': 'read', 'bytes': 16, 'verdict': 'found', 'banks': 32,"
    " 'groups': ['00000000000000ff', '000000000000ff00', '0000000000ff0000', '00000000ff000000']},"
    "{'way': 'write_b64', 'what': 'write', 'bytes': 8, 'verdict': 'found', 'banks': 32,"
    " 'groups': ['000000000000ffff', '00000000ffff0000']},"
    "{'way': 'write_b96', 'what': 'write', 'bytes': 12, 'verdict': 'found', 'banks': 64,"
    " 'groups': ['00000000000000ff', '000000000000ff00', '0000000000ff0000', '00000000ff000000']},"
    "{'way': 'write_b128', 'what': 'write', 'bytes': 16, 'verdict': 'two measurements disagree', 'banks': 0,"
    " 'groups': []},"
    "{'way': 'atomic_b32', 'what': 'atomic', 'bytes': 4, 'verdict': 'found', 'banks': 32,"
    " 'groups': ['00000000ffffffff']}]}]}";

static const char page[] =
    "\nLanes that LDS serves together, from timing\n"
    "  read_b64     2 groups, 32 banks: as in our table\n"
    "  read_b128    4 groups, 32 banks: NOT as in our table, which was measured\n"
    "  write_b64    2 groups, 32 banks: as in our table, which only assumed it until now\n"
    "  write_b96    4 groups, 64 banks: NOT as in our table, which assumed it\n"
    "  write_b128   not found: two measurements disagree\n"
    "  atomic_b32   1 group, 32 banks\n"
    "  In the form of gpus/table.c, each number a group of lanes:\n"
    "    read_b64     MEASURED(32, {0xffff0000, 0xffff})\n"
    "    read_b128    MEASURED(32, {0xff, 0xff00, 0xff0000, 0xff000000})\n"
    "      ours:      MEASURED(32, {0xf0000f, 0xf00f0, 0xf0000f00, 0xf00f000})\n"
    "    write_b64    MEASURED(32, {0xffff, 0xffff0000})\n"
    "    write_b96    MEASURED(64, {0xff, 0xff00, 0xff0000, 0xff000000})\n"
    "      ours:      ASSUMED(32, {0xff, 0xff00, 0xff0000, 0xff000000})\n"
    "    atomic_b32   MEASURED(32, {0xffffffff})\n";

static json_t *file_of(const char *text)
{
    char *json = strdup(text);
    for (char *c = json; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *file = json_loads(json, 0, NULL);
    free(json);
    assert_non_null(file);
    return file;
}

static void all_groups_beside_ours(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    json_t *file = file_of(found);
    FILE *out = open_memstream(&text, &size);
    selftest_judge_lds(file);
    selftest_lds_page(file, out);
    fclose(out);
    assert_string_equal(text, page);
    free(text);
    json_decref(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_groups_beside_ours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
