/*
 * head.h - what the compiler plugin and the probes tell each other: the `head` of probes of accesses, which is that of an LS_KIND_STRIDED
 * message (lanescope/wire.h), with flags in the bits that messages leave 0, and the `wave` of all probes.
 */
#ifndef LS_HEAD_H
#define LS_HEAD_H

/* `wave` is the address of the wavefront's record (struct ls_wave), with this added if the wavefront does not report; this alone: nothing counts
 * its end, either. The sign, as that is compared with 0 by one instruction. */
#define WAVE_SILENT (1ull << 63)

#define HEAD_SITE 0xffffffu
#define HEAD_MESSAGE 0x1fffffffu
#define HEAD_LDS (1u << 30)   /* set by the probes of LDS for what they call */
#define HEAD_EXACT (1u << 31) /* its shape does not tell what it costs: never count by shape */

/* Of probes of several accesses, in the byte of each in `sites`: it is in LDS. */
#define SITES_LDS 0x80u

/* Of probes that tell all turns of a loop: the addresses have an index of 32 bits, which may wrap; it is signed. */
#define HEAD_INDEX (1u << 31)
#define HEAD_SIGNED (1u << 29)

#endif
