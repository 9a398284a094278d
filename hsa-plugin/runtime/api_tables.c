/* api_tables.c - checks the tables that ROCr hands out and copies the slots that we use. */
#include "api_tables.h"

#include <string.h>

static size_t n_slots(const struct ls_amd_table *amd)
{
    return (amd->version.minor_id - sizeof amd->version) / sizeof(ls_slot);
}

static bool is_new(const struct ls_amd_table *amd)
{
    return n_slots(amd) > LS_AMD_SLOTS_OLD_MAX;
}

static void *slot_at(struct ls_amd_table *amd, size_t n)
{
    return (char *)amd + LS_SLOT(n);
}

struct ls_amd_tail *ls_api_live_tail(struct ls_amd_table *amd)
{
    return slot_at(amd, is_new(amd) ? LS_AMD_TAIL_NEW : LS_AMD_TAIL_OLD);
}

ls_copy_on_engine *ls_api_live_copy_on_engine(struct ls_amd_table *amd)
{
    return is_new(amd) ? slot_at(amd, LS_COPY_ON_ENGINE) : NULL;
}

ls_amd_queue_create *ls_api_live_amd_queue_create(struct ls_amd_table *amd)
{
    bool there = amd->version.step_id >= LS_AMD_QUEUE_CREATE_STEP && n_slots(amd) > LS_AMD_QUEUE_CREATE;
    return there ? slot_at(amd, LS_AMD_QUEUE_CREATE) : NULL;
}

ls_counted_queue_acquire *ls_api_live_counted_queue_acquire(struct ls_amd_table *amd)
{
    return n_slots(amd) > LS_COUNTED_QUEUE_ACQUIRE ? slot_at(amd, LS_COUNTED_QUEUE_ACQUIRE) : NULL;
}

ls_batch_copy *ls_api_live_batch_copy(struct ls_amd_table *amd)
{
    bool there = amd->version.step_id >= LS_BATCH_COPY_STEP && n_slots(amd) > LS_BATCH_COPY;
    return there ? slot_at(amd, LS_BATCH_COPY) : NULL;
}

static __typeof__(hsa_amd_queue_cu_get_mask) *cu_get_mask(struct ls_amd_table *amd)
{
    const size_t n = n_slots(amd), at = is_new(amd)                 ? LS_GET_MASK_NEW
                                        : n == LS_AMD_SLOTS_FIRST   ? LS_GET_MASK_FIRST
                                        : n == LS_AMD_SLOTS_OLD_MAX ? LS_GET_MASK_OLD
                                                                    : n;
    __typeof__(hsa_amd_queue_cu_get_mask) *f = NULL;
    if (at < n)
        memcpy(&f, slot_at(amd, at), sizeof f);
    return f;
}

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
    size_t slots = n_slots(live->amd), tail = is_new(live->amd) ? LS_AMD_TAIL_NEW : LS_AMD_TAIL_OLD;
    if ((slots > LS_AMD_SLOTS_OLD_MAX && slots < LS_AMD_SLOTS_NEW_MIN) ||
        (amd->major_id == 2 && tail == LS_AMD_TAIL_OLD) ||
        LS_SLOT(tail) + sizeof(struct ls_amd_tail) > amd->minor_id) {
        *why = "the AMD extension table has an unknown layout";
        return false;
    }
    memcpy(&api->core, live->core, sizeof api->core);
    memcpy(&api->amd, live->amd, sizeof api->amd);
    memcpy(&api->amd_tail, ls_api_live_tail(live->amd), sizeof api->amd_tail);
    ls_copy_on_engine *copy = ls_api_live_copy_on_engine(live->amd);
    ls_amd_queue_create *create = ls_api_live_amd_queue_create(live->amd);
    ls_counted_queue_acquire *counted = ls_api_live_counted_queue_acquire(live->amd);
    ls_batch_copy *batch = ls_api_live_batch_copy(live->amd);
    api->queue_cu_get_mask = cu_get_mask(live->amd);
    api->batch_copy = batch ? *batch : NULL;
    api->copy_on_engine = copy ? *copy : NULL;
    api->amd_queue_create = create ? *create : NULL;
    api->counted_queue_acquire = counted ? *counted : NULL;
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
