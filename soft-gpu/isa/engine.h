/*
 * engine.h - what the rest of the software GPU may know of the ISA engine: create one per emulated GPU,
 * submit dispatches, be told when each is done or why it stopped.
 *
 * Threads: sg_engine_submit may be called from any thread and returns at once. The engine runs work-groups of
 * all submitted dispatches on its own worker threads (all signals blocked in them) and calls `done` from one
 * of them. Dispatches that are in the engine at the same time run concurrently; ordering (barrier bits) is
 * the caller's job. Work-groups that spin on each other make progress: the engine switches between resident
 * work-groups. It holds those that fit on the compute units of the GPU by their wavefronts, registers and LDS, of all
 * dispatches together; others wait for a place, as on hardware.
 */
#ifndef SOFT_GPU_ISA_ENGINE_H
#define SOFT_GPU_ISA_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gcn/gcn.h"
#include "../check/check.h"
#include "../mem/mem.h"
#include "../weak/weak.h"
#include "gpus/gpus.h"

enum sg_fault_kind {
    SG_FAULT_NONE = 0,
    SG_FAULT_PAGE,          /* access to an unmapped GPU address */
    SG_FAULT_APERTURE,      /* LDS or private aperture violation */
    SG_FAULT_ILLEGAL,       /* encoding that the target does not have */
    SG_FAULT_UNIMPLEMENTED, /* valid instruction that this engine does not know: stops, never skips */
    SG_FAULT_TRAP,          /* s_trap 2: abort or assert */
    SG_FAULT_DEADLOCK,      /* no wavefront of the dispatch can ever run again */
    SG_FAULT_RESOURCES,     /* out of host memory, LDS too large, ... */
};

struct sg_fault {
    enum sg_fault_kind kind;
    uint64_t pc; /* GPU address of the instruction; 0 if there is none */
    uint64_t va; /* faulting address for PAGE and APERTURE */
    bool is_write;
    uint32_t workgroup[3]; /* where it happened first */
    uint32_t wave;         /* wavefront index inside the work-group */
    uint32_t lane;
    char instruction[96]; /* disassembly or hex words */
    char message[256];    /* one English sentence without a newline */
};

enum { SG_UNIT_WORDS = 16 }; /* for as many compute units as 32 times that */

/* One kernel dispatch, as the command processor read it from the AQL packet and the queue. All addresses GPU
 * VAs. */
struct sg_dispatch {
    uint64_t kernel_object; /* address of the kernel descriptor (64 bytes) */
    uint64_t packet;        /* address of the AQL packet itself (dispatch_ptr) */
    uint64_t queue;         /* address of the amd_queue_t (queue_ptr) */
    uint64_t kernarg;
    uint64_t dispatch_id;
    uint32_t grid[3]; /* work-items */
    uint16_t workgroup[3];
    uint32_t group_bytes;   /* LDS per work-group, static and dynamic */
    uint32_t private_bytes; /* scratch per work-item */
    uint64_t scratch_base;  /* GPU address of the queue's scratch backing store (mapped); 0 if none */
    uint64_t scratch_bytes;
    uint32_t scratch_srd[4];             /* amd_queue_t.scratch_resource_descriptor */
    uint64_t shared_aperture;            /* 1 << 48 */
    uint64_t private_aperture;           /* 2 << 48 */
    enum sg_weak_scope acquire, release; /* fence scopes of the packet; only with weak memory */
    bool masked;                         /* only the compute units of `units` may run it */
    uint32_t units[SG_UNIT_WORDS];       /* a bit each */
    uint64_t observer; /* the packet's reserved word: address of a struct ls_ctx (lanescope/wire.h) to
                                  report to, or anything else, which is ignored */
};

/* What the check found in a dispatch that has ended, before its `done`. */
struct sg_check_report {
    uint64_t kernel_object;
    uint64_t dispatch;                /* number in this engine, from 0 */
    const struct sg_finding *finding; /* NULL: that was all of the dispatch */
    uint64_t lost;                    /* findings that were not kept */
    uint64_t groups[2];               /* work-groups in x and y, to read finding->group by */
    char instruction[2][96];          /* disassembly of both sides */
};

struct sg_engine_ops {
    /* s_sendmsg MSG_INTERRUPT: the kernel asks to raise KFD event `event_id`. Any engine thread. */
    void (*raise_event)(void *user, uint32_t event_id);
    /* With a check: called for each finding, and once more at the end. Any engine thread. */
    void (*found)(void *user, const struct sg_check_report *report);
    /* The dispatch seems never to end, or certainly does not (where->message says which): every wavefront on
     * the GPU has been waiting for config.stall_seconds, or its code has no way out. It goes on, unless
     * config.stall_stops. where->pc is 0 when none of its work-groups has found a place. Once per
     * dispatch, from an engine thread; both pointers live during the call only. */
    void (*stalled)(void *user, const struct sg_dispatch *d, const struct sg_fault *where);
    /* With config.count_dispatches: a dispatch has ended; the wavefront instructions of it, before its `done`.
     * Any engine thread. */
    void (*ended)(void *user, const struct sg_dispatch *d, uint64_t instructions);
};

struct sg_engine_config {
    const struct ls_gpu *arch;
    struct sg_mem *mem;
    const struct sg_engine_ops *ops;
    void *user;             /* passed to ops */
    unsigned threads;       /* worker threads; 0 = one per available core */
    const char *access_log; /* file name of the ground-truth log, NULL = off */
    bool poison;            /* fill registers and LDS with a random pattern instead of zero */
    uint64_t seed;          /* of poison and of the random wave order */
    bool shuffle_waves;     /* run wavefronts and work-groups in random order */
    bool interpret_all;     /* never do a dispatch as a whole (bulk.h) */
    unsigned check;         /* SG_CHECK_* of check.h: what to check; 0 = off */
    bool exact_matrix;      /* matrix products of narrow types round as hardware does (valu_matrix_exact.c) */
    unsigned stall_seconds; /* before ops->stalled is called; 0 = never */
    bool stall_stops;       /* work-groups that wait when it is called are stopped */
    bool count_dispatches;  /* tell ops->ended what each dispatch has executed */
    bool weak;              /* memory is as weak as the GPU's (weak/); one worker thread */
    uint64_t weak_seed;
};

struct sg_engine;

/* The GPU's counter now, in ticks of LS_REALTIME_NS: it stamps completion signals, and kernels read it. It is the host's monotonic clock. */
uint64_t sg_ticks(void);

/* Called once per dispatch when its last wavefront ended, or when it stopped because of a fault (fault->kind
 * != 0; *fault lives during the call only). */
typedef void (*sg_done_fn)(void *user, const struct sg_fault *fault);

/* NULL on failure; then *why names the cause (static text). */
struct sg_engine *sg_engine_create(const struct sg_engine_config *config, const char **why);
/* Waits until the workers have left their current instruction, then frees. Unfinished dispatches get no
 * callback. */
void sg_engine_destroy(struct sg_engine *e);
/* Copies *d. 0, or -ENOMEM. */
int sg_engine_submit(struct sg_engine *e, const struct sg_dispatch *d, sg_done_fn done, void *user);
/* Whether a work-group of the dispatch would find a place now, with those in it that earlier ones still have to start. `tlb`: the caller's own. */
bool sg_engine_has_room(struct sg_engine *e, struct sg_tlb *tlb, const struct sg_dispatch *d);
/* Forgets decoded code that lies in [va, va+size): the bytes there may have changed.
 * (0, UINT64_MAX) = all. */
void sg_engine_invalidate_code(struct sg_engine *e, uint64_t va, uint64_t size);
/* With weak memory: what a packet that is no dispatch, or the driver, does to the caches. */
void sg_engine_fence(struct sg_engine *e, enum sg_weak_scope acquire, enum sg_weak_scope release);
/* Totals since creation: wavefront instructions, active lane-operations of vector instructions. */
void sg_engine_counters(struct sg_engine *e, uint64_t *wave_instructions, uint64_t *lane_operations);
/* Work-groups that were done as part of a whole dispatch (bulk.h) instead of one by one. */
uint64_t sg_engine_bulk_groups(struct sg_engine *e);
/* How often worker threads took the engine's lock to begin or end work-groups. */
uint64_t sg_engine_lock_turns(struct sg_engine *e);

/* ---- For tests: one wavefront, raw instruction words, all state visible. ---- */
struct sg_wave_image {
    uint32_t v[512][64]; /* rows 0..255 VGPRs, 256..511 AccVGPRs */
    /* s[0..101], 102/103 flat_scratch, 104/105 xnack_mask, 106/107 VCC, 124 M0, 126/127 EXEC */
    uint32_t s[128];
    uint32_t lanes; /* of the wavefront; 0: as many as the GPU's have when nothing else says so */
    uint32_t scc;
    uint32_t mode; /* MODE register, as rsrc1 [19:12] initialises bits 7:0: round 3:0, denorm 7:4; bit 8
                      DX10_CLAMP, 9 IEEE */
    uint8_t *lds;  /* may be NULL with lds_bytes 0 */
    uint32_t lds_bytes;
    bool exact_matrix;  /* as in sg_engine_config */
    uint32_t max_jumps; /* backward jumps and yields after which it is left unfinished; 0: no limit */
    bool unfinished;    /* it was */
    uint64_t pc_out;    /* byte offset in `code` where it ended */
};
/* Runs `code` (an s_endpgm is appended) for a single wavefront until it ends. Global memory: `mem` (may be
 * NULL). There is no scratch memory: scratch_wave_base and scratch_lane_bytes of the wavefront are 0, so a
 * test of private accesses (scratch_*, buffers with swizzling, the private aperture) needs a dispatch or its
 * own struct sg_wave. 0, or -1 with *fault filled. */
int sg_engine_exec_raw(const struct ls_gpu *arch, struct sg_mem *mem, const uint32_t *code, size_t dwords,
                       struct sg_wave_image *image, struct sg_fault *fault);

#endif
