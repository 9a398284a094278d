/*
 * hsa_signal.c - reading, completing and storing HSA signals.
 */
#include "hsa_signal.h"
#include "internal.h"

/* amd_signal_t, 64 bytes (ROCr's amd_hsa_signal.h). */
struct amd_signal {
    int64_t kind;
    _Atomic int64_t value;
    uint64_t event_mailbox;
    uint32_t event_id;
    uint32_t reserved1;
    uint64_t start, end;
    uint64_t queue;
    uint32_t reserved2[2];
};
_Static_assert(sizeof(struct amd_signal) == 64, "amd_signal_t");
_Static_assert(offsetof(struct amd_signal, event_id) == 24, "amd_signal_t.event_id");
_Static_assert(offsetof(struct amd_signal, start) == 32, "amd_signal_t.start_ts");

static struct amd_signal *signal_at(struct sg_cp *cp, uint64_t va)
{
    return va % _Alignof(struct amd_signal) ? NULL : cp_host(cp, va, sizeof(struct amd_signal));
}

static void interrupt(struct sg_cp *cp, uint64_t mailbox, uint32_t event_id)
{
    if (!mailbox)
        return;
    _Atomic uint64_t *slot = mailbox % sizeof *slot ? NULL : cp_host(cp, mailbox, sizeof *slot);
    if (slot)
        atomic_store_explicit(slot, event_id, memory_order_release);
    cp->config.ops->set_event(cp->config.user, event_id);
}

bool signal_read(struct sg_cp *cp, uint64_t va, int64_t *value)
{
    struct amd_signal *s = signal_at(cp, va);
    if (!s)
        return false;
    *value = atomic_load_explicit(&s->value, memory_order_acquire);
    return true;
}

bool signal_complete(struct sg_cp *cp, uint64_t va, uint64_t start, uint64_t end)
{
    struct amd_signal *s = signal_at(cp, va);
    if (!s)
        return false;
    /* The application may free the signal as soon as it sees the new value: everything is read before. */
    uint64_t mailbox = s->event_mailbox;
    uint32_t event_id = s->event_id;
    s->start = start;
    s->end = end;
    atomic_fetch_sub_explicit(&s->value, 1, memory_order_acq_rel);
    interrupt(cp, mailbox, event_id);
    return true;
}

bool signal_store(struct sg_cp *cp, uint64_t va, int64_t value)
{
    struct amd_signal *s = signal_at(cp, va);
    if (!s)
        return false;
    uint64_t mailbox = s->event_mailbox;
    uint32_t event_id = s->event_id;
    atomic_store_explicit(&s->value, value, memory_order_release);
    interrupt(cp, mailbox, event_id);
    return true;
}
