"""A recording with something in every table, and what a stranger may have done to it."""
import json
import shutil
import sqlite3

ADVICE_LDS = {"conflicts": 1080, "executions": 64, "replayed": 64, "bytes": 4, "step": 64, "banks": 32,
              "array_conflicts": 1080,
              "changes": [{"kind": "pad", "pitch": 128, "to": 132, "conflicts": 0, "array_conflicts": 0},
                          {"kind": "xor", "pitch": 128, "to": 128, "conflicts": 8, "array_conflicts": 8},
                          {"kind": "split", "pitch": 128, "to": 0, "conflicts": 4, "array_conflicts": 2000}]}
ADVICE_GLOBAL = [{"kind": "pieces", "lines": 2048, "after": 128, "executions": 32, "replayed": 16, "stride": 0, "pieces": 32,
                  "piece_bytes": 1024},
                 {"kind": "structures", "lines": 20, "after": 3, "executions": 32, "replayed": 32, "stride": -64,
                  "fields": [0, 8], "field_bytes": [4, 4]},
                 {"kind": "stride", "lines": 20, "after": 3, "executions": 32, "replayed": 32, "stride": 128},
                 {"kind": "misaligned", "lines": 20, "after": 3, "executions": 32, "replayed": 32, "line_bytes": 128}]
ROWS = [{"page": 1, "text": "first", "nested": [1, {"x": "y"}]}, {"page": 2, "text": "second", "ratio": 0.5}]


def fill(path):
    """Adds what the sample recording lacks: rows of handlers, findings, calls, copies, markers."""
    db = sqlite3.connect(path)
    sites = {(k, s): i for i, k, s in db.execute("SELECT id, kind, space FROM site ORDER BY id DESC")}
    lds, store = sites[1, 3], sites[2, 1]
    rows = [(lds, "advice", "lds", ADVICE_LDS)] + [(store, "advice", "global", row) for row in ADVICE_GLOBAL] + \
           [(lds, "pages", "seen", row) for row in ROWS] + [(None, "pages", "whole", "text")]
    for site, handler, table, row in rows:
        db.execute("INSERT INTO handler_row(dispatch, site, handler, table_name, json) VALUES(1, ?, ?, ?, ?)",
                   (site, handler, table, json.dumps(row)))
    for kind, severity in (("race", "error"), ("lanes", "note"), ("uninit", "error")):
        finding = db.execute("INSERT INTO finding(process, kind, severity, space, kernel, count, gpu, dispatch, workgroup_x,"
                             " workgroup_y, workgroup_z, address) VALUES(1, ?, ?, 'LDS', 'transpose', 3, 0, 1, 0, 0, 0, 64)",
                             (kind, severity)).lastrowid
        for side in range(2):
            db.execute("INSERT INTO finding_access SELECT ?, ?, 'write', path, 6, 3, 'inlined at a.hip:1:1', 'ds_write_b32 v0, v1', 1, 2"
                       " FROM source_file WHERE path LIKE '%/transpose.hip'", (finding, side))
    db.execute("INSERT INTO site_part SELECT s.id, f.id, f.id FROM site s, frame f")
    db.execute("INSERT INTO unprobed_call VALUES(1, ?, 8, 512)", (lds,))
    db.execute("INSERT INTO copy(process, number, bytes, start_ns, end_ns) VALUES(1, 1, 4096, 10, 20)")
    db.execute("INSERT INTO marker(process, thread, kind, text, start_ns) VALUES(1, 1, 0, 'here', 5)")
    db.commit()
    db.close()


def commands(db, other):
    """Every verb that reads databases, in every form."""
    yield from ([["report", *form, db] for form in (
        [], ["--top", "0"], ["--full-paths"], ["--kernel", "."], ["--json"], ["--html", "-"], ["--csv"], ["--rows", "seen"], ["--rows", "lds"],
        ["--rows", "nothing"], ["--sort", "nothing"], ["--stats"], ["--stats", "--csv"], ["--as", "gfx942"])])
    yield from [["annotate", *form, db] for form in ([], ["-C", "all", "--full-paths"], ["-m", "Bank Conflicts/Access"])]
    yield ["annotate", db, "nothing.hip"]
    for form in ([], ["--all", "--full-paths"], ["--json"], ["--csv"], ["--per-dispatch"]):
        yield ["diff", *form, other, db]
        yield ["diff", *form, db, other]
    yield from ([["convert", db, "--to", *form, "-o", "-"] for form in (["json"], ["speedscope"], ["folded", "--metric", "Bank Conflict"])])
    for args in (["summary", db], ["check", db], ["list", "metrics", db], ["list", "kernels", db], ["annotate", db], ["explain", db]):
        yield args
        yield [*args, "--json"]
    yield ["explain", "--format", "markdown", "-n", "0", db]
    for sides in ((other, db), (db, other)):
        yield from (["gate", *form, "--fail-on", "any", *sides] for form in ([], ["--json", "-"], ["--junit", "-"], ["--sarif", "-"]))
    yield from (["report", db, db], ["diff", db, "b\x1b[31m.db"])
    for table in TABLES:
        for form in ("table", "csv", "json"):
            yield ["query", "-f", form, db, 'SELECT * FROM "%s"' % table]


TABLES = ["meta", "process", "agent", "code_object", "module", "source_file", "kernel", "frame", "site", "site_part", "instruction", "vector_instruction",
          "metric", "dispatch", "value", "dispatch_value", "handler_row", "unprobed_call", "copy", "marker", "note", "finding",
          "finding_access", "line_view", "site_view", "dispatch_view"]


def columns(db, kinds):
    for table in TABLES:
        for _, name, declared, *_ in db.execute("PRAGMA table_info(%s)" % table).fetchall():
            if declared in kinds:
                yield table, name


# C0, DEL, C1 as UTF-8, a byte that is no UTF-8, the override and the isolate that turn the direction of text, a line feed.
BAD = "\x1b]0;%s\x07\x7f\x9b31m\udcff\u202e\u2066\n\t"


def inject(source, target):
    """Puts BAD into every text of the database."""
    shutil.copy(source, target)
    db = sqlite3.connect(target)
    db.execute("PRAGMA foreign_keys = OFF")
    fixed = {"handler_row.handler", "handler_row.table_name", "metric.handler", "metric.name", "metric.unit", "meta.key"}
    for table, name in columns(db, ("TEXT",)):
        text = (BAD % (table + "." + name)).encode(errors="surrogateescape")
        where = 'WHERE key IN ("lanescope_version", "created", "guid", "run_id")' if table == "meta" else ""
        if table.endswith("_view") or table + "." + name in fixed:
            continue
        if name in ("argv", "options", "json"):
            continue
        db.execute('UPDATE %s SET "%s" = cast(cast("%s" AS BLOB) || ? AS TEXT) %s' % (table, name, name, where), (text,))
    bad = (BAD % "json").replace("\udcff", "")
    # Also as the name of a metric and of handlers that are nobody's views.
    db.execute("UPDATE metric SET name = name || ?, unit = unit || ? WHERE handler = 'lds_bank_conflicts' AND is_ratio",
               (bad, bad))
    db.execute("UPDATE handler_row SET handler = handler || ? WHERE table_name = 'whole'", (bad,))
    db.execute("UPDATE process SET argv = ?", (json.dumps(["a" + bad, "b"], ensure_ascii=False),))
    db.execute("UPDATE process SET options = ?", (json.dumps({"sample_waves": "2", "blocks": bad, "k" + bad: bad}),))
    for i, text in db.execute("SELECT id, json FROM handler_row WHERE table_name <> 'whole'").fetchall():
        row = json.loads(text)
        row["text" + bad] = "value" + bad
        db.execute("UPDATE handler_row SET json = ? WHERE id = ?", (json.dumps(row, ensure_ascii=bool(i % 2)), i))
    db.execute("UPDATE handler_row SET json = cast('no JSON' || ? AS TEXT) WHERE table_name = 'whole'", (BAD.encode(
        errors="surrogateescape"),))
    db.commit()
    db.close()


# What no column expects: ends of ranges, numbers that are none, other types, ids that point nowhere.
EXTREMES = [-2 ** 63, 2 ** 63 - 1, -1, 0, 2 ** 32, 2 ** 31, -2 ** 31 - 1, 10 ** 17, 1e300, -1e300, float("inf"), float("-inf"),
            5e-324, None, "", "text", "9" * 400, b"\xff\x00\xfe", "[" * 3000, '{"a":' * 3000, "{}", "null", 1, 2, 3]


def mutate(path, random, table, name, value, some):
    """Puts a value into a column: of all rows, or of some."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA foreign_keys = OFF")
    where = "WHERE %d >> (abs(random()) %% 3) & 1" % random.randrange(1, 8) if some else ""
    try:
        db.execute('UPDATE %s SET "%s" = ? %s' % (table, name, where), (value,))
        db.commit()
    except sqlite3.Error:
        pass
    db.close()


def loosen(path):
    """The same tables without keys and constraints: ids may repeat, be text, or nothing."""
    db = sqlite3.connect(path, isolation_level=None)
    for table, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        names = [row[1] for row in db.execute("PRAGMA table_info(%s)" % table)]
        db.execute("CREATE TABLE loose(%s)" % ", ".join('"%s"' % n for n in names))
        db.execute("INSERT INTO loose SELECT * FROM %s" % table)
        db.execute("PRAGMA legacy_alter_table = ON")
        db.execute("DROP TABLE %s" % table)
        db.execute("ALTER TABLE loose RENAME TO %s" % table)
    db.close()


def mutate_json(path, random):
    """Puts extreme values into the JSON of rows."""
    db = sqlite3.connect(path)
    for i, text in db.execute("SELECT rowid, json FROM handler_row").fetchall():
        row = json.loads(text)
        if isinstance(row, dict):
            for key in row:
                if random.random() < 0.5:
                    row[key] = random.choice([-2 ** 63, 2 ** 63 - 1, -1, 0, 1, 1e300, None, [], [-2 ** 63, 2 ** 63 - 1], "x",
                                              {"kind": "pad"}, row[key]])
            if isinstance(row.get("changes"), list):
                row["changes"] = [dict(change, **{random.choice(["pitch", "to", "conflicts", "array_conflicts"]):
                                                  random.choice([-2 ** 63, 2 ** 63 - 1, -1, 0])})
                                  for change in ADVICE_LDS["changes"]]
        db.execute("UPDATE handler_row SET json = ? WHERE rowid = ?", (json.dumps(row), i))
    db.commit()
    db.close()
