/* cache.h - the user's folder for what can be made again. */
#ifndef CLI_CACHE_H
#define CLI_CACHE_H

/* $XDG_CACHE_HOME/lanescope, else $HOME/.cache/lanescope (XDG Base Directory Specification); malloc'd. NULL:
 * neither names a folder, or HOME's is not there. */
char *cache_folder(void);

#endif
