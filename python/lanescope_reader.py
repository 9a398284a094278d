"""Reads what Lanescope writes, with nothing but the standard library: results databases and address logs.

    import lanescope_reader

    db = lanescope_reader.Database("node1/1234_srclines.db")
    for line in db.lines(handler="lds_bank_conflicts"):
        print(line.file, line.line, line.metrics["Bank Conflict"], line.metrics["Bank Conflicts/Access"])

    for access in lanescope_reader.read_address_log("lanescope-addresses-1234.csv"):
        print(access.file, access.line, access.addresses)    # {lane: address}

docs/database.md describes the database, docs/handlers/address_log.md the log.
"""
import collections
import csv
import hashlib
import json
import os
import pathlib
import re
import sqlite3
import struct

APPLICATION_ID = 0x4C534442  # "LSDB"
SCHEMA_VERSION = 2

Metric = collections.namedtuple("Metric", "id handler name unit description ratio scale a b c d")
Kernel = collections.namedtuple("Kernel", "id name mangled arch file line not_instrumented")
# stream: number of the HIP stream, 0 the null stream; None: unknown, as in older recordings.
Dispatch = collections.namedtuple("Dispatch", "id number kernel grid workgroup start_ns end_ns observed not_observed stream")
Line = collections.namedtuple("Line", "kernel file line access address_space handler metrics")
Row = collections.namedtuple("Row", "handler table dispatch kernel file line value")
Access = collections.namedtuple(
    "Access", "dispatch kernel site file line column kind space flags bytes workgroup wave exec addresses lengths")


class Error(Exception):
    """The file is not what it should be; the text names the file, the cause and the fix."""


# The views that Lanescope writes, by the SHA-256 of their text. Others could run code of a stranger.
_VIEWS = {
    "aa2352355e8c91ac32b920faa67e2210f9afc97e8ecf615b33a0a93515d5f935",  # site_view
    "641893205d10f2a757a747d47523f9b9969b4db98bcb501a0880d4caea688a83",  # dispatch_view
    "c753d94fef782858afd22b3796c6054504ec8686d24107679293c69bc7cae643",  # line_view
    "cf7dbca116ec4a6b3bd2b0fa9147925b5fdd7a91058b79f860cb9c31f391fba7",  # value
    "9ec2f729589a2b4e91f645577c72dbecb679b1d82f8d3da256421b5adc4a7cd2",  # dispatch_value
}
_TOKEN = re.compile(r"""\s+|--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]"""
                    r"""|[\w$\x80-\U0010ffff]+|.""", re.DOTALL)
_NAME = re.compile(r"""["`\[\w$\x80-\U0010ffff].*""", re.DOTALL)


def _is_plain(create):
    """Whether a schema object is a plain table, a plain index or a view of ours, as in results/reader/objects.c."""
    if create is None:
        return True
    words = [t for t in _TOKEN.findall(create) if not t[0].isspace() and not t.startswith(("--", "/*"))]
    upper = [t.upper() for t in words]
    if upper[:2] == ["CREATE", "VIEW"]:
        return hashlib.sha256(create.encode()).hexdigest() in _VIEWS
    if upper[:2] == ["CREATE", "TABLE"]:
        return not {"AS", "GENERATED", "CHECK", "COLLATE", "SELECT"} & set(upper) and \
            ("DEFAULT", "(") not in zip(upper, upper[1:])
    if upper[1:2] == ["UNIQUE"]:
        del words[1], upper[1]
    if upper[:2] != ["CREATE", "INDEX"] or upper[3:4] != ["ON"] or upper[5:6] != ["("] or upper[-1] != ")":
        return False
    column = [w for w, u in zip(words[6:-1], upper[6:-1]) if u not in ("ASC", "DESC")]
    return all((w == ",") == bool(i % 2) and (w == "," or _NAME.fullmatch(w)) for i, w in enumerate(column))


class Database:
    """One results database, opened read-only. Schema objects that are not Lanescope's are refused."""

    def __init__(self, path):
        self.path = os.fspath(path)
        if not os.path.isfile(self.path):
            raise Error("%s: no such file; give a file that `lanescope run` wrote (*_srclines.db)" % self.path)
        uri = pathlib.Path(self.path).absolute().as_uri() + "?mode=ro"
        self._sql = sqlite3.connect(uri, uri=True)
        try:
            self._sql.execute("PRAGMA trusted_schema = OFF")
            self._sql.execute("PRAGMA cell_size_check = ON")
            foreign = [name for name, create in self.query("SELECT name, sql FROM sqlite_master") if not _is_plain(create)]
            application = self._one("PRAGMA application_id")
            version = self._one("PRAGMA user_version")
        except sqlite3.DatabaseError as e:
            self.close()
            raise Error("%s: cannot be read: %s" % (self.path, e)) from None
        if application != APPLICATION_ID:
            self.close()
            raise Error("%s: is not a results database of Lanescope" % self.path)
        if foreign:
            self.close()
            raise Error("%s: holds '%s', which Lanescope did not write and which could run code when the file is read" %
                        (self.path, foreign[0]))
        if version > SCHEMA_VERSION:
            self.close()
            raise Error("%s: has schema version %d, this reader knows %d; take a newer one" %
                        (self.path, version, SCHEMA_VERSION))

    def close(self):
        self._sql.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def query(self, sql, *values):
        """Any SQL; yields tuples."""
        return self._sql.execute(sql, values)

    def _one(self, sql):
        return self._sql.execute(sql).fetchone()[0]

    @property
    def meta(self):
        return dict(self.query("SELECT key, value FROM meta"))

    @property
    def partial(self):
        """Whether the recorded process did not end normally."""
        return self.meta.get("state") != "complete"

    def metrics(self):
        return [Metric(*row[:5], bool(row[5]), *row[6:]) for row in self.query(
            "SELECT id, handler, name, unit, description, is_ratio, scale, a, b, c, d FROM metric ORDER BY id")]

    def kernels(self):
        return [Kernel(*row) for row in self.query(
            "SELECT k.id, k.name, k.mangled, a.arch, f.path, k.line, k.not_instrumented FROM kernel k"
            " LEFT JOIN code_object c ON c.id = k.code_object LEFT JOIN agent a ON a.id = c.agent"
            " LEFT JOIN source_file f ON f.id = k.file ORDER BY k.id")]

    def dispatches(self):
        known = any(row[1] == "stream" for row in self.query("PRAGMA table_info(dispatch)"))
        stream = "(SELECT s.number FROM stream s WHERE s.id = d.stream)" if known else "NULL"
        return [Dispatch(row[0], row[1], row[2], row[3:6], row[6:9], row[9], row[10], bool(row[11]), row[12], row[13])
                for row in self.query(
                    "SELECT d.id, d.number, k.name, grid_x, grid_y, grid_z, workgroup_x, workgroup_y, workgroup_z,"
                    f" start_ns, end_ns, observed, not_observed, {stream} FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                    " ORDER BY d.id")]

    def source(self, path):
        """The stored text of a source file, None when there is none."""
        row = self.query("SELECT text FROM source_file WHERE path = ?", path).fetchone()
        return row[0] if row else None

    def _with_ratios(self, handler, sums, metrics):
        """Adds the handler's ratios: scale * (a - b) / (c - d), 0 when the divisor is 0."""
        by_id = {m.id: m for m in metrics}
        values = {by_id[i].name: v for i, v in sums.items()}
        for m in metrics:
            used = [i for i in (m.a, m.b, m.c, m.d) if i is not None]
            if m.handler != handler or not m.ratio or not any(i in sums for i in used):
                continue
            a, b, c, d = (sums.get(i, 0) if i is not None else 0 for i in (m.a, m.b, m.c, m.d))
            values[m.name] = m.scale * (a - b) / (c - d) if c != d else 0
        return values

    def lines(self, handler=None, kernel=None):
        """Sums over dispatches and sites per kernel, source line, kind and address space, for each handler.

        handler, kernel: only that handler, only the kernel of that (demangled) name.
        """
        sums = {}
        for row in self.query(
                "SELECT k.name, s.file, s.line, s.kind, s.space, m.handler, m.id, sum(v.value) FROM value v"
                " JOIN dispatch d ON d.id = v.dispatch JOIN kernel k ON k.id = d.kernel"
                " JOIN site_view s ON s.site = v.site JOIN metric m ON m.id = v.metric"
                " WHERE (?1 IS NULL OR m.handler = ?1) AND (?2 IS NULL OR k.name = ?2)"
                " GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY min(v.site), 7", handler, kernel):
            sums.setdefault(row[:6], {})[row[6]] = row[7]
        metrics = self.metrics()
        return [Line(*key, self._with_ratios(key[5], values, metrics)) for key, values in sums.items()]

    def totals(self, handler=None):
        """Numbers of whole dispatches, summed: {kernel name: {handler: {metric: value}}}."""
        sums = {}
        for name, of, metric, value in self.query(
                "SELECT k.name, m.handler, m.id, sum(v.value) FROM dispatch_value v JOIN dispatch d ON d.id = v.dispatch"
                " JOIN kernel k ON k.id = d.kernel JOIN metric m ON m.id = v.metric"
                " WHERE ?1 IS NULL OR m.handler = ?1 GROUP BY 1, 2, 3", handler):
            sums.setdefault(name, {}).setdefault(of, {})[metric] = value
        metrics = self.metrics()
        return {name: {of: self._with_ratios(of, values, metrics) for of, values in handlers.items()}
                for name, handlers in sums.items()}

    def rows(self, table, handler=None):
        """Rows that handlers stored in a table; `value` is the parsed JSON, or the text when it is none."""
        for of, name, dispatch, kernel, file, line, text in self.query(
                "SELECT h.handler, h.table_name, d.number, k.name, s.file, s.line, h.json FROM handler_row h"
                " JOIN dispatch d ON d.id = h.dispatch JOIN kernel k ON k.id = d.kernel"
                " LEFT JOIN site_view s ON s.site = h.site"
                " WHERE h.table_name = ?1 AND (?2 IS NULL OR h.handler = ?2) ORDER BY h.id", table, handler):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                value = text
            yield Row(of, name, dispatch, kernel, file, line, value)


def _lanes(mask):
    return [lane for lane in range(64) if mask >> lane & 1]


def _access(path, number, record, workgroup, mask, addresses, lengths):
    lanes = _lanes(mask)
    if len(lanes) != len(addresses) or (lengths and len(lanes) != len(lengths)):
        raise Error("%s:%d: %d addresses for %d active lanes" % (path, number, len(addresses), len(lanes)))
    whole = [int(record[k]) for k in ("line", "column", "kind", "space", "flags", "bytes")]
    return Access(int(record["dispatch"]), record["kernel"], int(record["site"]), record["file"], *whole,
                  tuple(workgroup), int(record["wave"]), mask, dict(zip(lanes, addresses)),
                  dict(zip(lanes, lengths)) if lengths else None)


def read_address_log(path):
    """Yields the accesses of a log that the handler address_log wrote: CSV, JSON lines or binary.

    A last line or record that is cut off, as a killed process leaves it, is left out.
    """
    path = os.fspath(path)
    with open(path, "rb") as f:
        if f.read(len(_MAGIC)) == _MAGIC:
            yield from _read_binary(path, f)
            return
    with open(path, newline="", encoding="utf-8", errors="replace") as f:
        first = f.read(1)
        f.seek(0)
        if first == "{":
            yield from _read_json(path, f)
        else:
            yield from _read_csv(path, f)


def _read_json(path, f):
    for number, line in enumerate(f, 1):
        if not line.endswith("\n"):
            return
        try:
            record = json.loads(line)
            yield _access(path, number, record, record["workgroup"], record["exec"], record["addresses"],
                          record["lengths"])
        except (ValueError, KeyError, TypeError) as e:
            raise Error("%s:%d: is no line of an address log: %s" % (path, number, e)) from None


def _whole_lines(f):
    for line in f:
        if line.endswith("\n"):
            yield line


def _read_csv(path, f):
    reader = csv.DictReader(_whole_lines(f))
    if reader.fieldnames is None or "addresses" not in reader.fieldnames:
        raise Error("%s: is no address log: its first line names no column 'addresses'" % path)
    for record in reader:
        try:
            yield _access(path, reader.line_num, record, [int(record["workgroup_" + x]) for x in "xyz"],
                          int(record["exec"], 16), [int(a) for a in record["addresses"].split()],
                          [int(n) for n in record["lengths"].split()])
        except (ValueError, KeyError, TypeError, AttributeError) as e:
            raise Error("%s:%d: is no line of an address log: %s" % (path, reader.line_num, e)) from None


# The binary form (docs/handlers/address_log.md): types of records and what stands in them behind type and size.
_MAGIC = b"LSADDRES"
_DISPATCH, _SITE, _ACCESS = 1, 2, 3
_LISTED, _LENGTHS = 1, 2
_DISPATCH_FIELDS = struct.Struct("<Q3I3I4I")
_SITE_FIELDS = struct.Struct("<Q6I2BHI")
_ACCESS_FIELDS = struct.Struct("<Q6I2Q")


def _records(path, f):
    """Yields offset, type and content of each whole record."""
    version, size = struct.unpack("<2I", f.read(8).ljust(8, b"\0"))
    if version != 1 or size < 16:
        raise Error("%s: has version %d of the address log, this reader knows 1; take a newer one" % (path, version))
    f.seek(size)
    while True:
        offset, head = f.tell(), f.read(8)
        if len(head) < 8:
            return
        kind, size = struct.unpack("<2I", head)
        if size < 8 or size % 8:
            raise Error("%s: byte %d: is no record of an address log: its size is %d" % (path, offset, size))
        content = f.read(size - 8)
        if len(content) < size - 8:
            return
        yield offset, kind, content


def _text(content, start, size):
    if start + size > len(content):
        raise ValueError("its text is cut off")
    return content[start:start + size].decode("utf-8", "replace")


def _binary_access(path, offset, content, kernels, sites):
    dispatch, site, wave, x, y, z, form, mask, length = _ACCESS_FIELDS.unpack_from(content)
    lanes, at = _lanes(mask), _ACCESS_FIELDS.size
    if form & _LISTED:
        addresses = struct.unpack_from("<%dQ" % len(lanes), content, at)
        at += 8 * len(lanes)
    else:
        base, stride = struct.unpack_from("<Qq", content, at)
        addresses = [base + stride * lane & 2 ** 64 - 1 for lane in lanes]
        at += 16
    lengths = struct.unpack_from("<%dI" % len(lanes), content, at) if form & _LENGTHS else None
    record = dict(sites[dispatch, site], dispatch=dispatch, kernel=kernels[dispatch], site=site, wave=wave, bytes=length)
    return _access(path, offset, record, (x, y, z), mask, addresses, lengths)


def _read_binary(path, f):
    kernels, sites = {}, {}
    for offset, kind, content in _records(path, f):
        try:
            if kind == _DISPATCH:
                fields = _DISPATCH_FIELDS.unpack_from(content)
                kernels[fields[0]] = _text(content, _DISPATCH_FIELDS.size, fields[-1])
            elif kind == _SITE:
                dispatch, site, flags, _, _, line, column, what, space, _, size = _SITE_FIELDS.unpack_from(content)
                sites[dispatch, site] = {"line": line, "column": column, "kind": what, "space": space, "flags": flags,
                                         "file": _text(content, _SITE_FIELDS.size, size)}
            elif kind == _ACCESS:
                yield _binary_access(path, offset, content, kernels, sites)
        except (struct.error, ValueError, KeyError) as e:
            raise Error("%s: byte %d: is no record of an address log: %s" % (path, offset, e)) from None
