/*
 * metadata.h - registers of kernels, from the metadata note of a code object. AMD's code object manager
 * could read it, but ends the process when the note is damaged, or not what it expects. Pure; stays within
 * the image's bytes.
 */
#ifndef OBJECTS_METADATA_H
#define OBJECTS_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ls_isa_registers {
    uint32_t sgprs, vgprs, agprs;
    uint32_t lanes; /* of its wavefronts; 0: not told */
};

/* The kernels of an image or of the contents of one note, as far as these can be read; read once, for there may be
 * thousands. The memory must outlive the result. NULL when out of memory: that is asked like one without kernels. */
struct ls_metadata;
struct ls_metadata *ls_metadata_of_image(const void *image, size_t bytes);
struct ls_metadata *ls_metadata_of_note(const void *note, size_t size);
void ls_metadata_free(struct ls_metadata *x);
/* false: there is no such kernel. */
bool ls_metadata_registers(const struct ls_metadata *x, const char *kernel, struct ls_isa_registers *out);

#endif
