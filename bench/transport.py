#!/usr/bin/env python3
"""What the way of messages from GPU to host would reach on hardware, as an estimate: bench/transport.py BUILD

Counted: the instructions that a message and a chunk take, in the machine code of gfx90a and gfx942 that the build made
(loads and stores of the host's memory, read-modify-writes there, write-backs, invalidations). Assumed: latencies and rates from
the table below, with their sources. Every figure that is printed is an ESTIMATE; none was measured on hardware.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "llvm-pass", "tests"))
from listing import functions

CHUNK, HEADER, MESSAGE = 4096, 64, 16
MESSAGES = (CHUNK - HEADER - 536) // MESSAGE  # a chunk goes when it has no room for the longest message

# Name: GPU of the code, wavefronts that can be resident (gpus/table.c), round trip over the link and write-back of the L2 in
# us, gigabytes a second of the link, one way. PCI Express 4.0 and 5.0 with 16 lanes carry 31.5 and 63 GB/s (PCI-SIG), xGMI of
# MI250X 36 GB/s in a direction (AMD, MI250X data sheet: 72 both ways); round trips and write-backs are guesses from published
# latencies of PCI Express devices and from the size of the L2.
GPUS = {
    "MI210, PCIe 4": ("gfx90a", 104 * 32, 1.3, 2.5, 31.5, 1),
    "MI250X, xGMI": ("gfx90a", 110 * 32, 1.0, 2.5, 36.0, 1),
    "MI300X, PCIe 5": ("gfx942", 304 * 32, 1.0, 2.5, 63.0, 8),
}
REQUEST = 64 + 24  # bytes on the link of a store: a line at most, and header, sequence number and check of a packet (PCIe)


def counts(code):
    """Round trips of the host's memory that a wavefront waits for: to take a chunk, to give it, per message; and
    invalidations on the way."""
    begin, give, access = code["__ls_begin"], code["__ls_hand_over"], code["__ls_access"]
    take = begin.count("global_atomic_add") + ("global_atomic_swap" in begin)  # the loop that waits swaps again
    # A ticket, and the wait for what was stored before the entry.
    gives = sum(i.startswith("global_atomic") for i in give) + 1
    # A function begins by a wait for everything: a probe that follows at once waits for the message of the one before.
    message = int(access[0] == "s_waitcnt")
    invalidations = sum(i.startswith(("buffer_inv", "buffer_wbinv")) for i in begin + give)
    return take, gives, message, invalidations


def row(name, build):
    arch, waves, trip, flush, link, dies = GPUS[name]
    code = functions(f"{build}/llvm-pass/device-22/{arch}.s")
    take, give, message, invalidations = counts({name: [i.split()[0] for i in body] for name, body in code.items()})
    assert not invalidations, "a chunk costs an invalidation of the L1 again"
    chunk = (take + give + message * MESSAGES) * trip
    limits = {
        "waves": waves * MESSAGES / chunk / 1e3,
        "write-backs": dies * MESSAGES / flush / 1e3,
        "link": link / REQUEST,
        "full lines": link / (REQUEST / 4),
    }
    before = min(limits["waves"] * chunk / (chunk + flush), limits["write-backs"], limits["link"])
    return (take, give, message), limits, before, min(limits["waves"], limits["link"])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(f"ESTIMATES, not measured: {MESSAGES} messages of {MESSAGE} bytes in a chunk of {CHUNK}; G messages a second.\n")
    print(f"{'':16}{'round trips':>26}{'limits':>46}")
    print(f"{'':16}{'take':>8}{'give':>6}{'message':>12}{'waves':>10}{'write-backs':>14}{'link':>8}{'full lines':>14}"
          f"{'before':>10}{'now':>8}")
    for name in GPUS:
        (take, give, message), limits, before, now = row(name, sys.argv[1])
        print(f"{name:16}{take:8}{give:6}{message:12}{limits['waves']:10.1f}{limits['write-backs']:14.2f}{limits['link']:8.2f}"
              f"{limits['full lines']:14.2f}{before:10.2f}{now:8.2f}")
    print("\nwaves: all that can be resident wait for their round trips. write-backs: before, each chunk wrote back the L2 of its die,")
    print("one at a time; now none does. link: each message is a request. full lines: if four messages left as one line (not done).")


if __name__ == "__main__":
    main()
