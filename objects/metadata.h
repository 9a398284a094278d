/*
 * metadata.h - registers of a kernel, from the metadata note of a code object. AMD's code object manager
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
};

/* false: there is no such kernel in a note that can be read. */
bool ls_metadata_registers(const void *image, size_t bytes, const char *kernel, struct ls_isa_registers *out);
/* The same of the contents of a note. */
bool ls_metadata_find(const void *note, size_t size, const char *kernel, struct ls_isa_registers *out);

#endif
