/* fault_vfs.h - SQLite's file layer with a fault:
 * the n-th write, sync or truncation fails as on a full disk. */
#ifndef RESULTS_TESTS_FAULT_VFS_H
#define RESULTS_TESTS_FAULT_VFS_H

#include <stdbool.h>

/* Becomes the default VFS; call once. */
void fault_vfs_install(void);
/* The n-th operation from now (from 1) and all later ones fail; 0: none. */
void fault_vfs_arm(long n);
/* The process kills itself instead (SIGKILL) before the n-th operation. */
void fault_vfs_arm_kill(long n);
/* Whether the fault happened since then. */
bool fault_vfs_hit(void);

#endif
