"""Rows of kernels without probes (--uninstrumented isa) against the access log of the same run.

The log is grouped by instruction and priced by hardware.py, which shares nothing with the profiler. Used by the end-to-end
tests and by tests/newer-runtimes."""

import contextlib
import sqlite3
from collections import Counter, defaultdict

import access_log
import hardware
import lines

KINDS = {**lines.KINDS, "LDS DMA read": "load", "LDS DMA write": "store"}


def rows(database):
    """{linkage name of the kernel: {(handler, metric, kind, function, offset): value}} of its observed dispatches."""
    found = defaultdict(Counter)
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        for kernel, handler, metric, kind, function, offset, value in db.execute(
                """SELECT k.mangled, m.handler, m.name, n.name, s.function, s.code_offset, sum(v.value)
                   FROM value v JOIN dispatch d ON d.id = v.dispatch JOIN kernel k ON k.id = d.kernel
                   JOIN site s ON s.id = v.site JOIN site_kind n ON n.id = s.kind JOIN metric m ON m.id = v.metric
                   WHERE d.by_instructions GROUP BY 1, 2, 3, 4, 5, 6"""):
            assert offset is not None, (kernel, function)
            if metric in lines.METRICS and handler in ("lds_bank_conflicts", "memory_coalescing"):
                found[kernel][handler, metric, KINDS.get(kind, kind), function, offset] += value
    return {kernel: +values for kernel, values in found.items()}


def observed(database):
    """{linkage name: dispatches that were observed by their instructions}."""
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        return dict(db.execute("""SELECT k.mangled, count(*) FROM dispatch d JOIN kernel k ON k.id = d.kernel
                                  WHERE d.by_instructions GROUP BY 1"""))


def _bases(database):
    """{linkage name: load addresses of code objects that have the kernel}."""
    found = defaultdict(set)
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        for name, base in db.execute("""SELECT k.mangled, c.load_base FROM kernel k
                                        JOIN code_object c ON c.id = k.code_object"""):
            found[name].add(base % 2**64)
    return found


def logged(database, log, codes):
    """The same as `rows`, computed from the log, with the number of dispatches of each kernel. `codes`: hardware.Code of
    the files that the kernels are in."""
    entries = {base + code.entries[name]: (name, code) for name, bases in _bases(database).items() for base in bases
               for code in codes if name in code.entries}
    gpu, kernels, shapes, runs = access_log.gpu(log), {}, {}, Counter()
    want = defaultdict(Counter)
    for record in access_log.records(log):
        if isinstance(record, access_log.Dispatch):
            if record.entry in entries:
                kernels[record.number], shapes[record.number] = entries[record.entry], Counter()
        elif isinstance(record, access_log.Access):
            if record.dispatch in kernels and record.space in (access_log.LDS, access_log.GLOBAL):
                shapes[record.dispatch][hardware.Shape.of(record)] += 1
        elif record in kernels:
            (name, code), done = kernels.pop(record), shapes.pop(record)
            places = code.places(name, {s.pc_offset for s in done})
            memory = {s.pc_offset for s in done if s.space == access_log.GLOBAL and s.part == 0}
            seen = Counter()
            for s, n in done.items():
                if not code.is_image(places[s.pc_offset]):
                    loads_lds = s.part == 1 and s.space == access_log.LDS and s.pc_offset in memory
                    seen[s._replace(part=0) if loads_lds else s] += n  # counted on both of its sides
            by_offset = {o: p._replace(file=p.function, line=p.offset) for o, p in places.items()}
            want[name].update(hardware.expected(seen, by_offset, gpu))
            runs[name] += 1
    assert not kernels, "a dispatch has no end in the log"
    return {name: +values for name, values in want.items()}, runs


def check(database, log, codes):
    """Raises when a number differs; returns how many kernels and numbers were compared."""
    want, runs = logged(database, log, codes)
    have, seen = rows(database), observed(database)
    numbers = 0
    for name, n in runs.items():
        assert seen.get(name) == n, (name, n, seen)
        h, w = have.get(name, {}), want.get(name, {})
        wrong = [(k, h.get(k, 0), w.get(k, 0)) for k in sorted(h.keys() | w.keys()) if h.get(k, 0) != w.get(k, 0)]
        assert not wrong, (name, len(wrong), wrong[:5])
        numbers += len(w)
    return len(runs), numbers
