/*
 * paths.h - where the pieces of this installation are, relative to the running program: the build tree's
 * stage directory and an installation have the same layout (bin/, <libdir>/lanescope/).
 */
#ifndef CLI_PATHS_H
#define CLI_PATHS_H

#include <stdbool.h>

/* The tool library that ROCr loads, the library that is preloaded into the program, the software GPU. */
#define PIECE_TOOL "liblanescope-hsa.so"
#define PIECE_PRELOAD "liblanescope-preload.so"
#define PIECE_SOFT_GPU "liblanescope-softgpu.so"
/* Folder of Python modules that hook Triton; its sitecustomize.py is found by every Python. */
#define PIECE_PYTHON "python"

/* Directory of the run-time pieces; static storage. */
const char *piece_directory(void);
/* Full path of a piece in it; malloc'd. */
char *piece_path(const char *name);
bool piece_exists(const char *name);
/* Whether a GPU's driver is there. */
bool has_kfd(void);

#endif
