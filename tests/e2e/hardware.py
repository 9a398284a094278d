"""What a report must say, computed from the software GPU's access log and the original kernel's machine code alone.

Nothing here is shared with the profiler: the log is grouped by instruction, the instruction's source line comes from
llvm-symbolizer and the code object's line table, and the models are written down once more (costs.py)."""

import bisect
import re
import struct
import subprocess
import weakref
from collections import Counter
from typing import NamedTuple

import access_log
import costs

BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
EM_AMDGPU = 224
IMAGES = 0b111100, 0b110100, 0b111001  # MIMG; gfx12: VIMAGE, VSAMPLE
S_CLAUSE = 0xBFA1  # upper half of its word (SOPP; "RDNA 2 Instruction Set Architecture", section "SOPP")
DESCRIPTOR_PRELOAD = 58  # byte of a kernel descriptor whose bits 6:0 are the number of preloaded dwords (AMDGPUUsage)
PRELOAD_PROLOGUE = 256  # bytes before the first instruction that runs, where the GPU preloads arguments
KIND = {access_log.LOAD: "load", access_log.STORE: "store", access_log.ATOMIC: "atomic"}


def _section(elf, name):
    """(address, file offset, bytes) of a section of a 64-bit little-endian ELF file."""
    table, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    for h in headers:
        at = headers[names][4] + h[0]
        if elf[at : elf.index(b"\0", at)].decode() == name:
            return h[3:]
    raise AssertionError(f"no section {name}")


def section(elf, name):
    """Its contents."""
    _, offset, size = _section(elf, name)
    return elf[offset : offset + size]


def _preloads(elf, descriptor):
    """Whether the kernel with the descriptor at that link address has arguments that start in registers."""
    address, offset, _ = _section(elf, ".rodata")
    return elf[descriptor - address + offset + DESCRIPTOR_PRELOAD] & 0x7F > 0


def _bundled(fat):
    """The GPU code objects in clang's bundles of code objects."""
    at, found = 0, []
    while (at := fat.find(BUNDLE, at)) >= 0:
        count, = struct.unpack_from("<Q", fat, at + 24)
        entry = at + 32
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", fat, entry)
            if b"amdgcn" in fat[entry + 24 : entry + 24 + length]:
                found.append(fat[at + offset : at + offset + size])
            entry += 24 + length
        at += len(BUNDLE)
    return found


def code_objects(program):
    """The GPU code objects in a HIP program or library (its .hip_fatbin), in a bundle, or in a file that is one."""
    content = program.read_bytes()
    if content.startswith(BUNDLE):
        return _bundled(content)
    if struct.unpack_from("<H", content, 18)[0] == EM_AMDGPU:
        return [content]
    return _bundled(section(content, ".hip_fatbin"))


class Function(NamedTuple):
    start: int  # link address
    end: int


class Place(NamedTuple):
    function: str  # linkage name
    offset: int  # from its first instruction
    file: str  # name without directories
    line: int  # 0: the compiler gave it none
    callers: tuple = ()  # (file, line) of the inlined calls around it, innermost first
    column: int = 0


class Code:
    """One code object: its functions, and the source lines of their instructions."""

    def __init__(self, image, path):
        """Writes the image to `path`, for LLVM's tools."""
        self.path, self.bytes, self.functions, self.known = path, len(image), {}, {}
        self.entries = {}  # {kernel: link address of the first instruction that runs}
        path.write_bytes(image)
        listing = subprocess.run(["llvm-readelf-22", "-sW", path], capture_output=True, text=True, check=True).stdout
        symbols = [row for row in map(str.split, listing.splitlines()) if len(row) >= 8 and row[6] != "UND"]
        for row in symbols:
            if row[3] == "FUNC":
                self.functions[row[7]] = Function(int(row[1], 16), int(row[1], 16) + int(row[2], 0))
        for row in symbols:
            if row[3] == "OBJECT" and row[7].endswith(".kd"):
                name = row[7].removesuffix(".kd")
                self.entries[name] = self.functions[name].start + PRELOAD_PROLOGUE * _preloads(image, int(row[1], 16))
        self._end_functions(image)
        self.order = sorted((f.start, f.end, name) for name, f in self.functions.items())
        address, offset, size = _section(image, ".text")
        self.text, self.text_address = image[offset : offset + size], address
        self.bundled = self._bundled_instructions()
        self.symbolizer = None

    def _end_functions(self, image):
        """Symbols without a size, as in Tensile's assembly, hold for what stands before the next one."""
        address, _, size = _section(image, ".text")
        starts = sorted({f.start for f in self.functions.values()} | {address + size})
        for name, f in self.functions.items():
            if f.start == f.end:
                self.functions[name] = Function(f.start, starts[bisect.bisect_right(starts, f.start)])

    def _bundled_instructions(self):
        """Link addresses of what stands behind the first instruction of a clause (gfx10 and later: s_clause, of one less than
        that many instructions): LLVM gives a clause one row of the line table, that of its first instruction."""
        if S_CLAUSE not in [word >> 16 for word, in struct.iter_unpack("<I", self.text[: len(self.text) // 4 * 4])]:
            return set()
        listing = subprocess.run(["llvm-objdump-22", "-d", "--no-show-raw-insn", self.path], capture_output=True, text=True, check=True).stdout
        lines = re.findall(r"^\t(\S+) ?(.*?) *// ([0-9A-F]+):", listing, re.MULTILINE)
        return {int(lines[k][2], 16) for i, (what, operand, _) in enumerate(lines) if what == "s_clause"
                for k in range(i + 2, min(i + 2 + (int(operand, 0) & 63), len(lines)))}

    @classmethod
    def of_program(cls, program, directory):
        return [cls(image, directory / f"{program.name}-{i}.co") for i, image in enumerate(code_objects(program))]

    def places(self, kernel, offsets):
        """{offset from the first instruction that runs: Place}, of instructions of the kernel and of functions that it
        calls."""
        return self._places(self.entries[kernel], offsets)

    def _places(self, start, offsets):
        self._look_up(sorted({start + o for o in offsets} - self.known.keys()))
        return {o: self.known[start + o] for o in offsets}

    def is_image(self, place):
        """Whether it is an image instruction: of those the report lists sites only (encodings MIMG, VIMAGE, VSAMPLE: bits 31 to 26)."""
        at = self.functions[place.function].start + place.offset - self.text_address
        return struct.unpack_from("<I", self.text, at)[0] >> 26 in IMAGES

    def scalar_loads(self, function):
        """{(file name, line): bytes} of the function's scalar loads."""
        f, found = self.functions[function], Counter()
        done = subprocess.run(["llvm-objdump-22", "-d", "--no-show-raw-insn", f"--start-address={f.start}",
                               f"--stop-address={f.end}", self.path], capture_output=True, text=True, check=True)
        widths = {}
        # s_load_dwordx2; of gfx11 s_load_b64, of gfx12 also s_load_u8
        for dwords, bits, address in re.findall(r"^\ts_(?:buffer_)?load_(?:dword(?:x(\d+))?|[biu](\d+)) .*// ([0-9A-F]+):", done.stdout,
                                                re.MULTILINE):
            widths[int(address, 16) - f.start] = int(bits) // 8 if bits else 4 * int(dwords or 1)
        for offset, place in self._places(f.start, widths).items():
            found[place.file, place.line] += widths[offset]
        return found

    def _start_symbolizer(self):
        """One for all questions: it reads the code object once."""
        command = ["llvm-symbolizer-22", f"--obj={self.path}", "--functions=none"]
        self.symbolizer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        weakref.finalize(self, subprocess.Popen.communicate, self.symbolizer)

    def _answer(self, address):
        """Lines, up to an empty one."""
        self.symbolizer.stdin.write(f"{address:#x}\n")
        self.symbolizer.stdin.flush()
        answer = list(iter(lambda: self.symbolizer.stdout.readline().rstrip("\n"), ""))
        assert answer, f"llvm-symbolizer ended: {self.symbolizer.poll()}"
        return answer

    def _look_up(self, addresses):
        if addresses and not self.symbolizer:
            self._start_symbolizer()
        for address in addresses:
            answer = self._answer(address)
            (file, line), *callers = [(path.rsplit("/", 1)[-1], int(line)) for path, line, _ in (a.rsplit(":", 2) for a in answer)]
            column = int(answer[0].rsplit(":", 1)[1])
            start, end, name = self.order[bisect.bisect_right(self.order, (address, 2**64, "")) - 1]
            assert start <= address < end
            if address in self.bundled:
                line, callers = 0, []
            self.known[address] = Place(name, address - start, file, line, tuple(callers), column)


class Shape(NamedTuple):
    """What an access costs depends on: accesses that lie a multiple of 128 bytes (32 banks; a line of the L2) apart cost
    the same."""

    pc_offset: int
    part: int
    kind: int
    space: int
    bytes: int
    exec: int
    addresses: tuple

    @classmethod
    def of(cls, a):
        base = min(a.addresses, default=0) // costs.L2_LINE * costs.L2_LINE
        return cls(a.pc_offset, a.part, a.kind, a.space, a.bytes, a.exec, tuple([x - base for x in a.addresses]))


def copies_to_lds(shapes):
    """Offsets of the instructions that copy to LDS. The log has the write as their second part; where no lane reads anything,
    as those out of a buffer's range, that is all."""
    reads = {a.pc_offset for a in shapes if a.space == access_log.LDS and a.part == 0}
    return {a.pc_offset for a in shapes if a.space == access_log.LDS and a.part == 1} - reads


def expected(shapes, places, gpu, lanes=None):
    """{(handler, metric, kind, file name, line): value} of one dispatch. `shapes`: {Shape: how often}; `gpu`: its name;
    `lanes`: of its wavefronts, if not those of the GPU by default."""
    sums = Counter()
    copies = copies_to_lds(shapes)
    for a, n in shapes.items():
        if not a.exec:
            continue
        handler = "lds_bank_conflicts" if a.space == access_log.LDS else "memory_coalescing"
        where = (KIND[a.kind], places[a.pc_offset].file, places[a.pc_offset].line)
        for metric, value in costs.of_access(gpu, a.space, a.kind, a.bytes, a.exec, a.addresses, lanes).items():
            sums[handler, metric, *where] += value * n
        if a.part == 0 or (a.space == access_log.LDS and a.pc_offset in copies):
            sums[handler, "Executions", *where] += n
            sums[handler, "Active Lanes", *where] += len(a.addresses) * n
    return +sums
