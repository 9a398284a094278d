/* annotate_advice.h - the advice on a source line, which may be of several accesses, and of several kernels. */
#ifndef CLI_ANNOTATE_ADVICE_H
#define CLI_ANNOTATE_ADVICE_H

#include "results/profile/profile.h"

/* A sentence, and of what it is. */
struct heard {
    char *text, *access; /* malloc'd; access: "LDS load 4 B" */
    bool of_some;        /* the text begins with which accesses it is about (results/advice/advice.h) */
    const struct ls_p_kernel *kernel;
};

struct heard_list {
    struct heard *items;
    size_t n;
};

/* Adds what advice there is on a row of the line. */
void annotate_hear(struct heard_list *list, const struct ls_profile *p, const struct ls_p_kernel *k,
                   const struct ls_p_line *line);
/* Each sentence once, malloc'd, appended to `out`: with the access and the kernel before it ("global load 4 B in f(int*): ...") where
 * there is advice on others that is not the same. Frees what the list holds. */
void annotate_tell(struct heard_list *list, const struct ls_profile *p, struct ls_p_texts *out);

#endif
