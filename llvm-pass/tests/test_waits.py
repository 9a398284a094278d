"""What the common path of a probe waits for, read from the machine code that was made when the plugin was built.

Two waits each: LLVM begins a function with one for all that its caller has asked for, as arguments may be on their way; then
the write position is waited for. Where messages fill a line of the chunk, what waited in the record is loaded, waited for, and stored. None stands at a return behind a store, so nobody waits there for a message to reach the host
(llvm-pass/device_waits.c says why); where nothing was stored the write position may be waited for once more. Nothing there
writes caches back or empties them.
Elsewhere the L2 is written back only where a chunk is handed over, behind a branch on LS_CTX_WRITE_BACK, and caches are
emptied only in the last wavefront of a dispatch in summary mode.
"""
import os
import re
import sys

from listing import functions

COMMON = ("__ls_access", "__ls_access_lds", "__ls_partial", "__ls_partial_lds", "__ls_irregular", "__ls_irregular_partial",
          *(f"__ls_{probe}" for n in (2, 3, 4) for probe in (f"several{n}", f"several{n}_partial", f"shapes{n}", f"loop{n}")),
          *(f"__ls_several{n}{kind}" for n in (5, 6) for kind in ("", "_partial")))
ENDS = ("__ls_finish", "__ls_end_summary")  # where wavefronts count themselves as ended
CONTROL = re.compile(r"buffer_(wbl2|inv|wbinvl1)|s_dcache|global_(wb|inv)")
INVALIDATES = {"gfx90a": "buffer_wbinvl1_vol", "gfx942": "buffer_inv sc1", "gfx950": "buffer_inv sc1"}
WRITES_BACK = {"gfx90a": "buffer_wbl2", "gfx942": "buffer_wbl2 sc0 sc1", "gfx950": "buffer_wbl2 sc0 sc1"}
WRITE_BACK_BIT = 6  # of struct ls_ctx's flags
RETURN = "s_setpc_b64 s[30:31]"
WAITS = ["s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)", "s_waitcnt vmcnt(0)"]


# Of struct ls_wave: what waits for a full line. LLVM 15 adds its offset beforehand.
LINE = re.compile(r"global_load_dwordx4 (v\[\d+:\d+\]), (v\d+), s\[\d+:\d+\](?: offset:32)?$")


def without_lines(instructions):
    """The instructions without the waits between what a line of the chunk is loaded by and what it is stored by, and the number of those."""
    left, waiting, lines = [], None, 0
    for text in instructions:
        line = LINE.match(text)
        waiting = line or waiting
        if waiting and text == WAITS[1]:
            lines += 1
            continue
        if waiting and text.startswith(f"global_store_dwordx4 {waiting[2]}, {waiting[1]}, s["):
            waiting = None
        left.append(text)
    assert not waiting, waiting
    return left, lines


def waits_of(instructions):
    """The waits but the one at a return of a way on which nothing was stored."""
    unused = [i for i in range(len(instructions) - 1) if instructions[i:i + 2] == [WAITS[1], RETURN]
              and not any("_store_" in text or "_atomic_" in text for text in instructions[:i])]
    return [text for i, text in enumerate(instructions) if text.startswith("s_waitcnt") and i not in unused]


def guarded(instructions, at):
    """Is there a branch on the flag before it, which leaves it out?"""
    before = instructions[:at]
    test = max((i for i, text in enumerate(before) if re.match(rf"s_bitcmp[01]_b32 s\d+, {WRITE_BACK_BIT}$", text)), default=None)
    return test is not None and any(text.startswith("s_cbranch_scc") for text in before[test:])


def check_cache_controls(gpu, code):
    """Each of them by the tables of LLVM's AMDGPUUsage; where it may stand by this file's head."""
    written_back = set()
    for name, instructions in code.items():
        for at, text in enumerate(instructions):
            if not CONTROL.match(text):
                continue
            if text == INVALIDATES[gpu]:
                assert name in ENDS, f"{gpu} {name}: {text}"
                continue
            assert text == WRITES_BACK[gpu] and guarded(instructions, at), f"{gpu} {name}: {text}"
            assert instructions[at + 1].startswith("s_waitcnt vmcnt(0)"), f"{gpu} {name}: nobody waits for {text}"
            written_back.add(name)
    assert written_back, f"{gpu}: LS_CTX_WRITE_BACK does nothing"


ALL = "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)"
TICKET = re.compile(r"global_atomic_add v\d+, .* sc0 sc1$")  # sc0: it returns the old value; sc1: system scope
ENTRY = re.compile(r"global_store_dword .* sc0 sc1$")  # system scope


def next_steps(code, at):
    """Where control may go from an instruction; a function that is called comes back."""
    text = code[at]
    branch = re.match(r"s_c?branch\w* (\.LBB\w+)$", text)
    steps = [code.index(f"{branch[1]}:")] if branch else []
    return steps if text.startswith(("s_branch", "s_setpc", "s_endpgm")) else [*steps, at + 1]


def entries_behind(code, ticket):
    """Of the first entry on each way from a ticket: was all waited for, with nothing stored since?"""
    todo, seen = [(at, False) for at in next_steps(code, ticket)], set()
    while todo:
        at, waited = state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        text = code[at]
        if ENTRY.match(text):
            yield waited
            continue
        waited = text == ALL or (waited and "_store_" not in text and "_atomic_" not in text)
        todo += [(step, waited) for step in next_steps(code, at)]


def check_handing_over(gpu, code):
    """On GPUs whose instructions show scopes: who takes a ticket of the done list waits for all its stores, then stores the
    entry, and stores nothing else in between. The host reads the tickets' counter and the entry."""
    givers = {name: code[name] for name in code if any(map(TICKET.match, code[name]))}
    assert "__ls_hand_over" in givers and "__ls_finish" in givers, f"{gpu}: {set(givers)}"
    for name, instructions in givers.items():
        tickets = [i for i, text in enumerate(instructions) if TICKET.match(text)]
        for ticket in tickets:
            entries = list(entries_behind(instructions, ticket))
            assert entries and all(entries), f"{gpu} {name}: {entries}"


def check_host_words(gpu, code):
    """What the host writes or reads is reached at system scope, wherever a chunk is taken: the free list's entry is exchanged by two
    instructions, one of them behind a wait, which looks at the heartbeat and at `closed` twice and at the entry, and may close the ring.
    With --on-full=drop (it alone compares and swaps) `closed` and the list's end are looked at, and what is dropped is counted."""
    takers = 0
    for name, instructions in code.items():
        def count(pattern):
            return sum(bool(re.match(rf"global_{pattern}$", text)) for text in instructions)

        waits, drops, tickets = count(r"atomic_swap v.*") / 2, count(r"atomic_cmpswap v.*"), sum(map(bool, map(TICKET.match, instructions)))
        takers += waits
        least = {r"atomic_swap v.* sc0 sc1": 2 * waits, r"load_dword v.* sc0 sc1": 5 * waits + 2 * drops,
                 r"atomic_add_x2 v.* sc1": drops}
        for pattern, n in least.items():
            assert count(pattern) >= n, f"{gpu} {name}: {count(pattern)} of {n} {pattern}"
        # An entry for each ticket, else the ticket was not taken from what the host reads.
        assert count(r"store_dword v.* sc0 sc1") == waits + tickets, f"{gpu} {name}: {tickets} tickets"
    assert takers, f"{gpu}: no chunk is taken"


def check_counting_the_end(gpu, code):
    """Before a wavefront counts itself as ended, all that it has counted has arrived, and on GPUs of several dies that its die has."""
    for name in ENDS:
        instructions = code[name]
        counts = next(i for i, text in enumerate(instructions) if text.startswith("global_atomic_add"))
        before = [text for text in instructions[:counts] if text == ALL or "_atomic_" in text or "_store_" in text]
        assert before and before[-1] == ALL, f"{gpu} {name}: {before}"
        emptied = instructions.index(INVALIDATES[gpu])
        assert any(text.startswith("s_cbranch") for text in instructions[counts:emptied]), f"{gpu} {name}: always emptied"


def check(gpu, listing):
    """All of it; an assertion fails with what is wrong."""
    code = functions(listing)
    for name in COMMON:
        instructions, lines = without_lines(code[name])
        waits = waits_of(instructions)
        assert lines and waits == WAITS and RETURN in code[name], f"{listing} {name}: {waits}"
    check_cache_controls(gpu, code)
    check_counting_the_end(gpu, code)
    if gpu != "gfx90a":
        check_handing_over(gpu, functions(listing, labels=True))
        check_host_words(gpu, code)


def main():
    listings = [(gpu, os.path.join(os.path.dirname(os.environ["LANESCOPE_NO_CODE"].format(major)), f"{gpu}.s"))
                for major, gpu in ((15, "gfx90a"), (22, "gfx90a"), (22, "gfx942"), (22, "gfx950"))]
    listings = [(gpu, listing) for gpu, listing in listings if os.path.exists(listing)]
    if not listings:
        print("no machine code: neither LLVM 15 nor 22 is installed")
        return 77
    for gpu, listing in listings:
        check(gpu, listing)
    return 0


if __name__ == "__main__":
    sys.exit(main())
