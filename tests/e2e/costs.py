"""What an access costs on a GPU, written down once more for the tests, from docs/hardware.md alone: nothing here is shared
with the models of the profiler."""

import functools
from collections import Counter, defaultdict
from typing import NamedTuple

import access_log

L2_LINE = 128  # bytes, on all of these

# ---- LDS: groups of lanes that are served together, one after the other ----

WHOLE = [range(0, 64)]
HALVES = [range(0, 32), range(32, 64)]
SIXTEENS = [range(i, i + 16) for i in range(0, 64, 16)]
EIGHTS = [range(i, i + 8) for i in range(0, 64, 8)]
CROSSED = [[*range(a, a + 4), *range(b, b + 4)]
           for h in (0, 32) for a, b in ((h, h + 20), (h + 4, h + 16), (h + 8, h + 28), (h + 12, h + 24))]
CROSSED_SIXTEENS = [[*range(h + a, h + b), *range(h + c, h + d), *range(h + e, h + f)]
                    for h in (0, 32) for a, b, c, d, e, f in ((0, 4, 12, 16, 20, 28), (4, 12, 16, 20, 28, 32))]


class Gpu(NamedTuple):
    """By width of the access (4, 8, 12, 16 bytes a lane): banks, groups."""

    line: int  # bytes of a vL1D line
    reads: dict
    writes: dict
    lanes: int = 64  # of a wavefront


_READS = {4: (32, HALVES), 8: (32, SIXTEENS), 12: (32, CROSSED), 16: (32, CROSSED)}
_WRITES = {4: (32, HALVES), 8: (32, SIXTEENS), 12: (32, EIGHTS), 16: (32, EIGHTS)}
# gfx1100's reads but those of 12 bytes are measured; the others are taken to be alike (docs/hardware.md).
_RDNA = Gpu(128, {4: (32, [range(0, 32)]), 8: (32, SIXTEENS[:2]), 12: (32, CROSSED[:4]), 16: (32, CROSSED[:4])},
            {4: (32, [range(0, 32)]), 8: (32, SIXTEENS[:2]), 12: (32, EIGHTS[:4]), 16: (32, EIGHTS[:4])}, 32)
_RDNA4 = Gpu(128, {4: (32, [range(0, 32)]), 8: (32, SIXTEENS[:2]), 12: (32, EIGHTS[:4]), 16: (32, EIGHTS[:4])}, _RDNA.writes, 32)
GPUS = {
    "gfx90a": Gpu(64, _READS, _WRITES),
    "gfx942": Gpu(128, _READS, _WRITES),
    "gfx950": Gpu(128, {4: (64, WHOLE), 8: (64, HALVES), 12: (32, CROSSED), 16: (64, CROSSED_SIXTEENS)},
                  {**_WRITES, 4: (64, WHOLE)}),
    **dict.fromkeys(("gfx1030", "gfx1100", "gfx1101", "gfx1102", "gfx1151"), _RDNA),
    **dict.fromkeys(("gfx1200", "gfx1201"), _RDNA4),
}


def lds_cost(gpu, width, kind, at, lanes):
    """`at`: {lane: address}; `lanes`: of the wavefront. Of 64 lanes of RDNA the upper half is served like the lower one, after it
    (docs/hardware.md)."""
    cost = Counter()
    banks, groups = (gpu.writes if kind == access_log.STORE else gpu.reads)[next(w for w in gpu.reads if width <= w)]
    groups = [[lane + half for lane in group] for half in range(0, lanes, gpu.lanes) for group in groups]
    for group in groups:
        users = defaultdict(list)  # dword: lanes
        for lane in group:
            if lane in at:
                for dword in range(at[lane] // 4, (at[lane] + width - 1) // 4 + 1):
                    users[dword].append(lane)
        cycles = max(Counter(d % banks for d in users).values(), default=1)
        cost["Index Accesses"] += cycles
        cost["Bank Conflict"] += cycles - 1
        if kind == access_log.ATOMIC:
            cost["Addr Conflict"] += max(map(len, users.values()), default=1) - 1
    cost["LDS Cycles"] = cost["Index Accesses"] + cost["Addr Conflict"]
    return cost


def global_cost(gpu, width, kind, at):
    touched = {b for a in at.values() for b in range(a, a + width)}
    cost = Counter({"Bytes": len(touched), "Wavefronts": 1})
    for name, line in (("Cache Lines", gpu.line), ("L2 Lines", L2_LINE)):
        cost[name] = len({b // line for b in touched})
        cost[f"{name} Needed"] = -(-len(touched) // line)
    if gpu.lanes == 32:  # no counters of this kind on RDNA
        del cost["Wavefronts"]
    for quad in range(0, gpu.lanes if gpu.lanes == 64 else 0, 4):
        blocks = {b // 64 for lane in range(quad, quad + 4) if lane in at for b in range(at[lane], at[lane] + width)}
        cost["TA Requests"] += max(len(blocks), 1)
    if kind == access_log.ATOMIC:
        cost["Atomic Lanes"], cost["Atomic Addresses"] = len(at), len(set(at.values()))
    return cost


def _lanes(mask):
    return [lane for lane in range(64) if mask >> lane & 1]


@functools.lru_cache(200000)
def of_access(gpu, space, kind, width, mask, addresses, lanes=None):
    """{metric: value}. `gpu`: its name; `addresses`: of the lanes in the mask, lowest first; `lanes`: of the wavefront, if not
    those that the GPU's have by default."""
    at = dict(zip(_lanes(mask), addresses, strict=True))
    return lds_cost(GPUS[gpu], width, kind, at, lanes or GPUS[gpu].lanes) if space == access_log.LDS else \
        global_cost(GPUS[gpu], width, kind, at)
