/*
 * stream.h - HIP streams as a recording knows them. A process numbers those that it made from 1, in the order
 * in which it made them; the null stream, of every GPU, is 0. A thread's own stream (hipStreamPerThread) gets
 * its number when the thread uses it first.
 */
#ifndef COMMON_STREAM_H
#define COMMON_STREAM_H

#include <stdint.h>

/* As in the database. */
enum ls_stream_kind {
    LS_STREAM_UNKNOWN, /* the program did not come through HIP, or by a way that nobody watches */
    LS_STREAM_NULL,
    LS_STREAM_CREATED,
    LS_STREAM_PER_THREAD,
};

struct ls_stream {
    enum ls_stream_kind kind;
    int64_t number; /* 0: null stream, or unknown */
};

#endif
