/*
 * comgr.h - AMD's code object manager, loaded when first needed: its library has another name in each major
 * version (.so.2 until ROCm 6, .so.3 since), and programs without instrumented kernels never pay for it.
 */
#ifndef HSA_PLUGIN_COMGR_H
#define HSA_PLUGIN_COMGR_H

#include <amd_comgr.h>

struct ls_comgr {
    __typeof__(amd_comgr_create_disassembly_info) *create_disassembly_info;
    __typeof__(amd_comgr_destroy_disassembly_info) *destroy_disassembly_info;
    __typeof__(amd_comgr_disassemble_instruction) *disassemble_instruction;
    __typeof__(amd_comgr_create_data) *create_data;
    __typeof__(amd_comgr_release_data) *release_data;
    __typeof__(amd_comgr_set_data) *set_data;
    __typeof__(amd_comgr_get_data_metadata) *get_data_metadata;
    __typeof__(amd_comgr_destroy_metadata) *destroy_metadata;
    __typeof__(amd_comgr_metadata_lookup) *metadata_lookup;
    __typeof__(amd_comgr_get_metadata_list_size) *get_metadata_list_size;
    __typeof__(amd_comgr_index_list_metadata) *index_list_metadata;
    __typeof__(amd_comgr_get_metadata_string) *get_metadata_string;
};

/* NULL when there is no library with all of these functions. For one thread. */
const struct ls_comgr *ls_comgr(void);

#endif
