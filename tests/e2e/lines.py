"""The line-by-line numbers of a results database against the access log of the original kernels (hardware.py).

Used by the end-to-end tests and by tests/external; needs neither a build of the project nor its programs."""

import contextlib
import dataclasses
import re
import sqlite3
import typing
from collections import Counter, defaultdict

import access_log
import hardware

METRICS = ("Executions", "Active Lanes", "Index Accesses", "Bank Conflict", "Addr Conflict", "LDS Cycles", "Bytes", "Cache Lines",
           "Cache Lines Needed", "L2 Lines", "L2 Lines Needed", "TA Requests", "Wavefronts", "Atomic Lanes", "Atomic Addresses")
KINDS = {"copy read": "load", "copy write": "store", "LDS DMA read": "load", "LDS DMA write": "store", "compare and swap": "atomic"}
# What a report says of an instruction of the original.
COUNTED, NOT_JOINED, NOT_OBSERVED = range(3)
# Reasons of sites that lead into code which the database does not list.
ELSEWHERE = (6, 9, 10)
# HIP's headers of vector types and 16-bit floats: how a value is converted, or taken apart.
LOADING = ("load", "copy read", "atomic", "compare and swap")
VALUES = re.compile(r"(amd_)?hip_(vector_types|bfloat16|bf16|fp16)\w*\.h")


class Instruction(typing.NamedTuple):
    """A vector memory instruction in the database."""

    fate: int
    together: int  # those of a function with the same number are executed equally often
    tells: bool  # the site's executions are these of all instructions that it counts, together
    site: int
    what: str  # mnemonic
    merged: bool  # does more sites than this one


@dataclasses.dataclass(frozen=True)
class CodeObject:
    base: int  # load address minus link address
    bytes: int
    kernels: frozenset  # linkage names
    compiler: str = ""  # its note, which tells specialisations of one size and name apart


class Report:
    """What a results database says."""

    def __init__(self, database):
        with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
            self._read(lambda sql: db.execute(sql).fetchall())

    def _read(self, query):
        (self.pid, self.start), = query("SELECT pid, start_ns FROM process")
        names, sizes, notes = defaultdict(set), {}, {}
        self.kernels = {}  # row: (code object row, linkage name)
        for row, co, base, size, name, note in query(
                """SELECT k.id, c.id, c.load_base, c.bytes, k.mangled, coalesce(c.compiler, '') FROM kernel k
                   JOIN code_object c ON c.id = k.code_object WHERE c.instrumented"""):
            self.kernels[row] = (co, name)
            names[co].add(name)
            sizes[co], notes[co] = (base % 2**64, size), note
        self.code_objects = {co: CodeObject(*sizes[co], frozenset(n), notes[co]) for co, n in names.items()}
        self.dispatches = {}  # (code object row, kernel): row numbers of observed dispatches, in order
        for number, row in query("SELECT number, kernel FROM dispatch WHERE observed ORDER BY number"):
            self.dispatches.setdefault(self.kernels.get(row), []).append(number)
        self.values = defaultdict(Counter)  # dispatch: {(handler, metric, kind, file, line): value}
        self.by_site = defaultdict(Counter)  # dispatch: {(handler, metric, site): value}
        for n, handler, metric, site, kind, file, line, value in query(
                """SELECT d.number, m.handler, m.name, s.site, s.kind, s.file, s.line, v.value FROM value v
                   JOIN dispatch d ON d.id = v.dispatch JOIN metric m ON m.id = v.metric
                   JOIN site_view s ON s.site = v.site WHERE s.isa_join <> 0"""):
            if metric in METRICS:
                key = handler, metric, KINDS.get(kind, kind), (file or "??").rsplit("/", 1)[-1], line or 0
                self.values[n][key] += value
                self.by_site[n][handler, metric, site] += value
        self.instructions = self._instructions(query)
        self.executions = Counter()  # (dispatch, site): sum over the instructions that the site counts
        for n, site, value in query(
                """SELECT d.number, v.site, sum(v.value) FROM value v JOIN dispatch d ON d.id = v.dispatch
                   JOIN metric m ON m.id = v.metric WHERE m.name = 'Executions'
                   AND m.handler IN ('lds_bank_conflicts', 'memory_coalescing') GROUP BY 1, 2"""):
            self.executions[n, site] = value
        self.lines_of = {(kind, (file or "??").rsplit("/", 1)[-1], line) for kind, file, line in query(
            "SELECT kind, file, line FROM site_view")}
        self.elsewhere = {co for co, in query(
            f"""SELECT DISTINCT m.code_object FROM site s JOIN module m ON m.id = s.module
                WHERE s.reason IN {ELSEWHERE}""")}
        self.scalar = defaultdict(Counter)  # (code object row, function): {(file, line): sites that scalar loads do}
        for co, function, file, line in query(
                """SELECT m.code_object, s.function, coalesce(v.file, '??'), coalesce(v.line, 0)
                   FROM site s JOIN module m ON m.id = s.module JOIN site_view v ON v.site = s.id
                   WHERE s.isa_join = 3"""):
            self.scalar[co, function][file.rsplit("/", 1)[-1], line] += 1

    @staticmethod
    def _instructions(query):
        """{(code object row, function): {offset: Instruction}}."""
        seen = {function for function, in query("SELECT DISTINCT function FROM site WHERE flags & 1 OR reason = 8")}
        found = defaultdict(dict)
        for co, function, offset, text, site, observed, join, together, tells in query(
                """SELECT m.code_object, coalesce(i.function, k.mangled), i.offset, i.text, i.site, s.flags & 1, s.isa_join,
                          v.together, v.tells
                   FROM vector_instruction v JOIN instruction i ON i.id = v.instruction JOIN module m ON m.id = i.module
                   LEFT JOIN kernel k ON k.id = i.kernel LEFT JOIN site s ON s.id = i.site"""):
            fate = COUNTED if observed and join in (1, 2) else NOT_JOINED
            if fate == NOT_JOINED and (site is not None or function not in seen):
                fate = NOT_OBSERVED  # the report lists the access with a reason
            found[co, function][offset] = Instruction(fate, together, bool(tells), site, text.split()[0], join == 2)
        return found

    def told(self, place, numbers):
        """{(function's key, together): executions in these dispatches, or None where sites contradict each other}."""
        counts, told = Counter(), {}
        for i in self.instructions[place].values():
            counts[i.site] += 1
        for i in self.instructions[place].values():
            if i.fate == COUNTED and i.tells:
                n = sum(self.executions[number, i.site] for number in numbers) / counts[i.site]
                key = place, i.together
                told[key] = n if told.get(key, n) == n else None
        return told


@dataclasses.dataclass
class Result:
    wrong: list = dataclasses.field(default_factory=list)
    kernels: int = 0
    dispatches: int = 0
    counted: int = 0  # executed instructions
    not_joined: int = 0
    by_kernel: Counter = dataclasses.field(default_factory=Counter)  # of not_joined

    def __add__(self, other):
        return Result(*(getattr(self, f.name) + getattr(other, f.name) for f in dataclasses.fields(self)))


def total(counters):
    """Their sum, with negative numbers, which `+` of counters leaves out."""
    added = Counter()
    for c in counters:
        added.update(c)
    return added


def differences(have, want):
    """Lines whose numbers differ. What the line table gives no line (0) may stand on any line of the report."""
    wrong, spare = [], Counter()
    for key in {**have, **want}:
        h, w = have.get(key, 0), want.get(key, 0)
        if key[4] == 0:
            spare[key[:3]] += h - w
        elif h < w:
            wrong.append((*key, h, w))
        elif h > w:
            spare[key[:3]] += h - w
    return wrong + [(*key, "lines", 0, n, 0) for key, n in spare.items() if n]


class Comparison:
    """Feeds on a log. `loaded`: the report of the process that wrote the log; `skip`: how many dispatches of each original
    stand in the log before the one that the first observed dispatch is compared with; `lanes`: of all wavefronts, if not those of
    the GPU by default; `accessed`: (file, line, column, whether LDS)s where the compiler's own text accesses memory, if that text is there;
    "transposed" for LDS where it is read so that lanes exchange values."""

    def __init__(self, report, loaded, images, skip, lanes=None, accessed=None):
        self.report, self.skip, self.lanes, self.result = report, skip, lanes, Result()
        self.accessed = accessed
        self.runs, self.open, self.entries, self.want = Counter(), {}, {}, defaultdict(Counter)
        self.site_want = defaultdict(Counter)
        self.alike = set()  # sites of instructions without place: which of those that look the same does which, nobody knows
        self.executed = defaultdict(Counter)  # (code object row, kernel): {(function's key, place): wavefronts}
        self.spaces = defaultdict(set)  # (function's key, place): in which it accesses memory
        self.codes = {}  # code object row: its hardware.Code
        # both processes load the same code objects in the same order
        rows = dict(zip(sorted(loaded.code_objects), sorted(report.code_objects)))
        for co, c in loaded.code_objects.items():
            code = next((i for i in images if i.bytes == c.bytes and c.kernels <= i.functions.keys() and
                         c.compiler.encode() in i.path.read_bytes()), None)
            if not code:
                raise ValueError(f"no image of {c.bytes} bytes has {sorted(c.kernels)[:3]}")
            for name in c.kernels:
                self.entries[c.base + code.entries[name]] = (rows[co], name, code)

    def feed(self, log):
        self.gpu = access_log.gpu(log)
        for record in access_log.records(log):
            if isinstance(record, access_log.Access):
                if record.dispatch in self.open and record.space in (access_log.LDS, access_log.GLOBAL):
                    self.open[record.dispatch][hardware.Shape.of(record)] += 1
            elif isinstance(record, access_log.Dispatch):
                self._begin(record)
            elif record in self.open:
                self._end(record)
        return self._judge()

    def _begin(self, d):
        self.open.pop(d.number, None)
        found = self.entries.get(d.entry)
        if not found:
            return
        run = self.runs[found] - self.skip
        self.runs[found] += 1
        if 0 <= run < len(self.report.dispatches.get(found[:2], [])):
            self.open[d.number] = Counter()
            self.open[d.number].kernel = found

    def _end(self, number):
        shapes = self.open.pop(number)
        co, kernel, code = shapes.kernel
        places = code.places(kernel, {s.pc_offset for s in shapes})
        known, r = Counter(), self.result
        for shape, n in shapes.items():
            place = places[shape.pc_offset]
            fate = self._fate(co, code, place)
            if shape.exec and shape.part == 0 and not code.is_image(place):
                key = (co, place.function), place
                self.executed[co, kernel][key] += n
                self.spaces[key].add(shape.space)
                self.codes[co] = code
            if fate == COUNTED:
                known[shape] = n
                r.counted += n
            elif fate == NOT_JOINED:
                r.not_joined += n
                what = self.report.instructions[co, place.function][place.offset].what
                r.by_kernel[kernel, place.file, place.line, what] += n
        r.dispatches += 1
        self.want[co, kernel].update(hardware.expected(known, self._own_places(known, places, co), self.gpu, self.lanes))
        self._want_by_site(co, kernel, known, places)

    def _want_by_site(self, co, kernel, shapes, places):
        """Adds what the sites must have that alone count their instructions: two accesses of one line make up for nothing."""
        sites = {}
        for offset, place in places.items():
            i = self.report.instructions.get((co, place.function), {}).get(place.offset)
            if i and i.fate == COUNTED and i.tells and place.line:
                sites[offset] = place._replace(file=i.site)
            elif i:
                self.alike.add(i.site)
        copies = hardware.copies_to_lds(shapes)  # whose write has a site of its own
        own = {s: n for s, n in shapes.items() if s.pc_offset in sites and not (s.space == access_log.LDS and s.pc_offset in copies)}
        for (handler, metric, _, site, _), n in hardware.expected(own, sites, self.gpu, self.lanes).items():
            self.site_want[co, kernel][handler, metric, site] += n

    def _site_differences(self, kernel, numbers):
        telling = {i.site for listed in self.report.instructions.values() for i in listed.values() if i.fate == COUNTED and i.tells}
        want, have = self.site_want[kernel], total(self.report.by_site[n] for n in numbers)
        return [(*key[:2], "site", key[2], 0, have.get(key, 0), want.get(key, 0)) for key in {**have, **want}
                if key[2] in telling - self.alike and have.get(key, 0) != want.get(key, 0)]

    def _own_places(self, shapes, places, co):
        """Code generation gives some loads the place of the store that takes their value, or of the conversion in a header or
        in an inlined function whose argument they are: on such a line, where the program has no load, a load has no place. On
        any other line it must be where it is, unless the compiler's text accesses nothing there: then that place, too, is of what
        takes the value. A store that code generation made of several has the place of what stands before it: on a line where the
        program does no access it has none."""
        own = dict(places)
        for s in shapes:
            place = own[s.pc_offset]
            argument = any(self._has(LOADING, place._replace(file=f, line=n)) for f, n in place.callers)
            at = place.file, place.line, place.column, self._memory(co, place, s.space)
            elsewhere = self.accessed is not None and at not in self.accessed
            if s.kind == access_log.LOAD and (elsewhere or not self._has(LOADING, place) and (
                    argument or VALUES.fullmatch(place.file) or self._has(("store",), place))):
                own[s.pc_offset] = place._replace(line=0)
            if s.kind == access_log.STORE and self._is_merged(co, place) and not self._has((*LOADING, "store"), place):
                own[s.pc_offset] = place._replace(line=0)
        return own

    def _memory(self, co, place, space):
        """As `accessed` has it."""
        i = self.report.instructions.get((co, place.function), {}).get(place.offset)
        return "transposed" if i and re.match(r"ds_(read|load)\w*_tr", i.what) else space == access_log.LDS

    def _is_merged(self, co, place):
        i = self.report.instructions.get((co, place.function), {}).get(place.offset)
        return i is not None and i.merged

    def _has(self, kinds, place):
        return any((kind, place.file, place.line) in self.report.lines_of for kind in kinds)

    def _fate(self, co, code, place):
        listed = self.report.instructions.get((co, place.function))
        if not listed:
            return COUNTED if place.line else NOT_OBSERVED
        return NOT_OBSERVED if code.is_image(place) or place.offset not in listed else listed[place.offset].fate

    def _account(self, co, kernel, numbers):
        """Each executed instruction is counted, named, or in code of which the report says that it is elsewhere; and those
        that are named were executed as often as the instructions that are executed together with them."""
        report, executed, wrong = self.report, self.executed[co, kernel], []
        told = {}
        for key in {key for key, _ in executed} & report.instructions.keys():
            told.update(report.told(key, numbers))
        wrong += [("together", "Executions", "", key[1], at, 0, 0) for (key, at), n in told.items() if n is None]
        for (key, place), n in executed.items():
            i = report.instructions.get(key, {}).get(place.offset)
            if not i and (key in report.instructions or co not in report.elsewhere):
                wrong.append(("neither counted nor named", "Executions", "", place.file, place.line, 0, n))
            # A flat instruction with lanes in two spaces stands twice in the log, one with all lanes out of range nowhere.
            single = i and len(self.spaces[key, place]) == 1 and (i.tells or i.fate != COUNTED)
            expected = told.get((key, i.together)) if single else None
            # As flat ones: masks of buffer instructions are lanes out of range.
            unlogged = expected is not None and i.what.startswith("buffer_") and i.fate != COUNTED and n < expected
            if expected not in (None, n) and not unlogged:
                wrong.append((("counted", "named", "not observed")[i.fate], "Executions", "", place.file, place.line,
                              expected, n))
        return wrong + self._scalar_claims(co, kernel)

    def _scalar_claims(self, co, kernel):
        """A line has more uniform loads by scalar memory than its scalar loads have dwords, and vector loads that nobody
        counts."""
        wrong = []
        for function in {key[1] for key, _ in self.executed[co, kernel]}:
            claims = self.report.scalar.get((co, function))
            code = self.codes[co]
            if not claims or function not in code.functions:
                continue
            loads = code.scalar_loads(function)
            named = {(p.file, p.line) for (key, p), _ in self.executed[co, kernel].items() if key == (co, function)
                     and self.report.instructions.get(key, {}).get(p.offset, (COUNTED,))[0] == NOT_JOINED}
            for (file, line), n in claims.items():
                dwords = sum(size for at, size in loads.items() if at in ((file, line), (at[0], 0))) // 4
                if n > dwords and ((file, line) in named or any(not at for _, at in named)):
                    wrong.append(("scalar", "Executions", "load", file, line, n, dwords))
        return wrong

    def _judge(self):
        """Dispatches of one kernel are added up: those of several queues run in any order."""
        r, logged = self.result, {found[:2]: n - self.skip for found, n in self.runs.items()}
        for kernel, numbers in self.report.dispatches.items():
            if not kernel:  # not instrumented
                continue
            if len(numbers) != logged.get(kernel, 0):
                raise ValueError(f"{kernel[1]}: {len(numbers)} dispatches in one run, {logged.get(kernel, 0)} in the other")
            have = total(self.report.values[n] for n in numbers)
            r.wrong += [(kernel[1], *d) for d in differences(have, self.want[kernel])]
            r.wrong += [(kernel[1], *d) for d in self._site_differences(kernel, numbers)]
            r.wrong += [(kernel[1], *d) for d in self._account(*kernel, numbers)]
            r.kernels += 1
        return r
