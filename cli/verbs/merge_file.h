/* merge_file.h - the file in which a merge grows, OUTPUT.merging, until it takes the output's name. */
#ifndef CLI_VERBS_MERGE_FILE_H
#define CLI_VERBS_MERGE_FILE_H

#include <sys/types.h>

struct merge_file {
    char *path;
    const char *output; /* not owned */
    int fd;             /* locked as long as it is open: what is not locked was left behind */
};

/* Creates it, empty and for its owner only; takes the place of one that a killed merge left behind. An interrupt
 * removes it from now on. 0, or -1 after a message: another merge is writing it, something else stands there, or it
 * cannot be created. */
int merge_file_create(struct merge_file *f, const char *output);
/* Gives it the output's name, complete on disk and with this mode. Frees f. 0, or -1 after a message, and the file
 * is removed. */
int merge_file_publish(struct merge_file *f, mode_t mode);
/* Removes it, and frees f. */
void merge_file_discard(struct merge_file *f);

#endif
