/* page_file.h - the file of `report --html`. */
#ifndef CLI_PAGE_FILE_H
#define CLI_PAGE_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include "results/profile/profile.h"

/* Opens the file of a page; stdout for "-". An existing file is replaced when it is a page of ours or empty,
 * with `force` any ordinary file but a recording. Links are not followed. Nobody can read it who cannot read
 * all databases of the profile. To be closed with close_output; NULL after a message. */
FILE *open_page(const char *path, bool force, const struct ls_profile *p);

#endif
