/* How the numbers of any handler are shown: what it says of its metrics makes titles, columns, orders and wholes. */
#include "in.h"
#include "lanescope/sites.h"
#include "loaded.h"
#include "results/profile/exact.h"
#include "results/profile/tables.h"
#include "results/writer/writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

/* An observed load of 4 bytes from global memory. */
static int64_t add_load(struct ls_db *db, int64_t module, int64_t kernel, uint32_t index, uint32_t line)
{
    struct ls_db_frame frame = {"/f.hip", line, 1, "k", 0};
    return ls_db_add_site(db, &(struct ls_db_site){.module = module,
                                                   .index = index,
                                                   .kernel = kernel,
                                                   .kind = 1,
                                                   .space = 1,
                                                   .bytes = 4,
                                                   .flags = 1,
                                                   .frames = &frame,
                                                   .n_frames = 1});
}

/* A handler that nobody knows says how its numbers are read: sums are 10 of waste and 4 of need on line 3, 9
 * and 1 on line 4, so line 4 (8 beyond need) is worse than line 3 (6). */
static void handlers_say_how_numbers_are_read(void **state)
{
    (void)state;
    char *error = NULL;
    enum { NEED, WASTE, GOOD, PLAIN, METRICS };
    static const struct ls_db_metric metrics[METRICS] = {
        [NEED] = {.handler = "mine", .name = "Need", .view = {.position = 7, .excess = -1}},
        [WASTE] = {.handler = "mine",
                   .name = "Waste of Everything",
                   .view = {.title = "Waste", .position = 3, .excess = 1, .cost = 1, .direction = 1}},
        [GOOD] = {.handler = "mine", .name = "Good", .view = {.position = 5, .direction = -1, .show = 2}},
        [PLAIN] = {.handler = "mine", .name = "Plain"},
    };
    static const int64_t values[2][METRICS] = {{4, 10, 1, 1}, {1, 9, 1, 1}};
    struct ls_db *db = ls_db_create(in("views.db"), &(struct ls_db_process){.pid = 1}, &error);
    assert_non_null(db);
    int64_t agent = ls_db_add_agent(db, &(struct ls_db_agent){.arch = "gfx942"}), ids[METRICS];
    int64_t object = ls_db_add_code_object(db, &(struct ls_db_code_object){.agent = agent});
    int64_t module = ls_db_add_module(db, &(struct ls_db_module){.code_object = object});
    int64_t kernel =
        ls_db_add_kernel(db, &(struct ls_db_kernel){.code_object = object, .module = module, .mangled = "k"});
    assert_int_equal(ls_db_add_handler(db, "mine", "My table", "nothing wasted"), 0);
    for (int m = 0; m < METRICS; m++)
        ids[m] = ls_db_add_metric(db, &metrics[m]);
    int64_t d = ls_db_add_dispatch(
        db, &(struct ls_db_dispatch){.number = 1, .kernel = kernel, .agent = agent, .observed = true});
    for (uint32_t i = 0; i < 2; i++) {
        int64_t site = add_load(db, module, kernel, i, 3 + i);
        for (int m = 0; m < METRICS; m++)
            ls_db_add_value(db, d, site, ids[m], values[i][m]);
    }
    assert_int_equal(ls_db_finish(db, true, &error), 0);
    struct ls_profile *p = load(in("views.db"), NULL);
    const struct ls_table_options options = {.sort = -1};
    size_t n;
    struct ls_table *t = ls_tables(p, p->kernels[0], &options, &n);
    assert_int_equal(n, 1);
    assert_string_equal(t->title, "My table");
    assert_string_equal(t->clean, "nothing wasted");
    assert_int_equal(t->rows[0]->title.line, 4);
    static const int order[METRICS] = {WASTE, GOOD, NEED, PLAIN};
    assert_int_equal(t->n_columns, METRICS);
    for (int c = 0; c < METRICS; c++)
        assert_int_equal(t->columns[c].metric, order[c]);
    assert_string_equal(t->columns[0].head, "Waste");
    assert_int_equal(t->columns[1].show, LANESCOPE_SHOW_DETAIL);
    assert_int_equal(t->columns[3].show, LANESCOPE_SHOW_EXPORT);
    assert_int_equal(ls_worst_metric(p, "mine"), WASTE);
    assert_true(ls_is_cost(p, WASTE) && !ls_is_cost(p, NEED));
    assert_int_equal(ls_metric_direction(p, WASTE), 1);
    assert_int_equal(ls_metric_direction(p, GOOD), -1);
    assert_int_equal(ls_metric_direction(p, PLAIN), 0);
    ls_tables_free(t, n);
    ls_profile_free(p);
}

/* Numbers of one line that a handler gave a role, in a recording of its own. */
struct role_metric {
    const char *name;
    enum lanescope_role role;
    int excess;
    bool cost;
    int64_t value[2]; /* of lines 3 and 4; -1: none */
};
static struct ls_profile *with_roles(const struct role_metric *list, size_t n)
{
    char *error = NULL;
    struct ls_db *db = ls_db_create(in("roles.db"), &(struct ls_db_process){.pid = 1}, &error);
    assert_non_null(db);
    int64_t agent = ls_db_add_agent(db, &(struct ls_db_agent){.arch = "gfx942"}), site[2];
    int64_t object = ls_db_add_code_object(db, &(struct ls_db_code_object){.agent = agent});
    int64_t module = ls_db_add_module(db, &(struct ls_db_module){.code_object = object});
    int64_t kernel =
        ls_db_add_kernel(db, &(struct ls_db_kernel){.code_object = object, .module = module, .mangled = "k"});
    int64_t d = ls_db_add_dispatch(
        db, &(struct ls_db_dispatch){.number = 1, .kernel = kernel, .agent = agent, .observed = true});
    for (uint32_t i = 0; i < 2; i++) {
        site[i] = add_load(db, module, kernel, i, 3 + i);
        ls_db_join_site(db, site[i], &(struct ls_db_join){.state = 1, .flags = 1});
    }
    for (size_t m = 0; m < n; m++) {
        int64_t id = ls_db_add_metric(db, &(struct ls_db_metric){.handler = "mine",
                                                                 .name = list[m].name,
                                                                 .view = {.position = (uint32_t)m + 1,
                                                                          .role = list[m].role,
                                                                          .excess = list[m].excess,
                                                                          .cost = list[m].cost}});
        for (int i = 0; i < 2; i++)
            if (list[m].value[i] >= 0)
                ls_db_add_value(db, d, site[i], id, list[m].value[i]);
    }
    assert_int_equal(ls_db_finish(db, true, &error), 0);
    return load(in("roles.db"), NULL);
}

/* Line 3 took 100 cycles in 2 of its 8 entries, 400 for all; line 4 took 300 in all of its 3. */
static void times_of_any_handler_order_its_lines(void **state)
{
    (void)state;
    static const struct role_metric list[] = {{"Ticks", LANESCOPE_ROLE_TIME, 0, true, {100, 300}},
                                              {"Seen", LANESCOPE_ROLE_TIMED, 0, false, {2, 3}},
                                              {"Times", LANESCOPE_ROLE_EXECUTIONS, 0, false, {8, 3}},
                                              {"Lit", LANESCOPE_ROLE_LANES, 0, false, {64, 192}}};
    struct ls_profile *p = with_roles(list, 4);
    const struct ls_table_options options = {.sort = -1};
    size_t n;
    struct ls_table *t = ls_tables(p, p->kernels[0], &options, &n);
    assert_true(ls_measures_time(p, "mine"));
    assert_int_equal(t->rows[0]->title.line, 3);
    assert_string_equal(t->note,
                        "6 of 11 entries could not be timed: Ticks lacks them, and lines are ranked by "
                        "its mean x Times");
    assert_false(ls_value_exact(p, &t->rows[0]->values, 0));
    assert_true(ls_value_exact(p, &t->rows[1]->values, 0));
    assert_true(value(p, t->rows[0], "mine", LS_ACTIVE_LANES) == 8);
    assert_true(value(p, t->rows[1], "mine", LS_ACTIVE_LANES) == 64);
    int mean = ls_profile_metric(p, "mine", LS_ACTIVE_LANES);
    assert_true(ls_shows_idle_lanes(p, mean, 8, 64) && !ls_shows_idle_lanes(p, mean, 64, 64));
    ls_tables_free(t, n);
    ls_profile_free(p);
}

/* Without atomics the lines beyond need are no whole; with 12 lanes at 5 addresses it is 9 - 4 + 12 - 5. */
static void a_whole_is_said_or_summed(void **state)
{
    (void)state;
    static const struct role_metric summed[] = {
        {"Lines", LANESCOPE_ROLE_NONE, 1, true, {9, 9}},
        {"Needed", LANESCOPE_ROLE_NONE, -1, false, {4, 4}},
        {"Lanes Waiting", LANESCOPE_ROLE_CONTENTION, 1, false, {-1, 12}},
        {"Addresses", LANESCOPE_ROLE_CONTENTION, -1, false, {-1, 5}},
    };
    static const struct role_metric said[] = {{"Part", LANESCOPE_ROLE_CONTENTION, 1, true, {3, 4}},
                                              {"All", LANESCOPE_ROLE_WHOLE, 0, true, {20, 30}}};
    double whole;
    struct ls_profile *p = with_roles(summed, 4);
    const struct ls_p_kernel *k = p->kernels[0];
    assert_false(ls_whole_cost(p, 0, &line_at(k, 3, "load", "global")->values, &whole));
    assert_true(ls_whole_cost(p, 0, &line_at(k, 4, "load", "global")->values, &whole));
    assert_true(whole == 12);
    assert_false(ls_is_contention(p, 2)); /* no cost by itself */
    ls_profile_free(p);
    p = with_roles(said, 2);
    k = p->kernels[0];
    assert_true(ls_whole_cost(p, 0, &line_at(k, 4, "load", "global")->values, &whole));
    assert_true(whole == 30);
    assert_false(ls_whole_cost(p, 1, &line_at(k, 4, "load", "global")->values, &whole));
    assert_true(ls_is_contention(p, 0) && !ls_is_contention(p, 1));
    ls_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_say_how_numbers_are_read),
        cmocka_unit_test(times_of_any_handler_order_its_lines),
        cmocka_unit_test(a_whole_is_said_or_summed),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
