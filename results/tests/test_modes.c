/* Who may read a recording: nobody who may not read the sources whose text it has. */
#include "ask.h"
#include "in.h"
#include "recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <cmocka.h>

static gid_t source_group; /* 0: the process's */

/* Records a program of the given sources' modes (0: no more) and returns the mode of the database. */
static unsigned mode_with(const mode_t *modes, enum ls_sources which, mode_t mask)
{
    struct ls_db_frame frames[4];
    char name[16];
    size_t n = 0;
    for (; modes[n]; n++) {
        snprintf(name, sizeof(name), "%zu.hip", n);
        unlink(in(name));
        put_text(in(name), "int x;\n");
        chmod(in(name), modes[n]);
        assert_int_equal(source_group ? chown(in(name), (uid_t)-1, source_group) : 0, 0);
        frames[n] = (struct ls_db_frame){strdup(in(name)), 1, 1, "f", 0};
    }
    sources = which;
    mode_t before = umask(mask);
    struct ls_db *db = create(in("mode.db"));
    struct stat st;
    assert_int_equal(stat(in("mode.db.partial"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    ls_db_add_site(db, &(struct ls_db_site){.module = add_module(db), .frames = frames, .n_frames = n});
    finish(db);
    umask(before);
    sources = LS_SOURCES_SHARED;
    for (size_t i = 0; i < n; i++)
        free((void *)(uintptr_t)frames[i].file);
    assert_int_equal(stat(in("mode.db"), &st), 0);
    return st.st_mode & 07777;
}

static int64_t stored(void)
{
    return ask(in("mode.db"), "SELECT count(text) FROM source_file");
}

static void databases_are_no_wider_than_sources(void **state)
{
    (void)state;
    assert_int_equal(mode_with((const mode_t[]){0644, 0755, 0}, LS_SOURCES_SHARED, 022), 0644);
    assert_int_equal(stored(), 2);
    assert_int_equal(mode_with((const mode_t[]){0644, 0644, 0}, LS_SOURCES_SHARED, 027), 0640);
    assert_int_equal(mode_with((const mode_t[]){0644, 0640, 0}, LS_SOURCES_SHARED, 022), 0640);
    assert_int_equal(stored(), 2);
    assert_int_equal(mode_with((const mode_t[]){0664, 0604, 0}, LS_SOURCES_SHARED, 002), 0606 & ~002);
    /* What only its owner can read is left out, and does not count. */
    assert_int_equal(mode_with((const mode_t[]){0644, 0600, 0}, LS_SOURCES_SHARED, 022), 0644);
    assert_int_equal(stored(), 1);
    assert_int_equal(ask(in("mode.db"), "SELECT count(*) FROM source_file WHERE path LIKE '%/1.hip' AND"
                                        " modified_ns IS NULL AND problem LIKE '%--sources=all%'"),
                     1);
    assert_int_equal(mode_with((const mode_t[]){0644, 0600, 0}, LS_SOURCES_ALL, 022), 0600);
    assert_int_equal(stored(), 2);
    assert_int_equal(mode_with((const mode_t[]){0644, 0400, 0}, LS_SOURCES_NONE, 022), 0644);
    assert_int_equal(stored(), 0);
    assert_int_equal(
        ask(in("mode.db"), "SELECT count(*) FROM source_file WHERE problem LIKE '%--no-source%'"), 2);
    /* The owner can always read his results. */
    assert_int_equal(mode_with((const mode_t[]){0644, 0}, LS_SOURCES_SHARED, 0777), 0600);
}

/* Who is in a source's group is one of the others for a database of another group, and the other way round. */
static void groups_that_differ(void **state)
{
    (void)state;
    if (geteuid())
        skip();
    source_group = 65534;
    assert_int_equal(mode_with((const mode_t[]){0644, 0}, LS_SOURCES_SHARED, 022), 0644);
    assert_int_equal(mode_with((const mode_t[]){0640, 0}, LS_SOURCES_SHARED, 022), 0600);
    assert_int_equal(stored(), 1);
    assert_int_equal(mode_with((const mode_t[]){0604, 0}, LS_SOURCES_SHARED, 022), 0600);
    source_group = 0;
    assert_int_equal(mode_with((const mode_t[]){0604, 0}, LS_SOURCES_SHARED, 022), 0604);
}

/* The mode of a recording with one source, by the umask 022. */
static mode_t mode_by_source(const char *database, const char *source)
{
    struct stat st;
    mode_t before = umask(022);
    struct ls_db *db = create(in(database));
    struct ls_db_frame frame = {.file = in(source), .line = 1, .function = "f"};
    ls_db_add_site(db, &(struct ls_db_site){.module = add_module(db), .frames = &frame, .n_frames = 1});
    finish(db);
    umask(before);
    assert_int_equal(stat(in(database), &st), 0);
    assert_int_equal(ask(in(database), "SELECT count(*) FROM source_file WHERE text = 'x'"), 1);
    return st.st_mode & 0777;
}

/* What a folder keeps from others, a database outside of it does not give them; one inside is kept by the folder. */
static void folders_of_sources_count(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in("kept"), 0755) | mkdir(in("kept/deep"), 0755) | mkdir(in("open"), 0755), 0);
    put_text(in("kept/deep/s.c"), "x");
    chmod(in("kept/deep/s.c"), 0644);
    assert_int_equal(mode_by_source("open/1.db", "kept/deep/s.c"), 0644);
    chmod(in("kept"), 0711);
    assert_int_equal(mode_by_source("open/2.db", "kept/deep/s.c"), 0644); /* who knows its name can read it */
    chmod(in("kept"), 0750);
    assert_int_equal(mode_by_source("open/3.db", "kept/deep/s.c"), 0640);
    chmod(in("kept"), 0700);
    assert_int_equal(mode_by_source("open/4.db", "kept/deep/s.c"), 0600);
    assert_int_equal(mode_by_source("kept/5.db", "kept/deep/s.c"), 0644);
    assert_int_equal(symlink(in("kept/deep"), in("link")), 0);
    assert_int_equal(mode_by_source("open/6.db", "link/s.c"), 0600);
}

/* ---- access control lists ---- */

/* Of a list in the kernel's form of extended attributes, from the manual page acl(5): tags 1 owner, 2 a user, 4 owning group,
 * 16 mask, 32 others; little-endian on every machine that this runs on. */
struct list_entry {
    uint16_t tag, permissions;
    uint32_t id;
};

/* Owner rw-, user 12345, owning group, mask r--, others. false: the file system has no lists. */
static bool set_list(const char *path, const char *kind, unsigned user, unsigned group, unsigned others)
{
    struct {
        uint32_t version;
        struct list_entry e[5];
    } list = {2,
              {{1, 7, UINT32_MAX},
               {2, (uint16_t)user, 12345},
               {4, (uint16_t)group, UINT32_MAX},
               {16, 5, UINT32_MAX},
               {32, (uint16_t)others, UINT32_MAX}}};
    return !setxattr(path, kind, &list, sizeof list, 0);
}

/* The mode of a file with a list shows its mask where the group's rights stand, and nothing of who is named. Whom the list gives
 * less than the group or the others get of a database without one, must not get the text from that. */
static void access_lists_count(void **state)
{
    static const char own[] = "system.posix_acl_access", given[] = "system.posix_acl_default";
    (void)state;
    assert_int_equal(mkdir(in("lists"), 0755) | mkdir(in("listed"), 0755) | mkdir(in("gives"), 0755), 0);
    put_text(in("lists/s.c"), "x");
    chmod(in("lists/s.c"), 0644);
    if (!set_list(in("lists/s.c"), own, 4, 4, 4))
        skip();
    assert_int_equal(mode_by_source("open/11.db", "lists/s.c"), 0644); /* all may read */
    set_list(in("lists/s.c"), own, 0, 4, 4);                           /* all but one */
    assert_int_equal(mode_by_source("open/12.db", "lists/s.c"), 0600);
    set_list(in("lists/s.c"), own, 4, 0, 0); /* one more than the owner: shown as 0640 */
    assert_int_equal(mode_by_source("open/13.db", "lists/s.c"), 0600);
    set_list(in("lists/s.c"), own, 4, 4, 0);
    assert_int_equal(mode_by_source("open/14.db", "lists/s.c"), 0640);
    /* A folder on the way to it. */
    put_text(in("listed/s.c"), "x");
    chmod(in("listed/s.c"), 0644);
    set_list(in("listed"), own, 0, 5, 5);
    assert_int_equal(mode_by_source("open/15.db", "listed/s.c"), 0600);
    set_list(in("listed"), own, 5, 5, 5);
    assert_int_equal(mode_by_source("open/16.db", "listed/s.c"), 0644);
    /* What the database's folder gives to a user, it has not for a source that this one may not read. */
    assert_true(set_list(in("gives"), given, 7, 7, 5));
    set_list(in("lists/s.c"), own, 4, 4, 0);
    assert_int_equal(mode_by_source("gives/17.db", "lists/s.c"), 0640);
    assert_int_equal(getxattr(in("gives/17.db"), own, NULL, 0), -1);
    set_list(in("lists/s.c"), own, 4, 4, 4);
    assert_int_equal(mode_by_source("gives/18.db", "lists/s.c"), 0644);
    assert_true(getxattr(in("gives/18.db"), own, NULL, 0) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(databases_are_no_wider_than_sources),
        cmocka_unit_test(groups_that_differ),
        cmocka_unit_test(folders_of_sources_count),
        cmocka_unit_test(access_lists_count),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
