/*
 * notes.h - texts of notes that more than the report shows: they tell that numbers or source lines may be
 * wrong. The parts that verbs look for; what stands before and behind them differs.
 */
#ifndef RESULTS_NOTES_H
#define RESULTS_NOTES_H

/* Behind the path of a source file. */
#define LS_NOTE_NEWER " is newer than the program"
#define LS_NOTE_OTHER_TEXT " is not the file that was compiled"
#define LS_NOTE_TEXTS ": the merged recordings hold different texts of this file"
/* Behind their number. */
#define LS_NOTE_DANGLING                                                                                     \
    " to rows that are not in the database: what they belong to is left out; `lanescope check` tells more"
#define LS_NOTE_SATURATED "sums that do not fit 64 bits stand as the largest number: the database is damaged"

#endif
