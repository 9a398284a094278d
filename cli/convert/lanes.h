/*
 * lanes.h - the tracks of a process in a Perfetto trace, and slices on them that may lie as they like: slices that
 * neither follow nor hold one another go to more tracks of the same name, which Perfetto shows as one.
 */
#ifndef CLI_CONVERT_LANES_H
#define CLI_CONVERT_LANES_H

#include <stdbool.h>
#include "perfetto.h"

enum { LANES_KEY = 6 };
#define LANES_OPEN INT64_MAX /* the end of a slice that does not end */

/* On which track something is, and whose row it is; the writer's own numbers. */
struct lanes_slice {
    size_t track, row;
    int kind;
    bool instant;
    int64_t start, end;
};

struct lanes_track {
    int64_t key[LANES_KEY];
    uint64_t id, parent; /* of the trace */
    char *name;
    bool nest; /* a slice may lie within another */
};

struct lanes {
    struct perfetto *p;
    struct lanes_track *tracks;
    struct lanes_slice *slices;
    struct lanes_name *names;
    size_t n_tracks, n_slices;
};

/* The track of that key; NULL: there is none yet, and the key is to be given to lanes_add_track. */
struct lanes_track *lanes_track(const struct lanes *l, const int64_t key[LANES_KEY]);
/* Adds one that stands in the trace as `id`. Returns it. */
struct lanes_track *lanes_add_track(struct lanes *l, const int64_t key[LANES_KEY], uint64_t id,
                                    uint64_t parent, const char *name, bool nest);
void lanes_add_slice(struct lanes *l, const struct lanes_track *track, const struct lanes_slice *slice);
/* Writes all slices; `open` begins the event of one on a track of the trace, with all that is to be said of it. */
void lanes_write(struct lanes *l, void (*open)(void *writer, const struct lanes_slice *s, uint64_t track),
                 void *writer);
void lanes_free(struct lanes *l);

#endif
