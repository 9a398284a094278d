"""Files of strangers: whatever stands in a database, nothing of it commands the terminal, no program crashes, no number wraps."""
import csv
import io
import json
import os
import re
import sqlite3
import struct
import subprocess
import unittest

import hostile
from common import HERE, Case, LANESCOPE, environment

# What may reach a terminal: printable text, line feeds, and the carriage returns of CSV's line ends.
FORBIDDEN = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\udc80-\udcff\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


class Hostile(Case):
    def setUp(self):
        super().setUp()
        self.good = self.sample("good.db")
        hostile.fill(self.good)

    def run_raw(self, *args, **more):
        r = subprocess.run([LANESCOPE, *args], cwd=self.dir, env=environment(**more), capture_output=True, timeout=60)
        self.assertIn(r.returncode, (0, 1, 2, 3, 126, 127), (args, r.stderr[-2000:]))
        self.assertNotIn(b"Sanitizer", r.stderr, args)
        self.assertNotIn(b"runtime error", r.stderr, args)
        return r


class Texts(Hostile):
    def check(self, *args, **more):
        r = self.run_raw(*args, **more)
        for name, data in (("stdout", r.stdout), ("stderr", r.stderr)):
            text = data.decode(errors="surrogateescape").replace("\r\n", "\n")
            found = FORBIDDEN.search(text)
            self.assertIsNone(found, (args, name, found and text[max(found.start() - 80, 0):found.end() + 20]))
        return r.stdout.decode()

    def test_no_control_character_reaches_the_output(self):
        bad = self.path("bad.db")
        hostile.inject(self.good, bad)
        self.assertEqual(self.expect(0, "check", "good.db").stdout, "good.db: good, schema 1, complete\n")
        for args in hostile.commands(bad, self.good):
            text = self.check(*args)
            if "--json" in args or "json" in args:
                json.loads(text)
        # It is all there, said in letters.
        text = self.check("report", "--kernel", ".", bad, COLUMNS="1000")
        for table, column in (("kernel", "name"), ("note", "text"), ("agent", "arch"), ("finding", "space"),
                              ("finding_access", "instruction"), ("meta", "value"), ("process", "hostname")):
            self.assertIn(r"\x1b]0;%s.%s\x07\x7f\u009b31m\xff\u202e\u2066\n\t" % (table, column),
                          re.sub(r"\n\s+", "", text), (table, column))

    def test_programs_get_what_is_stored(self):
        db = sqlite3.connect(self.good)
        name = "k\x1b[2J\x7f\x9b\u202e\n=1"
        db.execute("UPDATE kernel SET name = ?", (name,))
        db.commit()
        db.close()
        report = json.loads(self.expect(0, "report", "--json", self.good).stdout)
        self.assertEqual({k["name"] for k in report["kernels"]}, {name})
        rows = json.loads(self.expect(0, "query", "-f", "json", self.good, "SELECT name FROM kernel").stdout)
        self.assertEqual(rows[0]["name"], name)

    def test_names_of_files(self):
        """Named by the user, but often by a shell's pattern."""
        for name in ("n\x1b[31m.db", "n\nlanescope: all is well.db", "\u202en.db"):
            os.symlink(self.good, self.path(name))
            for verb in ("report", "annotate", "summary", "check"):
                self.assertNotIn("\nlanescope: all", self.check(verb, self.path(name)))
            self.check("report", self.path("not" + name))
            self.check("report", "--" + name)
            self.check("diff", name, name, name)
            self.check("report", "-o", self.path("none/" + name), self.good)
            self.check("query", self.good, "SELECT '" + name)
            self.check("list", name)
            self.check(name)
            self.check("config", "--config", name)
            self.check("run", "--gpu", "soft", "--", "./" + name)

    def test_spreadsheets(self):
        """A cell that begins with = + - @ is a formula; numbers stay numbers."""
        db = sqlite3.connect(self.good)
        db.execute("UPDATE kernel SET name = '=HYPERLINK(\"http://x\")', mangled = '+1'")
        db.execute("UPDATE frame SET function = '@SUM(1)'")
        db.execute("UPDATE value SET value = -5 WHERE metric = (SELECT id FROM metric WHERE name = 'Bank Conflict')")
        db.execute("UPDATE source_file SET text = replace(text, 'out[', '-out[')")
        db.execute("UPDATE handler_row SET json = '{\"page\": -7, \"text\": \"-7\"}' WHERE table_name = 'seen'")
        db.commit()
        db.close()
        rows = list(csv.DictReader(io.StringIO(self.expect(0, "report", "--csv", self.good).stdout, newline="")))
        self.assertEqual({r["Kernel_Name"] for r in rows}, {"'=HYPERLINK(\"http://x\")"})
        self.assertEqual({r["Mangled_Name"] for r in rows}, {"'+1"})
        self.assertEqual({r["Function"] for r in rows}, {"'@SUM(1)"})
        self.assertIn("-10", {r["lds_bank_conflicts.Bank Conflict"] for r in rows})
        self.assertTrue(any(r["Source"].startswith("'-out[") for r in rows))
        rows = list(csv.DictReader(io.StringIO(self.expect(0, "report", "--rows", "seen", self.good).stdout, newline="")))
        self.assertEqual((rows[0]["page"], rows[0]["text"]), ("-7", "'-7"))
        sql = "SELECT -1 AS a, '-1' AS b, '\t=1' AS c, -1.5 AS d, 'x;=1' AS e"
        self.assertEqual(self.expect(0, "query", "-f", "csv", self.good, sql).stdout,
                         "a,b,c,d,e\n-1,'-1,'\\t=1,-1.5,\"x;=1\"\n")


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT "
OBJECTS = {
    "a view": "CREATE VIEW more AS SELECT 1",
    "an endless view": "CREATE VIEW more AS %s x FROM n" % ENDLESS,
    "our view's name": "DROP VIEW line_view; CREATE VIEW line_view AS %s x AS value FROM n" % ENDLESS,
    "a table's name": "DROP TABLE note; CREATE VIEW note AS %s x AS id, 1 AS process, 1 AS level, '' AS text FROM n" % ENDLESS,
    "meta": "ALTER TABLE meta RENAME TO m; CREATE VIEW meta AS %s 'schema' AS key, 'lanescope' AS value FROM n" % ENDLESS,
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON finding BEGIN DELETE FROM note; END",
    "a virtual table": "CREATE VIRTUAL TABLE v USING fts5(x)",
    "a generated column": "CREATE TABLE g(a, b AS (abs(a)))",
    "a stored generated column": "CREATE TABLE g(a, b GENERATED ALWAYS AS (abs(a)) STORED)",
    "an added column": "ALTER TABLE note ADD COLUMN more AS (abs(id))",
    "an index on an expression": "CREATE INDEX i ON note(length(text))",
    "an index on a sum": "CREATE INDEX i ON note(id + 1)",
    "a partial index": "CREATE INDEX i ON note(level) WHERE level > 1",
    "a collation": "CREATE TABLE c(a TEXT COLLATE NOCASE)",
    "a check": "CREATE TABLE c(a CHECK(abs(a) > 0))",
    "a default": "CREATE TABLE c(a DEFAULT (randomblob(9)))",
    "a comment": "CREATE TABLE c(b, a /* x */ /**/ as/**/(1))",
}
# What a later version may add, and what only looks like one of the above.
HARMLESS = ["CREATE TABLE later(id INTEGER PRIMARY KEY, text TEXT NOT NULL DEFAULT '' UNIQUE REFERENCES note(id))",
            "ALTER TABLE site ADD COLUMN later INTEGER NOT NULL DEFAULT 0",
            "CREATE UNIQUE INDEX later ON note(level DESC, id)",
            "CREATE TABLE odd(\"as\" TEXT, [check] INT, `collate` VARCHAR(10) DEFAULT 'AS (1)' /* AS */) -- AS", "ANALYZE"]


class Objects(Hostile):
    def change(self, sql):
        path = self.path("changed.db")
        with open(self.good, "rb") as f:
            self.write("changed.db", f.read())
        db = sqlite3.connect(path)
        db.executescript("PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON;" + sql)
        db.commit()
        db.close()
        return path

    def test_others_are_refused(self):
        for what, sql in OBJECTS.items():
            path = self.change(sql)
            for args in (["report"], ["annotate"], ["summary"], ["check"], ["list", "metrics"]):
                r = self.expect(3, *args, path)
                self.assertIn("that Lanescope did not write", r.stderr, (what, args))
                self.assertEqual(r.stdout, "", (what, args))
            self.expect(3, "diff", self.good, path)
            self.expect(3, "query", path, "SELECT 1")

    def test_later_versions_are_read(self):
        for sql in HARMLESS:
            path = self.change(sql)
            self.assertIn("good", self.expect(0, "check", path).stdout, sql)
            self.assertEqual(self.expect(0, "report", "--csv", path).stdout,
                             self.expect(0, "report", "--csv", self.good).stdout, sql)

    def test_version_0_1_is_read(self):
        path = self.path("old.db")
        db = sqlite3.connect(path)
        with open(os.path.join(HERE, "schema-0.1.sql")) as f:
            db.executescript(f.read())
        db.execute("ATTACH ? AS good", (self.good,))
        for table, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            names = ", ".join('"%s"' % row[1] for row in db.execute("PRAGMA table_info(%s)" % table))
            db.execute("INSERT INTO %s(%s) SELECT %s FROM good.%s" % (table, names, names, table))
        db.commit()
        db.executescript("PRAGMA application_id = %d; PRAGMA user_version = 1" % 0x4c534442)
        db.close()
        self.assertIn("good", self.expect(0, "check", path).stdout)
        for form in ("--csv", "--rows=seen"):
            self.assertEqual(self.expect(0, "report", form, path).stdout.replace("old.db", "good.db"),
                             self.expect(0, "report", form, self.good).stdout)
        self.assertEqual(self.expect(0, "query", path, "SELECT * FROM line_view").stdout,
                         self.expect(0, "query", self.good, "SELECT * FROM line_view").stdout)

    def test_a_table_without_end(self):
        """Inner pages of a table that name the same page 300 times, eight deep: 300^8 copies of its rows."""
        with open(self.good, "rb") as f:
            data = bytearray(f.read())
        db = sqlite3.connect(self.good)
        root, = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'note'").fetchone()
        size, = db.execute("PRAGMA page_size").fetchone()
        db.close()
        pages, leaf = len(data) // size, data[(root - 1) * size:root * size]
        for level in range(8):
            child = pages + 1 + level
            cells = struct.pack(">IB", child, 1) * 300      # child, key
            head = struct.pack(">BHHHBI", 5, 0, 300, size - len(cells), 0, child)
            page = head + struct.pack(">300H", *range(size - len(cells), size, 5))
            page = page.ljust(size - len(cells), b"\0") + cells
            if level == 0:
                data[(root - 1) * size:root * size] = page
            else:
                data += page
        data += leaf
        data[28:32] = struct.pack(">I", len(data) // size)
        path = self.write("endless.db", bytes(data))
        for args in (["report"], ["annotate"], ["summary"], ["list", "metrics"], ["diff", self.good]):
            r = self.expect(3, *args, path)
            self.assertIn("the database is damaged (more is to be read than the file can hold)", r.stderr)
        self.assertIn("damaged", self.expect(1, "check", path).stdout)

    def test_a_long_query_of_the_user_ends(self):
        """About 100 million steps: more than the bound for what the file holds itself."""
        sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 5000000) SELECT max(x) FROM n"
        self.assertEqual(self.expect(0, "query", "-f", "csv", self.good, sql).stdout, "max(x)\n5000000\n")


if __name__ == "__main__":
    unittest.main()
