/*
 * scalar_control.c - program flow: jumps, calls, the end, barriers, traps, messages.
 */
#include <stdio.h>
#include "soft-gpu/isa/code/device.h"
#include "scalar.h"

/* ---- Direct jumps. A backward one costs budget, so that a spinning wavefront lets others run. ---- */

#define FORWARD(LINKAGE, NAME, CONDITION)                                                                    \
    LINKAGE int sg_branch_##NAME##_forward(SG_ARGS)                                                          \
    {                                                                                                        \
        if (CONDITION) {                                                                                     \
            const struct sg_jump *j = sg_as_jump(u);                                                         \
            w->n_inst += (uint64_t)(int64_t)j->instructions;                                                 \
            w->n_vector += (uint64_t)(int64_t)j->vectors;                                                    \
            SG_GOTO(j->target);                                                                              \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }
#define BACKWARD(LINKAGE, NAME, CONDITION)                                                                   \
    static int NAME##_backward(SG_ARGS)                                                                      \
    {                                                                                                        \
        if (CONDITION) {                                                                                     \
            const struct sg_jump *j = sg_as_jump(u);                                                         \
            w->n_inst += (uint64_t)(int64_t)j->instructions;                                                 \
            w->n_vector += (uint64_t)(int64_t)j->vectors;                                                    \
            if (__builtin_expect(--w->budget < 0, 0)) {                                                      \
                w->next = j->target;                                                                         \
                w->yielded_at = u;                                                                           \
                return SG_STOP_YIELD;                                                                        \
            }                                                                                                \
            SG_GOTO(j->target);                                                                              \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }
#define BRANCHES(X)                                                                                          \
    X(static, branch, true)                                                                                  \
    X(static, scc0, !s[SG_S_SCC])                                                                            \
    X(static, scc1, s[SG_S_SCC])                                                                             \
    X(static, vccz, !sg_vcc_register(w, s))                                                                  \
    X(static, vccnz, sg_vcc_register(w, s))                                                                  \
    X(, execz, !w->exec)                                                                                     \
    X(static, execnz, w->exec)                                                                               \
    X(static, vskip, w->mode &SG_MODE_VSKIP)
BRANCHES(FORWARD)
BRANCHES(BACKWARD)
#define ROW(LINKAGE, NAME, CONDITION) {sg_branch_##NAME##_forward, NAME##_backward},
const sg_fn sg_scalar_branch[SG_CONDITIONS][2] = {BRANCHES(ROW)};

int sg_h_s_call(SG_ARGS)
{
    const struct sg_jump *j = sg_as_jump(u);
    sg_set_s64(s, j->x, sg_uop_pc(w, u) + 4);
    __attribute__((musttail)) return sg_h_jump(w, u, v, s);
}

/* ---- Indirect jumps ---- */

/* The jump stops the kernel, not the fetch behind it: source line and instruction are those of the jump. */
static int wild_jump(struct sg_wave *w, const struct sg_uop *u, enum sg_fault_kind kind, uint64_t pc,
                     const char *why)
{
    char message[128];
    snprintf(message, sizeof message, "jump to 0x%llx, %s", (unsigned long long)pc, why);
    return sg_fault_at(w, u, kind, pc, 0, false, message);
}

int sg_jump_to(struct sg_wave *w, const struct sg_uop *u, uint64_t pc, const struct sg_uop **target)
{
    struct sg_code *code = (struct sg_code *)(uintptr_t)w->code;
    if (pc & 3)
        return wild_jump(w, u, SG_FAULT_ILLEGAL, pc, "an address that is no multiple of 4");
    const struct sg_code_entry *e = sg_code_find(code, pc | (w->mode & SG_MODE_VSKIP ? SG_KEY_VSKIP : 0));
    if (e && e->uop->fn == sg_h_fault && e->uop->d == SG_FAULT_PAGE)
        return wild_jump(w, u, SG_FAULT_PAGE, pc, "an address that holds no executable memory");
    if (!e || !sg_code_load_constants(code, w))
        return sg_fault_at(w, u, SG_FAULT_RESOURCES, 0, 0, false, "out of memory while decoding");
    w->n_inst += (uint64_t)(int64_t)(u->imm - e->number);
    w->n_vector += (uint64_t)(int64_t)((int32_t)u->flags - e->vectors);
    *target = e->uop;
    if (--w->budget < 0) {
        w->next = e->uop;
        w->yielded_at = u;
        return SG_STOP_YIELD;
    }
    return 0;
}

int sg_h_s_setpc(SG_ARGS)
{
    const struct sg_uop *target;
    int stop = sg_jump_to(w, u, sg_s64(s, u->a), &target);
    if (stop)
        return stop;
    s = w->s; /* loading constants may have moved it */
    SG_GOTO(target);
}

int sg_h_s_swappc(SG_ARGS)
{
    const struct sg_uop *target;
    uint64_t pc = sg_s64(s, u->a);
    sg_set_s64(s, u->d, sg_uop_pc(w, u) + 4);
    int stop = sg_jump_to(w, u, pc, &target);
    if (stop)
        return stop;
    s = w->s;
    SG_GOTO(target);
}

/* ---- Stops ---- */

int sg_h_s_endpgm(SG_ARGS)
{
    (void)v;
    (void)s;
    w->n_inst += (uint64_t)(int64_t)u->imm;
    sg_count_lanes(w, (int32_t)u->flags);
    w->next = u;
    return SG_STOP_END;
}

int sg_h_s_barrier(SG_ARGS)
{
    (void)v;
    (void)s;
    w->next = u + 1;
    return SG_STOP_BARRIER;
}

/* Of the split barrier: says that this wavefront has come, and goes on. x: SCC says whether it was the first. */
int sg_h_s_barrier_signal(SG_ARGS)
{
    struct sg_workgroup *wg = w->wg;
    (void)v;
    if (u->x)
        s[SG_S_SCC] = !wg->signalled;
    wg->signalled |= 1u << w->wave_in_group;
    if (wg->alive & ~wg->signalled)
        SG_NEXT();
    w->next = u + 1;
    return SG_STOP_SIGNAL;
}

/* Waits until all have signalled; executed again then. */
int sg_h_s_barrier_wait(SG_ARGS)
{
    const uint32_t me = 1u << w->wave_in_group;
    if (!(w->wg->complete & me)) {
        w->next = u;
        return SG_STOP_BARRIER;
    }
    w->wg->complete &= ~me;
    SG_NEXT();
}

/* "RDNA4 Instruction Set Architecture", S_GET_BARRIER_STATE: valid 0, members 10:4, signals 22:16. */
int sg_h_s_get_barrier_state(SG_ARGS)
{
    const uint32_t members = (uint32_t)__builtin_popcount(w->wg->alive);
    s[u->d] = 1u | members << 4 | (uint32_t)__builtin_popcount(w->wg->signalled) << 16;
    SG_NEXT();
}

bool sg_only_delays(const struct sg_wave *w)
{
    return w->yielded_at && w->yielded_at->fn == sg_h_s_sleep && w->yielded_at->x;
}

int sg_h_s_sleep(SG_ARGS)
{
    (void)v;
    (void)s;
    w->next = u + 1;
    w->yielded_at = u;
    return SG_STOP_YIELD;
}

int sg_h_s_trap(SG_ARGS)
{
    (void)v;
    (void)s;
    char message[64];
    snprintf(message, sizeof message, u->d == 2 ? "the kernel stopped itself (abort or assert)" : "s_trap %u",
             u->d);
    unsigned lane = w->exec ? (unsigned)__builtin_ctzll(w->exec) : 0;
    return sg_fault_at(w, u, SG_FAULT_TRAP, 0, lane, false, message);
}

/* Nothing here runs with privilege: there is no trap handler. */
int sg_h_s_privileged(SG_ARGS)
{
    (void)v;
    (void)s;
    return sg_fault_at(w, u, SG_FAULT_ILLEGAL, 0, 0, false,
                       "instruction that only a trap handler may execute");
}

int sg_h_s_sethalt(SG_ARGS)
{
    (void)v;
    (void)s;
    return sg_fault_at(w, u, SG_FAULT_DEADLOCK, 0, 0, false,
                       "the wavefront halted itself and nothing can resume it");
}

/* ---- Messages ---- */

/* The event's number is in M0; KFD looks at 23 bits of it (kfd_events.c, kfd_signal_event_interrupt). */
int sg_h_s_sendmsg_interrupt(SG_ARGS)
{
    if (w->device)
        sg_device_raise_event(w->device, s[SG_S_M0] & 0x7fffff);
    SG_NEXT();
}
