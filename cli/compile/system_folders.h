/* system_folders.h - where a compiler searches for headers that are not the user's own. */
#ifndef CLI_SYSTEM_FOLDERS_H
#define CLI_SYSTEM_FOLDERS_H

/* Asks the compiler what it would do with the command (`-###`: nothing is compiled) and returns the folders
 * that it searches for system headers: its own, the system's and those of -isystem, separated by colons.
 * malloc'd; NULL when it does not tell. *major: of its LLVM; 0: it does not say. */
char *system_folders(char *const *command, int *major);

#endif
