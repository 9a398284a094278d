/*
 * drain.h - our threads. One drainer looks at completion signals and rings, so that the device's heartbeat
 * and free chunks never wait for a handler; workers hand what came to a sink, which may take its time. A
 * dispatch belongs to one worker, which gets its end; its chunks are spread over that one and the next ones, by their
 * wavefronts.
 */
#ifndef HSA_PLUGIN_DRAIN_H
#define HSA_PLUGIN_DRAIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include "agent.h"
#include "hsa-plugin/runtime/api_tables.h"
#include "sink.h"

/* One intercepted queue. Never freed: dispatches and the database refer to it. */
struct ls_queue {
    hsa_queue_t *hsa;
    struct ls_agent *agent;
    bool cooperative;
    hsa_queue_t *kept; /* the GPU's cooperative queue itself, which this one is made of: queue_create.c */
    unsigned users;    /* of that */
    void (*callback)(hsa_status_t status, hsa_queue_t *source,
                     void *data); /* the application's, for errors */
    void *callback_data;
    atomic_uint in_flight; /* submitted and not yet recorded */
    atomic_bool dead;      /* destroyed or in error: what is in flight will not complete */
    /* submitting thread, under ROCr's lock of the queue */
    hsa_kernel_dispatch_packet_t *out;
    size_t room;
    uint64_t written, tracked; /* packets so far; those before the last one whose completion we see */
    /* written by the drainer */
    _Atomic uint64_t retired; /* packets of `written` that are known to be off the queue */
    struct ls_slot *head, *tail;
    struct ls_queue *next;
};

/* How many threads decode unless somebody says otherwise: by the processors that the calling thread may use. */
unsigned ls_drain_usual_workers(void);
/* Starts the threads, so many of them to decode (0: the usual number); *sink must live until ls_drain_stop.
 * 0 or -1. */
int ls_drain_start(const struct ls_api *api, const struct ls_sink *sink, unsigned decoders);
/* How many threads shall share the chunks of a dispatch of so many wavefronts: struct ls_slot_use.n_parts. */
unsigned ls_drain_parts(uint64_t waves);
void ls_drain_add_queue(struct ls_queue *q);
struct ls_queue *ls_drain_queues(void); /* all ever added, linked by next */
/* Takes over a slot whose dispatch is about to be submitted. Callable from any thread; no locks. Slots of one
 * queue must come in the queue's order. */
void ls_drain_submit(struct ls_slot *s);
/* Has a worker call run(subject), in the order of these calls. False: no worker runs, and nobody will call
 * it. From any thread. */
bool ls_drain_post(void (*run)(void *subject), void *subject);
/* Something other than a dispatch is under way that ls_drain_wait(NULL) shall wait for; then the GPU is through with it; then
 * it is recorded. From any thread. */
void ls_drain_begins(void);
void ls_drain_over(void);
void ls_drain_ends(void);
/* Waits while what the GPU is through with waits in long rows for being recorded: each dispatch keeps its memory until
 * then. For threads that submit; not for ours. */
void ls_drain_throttle(void);
/* Waits until nothing of the queue (NULL: nothing at all) is in flight. false: no progress for that long. */
bool ls_drain_wait(struct ls_queue *q, unsigned seconds);
/* Whether all that is in flight has left the GPU, and only threads of ours have something to do: ls_drain_stop waits for them. */
bool ls_drain_is_computing(void);
/* Ends the threads; what is still in flight is recorded as not completed. The processor time that they took, ns. */
uint64_t ls_drain_stop(void);
/* Whether the caller is one of our threads. */
bool ls_drain_is_own_thread(void);

#endif
