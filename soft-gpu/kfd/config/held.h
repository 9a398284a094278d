/* held.h - whether the program and the libraries that are loaded hold code for the emulated GPU. */
#ifndef SOFT_GPU_KFD_HELD_H
#define SOFT_GPU_KFD_HELD_H

/* One line on stderr, once in a process, when code of HIP is loaded and none of it is for the target: HIP's own, if it has one,
 * names neither the file nor what it lacks. Keeps errno. */
void tell_other_code(const char *target);

#endif
