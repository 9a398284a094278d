/* readers.h - who may read what is written from recordings: who may read all of these. */
#ifndef CLI_READERS_H
#define CLI_READERS_H

#include <stddef.h>

/* Gives the open file, which nobody else has read yet, the mode for what it holds of these `n` databases: 0666 less the umask, and
 * less what any of them withholds by its mode, its access control list or the folders on the way to it in which the file does
 * not lie; all of it where one cannot be looked at. Members of another group may read a database by its group bits, and the file
 * by its own. The owner can always use it, as far as the umask lets. 0, or -1 with errno. */
int readers_apply(int fd, char *const *databases, size_t n);

#endif
