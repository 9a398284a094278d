/*
 * proto.h - writes messages in the wire format of protocol buffers
 * (https://protobuf.dev/programming-guides/encoding/): as much of it as a trace needs. Fields stand in the order in
 * which they are written. Texts must be UTF-8, as those of a recording that was not read raw are.
 */
#ifndef CLI_CONVERT_PROTO_H
#define CLI_CONVERT_PROTO_H

#include <stddef.h>
#include <stdint.h>

struct proto {
    unsigned char *bytes; /* malloc'd; begins as {0} */
    size_t n, room;
};

void proto_free(struct proto *p);
/* Fields of the types uint32, uint64, bool and enum. */
void proto_number(struct proto *p, unsigned field, uint64_t value);
/* int32 and int64: negative ones take ten bytes. */
void proto_signed(struct proto *p, unsigned field, int64_t value);
void proto_fixed64(struct proto *p, unsigned field, uint64_t value);
void proto_text(struct proto *p, unsigned field, const char *text);
/* A message within the message: what is written until proto_close, to which the result belongs. */
size_t proto_open(struct proto *p, unsigned field);
void proto_close(struct proto *p, size_t opened);

#endif
