/*
 * comgr.h - AMD's code object manager, loaded when first needed: its library has another name in each major
 * version (.so.2 until ROCm 6, .so.3 since), and programs without instrumented kernels never pay for it.
 */
#ifndef OBJECTS_COMGR_H
#define OBJECTS_COMGR_H

#if __has_include(<amd_comgr/amd_comgr.h>)
#include <amd_comgr/amd_comgr.h> /* since ROCm 5.3; the header without folder warns then */
#else
#include <amd_comgr.h>
#endif

struct ls_comgr {
    __typeof__(amd_comgr_create_disassembly_info) *create_disassembly_info;
    __typeof__(amd_comgr_destroy_disassembly_info) *destroy_disassembly_info;
    __typeof__(amd_comgr_disassemble_instruction) *disassemble_instruction;
};

/* NULL when there is no library with all of these functions. For one thread. */
const struct ls_comgr *ls_comgr(void);

/* Has a comgr that is loaded already do now what it does on first use. Its LLVM registers its targets then, without
 * a lock: a thread of ours that came first at the same time as one of HIP, which compiles its own kernels by it, would
 * end the program. To be called from a thread of the program, before there are others of ours. */
void ls_comgr_set_up(void);

#endif
