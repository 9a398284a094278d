"""What a report must say, computed from the software GPU's access log and the original kernel's machine code alone.

Nothing here is shared with the profiler: the log is grouped by instruction, the instruction's source line comes from
llvm-symbolizer and the code object's line table, and the models of gfx90a are written down once more."""

import struct
import subprocess
from collections import Counter, defaultdict

import access_log

LINE = 64  # bytes of a vL1D line, gfx90a
L2_LINE = 128
KIND = {access_log.LOAD: "load", access_log.STORE: "store", access_log.ATOMIC: "atomic"}


def section(elf, name):
    """Contents of a section of a 64-bit little-endian ELF file."""
    table, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    for h in headers:
        at = headers[names][4] + h[0]
        if elf[at : elf.index(b"\0", at)].decode() == name:
            return elf[h[4] : h[4] + h[5]]
    raise AssertionError(f"no section {name}")


def code_objects(program):
    """The GPU code objects in a HIP program, from the bundles in .hip_fatbin."""
    fat, magic, at, found = section(program.read_bytes(), ".hip_fatbin"), b"__CLANG_OFFLOAD_BUNDLE__", 0, []
    while (at := fat.find(magic, at)) >= 0:
        count, = struct.unpack_from("<Q", fat, at + 24)
        entry = at + 32
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", fat, entry)
            if b"amdgcn" in fat[entry + 24 : entry + 24 + length]:
                found.append(fat[at + offset : at + offset + size])
            entry += 24 + length
        at += len(magic)
    return found


class Code:
    """Kernels of a program: their addresses, and the source lines of their instructions."""

    def __init__(self, program, directory):
        self.files, self.kernels = [], {}
        for i, image in enumerate(code_objects(program)):
            path = directory / f"{program.name}-{i}.co"
            path.write_bytes(image)
            self.files.append(path)
            listing = subprocess.run(["llvm-readelf-22", "-sW", path], capture_output=True, text=True, check=True).stdout
            for row in map(str.split, listing.splitlines()):
                if len(row) >= 8 and row[3] == "FUNC":
                    self.kernels[row[7]] = (path, int(row[1], 16))

    def lines(self, kernel, offsets):
        """{offset: (file name, line)}; line 0: the compiler gave it none."""
        path, entry = self.kernels[kernel]
        offsets = sorted(offsets)
        if not offsets:
            return {}
        done = subprocess.run(
            ["llvm-symbolizer-22", f"--obj={path}", "--no-inlines", "--functions=none"],
            input="".join(f"{entry + o:#x}\n" for o in offsets), capture_output=True, text=True, check=True)
        answers = [block.splitlines()[0] for block in done.stdout.strip().split("\n\n")]
        assert len(answers) == len(offsets)
        return {o: (a.rsplit(":", 2)[0].rsplit("/", 1)[-1], int(a.rsplit(":", 2)[1])) for o, a in zip(offsets, answers)}


# ---- LDS of gfx90a (docs/hardware.md): 32 banks of 4 bytes, a phase per group of lanes ----

HALVES = [range(0, 32), range(32, 64)]
SIXTEENS = [range(i, i + 16) for i in range(0, 64, 16)]
EIGHTS = [range(i, i + 8) for i in range(0, 64, 8)]
CROSSED = [[*range(a, a + 4), *range(b, b + 4)]
           for h in (0, 32) for a, b in ((h, h + 20), (h + 4, h + 16), (h + 8, h + 28), (h + 12, h + 24))]


def phases(width, store):
    if width <= 4:
        return HALVES
    if width <= 8:
        return SIXTEENS
    return EIGHTS if store else CROSSED


def lds_cost(width, kind, at):
    """`at`: {lane: address}."""
    cost = Counter()
    for group in phases(width, kind == access_log.STORE):
        users = defaultdict(list)  # dword: lanes
        for lane in group:
            if lane in at:
                for dword in range(at[lane] // 4, (at[lane] + width - 1) // 4 + 1):
                    users[dword].append(lane)
        cycles = max(Counter(d % 32 for d in users).values(), default=1)
        cost["Index Accesses"] += cycles
        cost["Bank Conflict"] += cycles - 1
        if kind == access_log.ATOMIC:
            cost["Addr Conflict"] += max(map(len, users.values()), default=1) - 1
    return cost


def global_cost(width, at):
    touched = {b for a in at.values() for b in range(a, a + width)}
    cost = Counter({"Bytes": len(touched), "Wavefronts": 1})
    for name, line in (("Cache Lines", LINE), ("L2 Lines", L2_LINE)):
        cost[name] = len({b // line for b in touched})
        cost[f"{name} Needed"] = -(-len(touched) // line)
    for quad in range(0, 64, 4):
        blocks = {b // 64 for lane in range(quad, quad + 4) if lane in at for b in range(at[lane], at[lane] + width)}
        cost["TA Requests"] += max(len(blocks), 1)
    return cost


def lanes(mask):
    return [lane for lane in range(64) if mask >> lane & 1]


def expected(accesses, lines):
    """{(handler, metric, kind, file name, line): value} of one dispatch."""
    sums, memo = Counter(), {}
    for a in accesses:
        if a.space not in (access_log.LDS, access_log.GLOBAL) or not a.exec:
            continue
        key = (a.space, a.kind, a.bytes, a.exec, a.addresses)
        if key not in memo:
            at = dict(zip(lanes(a.exec), a.addresses, strict=True))
            memo[key] = lds_cost(a.bytes, a.kind, at) if a.space == access_log.LDS else global_cost(a.bytes, at)
        handler = "lds_bank_conflicts" if a.space == access_log.LDS else "memory_coalescing"
        where = (KIND[a.kind], *lines[a.pc_offset])
        for metric, value in memo[key].items():
            sums[handler, metric, *where] += value
        if a.part == 0:
            sums[handler, "Executions", *where] += 1
            sums[handler, "Active Lanes", *where] += len(a.addresses)
    return +sums
