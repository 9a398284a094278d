"""Reads the software GPU's access log (docs/internals/access-log.md) with nothing but the standard library."""

import struct
from collections import namedtuple

Dispatch = namedtuple("Dispatch", "number kernel_object entry grid workgroup")
Access = namedtuple("Access", "dispatch workgroup pc pc_offset exec wave bytes kind space part addresses")
DISPATCH, ACCESS, END = 1, 2, 3
LOAD, STORE, ATOMIC = 1, 2, 3
GLOBAL, LDS, SCALAR, SCRATCH = 1, 3, 4, 5


def gpu(path):
    """Name of the GPU, for example "gfx90a"."""
    with open(path, "rb") as file:
        file.seek(16)
        return file.read(16).rstrip(b"\0").decode()


def records(path):
    """Yields what the log holds, in its order: Dispatch, Access, and the number of a dispatch that has ended."""
    with open(path, "rb") as file:
        magic, version, start = struct.unpack("<8sII", file.read(16))
        assert magic == b"LSGPULOG" and version == 1, (magic, version)
        file.seek(start)
        while head := file.read(8):
            kind, size = struct.unpack("<II", head)
            data = file.read(size - 8)
            assert size >= 8 and size % 8 == 0 and len(data) == size - 8, (file.tell(), kind, size)
            if kind == ACCESS:
                number, group, pc, mask, offset, wave, width, what, space, part = struct.unpack_from("<QQQQiIIBBB", data)
                addresses = struct.unpack_from(f"<{mask.bit_count()}Q", data, 48)
                yield Access(number, group, pc, offset, mask, wave, width, what, space, part, addresses)
            elif kind == DISPATCH:
                f = struct.unpack_from("<QQQ6I", data)
                yield Dispatch(f[0], f[1], f[2], f[3:6], f[6:9])
            elif kind == END:
                yield struct.unpack_from("<Q", data)[0]


def read(path):
    """Returns (dispatches in order, {dispatch number: [Access, ...]})."""
    dispatches, accesses = [], {}
    for record in records(path):
        if isinstance(record, Dispatch):
            dispatches.append(record)
            accesses[record.number] = []
        elif isinstance(record, Access):
            accesses[record.dispatch].append(record)
    return dispatches, accesses
