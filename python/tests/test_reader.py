"""The reader on the sample recording (numbers: results/tests/sample.c) and on address logs written by hand after
host-handlers/builtin/address_log.c."""
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import lanescope_reader as reader

KERNEL = "transpose(float*, float const*)"


class WithDirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = directory.name

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)


class Database(WithDirectory):
    def setUp(self):
        super().setUp()
        subprocess.run([os.environ["LANESCOPE_TEST_SAMPLE"], self.path("a.db"), self.path("transpose.hip")], check=True)
        self.open()

    def open(self):
        self.db = reader.Database(self.path("a.db"))
        self.addCleanup(self.db.close)

    def test_lines(self):
        found = {(l.line, l.access, l.address_space): l.metrics for l in self.db.lines(handler="lds_bank_conflicts")}
        self.assertEqual(found[6, "load", "LDS"],
                         {"Executions": 64, "Active Lanes": 3072, "Index Accesses": 1224, "Bank Conflict": 1080,
                          "Addr Conflict": 0, "Bank Conflicts/Access": 7.5, "Bank Conflict Rate": 23.4375})
        self.assertEqual(found[4, "store", "LDS"]["Bank Conflicts/Access"], 0)
        self.assertEqual(len(found), 2)
        found = {(l.line, l.access): l.metrics for l in self.db.lines(kernel=KERNEL) if l.handler == "memory_coalescing"}
        self.assertEqual({k: v["Coalescing"] for k, v in found.items()},
                         {(4, "load"): 100, (6, "store"): 25, (9, "load"): 50})
        self.assertEqual(self.db.lines(kernel="none"), [])

    def test_objects_of_others_are_refused(self):
        endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT "
        for sql in ("CREATE VIEW more AS SELECT 1", "DROP VIEW line_view; CREATE VIEW line_view AS %s x FROM n" % endless,
                    "ALTER TABLE meta RENAME TO m; CREATE VIEW meta AS %s x AS key, x AS value FROM n" % endless,
                    "CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM note; END", "CREATE VIRTUAL TABLE v USING fts5(x)",
                    "CREATE TABLE g(a, b AS (abs(a)))", "CREATE TABLE g(a, b /**/as(1))", "CREATE TABLE g(a CHECK(a > 0))",
                    "CREATE TABLE g(a COLLATE NOCASE)", "CREATE TABLE g(a DEFAULT (randomblob(9)))",
                    "CREATE INDEX i ON note(length(text))", "CREATE INDEX i ON note(id + 1)",
                    "CREATE INDEX i ON note(level) WHERE level > 1", "CREATE INDEX i ON note(text COLLATE NOCASE)"):
            with self.subTest(sql):
                self.changed("PRAGMA legacy_alter_table = ON;" + sql)
                with self.assertRaisesRegex(reader.Error, "which Lanescope did not write"):
                    reader.Database(self.path("b.db"))

    def test_later_versions_are_read(self):
        self.changed("CREATE TABLE later(id INTEGER PRIMARY KEY, text TEXT NOT NULL DEFAULT '' UNIQUE REFERENCES note(id));"
                     "ALTER TABLE site ADD COLUMN later INTEGER NOT NULL DEFAULT 0;"
                     "CREATE UNIQUE INDEX later_index ON note(level DESC, id);"
                     "CREATE TABLE odd(\"as\" TEXT, [check] INT, `collate` VARCHAR(10) DEFAULT 'AS (1)' /* AS */); ANALYZE")
        with reader.Database(self.path("b.db")) as db:
            self.assertEqual(db.lines(), self.db.lines())

    def changed(self, sql):
        shutil.copy(self.path("a.db"), self.path("b.db"))
        db = sqlite3.connect(self.path("b.db"))
        db.executescript(sql)
        db.close()

    def test_what_was_recorded(self):
        self.assertFalse(self.db.partial)
        self.assertEqual([(k.name, k.arch, k.line) for k in self.db.kernels()],
                         [(KERNEL, "gfx90a", 2), ("Cijk_gemm", "gfx90a", 0)])
        self.assertEqual([(d.number, d.observed) for d in self.db.dispatches()],
                         [(1, True), (2, True), (3, False), (4, False)])
        self.assertEqual(self.db.dispatches()[0].grid, (1024, 1, 1))
        self.assertEqual(len([m for m in self.db.metrics() if m.ratio]), 4)
        self.assertIn("__syncthreads", self.db.source(self.path("transpose.hip")))
        self.assertIsNone(self.db.source("none"))

    def test_streams(self):
        self.changed("INSERT INTO stream VALUES(5, 1, 0, 1, NULL), (6, 1, 3, 2, NULL);"
                     "UPDATE dispatch SET stream = CASE number WHEN 1 THEN 5 WHEN 3 THEN 6 END")
        with reader.Database(self.path("b.db")) as db:
            self.assertEqual([d.stream for d in db.dispatches()], [0, None, 3, None])
        self.changed("ALTER TABLE dispatch DROP COLUMN stream; DROP TABLE stream")
        with reader.Database(self.path("b.db")) as db:
            self.assertEqual([d.stream for d in db.dispatches()], [None] * 4)

    def test_rows_and_totals(self):
        c = sqlite3.connect(self.path("a.db"))
        c.execute("INSERT INTO handler_row(dispatch, site, handler, table_name, json) VALUES(1, 5, 'x', 't', '{\"a\": 1}'),"
                  "(2, NULL, 'y', 't', 'text'), (2, NULL, 'y', 'u', '2')")
        metric = c.execute("SELECT id FROM metric WHERE name = 'Bank Conflict'").fetchone()[0]
        c.execute("INSERT INTO dispatch_value VALUES(1, ?, 7), (2, ?, 5)", (metric, metric))
        c.commit()
        c.close()
        self.assertEqual([tuple(r) for r in self.db.rows("t")],
                         [("x", "t", 1, KERNEL, self.path("transpose.hip"), 6, {"a": 1}),
                          ("y", "t", 2, KERNEL, None, None, "text")])
        self.assertEqual([r.value for r in self.db.rows("u", handler="y")], [2])
        self.assertEqual(list(self.db.rows("u", handler="x")), [])
        self.assertEqual(self.db.totals("lds_bank_conflicts")[KERNEL]["lds_bank_conflicts"]["Bank Conflict"], 12)

    def test_read_only(self):
        with self.assertRaises(sqlite3.OperationalError):
            self.db.query("DELETE FROM value")

    def test_other_files(self):
        with self.assertRaisesRegex(reader.Error, "no such file"):
            reader.Database(self.path("none.db"))
        with self.assertRaisesRegex(reader.Error, "cannot be read"):
            reader.Database(self.write("text.db", "no database " * 100))
        sqlite3.connect(self.path("other.db")).execute("CREATE TABLE t(a)").connection.close()
        with self.assertRaisesRegex(reader.Error, "is not a results database"):
            reader.Database(self.path("other.db"))
        c = sqlite3.connect(self.path("a.db"))
        c.execute("PRAGMA user_version = 3")
        c.close()
        with self.assertRaisesRegex(reader.Error, "schema version 3"):
            reader.Database(self.path("a.db"))


HEAD = ("dispatch,kernel,site,file,line,column,kind,space,flags,bytes,workgroup_x,workgroup_y,workgroup_z,wave,exec,"
        "addresses,lengths\n")
CSV = ('1,"k(""a"")",3,"/src/a.hip",7,5,1,1,1,4,2,0,1,6,0x8000000000000005,4096 4104 18446744073709551615,8 0 16\n'
       '2,"k",0,"",0,0,2,3,1,4,0,0,0,0,0x1,12,\n')
JSON = ('{"dispatch":1,"kernel":"k(\\u0022a\\u0022)","site":3,"file":"/src/a.hip","line":7,"column":5,"kind":1,"space":1,'
        '"flags":1,"bytes":4,"workgroup":[2,0,1],"wave":6,"exec":9223372036854775813,'
        '"addresses":[4096,4104,18446744073709551615],"lengths":[8,0,16]}\n'
        '{"dispatch":2,"kernel":"k","site":0,"file":"","line":0,"column":0,"kind":2,"space":3,"flags":1,"bytes":4,'
        '"workgroup":[0,0,0],"wave":0,"exec":1,"addresses":[12],"lengths":null}\n')
FIRST = reader.Access(1, 'k("a")', 3, "/src/a.hip", 7, 5, 1, 1, 1, 4, (2, 0, 1), 6, 0x8000000000000005,
                      {0: 4096, 2: 4104, 63: 2 ** 64 - 1}, {0: 8, 2: 0, 63: 16})
SECOND = reader.Access(2, "k", 0, "", 0, 0, 2, 3, 1, 4, (0, 0, 0), 0, 1, {0: 12}, None)



def record(kind, content):
    content = content.ljust((len(content) + 7) // 8 * 8, b"\0")
    return struct.pack("<2I", kind, len(content) + 8) + content


# The same two accesses as docs/handlers/address_log.md lays them out; the second strided: 12 + 0 * 4.
BINARY = b"".join((
    b"LSADDRES", struct.pack("<2I", 1, 16),
    record(1, struct.pack("<Q3I3I4I", 1, 64, 1, 1, 64, 1, 1, 0, 0, 64, 6) + b'k("a")'),
    record(2, struct.pack("<Q6I2BHI", 1, 3, 1, 4, 4, 7, 5, 1, 1, 0, 10) + b"/src/a.hip"),
    record(3, struct.pack("<Q6I2Q3Q3I", 1, 3, 6, 2, 0, 1, 1 | 2, 0x8000000000000005, 4, 4096, 4104, 2 ** 64 - 1, 8, 0, 16)),
    record(77, b"of a newer version"),
    record(1, struct.pack("<Q3I3I4I", 2, 64, 1, 1, 64, 1, 1, 0, 0, 64, 1) + b"k"),
    record(2, struct.pack("<Q6I2BHI", 2, 0, 1, 4, 4, 0, 0, 2, 3, 0, 0)),
    record(3, struct.pack("<Q6I2QQq", 2, 0, 0, 0, 0, 0, 0, 1, 4, 12, 4))))


class AddressLog(WithDirectory):
    def read(self, text):
        return list(reader.read_address_log(self.write("log", text)))

    def binary(self, content):
        with open(self.path("log.bin"), "wb") as f:
            f.write(content)
        return list(reader.read_address_log(self.path("log.bin")))

    def test_binary(self):
        self.assertEqual(self.binary(BINARY), [FIRST, SECOND])
        for end in range(len(BINARY) - 72, len(BINARY)):
            self.assertEqual(self.binary(BINARY[:end]), [FIRST])
        last = len(BINARY) - 72
        for damaged in (BINARY.replace(b"LSADDRES\1", b"LSADDRES\2"),
                        BINARY[:last] + b"\3\0\0\0\x47" + BINARY[last + 5:],  # its size is no multiple of 8
                        BINARY[:last] + b"\3\0\0\0\0" + BINARY[last + 5:],  # or nothing
                        BINARY[:last] + record(3, BINARY[last + 8:-16]),  # without base and stride
                        BINARY[:last] + record(3, b"\5" + BINARY[last + 9:]),  # of a dispatch that is not there
                        BINARY[:last] + record(2, struct.pack("<Q6I2BHI", 2, 0, 1, 4, 4, 0, 0, 2, 3, 0, 99))):
            with self.assertRaises(reader.Error):
                self.binary(damaged)

    def test_both_forms(self):
        self.assertEqual(self.read(HEAD + CSV), [FIRST, SECOND])
        self.assertEqual(self.read(JSON), [FIRST, SECOND])
        self.assertEqual(self.read(HEAD), [])

    def test_cut_off(self):
        self.assertEqual(self.read(HEAD + CSV[:-3]), [FIRST])
        self.assertEqual(self.read(JSON[:-3]), [FIRST])

    def test_damaged(self):
        for text in (HEAD + CSV.replace("0x1,12", "0x3,12"), HEAD + CSV.replace("0x1,12", "0x1,x"), "a,b\n1,2\n",
                     JSON.replace('"wave"', '"wawe"'), JSON.replace("[12]", "[]"), "{}\n", ""):
            with self.assertRaises(reader.Error):
                self.read(text)


if __name__ == "__main__":
    unittest.main()
