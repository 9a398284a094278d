/* access_list.h - POSIX access control lists: a file's mode does not tell whom they name. */
#ifndef RESULTS_ACCESS_LIST_H
#define RESULTS_ACCESS_LIST_H

#include <sys/types.h>

/* `mode` of the file or folder at `path` as a file without a list can keep its promise: the bits of its group and of others stay
 * where everybody in that class has them. Who is named with fewer would be of the group or of the others of a file without
 * a list, and the group's bits of a mode with a list are those of its mask. `path` is followed. Where the file has no list, `mode`;
 * where it cannot be read, or its form is not known, the owner's bits alone. */
mode_t ls_access_list_promises(const char *path, mode_t mode);
/* Takes the list away that the open file has from its folder. 0: it has none now. -1 with errno. */
int ls_access_list_remove(int fd);

#endif
