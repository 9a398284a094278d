"""Reads the software GPU's access log (docs/access-log.md) with nothing but the standard library."""

import struct
from collections import namedtuple

Dispatch = namedtuple("Dispatch", "number kernel_object entry grid workgroup")
Access = namedtuple("Access", "dispatch workgroup pc pc_offset exec wave bytes kind space part addresses")
DISPATCH, ACCESS, END = 1, 2, 3
LOAD, STORE, ATOMIC = 1, 2, 3
GLOBAL, LDS, SCALAR, SCRATCH = 1, 3, 4, 5


def read(path):
    """Returns (dispatches in order, {dispatch number: [Access, ...]})."""
    data = path.read_bytes()
    magic, version, at = struct.unpack_from("<8sII", data)
    assert magic == b"LSGPULOG" and version == 1, (magic, version)
    dispatches, accesses = [], {}
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        assert size >= 8 and size % 8 == 0 and at + size <= len(data), (at, kind, size)
        if kind == DISPATCH:
            f = struct.unpack_from("<QQQ6I", data, at + 8)
            dispatches.append(Dispatch(f[0], f[1], f[2], f[3:6], f[6:9]))
            accesses[f[0]] = []
        elif kind == ACCESS:
            number, group, pc, mask, offset, wave, width, what, space, part = struct.unpack_from("<QQQQiIIBBB", data, at + 8)
            addresses = struct.unpack_from(f"<{mask.bit_count()}Q", data, at + 56)
            accesses[number].append(Access(number, group, pc, offset, mask, wave, width, what, space, part, addresses))
        at += size
    return dispatches, accesses
