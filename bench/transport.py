#!/usr/bin/env python3
"""What the way of messages from GPU to host would reach on hardware, as an estimate: bench/transport.py BUILD

Counted: the instructions that a chunk takes, in the machine code of gfx90a and gfx942 that the build made (read-modify-writes of
the host's memory, write-backs, invalidations), and the requests of the host's memory that a message takes, when the software GPU runs that code
(bench-probes). Assumed: latencies and rates from the table below, with their sources. Every figure that is printed is an
ESTIMATE; none was measured on hardware. Exit code 1 while the bar is missed.
"""
import os
import subprocess
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
BAR = ("MI300X, PCIe 5", 1.0)


def requests(build, arch):
    """Blocks of 64 bytes of the host's memory that store instructions touch, one after the other, by messages."""
    probes = f"{build}/bench/bench-probes"
    return float(subprocess.run([probes, "--requests", arch], check=True, capture_output=True, text=True).stdout)


def counts(code):
    """Round trips of the host's memory that a wavefront waits for: to take a chunk, to give it, per request; and
    invalidations on the way."""
    begin, give, access = code["__ls_begin"], code["__ls_hand_over"], code["__ls_access"]
    take = begin.count("global_atomic_add") + ("global_atomic_swap" in begin)  # the loop that waits swaps again
    # A ticket, and the wait for what was stored before the entry.
    gives = sum(i.startswith("global_atomic") for i in give) + 1
    # A function begins by a wait for everything: a probe that follows at once waits for what the one before stored.
    request = int(access[0] == "s_waitcnt")
    invalidations = sum(i.startswith(("buffer_inv", "buffer_wbinv")) for i in begin + give)
    return take, gives, request, invalidations


def row(name, build):
    arch, waves, trip, flush, link, dies = GPUS[name]
    code = functions(f"{build}/llvm-pass/device-22/{arch}.s")
    take, give, request, invalidations = counts({name: [i.split()[0] for i in body] for name, body in code.items()})
    assert not invalidations, "a chunk costs an invalidation of the L1 again"
    message = requests(build, arch)
    chunk = (take + give + request * message * MESSAGES) * trip
    limits = {
        "waves": waves * MESSAGES / chunk / 1e3,
        "link": link / REQUEST / message,
    }
    before = {
        "waves": waves * MESSAGES / ((take + give + request * MESSAGES) * trip + flush) / 1e3,
        "write-backs": dies * MESSAGES / flush / 1e3,
        "link": link / REQUEST,
    }
    return (take, give, message), limits, before


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(f"ESTIMATES, not measured: {MESSAGES} messages of {MESSAGE} bytes in a chunk of {CHUNK}; G messages a second.\n")
    print(f"{'':16}{'round trips':>16}{'requests':>12}{'limits':>20}{'limits before':>32}")
    print(f"{'':16}{'take':>8}{'give':>8}{'message':>12}{'waves':>10}{'link':>10}{'waves':>10}{'write-backs':>14}{'link':>8}"
          f"{'before':>10}{'now':>8}")
    reached = {}
    for name in GPUS:
        (take, give, message), limits, before = row(name, sys.argv[1])
        reached[name] = min(limits.values())
        print(f"{name:16}{take:8}{give:8}{message:12.2f}{limits['waves']:10.1f}{limits['link']:10.2f}{before['waves']:10.1f}"
              f"{before['write-backs']:14.2f}{before['link']:8.2f}{min(before.values()):10.2f}{reached[name]:8.2f}")
    print("\nwaves: all that can be resident wait for their round trips, of which a request is one. link: each request is a packet.")
    print("before: each message was a request, and each chunk wrote back the L2 of its die, one at a time.")
    name, least = BAR
    print(f"bar: {least} on {name}: {'reached' if reached[name] >= least else 'MISSED'}")
    return reached[name] < least


if __name__ == "__main__":
    sys.exit(main())
