"""Tests of rocBLAS and rocSPARSE, which are records of a file of arguments: a seeded sample of them, as a file of its own.

Such a binary reads its whole file (933 MB for rocBLAS) once for each of its suites, only to list them, but takes another
file by --data. As clients/common/rocblas_arguments.cpp and rocsparse_arguments.cpp check it, a file begins with the library's
name, a record whose bytes tell the layout, and the name in the other case. Then come the records; three of their fields are
texts of 64 bytes, one after the other: function, name of the test, category.
"""

import collections
import hashlib
import mmap
import re

import gtest

TEXT = 64
CATEGORY = re.compile(rb"(?<=\0)(quick|pre_checkin|nightly|multi_gpu|HMM|stress|known_bug)\0")
RUN = re.compile(r"^\[ RUN      \] (\S+)", re.M)


def _layout(data):
    """(bytes before the first record, bytes of a record, place of the function's name in it)"""
    magic = data[: data.find(b"\0") + 1]
    length = data.find(magic.swapcase()) - len(magic)
    begin = 2 * len(magic) + length
    category = CATEGORY.search(data[begin : begin + length]) if length > 0 else None
    if not category or category.start() < 2 * TEXT or (len(data) - begin) % length:
        raise ValueError("no file of test arguments")
    return begin, length, category.start() - 2 * TEXT


def _by_function(data, category):
    """{function: its records of that category}, and what stands before the records"""
    begin, length, function = _layout(data)
    found, wanted = collections.defaultdict(list), category.encode() + b"\0"
    for at in range(begin, len(data), length):
        name = at + function
        if data[name + 2 * TEXT : name + 2 * TEXT + len(wanted)] == wanted:
            found[data[name : name + TEXT].split(b"\0")[0]].append(data[at : at + length])
    return found, data[:begin]


def sample(source, target, category, count, seed):
    """Writes `count` records of `source` to `target`: as many functions as possible, always the same for one seed. Returns how
    many there are."""
    with open(source, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found, head = _by_function(data, category)
    key = lambda record: hashlib.sha256(seed.encode() + b" " + record).digest()  # noqa: E731
    rounds = [(rank, key(name), record) for name, records in found.items()
              for rank, record in enumerate(sorted(records, key=key)[:count])]
    chosen = [record for *_, record in sorted(rounds)[:count]]
    target.write_bytes(head + b"".join(chosen))
    return len(chosen)


def ended(name, out, verdict, reason):
    """Outcomes of a run that did not end: what passed before, and the test that it was in."""
    found = gtest.ended(name, out)
    at = [test for test in RUN.findall(out) if test not in found][-1:] or ["(all)"]
    return [*found.values(), gtest.Outcome(name, at[0], verdict, reason)]
