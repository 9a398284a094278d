/*
 * summary.h - accesses that are counted in memory instead of sent (struct ls_summary in lanescope/wire.h).
 */
#ifndef LS_SUMMARY_H
#define LS_SUMMARY_H

#include "device.h"

/* An access on a line, or one that is not, when the chunk has no room: counts it if its dispatch is in summary mode and
 * its entry found at once, or else goes on as what it is to be. The second ones with lanes missing. */
PROBE(__ls_count_line);
PROBE(__ls_count_line_partial);
/* Those that are beside the line may form rows. */
PROBE(__ls_count_rows);
PROBE(__ls_count_rows_partial);

/* Lanes missing, in LDS: counted by what it costs, if the shape tells that at once; else as above. */
PROBE(__ls_count_line_lds);
PROBE(__ls_count_rows_lds);

/* The same for one that is neither on a line nor in rows: counts it by what it costs. */
PROBE(__ls_scattered);
PROBE(__ls_scattered_partial);
PROBE(__ls_scattered_lds);
PROBE(__ls_scattered_lds_partial);
#define SCATTERED(all, lds) SCATTERED_##lds##_##all
#define SCATTERED_0_1 __ls_scattered
#define SCATTERED_0_0 __ls_scattered_partial
#define SCATTERED_1_1 __ls_scattered_lds
#define SCATTERED_1_0 __ls_scattered_lds_partial

/* An access in summary mode: counts it by its shape, or else goes on as __ls_reduce. */
PROBE(__ls_count);
/* The same for one that has been kept as evidence. Of its own, so that no function can go on as one that went on as it: then LLVM would not
 * know how much stack is needed. */
PROBE(__ls_count_kept);
/* As __ls_count, when it is known that there is no room for its shape. */
PROBE(__ls_count_crowded);
/* Counts an access by what it costs, or else goes on as __ls_send. */
PROBE(__ls_reduce);

/* Of a site that has no pass: an access whose addresses form neither a line nor rows is sent as __ls_irregular does, or else goes
 * on as __ls_send. The second one with lanes missing. */
PROBE(__ls_send_at_once);
PROBE(__ls_send_at_once_partial);
#define SEND_AT_ONCE(all) SEND_AT_ONCE_##all
#define SEND_AT_ONCE_1 __ls_send_at_once
#define SEND_AT_ONCE_0 __ls_send_at_once_partial

/* The same for long accesses. */
PROBE(__ls_reduce_long);
/* Keeps an access as evidence, if no lower wavefront has executed its site, and goes on as __ls_count_kept. */
PROBE(__ls_evidence);

/* An access of all turns of a loop, whatever its addresses; the same with as many turns in all lanes; in summary mode: counted
 * by its shapes or what they cost, or else sent; turn by turn, as its index wraps on some turn. */
TURNS_PROBE(__ls_turns_slow);
TURNS_PROBE(__ls_turns_some); /* if the addresses form lines or rows; counted, if there is no room */
TURNS_PROBE(__ls_turns_some_counted);
TURNS_PROBE(__ls_turns_even);
TURNS_PROBE(__ls_turns_counted);
TURNS_PROBE(__ls_turns_each);
/* Lanes leave the loop one by one, `more` is each lane's own: of all turns that all make, then of those that the others do, and
 * so on. */
TURNS_PROBE(__ls_turns_apart);

/*
 * The end of a wavefront in summary mode. The dispatch's last one goes on through those that send and zero
 * what was collected: evidence (if there is any), counts, costs; `low` are the flags of its last chunk. Each
 * is a function of its own: the registers that the largest of all functions needs are those of every clone.
 */
PROBE(__ls_end_summary);
PROBE(__ls_send_summary);
PROBE(__ls_send_evidence);
PROBE(__ls_send_counts);
#if LS_GFX == 94 /* each die counts for itself */
PROBE(__ls_send_dies);
#endif
PROBE(__ls_send_all);
PROBE(__ls_send_costs);

/* Hands over the chunk, if there is one, with the flags `low`. */
PROBE(__ls_hand_over);

#endif
