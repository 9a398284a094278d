"""Recordings as a Parquet dataset, partitioned by run, host and rank, for tools that work on many machines."""
import os
import pathlib

from lanescope_reader import Database, Error

# A row per dispatch, site and metric; `site` 0: of the whole dispatch.
_VALUES = """
SELECT p.id, p.guid, p.pid, d.number, k.name, k.mangled, a.arch, v.site, s.file, s.line, s."column", s.function, s.kind,
       s.space, m.handler, m.name, m.unit, v.value
FROM (SELECT dispatch, site, metric, value FROM value UNION ALL SELECT dispatch, 0, metric, value FROM dispatch_value) v
JOIN dispatch d ON d.id = v.dispatch JOIN process p ON p.id = d.process JOIN kernel k ON k.id = d.kernel
JOIN agent a ON a.id = d.agent JOIN metric m ON m.id = v.metric LEFT JOIN site_view s ON s.site = v.site
ORDER BY p.id"""
_COLUMNS = (("recording", "string"), ("pid", "int64"), ("dispatch", "int64"), ("kernel", "string"), ("mangled", "string"),
            ("arch", "string"), ("site", "int64"), ("file", "string"), ("line", "int64"), ("column", "int64"),
            ("function", "string"), ("kind", "string"), ("space", "string"), ("handler", "string"), ("metric", "string"),
            ("unit", "string"), ("value", "int64"))
_BATCH = 65536


def _has(db, table, column):
    return any(row[1] == column for row in db.query("PRAGMA table_info(%s)" % table))


def _processes(db):
    """{id: (run, host, rank)}; "" where a recording does not say. Recordings of older versions know no rank."""
    runs = {}
    if _has(db, "merged", "run_id"):
        runs = dict(db.query("SELECT process, run_id FROM merged"))
    rank = "rank" if _has(db, "process", "rank") else "NULL"
    own = db.meta.get("run_id", "")
    return {row[0]: (runs.get(row[0], own) or "", row[1], row[2] or "")
            for row in db.query("SELECT id, hostname, %s FROM process" % rank)}


def _folder(root, keys):
    from urllib.parse import quote
    none = "__HIVE_DEFAULT_PARTITION__"
    # Letters beyond ASCII stay: Spark decodes each escaped byte as a letter of its own.
    names = ["".join(c if ord(c) > 127 else quote(c, safe="") for c in key) or none for key in keys]
    parts = ["%s=%s" % pair for pair in zip(("run", "host", "rank"), names)]
    # quote() leaves dots alone, but none of these is a name of its own: "run=.." is an ordinary folder.
    return os.path.join(root, *parts)


class _File:
    """One recorded process's rows; appears under its name when it is whole."""

    def __init__(self, folder, guid, schema):
        import pyarrow.parquet
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, "".join(c for c in guid if c.isalnum() or c == "-") + ".parquet")
        self.writer = pyarrow.parquet.ParquetWriter(self.path + ".partial", schema)
        self.schema = schema
        self.rows = []

    def add(self, row):
        self.rows.append(row)
        if len(self.rows) == _BATCH:
            self.flush()

    def flush(self):
        import pyarrow
        if self.rows:
            columns = zip(*self.rows)
            arrays = [pyarrow.array(c, f.type) for c, f in zip(columns, self.schema)]
            self.writer.write_table(pyarrow.Table.from_arrays(arrays, schema=self.schema))
            self.rows = []

    def close(self):
        self.flush()
        self.writer.close()
        os.replace(self.path + ".partial", self.path)


def _convert(db, root, schema, written):
    places, current, out = _processes(db), None, None
    for row in db.query(_VALUES):
        if row[0] != current:
            if out:
                out.close()
            if row[1] in written:
                raise Error("%s: is the same recording as %s and would count twice; give each recording once" %
                            (db.path, written[row[1]]))
            current, out = row[0], _File(_folder(root, places[row[0]]), row[1], schema)
            written[row[1]] = db.path
        out.add(row[1:])
    if out:
        out.close()


def to_parquet(databases, folder):
    """Writes the numbers of recordings below `folder`: run=R/host=H/rank=N/GUID.parquet, a row per dispatch, site and
    metric. `databases`: paths, opened one after the other. Needs pyarrow. A file of an earlier call is replaced by the
    same recording's; Error names a database that cannot be read or is given twice."""
    try:
        import pyarrow
    except ImportError:
        raise Error("to_parquet needs pyarrow: pip install pyarrow") from None
    schema = pyarrow.schema([(name, getattr(pyarrow, kind)()) for name, kind in _COLUMNS])
    written = {}
    for path in [databases] if isinstance(databases, (str, pathlib.Path)) else databases:
        with Database(path) as db:
            _convert(db, os.fspath(folder), schema, written)
