/*
 * place.h - what stands at a name that somebody wants to write or read, found out without following links and
 * without touching it; shared by the writer, the reader and the command line.
 */
#ifndef RESULTS_PLACE_H
#define RESULTS_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

enum ls_place {
    LS_PLACE_FREE,    /* nothing there */
    LS_PLACE_OURS,    /* an ordinary file that begins with one of our marks, or an empty one */
    LS_PLACE_FOREIGN, /* somebody else's file, a link, a directory, a device, or one that cannot be read */
};

/* Whether a results database may be put at `path`: ours is a SQLite file with LS_APPLICATION_ID. */
enum ls_place ls_place_of_database(const char *path);
/* The same for other files; ours begins with the `n` bytes of `mark`. */
enum ls_place ls_place_of(const char *path, const void *mark, size_t n);
/* Creates `path`, of mode 0600 whatever the umask is, and opens it for reading and writing; never an existing
 * file, never through a link. -1 with errno. */
int ls_place_create(const char *path);
/* Creates a directory like mkdtemp(3), that its owner can use whatever the umask is. NULL with errno. */
char *ls_place_directory(char *name);
/* Whether the open file still has that name: it was not removed, renamed or replaced. */
bool ls_place_is(int fd, const char *path);
/* "file:..." for sqlite3_open_v2 with SQLITE_OPEN_URI; `query`: "immutable=1". malloc'd. */
char *ls_place_uri(const char *path, const char *query);
/* Whether an ordinary file `path``suffix` with something in it stands beside a database
 * ("-journal", "-wal"). */
bool ls_place_beside(const char *path, const char *suffix);
/* Whether something that is no journal of SQLite stands at the name of one beside `path`. */
bool ls_place_blocked(const char *path);
/* Who may read a file of that group that holds what the file at `path` holds: the bits 0444 of its mode, 0 where it cannot
 * be looked at. Links are followed, and access control lists count. */
mode_t ls_place_readers(const char *path, gid_t group);
/* Gives the open file that mode; where it is not for all to read, whom an access control list of its folder names may
 * not read it either. 0, or -1 with errno. */
int ls_place_open_to(int fd, mode_t mode);
/* Who comes to `path` through those of its folders in which `beside`, a file of that group, does not lie: of what they let
 * search, the bits 0444. Links are followed. The owner's bit alone where a folder cannot be looked at. */
mode_t ls_place_reachable(const char *path, const char *beside, gid_t group);
/* Removes journals beside `path`, which would be taken for those of the database that is put there. 0, or -1
 * with errno: EEXIST for an ordinary file that is none. */
int ls_place_clear_beside(const char *path);

#endif
