/* bundle_head.h - the beginning of a compressed bundle (clang's documentation, "Clang Offload Bundler", compressed
 * format, versions 1 to 3). */
#ifndef OBJECTS_BUNDLE_HEAD_H
#define OBJECTS_BUNDLE_HEAD_H

#include <stddef.h>

#define LS_COMPRESSED_MAGIC "CCOB"

/* What begins at `data`, with the magic, of which `size` bytes are there. Puts up to `room` bytes of the uncompressed bundle
 * into `out`, and into `whole` how long the compressed one is; version 1 does not tell, and is unpacked to its end for it.
 * Returns the number of bytes; 0: it is damaged, or compressed in another way than these. */
size_t ls_bundle_head(const void *data, size_t size, void *out, size_t room, size_t *whole);

#endif
