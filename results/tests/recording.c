/* recording.c - see recording.h. */
#include "recording.h"
#include "ask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

void put(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    fclose(f);
}

void put_text(const char *path, const char *text)
{
    put(path, text, strlen(text));
}

char *get(const char *path, size_t *n)
{
    struct stat st;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &st), 0);
    char *data = calloc(1, (size_t)st.st_size + 1);
    *n = fread(data, 1, (size_t)st.st_size, f);
    fclose(f);
    return data;
}

bool exists(const char *path)
{
    struct stat st;
    return !lstat(path, &st);
}

enum ls_sources sources;
int64_t kernel, agent;

struct ls_db *create(const char *path)
{
    const struct ls_db_process process = {
        .pid = getpid(), .hostname = "h", .cwd = "/", .gpu = "hw", .runtime = "r", .sources = sources};
    char *error = NULL;
    struct ls_db *db = ls_db_create(path, &process, &error);
    if (!db)
        fail_msg("%s", error);
    agent = ls_db_add_agent(db, &(struct ls_db_agent){.arch = "gfx90a"});
    int64_t object = ls_db_add_code_object(db, &(struct ls_db_code_object){.agent = agent});
    kernel = ls_db_add_kernel(db, &(struct ls_db_kernel){.code_object = object, .mangled = "k"});
    return db;
}

void add_dispatches(struct ls_db *db, uint64_t from, uint64_t to, const char *text)
{
    for (; from < to; from++)
        assert_true(ls_db_add_dispatch(
                        db, &(struct ls_db_dispatch){
                                .number = from, .kernel = kernel, .agent = agent, .not_observed = text}) > 0);
}

void finish(struct ls_db *db)
{
    char *error = NULL;
    if (ls_db_finish(db, true, &error))
        fail_msg("%s", error);
}

void expect_whole(const char *path, int64_t dispatches)
{
    assert_int_equal(ask(path, "SELECT count(*) FROM dispatch"), dispatches);
    assert_int_equal(ask(path, "SELECT max(number) FROM dispatch"), dispatches);
    assert_int_equal(ask(path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    assert_int_equal(ask(path, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    assert_int_equal(ask(path, "SELECT value = 'complete' FROM meta WHERE key = 'state'"), 1);
}

int64_t add_module(struct ls_db *db)
{
    return ls_db_add_module(db, &(struct ls_db_module){.code_object = 1, .hash = 1});
}
