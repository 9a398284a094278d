/* system_folders.h - where a compiler searches for headers that are not the user's own. */
#ifndef CLI_SYSTEM_FOLDERS_H
#define CLI_SYSTEM_FOLDERS_H

/* What a compiler says that it would do with a command. */
struct account {
    int major;    /* of its LLVM; 0: it does not say */
    char *proper; /* the program of the compiler proper, malloc'd; NULL: it runs none */
    char *
        folders; /* that it searches for system headers: its own, the system's and those of -isystem, separated
                      by colons; malloc'd; NULL: it does not tell */
};

/* Asks with `-###`: nothing is compiled. */
struct account ask_for_account(char *const *command);

#endif
