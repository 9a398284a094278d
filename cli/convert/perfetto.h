/*
 * perfetto.h - writes a Perfetto trace (https://perfetto.dev/docs/reference/trace-packet-proto): a file of packets,
 * which are track descriptors and events on tracks. Times are ns of CLOCK_BOOTTIME, the clock that packets have when
 * they name none. Texts must be UTF-8.
 */
#ifndef CLI_CONVERT_PERFETTO_H
#define CLI_CONVERT_PERFETTO_H

#include <stdio.h>
#include "proto.h"

struct perfetto {
    FILE *out;
    struct proto packet;
    uint64_t tracks;                  /* made; their ids are 1 to this */
    size_t whole, descriptor, opened; /* messages that are open in the packet */
};

/* Begins a trace; *p to be freed with perfetto_end, which does not close `out`. */
void perfetto_begin(struct perfetto *p, FILE *out);
void perfetto_end(struct perfetto *p);

/* Tracks; `parent` 0: at the top. Each returns the new track's id. Slices on one track lie one within another. */
uint64_t perfetto_track(struct perfetto *p, uint64_t parent, const char *name);
uint64_t perfetto_process(struct perfetto *p, int64_t pid, const char *name);
uint64_t perfetto_thread(struct perfetto *p, uint64_t parent, int64_t pid, int64_t tid, const char *name);
uint64_t perfetto_counter(struct perfetto *p, uint64_t parent, const char *name, const char *unit);

/* A slice that begins, or an instant. Annotations may follow, then perfetto_close. */
enum perfetto_event { PERFETTO_BEGIN = 1, PERFETTO_INSTANT = 3 };
void perfetto_open(struct perfetto *p, enum perfetto_event type, uint64_t track, int64_t ns,
                   const char *category, const char *name);
void perfetto_flow(struct perfetto *p, uint64_t id); /* arrows join events of one id */
void perfetto_note(struct perfetto *p, const char *name, const char *text);
void perfetto_note_number(struct perfetto *p, const char *name, int64_t value);
void perfetto_close(struct perfetto *p);
/* The slice that began last on the track ends. */
void perfetto_slice_end(struct perfetto *p, uint64_t track, int64_t ns);
/* From now on the counter has this value. */
void perfetto_count(struct perfetto *p, uint64_t track, int64_t ns, int64_t value);

#endif
