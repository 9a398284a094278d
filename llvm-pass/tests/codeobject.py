"""Reads AMD GPU code objects: symbols, metadata, site tables. Strict: what is not as documented raises."""
import pathlib
import re
import struct

WIRE_HEADER = pathlib.Path(__file__).resolve().parents[2] / "include" / "lanescope" / "wire.h"
WIRE = int(re.search(r"#define LS_WIRE_VERSION (\d+)u", WIRE_HEADER.read_text())[1])


class Bad(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Bad(what)


def _msgpack(b, at):
    """The subset of MessagePack that LLVM writes (https://github.com/msgpack/msgpack/blob/master/spec.md)."""
    t = b[at]
    at += 1
    if t < 0x80:
        return t, at
    if t >= 0xE0:
        return t - 256, at
    if t in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[t], at
    ints = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
    if t in ints:
        n = struct.calcsize(ints[t])
        return struct.unpack_from(ints[t], b, at)[0], at + n
    if t & 0xE0 == 0xA0 or t in (0xD9, 0xDA, 0xDB):
        if t & 0xE0 == 0xA0:
            n = t & 31
        else:
            f = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}[t]
            n = struct.unpack_from(f, b, at)[0]
            at += struct.calcsize(f)
        return b[at : at + n].decode(), at + n
    is_map = t & 0xF0 == 0x80 or t in (0xDE, 0xDF)
    need(is_map or t & 0xF0 == 0x90 or t in (0xDC, 0xDD), f"MessagePack type {t:#x}")
    if t < 0xA0:
        n = t & 15
    else:
        f = ">H" if t in (0xDC, 0xDE) else ">I"
        n = struct.unpack_from(f, b, at)[0]
        at += struct.calcsize(f)
    items = []
    for _ in range(n * (2 if is_map else 1)):
        item, at = _msgpack(b, at)
        items.append(item)
    return (dict(zip(items[::2], items[1::2])) if is_map else items), at


class CodeObject:
    def __init__(self, path):
        self.b = b = open(path, "rb").read()
        need(b[:6] == b"\x7fELF\x02\x01", f"{path}: no 64-bit little-endian ELF")
        shoff, shentsize, shnum, shstrndx = struct.unpack_from("<Q", b, 40) + struct.unpack_from("<HHH", b, 58)
        raw = [struct.unpack_from("<IIQQQQIIQQ", b, shoff + i * shentsize) for i in range(shnum)]
        names = raw[shstrndx][4]
        self.sections = [(self._cstring(names + s[0]),) + s[1:] for s in raw]
        self.symbols = {}
        for s in self.sections:
            if s[1] in (2, 11):  # SHT_SYMTAB, SHT_DYNSYM
                self._read_symbols(s)
        self.notes = list(self._read_notes())  # one of each object that was linked
        need(self.notes, "no NT_AMDGPU_METADATA note")
        self.kernels = {k[".name"]: k for note in self.notes for k in note.get("amdhsa.kernels", [])}

    def _cstring(self, at):
        return self.b[at : self.b.index(b"\0", at)].decode()

    def section(self, name):
        for s in self.sections:
            if s[0] == name:
                return s
        return None

    def _read_symbols(self, s):
        strings = self.sections[s[6]][4]
        for at in range(s[4], s[4] + s[5], 24):
            name, info, other, shndx, value, size = struct.unpack_from("<IBBHQQ", self.b, at)
            text = self._cstring(strings + name)
            if text and shndx and shndx < 0xFF00:
                self.symbols[text] = dict(
                    type=info & 15, bind=info >> 4, visibility=other & 3, section=shndx, value=value, size=size,
                    dynamic=s[1] == 11 or self.symbols.get(text, {}).get("dynamic", False))

    def _read_notes(self):
        for s in self.sections:
            at, end = (s[4], s[4] + s[5]) if s[1] == 7 else (0, 0)  # SHT_NOTE
            while at < end:
                n, d, t = struct.unpack_from("<III", self.b, at)
                contents = at + 12 + (n + 3) // 4 * 4
                if t == 32 and self.b[at + 12 : at + 12 + n] == b"AMDGPU\0":
                    yield _msgpack(self.b[contents : contents + d], 0)[0]
                at = contents + (d + 3) // 4 * 4

    def contents(self, symbol):
        s = self.symbols[symbol]
        sec = self.sections[s["section"]]
        at = sec[4] + s["value"] - sec[3]
        return self.b[at : at + s["size"]]

    def functions(self):
        return [n for n, s in self.symbols.items() if s["type"] == 2]

    def site_tables(self):
        s = self.section(".lanescope.sites")
        if not s:
            return []
        blocks, at, end = [], s[4], s[4] + s[5]
        while at < end:
            while at < end and self.b[at : at + 8] == b"\0" * 8:  # alignment between blocks
                at += 8
            if at == end:
                break
            block = SiteTable(self.b, at, end)
            blocks.append(block)
            at += block.bytes
        return blocks


LS_NONE = 0xFFFFFFFF
KINDS = dict(load=1, store=2, rmw=3, cmpxchg=4, copy_read=5, copy_write=6, lds_dma_read=7, lds_dma_write=8, block=9,
             time=10, image=11, other=12, call=13)
OBSERVED, UNIFORM, MERGED, VOLATILE, ATOMIC, INVARIANT = 1, 2, 4, 8, 16, 32
BORROWED = 128
PRIVATE, IMAGE, INLINE_ASM, UNKNOWN, FILTERED, NO_LINE, KERNARG, SCALAR = range(1, 9)


def ir_bytes(text):
    """The bytes of a string of textual IR: a backslash is written as \\5C by LLVM 15 and as two backslashes by later ones."""
    return re.sub(rb"\\(\\|[0-9A-F]{2})", lambda m: m[1] if m[1] == b"\\" else bytes([int(m[1], 16)]),
                  text.encode("latin-1"))


class SiteTable:
    """One block as include/lanescope/sites.h lays it out; every index and offset is checked."""

    def __init__(self, b, at, end):
        need(end - at >= 72, "block shorter than its head")
        h = struct.unpack_from("<8sIIQII" + "I" * 10, b, at)
        need(h[0] == b"LSSITE01", f"magic {h[0]}")
        self.version, self.bytes, self.hash, self.llvm, self.wire = h[1:6]
        need(self.version == 2 and self.wire == WIRE, "version")
        need(self.bytes % 8 == 0 and self.bytes <= end - at, "length")
        (ko, kn, so, sn, fo, fn, to, tn, target, po) = h[6:]
        for offset, n, size in ((ko, kn, 24), (so, sn, 32), (fo, fn, 24), (to, tn, 1), (po, sn, 24)):
            need(offset >= 72 and offset + n * size <= self.bytes, "array outside of the block")
        self.text = b[at + to : at + to + tn]
        need(self.text[:1] == b"\0" and self.text[-1:] == b"\0", "string area")
        self.target = self.string(target)
        self.kernels = []
        for i in range(kn):
            k = struct.unpack_from("<IIIIII", b, at + ko + i * 24)
            self.kernels.append(dict(name=self.string(k[0]), clone=self.string(k[1]), ctx_offset=k[2], flags=k[3],
                                     file=self.string(k[4]), line=k[5]))
        self.frames = []
        for i in range(fn):
            f = struct.unpack_from("<IIIIII", b, at + fo + i * 24)
            need(f[4] == LS_NONE or f[4] < fn, "parent frame")
            need(f[5] <= 2, "origin of a frame's file")
            self.frames.append(dict(file=self.string(f[0]), line=f[1], column=f[2], function=self.string(f[3]),
                                    parent=f[4], origin=f[5]))
        self.sites = []
        for i in range(sn):
            s = struct.unpack_from("<IIBBHIIIII", b, at + so + i * 32)
            need(s[0] == LS_NONE or s[0] < fn, "frame of a site")
            need(s[1] == LS_NONE or s[1] < kn, "kernel of a site")
            need(1 <= s[2] <= 13 and s[3] <= 9, "kind or space")
            need(bool(s[6] & OBSERVED) != bool(s[7]), "a site is observed or has a reason")
            need(s[7] <= 10, "reason")
            self.sites.append(dict(frame=s[0], kernel=s[1], kind=s[2], space=s[3], align=s[4], bytes=s[5],
                                   flags=s[6], reason=s[7], function=self.string(s[8]),
                                   instruction=self.string(s[9])))
            p = struct.unpack_from("<IIHHIiI", b, at + po + i * 24)
            need(p[4] <= sn, "group of a place")
            self.sites[-1].update(tag=p[0], merged=p[1], loops=p[2], together=p[3], group=p[4], distance=p[5],
                                  variable=p[6])

        self._read_details(b, at, ko, sn, fn)

    def _read_details(self, b, at, head, sn, fn):
        """What stands behind the head: declarations of variables in LDS, branches, and whose they are."""
        need(head >= 72 + 32, "the head's extension")
        do, vo, vn, bo, bn, shared, po, pn = struct.unpack_from("<IIIIIIII", b, at + 72)
        for offset, n, size in ((do, sn, 8), (vo, vn, 40), (bo, bn, 16), (po, pn, 8)):
            need(offset >= 104 and offset + n * size <= self.bytes, "array outside of the block")
        self.variables, self.branches = [], []
        for i in range(vn):
            v = struct.unpack_from("<IIIIII4I", b, at + vo + i * 40)
            need(v[2] and (v[4] & 0xffff) <= 1 and (v[4] >> 16).bit_count() <= 1 and v[5] <= 4, "variable")
            self.variables.append(dict(name=self.string(v[0]), type=self.string(v[1]), element=v[2], bytes=v[3],
                                       structure=v[4] & 1, dimensions=list(v[6 : 6 + v[5]])))
        for i in range(bn):
            frame, outer, flags, reserved = struct.unpack_from("<IIII", b, at + bo + i * 16)
            need((frame == LS_NONE or frame < fn) and outer <= i and flags <= 1 and not reserved, "branch")
            self.branches.append(dict(line=self.frames[frame]["line"] if frame != LS_NONE else 0, outer=outer, loop=flags))
        for i in range(sn):
            variable, branch = struct.unpack_from("<II", b, at + do + i * 8)
            need(variable <= vn and branch <= bn, "detail of a site")
            self.sites[i].update(declared=self.variables[variable - 1] if variable else None, branch=branch)
        self._read_leads(b, at, shared, sn)
        self._read_parts(b, at + po, pn, fn)

    def _read_parts(self, b, at, pn, fn):
        """Each site's frames of other accesses that it was made of."""
        parts = [struct.unpack_from("<II", b, at + i * 8) for i in range(pn)]
        need([site for site, _ in parts] == sorted(site for site, _ in parts), "order of parts")
        for site in self.sites:
            site["parts"] = []
        for site, frame in parts:
            need(site < len(self.sites) and frame < fn and self.sites[site]["kind"] <= 6, "part")
            need(frame not in self.sites[site]["parts"] + [self.sites[site]["frame"]], "a part stands once")
            self.sites[site]["parts"].append(frame)
        need(all(s["parts"] for s in self.sites if s["flags"] & BORROWED), "a site with a borrowed place has parts")

    def _read_leads(self, b, at, shared, sn):
        """Each site's (leader, distance), or None if it has a probe of its own."""
        need(104 <= shared <= self.bytes - 8, "the list of shared probes")
        lo, ln = struct.unpack_from("<II", b, at + shared)
        need(lo >= 104 and lo + ln * 12 <= self.bytes, "array outside of the block")
        for site in self.sites:
            site["lead"] = None
        leads = [struct.unpack_from("<IIi", b, at + lo + i * 12) for i in range(ln)]
        need(leads == sorted(leads), "order of leads")
        for leader, follower, distance in leads:
            need(leader < follower < sn and not self.sites[follower]["lead"], "lead")
            need(self.sites[leader]["space"] == self.sites[follower]["space"], "address space of a lead")
            self.sites[follower]["lead"] = (leader, distance)
        need(all(not self.sites[leader]["lead"] for leader, _, _ in leads), "a follower leads")

    def around(self, site):
        """[(line, whether it ends a loop), ...] of the branches around a site, the nearest first."""
        out, i = [], site["branch"]
        while i:
            out.append((self.branches[i - 1]["line"], self.branches[i - 1]["loop"]))
            i = self.branches[i - 1]["outer"]
        return out

    def string(self, at):
        need(at < len(self.text), "string offset")
        return self.text[at : self.text.index(b"\0", at)].decode()

    def chain(self, site):
        """[(function, line, column), ...] from the innermost frame out."""
        return self.chain_of(site["frame"])

    def chain_of(self, f):
        out = []
        while f != LS_NONE:
            need(len(out) < 1000, "frames form a ring")
            frame = self.frames[f]
            out.append((frame["function"], frame["line"], frame["column"]))
            f = frame["parent"]
        return out

    def of_kernel(self, name):
        i = [k["name"] for k in self.kernels].index(name)
        return [s for s in self.sites if s["kernel"] == i]


# SOP1, sdst in bits 22:16, opcode in bits 15:8: 28 on gfx9 (MI200 ISA document, table 62), 31 on gfx10 (RDNA2 ISA), 71 on
# gfx11 and gfx12 (RDNA3 ISA)
S_GETPC = (0xBE801C00, 0xBE801F00, 0xBE804700)
LITERAL_SRC1 = 0xFF00  # SOP2 with a literal as second source


def mask(code):
    """Zeroes the literals of s_add_u32 and s_addc_u32 that follow s_getpc_b64 on the same registers."""
    words = list(struct.unpack(f"<{len(code) // 4}I", code))
    for i, w in enumerate(words):
        if w & 0xFF80FFFF not in S_GETPC:
            continue
        low = w >> 16 & 0x7F
        for j in range(i + 1, min(i + 24, len(words) - 1)):
            for opcode, register in ((0, low), (4, low + 1)):  # SOP2: s_add_u32 0, s_addc_u32 4
                if words[j] == 0x80000000 | opcode << 23 | register << 16 | LITERAL_SRC1 | register:
                    words[j + 1] = 0
    return words
