/*
 * sdk/views.h - how reports show a handler's numbers, as one table.
 *
 *     static const struct lanescope_named_view views[] = {
 *         {"Executions", LANESCOPE_VIEW(NULL, NEITHER, ALWAYS, 0, 0, EXECUTIONS)},
 *         {"Bank Conflict", LANESCOPE_VIEW(NULL, WORSE, ALWAYS, 1, 1, NONE)},
 *     };
 *     int rc = lanescope_set_views(host, "LDS bank conflicts", "none", views, 2);
 */
#ifndef LANESCOPE_SDK_VIEWS_H
#define LANESCOPE_SDK_VIEWS_H

#include <stddef.h>
#include "lanescope/handler.h"

/* A metric or ratio of the handler, and how it is read. */
struct lanescope_named_view {
    const char *name;
    struct lanescope_view view;
};

/* In the order of struct lanescope_view: title or NULL; of LANESCOPE_MORE_IS_, LANESCOPE_SHOW_ and (role)
 * LANESCOPE_ROLE_ the last word; excess; cost. */
#define LANESCOPE_VIEW(title, more, show, excess, cost, role)                                                \
    {sizeof(struct lanescope_view), title, LANESCOPE_MORE_IS_##more, LANESCOPE_SHOW_##show, excess, cost,    \
     LANESCOPE_ROLE_##role}

/* In open, when all metrics are registered or before: the table's title, what its summary says when there is
 * nothing to tell (lanescope_set_title), and n views in the order of their columns. 0, or what the host
 * answers to the first one that it refuses. */
static inline int lanescope_set_views(const struct lanescope_host *h, const char *title, const char *clean,
                                      const struct lanescope_named_view *views, size_t n)
{
    int rc = lanescope_set_title(h, title, clean);
    for (size_t i = 0; i < n && !rc; i++)
        rc = lanescope_set_view(h, views[i].name, &views[i].view);
    return rc;
}

#endif
