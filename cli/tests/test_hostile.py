"""Files of strangers: whatever stands in a database, nothing of it commands the terminal, no program crashes, no number wraps."""
import csv
import io
import json
import os
import re
import sqlite3
import subprocess
import unittest

import hostile
from common import Case, LANESCOPE, environment

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
                              ("finding_access", "instruction"), ("meta", "created"), ("process", "hostname")):
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


if __name__ == "__main__":
    unittest.main()
