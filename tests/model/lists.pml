/*
 * lists.pml - the ring's free and done lists (docs/internals/wire-format.md, "A chunk's way"), for spin.
 *
 * Checked for every interleaving: no chunk has two owners, no entry is written over, every message that a wavefront
 * sends arrives once and with its contents, and everybody ends (no deadlock, also with a single chunk). Atomic steps
 * are single statements; what the device's acquire and release order is taken as ordered, so this is a check of the
 * protocol and not of the fences.
 *
 * -DWAVES, -DCHUNKS, -DENTRIES (of each list, a power of two, at least CHUNKS), -DMESSAGES (per wavefront, each
 * handed over in a chunk of its own), -DBARRIER: wavefronts wait for each other between messages while they hold
 * nothing. -DHOLD: a wavefront keeps its chunk across the barrier, which is only allowed with CHUNKS >= WAVES.
 * -DDROP: a wavefront takes a ticket only while the host has put in more entries than were taken, else it drops its
 * message; every message then arrives once or is counted. -DPLAIN_TICKET: with DROP, tickets by a load and a store.
 * -DPLAIN_TAKE: the entry is taken by a load and a store instead of an exchange; the check must find the error.
 */
#ifndef WAVES
#define WAVES 2
#endif
#ifndef CHUNKS
#define CHUNKS 1
#endif
#ifndef ENTRIES
#define ENTRIES 1
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#define TOTAL (WAVES * MESSAGES)

byte free_head, done_head;
byte free_list[ENTRIES], done_list[ENTRIES]; /* chunk + 1; 0: empty */
byte owner[CHUNKS];                          /* 0: nobody's, 1..WAVES: wavefront's, 255: the host's */
byte content[CHUNKS];                        /* message that the chunk holds */
byte arrived[TOTAL + 1];
byte at_barrier, generation;
byte free_tail, dropped; /* the host's count of entries put in; messages that went nowhere */

/* has: whether there is a ticket. */
inline take_ticket()
{
#ifdef DROP
    do
    :: ticket = free_head;
        if
        :: free_tail == ticket || free_tail < ticket -> has = 0; break
        :: else
        fi;
#ifdef PLAIN_TICKET
        free_head = ticket + 1; has = 1; break
#else
        d_step { /* compare-and-swap */
            if
            :: free_head == ticket -> free_head++; has = 1
            :: else -> has = 0
            fi
        }
        if
        :: has -> break
        :: else
        fi
#endif
    od
#else
    d_step { ticket = free_head; free_head++; has = 1 } /* atomic addition */
#endif
}

inline take()
{
    do
    :: free_list[ticket % ENTRIES] != 0 -> /* seen by the polling load */
#ifdef PLAIN_TAKE
        chunk = free_list[ticket % ENTRIES];
        free_list[ticket % ENTRIES] = 0;
#else
        d_step { chunk = free_list[ticket % ENTRIES]; free_list[ticket % ENTRIES] = 0 } /* exchange */
#endif
        if
        :: chunk != 0 -> break
        :: else /* another wavefront was faster: polls on */
        fi
    od;
    chunk--;
    assert(owner[chunk] == 0);
    owner[chunk] = _pid + 1;
}

inline give()
{
    assert(owner[chunk] == _pid + 1);
    owner[chunk] = 255;
    d_step { ticket = done_head; done_head++ }
    assert(done_list[ticket % ENTRIES] == 0);
    done_list[ticket % ENTRIES] = chunk + 1;
}

inline barrier()
{
    d_step {
        my_generation = generation;
        at_barrier++;
        if
        :: at_barrier == WAVES -> at_barrier = 0; generation = 1 - generation
        :: else
        fi
    }
    generation != my_generation;
}

active [WAVES] proctype wave()
{
    byte ticket, chunk, n;
    bit my_generation, has;
    do
    :: n < MESSAGES ->
        take_ticket();
        if
        :: !has -> dropped++; n++; goto next
        :: else
        fi;
        take();
        content[chunk] = _pid * MESSAGES + n + 1;
#if defined(BARRIER) && defined(HOLD)
        barrier();
#endif
        assert(content[chunk] == _pid * MESSAGES + n + 1); /* nobody wrote into it meanwhile */
        give();
#if defined(BARRIER) && !defined(HOLD)
        barrier();
#endif
        n++;
next:   skip
    :: else -> break
    od
}

active proctype host()
{
    byte done_tail, chunk, n;
    /* The free list is full at the beginning. */
    d_step {
        do
        :: free_tail < CHUNKS -> free_list[free_tail] = free_tail + 1; free_tail++
        :: else -> break
        od
    }
    do
    :: done_list[done_tail % ENTRIES] != 0 ->
        chunk = done_list[done_tail % ENTRIES] - 1;
        done_list[done_tail % ENTRIES] = 0;
        done_tail++;
        assert(owner[chunk] == 255);
        arrived[content[chunk]]++;
        assert(arrived[content[chunk]] == 1);
        owner[chunk] = 0;
        free_list[free_tail % ENTRIES] == 0; /* a slow wavefront may still be about to take it */
        free_list[free_tail % ENTRIES] = chunk + 1;
        free_tail++;
        n++
    :: n + dropped == TOTAL -> break
    od
}
