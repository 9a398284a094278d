/* api_tables.c - checks the tables that ROCr hands out and copies the slots that we use. */
#include "api_tables.h"

#include <string.h>

bool ls_api_copy(struct ls_api *api, const struct ls_api_tables *live, const char **why)
{
    memset(api, 0, sizeof *api);
    if (!live || live->version.major_id < 1 || live->version.major_id > 3 ||
        live->version.minor_id < offsetof(struct ls_api_tables, amd) + sizeof live->amd) {
        *why = "the HSA API table's version is not 1 to 3";
        return false;
    }
    const struct ls_table_version *core = &live->core->version, *amd = &live->amd->version;
    if (core->major_id < 1 || core->major_id > 2 || core->minor_id < sizeof(struct ls_core_table)) {
        *why = "the core API table is not of version 1 or 2, or too short";
        return false;
    }
    if (amd->major_id < 1 || amd->major_id > 2 || amd->minor_id < sizeof(struct ls_amd_table)) {
        *why = "the AMD extension table is not of version 1 or 2, or too short";
        return false;
    }
    size_t slots = (amd->minor_id - sizeof(struct ls_table_version)) / sizeof(ls_slot);
    size_t tail = slots <= LS_AMD_SLOTS_OLD_MAX ? LS_AMD_TAIL_OLD : LS_AMD_TAIL_NEW;
    if ((slots > LS_AMD_SLOTS_OLD_MAX && slots < LS_AMD_SLOTS_NEW_MIN) ||
        (amd->major_id == 2 && tail == LS_AMD_TAIL_OLD) ||
        LS_SLOT(tail) + sizeof(struct ls_amd_tail) > amd->minor_id) {
        *why = "the AMD extension table has an unknown layout";
        return false;
    }
    memcpy(&api->core, live->core, sizeof api->core);
    memcpy(&api->amd, live->amd, sizeof api->amd);
    memcpy(&api->amd_tail, (const char *)live->amd + LS_SLOT(tail), sizeof api->amd_tail);
    return true;
}

bool ls_api_loader(struct ls_api *api)
{
    if (api->loader.hsa_ven_amd_loader_loaded_code_object_get_info)
        return true;
    return api->core.system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof api->loader,
                                                      &api->loader) == HSA_STATUS_SUCCESS &&
           api->loader.hsa_ven_amd_loader_loaded_code_object_get_info;
}
