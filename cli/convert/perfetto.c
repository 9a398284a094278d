/* perfetto.c - see perfetto.h. The numbers of fields are those of Perfetto's protos/perfetto/trace (v59). */
#include "perfetto.h"
#include "results/reader/saturate.h"

#include <string.h>

enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK = 60
};
enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_UNIT_NAME = 6 };
enum {
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_COUNTER = 30,
    EVENT_FLOW = 47
};
enum { NOTE_INT = 4, NOTE_TEXT = 6, NOTE_NAME = 10 };
enum { TYPE_END = 2, TYPE_COUNTER = 4 };
enum { SEQUENCE_ID = 1, STATE_CLEARED = 1 };

/* ---- packets ---- */

static void packet(struct perfetto *p)
{
    p->packet.n = 0;
    p->whole = proto_open(&p->packet, TRACE_PACKET);
    proto_number(&p->packet, PACKET_SEQUENCE, SEQUENCE_ID);
}

static void packet_end(struct perfetto *p)
{
    proto_close(&p->packet, p->whole);
    fwrite(p->packet.bytes, 1, p->packet.n, p->out);
}

void perfetto_begin(struct perfetto *p, FILE *out)
{
    *p = (struct perfetto){.out = out};
    packet(p); /* the sequence of packets has its beginning here */
    proto_number(&p->packet, PACKET_SEQUENCE_FLAGS, STATE_CLEARED);
    packet_end(p);
}

void perfetto_end(struct perfetto *p)
{
    proto_free(&p->packet);
}

/* ---- tracks ---- */

static uint64_t open_track(struct perfetto *p, uint64_t parent, const char *name)
{
    packet(p);
    p->descriptor = proto_open(&p->packet, PACKET_TRACK);
    proto_number(&p->packet, TRACK_UUID, ++p->tracks);
    if (parent)
        proto_number(&p->packet, TRACK_PARENT, parent);
    if (name)
        proto_text(&p->packet, TRACK_NAME, name);
    return p->tracks;
}

static void close_track(struct perfetto *p)
{
    proto_close(&p->packet, p->descriptor);
    packet_end(p);
}

uint64_t perfetto_track(struct perfetto *p, uint64_t parent, const char *name)
{
    uint64_t id = open_track(p, parent, name);
    close_track(p);
    return id;
}

/* pid of the schema has 32 bits. */
static int64_t pid32(int64_t pid)
{
    return ls_clamp(pid, 0, INT32_MAX);
}

uint64_t perfetto_process(struct perfetto *p, int64_t pid, const char *name)
{
    uint64_t id = open_track(p, 0, NULL);
    size_t process = proto_open(&p->packet, TRACK_PROCESS);
    proto_signed(&p->packet, PROCESS_PID, pid32(pid));
    proto_text(&p->packet, PROCESS_NAME, name);
    proto_close(&p->packet, process);
    close_track(p);
    return id;
}

uint64_t perfetto_thread(struct perfetto *p, uint64_t parent, int64_t pid, int64_t tid, const char *name)
{
    uint64_t id = open_track(p, parent, NULL);
    size_t thread = proto_open(&p->packet, TRACK_THREAD);
    proto_signed(&p->packet, THREAD_PID, pid32(pid));
    proto_signed(&p->packet, THREAD_TID, tid);
    proto_text(&p->packet, THREAD_NAME, name);
    proto_close(&p->packet, thread);
    close_track(p);
    return id;
}

uint64_t perfetto_counter(struct perfetto *p, uint64_t parent, const char *name, const char *unit)
{
    uint64_t id = open_track(p, parent, name);
    size_t counter = proto_open(&p->packet, TRACK_COUNTER);
    proto_text(&p->packet, COUNTER_UNIT_NAME, unit);
    proto_close(&p->packet, counter);
    close_track(p);
    return id;
}

/* ---- events ---- */

static void open_event(struct perfetto *p, unsigned type, uint64_t track, int64_t ns)
{
    packet(p);
    proto_number(&p->packet, PACKET_TIMESTAMP, (uint64_t)ns);
    p->opened = proto_open(&p->packet, PACKET_EVENT);
    proto_number(&p->packet, EVENT_TYPE, type);
    proto_number(&p->packet, EVENT_TRACK, track);
}

void perfetto_open(struct perfetto *p, enum perfetto_event type, uint64_t track, int64_t ns,
                   const char *category, const char *name)
{
    open_event(p, type, track, ns);
    proto_text(&p->packet, EVENT_CATEGORY, category);
    proto_text(&p->packet, EVENT_NAME, name);
}

void perfetto_flow(struct perfetto *p, uint64_t id)
{
    proto_fixed64(&p->packet, EVENT_FLOW, id);
}

void perfetto_note(struct perfetto *p, const char *name, const char *text)
{
    size_t note = proto_open(&p->packet, EVENT_ANNOTATION);
    proto_text(&p->packet, NOTE_NAME, name);
    proto_text(&p->packet, NOTE_TEXT, text);
    proto_close(&p->packet, note);
}

void perfetto_note_number(struct perfetto *p, const char *name, int64_t value)
{
    size_t note = proto_open(&p->packet, EVENT_ANNOTATION);
    proto_text(&p->packet, NOTE_NAME, name);
    proto_signed(&p->packet, NOTE_INT, value);
    proto_close(&p->packet, note);
}

void perfetto_close(struct perfetto *p)
{
    proto_close(&p->packet, p->opened);
    packet_end(p);
}

void perfetto_slice_end(struct perfetto *p, uint64_t track, int64_t ns)
{
    open_event(p, TYPE_END, track, ns);
    perfetto_close(p);
}

void perfetto_count(struct perfetto *p, uint64_t track, int64_t ns, int64_t value)
{
    open_event(p, TYPE_COUNTER, track, ns);
    proto_signed(&p->packet, EVENT_COUNTER, value);
    perfetto_close(p);
}
