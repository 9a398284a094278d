"""Files of strangers: whatever stands in a database, nothing of it commands the terminal, no program crashes, no number wraps."""
import csv
import io
import json
import os
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import unittest
from xml.etree import ElementTree

import hostile
import perfetto_trace
import rocpd_rules
from common import HERE, Case, LANESCOPE, environment

# What may reach a terminal: printable text, line feeds, and the carriage returns of CSV's line ends.
FORBIDDEN = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\udc80-\udcff\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


class Hostile(Case):
    def setUp(self):
        super().setUp()
        self.good = self.sample("good.db")
        hostile.fill(self.good)

    def run_raw(self, *args, **more):
        r = subprocess.run([LANESCOPE, *args], cwd=self.dir, env=environment(**more), capture_output=True, timeout=300)
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
            if {"--json", "json", "speedscope", "--sarif"} & set(args):
                json.loads(text)
            if "--junit" in args:
                ElementTree.fromstring(text)
        # It is all there, said in letters.
        text = self.check("report", "--kernel", ".", bad, COLUMNS="1000")
        for table, column in (("kernel", "name"), ("note", "text"), ("agent", "arch"), ("finding", "space"),
                              ("finding_access", "instruction"), ("meta", "value"), ("process", "hostname")):
            self.assertIn(r"\x1b]0;%s.%s\x07\x7f\u009b31m\xff\u202e\u2066\n\t" % (table, column),
                          re.sub(r"\n\s+", "", text), (table, column))

    def all_texts(self, value):
        """Of a decoded Perfetto trace."""
        if isinstance(value, dict):
            value = value.values()
        for v in value if not isinstance(value, (str, int)) else ():
            yield from [v] if isinstance(v, str) else self.all_texts(v)

    def test_long_lines_with_any_character(self):
        """Lines that are longer than stdio's buffer, its end at each byte of a character: the text comes out as it is."""
        db = sqlite3.connect(self.good)
        for character in "\u00e9\u20ac\U0001d11e":
            for before in range(len(character.encode())):
                name = "x" * before + character * 5000
                db.execute("UPDATE kernel SET name = ?", (name,))
                db.execute("UPDATE note SET text = ?", (name,))
                db.commit()
                for args in (["list", "kernels", "--json"], ["report", "--json"], ["report", "--csv"], ["diff", "--all", "--json", self.good],
                             ["diff", "--all", "--csv", self.good], ["convert", "--to", "json", "-o", "-"], ["convert", "--to", "speedscope", "-o", "-"],
                             ["summary", "--json"], ["annotate", "--json"], ["explain", "--json"], ["query", "-f", "json", None, "SELECT name FROM kernel"],
                             ["query", "-f", "csv", None, "SELECT name FROM kernel"], ["report", "--html", "-"],
                             ["gate", "--fail-on", "any", "--sarif", "-", self.good], ["gate", "--fail-on", "any", "--junit", "-", self.good]):
                    with self.subTest(character=character, before=before, args=args):
                        text = self.check(*([self.good if a is None else a for a in args] + [self.good] * (None not in args)))
                        self.assertNotRegex(text, r"[^\\]\\x[0-9a-f]{2}")
                        if {"--json", "json", "speedscope", "--sarif"} & set(args):
                            json.loads(text)
        db.close()

    def test_lines_that_end_at_the_end_of_a_buffer(self):
        """CSV's line ends are two bytes; the buffer's end between them is no other text."""
        for length in range(8180, 8200):
            r = self.run_raw("query", "-f", "csv", self.good, "SELECT printf('%%.*c', %d, 'x') AS a" % length)
            self.assertEqual(r.stdout, b"a\r\n" + b"x" * length + b"\r\n")

    def test_converted_files(self):
        bad = self.path("bad.db")
        hostile.inject(self.good, bad)
        texts = []
        for form in ("csv", "rocpd", "pftrace"):
            self.check("convert", bad, "--to", form, "-o", form)
        for name in os.listdir(self.path("csv")):
            with open(os.path.join(self.path("csv"), name), encoding="utf-8", newline="") as f:
                texts.append(f.read().replace("\r\n", "\n"))
        [name] = os.listdir(self.path("rocpd"))
        guid = rocpd_rules.check_file(os.path.join(self.path("rocpd"), name))
        db = rocpd_rules.imported(os.path.join(self.path("rocpd"), name))
        for table, columns in rocpd_rules.tables():
            texts += [t for row in db.execute(f"SELECT * FROM rocpd_{table}") for t in row if isinstance(t, str)]
        with open(self.path("pftrace"), "rb") as f:
            texts += self.all_texts(perfetto_trace.decode(f.read()))
        self.assertIn(guid, texts)
        for text in texts:
            self.assertIsNone(FORBIDDEN.search(text), ascii(text))
        for table, column in (("kernel", "name"), ("marker", "text"), ("process", "hostname")):
            escaped = r"\x1b]0;%s.%s\x07\x7f\u009b31m\xff\u202e\u2066\n\t" % (table, column)
            self.assertGreaterEqual(len([t for t in texts if escaped in t]), 2, (table, column))

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
        sql = "SELECT ' =1' AS a, '  @x' AS b, char(160) || '+1' AS c, ' x' AS d"      # blanks are stripped by some
        self.assertEqual(self.expect(0, "query", "-f", "csv", self.good, sql).stdout,
                         "a,b,c,d\n\"' =1\",\"'  @x\",'\u00a0+1,\" x\"\n")
        sql = "SELECT -1 AS a, '-1' AS b, '\t=1' AS c, -1.5 AS d, 'x;=1' AS e"
        self.assertEqual(self.expect(0, "query", "-f", "csv", self.good, sql).stdout,
                         "a,b,c,d,e\n-1,'-1,'\\t=1,-1.5,\"x;=1\"\n")


class Beside(Hostile):
    def test_write_ahead_log_of_another_database(self):
        """The log's pages would stand in the place of ours: what is wrong is the file beside, and it is named."""
        other = sqlite3.connect(self.path("other.db"))
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("CREATE TABLE z(a)")
        other.execute("INSERT INTO z VALUES(randomblob(100000))")
        other.commit()
        shutil.copy(self.path("other.db-wal"), self.good + "-wal")
        other.close()
        before = sorted(os.listdir(self.dir))
        text = self.expect(3, "report", self.good).stderr
        self.assertIn("so it is with the changes in the -wal file beside it: if that is not this file's, move it away", text)
        self.assertEqual(sorted(os.listdir(self.dir)), before)


    def test_what_stands_beside_is_said_once(self):
        """A -wal file is of a program that changed the database, not of its recorder; a verb that reads twice says it once."""
        writer = sqlite3.connect(self.good)
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO meta VALUES('x', 'y')")
        writer.commit()
        text = self.expect(3, "summary", self.good, self.good).stderr  # twice the same recording
        writer.close()
        self.assertEqual(text.count("what is shown is a private copy, with the changes in the -wal file beside it"), 1, text)
        self.assertNotIn("recorder", text)


class Queries(Hostile):
    def query(self, form, sql):
        return self.expect(0, "query", "-f", form, self.good, sql).stdout

    def test_columns_of_one_name(self):
        self.assertEqual(json.loads(self.query("json", "SELECT 1 AS a, 2 AS a, 3 AS b, 4 AS a, 5 AS 'a:1'")),
                         [{"a": 1, "a:1": 2, "b": 3, "a:2": 4, "a:1:1": 5}])

    def test_text_after_a_zero_byte(self):
        sql = "SELECT 'ab' || char(0) || 'c\"d' AS t, x'4100ff' AS u"
        self.assertEqual(json.loads(self.query("json", sql)), [{"t": 'ab\0c"d', "u": "A\0\ufffd"}])
        self.assertEqual(self.query("csv", sql), 't,u\n"ab\\x00c""d",A\\x00\\xff\n')
        self.assertEqual(self.query("table", sql), 't          u\nab\\x00c"d  A\\x00\\xff\n')


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


# How much is a matter of time, which sanitizers do not measure: where they look, a part of it does.
MANY, LINES = (50000, 100) if os.environ.get("LANESCOPE_TEST_SANITIZED") else (1000000, 1000)


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
        path = self.path(self.old("old.db", self.good))
        good = self.change("DELETE FROM site_part")  # which it did not have
        name = os.path.basename(good)
        self.assertIn("good", self.expect(0, "check", path).stdout)
        for form in ("--csv", "--rows=seen"):
            self.assertEqual(self.expect(0, "report", form, path).stdout.replace("old.db", name),
                             self.expect(0, "report", form, good).stdout)
        self.assertEqual(self.expect(0, "query", path, "SELECT * FROM line_view").stdout,
                         self.expect(0, "query", self.good, "SELECT * FROM line_view").stdout)
        for verb in (["annotate"], ["diff", self.good]):
            self.assertEqual(self.expect(0, *verb, path).stdout.replace("old.db", name),
                             self.expect(0, *verb, good).stdout)
        self.assertIn("\nnothing that was compared is worse", self.expect(0, "diff", path, good).stdout)

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

    def test_as_many_as_a_file_may_hold(self):
        """A million notes, and a source of a million lines: what looks through all for each of them takes hours."""
        many = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT %d)" % MANY
        path = self.change("INSERT INTO note SELECT NULL, process, level, 'n' || x FROM (%s SELECT x FROM n), (SELECT * FROM note LIMIT 1)" % many)
        self.expect(0, "summary", path)
        self.expect(0, "diff", self.good, path)
        path = self.change("UPDATE source_file SET text = replace(hex(zeroblob(%d)), '0', char(10))" % (MANY // 2))
        self.assertGreater(len(self.expect(0, "annotate", "-C", "all", path).stdout.splitlines()), MANY)

    def test_words_of_compilers(self):
        """What a run-time compiler said is looked for at each line of LDS. Empty entries by ten thousands, for a file with a long
        name, took hours with a thousand lines: each made the name's text anew."""
        said = "'shared=' || %s || ':4:%d:%s words of ours'"
        name = "replace(hex(zeroblob(%d)), '0', 'f')" % (30 * LINES)
        entries = " || char(10) || ".join(said % ("'transpose.hip'", column, kind) for column in (9, 21) for kind in ("store", "atomic"))
        for form in (["report"], ["report", "--json"]):
            path = self.change("UPDATE code_object SET compiler = 'triton' || char(10) || " + entries)
            self.assertIn("words of ours", self.expect(0, *form, path).stdout)
            for wrong in (entries.replace("store", "load"), entries.replace(":4:", ":14:"), entries.replace("9:", "8:").replace("21:", "210:")):
                path = self.change("UPDATE code_object SET compiler = 'triton' || char(10) || " + wrong)
                self.assertNotIn("words of ours", self.expect(0, *form, path).stdout)
            path = self.change("UPDATE source_file SET path = '/' || " + name + "; UPDATE code_object SET compiler = replace(" + name +
                               ", 'f', char(10)); WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT %d) INSERT INTO frame" % LINES +
                               " SELECT 1000 + x, file, 1000 + x, 1, function, NULL FROM n, (SELECT * FROM frame LIMIT 1); INSERT INTO site SELECT"
                               " 1000 + f.id, module, 1000 + f.id, kernel, kind, space, bytes, align, flags, reason, instruction, s.function, f.id,"
                               " isa, isa_merged, isa_join, estimate, counted_at, code_offset FROM frame f, (SELECT * FROM site WHERE space = 3 LIMIT"
                               " 1) s WHERE f.id > 1000; INSERT INTO value SELECT dispatch, s.id, metric, value FROM site s, (SELECT * FROM value"
                               " WHERE site = (SELECT min(id) FROM site WHERE space = 3)) WHERE s.id > 2000")
            self.expect(0, *form, path)

    def test_a_long_query_of_the_user_ends(self):
        """About 100 million steps: more than the bound for what the file holds itself."""
        sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 5000000) SELECT max(x) FROM n"
        self.assertEqual(self.expect(0, "query", "-f", "csv", self.good, sql).stdout, "max(x)\n5000000\n")


FORMS = [["report"], ["report", "--json"], ["report", "--html", "-"], ["report", "--csv", "--kernel", "."], ["annotate", "-C", "all"], ["diff", "good.db"],
         ["diff", "--json", "good.db"], ["diff", "--per-dispatch", "--csv", "good.db"], ["summary"], ["report", "--rows", "seen"],
         ["convert", "--to", "json", "-o", "-"], ["convert", "--to", "pftrace", "-o", "-"], ["convert", "--to", "speedscope", "-o", "-"],
         ["convert", "--to", "rocpd", "-o", "OUT"], ["convert", "--to", "csv", "-o", "OUT"], ["explain", "-n", "0"],
         ["explain", "--json"], ["explain", "--format", "markdown", "--budget", "500"], ["gate", "--fail-on", "any", "good.db"],
         ["gate", "--json", "-", "good.db"], ["gate", "--junit", "-", "good.db"], ["gate", "--sarif", "-", "good.db"],
         ["summary", "--json"], ["annotate", "--json"], ["list", "kernels", "--json"], ["list", "metrics", "--json"],
         ["report", "--stats", "--csv"], ["report", "--as", "gfx942"], ["report", "--csv", "--as", "gfx950"],
         ["convert", "--to", "folded", "--metric", "Bank Conflict", "-o", "-"], ["merge", "--force", "-o", "merged.db", "good.db"],
         ["check", "--json"]]
# Random values: where sanitizers look, which is in the default tests, too. More for a search by hand: 100 take some minutes.
ROUNDS = int(os.environ.get("LANESCOPE_TEST_ROUNDS", "1" if os.environ.get("LANESCOPE_TEST_SANITIZED") else "0"))
at_random = unittest.skipUnless(ROUNDS, "random values are tried with sanitizers, or with LANESCOPE_TEST_ROUNDS")


class Dangling(Hostile):
    """Rows that refer to nothing are left out; who reads a number has to know."""

    def test_every_verb_tells(self):
        forms = [["report"], ["report", "--json"], ["report", "--html", "-"], ["report", "--csv"], ["summary"], ["summary", "--json"], ["annotate"],
                 ["diff", self.good], ["explain"], ["gate", "--fail-on", "any", self.good], ["list", "kernels"], ["list", "metrics"]]
        for form in forms:
            r = self.lanescope(*form, self.good)
            self.assertNotIn("rows that are not in the database", r.stdout + r.stderr, form)
        for table in ("dispatch", "kernel", "site", "frame", "metric", "source_file", "process", "agent", "code_object", "module"):
            path = self.path("dangling.db")
            shutil.copy(self.good, path)
            db = sqlite3.connect(path)
            db.execute("PRAGMA foreign_keys = OFF")
            db.execute("DELETE FROM %s WHERE rowid = (SELECT min(rowid) FROM %s)" % (table, table))
            lost = len(db.execute("PRAGMA foreign_key_check").fetchall())
            self.assertTrue(lost, table)
            db.commit()
            db.close()
            said = re.compile(r"%d\s+references?\s+to\s+rows\s+that\s+are\s+not\s+in\s+the\s+database" % lost)
            for form in forms:
                r = self.lanescope(*form, path)
                self.assertRegex(r.stdout + r.stderr, said, (table, form, r.returncode))


class Values(Hostile):
    """With sanitizers in the build these find undefined arithmetic; without them crashes, hangs and JSON that is none."""

    def show(self, path, forms, seed):
        for form in forms:
            with self.subTest(form=form, seed=seed):
                out = self.path("out")
                r = self.run_raw(*[out if word == "OUT" else word for word in form], path)
                shutil.rmtree(out, True)
                json_too = {"--json", "json", "speedscope"} & set(form)
                if json_too and r.returncode in (0, 1) and r.stdout:
                    json.loads(r.stdout, parse_constant=lambda name: self.fail("%s is no JSON" % name))

    def copy(self):
        with open(self.good, "rb") as f:
            return self.write("changed.db", f.read())

    @at_random
    def test_one_column_at_a_time(self):
        with sqlite3.connect(self.good) as db:
            columns = list(hostile.columns(db, ("TEXT", "INTEGER", "REAL")))
        db.close()
        for seed in range(ROUNDS):
            for table, name in columns:
                rng = random.Random("%d %s %s" % (seed, table, name))
                path = self.copy()
                value = rng.choice(hostile.EXTREMES)
                hostile.mutate(path, rng, table, name, value, rng.random() < 0.5)
                self.show(path, rng.sample(FORMS, 1), (seed, table, name, value))

    def test_many_columns_at_once(self):
        """Without keys: ids that repeat, that are text, that point nowhere."""
        loose = self.path("loose.db")
        with open(self.good, "rb") as f:
            self.write("loose.db", f.read())
        hostile.loosen(loose)
        self.assertEqual(self.expect(0, "report", "--csv", loose).stdout, self.expect(0, "report", "--csv", self.good).stdout)
        with sqlite3.connect(loose) as db:
            columns = [(t, n) for t in hostile.TABLES[:-3] if t != "meta" for _, n, *_ in
                       db.execute("PRAGMA table_info(%s)" % t).fetchall()]
        db.close()
        for seed in range(20 * ROUNDS):
            rng = random.Random(seed)
            with open(loose, "rb") as f:
                path = self.write("changed.db", f.read())
            for table, name in rng.sample(columns, rng.choice([2, 5, 20])):
                hostile.mutate(path, rng, table, name, rng.choice(hostile.EXTREMES), rng.random() < 0.8)
            self.show(path, rng.sample(FORMS, 3), seed)

    @at_random
    def test_rows_of_handlers(self):
        for seed in range(20 * ROUNDS):
            path = self.copy()
            hostile.mutate_json(path, random.Random(seed))
            self.show(path, (["report"], ["report", "--json"], ["annotate"], ["report", "--rows", "lds"]), seed)

    def test_division_of_the_smallest_number(self):
        """It is not tried: of numbers that no handler writes there is no advice."""
        self.assertIn("in pieces of", self.expect(0, "report", self.good).stdout)
        self.update("UPDATE handler_row SET json = json_set(json, '$.pieces', -1, '$.piece_bytes', %d) WHERE"
                    " json ->> '$.kind' = 'pieces'" % -2 ** 63)
        self.assertNotIn("in pieces of", self.expect(0, "report", self.good).stdout)

    def update(self, sql):
        db = sqlite3.connect(self.good)
        db.executescript(sql)
        db.close()

    def test_a_large_factor(self):
        for scale, shown in (("1e300", "e+30"), ("9e999", "inf"), ("-9e999", "inf")):
            self.update("UPDATE metric SET scale = %s WHERE is_ratio" % scale)
            self.assertIn(shown, self.expect(0, "report", self.good).stdout)
            report = json.loads(self.expect(0, "report", "--json", self.good).stdout, parse_constant=self.fail)
            row = [r for t in report["kernels"][0]["tables"] if t["handler"] == "lds_bank_conflicts" for r in t["rows"]][0]
            if "9e999" in scale:
                self.assertIsNone(row["metrics"]["Bank Conflicts/Access"])
            for verb in (["annotate"], ["summary"], ["diff", self.good]):
                self.expect(0, *verb, self.good)

    def test_heads_are_cut_between_characters(self):
        """A head has room for 39 bytes, which is half a character of those with two, more and less of those with three and four."""
        for character in "é€𝄞":
            for before in range(4):
                with self.subTest(character=character, before=before):
                    self.update("UPDATE metric SET title = '%s', direction = 1, show = 0, excess = 0, cost = 0, position = id, role = 0" % ("x" * before + character * 60))
                    self.assertIn(character, self.expect(0, "report", self.good).stdout)

    def test_problems_of_self_tests_are_cut_between_characters(self):
        for before in range(4):
            problem = "x" * before + "𝄞" * 300
            self.write("s.json", json.dumps({"lanescope_selftest": 1, "gpu": "gfx90a", "steps": [{"step": "s", "problems": [problem]}]}))
            self.assertIn("1 x  s: " + problem[:100], self.expect(0, "selftest", "--compare", "s.json").stdout)

    def test_sums_stop_at_the_largest_number(self):
        """Two dispatches of 2^62 + 1 bank conflicts each, and one's times 2^64 apart: 2^63 + 2 does not fit."""
        self.update("UPDATE value SET value = 4611686018427387905 WHERE metric = (SELECT id FROM metric WHERE"
                    " name = 'Bank Conflict'); UPDATE dispatch SET start_ns = -9223372036854775808,"
                    " end_ns = 9223372036854775807, bytes = 9223372036854775807")
        report = json.loads(self.expect(0, "report", "--json", self.good).stdout)
        kernel = report["kernels"][0]
        conflicts = {r["line"]: r["metrics"]["Bank Conflict"] for t in kernel["tables"] for r in t["rows"]
                     if t["handler"] == "lds_bank_conflicts"}
        self.assertEqual(conflicts, {4: 2 ** 63 - 1, 6: 2 ** 63 - 1})
        self.assertEqual((kernel["dispatches"]["duration_ns"], kernel["transport"]["bytes"]), (2 ** 63 - 1, 2 ** 63 - 1))
        note = "sums that do not fit 64 bits stand as the largest number"
        self.assertIn(note, json.dumps(report["notes"]))
        self.assertIn(note, self.expect(0, "report", self.good).stdout)
        self.assertIn(note, self.expect(0, "summary", self.good).stdout)
        self.assertIn(note, self.expect(0, "annotate", self.good).stderr)
        diff = self.expect(0, "diff", "--all", "--json", self.good, self.good)
        self.assertIn(note, diff.stderr)
        self.assertIn("9223372036854775807", diff.stdout)

    def test_names_of_any_length(self):
        """Two kernels whose names of 1 MiB differ in their last byte only: they stay two, and no form repeats a megabyte."""
        most, size = 1 << 16, 1 << 20
        db = sqlite3.connect(self.good)
        ids = [i for (i,) in db.execute("SELECT id FROM kernel ORDER BY id")][:2]
        for end, kernel in enumerate(ids):
            name = "\u20ac" * ((size - 1) // 3) + str(end)
            db.execute("UPDATE kernel SET name = ?, mangled = ? WHERE id = ?", (name, name, kernel))
        db.commit()
        db.close()
        self.assertEqual(len(ids), 2)
        names = [k["name"] for k in json.loads(self.expect(0, "list", "kernels", "--json", self.good).stdout)["kernels"]]
        long = [n for n in names if n.startswith("\u20ac")]
        self.assertEqual(len(set(long)), 2, "told apart")
        for name in long:
            self.assertIn("... (1048576 bytes, ", name)
            self.assertLessEqual(len(name.encode()), most)
        note = "texts of more than 65536 bytes are shown cut"
        for form in (["report", "--kernel", "."], ["report", "--json"], ["report", "--csv"], ["report", "--html", "-"], ["summary"], ["annotate"],
                     ["diff", self.good], ["explain"], ["convert", "--to", "folded", "--metric", "Bank Conflict", "-o", "-"],
                     ["convert", "--to", "json", "-o", "-"]):
            with self.subTest(form=form):
                r = self.expect(0, *form, self.good)
                self.assertIn(note, r.stderr)
                self.assertLess(len(r.stdout), 2 * size)
        whole = json.loads(self.expect(0, "query", "-f", "json", self.good, "SELECT max(length(CAST(name AS BLOB))) AS n FROM kernel").stdout)
        self.assertEqual(whole, [{"n": size}], "nothing is lost from the file")

    def test_numbers_of_lines_do_not_wrap(self):
        self.update("UPDATE frame SET line = 4294967296 + 6 WHERE line = 6")
        lines = {r["Line"] for r in csv.DictReader(io.StringIO(self.expect(0, "report", "--csv", self.good).stdout))}
        self.assertIn("4294967295", lines)
        self.assertNotIn("6", lines)
        self.assertIn(" 4294967295\n", self.expect(0, "annotate", "-C", "all", self.good).stdout)

    def test_long_chains_of_callers(self):
        db = sqlite3.connect(self.good)
        file, last = db.execute("SELECT file, max(id) FROM frame").fetchone()
        for i in range(3000):
            db.execute("INSERT INTO frame VALUES(?, ?, 1, 1, ?, ?)", (last + 1 + i, file, "f" * 100, last + i))
        db.execute("UPDATE site SET frame = ?", (last + 3000,))
        db.execute("UPDATE frame SET parent = id WHERE id = ?", (last,))     # a circle
        db.commit()
        db.close()
        self.assertIn("inlining chains of more than 256 calls were cut", self.expect(0, "report", self.good).stdout)


if __name__ == "__main__":
    unittest.main()
