/* readers.h - who may read what is written from recordings: who may read all of these. */
#ifndef CLI_READERS_H
#define CLI_READERS_H

#include <stddef.h>
#include <sys/stat.h>

/* What `readers_narrow` begins with. */
#define READERS_ALL 0666

/* Takes from `mode` what the database at that path withholds, of read permissions and the write permission beside each: all
 * of them where it cannot be looked at. group: of the file that is written, as another group's members may read a database by
 * its group bits, and the file by its own. */
mode_t readers_narrow(mode_t mode, const char *database, gid_t group);
/* The mode of the file: what is left, less the umask; its owner can always use it, as far as the umask lets. */
mode_t readers_mode(mode_t narrowed);
/* Gives the open, still empty file the mode for these `n` databases. 0, or -1 with errno. */
int readers_apply(int fd, char *const *databases, size_t n);

#endif
