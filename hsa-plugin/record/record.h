/*
 * record.h - what was observed, on its way into handlers and the results database. Unless it says otherwise,
 * everything here runs on our own threads (ls_record_open on the application's, once). One lock serialises
 * the database.
 */
#ifndef HSA_PLUGIN_RECORD_H
#define HSA_PLUGIN_RECORD_H

#include "hsa-plugin/transport/agent.h"
#include "hsa-plugin/transport/sink.h"
#include "hsa-plugin/config.h"
#include "hsa-plugin/code/kernels.h"

/* A copy by the runtime. */
struct ls_copy {
    uint64_t number;            /* from 1 */
    struct ls_agent *from, *to; /* NULL: host memory */
    uint64_t bytes;
    uint64_t start, end; /* ns; 0: the runtime could not tell */
    uint64_t submit;     /* ns; when the runtime was asked for it */
    int64_t thread;      /* the system's number of the thread that did */
    struct ls_stream stream;
};

/* The program's own mark (`kind` 0), pushed range (1) or started range (2). */
struct ls_marker {
    int kind;
    int64_t thread;
    uint64_t start, end; /* CLOCK_BOOTTIME; end 0: not ended */
    const char *text;
};

/* Opens the database and the handlers. Returns -1 when there is no database: nothing will be recorded. */
int ls_record_open(const struct ls_api *api, const struct ls_config *c);
/* False when no handler could be loaded: dispatches are recorded, kernels are not swapped. */
bool ls_record_can_observe(void);
/* What the handlers that were loaded asked for: enum lanescope_needs. */
uint32_t ls_record_needs(void);
/* Whether the handlers take irregular accesses as sums that the GPU makes. */
bool ls_record_reduces(void);
/* Calls f with the joins of the kernel's module (NULL: no machine code is known) under their lock. From any
 * thread. */
void ls_record_joins(struct ls_kernel *k, void (*f)(void *user, struct ls_match *match), void *user);
/* Stores a code object with its kernels, sites and instructions, once. */
void ls_record_code_object(struct ls_code_object *co);
/* A chunk of the slot's dispatch, in one of its parts, and what is left of it: struct ls_sink. */
enum ls_chunk_left ls_record_chunk(struct ls_slot *s, unsigned part, const void *chunk, size_t size);
void ls_record_rest(struct ls_slot *s, enum ls_chunk_left left, const void *chunk, size_t size);
/* The slot's dispatch, which ran from start to end (ns; 0: not known), is over: handlers report, it is
 * stored. */
void ls_record_dispatch(struct ls_slot *s, uint64_t start, uint64_t end);
/* Makes durable what is stored; a worker calls it when it has nothing else to do. True when that has to be
 * tried again, because somebody reads the database at the moment. */
bool ls_record_idle(void);
/* Does so when it is time; a worker calls it after each piece of work, as it may have some for hours. */
void ls_record_busy(void);
/* A dispatch that got no slot (out of memory). */
void ls_record_untimed(struct ls_kernel *k, const struct ls_slot_use *use, struct ls_agent *a);
/* A copy that has completed. */
void ls_record_copy(const struct ls_copy *c);
void ls_record_marker(const struct ls_marker *m);
void ls_record_note(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text of a source that is no file; may be said again of each kernel. */
void ls_record_source_text(const char *path, const char *text);
/* A note why kernels of a run-time compiler are not instrumented. */
void ls_record_uninstrumented(const char *why);
/* Closes handlers and database. `ns`: processor time that our threads took. */
void ls_record_close(bool complete, uint64_t ns);

#endif
