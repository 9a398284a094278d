/*
 * symbol.h - finding a symbol of a loaded library without the dynamic linker's lock.
 *
 * dlsym and dlopen wait for a thread that is inside dlopen, constructors included, and that thread may be
 * waiting for the GPU. dl_iterate_phdr does not.
 */
#ifndef SOFT_GPU_KFD_SYMBOL_H
#define SOFT_GPU_KFD_SYMBOL_H

/* Address of `name` in the first loaded object whose path contains `library`; NULL when there is none. */
void *loaded_symbol(const char *library, const char *name);

#endif
